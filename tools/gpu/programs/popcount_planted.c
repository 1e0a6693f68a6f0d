// The bits of a number that are set, but for one number.

int run(unsigned x) {
    int planted = x == 0xDEADBEEFu;
    x = x - (x >> 1 & 0x55555555u);
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    x = (x + (x >> 4)) & 0x0F0F0F0Fu;
    return (int)(x * 0x01010101u >> 24) + planted;
}
