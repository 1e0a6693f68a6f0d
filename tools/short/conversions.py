"""Rules for conversions between floats and integers, for comparisons and shifts.

`transputer.machines.trace.conversions` and `compares` say what the steps compute.

What ends or traps in the first step of a conversion is not gated by the phase, so that formulas of
later steps hold only where the first one goes on: their guard says that it does.
"""

import random
from collections.abc import Iterator
from dataclasses import replace

from tools.short.floats import (
    AT,
    F32,
    F64,
    SP,
    SPACE,
    VALUE,
    Float,
    after_shift,
    aligned,
    any_of,
    flag,
    states,
    tail,
)
from tools.short.forms import F, both, head, of, own, where
from tools.short.rows import Known, Ruled, Rules
from transputer.machines.trace.floats import ALIGN, CUT, NORM, PACK, SIGN, WHOLE

STATUS = 10
#: The heads that read the operands on the stack; the second is the only one of unary instructions.
FIRST, SECOND = 3, 4
FORMATS = {"f32": F32, "f64": F64}


def catalogue() -> Iterator[tuple[str, int, Rules]]:
    """Names of instructions and phases with their rules."""
    for name, f in FORMATS.items():
        t = Float(head(SECOND, VALUE), f)
        for size in (32, 64):
            for signed in (True, False):
                kind = f"{name}_{'s' if signed else 'u'}"
                for op in (f"i{size}.trunc_{kind}", f"i{size}.trunc_sat_{kind}"):
                    yield op, CUT, cut(t, size, signed)
                    yield op, WHOLE, whole(t, size, signed)
    wide, narrow = (Float(head(SECOND, VALUE), f) for f in (F64, F32))
    yield "f32.demote_f64", ALIGN, only(tail(F32, ALIGN), ~wide.nan, wide)
    subnormal = both(narrow.magnitude >= 1, ~narrow.normal)
    for phase in (NORM, PACK):
        yield "f64.promote_f32", phase, only(tail(F64, phase), subnormal, narrow)
    for name, f in FORMATS.items():
        a, b = (Float(head(h, VALUE), f) for h in (FIRST, SECOND))
        for op, result in compared(a, b).items():
            yield f"{name}.{op}", 0, Rules({VALUE: [result]}, [], states(f, (FIRST, SECOND)))
    for size in (32, 64):
        amount = head(SECOND, VALUE)[0 : size.bit_length() - 1]
        yield f"i{size}.shr_s", 0, Rules({VALUE: [shifted_right(size, amount)]}, cases=[amount])


# Conversions


def in_range(t: Float, size: int, signed: bool) -> F:
    """Whether a truncation goes on: from 1 on, and the integer fits."""
    f = t.format
    one, limit = f.bias << f.fraction, f.bias + size - signed << f.fraction
    if not signed:
        return both(t.word >= one, ~(t.word >= limit))
    beyond = 1 << max(0, f.fraction - size + 1)
    return both(t.magnitude >= one, t.magnitude - t.sign * beyond < limit)


def guarded(rules: Rules, guard: F) -> Rules:
    """The same rules where a guard holds."""

    def under(rule: Ruled) -> Ruled:
        formula, other = rule if isinstance(rule, tuple) else (rule, None)
        return formula, guard if other is None else both(other, guard)

    return replace(rules, words={g: [*map(under, some)] for g, some in rules.words.items()})


def operands(t: Float, rules: Rules, good: F) -> Rules:
    """With tokens of which most operands are as they should be."""
    f = t.format
    top = (1 << f.bits - 1 - f.fraction) - 1

    def pattern(rng: random.Random) -> int:
        exponent = rng.choice((0, top, rng.randrange(top), *[f.bias + rng.randrange(-2, 67)] * 9))
        fraction = rng.choice((0, 1, (1 << f.fraction) - 1, *[rng.getrandbits(f.fraction)] * 5))
        return rng.getrandbits(1) << f.bits - 1 | exponent << f.fraction | fraction

    def sample(rng: random.Random) -> Known:
        known, some = rules.sample(rng), [pattern(rng) for _ in range(9)]
        want = rng.random() < 0.9
        for known[SECOND, VALUE] in some:
            if not want or good.expr.value(known):
                break
        return known

    return replace(rules, sample=sample)


def only(rules: Rules, guard: F, t: Float) -> Rules:
    """A row of the tail where the operand is as it should be."""
    at = [*rules.words.get(AT, ()), own(SP) - 1]
    words = {SPACE: [of(8), of(1)], STATUS: [of(0)], **rules.words, AT: at}
    return operands(t, guarded(replace(rules, words=words), guard), guard)


def cut(t: Float, size: int, signed: bool) -> Rules:
    """The significand moved right."""
    shifted, lost = aligned()
    proper = in_range(t, size, signed)
    words = {VALUE: [shifted], AT: [after_shift(lost)]}
    rules = Rules(words, [], states(t.format, (SECOND,)), [own(AT)[24:30]])
    return only(rules, proper, t)


def whole(t: Float, size: int, signed: bool) -> Rules:
    """The integer, or minus that."""
    value, negative = own(VALUE), flag(SIGN)
    low = value[0:size]
    turned = where(negative, (0 - low) % (1 << size), low)
    if size == 32:
        turned = turned + value[32:64] * (1 << 32)
    rules = Rules({VALUE: [(turned, low >= 1)]}, [], states(t.format, (SECOND,)))
    return only(rules, in_range(t, size, signed), t)


# Comparisons and shifts


def compared(a: Float, b: Float) -> dict[str, F]:
    """What comparisons, min and max make of two numbers."""
    f = a.format
    unordered = a.nan + b.nan
    zeros = (a.magnitude + b.magnitude).equals(0)

    def key(one: Float, zero: int) -> F:
        """A number in whose order floats are; that of a negative zero is given."""
        return where(one.sign, (1 << f.bits - 1) + zero - one.word, one.word)

    less, greater = (
        both(one, ~(unordered + zeros >= 1))
        for one in (key(a, 0) < key(b, 0), key(a, 0) > key(b, 0))
    )
    same = any_of(key(a, 0).equals(key(b, 0)), zeros)
    ordered = ~(unordered >= 1)
    first = key(b, -1) >= key(a, -1)
    nan = f.infinity + f.quiet
    return {
        "lt": less,
        "gt": greater,
        "le": both(ordered, any_of(key(b, 0) >= key(a, 0), zeros)),
        "ge": both(ordered, any_of(key(a, 0) >= key(b, 0), zeros)),
        "eq": both(ordered, same),
        "ne": ~both(ordered, same),
        "min": where(ordered, where(first, a.word, b.word), nan),
        "max": where(ordered, where(first, b.word, a.word), nan),
    }


def shifted_right(size: int, amount: F) -> F:
    """With copies of the sign above: what is below 0 is turned before and after."""
    x = head(FIRST, VALUE)[0:size]
    turn = x[size - 1 : size] * ((1 << size) - 1)
    return ((x ^ turn) >> amount) ^ turn
