// A list in arrays, pointers to pointers, and numbers at the edges of their types.

int putchar(int c);

enum { ROOM = 20 };
int item[ROOM], *next_of[ROOM], used;
int *heads[3];

void print_number(int n) {
    if (n < 0) {
        putchar('-');
        n = -n;
    }
    if (n > 9) print_number(n / 10);
    putchar('0' + n % 10);
}

void show(int n) {
    print_number(n);
    putchar(' ');
}

void push(int **list, int value) {
    item[used] = value;
    next_of[used] = *list;
    *list = &item[used++];
}

int main(void) {
    int i, *at, **list;
    char small = 127;
    for (i = 0; i < 12; i++) push(&heads[i % 3], i * i - 50);
    for (list = heads; list < heads + 3; list++) {
        for (at = *list; at; at = next_of[at - item]) show(*at);
        putchar('\n');
    }
    small += 2;
    show(small);
    show((char)300);
    show(-7 / 2);
    show(-7 % 2);
    show(-1 >> 1);
    show(1 << 30);
    show(~0x0F & 0377);
    i = 5;
    show(-100 >> i);
    show(3 << i);
    show(46340 * -46340);
    putchar('\n');
    return 0;
}
