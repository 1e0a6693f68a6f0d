// Shell sort of n numbers (at most 4096) that follow from a seed; a check sum of the result.

static unsigned numbers[4096];

unsigned run(unsigned seed, unsigned n) {
    unsigned state = seed * 2654435761u + 1, check = 0;
    for (unsigned i = 0; i < n; i++) numbers[i] = state = state * 1664525u + 1013904223u;
    for (unsigned gap = n / 2; gap; gap /= 2)
        for (unsigned i = gap; i < n; i++) {
            unsigned value = numbers[i], at = i;
            for (; at >= gap && numbers[at - gap] > value; at -= gap) numbers[at] = numbers[at - gap];
            numbers[at] = value;
        }
    for (unsigned i = 0; i < n; i++) check = check * 31 + numbers[i];
    return check;
}
