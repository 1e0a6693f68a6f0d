"""Numeric instructions where one bit or one byte decides, and in phases that few operands lead to.

A host may append any token, so a scene can begin an instruction in a later phase, with a number of
its own in the WORK token (`machines/trace/floats.py` says what it holds). Most cases run one step.
"""

from collections.abc import Callable, Iterator
from itertools import product

from transputer.check.audit.numbers import COMPARISONS, NumberScenes
from transputer.check.audit.stage import Scene
from transputer.isa.floats import F32, F64, Format
from transputer.isa.integers import mask
from transputer.machines.trace.floats import ALIGN, KEEP, NORM, PACK, SCALED
from transputer.machines.trace.vocabulary import Space

FORMATS = (F32, F64)
ONES = mask(64)
#: All flags of a WORK token.
FLAGS = 0xFC


class TailScenes(NumberScenes):
    """A stage on which instructions begin in any phase."""

    def middle(
        self, name: str, phase: int, x: int, e: int = 0, flags: int = FLAGS, shift: int = 0
    ) -> None:
        """Run one step of an instruction, with a number in the WORK token."""
        at = e | flags << 16 | shift << 24
        here = self.place(name, phase)
        self.go(here, (), 1, space=Space.WORK, at=at, value=x, work=0x91A2B3C4)


def _op(f: Format, name: str) -> str:
    return f"f{f.bits}.{name}"


def _bias(f: Format) -> int:
    return f.infinity >> f.fraction + 1


def rounds() -> Scene:
    """Packing: carries through all digits, and each bit that decides whether a half goes up."""
    s = TailScenes([_op(f, "add") for f in FORMATS])
    for f, shift in product(FORMATS, range(8)):
        name, below = _op(f, "add"), 63 - f.fraction  # bits below the significand
        for e in (0, 1, 0x7F, _bias(f) - 1):
            s.middle(name, PACK, ONES >> shift, e, shift=shift)
        # more than a half, a half above an odd number, a half above an even one
        for bit in (*range(below - 1), below, 62):
            half = 1 << 63 | 1 << below - 1 | 1 << bit
            if half & mask(shift) == 0:
                s.middle(name, PACK, half >> shift, 5, shift=shift)
    for f in FORMATS:
        for e in (1, 2, 4, 0x100):
            s.middle(_op(f, "add"), KEEP, ONES >> 3, e, shift=3)
    return s.scene("roundings of every shift")


def moves() -> Scene:
    """Alignment by every amount, and normalisation with every room that limits it."""
    s = TailScenes([_op(f, "add") for f in FORMATS])
    for amount in range(64):
        s.middle("f64.add", ALIGN, ONES, shift=amount)
        s.middle("f32.add", ALIGN, 1 << amount, flags=2, shift=min(63, amount + 1))
    for amount, bit in product(range(8), repeat=2):
        if bit < amount:
            s.middle("f64.add", ALIGN, 1 << bit, flags=0, shift=amount)
    for top in range(64):
        for room in (0, 63 - top - 1, 63 - top, 1 << top % 12):
            s.middle("f64.add", NORM, 1 << top | 1, max(0, room))
    for f, top in product(FORMATS, range(0, 64, 5)):
        for beyond in (-1, 0, 1):  # the exponent just fits, or does not
            s.middle(_op(f, "add"), NORM, 1 << top, 2 * _bias(f) + 63 - top + beyond)
        s.middle(_op(f, "add"), NORM, 0, 1 << top % 12)
    return s.scene("moves by every amount")


def _lanes(f: Format) -> Iterator[int]:
    """A bit of every byte of the fraction, and of those beside the exponent every one."""
    yield from range(0, f.fraction // 8 * 8, 8)
    yield from range(f.fraction // 8 * 8, f.fraction)


def classes() -> Scene:
    """Zeros, subnormals, normal numbers, infinities and NaNs that one bit tells apart."""
    names = ("add", "mul", *COMPARISONS, "nearest")
    s = NumberScenes([_op(f, name) for f in FORMATS for name in names])
    for f in FORMATS:
        exponents = [1 << bit for bit in range(f.fraction, f.bits - 1)]
        fractions = [1 << bit for bit in _lanes(f)]
        for x in (*fractions, *exponents):
            for name, a, b in (("mul", x, f.infinity), ("eq", x | f.sign, f.sign)):
                s.run(_op(f, name), a, b, steps=1)
                s.run(_op(f, name), b, a, steps=1)
        for x in (*(f.infinity | part for part in fractions), *(f.infinity ^ e for e in exponents)):
            for name, other in (("mul", 0), ("add", f.infinity), ("lt", f.sign), ("min", 0)):
                s.run(_op(f, name), x, other, steps=1)
                s.run(_op(f, name), other, x, steps=1)
            s.run(_op(f, "nearest"), x, steps=1)
        for name, a, b in product(COMPARISONS, (0, f.sign), (0, f.sign)):
            s.run(_op(f, name), a, b, steps=1)
    return s.scene("classes of floats")


def specials() -> Scene:
    """Arithmetic on each class with each class."""
    names = ("mul", "div")
    s = NumberScenes([_op(f, name) for f in FORMATS for name in ("add", *names)])
    for f in FORMATS:
        kinds = (0, 1, f.encode(1.5), f.infinity, f.nan)
        signed = [x | sign for x in (0, f.encode(1.5), f.infinity) for sign in (0, f.sign)]
        for a, b in product(signed, repeat=2):
            s.run(_op(f, "add"), a, b, steps=1)
        for name, a, b in product(names, kinds, kinds):
            s.run(_op(f, name), a, b, steps=1)
    return s.scene("special operands")


def powers() -> Scene:
    """Powers of two whose exponents have one bit, each where its implicit bit counts."""
    names = ("add", "mul", "div", "sqrt")
    ops = [_op(f, name) for f in FORMATS for name in names]
    others = ("f64.promote_f32", "f64.convert_i64_s", "f64.ceil", "f32.ceil")
    s = NumberScenes([*ops, *others, "i64.trunc_f64_s", "i64.trunc_sat_f64_s"])
    for f in FORMATS:
        other, dense = f.encode(1.25), mask(f.fraction)
        for x in (1 << bit for bit in range(f.fraction, f.bits - 1)):
            for name, y in (("add", other), ("add", 1), ("mul", other), ("div", x | dense)):
                s.run(_op(f, name), x, y, steps=1)
                s.run(_op(f, name), y, x, steps=1)
            s.run(_op(f, "sqrt"), x, steps=1)
    for bit in range(31):
        s.run("f64.promote_f32", 1 << bit, steps=1)
    for byte in range(8):
        s.run("f64.convert_i64_s", 1 << 63 | 1 << 8 * byte, steps=1)
    for f in FORMATS:  # all ones, rounded up
        for exponent in range(f.fraction + 1):
            ones = mask(f.fraction)
            s.run(_op(f, "ceil"), _bias(f) + exponent << f.fraction | ones, steps=1)
    for byte, low in product(range(8), repeat=2):
        number = -((1 << 8 * byte) + (1 << 8 * low if low < byte else 0))
        s.run(s.pick(s.names[-2:]), F64.encode(float(number)))
    return s.scene("powers of two")


def digits() -> Scene:
    """Divisions: single bytes, and negative results that are 0 in their low bytes."""
    s = NumberScenes(
        [*(f"i{w}.{name}" for w in (32, 64) for name in ("div_s", "rem_s")), "i64.div_u"]
    )
    for a, b in product(range(8), repeat=2):
        s.run("i64.div_u", 1 << 8 * a, 1 << 8 * b, steps=2)
    for width in (32, 64):
        ones = mask(width)
        for low, divisor in product(range(width // 8), (3, 0x101, -3)):
            part, room = 1 << 8 * low, width - 2 - divisor.bit_length()
            for top in (part, ONES << 8 * low & mask(max(8 * low + 1, room))):
                s.run(f"i{width}.div_s", -top * abs(divisor) & ones, divisor & ones)
                rest = top << 8 | part
                s.run(f"i{width}.rem_s", -rest & ones, rest + 1 & ones)
        for low, bits in product(range(width // 8 - 1), (0x9FA7C3B5D9E1F3, 0x6DB6DB6DB6DB6D)):
            rest = 1 << 8 * low
            divisor = rest << 8 | bits & (rest << 8) - 1
            quotient = (1 << width - 1 - divisor.bit_length()) - 0x35
            for number in (quotient * divisor, (quotient & 0xFF) * divisor):
                s.run(f"i{width}.rem_s", -(number + rest) & ones, divisor)
    return s.scene("digits of divisions")


def estimates() -> Scene:
    """Long divisors: the first estimate of a digit is 1 less, and the result is 0 in low bytes."""
    names = [f"i64.{name}" for name in ("div_s", "rem_s", "div_u", "rem_u")]
    s = NumberScenes(names)
    for size in range(5, 8):
        divisor = 0x1A << 8 * size - 8 | mask(8 * size - 16)
        for low, rest in product(range(9 - size), (0, 1, 0x5A)):
            number = (1 << 8 * low) * divisor + rest
            for name in names:
                s.run(name, (-number if "_s" in name else number) & ONES, divisor)
                s.run(name, number + (divisor >> 8 * low) & ONES, divisor)
    return s.scene("estimated digits")


def nearest() -> Scene:
    """Floats that keep all bits but a few when they are rounded to an integer, with any tail."""
    s = NumberScenes([_op(f, name) for f in FORMATS for name in ("nearest", "ceil", "floor")])
    for f, lost, tail in product(FORMATS, range(4), range(16)):
        x = _bias(f) + f.fraction - lost << f.fraction | mask(f.fraction) ^ 15 | tail
        s.run(_op(f, "nearest"), x, steps=1)
        s.run(_op(f, s.pick(("ceil", "floor"))), x | f.sign * (tail & 1), steps=1)
    return s.scene("few bits lost")


def scaled() -> Scene:
    """Roots and quotients of subnormal numbers, from the step after they were scaled."""
    s = TailScenes([_op(f, name) for f in FORMATS for name in ("sqrt", "div", "mul")])
    for f, name in product(FORMATS, ("sqrt", "div", "mul")):
        top = 1 << f.fraction
        for x, e in product((2 * top - 1, top, top | 0x5A5A5A5A5A5A5A & top - 1), range(1, 9)):
            flags = (0, 2, 4, 8)[e % 4]
            s.middle(_op(f, name), SCALED, x, e + 64 * (e % 3), flags)
        for bit in range(11):
            s.middle(_op(f, name), SCALED, top, 1 << bit, 0)
    for f, bit in product(FORMATS, range(1, 52, 2)):
        if bit < f.fraction:
            s.run(_op(f, "sqrt"), mask(bit + 1))
    return s.scene("scaled operands")


#: Operands from a random search, each of which some weight was felt on first.
FOUND: tuple[tuple[str, tuple[int, ...]], ...] = (
    ("f32.convert_i64_s", (0xFE00000000000002,)),
    ("f32.convert_i64_s", (0xFFFC000000001000,)),
    ("f32.convert_i64_s", (0xFFFC000008000000,)),
    ("f32.convert_i64_s", (0xFFFFFFFFF0004000,)),
    ("f32.div", (0x80000001, 0x7C0000)),
    ("f32.sqrt", (0x46022112,)),
    ("f32.sqrt", (0x5D800080,)),
    ("f64.div", (0x1, 0x800000000000007F)),
    ("f64.div", (0x8000000000000002, 0xC0B0000007FFFFFF)),
    ("f64.div", (0x8000000FFFFFF000, 0x8000000FFFEFF000)),
    ("f64.mul", (0x1FFF, 0x7F7EBFA9B48A0000)),
    ("f64.mul", (0x418FFFFFFFFFFF80, 0xC18FFFFFFFFFFF80)),
    ("f64.mul", (0x42A000000FFFFFFF, 0x42A0000010000002)),
    ("f64.mul", (0xBFC272E3FDC01EED, 0x3FC272E3FDC01EED)),
    # sums of bytes that carry 2
    ("f64.mul", (0x3FF83B24B7E7A3F3, 0x3FFBFF5AE2D5D01F)),
    ("f64.mul", (0x3FFF6865E9B3DCB7, 0x3FFEEFF7C6056FF2)),
    ("f64.mul", (0x3FFBD7578447FB11, 0x3FF1BCFA33F70E71)),
    ("f64.mul", (0x3FF2B9C3D19C7FD4, 0x3FFF34EFFF65B401)),
    ("f64.mul", (0x3FFFCED7F34D17FF, 0x3FF54BFFFF7CFFFF)),
    ("f64.mul", (0x3FF3FFFFC2FFFFD1, 0x3FFCD99B8F01DBD4)),
    # roots with a digit that was estimated 1 too small
    ("f64.sqrt", (0x3FF04EDB03721083,)),
    ("f64.sqrt", (0x3FF0D4392250CD6C,)),
    ("f64.sqrt", (0x4347A21B80080000,)),
    ("i32.rem_s", (0xFC000000, 0x100000)),
    ("i32.rem_s", (0xFFF00000, 0xFFF00000)),
    ("i64.div_s", (0xF000000000000000, 0x800000000000000)),
    ("i64.rem_s", (0x3F9B7D7000000001, 0xFFFFFFF800000000)),
)


def found() -> Scene:
    """The operands of `FOUND`."""
    s = NumberScenes(sorted({name for name, _ in FOUND}))
    for name, operands in FOUND:
        s.run(name, *operands)
    return s.scene("operands found")


#: All scenes of this module.
TAILS: tuple[Callable[[], Scene], ...] = (
    rounds,
    moves,
    classes,
    specials,
    powers,
    digits,
    estimates,
    nearest,
    scaled,
    found,
)
