// Greatest common divisor, by Euclid's algorithm.
//
//     transputer run examples/c/gcd.c --invoke gcd 48 36
//
// prints 12.

int gcd(int a, int b) {
    while (b != 0) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}
