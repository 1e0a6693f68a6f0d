// Primes below 200, crossed out in an array of chars.

int putchar(int c);

enum { SIZE = 200 };
char crossed[SIZE];

void print_number(int n) {
    if (n > 9) print_number(n / 10);
    putchar('0' + n % 10);
}

int main(void) {
    int n, multiple, count = 0;
    for (n = 2; n < SIZE; n++) {
        if (crossed[n]) continue;
        print_number(n);
        putchar(++count % 10 ? ' ' : '\n');
        for (multiple = n * n; multiple < SIZE; multiple += n) crossed[multiple] = 1;
    }
    putchar('\n');
    return 0;
}
