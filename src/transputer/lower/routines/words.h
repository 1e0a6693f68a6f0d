/* Numbers in 32-bit words: a 64-bit value is a pair, the low word first. */

#include <stdint.h>

typedef uint32_t u32;
typedef int32_t i32;
typedef struct {
    u32 lo, hi;
} pair;

#define ROUTINE(name) __attribute__((export_name(name)))
#define INLINE static inline __attribute__((always_inline))

/* What `unreachable` in these means, the linker is told by their names. */
_Noreturn void trap_divide(void);
_Noreturn void trap_overflow(void);
_Noreturn void trap_conversion(void);

INLINE pair pair_of(u32 lo, u32 hi) { return (pair){lo, hi}; }

INLINE u32 leading(u32 x) { return x ? (u32)__builtin_clz(x) : 32; }
INLINE u32 trailing(u32 x) { return x ? (u32)__builtin_ctz(x) : 32; }

/* Keeps the compiler from seeing through a value, and from making 64-bit arithmetic of it. */
INLINE u32 opaque(u32 x) {
    __asm__("" : "+r"(x));
    return x;
}

/* x >> (32 - n) for n below 32; nothing of x for n = 0. */
INLINE u32 spill_left(u32 x, u32 n) { return (x >> 1) >> (~n & 31); }
/* x << (32 - n) for n below 32; nothing of x for n = 0. */
INLINE u32 spill_right(u32 x, u32 n) { return (x << 1) << (~n & 31); }

/* The whole product of two words, by halves: neither sum can overflow. */
INLINE pair wide(u32 a, u32 b) {
    u32 a0 = a & 0xFFFF, a1 = a >> 16, b0 = b & 0xFFFF, b1 = b >> 16;
    u32 middle = opaque(a1 * b0 + (a0 * b0 >> 16));
    u32 other = a0 * b1 + (middle & 0xFFFF);
    return pair_of(a * b, a1 * b1 + (middle >> 16) + (other >> 16));
}

INLINE pair plus(pair a, pair b) {
    u32 lo = a.lo + b.lo;
    return pair_of(lo, a.hi + b.hi + (lo < a.lo));
}

INLINE pair minus(pair a, pair b) { return pair_of(a.lo - b.lo, a.hi - b.hi - (a.lo < b.lo)); }

INLINE pair negated(pair a) { return pair_of(-a.lo, -a.hi - (a.lo != 0)); }

INLINE int below(pair a, pair b) { return a.hi == b.hi ? a.lo < b.lo : a.hi < b.hi; }

/* By less than 64. */
INLINE pair left(pair a, u32 n) {
    if (n & 32)
        return pair_of(0, a.lo << (n & 31));
    return pair_of(a.lo << n, a.hi << n | spill_left(a.lo, n));
}

/* By any amount; what falls out leaves a one in the lowest bit. */
INLINE pair right_sticky(pair a, u32 n) {
    u32 lost = 0;
    if (n >= 32) {
        if (n >= 64)
            return pair_of((a.lo | a.hi) != 0, 0);
        lost = a.lo;
        a = pair_of(a.hi, 0);
        n &= 31;
    }
    lost |= spill_right(a.lo, n);
    return pair_of(a.lo >> n | spill_right(a.hi, n) | (lost != 0), a.hi >> n);
}

typedef struct {
    u32 root, rest;
} rooted;

/* The root of the top 28 bits, of which one of the first two is set. A line is wrong by 4.2 % at
   most; two of Newton's steps leave less than one, and never too little. */
INLINE rooted root14(u32 top) {
    u32 n = top >> 4;
    u32 s = ((n >> 13) * 21845 >> 16) + 5800;
    s = (s + n / s) >> 1;
    s = (s + n / s) >> 1;
    while (s * s > n)
        s--;
    return (rooted){s, n - s * s};
}

/* `bits` more of the root of a number of which twice so many bits come next. The quotient by twice
   the root is never too small, because the square of the new digit is not in it. */
INLINE rooted root_digit(rooted r, u32 next, u32 bits) {
    u32 q = (r.rest << bits | next >> bits) / (r.root << 1);
    if (q >> bits)
        q = (1u << bits) - 1;
    u32 rest = (r.rest << 2 * bits | next) - q * (r.root << (bits + 1) | q);
    u32 root = r.root << bits | q;
    while ((i32)rest < 0) {
        root--;
        rest += root << 1 | 1;
    }
    return (rooted){root, rest};
}
