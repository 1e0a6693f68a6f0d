unsigned a = 120, b = 100;
int main(void) {
    int n = 0;
    if (b < a) n += 1;
    if (a - b < 21u) n += 2;
    if (a / 7 == 17) n += 4;
    if (a % 7 == 1) n += 8;
    if ((a >> 1) > 59u) n += 16;
    return n;
}
