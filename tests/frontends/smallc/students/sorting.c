#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct student { const char *name; int mark; };

static int by_number(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void selection(int a[], int n) {
    for (int i = 0; i < n - 1; i++) {
        int least = i;
        for (int j = i + 1; j < n; j++)
            if (a[j] < a[least]) least = j;
        int t = a[i];
        a[i] = a[least];
        a[least] = t;
    }
}

static void merge_sort(int *a, int *space, int n) {
    if (n < 2) return;
    int half = n / 2, i = 0, j = half, k = 0;
    merge_sort(a, space, half);
    merge_sort(a + half, space, n - half);
    while (i < half && j < n) space[k++] = a[i] <= a[j] ? a[i++] : a[j++];
    while (i < half) space[k++] = a[i++];
    while (j < n) space[k++] = a[j++];
    memcpy(a, space, n * sizeof(int));
}

static void show(const int *a, int n) {
    while (n--) printf("%d%c", *a++, n ? ' ' : '\n');
}

int main(void) {
    int a[] = {34, -7, 23, 32, 5, 62, 32, 7, 23, -100}, b[10], c[10], space[10];
    memcpy(b, a, sizeof a);
    memcpy(c, a, sizeof a);
    selection(a, 10);
    merge_sort(b, space, 10);
    qsort(c, 10, sizeof(int), by_number);
    show(a, 10);
    show(b, 10);
    show(c, 10);
    int key = 32, *where = bsearch(&key, c, 10, sizeof c[0], by_number);
    printf("%d\n", where ? *where : -1);
    return memcmp(a, b, sizeof a) || memcmp(b, c, sizeof b);
}
