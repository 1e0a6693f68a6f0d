// Greatest common divisors by Euclid's algorithm.

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

static int gcd(int a, int b) {
    while (b) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

int main(void) {
    print(gcd(48, 36));
    print(gcd(1071, 462));
    print(gcd(1000003, 65536));
    print(gcd(2147483646, 1073741823));
    return 0;
}
