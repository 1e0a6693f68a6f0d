// The greatest common divisor of all arguments, and how it is made of the first two.
//
//     transputer run examples/programs/gcd.c 1071 462

#include <stdio.h>
#include <stdlib.h>

// gcd(a, b) with x and y so that a*x + b*y is it.
static long extended(long a, long b, long *x, long *y) {
    if (b == 0) {
        *x = 1;
        *y = 0;
        return a;
    }
    long u, v, divisor = extended(b, a % b, &u, &v);
    *x = v;
    *y = u - a / b * v;
    return divisor;
}

int main(int argc, char **argv) {
    long a = argc > 1 ? atol(argv[1]) : 1071, b = argc > 2 ? atol(argv[2]) : 462, x, y;
    long divisor = extended(a, b, &x, &y);
    printf("gcd(%ld, %ld) = %ld = %ld * %ld + %ld * %ld\n", a, b, divisor, a, x, b, y);
    for (int i = 3; i < argc; i++) {
        long next = atol(argv[i]);
        divisor = extended(divisor, next, &x, &y);
        printf("with %ld: %ld\n", next, divisor);
    }
    return 0;
}
