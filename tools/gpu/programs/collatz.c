// The steps that the Collatz sequences of `count` numbers from `first` on take to reach 1. Up to
// 113,382 they stay within 32 bits.

int run(unsigned first, unsigned count) {
    int steps = 0;
    for (unsigned start = first; count; start++, count--)
        for (unsigned x = start; x != 1; steps++) x = x & 1 ? 3 * x + 1 : x >> 1;
    return steps;
}
