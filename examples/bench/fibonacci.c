// The n-th Fibonacci number modulo 2^32, by adding.

int run(int n) {
    unsigned a = 0, b = 1;
    for (; n; n--) {
        unsigned next = a + b;
        a = b;
        b = next;
    }
    return (int)a;
}
