#include <stdio.h>

unsigned factorial(unsigned n) { return n < 2 ? 1 : n * factorial(n - 1); }
int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
int ackermann(int m, int n) {
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}
int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }
int is_odd(int n);
int is_even(int n) { return n == 0 ? 1 : is_odd(n - 1); }
int is_odd(int n) { return n == 0 ? 0 : is_even(n - 1); }
int sum_digits(int n) { return n < 10 ? n : n % 10 + sum_digits(n / 10); }
int power(int base, int n) {
    if (n == 0) return 1;
    int half = power(base, n / 2);
    return n % 2 ? half * half * base : half * half;
}
void binary(int n) {
    if (n > 1) binary(n / 2);
    putchar('0' + n % 2);
}
int moves;
void hanoi(int n, char from, char to, char via) {
    if (n == 0) return;
    hanoi(n - 1, from, via, to);
    moves++;
    if (n == 4) printf("%c->%c ", from, to);
    hanoi(n - 1, via, to, from);
}
int sum_to(int n) { return n ? n + sum_to(n - 1) : 0; }

int main(void) {
    printf("%u %d %d %d\n", factorial(12), fibonacci(12), ackermann(2, 3), gcd(1071, 462));
    printf("%d %d %d %d\n", is_even(10), is_odd(7), sum_digits(98765), power(3, 13));
    binary(1234);
    putchar('\n');
    hanoi(5, 'A', 'C', 'B');
    printf("%d moves\n", moves);
    printf("%d\n", sum_to(100));
    return 0;
}
