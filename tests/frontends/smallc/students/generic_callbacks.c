#include <stdio.h>
#include <stdlib.h>

typedef struct { int total, count; } Stats;
typedef void (*Visitor)(int value, void *context);

static void each(const int *a, int n, Visitor visit, void *context) {
    for (int i = 0; i < n; i++) visit(a[i], context);
}
static void accumulate(int value, void *context) {
    Stats *s = context;
    s->total += value;
    s->count++;
}
static void even_only(int value, void *context) {
    if (value % 2 == 0) accumulate(value, context);
}
static int descending(const void *a, const void *b) {
    const Stats *x = a, *y = (const Stats *)b;
    return (y->total > x->total) - (y->total < x->total);
}

int main(void) {
    int data[] = {5, 8, 13, 21, 34};
    Stats all = {0, 0}, even = {0};
    each(data, 5, accumulate, &all);
    each(data, 5, even_only, &even);
    printf("%d/%d %d/%d\n", all.total, all.count, even.total, even.count);
    Stats list[3] = {even, all, {50, 1}};
    qsort(list, 3, sizeof(Stats), descending);
    for (int i = 0; i < 3; i++) printf("%d ", list[i].total);
    printf("\n");
    void *p = malloc(4 * sizeof(Stats));
    Stats *s = p;
    s[3].count = 9;
    int r = ((Stats *)p)[3].count;
    free(p);
    return r;
}
