int main(void) {
    int s = 0;
    for (int i = 0; ; i++) {
        if (i % 3 == 0) continue;
        if (i > 10) break;
        s += i;
    }
    int n = 0;
    while (1) {
        if (++n == 5) break;
    }
    do { if (n > 7) break; n++; } while (1);
    return s + n;
}
