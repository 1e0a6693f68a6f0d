#include <stdio.h>
#include <stddef.h>

void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
void min_max(const int *a, size_t n, int *low, int *high) {
    *low = *high = a[0];
    for (size_t i = 1; i < n; i++) {
        if (a[i] < *low) *low = a[i];
        if (a[i] > *high) *high = a[i];
    }
}
int *find(int *a, int n, int x) {
    for (int *p = a; p != a + n; ++p)
        if (*p == x) return p;
    return NULL;
}
void set(int **p, int *to) { *p = to; }
void rotate(int a[], int n) {
    int first = *a, *p = a;
    while (--n) { *p = p[1]; p++; }
    *p = first;
}

int main(void) {
    int a[] = {5, 3, 9, -2, 7}, x = 1, y = 2, low, high, *p = a;
    swap(&x, &y);
    printf("%d %d\n", x, y);
    min_max(a, 5, &low, &high);
    printf("%d %d\n", low, high);
    printf("%d %d ", *p, *(p + 1));
    printf("%d ", *p++);
    printf("%d\n", *p);
    p = find(a, 5, -2);
    ptrdiff_t distance = p - a;
    printf("%d %d\n", (int)distance, find(a, 5, 4) == NULL);
    set(&p, &y);
    *p = 77;
    rotate(a, 5);
    for (int i = 0; i < 5; i++) printf("%d ", *(a + i));
    int *rows[2] = {a, a + 2}, **pp = rows;
    printf("%d %d %d\n", y, pp[1][1], (*pp)[0]);
    const char *names[] = {"alpha", "beta", "gamma", NULL};
    for (const char **n = names; *n; n++) printf("%c%c ", **n, (*n)[1]);
    puts("");
    return -a[3];
}
