// Fibonacci numbers by recursion, and a large one by a loop.

int putchar(int c);

static void print(int n) {
    int digits[10];
    int count = 0;
    do {
        digits[count++] = n % 10;
        n /= 10;
    } while (n);
    while (count)
        putchar('0' + digits[--count]);
    putchar('\n');
}

static int fibonacci(int n) {
    if (n < 2)
        return n;
    return fibonacci(n - 1) + fibonacci(n - 2);
}

int main(void) {
    for (int n = 0; n < 10; n++)
        print(fibonacci(n));
    int a = 0, b = 1;
    for (int n = 0; n < 46; n++) {
        int sum = a + b;
        a = b;
        b = sum;
    }
    print(a);
    return 0;
}
