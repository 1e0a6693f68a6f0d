"""Rules for quotients of floats.

`transputer.machines.trace.roots` says what the steps compute. Formulas hold where what is left
after a digit is from 0 to below twice the divisor, as it always is.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from tools.short.conversions import guarded
from tools.short.floats import (
    AT,
    DIGIT,
    F32,
    F64,
    PC,
    PHASE,
    SECOND,
    SIGN,
    VALUE,
    WORK,
    Float,
    any_of,
    frame,
    special,
    states,
    tail,
)
from tools.short.forms import F, both, head, least, of, own, where
from tools.short.rows import Known, Rules
from transputer.circuit.floats import FloatFormat
from transputer.machines.trace.digits import MORE
from transputer.machines.trace.floats import ALIGN, INFINITE, KEEP, PACK, SCALE

#: The heads that read the two operands on the stack.
HEADS = 3, 4
#: Digits of a quotient; added to its exponent meanwhile; what a scaled divisor has more.
COUNT, ABOVE, SCALED = 7, 2048, 64


def catalogue() -> Iterator[tuple[str, int, Rules]]:
    """Names of instructions and phases with their rules."""
    for name, f in (("f32", F32), ("f64", F64)):
        for phase in (PACK, ALIGN, KEEP):
            rules = replace(tail(f, phase), sample=settled(f, ()))
            yield f"{name}.div", phase, guarded(rules, own(DIGIT).equals(0))
        a, b = (Float(head(h, VALUE), f) for h in HEADS)
        quotient = Quotient(f, a, b)
        yield f"{name}.div", 0, quotient.first()
        yield f"{name}.div", 1, quotient.last()
        for k in range(2, COUNT + 1):
            yield f"{name}.div", k, quotient.step(k)


def settled(f: FloatFormat, heads: tuple[int, ...]) -> Callable[[random.Random], Known]:
    """Operands, and mostly tokens without a digit."""

    def sample(rng: random.Random) -> Known:
        digit = rng.randrange(256) if rng.random() < 0.1 else 0
        return {**states(f, heads)(rng), (-1, DIGIT): digit}

    return sample


@dataclass(frozen=True)
class Quotient:
    """One number divided by another."""

    format: FloatFormat
    a: Float
    b: Float

    @property
    def fraction(self) -> F:
        """The stored bits of twice the divisor, as of a number of 64 bits."""
        return self.b.fraction * (1 << F64.fraction + 1 - self.format.fraction)

    @property
    def divisor(self) -> F:
        """Twice the divisor."""
        return self.fraction + (1 << F64.fraction + 1)

    def chosen(self, left: F, reached: int = 0) -> F:
        """The next digit: the low halves are not compared."""
        high = (self.divisor // (1 << 32)) + 1
        return (left // (1 << 32) * 256 - (high + 1) * (256 * reached)).digit(high)

    def first(self) -> Rules:
        """The first step."""
        f, a, b = self.format, self.a, self.b
        sign = (a.sign + b.sign).equals(1)
        bad = any_of(a.nan, b.nan, both(a.infinite, b.infinite), both(a.zero, b.zero))
        large = any_of(a.nan, b.nan, a.infinite, b.zero)
        ended = where(large, special(f, bad, sign), sign * (1 << f.bits - 1))
        exponent = a.number - b.number + (ABOVE + f.bias - 1)
        significand = a.fraction * (1 << F64.fraction - f.fraction) + (1 << F64.fraction)
        scaled = 1 << 63 - f.fraction
        words = {
            PC: [(own(PC) + 1) % (1 << 24)],
            VALUE: [ended, exponent[0:8] * (1 << 56), a.fraction * scaled, b.fraction * scaled],
            AT: [significand, frame(SCALED + 1, SECOND), frame(exponent, sign * SIGN)],
            WORK: [exponent[8:16] + sign * 128],
            DIGIT: [self.chosen(significand)],
            PHASE: [of(COUNT), of(SCALE)],
        }
        rules = Rules(
            words,
            [any_of(a.special, b.special, a.zero, b.zero), b.normal, a.normal],
            settled(f, HEADS),
        )
        return guarded(rules, own(DIGIT).equals(0))

    def applied(self) -> tuple[F, F, F]:
        """What is left, whether it has reached the divisor, and whether that is right."""
        digit = own(DIGIT)
        left = own(AT) * 256 - digit * self.fraction - digit * (1 << F64.fraction + 1)
        reached = left >= self.divisor
        return left, reached, both(left >= 0, left < self.divisor * 2, own(DIGIT) + reached < 256)

    def step(self, k: int) -> Rules:
        """A digit is applied, and the next one chosen.

        After one that was 1 too small, which is rare, the next step has MORE to subtract; such
        steps have no rules.
        """
        left, reached, true = self.applied()
        value = own(VALUE)
        true = both(true, value[48:56].equals(0))  # the digits so far
        digits = value[0:48] * 256 + own(DIGIT) + value[56:64] * (1 << 56)
        return Rules(
            {
                AT: [(left, true)],
                VALUE: [(digits + r, true) for r in (0, 1)],
                DIGIT: [(self.chosen(left, r), true) for r in (0, 1)],
                WORK: [(own(WORK), true)],
                PHASE: [(of(k - 1 + r * MORE), true) for r in (0, 1)],
            },
            [reached],
            self.states(),
        )

    def last(self) -> Rules:
        """The last digit, and where the quotient goes."""
        left, reached, true = self.applied()
        value, f = own(VALUE), self.format
        total = value[56:64] + own(WORK)[0:5] * 256
        zeros = ~value[47:48]
        moved = both(total >= ABOVE + 1, zeros)
        room = where(total >= ABOVE, total - ABOVE - moved, 0)
        inexact = both(left >= 1, ~left.equals(self.divisor))
        flags = own(WORK)[7:8] * SIGN + inexact
        shift = where(total >= ABOVE, moved, least(ABOVE - total, 63))
        digits = (value[0:48] * 256 + own(DIGIT) + reached) * 256
        over = total - zeros >= ABOVE + 2 * f.bias
        return Rules(
            {
                AT: [(frame(room, flags, shift), true)],
                VALUE: [(digits, true)],
                PHASE: [(of(p), true) for p in (ALIGN, INFINITE, PACK)],
            },
            [total >= ABOVE, over],
            self.states(),
        )

    def states(self) -> Callable[[random.Random], Known]:
        """Tokens as they occur."""
        f = self.format

        def sample(rng: random.Random) -> Known:
            fraction = rng.choice((0, 1, (1 << f.fraction) - 1, *[rng.getrandbits(f.fraction)] * 5))
            divisor = (fraction << F64.fraction + 1 - f.fraction) + (1 << F64.fraction + 1)
            digit = rng.randrange(256) if rng.random() < 0.9 else rng.choice((0, 255))
            after = rng.choice((0, 1, divisor, *[rng.randrange(2 * divisor)] * 6))
            before = (after + digit * divisor) // 256
            if rng.random() < 0.1:
                before = rng.getrandbits(56)
            known = states(f, HEADS)(rng)
            known[HEADS[1], VALUE] = fraction | rng.getrandbits(f.bits - f.fraction) << f.fraction
            total = rng.choice((ABOVE, ABOVE + 1, ABOVE + 2 * f.bias, rng.randrange(8192)))
            total = max(0, total + rng.randrange(-2, 3))
            known[-1, VALUE] = total % 256 << 56 | rng.getrandbits(56 if rng.random() < 0.3 else 48)
            known[-1, WORK] = total >> 8 | rng.getrandbits(1) << 7
            known[-1, AT], known[-1, DIGIT] = before, digit
            return known

        return sample
