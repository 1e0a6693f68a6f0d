"""Rules for divisions of integers.

`transputer.machines.trace.division` and `digits` say what the steps compute. Formulas hold where
the divisor has 4 bytes or fewer and the digit is the true one, which it then always is.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from tools.short.floats import AT, DEPTH, DIGIT, FP, PC, PHASE, SP, SPACE, VALUE, WORK
from tools.short.forms import F, added, both, head, of, own, where
from tools.short.rows import Known, Ruled, Rules
from transputer.machines.trace.vocabulary import Space

#: The heads that read the operands on the stack.
FIRST, SECOND = 3, 4
STATUS = 10
S, T = head(FIRST, VALUE), head(SECOND, VALUE)
#: Bytes of the operands.
SIZE = 8


def catalogue() -> Iterator[tuple[str, int, Rules]]:
    """Names of instructions and phases with their rules."""
    for width in (32, 64):
        for op in ("div_u", "rem_u", "div_s", "rem_s"):
            if (op[-1], width) == ("u", 64):
                continue  # those are routines
            # routines divide words of 64 bits by instructions without a sign
            size = width if op.endswith("s") else 64
            division = Division(size, op.endswith("s"), op.startswith("rem"))
            yield f"i{width}.{op}", 0, division.first()
            yield f"i{width}.{op}", 1, division.last()
            for k in range(2, SIZE + 1):
                yield f"i{width}.{op}", k, division.step(k)


@dataclass(frozen=True)
class Division:
    """A quotient or a remainder of a width; of magnitudes, if it is signed."""

    width: int
    signed: bool
    remainder: bool

    def negative(self, word: F) -> F:
        """Whether an operand is below 0."""
        return word[self.width - 1 : self.width]

    def signs(self, *operands: F) -> Iterator[F]:
        """Cases for a solver."""
        if self.signed:
            yield from (self.negative(word) for word in operands)

    def magnitude(self, word: F) -> tuple[F, F]:
        """The magnitude of an operand below 2^32, and whether it is."""
        low, high = word[0:32], word[32:64]
        if not self.signed:
            return low, high.equals(0)
        sign = self.negative(word)
        turned = where(sign, (1 << 32) - low, low)
        if self.width == 32:
            return turned, high.equals(0)
        small = where(sign, both(high.equals((1 << 32) - 1), low >= 1), high.equals(0))
        return turned, small

    def rest(self, word: F) -> F:
        """R after the digit; the product is one of words, not of a choice."""
        left, digit = own(AT) * 256 + own(VALUE)[56:64], own(DIGIT)
        positive = left - digit * word[0:32]
        if not self.signed:
            return positive
        negative = left - digit * (1 << 32) + digit * word[0:32]
        return where(self.negative(word), negative, positive)

    def applied(self) -> tuple[F, F, F]:
        """The divisor, what is left, and whether that is right."""
        (divisor, small), left = self.magnitude(T), self.rest(T)
        return divisor, left, both(small, left >= 0, left < divisor)

    def dividend(self, word: F) -> tuple[F, F]:
        """The magnitude of a dividend, and whether it has as many bits as an operand may."""
        whole, most = word[0 : self.width], 1 << self.width
        if not self.signed:
            return whole, of(1)
        fits = [word[32:64].equals(0)] if self.width == 32 else []
        turned = where(self.negative(word), most - whole, whole)
        return turned, both(*fits, ~whole.equals(most // 2))

    def first(self) -> Rules:
        """What phase 0 begins with: a branch for each number of digits."""
        (dividend, fits), (divisor, small) = self.dividend(S), self.magnitude(T)
        true = both(fits, small, own(DIGIT).equals(0))
        size = self.width // 8
        # of -256 the steps take ~(-256) + 1 with the 1 in the lowest byte, which is 256 then
        length = divisor - self.negative(T) if self.signed else divisor
        longer = added(
            *(dividend >= 1 << 8 * d for d in range(1, size)),
            *((length >= 1 << 8 * d) * -1 for d in range(1, 4)),
        )
        words: dict[int, list[Ruled]] = {g: [(own(g), true)] for g in (PC, SP, FP, DEPTH)}
        words |= {PHASE: [], AT: [], VALUE: [], DIGIT: [], SPACE: [(of(Space.WORK), true)]}
        for j in range(1, size + 1):
            moved = dividend % (1 << 8 * j)
            words[PHASE].append((of(j), true))
            words[AT].append((dividend // (1 << 8 * j), true))
            words[VALUE].append((moved * (1 << 64 - 8 * j), true))
            words[DIGIT].append(((dividend // (1 << 8 * j - 8)).digit(divisor), true))
        return Rules(
            words, [longer >= j for j in range(size - 1, 0, -1)], self.begun, [*self.signs(S, T)]
        )

    def step(self, k: int) -> Rules:
        """A digit is applied, and the next one chosen."""
        divisor, left, true = self.applied()
        value = own(VALUE)
        return Rules(
            {
                **{g: [(own(g), true)] for g in (PC, SP, FP, DEPTH)},
                AT: [(left, true)],
                WORK: [(of(0), true)],
                VALUE: [(value[0:56] * 256 + own(DIGIT), true)],
                DIGIT: [((left * 256 + value[48:56]).digit(divisor), true)],
                PHASE: [(of(k - 1), true)],
                SPACE: [(of(Space.WORK), true)],
            },
            [],
            self.states,
            [*self.signs(T)],
        )

    def last(self) -> Rules:
        """The last digit, and the result with its sign."""
        _, left, true = self.applied()
        if self.remainder:
            result, minus = left, self.negative(S)
        else:
            result = own(VALUE)[0:56] * 256 + own(DIGIT)
            minus = (self.negative(S) + self.negative(T)).equals(1)
            if self.width == 32 and self.signed:
                true = both(true, own(VALUE)[24:56].equals(0))
        if self.signed:
            result = where(minus, (0 - result) % (1 << self.width), result)
        return Rules(
            {
                PC: [((own(PC) + 1) % (1 << 24), true)],
                SP: [((own(SP) - 1) % (1 << 24), true)],
                **{g: [(own(g), true)] for g in (FP, DEPTH)},
                AT: [(own(SP) - 2, true)],
                VALUE: [(result, true)],
                WORK: [(of(0), true)],
                DIGIT: [(of(0), true)],
                PHASE: [(of(0), true)],
                SPACE: [(of(Space.SLOT), true)],
            },
            [],
            self.states,
            [*self.signs(S, T)],
        )

    # Tokens as they occur

    def word(self, rng: random.Random, magnitude: int) -> int:
        """An operand with this magnitude."""
        if not self.signed or not magnitude or rng.random() < 0.5:
            return magnitude
        return (1 << self.width) - magnitude

    def begun(self, rng: random.Random) -> Known:
        """Two operands."""
        known = {}
        for h, size in ((FIRST, self.width), (SECOND, 32)):
            magnitude = rng.getrandbits(size - self.signed) >> rng.randrange(size)
            if rng.random() < 0.2:
                magnitude = 1 << rng.randrange(0, size - self.signed, 8)
            known[h, VALUE] = self.word(rng, magnitude)
        if rng.random() < 0.1:
            known[FIRST, VALUE] = 1 << self.width - 1
            known[SECOND, VALUE] = (1 << self.width) - 1
        known[-1, SP] = pointer(rng)
        known[-1, DIGIT] = rng.randrange(256) if rng.random() < 0.1 else 0
        return known

    def states(self, rng: random.Random) -> Known:
        """Some digits later."""
        divisor = max(1, rng.getrandbits(32 - self.signed) >> rng.choice((0, 7, 15, 23, 28, 31)))
        before, value = rng.randrange(divisor), rng.getrandbits(64) >> rng.choice((0, 8, 32, 40))
        if rng.random() < 0.5 and self.width == 32:
            value = value >> 56 << 56 | value & 0xFFFFFF
        digit = (before * 256 + (value >> 56)) // divisor
        known = {(SECOND, VALUE): self.word(rng, divisor), (-1, AT): before, (-1, VALUE): value}
        known[FIRST, VALUE] = self.word(rng, rng.getrandbits(self.width - 1))
        known[-1, DIGIT] = digit if rng.random() < 0.8 else rng.randrange(256)
        if rng.random() < 0.2:
            known[SECOND, VALUE] = rng.getrandbits(64) >> rng.randrange(64)
            known[-1, AT] = rng.getrandbits(56)
        known[-1, SP] = pointer(rng)
        return known


def pointer(rng: random.Random) -> int:
    """A stack pointer."""
    return rng.choice((rng.randrange(2, 1 << 24), rng.randrange(2, 300)))
