#include <stdio.h>
#include <string.h>

struct record { int id; char name[12]; short marks[3]; };

int main(void) {
    int a[5] = {1, 2, 3, 4, 5}, b[5];
    memcpy(b, a, sizeof a);
    memset(a, 0, sizeof(a));
    memmove(b + 1, b, 4 * sizeof(int));
    for (int i = 0; i < 5; i++) printf("%d%d ", a[i], b[i]);
    printf("\n%d\n", memcmp(a, b, sizeof a) < 0);
    memset(b, -1, 2 * sizeof b[0]);
    printf("%d %d %d\n", b[0], b[1], b[2]);
    struct record r = {7, "seven", {1, 2, 3}}, s;
    memcpy(&s, &r, sizeof(struct record));
    s.name[0] = 'S';
    printf("%d %s %s %d\n", s.id, r.name, s.name, s.marks[2]);
    memset(&s, 0, sizeof s);
    printf("%d [%s] %d %u\n", s.id, s.name, s.marks[0], (unsigned)sizeof s);
    char text[10];
    memset(text, '-', 9);
    text[9] = 0;
    memcpy(text + 2, "abc", 3);
    puts(text);
    printf("%d\n", memcmp("abc", "abd", 3) < 0);
    return 0;
}
