// How many steps numbers take to 1 by the rule of Collatz, and the highest on the way.

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

int main(void) {
    for (int start = 7; start < 30; start += 10) {
        int n = start, steps = 0, highest = n;
        while (n != 1) {
            n = n % 2 ? 3 * n + 1 : n / 2;
            if (n > highest)
                highest = n;
            steps++;
        }
        print(steps);
        print(highest);
    }
    return 0;
}
