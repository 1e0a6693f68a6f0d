/* 32-bit floats. The significand on its way to rounding has 27 bits: the 24 of the result and
   three more, of which the last is sticky. */

#include "words.h"

#define SIGN 0x80000000u
#define TOP 0x800000u /* the hidden bit */
#define MOST 255      /* the exponent of infinities and NaNs */
#define INFINITE 0x7F800000u
#define NAN32 0x7FC00000u
#define EXTRA 3

INLINE u32 exponent(u32 a) { return a >> 23 & MOST; }
INLINE int is_nan(u32 a) { return a << 1 > INFINITE << 1; }
INLINE int is_zero(u32 a) { return !(a << 1); }
INLINE u32 significand(u32 a) { return a & (TOP - 1); }

/* As for 64 bits: without its top bit, the number is subnormal and e is 1. */
INLINE u32 rounded(u32 sign, i32 e, u32 m) {
    if (e >= MOST)
        return sign | INFINITE;
    return sign + ((m + 3 + (m >> EXTRA & 1)) >> EXTRA) + ((u32)(e - 1) << 23);
}

INLINE u32 shifted(u32 m, u32 n) {
    if (n >= 32)
        return m != 0;
    return m >> n | (spill_right(m, n) != 0);
}

INLINE u32 finished(u32 sign, i32 e, u32 m) {
    if (e <= 0) {
        m = shifted(m, (u32)(1 - e));
        e = 1;
    }
    return rounded(sign, e, m);
}

INLINE u32 sum(u32 sign, i32 e, u32 x, u32 y) {
    x += y;
    if (x >> 27) {
        x = x >> 1 | (x & 1);
        e++;
    }
    return rounded(sign, e, x);
}

INLINE u32 difference(u32 sign, i32 e, u32 x, u32 y) {
    x -= y;
    if (!x)
        return 0;
    i32 n = (i32)leading(x) - 5;
    if (n >= e)
        n = e - 1;
    return rounded(sign, e - n, x << n);
}

/* Of |a| >= |b|, where b is zero or subnormal, or a is not finite. */
static __attribute__((noinline)) u32 add_special(u32 a, u32 b) {
    i32 e = (i32)exponent(a);
    if (e == MOST)
        return is_nan(a) || (exponent(b) == MOST && (i32)(a ^ b) < 0) ? NAN32 : a;
    if (is_zero(b))
        return is_zero(a) ? a & b : a;
    u32 x = significand(a), y = significand(b);
    if (e)
        x |= TOP;
    else
        e = 1;
    x <<= EXTRA;
    y = shifted(y << EXTRA, (u32)(e - 1));
    return (i32)(a ^ b) < 0 ? difference(a & SIGN, e, x, y) : sum(a & SIGN, e, x, y);
}

INLINE u32 add_ordered(u32 a, u32 b) {
    u32 e = exponent(a), f = exponent(b);
    if (e == MOST || !f)
        return add_special(a, b);
    u32 x = (significand(a) | TOP) << EXTRA, y = (significand(b) | TOP) << EXTRA;
    y = shifted(y, e - f);
    if ((i32)(a ^ b) < 0)
        return difference(a & SIGN, (i32)e, x, y);
    return sum(a & SIGN, (i32)e, x, y);
}

ROUTINE("f32.add") u32 f32_add(u32 a, u32 b) {
    return a << 1 < b << 1 ? add_ordered(b, a) : add_ordered(a, b);
}

ROUTINE("f32.sub") u32 f32_sub(u32 a, u32 b) { return f32_add(a, b ^ SIGN); }

typedef struct {
    u32 m;
    i32 e;
} number;

/* A finite number other than zero, its top bit set whatever it takes. */
INLINE number normal(u32 a) {
    i32 e = (i32)exponent(a);
    u32 m = significand(a);
    if (e)
        return (number){m | TOP, e};
    u32 n = leading(m) - 8;
    return (number){m << n, 1 - (i32)n};
}

INLINE u32 product(u32 sign, number x, number y) {
    pair p = wide(x.m << 8, y.m << 5); /* 2^31 * 2^28 at least: 28 or 29 bits in the high word */
    u32 m = p.hi;
    i32 e = x.e + y.e - 127;
    if (m >> 28)
        e++;
    else
        m = m << 1 | p.lo >> 31, p.lo <<= 1;
    return finished(sign, e, m >> 2 | (((m & 3) | p.lo) != 0));
}

static __attribute__((noinline)) u32 mul_special(u32 a, u32 b) {
    u32 sign = (a ^ b) & SIGN;
    if (exponent(a) == MOST || exponent(b) == MOST)
        return is_nan(a) || is_nan(b) || is_zero(a) || is_zero(b) ? NAN32 : sign | INFINITE;
    if (is_zero(a) || is_zero(b))
        return sign;
    return product(sign, normal(a), normal(b));
}

/* Exponents of normal numbers are 1 to MOST - 1. */
INLINE int is_normal(u32 e) { return e - 1 < MOST - 1; }

ROUTINE("f32.mul") u32 f32_mul(u32 a, u32 b) {
    u32 e = exponent(a), f = exponent(b);
    if (!is_normal(e) || !is_normal(f))
        return mul_special(a, b);
    number x = {significand(a) | TOP, (i32)e}, y = {significand(b) | TOP, (i32)f};
    return product((a ^ b) & SIGN, x, y);
}

ROUTINE("f32.div") u32 f32_div(u32 a, u32 b) {
    u32 sign = (a ^ b) & SIGN, ea = exponent(a), eb = exponent(b);
    if (ea == MOST || eb == MOST) {
        if (is_nan(a) || is_nan(b) || ea == eb)
            return NAN32;
        return ea == MOST ? sign | INFINITE : sign;
    }
    if (is_zero(b))
        return is_zero(a) ? NAN32 : sign | INFINITE;
    if (is_zero(a))
        return sign;
    number x = normal(a), y = normal(b);
    i32 e = x.e - y.e + 127;
    if (x.m < y.m) {
        x.m <<= 1;
        e--;
    }
    /* 1 <= x / y < 2: 7 bits, then 8, 8 and 4 more */
    u32 r = x.m << 6, q = r / y.m, d;
    r = (r - q * y.m) << 8;
    d = r / y.m;
    q = q << 8 | d;
    r = (r - d * y.m) << 8;
    d = r / y.m;
    q = q << 8 | d;
    r = (r - d * y.m) << 4;
    d = r / y.m;
    q = q << 4 | d;
    return finished(sign, e, q | (r != d * y.m));
}

/* The root of a number of 54 bits, in digits of 14 and 13. */
ROUTINE("f32.sqrt") u32 f32_sqrt(u32 a) {
    if (is_zero(a))
        return a;
    if ((i32)a < 0 || is_nan(a))
        return NAN32;
    if (exponent(a) == MOST)
        return a;
    number x = normal(a);
    u32 m = x.m << (x.e & 1 ? 7 : 8); /* the top 32 of 54 bits, the others are zero */
    rooted r = root_digit(root14(m), (m & 15) << 22, 13);
    return rounded(0, (x.e + 127) >> 1, r.root | (r.rest != 0));
}

INLINE int less(u32 a, u32 b) {
    if ((i32)(a & b) < 0)
        return b < a;
    return (i32)a < (i32)b && (a | b) << 1;
}

INLINE int same(u32 a, u32 b) { return a == b || !((a | b) << 1); }
INLINE int ordered(u32 a, u32 b) { return !(is_nan(a) | is_nan(b)); }

ROUTINE("f32.eq") u32 f32_eq(u32 a, u32 b) { return ordered(a, b) && same(a, b); }
ROUTINE("f32.ne") u32 f32_ne(u32 a, u32 b) { return !(ordered(a, b) && same(a, b)); }
ROUTINE("f32.lt") u32 f32_lt(u32 a, u32 b) { return ordered(a, b) && less(a, b); }
ROUTINE("f32.gt") u32 f32_gt(u32 a, u32 b) { return ordered(a, b) && less(b, a); }
ROUTINE("f32.le") u32 f32_le(u32 a, u32 b) { return ordered(a, b) && !less(b, a); }
ROUTINE("f32.ge") u32 f32_ge(u32 a, u32 b) { return ordered(a, b) && !less(a, b); }

ROUTINE("f32.min") u32 f32_min(u32 a, u32 b) {
    if (!ordered(a, b))
        return NAN32;
    if (!((a | b) << 1))
        return a | b;
    return less(a, b) ? a : b;
}

ROUTINE("f32.max") u32 f32_max(u32 a, u32 b) {
    if (!ordered(a, b))
        return NAN32;
    if (!((a | b) << 1))
        return a & b;
    return less(a, b) ? b : a;
}

/* `kind`: 0 toward zero, 1 up, 2 down, 3 to nearest even. */
INLINE u32 integral(u32 a, int kind) {
    u32 sign = a & SIGN;
    i32 e = (i32)exponent(a) - 127;
    if (e >= 23)
        return is_nan(a) ? NAN32 : a;
    int away = kind == 1 ? !sign : kind == 2 ? sign != 0 : 0;
    if (e < 0) {
        if (is_zero(a))
            return a;
        if (kind == 3)
            away = e == -1 && significand(a);
        return away ? sign | 0x3F800000u : sign;
    }
    u32 unit = TOP >> e, fraction = a & (unit - 1), whole = a - fraction;
    if (kind == 3)
        away = fraction > unit >> 1 || (fraction == unit >> 1 && (e == 0 || a & unit));
    else
        away = away && fraction;
    return away ? whole + unit : whole;
}

ROUTINE("f32.trunc") u32 f32_trunc(u32 a) { return integral(a, 0); }
ROUTINE("f32.ceil") u32 f32_ceil(u32 a) { return integral(a, 1); }
ROUTINE("f32.floor") u32 f32_floor(u32 a) { return integral(a, 2); }
ROUTINE("f32.nearest") u32 f32_nearest(u32 a) { return integral(a, 3); }

/* From integers: 27 bits of the magnitude, the last one sticky. */
INLINE u32 from_magnitude(u32 sign, pair a) {
    if (!(a.lo | a.hi))
        return 0;
    u32 n = a.hi ? leading(a.hi) : 32 + leading(a.lo);
    a = left(a, n);
    return rounded(sign, (i32)(127 + 63 - n), a.hi >> 5 | (((a.hi & 31) | a.lo) != 0));
}

INLINE u32 from_word(u32 sign, u32 a) {
    if (!a)
        return 0;
    u32 n = leading(a);
    a <<= n;
    return rounded(sign, (i32)(127 + 31 - n), a >> 5 | ((a & 31) != 0));
}

ROUTINE("f32.convert_i32_u") u32 f32_from_u32(u32 a) { return from_word(0, a); }
ROUTINE("f32.convert_i32_s") u32 f32_from_i32(u32 a) {
    u32 sign = a & SIGN;
    return from_word(sign, sign ? -a : a);
}
ROUTINE("f32.convert_i64_u") u32 f32_from_u64(pair a) { return from_magnitude(0, a); }
ROUTINE("f32.convert_i64_s") u32 f32_from_i64(pair a) {
    u32 sign = a.hi & SIGN;
    return from_magnitude(sign, sign ? negated(a) : a);
}

ROUTINE("f32.demote_f64") u32 f32_demote(pair a) {
    u32 sign = a.hi & SIGN, fraction = a.hi & 0xFFFFF;
    i32 e = (i32)(a.hi >> 20 & 2047);
    if (e == 2047)
        return fraction | a.lo ? NAN32 : sign | INFINITE;
    u32 m = fraction << 6 | a.lo >> 26 | (a.lo << 6 != 0);
    if (e) /* otherwise the number is far below what can be said */
        m |= 1 << 26;
    return finished(sign, e - 1023 + 127, m);
}

/* To integers: the magnitude of a number below 2^32 or 2^64. */
INLINE u32 to_word(u32 a) {
    i32 e = (i32)exponent(a) - 127;
    if (e < 0)
        return 0;
    return (significand(a) | TOP) << 8 >> (31 - e);
}

INLINE pair to_pair(u32 a) {
    i32 e = (i32)exponent(a) - 127;
    if (e < 32)
        return pair_of(to_word(a), 0);
    u32 m = (significand(a) | TOP) << 8, n = (u32)(e - 31);
    return n == 32 ? pair_of(0, m) : pair_of(m << n, m >> (32 - n));
}

INLINE int reaches(u32 a, i32 e) { return (i32)exponent(a) - 127 >= e; }

_Noreturn INLINE void refuse(u32 a) {
    if (is_nan(a))
        trap_conversion();
    trap_overflow();
}

ROUTINE("i32.trunc_f32_u") u32 f32_trunc_i32_u(u32 a) {
    if (reaches(a, 32) || ((i32)a < 0 && reaches(a, 0)))
        refuse(a);
    return to_word(a);
}

ROUTINE("i32.trunc_f32_s") u32 f32_trunc_i32_s(u32 a) {
    if (reaches(a, 31) && a != 0xCF000000u)
        refuse(a);
    u32 m = to_word(a);
    return (i32)a < 0 ? -m : m;
}

ROUTINE("i64.trunc_f32_u") pair f32_trunc_i64_u(u32 a) {
    if (reaches(a, 64) || ((i32)a < 0 && reaches(a, 0)))
        refuse(a);
    return to_pair(a);
}

ROUTINE("i64.trunc_f32_s") pair f32_trunc_i64_s(u32 a) {
    if (reaches(a, 63) && a != 0xDF000000u)
        refuse(a);
    pair m = to_pair(a);
    return (i32)a < 0 ? negated(m) : m;
}

ROUTINE("i32.trunc_sat_f32_u") u32 f32_sat_i32_u(u32 a) {
    if (is_nan(a) || (i32)a < 0)
        return 0;
    return reaches(a, 32) ? 0xFFFFFFFFu : to_word(a);
}

ROUTINE("i32.trunc_sat_f32_s") u32 f32_sat_i32_s(u32 a) {
    if (is_nan(a))
        return 0;
    u32 sign = a >> 31;
    if (reaches(a, 31))
        return 0x7FFFFFFFu + sign;
    u32 m = to_word(a);
    return sign ? -m : m;
}

ROUTINE("i64.trunc_sat_f32_u") pair f32_sat_i64_u(u32 a) {
    if (is_nan(a) || (i32)a < 0)
        return pair_of(0, 0);
    return reaches(a, 64) ? pair_of(0xFFFFFFFFu, 0xFFFFFFFFu) : to_pair(a);
}

ROUTINE("i64.trunc_sat_f32_s") pair f32_sat_i64_s(u32 a) {
    if (is_nan(a))
        return pair_of(0, 0);
    u32 sign = a >> 31;
    if (reaches(a, 63))
        return pair_of(sign - 1, 0x7FFFFFFFu + sign);
    pair m = to_pair(a);
    return sign ? negated(m) : m;
}
