"""Rules for the frame and the tail of floating-point operations, sums and products.

`transputer.machines.trace.floats` says what the steps compute; here it is said of words.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass

from tools.short.forms import F, added, both, least, of, own, where, zeros
from tools.short.rows import Known, Rules
from transputer.circuit.floats import F32, F64, FloatFormat, product_room
from transputer.machines.trace.floats import (
    ALIGN,
    CUT,
    INFINITE,
    KEEP,
    NORM,
    PACK,
    SCALE,
    SCALED,
    SUM,
)

#: Groups of a token.
PC, SP, FP, DEPTH, PHASE, SPACE, AT, VALUE, WORK, DIGIT = range(10)
STICKY, SIGN, SUBTRACTS, FIRST, IMPLICIT, SECOND = 1, 2, 4, 8, 16, 4


@dataclass(frozen=True)
class Float:
    """The fields of a word in a format."""

    word: F
    format: FloatFormat

    @property
    def fraction(self) -> F:
        """The stored bits of the significand."""
        return self.word[0 : self.format.fraction]

    @property
    def exponent(self) -> F:
        """The exponent as it is stored."""
        low, end = self.format.fraction, self.format.bits - 1
        if end - low == 8:
            return self.word[low:end]
        return self.word[low : low + 8] + self.word[low + 8 : end] * 256

    @property
    def magnitude(self) -> F:
        """All bits but the sign."""
        return self.word[0 : self.format.bits - 1]

    @property
    def sign(self) -> F:
        """1 below 0."""
        return self.word[self.format.bits - 1 : self.format.bits]

    @property
    def normal(self) -> F:
        """1 unless it is subnormal, or a zero."""
        return ~self.word.matches(self.format.infinity, 0)

    @property
    def significand(self) -> F:
        """With the implicit bit."""
        return self.fraction + self.normal * (1 << self.format.fraction)

    @property
    def digits(self) -> F:
        """The significand, of bytes."""
        f = self.format
        top = self.normal * f.unit + self.word[8 * f.top : f.fraction]
        low = (self.word[8 * i : 8 * i + 8] for i in range(f.top))
        return added(*(digit * (1 << 8 * i) for i, digit in enumerate([*low, top])))

    @property
    def number(self) -> F:
        """The exponent that its significand has."""
        return self.exponent + ~self.normal

    @property
    def special(self) -> F:
        """Infinite, or no number."""
        return self.word.matches(self.format.infinity, self.format.infinity)

    @property
    def infinite(self) -> F:
        """An infinity."""
        mask = (1 << self.format.bits - 1) - 1
        return self.word.matches(mask, self.format.infinity)

    @property
    def nan(self) -> F:
        """No number."""
        return both(self.special, ~self.infinite)

    @property
    def zero(self) -> F:
        """A zero."""
        return self.word.matches((1 << self.format.bits - 1) - 1, 0)


def frame(exponent: F | int, flags: F | int, shift: F | int = 0, rest: F | int = 0) -> F:
    """The word with what a frame says."""
    return of(exponent) + of(flags) * (1 << 16) + of(shift) * (1 << 24) + of(rest) * (1 << 32)


def room() -> F:
    """E of a frame."""
    return own(AT)[0:12]


def flag(number: int) -> F:
    """A flag of a frame."""
    at = 16 + number.bit_length() - 1
    return own(AT)[at : at + 1]


def any_of(*bits: F) -> F:
    """1 where a bit is."""
    total = bits[0]
    for bit in bits[1:]:
        total = total + bit
    return total >= 1


def special(f: FloatFormat, bad: F, sign: F) -> F:
    """An infinity, or what is no number."""
    return where(bad, f.infinity + f.quiet, sign * (1 << f.bits - 1) + f.infinity)


def states(f: FloatFormat, heads: tuple[int, ...]) -> Callable[[random.Random], Known]:
    """Tokens as they occur: exponents near each other, special values, frames."""

    def pattern(rng: random.Random, near: int) -> int:
        top = (1 << f.bits - 1 - f.fraction) - 1
        exponent = rng.choice((0, 0, 1, top, top, top - 1, *[near] * 20))
        exponent = min(max(exponent + rng.randrange(-70, 70) * (rng.random() < 0.6), 0), top)
        fraction = rng.choice((0, 0, 1, (1 << f.fraction) - 1, *[rng.getrandbits(f.fraction)] * 5))
        return rng.getrandbits(1) << f.bits - 1 | exponent << f.fraction | fraction

    def sample(rng: random.Random) -> Known:
        near = rng.randrange(1 << f.bits - 1 - f.fraction)
        known = {(h, VALUE): pattern(rng, near) for h in heads}
        if rng.random() < 0.15:
            known = dict.fromkeys(known, known[heads[0], VALUE] if heads else 0)
            if heads:
                known[heads[-1], VALUE] ^= (1 << f.bits - 1) * rng.getrandbits(1)
        value = rng.getrandbits(64) >> rng.choice((0, 0, 0, 1, 2, 3, rng.randrange(64)))
        if rng.random() < 0.3:
            value = value >> 40 << 40 | rng.choice((0, 0x400, 0x80 << 32 - 1, 1 << 39))
        exponent = rng.choice((0, 1, 2 * f.bias, 2 * f.bias - 1, rng.randrange(4096)))
        if rng.random() < 0.4:
            exponent = rng.randrange(2 * f.bias)
        at = exponent | rng.getrandbits(8) << 16 | rng.getrandbits(8) << 24
        at |= rng.getrandbits(24) << 32 if rng.random() < 0.3 else 0
        if rng.random() < 0.8:
            known[-1, VALUE], known[-1, AT] = value, at
        known[-1, SP] = rng.choice((rng.randrange(2, 1 << 24), rng.randrange(2, 300)))
        return known

    return sample


# The tail


def tail(f: FloatFormat, phase: int) -> Rules:
    """The rows that all operations share."""
    value, at = own(VALUE), own(AT)
    if phase in (NORM, SCALE):
        moved = least(zeros(value), room())
        left = room() - moved
        some = value >= 1
        return Rules(
            {
                VALUE: [value << (moved - moved[0:3])],
                AT: [frame(some * left, at[16:24], moved[0:3], at[32:56])],
            },
            [both(some, left >= 2 * f.bias)],
            states(f, ()),
        )
    if phase in (PACK, KEEP):
        last = 63 - f.fraction
        x = value << at[24:27]
        kept, below = x[last:64], x[0:last]
        odd = any_of(kept[0:1], flag(STICKY))
        up = below + odd >= (1 << last - 1) + 1
        exponent = at[0 : f.bits - 1 - f.fraction]
        packed = kept + exponent * (1 << f.fraction) + up + flag(SIGN) * (1 << f.bits - 1)
        rounded = kept + up
        proper = both(any_of(exponent.equals(0), kept >= 1 << f.fraction), exponent < 2 * f.bias)
        return Rules(
            {
                VALUE: [packed, (packed, proper), rounded],
                AT: [frame(room(), at[16:24], 0, at[32:56])],
            },
            [],
            states(f, ()),
            [
                at[24:27],
                up,
                *([kept[8 * i : 8 * i + 8].equals(255) for i in range(3)] if f is F32 else []),
            ],
        )
    if phase == INFINITE:
        return Rules({VALUE: [of(f.infinity) + flag(SIGN) * (1 << f.bits - 1)]}, [], states(f, ()))
    assert phase in (ALIGN, CUT), phase
    return moved_right(f)


def moved_right(f: FloatFormat) -> Rules:
    """ALIGN and CUT."""
    shifted, lost = aligned()
    return Rules({VALUE: [shifted], AT: [after_shift(lost)]}, [], states(f, ()), [own(AT)[24:30]])


def aligned() -> tuple[F, F]:
    """X moved right, and whether anything was lost, now or before."""
    value, shift = own(VALUE), own(AT)[24:30]
    shifted = value >> shift
    lost = (value - (shifted << shift)) >= 1
    return shifted, any_of(lost, flag(STICKY))


def after_shift(lost: F) -> F:
    """The frame of a number that moved right."""
    return frame(room(), own(AT)[17:24] * 2 + lost, 0, own(AT)[32:56])


# Sums and products


def total(f: FloatFormat, subtract: bool, a: Float, b: Float, heads: tuple[int, int]) -> Rules:
    """The first step of a sum."""
    first = a.magnitude >= b.magnitude
    sign = ~b.sign if subtract else b.sign
    differ = (a.sign + sign).equals(1)
    small = Float(where(first, b.word, a.word), f)
    large = Float(where(first, a.word, b.word), f)
    distance = large.number - small.number
    cancels = both(differ, a.magnitude.equals(b.magnitude), a.sign)
    negative = where(first, a.sign, sign) - cancels
    flags = negative * SIGN + differ * SUBTRACTS + first * FIRST + large.normal * IMPLICIT
    bad = any_of(a.nan, b.nan, both(a.infinite, b.infinite, differ))
    return Rules(
        {
            VALUE: [
                small.significand * (1 << 8 * f.low),
                special(f, bad, where(a.infinite, a.sign, sign)),
            ],
            AT: [frame(large.number + f.room, flags, least(distance, 63))],
        },
        [any_of(a.special, b.special)],
        states(f, heads),
    )


def summed(f: FloatFormat, a: Float, b: Float, heads: tuple[int, int]) -> Rules:
    """SUM: the larger operand plus or minus what moved right."""
    shifted, lost = aligned()
    fraction = where(flag(FIRST), a.fraction, b.fraction)
    large = (fraction + flag(IMPLICIT) * (1 << f.fraction)) * (1 << 8 * f.low)
    difference, both_of = large - shifted - lost, large + shifted
    result = where(flag(SUBTRACTS), difference, both_of)
    fits = both(result >= 0, ~(result >= 1 << 64))
    return Rules(
        {VALUE: [(result, fits)], AT: [after_shift(lost)]},
        [],
        states(f, heads),
        [own(AT)[24:30]],
    )


def product(f: FloatFormat, a: Float, b: Float, heads: tuple[int, int]) -> Rules:
    """The first step of a product."""
    sign = (a.sign + b.sign).equals(1)
    exponent = a.number + b.number + product_room(f)
    whole = a.digits * b.digits
    if f is F64:
        upper, lost = whole // (1 << 48), (whole % (1 << 48)) >= 1
        flags = sign * SIGN + lost * STICKY
    else:
        upper, flags = whole * (1 << 16), sign * SIGN
    special_ = any_of(a.special, b.special)
    bad = any_of(a.nan, b.nan, both(a.infinite, b.zero), both(b.infinite, a.zero))
    ended = where(special_, special(f, bad, sign), sign * (1 << f.bits - 1))
    nil = ~a.normal + ~b.normal + a.zero + b.zero >= 2
    second = a.normal
    scaled = where(second, b.fraction, a.fraction) * (1 << 8 * f.low)
    return Rules(
        {
            VALUE: [upper, scaled, ended],
            AT: [
                frame(exponent, flags),
                frame(0, flags, least(0 - exponent, 63)),
                frame(exponent + f.room + 1, sign * SIGN + second * SECOND),
            ],
        },
        [any_of(special_, nil), exponent >= 0, both(a.normal, b.normal)],
        states(f, heads),
    )


__all__ = ["F32", "F64", "Float", "Rules", "SCALED", "SUM", "product", "summed", "tail", "total"]
