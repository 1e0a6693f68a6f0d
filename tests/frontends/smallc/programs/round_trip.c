int a[8];
int main(void) {
    for (int i = 0; i < 8; i++) a[(i * 5) & 7] = i;
    int s = 0;
    for (int i = 0; i < 8; i++) s += a[i] * i;
    return s - 100;
}
