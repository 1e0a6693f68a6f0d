// Factorials by recursion.

int putchar(int c);

void print(char *text) {
    while (*text) putchar(*text++);
}

void print_number(int n) {
    if (n > 9) print_number(n / 10);
    putchar('0' + n % 10);
}

int factorial(int n) {
    if (n < 2) return 1;
    return n * factorial(n - 1);
}

int main(void) {
    int n;
    for (n = 0; n <= 10; n++) {
        print("factorial(");
        print_number(n);
        print(") = ");
        print_number(factorial(n));
        putchar('\n');
    }
    return factorial(5) != 120;
}
