"""Floating point: fields, alignment with a sticky bit, normalisation, rounding, products.

A *frame* is a significand in n bytes with room to move: bit 8 n - 1 is where the top bit of a
normal number goes in the end. `FloatFormat` says how a format of IEEE 754 lies in words and in
frames. Gadgets that depend on the format take `cases`: bits, of which at most one is 1, each with
its format. Where no bit is 1 their results are 0.
"""

from collections.abc import Iterable, Sequence

from transputer.circuit.arithmetic import BYTE, carry, floor_divide, split
from transputer.circuit.form import Form
from transputer.circuit.graph import Graph
from transputer.circuit.logic import choose, clamp, select, spelled, step
from transputer.circuit.word import Word, weighted
from transputer.values import dataclass

Digits = tuple[Form, ...]
_SQUARE = (BYTE - 1) ** 2  # the largest product of two bytes


@dataclass(frozen=True, slots=True)
class FloatFormat:
    """A binary format of `bits` bits, `fraction` of them stored, in frames of `frame` bytes."""

    bits: int
    fraction: int
    frame: int = 8

    @property
    def bias(self) -> int:
        """The biased exponent of 1."""
        return (1 << self.bits - self.fraction - 2) - 1

    @property
    def infinity(self) -> int:
        """The pattern of +infinity."""
        return (1 << self.bits - 1) - (1 << self.fraction)

    @property
    def quiet(self) -> int:
        """The bit that makes an infinity the canonical NaN."""
        return 1 << self.fraction - 1

    @property
    def top(self) -> int:
        """The byte of a word that has the lowest bit of the exponent."""
        return self.fraction // 8

    @property
    def unit(self) -> int:
        """What that bit counts in its byte: in a significand, the implicit bit."""
        return 1 << self.fraction % 8

    @property
    def low(self) -> int:
        """The byte of a frame at which the significand of an operand starts.

        The highest that leaves the top bit of the frame free for the carry of a sum.
        """
        return (8 * self.frame - 2 - self.fraction) // 8

    @property
    def room(self) -> int:
        """How far such a significand may move left beyond its biased exponent."""
        return 8 * self.frame - 2 - 8 * self.low - self.fraction

    def exponent(self, word: Word) -> tuple[Form, ...]:
        """The bits of the biased exponent."""
        return word.bits[self.fraction : self.bits - 1]

    def significand(self, word: Word) -> list[Form]:
        """The bytes of the stored fraction; without the implicit bit."""
        return [*word.bytes[: self.top], weighted(word.bits[8 * self.top : self.fraction], 2)]


F32 = FloatFormat(32, 23)
F64 = FloatFormat(64, 52)
Cases = Sequence[tuple[Form, FloatFormat]]


@dataclass(frozen=True, slots=True)
class Operand:
    """The fields of a float as lanes: the exponent in two digits, and bits.

    `tiny` says that the exponent's field is 0, `special` that it is all ones.
    """

    sign: Form
    exponent: tuple[Form, Form]
    tiny: Form
    zero: Form
    special: Form
    infinite: Form

    @property
    def number(self) -> Form:
        """The biased exponent, which is 1 for a subnormal."""
        return weighted(self.exponent, BYTE) + self.tiny


def unpack(g: Graph, name: str, word: Word, cases: Cases) -> Operand:
    """The fields of a word, one neuron for each field and format.

    relu(when - sum of bits) == when and no bit; relu(when + sum - n) == when and all n bits.
    """
    fields = {key: [Form()] for key in ("sign", "low", "high", "tiny", "zero", "special", "inf")}
    for when, f in cases:
        bits, fraction = f.exponent(word), sum(f.significand(word), Form())
        ones = when + sum(bits, Form()) - len(bits)
        fields["sign"].append(select(g, [when, word.bits[f.bits - 1]]))
        fields["low"].append(g.neuron(when, weighted(bits[:8], 2)))
        fields["high"].append(g.neuron(when, weighted(bits[8:], 2)))
        fields["tiny"].append(g.neuron(when - sum(bits, Form())))
        fields["zero"].append(g.neuron(when - sum(bits, fraction)))
        fields["special"].append(g.neuron(ones))
        fields["inf"].append(g.neuron(ones - fraction))
    most = {"low": BYTE - 1, "high": BYTE - 1}
    lane = {
        key: g.signal(
            f"{name}.{key}",
            g.assume(sum(forms, Form()), 0, most.get(key, 1), "one format at a time"),
        )
        for key, forms in fields.items()
    }
    exponent = lane["low"], lane["high"]
    rest = (lane[key] for key in ("tiny", "zero", "special", "inf"))
    return Operand(lane["sign"], exponent, *rest)


@dataclass(frozen=True, slots=True)
class Magnitudes:
    """Whether |a| >= |b|, and whether they are equal."""

    reached: Form
    equal: Form


def compare_magnitudes(g: Graph, name: str, a: Word, b: Word, cases: Cases) -> Magnitudes:
    """The order of two floats without their signs: that of their patterns as integers.

    The patterns are compared in chunks of 32 bits, with h and l the signs of the differences
    of the upper and the lower chunk: 2 [h > 0] + [h >= 0] + [l >= 0] >= 2 where a >= b.
    """
    chunks = max((f.bits + 30) // 32 for _, f in cases)
    over, reached = [Form()] * chunks, [Form()] * chunks
    for when, f in cases:
        for c in range(chunks):
            first, last = 32 * c, min(32 * c + 32, f.bits - 1)
            if first >= last:
                reached[c] = reached[c] + when
                continue
            difference = _chunk(a, first, last) - _chunk(b, first, last)
            over[c] = over[c] + step(g, difference, 1, when)
            reached[c] = reached[c] + step(g, difference, 0, when)
    over = [_bit(g, f"{name}.over {c}", form) for c, form in enumerate(over)]
    reached = [_bit(g, f"{name}.reached {c}", form) for c, form in enumerate(reached)]
    equal = select(g, [g.assume(r - o, 0, 1, "a bit") for r, o in zip(reached, over, strict=True)])
    if chunks == 1:
        return Magnitudes(reached[0], g.signal(f"{name}.equal", equal))
    total = 2 * over[1] + reached[1] + reached[0]
    at_least = _bit(g, f"{name}.reached", step(g, total, 2))
    return Magnitudes(at_least, g.signal(f"{name}.equal", equal))


def _chunk(word: Word, first: int, last: int) -> Form:
    """Bits first to last - 1 of a word as a number; whole bytes as bytes."""
    end = last // 8
    digits = [*word.bytes[first // 8 : end], weighted(word.bits[8 * end : last], 2)]
    return weighted(digits, BYTE)


def _bit(g: Graph, name: str, form: Form) -> Form:
    return g.signal(name, g.assume(form, 0, 1, "a bit"))


def _byte(g: Graph, name: str, form: Form) -> Form:
    return g.signal(name, g.assume(form, 0, BYTE - 1, "a proper digit"))


def parity(g: Graph, bits: Sequence[Form]) -> Form:
    """1 where an odd number of up to three bits is 1.

    p - 2 [p >= 2] for a sum p from 0 to 3.
    """
    if len(bits) > 3:
        raise ValueError(f"parity of {len(bits)} bits; it is for up to three")
    total = sum(bits, Form())
    return g.assume(total - 2 * step(g, total, 2), 0, 1, "a parity")


def special(g: Graph, cases: Cases, when: Form, bad: Form, sign: Form) -> list[Form]:
    """The bytes of an infinity with a sign, or of the canonical NaN where `bad` is 1.

    All bits; `when` is 1 wherever `bad` is.
    """
    digits = [Form()] * max(f.bits // 8 for _, f in cases)
    for case, f in cases:
        chosen = (
            select(g, [when, case]),
            select(g, [bad, case]),
            select(g, [when, sign, case, 1 - bad]),
        )
        for bit, pattern in zip(chosen, (f.infinity, f.quiet, 1 << f.bits - 1), strict=True):
            digits = [d + (pattern >> 8 * j & 255) * bit for j, d in enumerate(digits)]
    return digits


# Alignment


@dataclass(frozen=True, slots=True)
class Aligned:
    """The bytes of a frame moved right, and a number that is 0 where only zeros were lost."""

    digits: Digits
    lost: Form


def align(g: Graph, name: str, x: Word, amount: Sequence[Form], when: Form) -> Aligned:
    """x moved right by an amount given in bits, first within bytes, then by whole bytes.

    Every byte is one of those before the move by bytes or is lost, so that the lost ones add up
    to the difference of both sums. The byte below the lowest takes the bits that leave first.
    """
    size = len(x.bytes)
    near = amount_lanes(g, f"{name}.bits", amount[:3], when)
    far = amount_lanes(g, f"{name}.bytes", amount[3:], when)
    bits = [*[Form()] * 8, *x.bits, *[Form()] * 8]
    inner = [
        _byte(
            g,
            f"{name}.within {j}",
            choose(g, ((by, weighted(bits[8 * j + s :][:8], 2)) for s, by in enumerate(near))),
        )
        for j in range(size + 1)
    ]
    result = [
        g.assume(
            choose(g, ((by, inner[j + h]) for h, by in enumerate(far) if j + h <= size)),
            0,
            BYTE - 1,
            "one amount at a time",
        )
        for j in range(1, size + 1)
    ]
    lost = sum(inner, Form()) - sum(result, Form())
    return Aligned(tuple(result), g.assume(lost, 0, lost.hi, "a sum of bytes"))


def amount_lanes(g: Graph, name: str, bits: Sequence[Form], when: Form) -> list[Form]:
    """Lanes that are 1 where the bits spell 0, 1, .. and `when` is 1."""
    return [
        g.signal(f"{name} {v}", select(g, [when, *spelled(bits, v)])) for v in range(1 << len(bits))
    ]


# Normalisation


@dataclass(frozen=True, slots=True)
class Normalised:
    """A frame moved left by whole bytes; by how many bits it has to move still, and in all.

    `zero` is 1 for a frame of zeros, of which the amounts mean nothing.
    """

    digits: Digits
    shift: Form
    moved: Form
    zero: Form


def normalise(g: Graph, name: str, x: Sequence[Form], room: Form, when: Form) -> Normalised:
    """The bytes x moved left until the top bit is 1, but by no more than `room` bits.

    h bytes move at least where the top h are 0 and room >= 8 h: one step of room minus a
    multiple of their sum that no room reaches. Of the top byte b then, 7 - sum_i [b >= 2^i],
    i from 1 to 7, bits are 0 (for b = 0, room is what limits), and min(z, r) == z - relu(z - r).
    """
    size, far = len(x), room.hi + 1
    least = [Form.of(when)]
    for h in range(1, size):
        blocked = room - far * sum(x[size - h :], Form())
        least.append(_bit(g, f"{name}.{h} bytes", step(g, blocked, 8 * h, when)))
    exact = [a - b for a, b in zip(least, [*least[1:], Form()], strict=True)]
    digits = [
        _byte(g, f"{name}.moved {j}", choose(g, ((exact[h], x[j - h]) for h in range(j + 1))))
        for j in range(size)
    ]
    coarse = 8 * sum(least[1:], Form())
    zeros = g.signal(
        f"{name}.zeros", 7 * when - sum((step(g, digits[-1], 1 << i) for i in range(1, 8)), Form())
    )
    over = g.signal(f"{name}.no room", g.neuron(g.assume(zeros, 0, 7, "zeros") - room + coarse))
    shift = g.assume(zeros - over, 0, 7, "a minimum")
    zero = g.signal(f"{name}.zero", g.neuron(when - sum(x, Form())))
    return Normalised(tuple(digits), shift, coarse + shift, zero)


# Rounding


@dataclass(frozen=True, slots=True)
class Rounded:
    """The bytes of a significand before rounding, and 1 where it goes up."""

    digits: Digits
    up: Form


def cut(g: Graph, name: str, x: Word, shift: Sequence[Form], sticky: Form, cases: Cases) -> Rounded:
    """The significand of a frame moved left by `shift` (3 bits), and how it rounds to even.

    With G the upper eight bits below the significand, `rest` a number that is 0 where the bits
    below those are, w a power of two above it, and `odd` the lowest bit of the significand, it
    goes up where w G + rest + odd + sticky > 128 w: above a half, or at a half with more below
    or an odd significand.
    """
    most = max(f.bits for _, f in cases)
    digits, total = [Form()] * ((most + 7) // 8), Form()
    below = max(8 * f.frame - 1 - f.fraction for _, f in cases) - 8
    w = 1 << (BYTE * (below // 8 + 1)).bit_length()
    bits = [*[Form()] * 8, *x.bits]
    for number, (when, f) in enumerate(cases):
        last = 8 * f.frame - 1 - f.fraction  # the significand's lowest bit, after the move
        for s, by in enumerate(amount_lanes(g, f"{name}.shift {number}", shift, when)):
            at = 8 + last - s
            for j in range(f.top + 1):
                size = min(8, f.fraction + 1 - 8 * j)
                part = weighted(bits[at + 8 * j :][:size], 2)
                digits[j] = digits[j] + g.neuron(by, part)
            whole, end = (last - 8 - s) // 8, at - 16
            rest = sum(
                [*x.bytes[: max(whole, 0)], *x.bits[8 * max(whole, 0) : max(end, 0)]], Form()
            )
            total = total + g.neuron(by, w * weighted(bits[at - 8 : at], 2) + rest + bits[at])
    reach = g.assume(total, 0, w * BYTE - 1, "one format and amount at a time")
    lane = g.signal(f"{name}.below", reach)
    up = _bit(g, f"{name}.up", step(g, lane + sticky, 128 * w + 1))
    return Rounded(tuple(digits), up)


def pack(g: Graph, exponent: Sequence[Form], sign: Form, cases: Cases) -> list[Form]:
    """What exponent (bits) and sign add to the bytes of a significand with its implicit bit.

    The exponent counts from 0, so that a significand below the implicit bit packs as a subnormal,
    and a rounding up that leaves the significand packs as the next exponent. An exponent above 0
    comes with the implicit bit: its part in the top byte of the fraction overflows where it is
    all ones.
    """
    digits = [Form()] * max(f.bits // 8 for _, f in cases)
    for when, f in cases:
        count = f.bits - 1 - f.fraction
        inside = min(8 - f.fraction % 8, count)
        low, high = exponent[:inside], exponent[inside:count]
        overflow = select(g, [when, *low]) if high else Form()
        digits[f.top] = digits[f.top] + g.neuron(when, f.unit * weighted(low, 2)) - BYTE * overflow
        last = f.bits // 8 - 1
        if high:
            digits[last] = digits[last] + g.neuron(when, weighted(high, 2)) + overflow
        digits[last] = digits[last] + 128 * select(g, [when, sign])
    return digits


def ripple(g: Graph, name: str, digits: Sequence[Form], up: Form) -> list[Form]:
    """Proper bytes plus a bit at the lowest: all carries in one layer.

    A carry of 1 leaves byte j where the bytes up to it are all 255: where their plain sum plus
    the bit is above 255 (j + 1), and then it is above it by 1.
    """
    total, carries = up, [up]
    lanes = [_byte(g, f"{name} {j}", digit) for j, digit in enumerate(digits)]
    for j, digit in enumerate(lanes[:-1]):
        total = total + digit
        carries.append(g.neuron(total - (BYTE - 1) * (j + 1)))
    out = [*carries[1:], Form()]
    return [d + c - BYTE * o for d, c, o in zip(digits, carries, out, strict=True)]


# Products


@dataclass(frozen=True, slots=True)
class Product:
    """The upper bytes of a product, and a number that is 0 where the lower ones are."""

    digits: Digits
    lost: Form


def product(
    g: Graph,
    name: str,
    a: Sequence[Form],
    b: Sequence[Form],
    when: Form,
    formats: Sequence[FloatFormat] = (),
) -> Product:
    """The upper n + 1 bytes of the product of two numbers of n bytes each.

    If formats are given, both are promised to be significands of one of them, as in `factor`.

    relu(x) * y == x * y for x >= 0 gives the byte products, and a column is the sum of those of
    equal weight. A column from n - 1 on is split into three bytes, so that at most three bytes and
    a carry meet in a digit. Below, only a carry matters and whether anything is left: up to four
    columns are split as one number.
    """
    size = len(a)
    columns: list[list[Form]] = [[] for _ in range(2 * size - 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            columns[i + j].append(g.neuron(x, y))
    lower, bases, incoming = [], [], Form()
    for first in range(0, size - 1, 4):
        group = columns[first : min(first + 4, size - 1)]
        rest, high = _lower_columns(g, f"{name}.columns from {first}", group)
        lower.append(rest + incoming)
        bases.append(BYTE ** len(group))
        incoming = high
    upper = [incoming, *[Form()] * size]
    for c, column in enumerate(columns[size - 1 :]):
        x = g.signal(f"{name}.column {size - 1 + c}", sum(column, Form()))
        most = max((_column(f, size - 1 + c) for f in formats), default=len(column) * _SQUARE)
        for i, digit in enumerate(_three_bytes(g, f"{name}.column {size - 1 + c}", x, most)):
            if digit != Form():
                upper[c + i] = upper[c + i] + digit
    digits = carry(
        g, [*lower[1:], *upper], [*bases[1:], *[BYTE] * len(upper)], when, fits=True
    ).digits
    count = len(lower[1:])
    return Product(digits[count:], sum([*lower[:1], *digits[:count]], Form()))


def _lower_columns(g: Graph, name: str, columns: Sequence[Sequence[Form]]) -> tuple[Form, Form]:
    """Columns as one number: what is left of it, and what it carries."""
    weights = [BYTE**i for i in range(len(columns))]
    total = sum(
        (w * sum(column, Form()) for w, column in zip(weights, columns, strict=True)), Form()
    )
    most = sum(w * len(column) * _SQUARE for w, column in zip(weights, columns, strict=True))
    x = g.assume(g.signal(name, total), 0, most, "products of bytes")
    return split(g, name, x, BYTE ** len(columns), 3)


def _column(f: FloatFormat, column: int) -> int:
    """The largest column of a product of significands, which fill the upper bytes of a factor."""
    most = [0] * (f.frame - 2 - f.top) + [BYTE - 1] * f.top + [2 * f.unit - 1]
    return sum(x * most[column - i] for i, x in enumerate(most) if 0 <= column - i < len(most))


def _three_bytes(g: Graph, name: str, x: Form, most: int) -> list[Form]:
    """A sum of byte products in proper bytes."""
    rest, high = divide(g, f"{name}.high", x, BYTE * BYTE, most)
    inner, coarse = divide(g, f"{name}.coarse", rest, 16 * BYTE, min(most, BYTE * BYTE - 1))
    low, fine = divide(g, f"{name}.fine", inner, BYTE, 16 * BYTE - 1)
    return [low, 16 * coarse + fine, high]


def divide(g: Graph, name: str, x: Form, base: int, most: int) -> tuple[Form, Form]:
    """Lanes for (x mod base, floor(x / base)), for 0 <= x <= most.

    Neurons of x alone write both in one layer, so that the weights prove the range of the
    remainder: relu(x) - base * floor(x / base), and beyond `most` it stays what it is there.
    """
    high = floor_divide(g, x, base, most=most // base)
    low = g.neuron(x) - base * high - g.neuron(x - most)
    return g.signal(f"{name}.rest", low), g.signal(name, high)


# The first steps of sums and products


@dataclass(frozen=True, slots=True)
class SumStart:
    """What a sum needs after its first step; `special` bytes are the result where `ends` is 1.

    Elsewhere `digits` is the frame of the operand with the smaller magnitude, `exponent` the
    room of the larger one in two digits, `shift` how far the smaller one moves right. Bits:
    `first` where the first operand is the larger one, `implicit` its implicit bit, `subtracts`,
    and the `sign` of the result.
    """

    digits: Digits
    exponent: Digits
    shift: Form
    sign: Form
    subtracts: Form
    first: Form
    implicit: Form
    special: Digits
    ends: Form
    goes: Form


def begin_sum(
    g: Graph, name: str, words: tuple[Word, Word], a: Operand, b: Operand, minus: Form, cases: Cases
) -> SumStart:
    """a + b, or a - b where `minus` is 1, up to the alignment.

    The exact difference of equal numbers is +0. An infinity wins over what is finite; two of
    different signs, or a NaN, make a NaN.
    """
    when = g.assume(sum((case for case, _ in cases), Form()), 0, 1, "one format at a time")
    order = compare_magnitudes(g, f"{name}.order", *words, cases)
    sign_b = g.signal(f"{name}.sign of the second", parity(g, [b.sign, minus]))
    differ = g.signal(f"{name}.signs differ", parity(g, [a.sign, b.sign, minus]))
    ends = _bit(g, f"{name}.special", step(g, a.special + b.special, 1, when))
    nans = a.special - a.infinite + b.special - b.infinite
    nan = _bit(g, f"{name}.nan", step(g, nans, 1, when))
    distance, most = a.number - b.number, 8 * cases[0][1].frame - 1
    shift = clamp(g, distance, 0, most) + clamp(g, -distance, 0, most)
    goes, first = when - ends, order.reached - ends
    second = when - order.reached - ends
    digits, low = [Form()] * cases[0][1].frame, Form()
    for case, f in cases:
        for chosen, word, operand in ((first, words[1], b), (second, words[0], a)):
            for j, digit in enumerate(f.significand(word)):
                implicit = f.unit * (1 - operand.tiny) if j == f.top else Form()
                byte = g.neuron(chosen + case - 1, digit + implicit)
                digits[f.low + j] = digits[f.low + j] + byte
        low = low + f.room * g.neuron(case - ends)
    low = low + choose(g, ((first, a.exponent[0] + a.tiny), (second, b.exponent[0] + b.tiny)))
    high = choose(g, ((first, a.exponent[1]), (second, b.exponent[1])))
    sign = select(g, [first, a.sign]) + select(g, [second, sign_b])
    cancels = g.neuron(order.equal + differ + a.sign - 2 - ends)
    bad = _bit(g, f"{name}.no number", nan + g.neuron(a.infinite + b.infinite + differ - 2))
    infinite_sign = select(g, [a.infinite, a.sign]) + g.neuron(sign_b - a.infinite)
    signed = _bit(g, f"{name}.sign of an infinity", infinite_sign)
    return SumStart(
        digits=tuple(digits),
        exponent=carry(g, [low, high], most=1, fits=True).digits,  # of one operand
        shift=g.neuron(goes, g.signal(f"{name}.distance", shift)),
        sign=sign - cancels,
        subtracts=g.neuron(goes, differ),
        first=g.neuron(first),
        implicit=g.neuron(first - a.tiny) + g.neuron(second - b.tiny),
        special=tuple(special(g, cases, ends, bad, signed)),
        ends=ends,
        goes=goes,
    )


def larger(
    g: Graph, words: tuple[Word, Word], first: Form, implicit: Form, cases: Cases
) -> list[Form]:
    """The frame of the larger operand: of the first where a bit is 1."""
    digits = [Form()] * cases[0][1].frame
    for case, f in cases:
        for j, (x, y) in enumerate(zip(*map(f.significand, words), strict=True)):
            chosen = select(g, [case, first], x) + select(g, [case, 1 - first], y)
            digits[f.low + j] = digits[f.low + j] + chosen
        top = f.low + f.top
        digits[top] = digits[top] + f.unit * select(g, [case, implicit])
    return digits


def add_aligned(
    g: Graph, name: str, y: Aligned, x: Sequence[Form], subtracts: Form, sticky: Form
) -> Digits:
    """The bytes of x + y, or of x - y, where more than y was lost: minus 1.

    For x >= y >= 0. x - (y + lost) == (x - y - 1) + (1 - lost) for 0 < lost < 1, so that the sticky
    bit stays set and one unit is borrowed.
    """
    borrow = step(g, y.lost + sticky, 1, subtracts)
    digits = []
    for j, (large, small) in enumerate(zip(x, y.digits, strict=True)):
        signed = small - 2 * g.neuron(subtracts, small)
        signed = g.assume(signed, 1 - BYTE, BYTE - 1, "a byte with a sign")
        large = g.assume(large, 0, BYTE - 1, "one operand at a time")
        digits.append(g.signal(f"{name}.{j}", large + signed - (borrow if j == 0 else 0)))
    return carry(g, digits, fits=True, group=4).digits


@dataclass(frozen=True, slots=True)
class ProductStart:
    """What a product is after its first step; `special` bytes are the result where `ends` is 1.

    `fast` where the product of the significands is the result: then `exponent` (two digits) is
    its room, or `shift` how far it moves right. `slow`, for either operand, where that is
    subnormal and has to be normalised first: then `digits` is its frame, `exponent` its room.
    """

    digits: Digits
    exponent: tuple[Form, Form]
    shift: Form
    sign: Form
    fast: Form
    slow: tuple[Form, Form]
    under: Form
    special: Digits
    ends: Form


def begin_product(
    g: Graph, name: str, words: tuple[Word, Word], a: Operand, b: Operand, cases: Cases
) -> ProductStart:
    """a * b but for the product of the significands.

    Its room is the sum of the exponents plus a constant. Where that is negative, the result is
    below the normal range, so that a subnormal operand need not be normalised. Two of them make a
    zero where bias >= fraction + 2; `ValueError` for a format in which they may not.
    """
    if any(f.bias < f.fraction + 2 for _, f in cases):
        raise ValueError("the product of two subnormal numbers may be more than a zero")
    when = g.assume(sum((case for case, _ in cases), Form()), 0, 1, "one format at a time")
    constants = [divmod(product_room(f), BYTE) for _, f in cases]
    low = a.exponent[0] + b.exponent[0] + a.tiny + b.tiny
    high = a.exponent[1] + b.exponent[1]
    for (case, _), (quotient, rest) in zip(cases, constants, strict=True):
        low, high = low + rest * case, high + quotient * case
    room = low + BYTE * high
    under = _bit(g, f"{name}.under", step(g, -room, 1, when))
    ends = _bit(g, f"{name}.special", step(g, a.special + b.special, 1, when))
    small = a.tiny + b.tiny + a.zero + b.zero - 4 * (a.special + b.special)
    nil = _bit(g, f"{name}.nil", step(g, small, 2, when))
    nans = a.special - a.infinite + b.special - b.infinite
    bad = step(g, nans, 1) + select(g, [a.infinite, b.zero]) + select(g, [b.infinite, a.zero])
    bad = _bit(g, f"{name}.no number", bad)
    sign = g.signal(f"{name}.sign", parity(g, [a.sign, b.sign]))
    plain = when - ends - nil
    slow = (
        _bit(g, f"{name}.first is subnormal", g.neuron(plain + a.tiny - under - 1)),
        _bit(g, f"{name}.second is subnormal", g.neuron(plain + b.tiny - under - 1)),
    )
    digits = [Form()] * cases[0][1].frame
    more = Form()
    for case, f in cases:
        for bit, word in zip(slow, words, strict=True):
            for j, digit in enumerate(f.significand(word)):
                digits[f.low + j] = digits[f.low + j] + select(g, [bit, case], digit)
            more = more + (f.room + 1) * select(g, [bit, case])
    normal = plain - under
    specials = special(g, cases, ends, bad, sign)
    zeros = [d + s for d, s in zip(specials, _signs(g, cases, nil, sign), strict=True)]
    fast = g.assume(plain - slow[0] - slow[1], 0, 1, "a bit")
    return ProductStart(
        digits=tuple(digits),
        exponent=(g.neuron(normal, low) + more, g.neuron(normal, high)),
        shift=g.neuron(
            plain, g.signal(f"{name}.below", clamp(g, -room, 0, 8 * cases[0][1].frame - 1))
        ),
        sign=g.neuron(plain, sign),
        fast=fast,
        slow=slow,
        under=under,
        special=tuple(zeros),
        ends=ends + nil,
    )


def _signs(g: Graph, cases: Cases, when: Form, sign: Form) -> list[Form]:
    """The bytes of a zero with a sign."""
    digits = [Form()] * max(f.bits // 8 for _, f in cases)
    for case, f in cases:
        last = f.bits // 8 - 1
        digits[last] = digits[last] + 128 * select(g, [case, when, sign])
    return digits


def product_room(f: FloatFormat) -> int:
    """What the room of a product has beyond the biased exponents of its factors.

    Significands stand at the top of frame - 1 bytes, and their product in the frame from there on.
    """
    offset = f.frame - 2 - f.top
    return 8 * f.frame - 2 - 2 * f.fraction - f.bias - 8 * (2 * offset - f.frame + 2)


Choice = tuple[Form, FloatFormat, Sequence[Form], Form]


def factor(g: Graph, name: str, choices: Iterable[Choice]) -> list[Form]:
    """The bytes of a factor: one significand of several.

    Each choice is a bit, its format, the bytes, and the implicit bit where those lack it.
    """
    digits: list[Form] = []
    for bit, f, significand, implicit in choices:
        digits = digits or [Form()] * (f.frame - 1)
        offset = f.frame - 2 - f.top
        for j, digit in enumerate(significand):
            digits[offset + j] = digits[offset + j] + g.neuron(bit, digit)
        digits[-1] = digits[-1] + f.unit * implicit
    return [g.signal(f"{name} {j}", digit) for j, digit in enumerate(digits)]
