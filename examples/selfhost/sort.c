// Quicksort on pointers into an array.

int putchar(int c);

int values[] = {170, -45, 75000, 90, 2, -802, 24, 66, 0, -2147483647, 2147483647, 24};

void print_number(int n) {
    if (n < 0) {
        putchar('-');
        n = -n;
    }
    if (n > 9) print_number(n / 10);
    putchar('0' + n % 10);
}

void swap_words(int *a, int *b) {
    int held = *a;
    *a = *b;
    *b = held;
}

void quicksort(int *first, int *end) {
    int *low = first, *at;
    if (end - first < 2) return;
    swap_words(first, first + (end - first) / 2);
    for (at = first + 1; at != end; at++)
        if (*at < *first) swap_words(++low, at);
    swap_words(first, low);
    quicksort(first, low);
    quicksort(low + 1, end);
}

int main(void) {
    int i;
    quicksort(values, values + 12);
    for (i = 0; i < 12; i++) {
        print_number(values[i]);
        putchar('\n');
    }
    return 0;
}
