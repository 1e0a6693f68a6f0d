#include <stdint.h>
int main(void) {
    int8_t a = -128;
    uint8_t b = 200;
    int16_t c = -30000;
    uint16_t d = 65535;
    uint32_t e = 4000000000u;
    int64_t f = INT64_MIN;
    uint64_t g = UINT64_MAX;
    e += b;
    f -= a;
    g >>= 3;
    return (int)(a + b + c + d + e + f + g);
}
