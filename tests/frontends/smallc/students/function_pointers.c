#include <stdio.h>

typedef int (*Operation)(int, int);

static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int mul(int a, int b) { return a * b; }
static int divide(int a, int b) { return b ? a / b : 0; }

struct command { char symbol; Operation run; };

static const struct command commands[] = {{'+', add}, {'-', sub}, {'*', mul}, {'/', divide}};

Operation choose(char symbol) {
    for (int i = 0; i < 4; i++)
        if (commands[i].symbol == symbol) return commands[i].run;
    return NULL;
}

int fold(int (*f)(int, int), const int *a, int n, int start) {
    int total = start;
    for (int i = 0; i < n; i++) total = (*f)(total, a[i]);
    return total;
}

int main(void) {
    const char *symbols = "+-*/?";
    for (const char *p = symbols; *p; p++) {
        Operation f = choose(*p);
        if (f) printf("17 %c 5 = %d\n", *p, f(17, 5));
        else printf("no %c\n", *p);
    }
    int a[] = {2, 3, 4};
    printf("%d %d\n", fold(add, a, 3, 0), fold(mul, a, 3, 1));
    Operation table[2] = {sub, add};
    return table[a[0] == 2](3, 4);
}
