/* 64-bit floats. A finite number is m * 2^e; the significand on its way to rounding has 56 bits:
   the 53 of the result and three more, of which the last is sticky. */

#include "words.h"

#define SIGN 0x80000000u
#define TOP 0x100000u /* the hidden bit, in the high word */
#define MOST 2047     /* the exponent of infinities and NaNs */
#define INFINITE 0x7FF00000u
#define EXTRA 3

INLINE pair nan64(void) { return pair_of(0, 0x7FF80000u); }
INLINE pair infinite(u32 sign) { return pair_of(0, sign | INFINITE); }
INLINE u32 exponent(pair a) { return a.hi >> 20 & MOST; }
INLINE int is_nan(pair a) { return (a.hi << 1 | (a.lo != 0)) > INFINITE << 1; }
INLINE int is_zero(pair a) { return !(a.lo | a.hi << 1); }
INLINE pair significand(pair a) { return pair_of(a.lo, a.hi & (TOP - 1)); }

/* Rounds and packs. With the top bit set, e is the exponent; without, e is 1 and the number is
   subnormal. Adding 3, and 1 more if the last bit that stays is odd, carries into that bit exactly
   where it must be rounded up; a carry out of the fraction belongs into the exponent. */
INLINE pair rounded(u32 sign, i32 e, pair m) {
    if (e >= MOST)
        return infinite(sign);
    u32 lo = m.lo + 3 + (m.lo >> EXTRA & 1);
    u32 hi = m.hi + (lo < m.lo);
    return pair_of(lo >> EXTRA | hi << (32 - EXTRA), sign + (hi >> EXTRA) + ((u32)(e - 1) << 20));
}

INLINE pair sum(u32 sign, i32 e, pair x, pair y) {
    pair m = plus(x, y);
    if (m.hi >> 24) {
        m = pair_of(m.lo >> 1 | m.hi << 31 | (m.lo & 1), m.hi >> 1);
        e++;
    }
    return rounded(sign, e, m);
}

INLINE pair difference(u32 sign, i32 e, pair x, pair y) {
    pair m = minus(x, y);
    if (!(m.hi >> 23)) {
        if (!(m.lo | m.hi))
            return pair_of(0, 0);
        i32 n = (i32)(m.hi ? leading(m.hi) - 8 : leading(m.lo) + 24);
        if (n >= e)
            n = e - 1;
        m = left(m, (u32)n);
        e -= n;
    }
    return rounded(sign, e, m);
}

/* Of |a| >= |b|, where b is zero or subnormal, or a is not finite. */
static __attribute__((noinline)) pair add_special(pair a, pair b) {
    i32 e = (i32)exponent(a);
    if (e == MOST)
        return is_nan(a) || (exponent(b) == MOST && (i32)(a.hi ^ b.hi) < 0) ? nan64() : a;
    if (is_zero(b))
        return is_zero(a) ? pair_of(0, a.hi & b.hi) : a;
    pair x = significand(a), y = significand(b);
    if (e)
        x.hi |= TOP;
    else
        e = 1;
    x = left(x, EXTRA);
    y = left(y, EXTRA);
    if (e > 1)
        y = right_sticky(y, (u32)(e - 1));
    u32 sign = a.hi & SIGN;
    return (i32)(a.hi ^ b.hi) < 0 ? difference(sign, e, x, y) : sum(sign, e, x, y);
}

/* The significand of a normal number, times 8. */
INLINE pair spread(pair a) {
    u32 hi = a.hi << EXTRA | a.lo >> (32 - EXTRA);
    return pair_of(a.lo << EXTRA, (hi & ((TOP << EXTRA) - 1)) | TOP << EXTRA);
}

/* Of |a| >= |b|, given what is left of their high words without the sign. */
INLINE pair add_ordered(pair a, pair b, u32 x_hi, u32 y_hi) {
    u32 e = x_hi >> 20, f = y_hi >> 20;
    if (e == MOST || !f)
        return add_special(a, b);
    pair x = spread(a), y = spread(b);
    u32 n = e - f;
    if (n) {
        if (n >= 32)
            y = right_sticky(y, n);
        else {
            u32 lost = y.lo << ((32 - n) & 31);
            y.lo = y.lo >> n | y.hi << ((32 - n) & 31) | (lost != 0);
            y.hi >>= n;
        }
    }
    u32 sign = a.hi & SIGN;
    if ((i32)(a.hi ^ b.hi) < 0)
        return difference(sign, (i32)e, x, y);
    return sum(sign, (i32)e, x, y);
}

ROUTINE("f64.add") pair f64_add(pair a, pair b) {
    u32 x = a.hi & ~SIGN, y = b.hi & ~SIGN;
    if (x == y ? a.lo < b.lo : x < y)
        return add_ordered(b, a, y, x);
    return add_ordered(a, b, x, y);
}

ROUTINE("f64.sub") pair f64_sub(pair a, pair b) { return f64_add(a, pair_of(b.lo, b.hi ^ SIGN)); }

typedef struct {
    pair m;
    i32 e;
} number;

/* A finite number other than zero, its top bit set whatever it takes. */
INLINE number normal(pair a) {
    i32 e = (i32)exponent(a);
    pair m = significand(a);
    if (e)
        return (number){pair_of(m.lo, m.hi | TOP), e};
    u32 n = m.hi ? leading(m.hi) - 11 : leading(m.lo) + 21;
    return (number){left(m, n), 1 - (i32)n};
}

/* 56 bits with the top one set, and an exponent that may be too small. */
INLINE pair finished(u32 sign, i32 e, pair m) {
    if (e <= 0) {
        m = right_sticky(m, (u32)(1 - e));
        e = 1;
    }
    return rounded(sign, e, m);
}

#define LIMB 0x3FFFu

/* The product of significands with their top bits set. */
INLINE pair product(u32 sign, number x, number y) {
    /* four limbs of 14 bits each, of significands times 8; a column of products has 30 bits */
    u32 a0 = x.m.lo << 3 & LIMB, a1 = x.m.lo >> 11 & LIMB;
    u32 a2 = (x.m.lo >> 25 | x.m.hi << 7) & LIMB, a3 = x.m.hi >> 7;
    u32 b0 = y.m.lo << 3 & LIMB, b1 = y.m.lo >> 11 & LIMB;
    u32 b2 = (y.m.lo >> 25 | y.m.hi << 7) & LIMB, b3 = y.m.hi >> 7;
    u32 c0 = a0 * b0;
    u32 c1 = a0 * b1 + a1 * b0 + (c0 >> 14);
    u32 c2 = a0 * b2 + a1 * b1 + a2 * b0 + (c1 >> 14);
    u32 c3 = a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0 + (c2 >> 14);
    u32 c4 = a1 * b3 + a2 * b2 + a3 * b1 + (c3 >> 14);
    u32 c5 = a2 * b3 + a3 * b2 + (c4 >> 14);
    u32 c6 = a3 * b3 + (c5 >> 14);
    u32 sticky = ((c0 | c1 | c2 | c3) & LIMB) != 0;
    pair m = pair_of((c4 & LIMB) | (c5 & LIMB) << 14 | c6 << 28, c6 >> 4);
    i32 e = x.e + y.e - 1022;
    if (!(m.hi >> 23)) {
        m = pair_of(m.lo << 1, m.hi << 1 | m.lo >> 31);
        e--;
    }
    m.lo |= sticky;
    return finished(sign, e, m);
}

static __attribute__((noinline)) pair mul_special(pair a, pair b) {
    u32 sign = (a.hi ^ b.hi) & SIGN;
    if (exponent(a) == MOST || exponent(b) == MOST) {
        if (is_nan(a) || is_nan(b) || is_zero(a) || is_zero(b))
            return nan64();
        return infinite(sign);
    }
    if (is_zero(a) || is_zero(b))
        return pair_of(0, sign);
    return product(sign, normal(a), normal(b));
}

/* Exponents of normal numbers are 1 to MOST - 1. */
INLINE int is_normal(u32 e) { return e - 1 < MOST - 1; }

ROUTINE("f64.mul") pair f64_mul(pair a, pair b) {
    u32 e = exponent(a), f = exponent(b);
    if (!is_normal(e) || !is_normal(f))
        return mul_special(a, b);
    number x = {pair_of(a.lo, significand(a).hi | TOP), (i32)e};
    number y = {pair_of(b.lo, significand(b).hi | TOP), (i32)f};
    return product((a.hi ^ b.hi) & SIGN, x, y);
}

/* One digit of 14 bits: the quotient of r * 2^14 by d, given the top of r and of d. The estimate
   is never too large, and at most one too small. */
INLINE u32 quotient14(pair *r, u32 top, pair d, u32 over, pair shifted) {
    u32 q = top / over;
    u32 p0 = q * (d.lo & 0xFFFF), p1 = q * (d.lo >> 16);
    u32 lo = p0 + (p1 << 16);
    u32 hi = q * d.hi + (p1 >> 16) + (lo < p0);
    *r = minus(shifted, pair_of(lo, hi));
    if (!below(*r, d)) {
        *r = minus(*r, d);
        q++;
    }
    return q;
}

INLINE u32 next_digit(pair *r, pair d, u32 over) {
    pair shifted = pair_of(r->lo << 14, r->hi << 14 | r->lo >> 18);
    return quotient14(r, r->hi << 10 | r->lo >> 22, d, over, shifted);
}

ROUTINE("f64.div") pair f64_div(pair a, pair b) {
    u32 sign = (a.hi ^ b.hi) & SIGN;
    u32 ea = exponent(a), eb = exponent(b);
    if (ea == MOST || eb == MOST) {
        if (is_nan(a) || is_nan(b) || ea == eb)
            return nan64();
        return ea == MOST ? infinite(sign) : pair_of(0, sign);
    }
    if (is_zero(b))
        return is_zero(a) ? nan64() : infinite(sign);
    if (is_zero(a))
        return pair_of(0, sign);
    number x = normal(a), y = normal(b);
    pair r = x.m, d = y.m;
    i32 e = x.e - y.e + 1023;
    if (below(r, d)) {
        r = pair_of(r.lo << 1, r.hi << 1 | r.lo >> 31);
        e--;
    }
    /* now 1 <= r / d < 2: a first digit with its top bit set, then three more */
    u32 over = (d.hi >> 4) + 1;
    u32 q3 = quotient14(&r, r.hi << 9 | r.lo >> 23, d, over,
                        pair_of(r.lo << 13, r.hi << 13 | r.lo >> 19));
    u32 q2 = next_digit(&r, d, over);
    u32 q1 = next_digit(&r, d, over);
    u32 q0 = next_digit(&r, d, over);
    pair m = pair_of(q0 | q1 << 14 | q2 << 28, q2 >> 4 | q3 << 10);
    m.lo |= (r.lo | r.hi) != 0;
    return finished(sign, e, m);
}

/* 14 more bits of the root s of a number of which 28 bits come next, r being the rest so far.
   `top` and `over` are r and 2 s, shifted to estimate r * 2^14 / 2 s: at most one too small. */
INLINE u32 root_digit14(pair *r, pair s, u32 top, u32 over, pair shifted) {
    u32 q = top / (over + 1);
    pair t = pair_of(s.lo << 15 | q, s.hi << 15 | s.lo >> 17);
    u32 p0 = q * (t.lo & 0xFFFF), p1 = q * (t.lo >> 16);
    u32 lo = p0 + (p1 << 16);
    *r = minus(shifted, pair_of(lo, q * t.hi + (p1 >> 16) + (lo < p0)));
    /* twice the new root, and one: what one more would take away */
    pair more = pair_of(t.lo + q + 1, t.hi);
    while ((i32)r->hi < 0) {
        q--;
        more = minus(more, pair_of(2, 0));
        *r = plus(*r, more);
    }
    while (!below(*r, more)) {
        *r = minus(*r, more);
        more = plus(more, pair_of(2, 0));
        q++;
    }
    return q;
}

/* The root of a number of 112 bits in digits of 14. */
ROUTINE("f64.sqrt") pair f64_sqrt(pair a) {
    if (is_zero(a))
        return a;
    if ((i32)a.hi < 0 || is_nan(a))
        return nan64();
    if (exponent(a) == MOST)
        return a;
    number x = normal(a);
    /* an even power of two stays outside; m holds the top 64 of 112 bits, the others are zero */
    pair m = left(x.m, x.e & 1 ? 10 : 11);
    rooted first = root_digit(root14(m.hi), (m.hi & 15) << 24 | m.lo >> 8, 14);
    pair s = pair_of(first.root, 0), r = pair_of(first.rest, 0);
    u32 q = root_digit14(&r, s, r.lo << 3, s.lo >> 10,
                         pair_of(r.lo << 28 | (m.lo & 255) << 20, r.lo >> 4));
    s = plus(pair_of(s.lo << 14, s.lo >> 18), pair_of(q, 0));
    q = root_digit14(&r, s, r.hi << 21 | r.lo >> 11, s.hi << 8 | s.lo >> 24,
                     pair_of(r.lo << 28, r.hi << 28 | r.lo >> 4));
    s = plus(pair_of(s.lo << 14, s.hi << 14 | s.lo >> 18), pair_of(q, 0));
    s.lo |= (r.lo | r.hi) != 0;
    return rounded(0, (x.e + 1023) >> 1, s);
}

/* Comparisons of what is no NaN: both zeros are equal, negatives are reversed. */
INLINE int less(pair a, pair b) {
    if ((i32)(a.hi ^ b.hi) < 0)
        return (i32)a.hi < 0 && ((a.hi | b.hi) << 1 | a.lo | b.lo);
    return (i32)a.hi < 0 ? below(b, a) : below(a, b);
}

INLINE int same(pair a, pair b) {
    if ((a.lo ^ b.lo) | (a.hi ^ b.hi))
        return !(a.lo | b.lo | (a.hi | b.hi) << 1);
    return 1;
}

/* Most numbers have an exponent that says that they are no NaN. */
INLINE int ordered(pair a, pair b) {
    if (a.hi << 1 < INFINITE << 1 && b.hi << 1 < INFINITE << 1)
        return 1;
    return !(is_nan(a) | is_nan(b));
}

ROUTINE("f64.eq") u32 f64_eq(pair a, pair b) { return ordered(a, b) && same(a, b); }
ROUTINE("f64.ne") u32 f64_ne(pair a, pair b) { return !(ordered(a, b) && same(a, b)); }
ROUTINE("f64.lt") u32 f64_lt(pair a, pair b) { return ordered(a, b) && less(a, b); }
ROUTINE("f64.gt") u32 f64_gt(pair a, pair b) { return ordered(a, b) && less(b, a); }
ROUTINE("f64.le") u32 f64_le(pair a, pair b) { return ordered(a, b) && !less(b, a); }
ROUTINE("f64.ge") u32 f64_ge(pair a, pair b) { return ordered(a, b) && !less(a, b); }

ROUTINE("f64.min") pair f64_min(pair a, pair b) {
    if (!ordered(a, b))
        return nan64();
    if (is_zero(a) && is_zero(b))
        return pair_of(0, a.hi | b.hi);
    return less(a, b) ? a : b;
}

ROUTINE("f64.max") pair f64_max(pair a, pair b) {
    if (!ordered(a, b))
        return nan64();
    if (is_zero(a) && is_zero(b))
        return pair_of(0, a.hi & b.hi);
    return less(a, b) ? b : a;
}

/* Rounding to an integer. `kind`: 0 toward zero, 1 up, 2 down, 3 to nearest even. */
INLINE pair integral(pair a, int kind) {
    u32 sign = a.hi & SIGN;
    i32 e = (i32)exponent(a) - 1023;
    if (e >= 52)
        return is_nan(a) ? nan64() : a;
    int away = kind == 1 ? !sign : kind == 2 ? sign != 0 : 0;
    if (e < 0) {
        if (is_zero(a))
            return a;
        if (kind == 3)
            away = e == -1 && (significand(a).hi | a.lo);
        return pair_of(0, away ? sign | 0x3FF00000u : sign);
    }
    /* `unit` is the place of one, `mask` what is below it */
    pair unit = e <= 20 ? pair_of(0, TOP >> e) : pair_of(0x80000000u >> (e - 21), 0);
    pair mask = minus(unit, pair_of(1, 0));
    pair fraction = pair_of(a.lo & mask.lo, a.hi & mask.hi);
    pair whole = pair_of(a.lo & ~mask.lo, a.hi & ~mask.hi);
    if (kind == 3) {
        pair half = pair_of(unit.lo >> 1 | unit.hi << 31, unit.hi >> 1);
        int odd = e == 0 || (a.lo & unit.lo) || (a.hi & unit.hi);
        away = below(half, fraction) || (odd && fraction.lo == half.lo && fraction.hi == half.hi);
    } else
        away = away && (fraction.lo | fraction.hi);
    return away ? plus(whole, unit) : whole;
}

ROUTINE("f64.trunc") pair f64_trunc(pair a) { return integral(a, 0); }
ROUTINE("f64.ceil") pair f64_ceil(pair a) { return integral(a, 1); }
ROUTINE("f64.floor") pair f64_floor(pair a) { return integral(a, 2); }
ROUTINE("f64.nearest") pair f64_nearest(pair a) { return integral(a, 3); }

/* From integers. */
INLINE pair from_magnitude(u32 sign, pair a) {
    if (!(a.lo | a.hi))
        return pair_of(0, 0);
    u32 n = a.hi ? leading(a.hi) : 32 + leading(a.lo);
    a = left(a, n);
    u32 e = 1023 + 63 - n;
    u32 lo = a.lo >> 11 | a.hi << 21;
    u32 hi = (a.hi >> 11) + ((e - 1) << 20);
    u32 sum = lo + ((a.lo & 0x7FF) + (lo & 1) > 0x400);
    return pair_of(sum, hi + (sum < lo) + sign);
}

INLINE pair from_word(u32 sign, u32 a) {
    if (!a)
        return pair_of(0, 0);
    u32 n = leading(a);
    a <<= n;
    return pair_of(a << 21, sign + (a >> 11) + ((1023 + 31 - n - 1) << 20));
}

ROUTINE("f64.convert_i32_u") pair f64_from_u32(u32 a) { return from_word(0, a); }
ROUTINE("f64.convert_i32_s") pair f64_from_i32(u32 a) {
    u32 sign = a & SIGN;
    return from_word(sign, sign ? -a : a);
}
ROUTINE("f64.convert_i64_u") pair f64_from_u64(pair a) { return from_magnitude(0, a); }
ROUTINE("f64.convert_i64_s") pair f64_from_i64(pair a) {
    u32 sign = a.hi & SIGN;
    return from_magnitude(sign, sign ? negated(a) : a);
}

ROUTINE("f64.promote_f32") pair f64_promote(u32 a) {
    u32 sign = a & SIGN, e = a >> 23 & 255, m = a & 0x7FFFFF;
    if (e == 255)
        return m ? nan64() : infinite(sign);
    if (!e) {
        if (!m)
            return pair_of(0, sign);
        u32 n = leading(m) - 8;
        m = m << n & 0x7FFFFF;
        e = 1 - n;
    }
    return pair_of(m << 29, sign | ((e + 1023 - 127) << 20) | m >> 3);
}

/* To integers: the magnitude of a number below 2^32 or 2^64. */
INLINE u32 to_word(pair a) {
    i32 e = (i32)exponent(a) - 1023;
    if (e < 0)
        return 0;
    return ((significand(a).hi | TOP) << 11 | a.lo >> 21) >> (31 - e);
}

INLINE pair to_pair(pair a) {
    i32 e = (i32)exponent(a) - 1023;
    if (e < 0)
        return pair_of(0, 0);
    pair m = pair_of(a.lo, significand(a).hi | TOP);
    if (e >= 52)
        return left(m, (u32)(e - 52));
    u32 n = (u32)(52 - e);
    if (n & 32)
        return pair_of(m.hi >> (n & 31), 0);
    return pair_of(m.lo >> n | spill_right(m.hi, n), m.hi >> n);
}

INLINE int reaches(pair a, i32 e) { return (i32)exponent(a) - 1023 >= e; }

_Noreturn INLINE void refuse(pair a) {
    if (is_nan(a))
        trap_conversion();
    trap_overflow();
}

ROUTINE("i32.trunc_f64_u") u32 f64_trunc_i32_u(pair a) {
    if (reaches(a, 32) || ((i32)a.hi < 0 && reaches(a, 0)))
        refuse(a);
    return to_word(a);
}

ROUTINE("i32.trunc_f64_s") u32 f64_trunc_i32_s(pair a) {
    if (reaches(a, 32))
        refuse(a);
    u32 m = to_word(a), sign = a.hi >> 31;
    if (m > 0x7FFFFFFFu + sign)
        trap_overflow();
    return sign ? -m : m;
}

ROUTINE("i64.trunc_f64_u") pair f64_trunc_i64_u(pair a) {
    if (reaches(a, 64) || ((i32)a.hi < 0 && reaches(a, 0)))
        refuse(a);
    return to_pair(a);
}

ROUTINE("i64.trunc_f64_s") pair f64_trunc_i64_s(pair a) {
    if (reaches(a, 63) && !(a.lo == 0 && a.hi == 0xC3E00000u))
        refuse(a);
    pair m = to_pair(a);
    return (i32)a.hi < 0 ? negated(m) : m;
}

ROUTINE("i32.trunc_sat_f64_u") u32 f64_sat_i32_u(pair a) {
    if (is_nan(a) || (i32)a.hi < 0)
        return 0;
    return reaches(a, 32) ? 0xFFFFFFFFu : to_word(a);
}

ROUTINE("i32.trunc_sat_f64_s") u32 f64_sat_i32_s(pair a) {
    if (is_nan(a))
        return 0;
    u32 sign = a.hi >> 31;
    if (reaches(a, 31))
        return 0x7FFFFFFFu + sign;
    u32 m = to_word(a);
    return sign ? -m : m;
}

ROUTINE("i64.trunc_sat_f64_u") pair f64_sat_i64_u(pair a) {
    if (is_nan(a) || (i32)a.hi < 0)
        return pair_of(0, 0);
    return reaches(a, 64) ? pair_of(0xFFFFFFFFu, 0xFFFFFFFFu) : to_pair(a);
}

ROUTINE("i64.trunc_sat_f64_s") pair f64_sat_i64_s(pair a) {
    if (is_nan(a))
        return pair_of(0, 0);
    u32 sign = a.hi >> 31;
    if (reaches(a, 63))
        return pair_of(sign - 1, 0x7FFFFFFFu + sign);
    pair m = to_pair(a);
    return sign ? negated(m) : m;
}
