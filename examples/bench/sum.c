// The sum of the numbers from n to 1.

int run(int n) {
    unsigned sum = 0;
    for (; n; n--) {
        sum += (unsigned)n;
        __asm__ volatile("" : "+r"(sum));  // or the compiler would use the formula
    }
    return (int)sum;
}
