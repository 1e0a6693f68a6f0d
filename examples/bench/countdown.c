// Count down from n to 0, nothing else.

int run(int n) {
    while (n) {
        n--;
        __asm__ volatile("" : "+r"(n));  // or the compiler would know the answer
    }
    return n;
}
