// Fibonacci numbers by two calls each.

int putchar(int c);

void print_number(int n) {
    if (n > 9) print_number(n / 10);
    putchar('0' + n % 10);
}

int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

int main(void) {
    for (int n = 0; n < 20; n++) {
        print_number(fibonacci(n));
        putchar(n < 19 ? ' ' : '\n');
    }
    return 0;
}
