"""Rules for square roots of floats.

`transputer.machines.trace.roots` says what the steps compute. Formulas hold where the digits that
are still to come are 0, and what is left after a digit is from 0 to below twice the divisor, as it
always is.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tools.short.floats import AT, DIGIT, F32, F64, PHASE, VALUE, WORK, Float, frame, states
from tools.short.forms import F, both, head, of, own
from tools.short.rows import Known, Rules
from transputer.circuit.floats import FloatFormat
from transputer.machines.trace.digits import MORE
from transputer.machines.trace.floats import PACK

#: The head that reads the operand on the stack.
HEAD = 4
#: Digits of a root, and bits of them; half of what a scaled operand's exponent has more.
COUNT, BITS, SCALED = 7, 56, 32
#: The half of a number whose digits are compared to choose the next one.
HALF = 1 << 32


def catalogue() -> Iterator[tuple[str, int, Rules]]:
    """Names of instructions and phases with their rules."""
    for name, f in (("f32", F32), ("f64", F64)):
        for k in range(1, COUNT + 1):
            yield f"{name}.sqrt", k, RootStep(f, k).rules()


@dataclass(frozen=True)
class RootStep:
    """A step in which digit `k` of a root is applied; the lowest is 1.

    After a digit that was 1 too small, which is rare, the next step has MORE to subtract; such
    steps have no rules.
    """

    format: FloatFormat
    k: int

    @property
    def weight(self) -> int:
        """What a unit of the digit counts."""
        return 1 << 8 * (self.k - 1)

    @property
    def double(self) -> F:
        """Twice the root so far."""
        return own(VALUE)[0:BITS] * 2 + (1 << BITS + 1)

    @property
    def left(self) -> F:
        """What is left after the digit."""
        left, digit, w = own(AT) * 256 + own(WORK) * (1 << BITS + 8), own(DIGIT), self.weight
        return left - digit * self.double - digit * digit * w

    def rules(self) -> Rules:
        """The digit is applied, and the next one chosen."""
        digit, w, left, value = own(DIGIT), self.weight, self.left, own(VALUE)
        due = self.double + digit * (2 * w) + w  # a root that is 1 more has this square
        reached = left >= due
        true = [left >= 0, left < self.double * 2 + digit * (2 * w)]
        true += [digit + reached < 256, value[0 : 8 * self.k].equals(0)]
        if self.k == 1:
            true.append(value[BITS:64].equals(0))  # no scaled operand
        words: dict[int, list[F]] = {
            AT: [left % (1 << BITS)],
            WORK: [left // (1 << BITS)],
            VALUE: [value + digit * w + r * w for r in (0, 1)],
            PHASE: [of(self.k - 1 + r * MORE) for r in (0, 1)],
            DIGIT: [self.chosen(left, r) for r in (0, 1)],
        }
        if self.k == 1:
            inexact = both(left >= 1, ~left.equals(due))
            words |= {
                AT: [frame(self.exponent, inexact, COUNT)],
                VALUE: [(value[0:BITS] + digit + r) + (1 << BITS) for r in (0, 1)],
                PHASE: [of(PACK)],
            }
            del words[WORK], words[DIGIT]
        ruled = {group: [(f, both(*true)) for f in some] for group, some in words.items()}
        return Rules(ruled, [reached], self.sample)

    def chosen(self, left: F, reached: int) -> F:
        """The next digit: the low halves are not compared."""
        digit = own(DIGIT)
        w = self.weight // HALF  # in the high half; 0 below it
        high = self.double // HALF + digit * w
        divisor = high + digit * w + 3 + 2 * w * reached
        less = (high + digit * w + w + 2) * 256 * reached
        square = 256 if self.k == COUNT else 1
        return (left // HALF * 256 - less).digit(divisor, square)

    @property
    def exponent(self) -> F:
        """The exponent of the root of an operand that was not scaled."""
        t = Float(head(HEAD, VALUE), self.format)
        stored, f = t.exponent, self.format
        half = stored // 2 + t.word[f.fraction : f.fraction + 1]
        return half + ((f.bias - 1) // 2 - 1) - ~t.normal * SCALED

    @property
    def sample(self) -> Callable[[random.Random], Known]:
        """Tokens as they occur."""
        k, w, begin = self.k, self.weight, states(self.format, (HEAD,))

        def sample(rng: random.Random) -> Known:
            known = begin(rng)
            fraction = rng.choice((0, 255, *[rng.getrandbits(BITS)] * 6)) >> 8 * k << 8 * k
            double = 2 * fraction + (1 << BITS + 1)
            digit = rng.choice((0, 255, *[rng.randrange(256)] * 6))
            divisor, due = double + digit * w, double + (2 * digit + 1) * w
            after = rng.choice((0, 1, due, due - 1, *[rng.randrange(2 * divisor)] * 6))
            before = (after + digit * divisor) // 256
            if rng.random() < 0.1:
                before = rng.getrandbits(60)
            known[-1, VALUE] = fraction | rng.choice((0, 0, 0, rng.randrange(256))) << BITS
            known[-1, AT], known[-1, WORK] = before % (1 << BITS), before >> BITS
            known[-1, DIGIT] = digit
            return known

        return sample
