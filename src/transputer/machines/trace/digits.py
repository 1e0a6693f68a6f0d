"""Digits of base 256, one per step, for integer quotients, float quotients and square roots.

A WORK token holds the remainder R in `at` (low half) and `work`, the digits so far in `value`, and
in `digit` the one that the argmax of its logits chose. A step, in phases k..1 (k digits are still
to be applied), computes

    R' = 256 R + byte - digit * D

and chooses the next digit. D is the divisor. For a root it is 2 p + digit * w, with p the root so
far and w = 256^(k-1) the weight of the digit: p^2 grows by digit * w * D.

Where D fits half a word, the digit is exact. Otherwise both sides are compared without their low
2 or 4 bytes, D rounded up, so that the digit is the true one, or 1 less: without those bytes,
(X + 256) / D - X / (D + 3) < 1 as long as X < 257 D and D >= 2^16. Where it is 1 less, R reaches D
(for a root, 2 p + (2 digit + 1) w), and 1 is added to the digit as it goes to `value`. The next
step, told by `MORE` in its phase, subtracts 256 D more.
"""

from collections.abc import Sequence

from transputer.circuit import Form
from transputer.circuit.arithmetic import BYTE
from transputer.circuit.division import HALF, UNIT, Remainder, excess, length_flags, remainder
from transputer.circuit.logic import clamp, select, step
from transputer.circuit.word import weighted
from transputer.machines.trace.machine import TraceCircuit
from transputer.machines.trace.vocabulary import Space
from transputer.values import dataclass

SIZE = 8
#: Phases: how many digits are to be applied, and what is added where R has reached D.
DIGITS, MORE = range(1, SIZE + 1), 16
TURNS = (*DIGITS, *(k + MORE for k in DIGITS))
FURTHER = tuple(p for p in TURNS if p % MORE > 1)
LAST = (1, 1 + MORE)


def in_turn(k: int) -> tuple[int, int]:
    """The phases in which k digits are to be applied."""
    return (k, k + MORE)


@dataclass(frozen=True, slots=True)
class Divisor:
    """D by bytes, of which the lowest may be 256, and as numbers.

    `low` and `high` are its halves, `middle` is bytes 2 to 5. `flags[d - 1]` is 1 where the bytes
    from d on are 0.
    """

    bytes: tuple[Form, ...]
    low: Form
    middle: Form
    high: Form
    flags: tuple[Form, ...]

    @staticmethod
    def of(m: TraceCircuit, terms: Sequence[Form]) -> "Divisor":
        """The divisor whose bytes are these sums; clamps prove the ranges of the numbers."""
        g = m.g
        digits = [g.signal(f"divisor {i}", term) for i, term in enumerate(terms)]
        low, middle, high = (
            g.signal(f"divisor from {i}", clamp(g, weighted(digits[i : i + HALF], BYTE), 0, UNIT))
            for i in (0, 2, HALF)
        )
        lengths = enumerate(length_flags(g, digits), 1)
        flags = (g.signal(f"divisor < 256^{d}", flag) for d, flag in lengths)
        return Divisor(tuple(digits), low, middle, high, tuple(flags))


@dataclass(frozen=True, slots=True)
class RootTerms:
    """What a step of a root adds to that of a division; all 0 elsewhere.

    `compared` is added to the halves of D before R is compared with it, `next_divisor` to its high
    half for the next digit, `columns` to R. `turns[k - 1]` is the bit of phase k, `square` the
    square's weight in the next digit's logits.
    """

    compared: tuple[Form, Form]
    next_divisor: Form
    columns: tuple[Form, ...]
    turns: tuple[Form, ...]
    square: Form


@dataclass(frozen=True, slots=True)
class Choice:
    """Where a digit is chosen, by how much of D is compared: all, without 2 bytes, without 4."""

    exact: Form
    middle: Form
    top: Form


@dataclass(frozen=True, slots=True)
class Applied:
    """R after a digit; whether it has reached D, and how far it is beyond (below 0: not yet)."""

    rest: Remainder
    corrected: Form
    beyond: Form


def apply_digit(
    m: TraceCircuit, columns: Sequence[Form], divisor: Divisor, root: RootTerms, turn: Form
) -> Applied:
    """`sum of columns - (digit + 256 [MORE]) D`, promised to be from 0 to below 2 D."""
    g = m.g
    more = m.in_phase(*(k + MORE for k in DIGITS))
    again = [g.neuron(more, d) for d in divisor.bytes]
    again = [Form(), *again[:-2], again[-2] + BYTE * again[-1]]
    sums = [
        column - g.neuron(m.digit, d) - e + extra
        for column, d, e, extra in zip(columns, divisor.bytes, again, root.columns, strict=True)
    ]
    rest = remainder(g, "remainder", sums)
    low, high = root.compared
    beyond = excess(
        g, "halves differ", rest.high - divisor.high - high, rest.low - divisor.low - low
    )
    return Applied(rest, g.signal("R reaches D", step(g, beyond, 0, turn)), beyond)


def choose_digit(
    m: TraceCircuit,
    choice: Choice,
    applied: Applied,
    first: Sequence[Form],
    short: Sequence[Form],
    byte: Form,
    divisor: Divisor,
    root: RootTerms,
) -> None:
    """Say the next digit: of R after a digit, or of the `first` R of an instruction.

    `short` is the first R of an integer division, the only one with divisors below 7 bytes. R has
    fewer bytes than the divisor, so 3 where all are compared.
    Where R has reached D, it is D less. Clamps prove the ranges of the logits.
    """
    g, rest = m.g, applied.rest
    low = rest.low + g.signal("first low", weighted(short[: HALF - 1], BYTE))
    low = g.signal("low half", clamp(g, low, 0, UNIT - 1))
    whole = rest.high + g.signal("first high", weighted(first[HALF:], BYTE))
    high = g.signal("high half", clamp(g, whole, 0, UNIT - 1))
    few = g.signal("two bytes of it", clamp(g, whole, 0, 2 * BYTE**2 - 1))
    upper = weighted(rest.bytes[2:HALF], BYTE)
    upper = upper + g.signal("first upper", weighted(short[2:HALF], BYTE))
    upper = g.signal("upper bytes of the low half", clamp(g, upper, 0, BYTE**2 - 1))
    m.divides(choice.exact, BYTE * low + byte, divisor.low)
    m.divides(choice.middle, BYTE * (BYTE**2 * few + upper), divisor.middle + 1)
    m.divides(choice.top, BYTE * high, divisor.high + 1 + root.next_divisor, root.square)
    reached = applied.corrected
    for when, number in (
        (choice.middle, divisor.middle + 1),
        (choice.top, divisor.high + root.compared[1] + 2),
    ):
        m.dividend = m.dividend - g.neuron(reached + when - 1, BYTE * number)
    for k in range(HALF + 1, SIZE):  # the digit of a root that is 1 more counts in 2 p
        more = select(g, [reached, root.turns[k - 1]])
        m.divisor = m.divisor + 2 * BYTE ** (k - 1 - HALF) * more


def say_next(m: TraceCircuit, applied: Applied, more: Form, keeps: Form) -> None:
    """R where it is kept; where `more` digits follow, the phase of the next step."""
    m.say("at", applied.rest.bytes[:HALF], keeps)
    m.say("work", applied.rest.bytes[HALF:], keeps)
    after = m.phase.lane(
        "phase after", [p % MORE - 1 if p in TURNS else 0 for p in range(m.phase.size)]
    )
    m.say("phase", [after], more)
    m.say("phase", [MORE * select(m.g, [applied.corrected, more])])
    m.say("space", [Space.WORK * keeps])
    m.stay = m.stay + keeps
