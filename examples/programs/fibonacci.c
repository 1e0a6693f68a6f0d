// Fibonacci numbers, the slow way: every call makes two more.
//
//     transputer run examples/programs/fibonacci.c [N]

#include <stdio.h>
#include <stdlib.h>

static unsigned calls;

static unsigned fibonacci(unsigned n) {
    calls++;
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

int main(int argc, char **argv) {
    unsigned last = argc > 1 ? (unsigned)atoi(argv[1]) : 15;
    for (unsigned n = 0; n <= last; n++) {
        calls = 0;
        unsigned value = fibonacci(n);
        printf("fibonacci(%2u) = %6u  %7u calls\n", n, value, calls);
    }
    return 0;
}
