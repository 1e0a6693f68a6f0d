#include <stdio.h>
#include <stdint.h>

int popcount(uint32_t x) { int n = 0; for (; x; x &= x - 1) n++; return n; }
uint32_t reverse(uint32_t x) {
    uint32_t r = 0;
    for (int i = 0; i < 32; i++) { r = (r << 1) | (x & 1); x >>= 1; }
    return r;
}
uint32_t rotate(uint32_t x, int n) { return (x << n) | (x >> (32 - n)); }
int parity(unsigned x) { return popcount(x) % 2; }
void binary(uint8_t x) {
    for (int i = 7; i >= 0; i--) putchar(x >> i & 1 ? '1' : '0');
    putchar('\n');
}
uint16_t crc16(const uint8_t *data, int n) {
    uint16_t crc = 0xFFFF;
    while (n--) {
        crc ^= *data++;
        for (int i = 0; i < 8; i++) crc = crc & 1 ? (crc >> 1) ^ 0xA001 : crc >> 1;
    }
    return crc;
}

int main(void) {
    uint32_t flags = 0;
    flags |= 1u << 3;
    flags |= 1u << 31;
    flags ^= 0xF0;
    flags &= ~(1u << 5);
    printf("%08x %d %u\n", flags, popcount(flags), reverse(flags));
    printf("%x %d\n", rotate(0x80000001u, 4), parity(7));
    binary(0xA5);
    binary(~0xA5);
    printf("%d %d %d\n", -17 >> 2, -17 / 4, (int)((unsigned)-17 >> 28));
    const uint8_t message[] = {'1', '2', '3', '4', '5', '6', '7', '8', '9'};
    printf("%04x\n", crc16(message, sizeof message));
    return 0;
}
