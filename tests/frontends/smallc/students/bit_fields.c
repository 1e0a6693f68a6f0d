#include <stdio.h>

struct date { unsigned day : 5, month : 4, year : 12; };
struct flags { unsigned ready : 1; unsigned mode : 3; int level : 4; _Bool on : 1; };

int main(void) {
    struct date d = {31, 12, 2024};
    d.day++;
    printf("%u %u %u %u\n", d.day, d.month, d.year, (unsigned)sizeof d);
    struct flags f = {1, 9, 7, 4};
    f.level++;
    printf("%u %u %d %d %u\n", f.ready, f.mode, f.level, f.on, (unsigned)sizeof f);
    f.mode += 6;
    f.ready ^= 1;
    return f.mode * 2 + f.ready;
}
