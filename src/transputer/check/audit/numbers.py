"""Numeric instructions at their edges: every carry, amount, exponent, digit and rounding."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import product

from transputer.check.audit.stage import LONGEST, MOST_SLOTS, Scene, SceneBuilder, StageState
from transputer.ir.core import core
from transputer.isa.core import CORE
from transputer.isa.floats import F32, F64, Format
from transputer.isa.integers import mask
from transputer.machines.trace.vocabulary import Record, Space

PC = 0x00FE00
#: Bits of a byte at which bits are counted one by one.
_SAMPLE = 8
ORDERS = ("lt_s", "lt_u", "gt_s", "gt_u", "le_s", "le_u", "ge_s", "ge_u", "eq", "ne")
SHIFTS = ("shl", "shr_u", "shr_s", "rotl", "rotr")
DIVISIONS = ("div_s", "div_u", "rem_s", "rem_u")
ROUNDINGS = ("ceil", "floor", "trunc", "nearest")
COMPARISONS = ("eq", "ne", "lt", "gt", "le", "ge", "min", "max", "copysign")
TRUNCATIONS = tuple(row.name for row in CORE if ".trunc_" in row.name)
CONVERSIONS = tuple(row.name for row in CORE if ".convert_" in row.name)
#: Pairs of a format: (dividend, divisor) and the like.
Pair = tuple[int, int]


class NumberScenes(SceneBuilder):
    """A stage with one instruction of each name, each at a place of its own."""

    def __init__(self, names: Sequence[str], seed: int = 0) -> None:
        super().__init__(seed)
        self.names = tuple(names)
        self.code(PC, *map(core, names))
        self.items = [_noisy(item) for item in self.items]
        self.prelude = len(self.items)

    def place(self, name: str, phase: int = 0) -> StageState:
        """A state before an instruction, anywhere on the stack."""
        sp = int(self._coin.integers(2, MOST_SLOTS))
        fp, depth = int(self._coin.integers(sp - 1)), int(self._coin.integers(1 << 16))
        return StageState(PC + self.names.index(name), sp, fp, depth, phase)

    def run(self, name: str, *operands: int, steps: int = LONGEST) -> None:
        """Execute an instruction on operands, the top one last."""
        self.go(self.place(name), operands, steps)

    def scene(self, name: str) -> Scene:
        """All of it; every instruction can do without those before it."""
        return Scene(name, tuple(self.items), self.prelude)

    def pick(self, names: Sequence[str]) -> str:
        """One of these names."""
        return names[self.below(len(names))]

    def bits(self, count: int) -> int:
        """A random number of this many bits."""
        return int.from_bytes(self.rng.bytes(8), "little") & mask(count)


def _noisy(item: Record | int) -> Record | int:
    """An instruction with an immediate that it does not read."""
    if isinstance(item, int) or item.space != Space.CODE:
        return item
    return replace(item, value=mask(64))


def _named(width: int, names: Sequence[str]) -> list[str]:
    return [f"i{width}.{name}" for name in names]


def bits() -> Scene:
    """Everything that tests its operand for zero or counts its bits, on single bits."""
    counts = ("clz", "ctz", "popcnt", "eqz")
    s = NumberScenes([*_named(32, counts), *_named(64, counts)])
    for width, bit in ((w, b) for w in (32, 64) for b in range(w)):
        for name in _named(width, counts):
            s.run(name, 1 << bit)
            if bit % _SAMPLE in (0, 5):
                s.run(name, mask(width) ^ 1 << bit)
    for name in s.names:
        s.run(name, 0)
    return s.scene("single bits")


def shifts() -> Scene:
    """Every amount on all ones, and on a pattern."""
    s = NumberScenes([*_named(32, SHIFTS), *_named(64, SHIFTS)])
    for width, pattern in product((32, 64), (mask(64), 0xB7E151628AED2A6A)):
        for amount, name in product(range(width), _named(width, SHIFTS)):
            if pattern == mask(64) or amount % 5 == 0:
                s.run(name, pattern & mask(width), amount)
    return s.scene("shifts by every amount")


def sums() -> Scene:
    """Carries and borrows that begin at every byte; logic; extensions."""
    names = ("add", "sub", "and", "or", "xor")
    unary = [row.name for row in CORE if row.fn and (".extend" in row.name or ".wrap" in row.name)]
    signs = ("i32.neg", "i32.abs")
    s = NumberScenes([*_named(32, names), *_named(64, names), *unary, *signs])
    for width in (32, 64):
        ones = mask(width)
        for byte, name in product(range(width // 8), _named(width, names)):
            low = 1 << 8 * byte
            s.run(name, ones ^ (low - 1), low)
            s.run(name, low << 7 & ones, low << 7 & ones)
            s.run(name, s.number(width // 8), s.number(width // 8))
            s.run(name, 0, low)
    for byte, name in product(range(8), (*unary, *signs)):
        narrow = 8 if name.startswith("i64") and "_i32" not in name else 4
        for number in (0x7F << 8 * byte, 0x80 << 8 * byte, s.number(narrow), 1 << 8 * byte):
            wide = name == "i32.wrap_i64" or narrow == 8
            s.run(name, number & mask(64 if wide else 32))
    for number in (1 << 31, (1 << 31) + 1, mask(32), *(1 << 31 | 1 << 8 * b for b in range(4))):
        for name in signs:
            s.run(name, number)
    return s.scene("sums")


def orders() -> Scene:
    """Comparisons that each byte decides, with both signs."""
    s = NumberScenes([*_named(32, ORDERS), *_named(64, ORDERS)])
    for width in (32, 64):
        top = 1 << width - 1
        for byte, sign in product(range(width // 8), (0, top)):
            a, b = (sign | x << 8 * byte & mask(width - 1) for x in (1, 2))
            for name, (x, y) in product(
                _named(width, ORDERS), ((a, b), (b, a), (a, a), (a, top ^ a))
            ):
                if s.below(2):
                    s.run(name, x, y)
    return s.scene("orders")


def products() -> Scene:
    """Columns of byte products, large ones and random ones."""
    s = NumberScenes(["i32.mul", "i64.mul"])
    for width in (32, 64):
        name, ones = f"i{width}.mul", mask(width)
        s.run(name, ones, ones & 0xFEFEFEFEFEFEFEFE)
        for i, j in product(range(width // 8), repeat=2):
            s.run(name, 0xFF << 8 * i, 0xFF << 8 * j)
        for low in (0, 0, 0, 0xFFFF, 0xFFFFFF) * 6:
            s.run(name, s.bits(width) | low, s.bits(width) | low)
            s.run(name, s.number(width // 8), s.number(width // 8))
    return s.scene("products")


def quotients() -> Scene:
    """Divisions of every length by every length, exact ones among them; traps."""
    s = NumberScenes([*_named(32, DIVISIONS), *_named(64, DIVISIONS)])
    for width in (32, 64):
        for name, (a, b) in product(_named(width, DIVISIONS), _divisions(width)):
            s.run(name, a, b)
        size = width // 8
        for n, d in product(range(1, size + 1), repeat=2):
            for turn in range(4 if width == 64 else 2):
                divisor = (s.bits(8 * d), s.number(d))[turn % 2] or 1
                dividend = s.bits(8 * n)
                if turn > 1 and n >= d:  # exact, or just not
                    k = s.bits(8 * (n - d) + 1) or 1
                    dividend = divisor * k + (0, divisor - 1, 1)[s.below(3)]
                s.run(s.pick(_named(width, DIVISIONS)), dividend & mask(width), divisor)
    for bit in range(64):  # one bit decides whether the quotient fits
        if bit < 31:
            s.run("i32.div_s", 1 << 31 | 1 << bit, mask(32), steps=1)
            s.run("i32.div_s", 1 << 31, mask(32) ^ 1 << bit, steps=1)
        if bit < 63:
            s.run("i64.div_s", 1 << 63 | 1 << bit, mask(64), steps=1)
            s.run("i64.div_s", 1 << 63, mask(64) ^ 1 << bit, steps=1)
        if bit % 8 == 0:
            s.run("i64.div_u", 1, 1 << bit, steps=1)
    return s.scene("quotients")


def _divisions(width: int) -> Iterator[Pair]:
    top, ones = 1 << width - 1, mask(width)
    yield from ((1, 0), (top, ones), (top, 1), (7, ones - 1), (ones - 6, 2), (ones, top))
    yield from ((top | 1, top), (0, 5), (ones ^ 0xFF, 0xFF), (1 << 32, 1 << 32 & ones or 3))


def _floats(f: Format) -> list[int]:
    """Patterns at which something changes, of both signs."""
    one = f.encode(1.0)
    positive = (
        *(0, 1, (1 << f.fraction) - 1, 1 << f.fraction, (1 << f.fraction) + 1),
        *(one - 1, one, one + 1, f.encode(1.5), f.infinity - 1, f.infinity),
        *(f.nan, f.infinity + 1, f.nan + 5),
    )
    return [x | sign for x in positive for sign in (0, f.sign)]


def _random(s: NumberScenes, f: Format, exponent: int) -> int:
    """A random number of a biased exponent; few fraction bits or many."""
    fraction = s.bits(f.fraction)
    kind = s.below(4)
    if kind == 0:
        fraction = mask(f.fraction) ^ mask(s.below(f.fraction))
    elif kind == 1:
        short = s.below(f.fraction)
        fraction = fraction >> short << short
    return s.below(2) * f.sign | exponent << f.fraction | fraction


def _most(f: Format) -> int:
    """The largest biased exponent of a finite number."""
    return (f.infinity >> f.fraction) - 1


def _prefix(f: Format) -> str:
    return f"f{f.bits}"


def float_orders() -> Scene:
    """Comparisons, minima, maxima and signs: edges with edges, neighbours, each byte."""
    names = [f"{_prefix(f)}.{op}" for f in (F32, F64) for op in (*COMPARISONS, "abs", "neg")]
    s = NumberScenes(names)
    for f in (F32, F64):
        own = [f"{_prefix(f)}.{op}" for op in COMPARISONS]
        edges = _floats(f)
        for a, b in product(edges, edges):
            if s.below(6) == 0:
                s.run(s.pick(own), a, b)
        for byte, sign, name in product(range(f.bits // 8), (0, f.sign), own):
            a = f.encode(3.0) | sign
            b = a ^ 1 << min(8 * byte, f.bits - 3)
            s.run(name, *((a, b), (b, a))[s.below(2)])
        for a in edges:
            s.run(f"{_prefix(f)}.abs", a)
            s.run(f"{_prefix(f)}.neg", a)
        for bit in range(f.fraction):  # one bit makes a NaN
            s.run(s.pick(own), *((f.infinity | 1 << bit, 0), (0, f.infinity | 1 << bit))[bit % 2])
    return s.scene("orders of floats")


def _sums(f: Format) -> Callable[[], Scene]:
    """Sums and differences: every distance of exponents, cancellation, edges with edges."""

    def scene() -> Scene:
        names = [f"{_prefix(f)}.{op}" for op in ("add", "sub")]
        s = NumberScenes(names, seed=f.bits)
        edges = _floats(f)
        for a, b in product(edges[::2], edges):
            if s.below(4) == 0:
                s.run(s.pick(names), a, b)
        for distance, low in product(range(f.fraction + 14), (1, _most(f) - 70, 5)):
            base = max(0, min(low, _most(f) - distance))
            a, b = _random(s, f, base + distance), _random(s, f, base)
            s.run(s.pick(names), *((a, b), (b, a))[s.below(2)])
        for bit in range(f.fraction):  # what is left has its top bit here
            a = _random(s, f, s.below(_most(f)))
            s.run(names[1], a, a ^ 1 << bit)
        return s.scene(f"sums of {_prefix(f)}")

    return scene


def _products(f: Format) -> Callable[[], Scene]:
    """Products: edges with edges, subnormal factors and results, columns of bytes."""

    def scene() -> Scene:
        name = f"{_prefix(f)}.mul"
        s = NumberScenes([name], seed=f.bits)
        edges, bias = _floats(f), _most(f) // 2
        for a, b in product(edges[::2], edges):
            if s.below(4) == 0:
                s.run(name, a, b)
        for below in range(-3, f.fraction + 14):  # results below the normal range by this much
            e = 1 + s.below(bias - f.fraction - 20)
            other = bias + 1 - below - e
            s.run(name, _random(s, f, e), _random(s, f, max(0, min(other, _most(f)))))
        for bit in range(f.fraction):  # a subnormal factor with its top bit here
            tiny = 1 << bit | s.bits(f.fraction) & mask(bit)
            operands = tiny, _random(s, f, bias + s.below(bias))
            s.run(name, *operands[:: 1 - 2 * (bit % 2)])
        for _ in range(40):
            s.run(name, _random(s, f, bias + s.below(40)), _random(s, f, bias + s.below(40)))
        return s.scene(f"products of {_prefix(f)}")

    return scene


def _quotients(f: Format) -> Callable[[], Scene]:
    """Quotients: edges with edges, exact ones, subnormal operands and results."""

    def scene() -> Scene:
        name = f"{_prefix(f)}.div"
        s = NumberScenes([name], seed=f.bits)
        edges, bias = _floats(f), _most(f) // 2
        for a, b in product(edges[::2], edges):
            if s.below(6) == 0:
                s.run(name, a, b)
        for i in range(60):
            a, b = (_random(s, f, bias + s.below(20)) for _ in range(2))
            if i % 3 == 0:  # an exact quotient
                a = f.encode(f.decode(b & ~mask(f.fraction // 2)) * (1 + s.below(1 << 10)))
                b &= ~mask(f.fraction // 2)
            s.run(name, a, b)
        for below in range(-3, f.fraction + 8, 2):
            s.run(name, _random(s, f, 1 + s.below(9)), _random(s, f, bias + below + s.below(9)))
        for bit in range(0, f.fraction, 3):
            tiny = 1 << bit | s.bits(f.fraction) & mask(bit)
            normal = _random(s, f, s.below(bias) + 1)
            s.run(name, *((tiny, normal), (normal, tiny))[bit % 2])
        return s.scene(f"quotients of {_prefix(f)}")

    return scene


def roots() -> Scene:
    """Square roots: exact ones, subnormal operands, both parities of the exponent."""
    s = NumberScenes(["f32.sqrt", "f64.sqrt"])
    for f, name in ((F32, "f32.sqrt"), (F64, "f64.sqrt")):
        for a in _floats(f):
            s.run(name, a)
        for _ in range(40):
            s.run(name, _random(s, f, s.below(_most(f))) & ~f.sign)
        for _ in range(15):
            s.run(name, f.encode(float(s.bits(f.fraction // 2)) ** 2))
        for bit in range(0, f.fraction, 2):
            s.run(name, 1 << bit | s.bits(f.fraction) & mask(bit))
    return s.scene("square roots")


def roundings() -> Scene:
    """Floats rounded to integers: every exponent, halves, both signs."""
    s = NumberScenes([f"{_prefix(f)}.{mode}" for f in (F32, F64) for mode in ROUNDINGS])
    for f in (F32, F64):
        own, bias = [f"{_prefix(f)}.{mode}" for mode in ROUNDINGS], _most(f) // 2
        for a, name in product(_floats(f), own):
            s.run(name, a)
        for exponent, name in product(range(-2, f.fraction + 2), own):
            s.run(name, _random(s, f, bias + exponent))
            half = 1 << max(0, f.fraction - exponent - 1)
            ties = s.bits(f.fraction) & ~mask(max(0, f.fraction - max(0, exponent))) | half
            s.run(name, bias + exponent << f.fraction | ties & mask(f.fraction))
    return s.scene("roundings")


def truncations() -> Scene:
    """Floats to integers: every exponent, the limits of the integers, NaNs."""
    s = NumberScenes(TRUNCATIONS)
    for f in (F32, F64):
        own = [name for name in TRUNCATIONS if _prefix(f) in name]
        bias = _most(f) // 2
        limits = [f.encode(2.0**k) + d for k in (31, 32, 63, 64) for d in (-1, 0, 1)]
        limits += [f.encode(x) for x in (0.0, 0.75, 1.0, 2147483647.5, 4294967295.5)]
        limits += [f.infinity, f.nan, 1, f.infinity - 1]
        for name, number, sign in product(own, limits, (0, f.sign)):
            if s.below(2):
                s.run(name, number | sign)
        for exponent, _ in product(range(-2, 66), range(4)):
            s.run(s.pick(own), _random(s, f, bias + exponent))
        for bit in range(f.fraction):
            s.run(s.pick(own), f.infinity | 1 << bit)
    return s.scene("floats to integers")


def conversions() -> Scene:
    """Integers to floats, and floats to floats: every length, ties, ranges of subnormals."""
    s = NumberScenes([*CONVERSIONS, "f32.demote_f64", "f64.promote_f32"])
    for bit, name in product(range(64), CONVERSIONS):
        width = 64 if "_i64" in name else 32
        if bit < width and s.below(2):
            number = 1 << bit | s.bits(64) & mask(bit)
            s.run(name, number)
            s.run(name, -number & mask(width))
    for name in CONVERSIONS:
        width = 64 if "_i64" in name else 32
        for number in (0, 1, mask(width), 1 << width - 1, (1 << width - 1) - 1):
            s.run(name, number)
        for byte in range(width // 8):
            s.run(name, -(1 << 8 * byte) & mask(width))
    for exponent in (*range(1023 - 152, 1023 - 120), 1023, 1023 + 126, 1023 + 127, 1023 + 128, 2):
        s.run("f32.demote_f64", _random(s, F64, exponent))
        tie = s.bits(24) << 29 | 1 << 28
        s.run("f32.demote_f64", exponent << 52 | tie & mask(52))
    for bit in range(52):
        s.run("f32.demote_f64", F64.infinity | 1 << bit)
    for f, name in ((F64, "f32.demote_f64"), (F32, "f64.promote_f32")):
        for number in _floats(f):
            s.run(name, number)
    for bit in range(23):
        s.run("f64.promote_f32", 1 << bit | s.bits(23) & mask(bit))
        s.run("f64.promote_f32", F32.infinity | 1 << bit)
        s.run("f64.promote_f32", _random(s, F32, 1 + s.below(254)))
    return s.scene("conversions")


#: The scenes of this page.
NUMBERS: tuple[Callable[[], Scene], ...] = (
    bits,
    shifts,
    sums,
    orders,
    products,
    quotients,
    float_orders,
    *(kind(f) for kind in (_sums, _products, _quotients) for f in (F32, F64)),
    roots,
    roundings,
    truncations,
    conversions,
)
