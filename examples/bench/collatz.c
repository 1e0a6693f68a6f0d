// The steps that the Collatz sequences of 1 to n take to reach 1, together.

int run(int n) {
    int steps = 0;
    for (unsigned start = 1; start <= (unsigned)n; start++)
        for (unsigned x = start; x != 1; steps++) x = x & 1 ? 3 * x + 1 : x >> 1;
    return steps;
}
