// n numbers written in decimal, as printf does: integers of 64 bits, and doubles with six digits.

typedef unsigned long long u64;
static char text[64];

static int write(char *to, u64 number, int least) {
    char digits[24];
    int count = 0;
    do digits[count++] = (char)('0' + number % 10);
    while ((number /= 10) || count < least);
    for (int i = 0; i < count; i++) to[i] = digits[count - 1 - i];
    return count;
}

int run(int n) {
    unsigned hash = 0x811C9DC5u;
    double value = 0.125;
    u64 seed = 1;
    for (; n; n--) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        value = value * 1.7 + 0.3;
        if (value > 1e6) value *= 1e-6;
        int end = write(text, seed >> 20, 1);
        u64 whole = (u64)value;
        text[end++] = ' ';
        end += write(text + end, whole, 1);
        text[end++] = '.';
        end += write(text + end, (u64)((value - (double)whole) * 1e6), 6);
        for (int i = 0; i < end; i++) hash = (hash ^ (unsigned char)text[i]) * 0x01000193u;
    }
    return (int)hash;
}
