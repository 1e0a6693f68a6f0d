// Bubble sort.

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

static int values[8] = {170, 45, 75000, 90, 2, 802, 24, 66};

int main(void) {
    for (int last = 7; last > 0; last--)
        for (int i = 0; i < last; i++)
            if (values[i] > values[i + 1]) {
                int held = values[i];
                values[i] = values[i + 1];
                values[i + 1] = held;
            }
    for (int i = 0; i < 8; i++)
        print(values[i]);
    return 0;
}
