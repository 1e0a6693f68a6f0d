"""Floating point: every pair of an 8-bit float, half precision against NumPy, gadgets alone."""

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import pytest
from numpy.typing import NDArray

from transputer.circuit import Form, Graph, values
from transputer.circuit.floats import (
    F32,
    F64,
    FloatFormat,
    add_aligned,
    align,
    begin_product,
    begin_sum,
    compare_magnitudes,
    cut,
    divide,
    factor,
    larger,
    normalise,
    pack,
    parity,
    product,
    ripple,
    unpack,
)
from transputer.circuit.word import Word, weighted

Numbers = NDArray[np.int64]
E4M3, E5M2, E3M4 = FloatFormat(8, 3, 2), FloatFormat(8, 2, 2), FloatFormat(8, 4, 2)
HALF = FloatFormat(16, 10, 3)
EIGHT = pytest.mark.parametrize("f", [E4M3, E5M2], ids=["e4m3", "e5m2"])


class Step:
    """One step of a small machine: words in the token, and a bit that says whether it happens."""

    def __init__(self, **sizes: int) -> None:
        self.g = Graph()
        self.words = {
            name: Word.of_parts([self.g.part(f"{name}{i}", 256) for i in range(size)])
            for name, size in sizes.items()
        }
        self.when = self.g.part("when", 2).number()

    def __getitem__(self, name: str) -> Word:
        return self.words[name]

    def run(
        self, forms: dict[str, Form | tuple[Form, ...]], **numbers: Numbers
    ) -> dict[str, Numbers]:
        """The value of each form, or of the number that these digits spell.

        Digits are proper, and all is 0 in a token in which the step does not happen.
        """
        tuples = {name: f if isinstance(f, tuple) else (f,) for name, f in forms.items()}
        flat = [form for group in tuples.values() for form in group]
        count = len(next(iter(numbers.values())))
        token = {
            f"{name}{i}": numbers[name] >> 8 * i & 255
            for name, word in self.words.items()
            for i in range(len(word.bytes))
        }
        off = values(flat, {**token, "when": np.zeros(count, np.int64)})
        assert not any(np.any(x) for x in off)
        computed = iter(values(flat, {**token, "when": np.ones(count, np.int64)}))
        results = {}
        for name, group in tuples.items():
            digits = [np.broadcast_to(next(computed), (count,)) for _ in group]
            if len(digits) > 1:
                assert all(((d >= 0) & (d <= 255)).all() for d in digits), name
            results[name] = sum(d << 8 * i for i, d in enumerate(digits))
        return results


@dataclass
class Frame:
    """A float between two steps."""

    x: Numbers
    room: Numbers
    sign: Numbers
    sticky: Numbers
    shift: Numbers


def packed(f: FloatFormat, frame: Frame) -> Numbers:
    """Normalise, round and pack; an overflow gives an infinity."""
    step = Step(x=f.frame, room=2)
    out = normalise(step.g, "n", step["x"].bytes, step["room"].number(), step.when)
    forms = {"x": out.digits, "shift": out.shift, "moved": out.moved, "zero": out.zero}
    moved = step.run(forms, x=frame.x, room=frame.room)
    left = np.where(moved["zero"] == 1, 0, frame.room - moved["moved"])
    over = left >= 2 * f.bias
    last = rounded(f, moved["x"], np.where(over, 0, left), moved["shift"], frame.sticky, frame.sign)
    return np.where(over, f.infinity | frame.sign << f.bits - 1, last)


def rounded(
    f: FloatFormat, x: Numbers, room: Numbers, shift: Numbers, sticky: Numbers, sign: Numbers
) -> Numbers:
    """Round and pack."""
    step = Step(x=f.frame, room=2, shift=1, flags=1)
    cases = [(step.when, f)]
    lost, minus = step["flags"].bits[:2]
    significand = cut(step.g, "s", step["x"], step["shift"].bits[:3], lost, cases)
    more = pack(step.g, step["room"].bits, minus, cases)
    digits = [a + b for a, b in zip(significand.digits, more, strict=True)]
    forms = {"y": tuple(ripple(step.g, "r", digits, significand.up))}
    return step.run(forms, x=x, room=room, shift=shift, flags=sticky + 2 * sign)["y"]


def aligned(f: FloatFormat, frame: Frame) -> tuple[Numbers, Numbers]:
    """Moved right: the frame, and whether anything was lost."""
    step = Step(x=f.frame, shift=1)
    bits = step["shift"].bits[: (8 * f.frame - 1).bit_length()]
    out = align(step.g, "a", step["x"], bits, step.when)
    moved = step.run({"x": out.digits, "lost": out.lost}, x=frame.x, shift=frame.shift)
    return moved["x"], (moved["lost"] > 0).astype(np.int64)


def sums(f: FloatFormat, a: Numbers, b: Numbers, minus: int) -> Numbers:
    """a + b or a - b, by the gadgets, step by step."""
    size = f.bits // 8
    step = Step(a=size, b=size)
    cases, words = [(step.when, f)], (step["a"], step["b"])
    operands = (unpack(step.g, name, step[name], cases) for name in "ab")
    minus_bit = step.when if minus else Form()
    out = begin_sum(step.g, "sum", words, *operands, minus_bit, cases)
    names = ("shift", "sign", "subtracts", "first", "implicit", "ends", "goes")
    forms = {name: getattr(out, name) for name in (*names, "digits", "exponent", "special")}
    start = step.run(forms, a=a, b=b)
    assert (start["ends"] + start["goes"] == 1).all()
    x, lost = _joined(f, a, b, start)
    none = np.zeros_like(a)
    result = packed(f, Frame(x, start["exponent"], start["sign"], lost, none))
    return np.where(start["ends"] == 1, start["special"], result)


def _joined(
    f: FloatFormat, a: Numbers, b: Numbers, start: dict[str, Numbers]
) -> tuple[Numbers, Numbers]:
    """The larger operand plus or minus the smaller one, aligned."""
    size = f.bits // 8
    step = Step(a=size, b=size, x=f.frame, shift=1, flags=1)
    subtracts, first, implicit = step["flags"].bits[:3]
    bits = step["shift"].bits[: (8 * f.frame - 1).bit_length()]
    y = align(step.g, "a", step["x"], bits, step.when)
    large = larger(step.g, (step["a"], step["b"]), first, implicit, [(step.when, f)])
    minus = step.g.neuron(step.when + subtracts - 1)
    total = add_aligned(step.g, "t", y, large, minus, Form())
    flags = start["subtracts"] + 2 * start["first"] + 4 * start["implicit"]
    out = step.run(
        {"x": total, "lost": y.lost}, a=a, b=b, x=start["digits"], shift=start["shift"], flags=flags
    )
    return out["x"], (out["lost"] > 0).astype(np.int64)


def products(f: FloatFormat, a: Numbers, b: Numbers) -> Numbers:
    """a * b, by the gadgets, step by step."""
    size = f.bits // 8
    step = Step(a=size, b=size)
    cases, words = [(step.when, f)], (step["a"], step["b"])
    out = begin_product(
        step.g, "p", words, *(unpack(step.g, name, step[name], cases) for name in "ab"), cases
    )
    names = ("digits", "shift", "sign", "fast", "under", "special", "ends")
    forms = {name: getattr(out, name) for name in names}
    forms |= {"low": out.exponent[0], "high": out.exponent[1]}
    forms |= {"slow a": out.slow[0], "slow b": out.slow[1]}
    start = step.run(forms, a=a, b=b)
    slow = start["slow a"] + start["slow b"]
    assert (start["ends"] + start["fast"] + slow == 1).all()
    room = start["low"] + 256 * start["high"]
    first, second = significand(f, a), significand(f, b)
    some = slow > 0
    first[some], room[some] = scaled(f, start["digits"][some], room[some])
    second = np.where(start["slow b"] == 1, significand(f, a), second)
    x, sticky = multiplied(f, first, second)
    none = np.zeros_like(a)
    frame = Frame(x, room, start["sign"], sticky, start["shift"])
    under = (start["under"] == 1) & (start["fast"] == 1)
    low, lost = aligned(f, frame)
    deep = rounded(f, low, none, none, np.maximum(sticky, lost), start["sign"])
    result = np.where(under, deep, packed(f, frame))
    return np.where(start["ends"] == 1, start["special"], result)


def significand(f: FloatFormat, a: Numbers) -> Numbers:
    """With the implicit bit: the factor of a product in its first step."""
    tiny = (a & f.infinity) == 0
    return (a & (1 << f.fraction) - 1) | np.where(tiny, 0, 1 << f.fraction)


def scaled(f: FloatFormat, x: Numbers, room: Numbers) -> tuple[Numbers, Numbers]:
    """A subnormal operand normalised as far as its room allows: significand, and room left."""
    step = Step(x=f.frame, room=2)
    out = normalise(step.g, "n", step["x"].bytes, step["room"].number(), step.when)
    forms = {"x": out.digits, "shift": out.shift, "moved": out.moved}
    moved = step.run(forms, x=x, room=room)
    step = Step(x=f.frame, shift=1)
    kept = cut(step.g, "s", step["x"], step["shift"].bits[:3], Form(), [(step.when, f)])
    out = step.run({"x": kept.digits, "up": kept.up}, x=moved["x"], shift=moved["shift"])
    assert not out["up"].any()
    return out["x"], room - moved["moved"]


def multiplied(f: FloatFormat, a: Numbers, b: Numbers) -> tuple[Numbers, Numbers]:
    """The product of two significands as a frame, and whether anything is below it."""
    size = f.top + 1
    step = Step(a=size, b=size)
    one, other = (factor(step.g, name, [(step.when, f, step[name].bytes, Form())]) for name in "ab")
    p = product(step.g, "p", one, other, step.when)
    out = step.run({"x": p.digits}, a=a, b=b)
    lost = Step.run(step, {"lost": step.g.neuron(step.when, p.lost)}, a=a, b=b)["lost"]
    return out["x"], (lost > 0).astype(np.int64)


# An independent definition: the nearest of all numbers of the format.


@dataclass(frozen=True)
class Exact:
    """The numbers of a small format as fractions; NaN is None."""

    f: FloatFormat

    def decode(self, p: int) -> Fraction | float | None:
        f, sign = self.f, -1 if p >> self.f.bits - 1 else 1
        field, low = (p & f.infinity) >> f.fraction, p & (1 << f.fraction) - 1
        if field == f.infinity >> f.fraction:
            return None if low else sign * float("inf")
        implicit = 1 << f.fraction if field else 0
        return (
            sign * Fraction(low + implicit) * Fraction(2) ** (max(field, 1) - f.bias - f.fraction)
        )

    @cached_property
    def numbers(self) -> list[Fraction]:
        """All that are not negative, and where the next one would be: infinity."""
        finite = [self.decode(p) for p in range(self.f.infinity)]
        return [*finite, 2 * finite[-1] - finite[-2]]

    def encode(self, x: Fraction, negative: bool) -> int:
        """The pattern of the nearest number; ties to the even pattern."""
        magnitude, sign = abs(x), (1 << self.f.bits - 1) * (x < 0 or (x == 0 and negative))
        if magnitude >= self.numbers[-1]:
            return self.f.infinity | sign
        above = bisect_left(self.numbers, magnitude)
        near = [p for p in (above - 1, above) if p >= 0]
        return min(near, key=lambda p: (abs(self.numbers[p] - magnitude), p & 1)) | sign


def expected(f: FloatFormat, op: str, a: int, b: int, exact: Exact, known: dict) -> int:
    """IEEE 754 by cases."""
    nan = f.infinity | f.quiet
    x, y = exact.decode(a), exact.decode(b)
    if x is None or y is None:
        return nan
    if op == "sub":
        b, y = b ^ 1 << f.bits - 1, -y
    signs = a >> f.bits - 1, b >> f.bits - 1
    if op == "mul":
        infinite = isinstance(x, float) or isinstance(y, float)
        if infinite and (x == 0 or y == 0):
            return nan
        if infinite:
            return f.infinity | (signs[0] ^ signs[1]) << f.bits - 1
        key = (x * y, bool(signs[0] ^ signs[1]))
    elif isinstance(x, float) or isinstance(y, float):
        if isinstance(x, float) and isinstance(y, float) and x != y:
            return nan
        return a if isinstance(x, float) else b
    else:
        key = (x + y, signs == (1, 1))
    if key not in known:
        known[key] = exact.encode(*key)
    return known[key]


@pytest.mark.slow
@EIGHT
@pytest.mark.parametrize("op", ["add", "sub", "mul"])
def test_every_pair_of_an_8_bit_float(f: FloatFormat, op: str) -> None:
    a, b = (x.ravel() for x in np.divmod(np.arange(1 << 16), 256))
    results = products(f, a, b) if op == "mul" else sums(f, a, b, int(op == "sub"))
    exact, known = Exact(f), {}
    wanted = np.array(
        [expected(f, op, int(x), int(y), exact, known) for x, y in zip(a, b, strict=True)]
    )
    wrong = np.flatnonzero(results != wanted)
    assert not len(wrong), [
        (hex(a[i]), hex(b[i]), hex(results[i]), hex(wanted[i])) for i in wrong[:5]
    ]


def halves(count: int, seed: int) -> tuple[Numbers, Numbers]:
    """Pairs of patterns of half precision: anywhere, near each other, subnormal, short."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 1 << 16, (2, count))
    kind = rng.integers(0, 5, count)
    exponent = np.clip((a >> 10 & 31) + rng.integers(-12, 13, count), 0, 30)
    b = np.where(kind == 1, b & ~(31 << 10) | exponent << 10, b)
    a = np.where(kind == 2, a & ~(31 << 10), a)
    b = np.where(kind == 3, b >> 6 << 6, b)
    b = np.where(kind == 4, a ^ rng.integers(0, 4, count) ^ rng.integers(0, 2, count) << 15, b)
    return a, b


@pytest.mark.parametrize("op", [np.add, np.subtract, np.multiply])
def test_half_precision(op: np.ufunc) -> None:
    a, b = halves(20_000, 7)
    with np.errstate(all="ignore"):
        host = op(*(x.astype(np.uint16).view(np.float16) for x in (a, b)))
    wanted = np.where(np.isnan(host), 0x7E00, host.view(np.uint16)).astype(np.int64)
    results = products(HALF, a, b) if op is np.multiply else sums(HALF, a, b, op is np.subtract)
    wrong = np.flatnonzero(results != wanted)
    assert not len(wrong), [
        (hex(a[i]), hex(b[i]), hex(results[i]), hex(wanted[i])) for i in wrong[:5]
    ]


def test_a_product_of_subnormals_has_to_vanish() -> None:
    with pytest.raises(ValueError, match="subnormal"):
        products(E3M4, np.array([3]), np.array([11]))


# Gadgets alone


def random_words(count: int, seed: int) -> Numbers:
    """Words of 24 bits of all lengths, zero included."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 1 << 24, count) >> rng.integers(0, 25, count)


def test_align_keeps_what_it_can() -> None:
    x, shift = random_words(5000, 1), np.random.default_rng(2).integers(0, 24, 5000)
    step = Step(x=3, shift=1)
    out = align(step.g, "a", step["x"], step["shift"].bits[:5], step.when)
    moved = step.run({"y": out.digits, "lost": out.lost}, x=x, shift=shift)
    assert (moved["y"] == x >> shift).all()
    assert ((moved["lost"] > 0) == (x & (1 << shift) - 1 > 0)).all()


def test_normalise_stops_at_the_room() -> None:
    x, room = random_words(5000, 3), np.random.default_rng(4).integers(0, 40, 5000)
    step = Step(x=3, room=1)
    out = normalise(step.g, "n", step["x"].bytes, step["room"].number(), step.when)
    forms = {"y": out.digits, "shift": out.shift, "moved": out.moved, "zero": out.zero}
    moved = step.run(forms, x=x, room=room)
    some = x > 0
    zeros = np.array([24 - int(v).bit_length() for v in x])
    assert ((moved["zero"] == 1) == ~some).all()
    assert (moved["moved"][some] == np.minimum(zeros, room)[some]).all()
    assert ((moved["y"] << moved["shift"])[some] == (x << np.minimum(zeros, room))[some]).all()
    assert (moved["y"] < 1 << 24).all() and (moved["shift"] < 8).all()


@pytest.mark.parametrize("up", [0, 1])
def test_ripple(up: int) -> None:
    edges = [0, 1, 254, 255, 256, 65279, 65280, 65534, 65535, 0xFFFEFF, 0xFFFFFE]
    x = np.concatenate([edges, random_words(2000, 5) - 1]).clip(0)
    step = Step(x=3)
    digits = [step.g.neuron(step.when, byte) for byte in step["x"].bytes]
    result = ripple(step.g, "r", digits, step.when if up else Form())
    assert (step.run({"y": tuple(result)}, x=x)["y"] == x + up).all()


def test_divide_proves_its_remainder() -> None:
    g = Graph()
    x = g.part("x", 1000).number()
    low, high = divide(g, "d", x, 30, 700)
    seen = np.arange(701)
    rest, quotient = values([low, high], {"x": seen})
    assert (rest == seen % 30).all() and (quotient == seen // 30).all()
    assert (low.lo, low.hi) == (0, 29) and (high.lo, high.hi) == (0, 23)  # for all 1000


def test_parity() -> None:
    g = Graph()
    bits = g.part("x", 8).bits()
    assert list(values([parity(g, bits)], {"x": np.arange(8)})[0]) == [0, 1, 1, 0, 1, 0, 0, 1]
    with pytest.raises(ValueError, match="4 bits"):
        parity(g, [*bits, bits[0]])


@pytest.mark.parametrize("f", [F32, F64], ids=["f32", "f64"])
def test_magnitudes_compare_as_integers(f: FloatFormat) -> None:
    rng = np.random.default_rng(6)
    size = f.bits // 8
    a, b = (rng.integers(0, 256, (4000, size)) for _ in range(2))
    same = rng.integers(0, size + 1, (4000, 1)) <= np.arange(size)  # equal from some byte on
    b = np.where(same, a, b)
    b[:, -1] ^= 128 * rng.integers(0, 2, 4000)
    step = Step(a=size, b=size)
    order = compare_magnitudes(step.g, "o", step["a"], step["b"], [(step.when, f)])
    token = {f"{n}{i}": x[:, i] for n, x in (("a", a), ("b", b)) for i in range(size)}
    reached, equal = values([order.reached, order.equal], {**token, "when": np.ones(4000, int)})
    numbers = [
        [int.from_bytes(bytes(row.tolist()), "little") & (1 << f.bits - 1) - 1 for row in x]
        for x in (a, b)
    ]
    assert list(reached) == [int(x >= y) for x, y in zip(*numbers, strict=True)]
    assert list(equal) == [int(x == y) for x, y in zip(*numbers, strict=True)]


def test_products_of_seven_bytes() -> None:
    rng = np.random.default_rng(8)
    a, b = (rng.integers(0, 256, (3000, 7)) for _ in range(2))
    a[:40], b[:20] = 255, 255
    a[40:900] *= rng.integers(0, 2, (860, 7))  # zeros: exact products
    b[300:] *= rng.integers(0, 2, (2700, 7))
    step = Step(a=7, b=7)
    p = product(step.g, "p", step["a"].bytes, step["b"].bytes, step.when)
    token = {f"{n}{i}": x[:, i] for n, x in (("a", a), ("b", b)) for i in range(7)}
    *digits, lost = values([*p.digits, p.lost], {**token, "when": np.ones(3000, int)})
    for i in range(3000):
        x, y = (int.from_bytes(bytes(row[i].tolist()), "little") for row in (a, b))
        assert bytes(int(d[i]) for d in digits) == (x * y >> 48).to_bytes(8, "little")
        assert (lost[i] > 0) == (x * y % 2**48 > 0)


def test_formats_say_where_they_stand() -> None:
    assert (F64.bias, F64.low, F64.room, F64.infinity) == (1023, 1, 2, 0x7FF << 52)
    assert (F32.bias, F32.low, F32.room, F32.infinity) == (127, 4, 7, 0xFF << 23)
    bits = [Form.of(k) for k in range(64)]
    word = Word(tuple(bits[:8]), tuple(bits))
    assert F64.significand(word)[-1] == weighted(bits[48:52], 2)
