#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int *items;
    size_t count, capacity;
} Vector;

void append(Vector *v, int item) {
    if (v->count == v->capacity) {
        v->capacity = v->capacity ? 2 * v->capacity : 2;
        v->items = realloc(v->items, v->capacity * sizeof *v->items);
    }
    v->items[v->count++] = item;
}

int **triangle(int rows) {
    int **t = malloc(rows * sizeof(int *));
    for (int i = 0; i < rows; i++) {
        t[i] = (int *)malloc((i + 1) * sizeof(int));
        t[i][0] = t[i][i] = 1;
        for (int j = 1; j < i; j++) t[i][j] = t[i - 1][j - 1] + t[i - 1][j];
    }
    return t;
}

int main(void) {
    Vector v = {0};
    for (int i = 0; i < 20; i++) append(&v, i * i - 10);
    long_sum:;
    int sum = 0;
    for (size_t i = 0; i < v.count; i++) sum += v.items[i];
    printf("%d %zu %zu\n", sum, v.count, v.capacity);
    free(v.items);
    int **t = triangle(6);
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j <= i; j++) printf("%d ", t[i][j]);
        puts("");
        free(t[i]);
    }
    free(t);
    int *again = calloc(8, sizeof(int));
    printf("%d\n", again[3]);
    free(again);
    if (sum < 0) goto long_sum;
    return 0;
}
