// The functions clang may call without being asked, for example to copy a struct.
//
// Weak, so that a program may bring its own; hidden, so that they are not exported.
// WebAssembly reads and writes words at any address, so words need no alignment here.

#define RUNTIME __attribute__((weak, visibility("hidden")))

typedef __SIZE_TYPE__ size;
typedef struct {
    unsigned value;
} __attribute__((packed, may_alias)) word;

RUNTIME void *memcpy(void *restrict to, const void *restrict from, size count) {
    unsigned char *t = to;
    const unsigned char *f = from;
    for (; count >= 4; count -= 4, t += 4, f += 4) ((word *)t)->value = ((const word *)f)->value;
    for (; count; count--) *t++ = *f++;
    return to;
}

RUNTIME void *memset(void *to, int byte, size count) {
    unsigned char *t = to;
    unsigned four = (unsigned char)byte * 0x01010101u;
    for (; count >= 4; count -= 4, t += 4) ((word *)t)->value = four;
    for (; count; count--) *t++ = (unsigned char)byte;
    return to;
}

RUNTIME void *memmove(void *to, const void *from, size count) {
    unsigned char *t = to;
    const unsigned char *f = from;
    if (t <= f) return memcpy(to, from, count);
    while (count--) t[count] = f[count];
    return to;
}

RUNTIME int memcmp(const void *left, const void *right, size count) {
    const unsigned char *l = left, *r = right;
    for (; count; count--, l++, r++)
        if (*l != *r) return *l - *r;
    return 0;
}
