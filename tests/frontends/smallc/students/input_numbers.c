#include <stdio.h>

int main(void) {
    int n, total = 0, largest = 0;
    if (scanf("%d", &n) != 1) return 1;
    for (int i = 0; i < n; i++) {
        int x;
        scanf("%d", &x);
        total += x;
        if (i == 0 || x > largest) largest = x;
    }
    printf("%d numbers, sum %d, largest %d\n", n, total, largest);
    char name[20], operator;
    int a, b;
    if (scanf("%s %d %c %d", name, &a, &operator, &b) == 4)
        printf("%s: %d %c %d\n", name, a, operator, b);
    unsigned hex;
    printf("%d ", scanf("%x", &hex));
    printf("%u\n", hex);
    printf("%d\n", scanf("%d", &n));
    return scanf("%s", name) == 1 && scanf("%d", &n) == EOF ? 0 : 2;
}
