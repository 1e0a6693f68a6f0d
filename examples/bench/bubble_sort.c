// Bubble sort of n numbers (at most 4,096), then a check sum that depends on their order.

static unsigned item[4096];

int run(int n) {
    unsigned seed = 7, check = 0;
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        item[i] = seed >> 8;
    }
    for (int end = n - 1; end > 0; end--)
        for (int i = 0; i < end; i++)
            if (item[i] > item[i + 1]) {
                unsigned held = item[i];
                item[i] = item[i + 1];
                item[i + 1] = held;
            }
    for (int i = 0; i < n; i++) check = check * 31 + item[i];
    return (int)check;
}
