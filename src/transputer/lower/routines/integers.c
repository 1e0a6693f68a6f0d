/* 64-bit integers: what is too long to be written out in place. */

#include "words.h"

ROUTINE("trap.divide") __attribute__((noinline)) void trap_divide(void) { __builtin_trap(); }
ROUTINE("trap.overflow") __attribute__((noinline)) void trap_overflow(void) { __builtin_trap(); }
ROUTINE("trap.conversion") __attribute__((noinline)) void trap_conversion(void) { __builtin_trap(); }

ROUTINE("mul.wide") pair mul_wide(u32 a, u32 b) { return wide(a, b); }

ROUTINE("i64.mul") pair mul(pair a, pair b) {
    pair low = wide(a.lo, b.lo);
    return pair_of(low.lo, low.hi + a.lo * b.hi + a.hi * b.lo);
}

ROUTINE("i64.shl") pair shl(pair a, u32 n) { return left(a, n & 63); }

ROUTINE("i64.shr_u") pair shr_u(pair a, u32 n) {
    if (n & 32)
        return pair_of(a.hi >> (n & 31), 0);
    n &= 31;
    return pair_of(a.lo >> n | spill_right(a.hi, n), a.hi >> n);
}

ROUTINE("i64.shr_s") pair shr_s(pair a, u32 n) {
    i32 hi = (i32)a.hi;
    if (n & 32)
        return pair_of((u32)(hi >> (n & 31)), (u32)(hi >> 31));
    n &= 31;
    return pair_of(a.lo >> n | spill_right(a.hi, n), (u32)(hi >> n));
}

ROUTINE("i64.rotl") pair rotl(pair a, u32 n) {
    if (n & 32)
        a = pair_of(a.hi, a.lo);
    n &= 31;
    return pair_of(a.lo << n | spill_left(a.hi, n), a.hi << n | spill_left(a.lo, n));
}

ROUTINE("i64.rotr") pair rotr(pair a, u32 n) {
    if (n & 32)
        a = pair_of(a.hi, a.lo);
    n &= 31;
    return pair_of(a.lo >> n | spill_right(a.hi, n), a.hi >> n | spill_right(a.lo, n));
}

ROUTINE("i64.clz") pair clz(pair a) {
    return pair_of(a.hi ? leading(a.hi) : 32 + leading(a.lo), 0);
}

ROUTINE("i64.ctz") pair ctz(pair a) {
    return pair_of(a.lo ? trailing(a.lo) : 32 + trailing(a.hi), 0);
}

ROUTINE("i64.popcnt") pair popcnt(pair a) {
    return pair_of((u32)__builtin_popcount(a.lo) + (u32)__builtin_popcount(a.hi), 0);
}

typedef struct {
    u32 quotient, rest;
} divided;

/* One digit of 16 bits: a quotient of top by the normalised divisor d, corrected at most twice. */
INLINE divided digit(u32 top, u32 next, u32 d) {
    u32 d1 = d >> 16, d0 = d & 0xFFFF;
    u32 q = top / d1, r = top - q * d1;
    while (q >> 16 || q * d0 > (r << 16 | next)) {
        q--;
        r += d1;
        if (r >> 16)
            break;
    }
    return (divided){q, (top << 16 | next) - q * d};
}

/* hi:lo by d, which is above hi. */
INLINE divided by_word(u32 lo, u32 hi, u32 d) {
    u32 n = leading(d);
    d <<= n;
    pair a = pair_of(lo << n, hi << n | spill_left(lo, n));
    divided first = digit(a.hi, a.lo >> 16, d);
    divided second = digit(first.rest, a.lo & 0xFFFF, d);
    return (divided){first.quotient << 16 | second.quotient, second.rest >> n};
}

typedef struct {
    pair quotient, rest;
} result;

/* A divisor of 16 bits: three native divisions. */
INLINE result by_half(pair a, u32 d) {
    u32 high = a.hi / d;
    u32 top = (a.hi - high * d) << 16 | a.lo >> 16;
    u32 middle = top / d;
    u32 rest = (top - middle * d) << 16 | (a.lo & 0xFFFF);
    u32 low = rest / d;
    return (result){pair_of(middle << 16 | low, high), pair_of(rest - low * d, 0)};
}

/* The quotient of two words each has one: estimated from above by the divisor's top word. */
INLINE result by_pair(pair a, pair d) {
    if (below(a, d))
        return (result){pair_of(0, 0), a};
    u32 n = leading(d.hi);
    u32 top = d.hi << n | spill_left(d.lo, n);
    u32 q = by_word(a.lo >> 1 | a.hi << 31, a.hi >> 1, top).quotient >> (~n & 31);
    if (q)
        q--;
    pair product = wide(q, d.lo);
    product.hi += q * d.hi;
    pair rest = minus(a, product);
    if (!below(rest, d)) {
        q++;
        rest = minus(rest, d);
    }
    return (result){pair_of(q, 0), rest};
}

INLINE result divide(pair a, pair d) {
    if (d.hi)
        return by_pair(a, d);
    if (!a.hi) {
        if (!d.lo)
            trap_divide();
        u32 q = a.lo / d.lo;
        return (result){pair_of(q, 0), pair_of(a.lo - q * d.lo, 0)};
    }
    if (d.lo >> 16) {
        u32 high = 0, rest = a.hi;
        if (rest >= d.lo) {
            high = rest / d.lo;
            rest -= high * d.lo;
        }
        divided low = by_word(a.lo, rest, d.lo);
        return (result){pair_of(low.quotient, high), pair_of(low.rest, 0)};
    }
    if (!d.lo)
        trap_divide();
    return by_half(a, d.lo);
}

INLINE pair magnitude(pair a) { return (i32)a.hi < 0 ? negated(a) : a; }

ROUTINE("i64.div_u") pair div_u(pair a, pair d) { return divide(a, d).quotient; }
ROUTINE("i64.rem_u") pair rem_u(pair a, pair d) { return divide(a, d).rest; }

ROUTINE("i64.div_s") pair div_s(pair a, pair d) {
    i32 sign = (i32)(a.hi ^ d.hi);
    pair q = div_u(magnitude(a), magnitude(d));
    if (sign < 0)
        return negated(q);
    if ((i32)q.hi < 0)
        trap_overflow();
    return q;
}

ROUTINE("i64.rem_s") pair rem_s(pair a, pair d) {
    pair rest = rem_u(magnitude(a), magnitude(d));
    return (i32)a.hi < 0 ? negated(rest) : rest;
}
