// The bits of a number that are set, one after the other.

int run(unsigned x) {
    int count = 0;
    for (; x; x &= x - 1) count++;
    return count;
}
