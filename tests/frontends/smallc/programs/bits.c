int main(void) {
    int n = 0;
    for (unsigned x = 0x6d; x; x >>= 1) n += x & 1;
    int y = 5 | 8;
    y ^= 3;
    y &= ~4;
    return n * 10 + y;
}
