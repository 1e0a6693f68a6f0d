int a = 100, b = 7, c = -100, d = -7;
int r[12];
int main(void) {
    r[0] = a / b; r[1] = a % b; r[2] = c / b; r[3] = c % b; r[4] = a / d; r[5] = a % d;
    r[6] = c / d; r[7] = c % d; r[8] = b * d; r[9] = b * b; r[10] = a - b; r[11] = -c + d;
    return r[0] + r[3];
}
