#include <stdint.h>
#include <stdio.h>
#include <stdbool.h>

static uint32_t hash(const char *s) {
    uint32_t h = 2166136261u;
    while (*s) {
        h ^= (uint8_t)*s++;
        h *= 16777619u;
    }
    return h;
}

int main(void) {
    uint8_t a = 250;
    int8_t b = 120;
    uint16_t c = 65530;
    int16_t d = 32760;
    for (int i = 0; i < 10; i++) { a++; b++; c++; d++; }
    printf("%u %d %u %d\n", a, b, c, d);
    printf("%u\n", hash("transformer"));
    bool yes = 256, no = 0;
    printf("%d %d %d\n", yes, no, !yes);
    uint8_t x = 200, y = 100;
    printf("%d %d\n", x + y, (uint8_t)(x + y));
    printf("%u %u %u %u\n", (unsigned)sizeof(uint8_t), (unsigned)sizeof(int16_t),
           (unsigned)sizeof(uint32_t), (unsigned)sizeof(bool));
    int32_t big = INT32_MAX;
    printf("%d %u %d\n", big, UINT32_MAX, INT16_MIN);
    short s = (short)70000;
    unsigned short u = (unsigned short)-1;
    printf("%d %d %hd %hhu\n", s, u, (short)-5, (unsigned char)511);
    return a;
}
