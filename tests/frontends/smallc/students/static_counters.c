#include <stdio.h>

static int next_id(void) {
    static int id = 100;
    return id++;
}
static const char *cycle(void) {
    static const char *names[] = {"red", "green", "blue"};
    static unsigned at;
    return names[at++ % 3];
}
static unsigned random_state = 12345;
static unsigned random_number(void) {
    random_state = random_state * 1103515245u + 12345u;
    return random_state / 65536 % 32768;
}
int x = 10;
int shadow(void) {
    int x = 20;
    { int x = 30; x++; }
    return x;
}

int main(void) {
    int first = next_id(), second = next_id();
    printf("%d %d %d\n", first, second, next_id());
    for (int i = 0; i < 4; i++) printf("%s ", cycle());
    printf("\n");
    for (int i = 0; i < 5; i++) printf("%u ", random_number());
    printf("\n%d %d\n", x, shadow());
    int i = 5, j;
    j = i++ + 2;
    j += --i * 3;
    j = (i > 3, j - 1);
    do { j -= 7; } while (j > 0);
    printf("%d %d %d\n", i, j, i == 5 ? j < 0 ? 1 : 2 : 3);
    return 0;
}
