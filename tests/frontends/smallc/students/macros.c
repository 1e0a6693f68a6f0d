#include <stdio.h>
#define SIZE 6
#define SQUARE(x) ((x) * (x))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define SWAP(type, a, b) \
    do {                 \
        type t_ = (a);   \
        (a) = (b);       \
        (b) = t_;        \
    } while (0)
#define NAME(n) item_##n
#define SHOW(x) printf(#x " = %d\n", x)
#define LOG(format, ...) printf("[" __VERSION_NAME "] " format "\n", __VA_ARGS__)
#define __VERSION_NAME "v1"
#define FOREACH(i, n) for (int i = 0; i < (n); i++)
#ifdef DEBUG
#define TRACE(x) SHOW(x)
#else
#define TRACE(x) ((void)0)
#endif
#if SIZE > 4 && defined(SQUARE) && !defined DEBUG
static const char *size = "large";
#elif SIZE == 4
static const char *size = "four";
#else
#error "small"
#endif
#undef SIZE
#define SIZE 5

int main(void) {
    int NAME(one) = 3, NAME(two) = 4;
    SHOW(SQUARE(item_one + 1));
    SHOW(MAX(item_one, item_two));
    SWAP(int, item_one, item_two);
    SHOW(item_one - item_two);
    TRACE(item_one);
    int total = 0;
    FOREACH(i, SIZE)
        FOREACH(j, SIZE) total += i * j;
    LOG("%s %d %d", size, total, __LINE__);
    return MAX(SQUARE(2), 3);
}
