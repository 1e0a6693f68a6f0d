// Sort numbers by swapping neighbours: the arguments, or forty made up ones.
//
//     transputer run examples/programs/bubble_sort.c [NUMBER...]

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 100, MADE = 40 };

static void print(const char *title, const int *numbers, int count) {
    printf("%s", title);
    for (int i = 0; i < count; i++) printf(" %d", numbers[i]);
    printf("\n");
}

int main(int argc, char **argv) {
    int numbers[MOST], count = argc > MOST ? MOST : argc - 1, swaps = 0;
    for (int i = 0; i < count; i++) numbers[i] = atoi(argv[i + 1]);
    if (count == 0) {
        unsigned state = 1;
        for (; count < MADE; count++) {
            state = state * 1103515245 + 12345;
            numbers[count] = (int)(state >> 16 & 1023) - 512;
        }
    }
    print("before:", numbers, count);
    for (int end = count - 1, last; end > 0; end = last) {
        last = 0;  // behind the last swap everything is in its place
        for (int i = 0; i < end; i++) {
            if (numbers[i] <= numbers[i + 1]) continue;
            int held = numbers[i];
            numbers[i] = numbers[i + 1];
            numbers[i + 1] = held;
            last = i;
            swaps++;
        }
    }
    print("after: ", numbers, count);
    printf("%d swaps\n", swaps);
    return 0;
}
