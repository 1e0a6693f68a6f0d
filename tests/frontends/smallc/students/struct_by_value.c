#include <stdio.h>

typedef struct { int real, imag; } Complex;

Complex add(Complex a, Complex b) {
    a.real += b.real;
    a.imag += b.imag;
    return a;
}

Complex multiply(Complex a, Complex b) {
    Complex r;
    r.real = a.real * b.real - a.imag * b.imag;
    r.imag = a.real * b.imag + a.imag * b.real;
    return r;
}

Complex power(Complex z, int n) {
    return n == 0 ? (Complex){1, 0} : multiply(z, power(z, n - 1));
}

int main(void) {
    Complex a = {1, 2}, b = {3, -1}, c = add(a, multiply(a, b));
    printf("%d%+di\n", c.real, c.imag);
    printf("%d%+di\n", a.real, a.imag);
    c = power(add(a, (Complex){.imag = -1}), 8);
    printf("%d%+di %d\n", c.real, c.imag, power(b, 3).imag);
    return power(a, 2).imag;
}
