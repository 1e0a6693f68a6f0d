// The bits of a number that are set, by sums of ever wider fields; the last by a remainder.

int run(unsigned x) {
    x = x - (x >> 1 & 0x55555555u);
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    return (int)(((x + (x >> 4)) & 0x0F0F0F0Fu) % 255);
}
