"""The table of vector instructions: fixed-width and relaxed SIMD.

A vector is an unsigned number of 128 bits, lane 0 lowest. Opcodes are numbered 0xFD000 + number,
because relaxed instructions have numbers beyond 255. Pure functions take lane immediates first; that of
a load of one lane takes the lane, the bytes and the vector. Relaxed instructions do what the
deterministic profile says.
"""

from collections.abc import Callable, Iterator
from functools import partial

from transputer.errors import Trap
from transputer.isa import floats as fl
from transputer.isa import integers as it
from transputer.isa.floats import F32, F64, Format
from transputer.isa.integers import BITS, join, mask, signed, split
from transputer.isa.op import Op, Pure, Table

PREFIX = 0xFD
#: Number of an opcode in the table: `FIRST` plus the number after the prefix byte.
FIRST = PREFIX << 12
#: Kinds of lane immediates, with the number of lanes.
LANES = {f"lane{count}": count for count in (2, 4, 8, 16)}


def _lanewise(n: int, fn: Callable[..., int], *vectors: int) -> int:
    return join(n, [fn(*lanes) for lanes in zip(*(split(n, v) for v in vectors), strict=True)])


def _compare(n: int, fn: Callable[..., int], a: int, b: int) -> int:
    """All bits of a lane are the result of its comparison."""
    return _lanewise(n, lambda x, y: -fn(x, y), a, b)


def _shift(n: int, fn: Callable[..., int], a: int, count: int) -> int:
    return join(n, [fn(x, count % n) for x in split(n, a)])


def _saturated(n: int, is_signed: bool, value: int) -> int:
    low, high = (-(1 << n - 1), mask(n - 1)) if is_signed else (0, mask(n))
    return min(max(value, low), high) & mask(n)


def _value(n: int, is_signed: bool, lane: int) -> int:
    return signed(n, lane) if is_signed else lane


def _add_sat(n: int, is_signed: bool, a: int, b: int) -> int:
    return _saturated(n, is_signed, _value(n, is_signed, a) + _value(n, is_signed, b))


def _sub_sat(n: int, is_signed: bool, a: int, b: int) -> int:
    return _saturated(n, is_signed, _value(n, is_signed, a) - _value(n, is_signed, b))


def _least(n: int, is_signed: bool, a: int, b: int) -> int:
    return min(a, b, key=partial(_value, n, is_signed))


def _most(n: int, is_signed: bool, a: int, b: int) -> int:
    return max(a, b, key=partial(_value, n, is_signed))


def _average(a: int, b: int) -> int:
    return (a + b + 1) // 2


def _q15(a: int, b: int) -> int:
    return _saturated(16, True, signed(16, a) * signed(16, b) + (1 << 14) >> 15)


def _pmin(f: Format, a: int, b: int) -> int:
    return b if fl.lt(f, b, a) else a


def _pmax(f: Format, a: int, b: int) -> int:
    return b if fl.lt(f, a, b) else a


def _fused(f: Format, negate: bool, a: int, b: int, c: int) -> int:
    """a * b + c, or -(a * b) + c, rounded once."""
    a ^= f.sign * negate
    x, y, z = (f.decode(v) for v in (a, b, c))
    if not all(abs(v) < float("inf") for v in (x, y, z)):
        product = F64.decode(fl.mul(F64, F64.encode(x), F64.encode(y)))
        finite = abs(x) < float("inf") > abs(y)
        return f.encode(z if finite else product + z)
    (x_top, x_scale), (y_top, y_scale), (z_top, z_scale) = (v.as_integer_ratio() for v in (x, y, z))
    top, scale = x_top * y_top * z_scale + z_top * x_scale * y_scale, x_scale * y_scale * z_scale
    if not top:  # both terms are zero, or they cancel
        product_sign = (a ^ b) & f.sign
        return 0 if z else product_sign & c
    return fl.rounded(f, abs(top), scale) | (f.sign if top < 0 else 0)


_INTEGER: dict[str, tuple[str, Callable[[int], Pure]]] = {
    "abs": ("Absolute value, wrapping.", lambda n: partial(it.abs_, n)),
    "neg": ("Zero minus the lane.", lambda n: partial(it.neg, n)),
    "popcnt": ("Count one bits.", lambda n: partial(it.popcnt, n)),
    "add": ("Add, wrapping.", lambda n: partial(it.add, n)),
    "sub": ("Subtract, wrapping.", lambda n: partial(it.sub, n)),
    "mul": ("Multiply, wrapping.", lambda n: partial(it.mul, n)),
    "add_sat_s": ("Add, saturating signed.", lambda n: partial(_add_sat, n, True)),
    "add_sat_u": ("Add, saturating unsigned.", lambda n: partial(_add_sat, n, False)),
    "sub_sat_s": ("Subtract, saturating signed.", lambda n: partial(_sub_sat, n, True)),
    "sub_sat_u": ("Subtract, saturating unsigned.", lambda n: partial(_sub_sat, n, False)),
    "min_s": ("Signed minimum.", lambda n: partial(_least, n, True)),
    "min_u": ("Unsigned minimum.", lambda n: partial(_least, n, False)),
    "max_s": ("Signed maximum.", lambda n: partial(_most, n, True)),
    "max_u": ("Unsigned maximum.", lambda n: partial(_most, n, False)),
    "avgr_u": ("Unsigned average, rounded up.", lambda n: _average),
    "q15mulr_sat_s": ("Multiply Q15 numbers, rounding and saturating.", lambda n: _q15),
    "relaxed_q15mulr_s": ("`q15mulr_sat_s`.", lambda n: _q15),
}
_FLOAT: dict[str, tuple[str, Callable[..., int]]] = {
    "ceil": ("Round up to an integer.", fl.ceil),
    "floor": ("Round down to an integer.", fl.floor),
    "trunc": ("Round toward zero to an integer.", fl.trunc),
    "nearest": ("Round to the nearest integer, ties to even.", fl.nearest),
    "abs": ("Clear the sign bit.", fl.abs_),
    "neg": ("Flip the sign bit.", fl.neg),
    "sqrt": ("Square root.", fl.sqrt),
    "add": ("Add.", fl.add),
    "sub": ("Subtract.", fl.sub),
    "mul": ("Multiply.", fl.mul),
    "div": ("Divide.", fl.div),
    "min": ("Smaller operand; NaN if either is.", fl.min_),
    "max": ("Larger operand; NaN if either is.", fl.max_),
    "pmin": ("The second operand if it is less, else the first.", _pmin),
    "pmax": ("The second operand if it is greater, else the first.", _pmax),
    "relaxed_min": ("`min`.", fl.min_),
    "relaxed_max": ("`max`.", fl.max_),
}
_UNARY = {"abs", "neg", "popcnt", "ceil", "floor", "trunc", "nearest", "sqrt"}
_COMPARE = "eq ne lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u"
_ARITHMETIC = "sqrt add sub mul div min max pmin pmax"
_SATURATING = "shl shr_s shr_u add add_sat_s add_sat_u sub sub_sat_s sub_sat_u"
_EXTREMA = "min_s min_u max_s max_u"

#: Instructions on lanes of one shape, as runs of consecutive numbers.
_RUNS: dict[str, tuple[tuple[int, str], ...]] = {
    "i8x16": (
        (35, _COMPARE),
        (96, "abs neg popcnt all_true bitmask"),
        (107, _SATURATING),
        (118, _EXTREMA),
        (123, "avgr_u"),
    ),
    "i16x8": (
        (45, _COMPARE),
        (128, "abs neg q15mulr_sat_s all_true bitmask"),
        (139, _SATURATING),
        (149, f"mul {_EXTREMA}"),
        (155, "avgr_u"),
        (0x111, "relaxed_q15mulr_s"),
    ),
    "i32x4": (
        (55, _COMPARE),
        (160, "abs neg"),
        (163, "all_true bitmask"),
        (171, "shl shr_s shr_u add"),
        (177, "sub"),
        (181, f"mul {_EXTREMA}"),
    ),
    "i64x2": (
        (192, "abs neg"),
        (195, "all_true bitmask"),
        (203, "shl shr_s shr_u add"),
        (209, "sub"),
        (213, "mul eq ne lt_s gt_s le_s ge_s"),
    ),
    "f32x4": (
        (65, "eq ne lt gt le ge"),
        (103, "ceil floor trunc nearest"),
        (224, "abs neg"),
        (227, _ARITHMETIC),
        (0x105, "relaxed_madd relaxed_nmadd"),
        (0x10D, "relaxed_min relaxed_max"),
    ),
    "f64x2": (
        (71, "eq ne lt gt le ge"),
        (116, "ceil floor"),
        (122, "trunc"),
        (148, "nearest"),
        (236, "abs neg"),
        (239, _ARITHMETIC),
        (0x107, "relaxed_madd relaxed_nmadd"),
        (0x10F, "relaxed_min relaxed_max"),
    ),
}


def _row(
    number: int, name: str, sig: str, doc: str, fn: Pure | None, *imm: str, width: int = 0
) -> Op:
    traps = (Trap.MEMORY_OUT_OF_BOUNDS,) if width else ()
    return Op(name, FIRST + number, sig, doc, fn, (), imm, traps, width, "vector")


def _lane_row(shape: str, name: str, number: int) -> Op:
    """Return the row of an instruction that treats all lanes alike."""
    n = BITS // int(shape.partition("x")[2])
    full = f"{shape}.{name}"
    if shape[0] == "f":
        f = F32 if n == 32 else F64
        if name in ("relaxed_madd", "relaxed_nmadd"):
            fused = partial(_fused, f, name == "relaxed_nmadd")
            doc = f"Per lane: {'-' * (name != 'relaxed_madd')}(a * b) + c, rounded once."
            return _row(number, full, "vvv:v", doc, partial(_lanewise, n, fused))
        if name not in _FLOAT:
            test = partial(getattr(fl, name), f)
            return _row(number, full, "vv:v", _TESTED, partial(_compare, n, test))
        doc, on_float = _FLOAT[name]
        sig = "v:v" if name in _UNARY else "vv:v"
        return _row(
            number, full, sig, f"Per lane: {doc}", partial(_lanewise, n, partial(on_float, f))
        )
    if name in ("shl", "shr_s", "shr_u"):
        fn = partial(_shift, n, partial(getattr(it, name), n))
        return _row(number, full, "vi:v", "Shift each lane by the count modulo its width.", fn)
    if name == "all_true":
        return _row(number, full, "v:i", "1 if no lane is zero.", lambda v: int(all(split(n, v))))
    if name == "bitmask":
        return _row(number, full, "v:i", "The sign bits of all lanes.", partial(_bitmask, n))
    if name not in _INTEGER:
        test = partial(getattr(it, name), n)
        return _row(number, full, "vv:v", _TESTED, partial(_compare, n, test))
    doc, on_lanes = _INTEGER[name]
    sig = "v:v" if name in _UNARY else "vv:v"
    return _row(number, full, sig, f"Per lane: {doc}", partial(_lanewise, n, on_lanes(n)))


_TESTED = "Per lane: all ones if the comparison holds, else zero."


def _bitmask(n: int, v: int) -> int:
    return sum(lane >> n - 1 << i for i, lane in enumerate(split(n, v)))


def _half(n: int, high: bool, is_signed: bool, v: int) -> list[int]:
    """Return the lanes of one half, extended."""
    lanes = split(n, v)
    half = lanes[len(lanes) // 2 :] if high else lanes[: len(lanes) // 2]
    return [_value(n, is_signed, lane) for lane in half]


def _extend(n: int, high: bool, is_signed: bool, v: int) -> int:
    return join(2 * n, _half(n, high, is_signed, v))


def _extmul(n: int, high: bool, is_signed: bool, a: int, b: int) -> int:
    pairs = zip(_half(n, high, is_signed, a), _half(n, high, is_signed, b), strict=True)
    return join(2 * n, [x * y for x, y in pairs])


def _extadd(n: int, is_signed: bool, v: int) -> int:
    lanes = [_value(n, is_signed, lane) for lane in split(n, v)]
    return join(2 * n, [x + y for x, y in zip(lanes[::2], lanes[1::2], strict=True)])


def _narrow(n: int, is_signed: bool, a: int, b: int) -> int:
    lanes = [signed(2 * n, lane) for v in (a, b) for lane in split(2 * n, v)]
    return join(n, [_saturated(n, is_signed, lane) for lane in lanes])


def _dot(n: int, a: int, b: int) -> int:
    """Sums of the products of neighbours, in lanes of twice the width."""
    products = [signed(n, x) * signed(n, y) for x, y in zip(split(n, a), split(n, b), strict=True)]
    return join(2 * n, [x + y for x, y in zip(products[::2], products[1::2], strict=True)])


def _dot_add(a: int, b: int, c: int) -> int:
    sums = [signed(16, lane) for lane in split(16, _dot(8, a, b))]
    pairs = [x + y for x, y in zip(sums[::2], sums[1::2], strict=True)]
    return join(32, [x + y for x, y in zip(pairs, split(32, c), strict=True)])


def _width_rows() -> Iterator[Op]:
    """Rows whose lanes differ in width from those of their operands."""
    for wide, narrow, n, extend, extmul, extadd in (
        ("i16x8", "i8x16", 8, 135, 156, 124),
        ("i32x4", "i16x8", 16, 167, 188, 126),
        ("i64x2", "i32x4", 32, 199, 220, None),
    ):
        for i, is_signed in enumerate((True, False)):
            s, kind = ("s", "sign") if is_signed else ("u", "zero")
            for high, half in enumerate(("low", "high")):
                at, doc = 2 * i + high, f"{kind}-extend the lanes of the {half} half"
                fn = partial(_extend, n, bool(high), is_signed)
                name = f"{wide}.extend_{half}_{narrow}_{s}"
                yield _row(extend + at, name, "v:v", f"{doc.capitalize()}.", fn)
                fn = partial(_extmul, n, bool(high), is_signed)
                name = f"{wide}.extmul_{half}_{narrow}_{s}"
                yield _row(extmul + at, name, "vv:v", f"{doc.capitalize()}, multiply.", fn)
            if extadd is not None:
                name, fn = f"{wide}.extadd_pairwise_{narrow}_{s}", partial(_extadd, n, is_signed)
                yield _row(
                    extadd + i, name, "v:v", f"{kind.capitalize()}-extend; add neighbours.", fn
                )
    for narrow, wide, n, number in (("i8x16", "i16x8", 8, 101), ("i16x8", "i32x4", 16, 133)):
        for i, s in enumerate("su"):
            doc = f"Narrow the lanes of both operands, saturating {'un' * i}signed."
            yield _row(
                number + i, f"{narrow}.narrow_{wide}_{s}", "vv:v", doc, partial(_narrow, n, not i)
            )
    neighbours = "Multiply signed lanes, add the products of neighbours."
    yield _row(186, "i32x4.dot_i16x8_s", "vv:v", neighbours, partial(_dot, 16))
    yield _row(0x112, "i16x8.relaxed_dot_i8x16_i7x16_s", "vv:v", neighbours, partial(_dot, 8))
    name, doc = "i32x4.relaxed_dot_i8x16_i7x16_add_s", "Dot products of four lanes, added to lanes."
    yield _row(0x113, name, "vvv:v", doc, _dot_add)


def _from_low(n: int, fn: Callable[[int], int], v: int) -> int:
    return join(64, [fn(lane) for lane in split(n, v)[:2]])


def _to_low(fn: Callable[[int], int], v: int) -> int:
    return join(32, [fn(lane) for lane in split(64, v)])


def _conversion_rows() -> Iterator[Op]:
    for i, (s, kind) in enumerate((("s", "signed"), ("u", "unsigned"))):
        single, double = (partial(fl.to_int_sat, f, 32, not i) for f in (F32, F64))
        for number, verb in ((248, "trunc_sat"), (0x101, "relaxed_trunc")):
            name, doc = f"i32x4.{verb}_f32x4_{s}", f"Truncate to {kind} integers, saturating."
            yield _row(number + i, name, "v:v", doc, partial(_lanewise, 32, single))
        for number, verb in ((252, "trunc_sat"), (0x103, "relaxed_trunc")):
            name = f"i32x4.{verb}_f64x2_{s}_zero"
            doc = f"Truncate to {kind} integers in the low half, saturating; the high half is zero."
            yield _row(number + i, name, "v:v", doc, partial(_to_low, double))
        doc = f"{kind.capitalize()} integers to floats."
        fn = partial(_lanewise, 32, partial(fl.from_int, F32, 32, not i))
        yield _row(250 + i, f"f32x4.convert_i32x4_{s}", "v:v", doc, fn)
        fn = partial(_from_low, 32, partial(fl.from_int, F64, 32, not i))
        doc = f"{kind.capitalize()} integers of the low half to floats."
        yield _row(254 + i, f"f64x2.convert_low_i32x4_{s}", "v:v", doc, fn)
    doc = "Round to single precision in the low half; the high half is zero."
    yield _row(94, "f32x4.demote_f64x2_zero", "v:v", doc, partial(_to_low, fl.demote))
    doc = "Widen the low half to double precision."
    yield _row(95, "f64x2.promote_low_f32x4", "v:v", doc, partial(_from_low, 32, fl.promote))


def _load_extended(n: int, is_signed: bool, raw: int) -> int:
    return _extend(n, False, is_signed, raw)


def _splat(n: int, value: int) -> int:
    return join(n, [value] * (BITS // n))


def _extract(n: int, is_signed: bool, lane: int, v: int) -> int:
    return _value(n, is_signed, split(n, v)[lane]) & mask(max(n, 32))


def _replace(n: int, lane: int, v: int, value: int) -> int:
    lanes = split(n, v)
    lanes[lane] = value
    return join(n, lanes)


def _load_lane(n: int, lane: int, raw: int, v: int) -> int:
    return _replace(n, lane, v, raw)


def _store_lane(n: int, lane: int, v: int) -> int:
    return split(n, v)[lane]


def _shuffle(lanes: tuple[int, ...], a: int, b: int) -> int:
    both = split(8, a) + split(8, b)
    return join(8, [both[i] for i in lanes])


def _swizzle(a: int, indices: int) -> int:
    lanes = split(8, a)
    return join(8, [lanes[i] if i < 16 else 0 for i in split(8, indices)])


def _memory_rows() -> Iterator[Op]:
    full = "Load or store a vector, little-endian."
    yield _row(0, "v128.load", "i:v", full, it.same, "memarg", width=16)
    yield _row(11, "v128.store", "iv:", full, it.same, "memarg", width=16)
    for i, n in enumerate((8, 16, 32)):
        for j, s in enumerate("su"):
            name = f"v128.load{n}x{64 // n}_{s}"
            doc = f"Load lanes of {n} bits and {'sign' if s == 's' else 'zero'}-extend each."
            fn = partial(_load_extended, n, s == "s")
            yield _row(1 + 2 * i + j, name, "i:v", doc, fn, "memarg", width=8)
    for i, n in enumerate((8, 16, 32, 64)):
        lane, width = f"lane{BITS // n}", n // 8
        doc, fn = f"Load {n} bits into every lane.", partial(_splat, n)
        yield _row(7 + i, f"v128.load{n}_splat", "i:v", doc, fn, "memarg", width=width)
        doc, fn = f"Load {n} bits into one lane.", partial(_load_lane, n)
        yield _row(84 + i, f"v128.load{n}_lane", "iv:v", doc, fn, "memarg", lane, width=width)
        doc, fn = f"Store one lane of {n} bits.", partial(_store_lane, n)
        yield _row(88 + i, f"v128.store{n}_lane", "iv:", doc, fn, "memarg", lane, width=width)
    for number, n in ((92, 32), (93, 64)):
        doc = f"Load {n} bits into lane 0; the others are zero."
        yield _row(number, f"v128.load{n}_zero", "i:v", doc, it.same, "memarg", width=n // 8)


def _lane_access_rows() -> Iterator[Op]:
    layout = (
        ("i8x16", "i", 8, 15, 21),
        ("i16x8", "i", 16, 16, 24),
        ("i32x4", "i", 32, 17, 27),
        ("i64x2", "l", 64, 18, 29),
        ("f32x4", "f", 32, 19, 31),
        ("f64x2", "d", 64, 20, 33),
    )
    for shape, c, n, splat, extract in layout:
        yield _row(
            splat, f"{shape}.splat", f"{c}:v", "The value in every lane.", partial(_splat, n)
        )
        suffixes = ("_s", "_u") if n < 32 else ("",)
        lane = f"lane{BITS // n}"
        for i, suffix in enumerate(suffixes):
            fn = partial(_extract, n, suffix == "_s")
            yield _row(
                extract + i, f"{shape}.extract_lane{suffix}", f"v:{c}", "One lane.", fn, lane
            )
        number, doc = extract + len(suffixes), "The vector with one lane replaced."
        yield _row(number, f"{shape}.replace_lane", f"v{c}:v", doc, partial(_replace, n), lane)


def _bitselect(a: int, b: int, c: int) -> int:
    return a & c | b & ~c


# fmt: off
_WHOLE = (
    _row(12, "v128.const", ":v", "Push a constant.", None, "v128"),
    _row(13, "i8x16.shuffle", "vv:v", "Bytes of both operands by constant indices.", _shuffle, "lanes"),
    _row(14, "i8x16.swizzle", "vv:v", "Bytes of the first operand by index; zero beyond 15.", _swizzle),
    _row(0x100, "i8x16.relaxed_swizzle", "vv:v", "`i8x16.swizzle`.", _swizzle),
    _row(77, "v128.not", "v:v", "Bitwise not.", lambda a: a ^ mask(BITS)),
    _row(78, "v128.and", "vv:v", "Bitwise and.", lambda a, b: a & b),
    _row(79, "v128.andnot", "vv:v", "Bitwise and with the complement of the second.", lambda a, b: a & ~b),
    _row(80, "v128.or", "vv:v", "Bitwise or.", lambda a, b: a | b),
    _row(81, "v128.xor", "vv:v", "Bitwise exclusive or.", lambda a, b: a ^ b),
    _row(82, "v128.bitselect", "vvv:v", "Bits of the first operand where the third has ones.", _bitselect),
    _row(83, "v128.any_true", "v:i", "1 if any bit is set.", lambda a: int(a != 0)),
    *(
        _row(0x109 + i, f"{shape}.relaxed_laneselect", "vvv:v", "`v128.bitselect`.", _bitselect)
        for i, shape in enumerate(("i8x16", "i16x8", "i32x4", "i64x2"))
    ),
)
# fmt: on

_ROWS = (
    *_WHOLE,
    *_memory_rows(),
    *_lane_access_rows(),
    *_width_rows(),
    *_conversion_rows(),
    *(
        _lane_row(shape, name, first + i)
        for shape, runs in _RUNS.items()
        for first, names in runs
        for i, name in enumerate(names.split())
    ),
)

VECTORS = Table("WebAssembly vectors", sorted(_ROWS, key=lambda op: op.code))
