// Primes below 64 by the sieve of Eratosthenes.

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

static int crossed[64];

int main(void) {
    for (int n = 2; n < 64; n++) {
        if (crossed[n])
            continue;
        print(n);
        for (int multiple = n + n; multiple < 64; multiple += n)
            crossed[multiple] = 1;
    }
    return 0;
}
