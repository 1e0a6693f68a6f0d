// The bits of a number that are set, one after the other.

int run(unsigned x) {
    int count = 0;
    for (int i = 0; i < 32; i++) count += x >> i & 1;
    return count;
}
