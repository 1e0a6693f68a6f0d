#include <stdio.h>

struct point { int x, y; };
struct rectangle { struct point low, high; char name; };

int area(const struct rectangle *r) {
    return (r->high.x - r->low.x) * (r->high.y - r->low.y);
}

int main(void) {
    struct rectangle r = {{1, 2}, {5, 9}, 'R'};
    struct rectangle s = {.high = {10, 10}, .name = 'S'};
    struct rectangle copy = r;
    copy.low.x = -3;
    printf("%c %d\n%c %d\n", r.name, area(&r), s.name, area(&s));
    printf("%c %d %d\n", copy.name, area(&copy), r.low.x);
    printf("%lu %lu\n", sizeof(struct point), sizeof r);
    return 0;
}
