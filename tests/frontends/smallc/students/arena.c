#include <stdio.h>
#include <stdlib.h>

struct shape;
struct operations {
    int (*area)(const struct shape *);
    const char *name;
};
struct shape {
    const struct operations *vtable;
    int a, b;
};

static int rectangle_area(const struct shape *s) { return s->a * s->b; }
static int triangle_area(const struct shape *s) { return s->a * s->b / 2; }
static const struct operations rectangle = {rectangle_area, "rectangle"};
static const struct operations triangle = {.name = "triangle", .area = triangle_area};

static struct shape *make(const struct operations *vtable, int a, int b) {
    struct shape *s = malloc(sizeof *s);
    *s = (struct shape){vtable, a, b};
    return s;
}

int main(void) {
    struct shape *shapes[] = {make(&rectangle, 3, 4), make(&triangle, 5, 8), make(&rectangle, 7, 7)};
    int total = 0;
    for (int i = 0; i < 3; i++) {
        struct shape *s = shapes[i];
        printf("%-10s %3d\n", s->vtable->name, s->vtable->area(s));
        total += s->vtable->area(s);
        free(s);
    }
    int *again = malloc(10 * sizeof(int));
    for (int i = 0; i < 10; i++) again[i] = i;
    again = realloc(again, 20 * sizeof *again);
    printf("%d %d\n", again[9], total);
    free(again);
    return total % 256;
}
