"""Vector instructions as instructions on words, or as calls of routines on words.

Operands and results are pairs of words, the low word first.
"""

import re
from collections.abc import Callable, Iterator

from transputer.ir.module import Instr
from transputer.isa.integers import BITS, mask, split
from transputer.isa.op import Registry, ValType, ValueType
from transputer.isa.vectors import VECTORS
from transputer.isa.wasm import WASM
from transputer.lower.vector_library import BINARY, TESTS, UNARY

WORD = 64
#: Largest offset of an access; any access there is out of bounds.
_LAST = (1 << 32) - 1


class WordCode:
    """Collects the code of a function. Calls of routines have their names until they are linked.

    `first` is the index of the first scratch local; `extra` are those used.
    """

    def __init__(self, first: int) -> None:
        self.first = first
        self.body: list[Instr] = []
        self.scratch: dict[str, int] = {}
        self.extra: list[tuple[int, ValueType]] = []

    def emit(self, text: str, *accesses: Instr) -> None:
        """Append instructions, separated by commas.

        `get`, `set` and `tee` take a scratch local (`p` has an address, others words), `call` a
        routine, `const` and `i32` a constant; `access` is the next of `accesses`.
        """
        remaining = iter(accesses)
        for words in (item.split() for item in text.split(",")):
            verb, arg = words[0], words[-1]
            if verb == "access":
                self.body.append(next(remaining))
            elif verb in ("get", "set", "tee"):
                self.body.append(Instr(WASM[f"local.{verb}"], (self.local(arg),)))
            elif verb == "call":
                self.body.append(Instr(WASM["call"], (arg,)))
            elif verb == "const":
                self.body.append(Instr(WASM["i64.const"], (int(arg, 0) & mask(WORD),)))
            elif verb == "i32":
                self.body.append(Instr(WASM["i32.const"], (int(arg, 0),)))
            else:
                self.body.append(Instr(WASM[verb]))

    def local(self, name: str) -> int:
        """Return the index of a scratch local, which is added on first use."""
        if name not in self.scratch:
            self.scratch[name] = self.first + len(self.extra)
            self.extra.append((1, ValType.I32 if name == "p" else ValType.I64))
        return self.scratch[name]

    def vector(self, instr: Instr) -> None:
        """Append the words of a vector instruction: by its own rule, or word by word."""
        if (rule := RULES.rules.get(instr.name)) is not None:
            rule(self, instr)
            return
        convert, operation = _on_words(instr.name)
        text = _BY_WORD[instr.op.sig].replace("CONVERT, ", convert)
        self.emit(text.replace("OP", operation))


#: An instruction on vectors as one on each word, by signature; CONVERT prepares an operand.
_BY_WORD = {
    "v:v": "set x1, CONVERT, OP, get x1, CONVERT, OP",
    "vv:v": "set y1, set y0, set x1, CONVERT, get y0, CONVERT, OP, "
    "get x1, CONVERT, get y1, CONVERT, OP",
    "vvv:v": "set z1, set z0, set y1, set y0, set x1, get y0, get z0, OP, "
    "get x1, get y1, get z1, OP",
    "vi:v": "i64.extend_i32_u, set y0, set x1, get y0, OP, get x1, get y0, OP",
}
_TO_MASK = "i64.extend_i32_u, const -1, i64.mul"
#: Instructions on words that need no routine.
_INLINE = {
    "v128.not": "const -1, i64.xor",
    "v128.and": "i64.and",
    "v128.andnot": "const -1, i64.xor, i64.and",
    "v128.or": "i64.or",
    "v128.xor": "i64.xor",
    "i64x2.neg": "const -1, i64.mul",
    **{f"i64x2.{verb}": f"i64.{verb}" for verb in ("add", "sub", "mul", "shl", "shr_s", "shr_u")},
    **{
        f"i64x2.{verb}": f"i64.{verb}, {_TO_MASK}"
        for verb in ("eq", "ne", "lt_s", "gt_s", "le_s", "ge_s")
    },
    "f32x4.abs": "const 0x7fffffff7fffffff, i64.and",
    "f32x4.neg": "const 0x8000000080000000, i64.xor",
    "f64x2.abs": "const 0x7fffffffffffffff, i64.and",
    "f64x2.neg": "const 0x8000000000000000, i64.xor",
}
#: Relaxed instructions that another instruction implements.
_PLAIN = {
    **{
        f"{shape}.relaxed_{v}": f"{shape}.{v}"
        for shape in ("f32x4", "f64x2")
        for v in ("min", "max")
    },
    **{f"i32x4.relaxed_trunc_{t}": f"i32x4.trunc_sat_{t}" for t in ("f32x4_s", "f32x4_u")},
    **{f"i{n}x{BITS // n}.relaxed_laneselect": "v128.bitselect" for n in (8, 16, 32, 64)},
    "i16x8.relaxed_q15mulr_s": "i16x8.q15mulr_sat_s",
}


def _on_words(name: str) -> tuple[str, str]:
    """Return how an operand is prepared and what computes a word from the operands."""
    name = _PLAIN.get(name, name)
    shape, _, verb = name.partition(".")
    if shape == "f64x2" and verb in (*UNARY, *BINARY):
        return "f64.reinterpret_i64, ", f"f64.{verb}, i64.reinterpret_f64"
    if shape == "f64x2" and verb in TESTS:
        return "f64.reinterpret_i64, ", f"f64.{verb}, {_TO_MASK}"
    return "", _INLINE.get(name, f"call {name}")


Rule = Callable[[WordCode, Instr], None]
#: Instructions that are not the same for both words.
RULES: Registry[Rule] = Registry(VECTORS)


def _named(pattern: str) -> Iterator[str]:
    return (op.name for op in VECTORS if re.fullmatch(pattern, op.name))


def _width(name: str) -> int:
    """Return the width of the lanes that a name ends or begins with, as in `i8x16.splat`."""
    match = re.match(r"[if](\d+)x|v128\.(?:load|store)(\d+)", name)
    return int(match[1] or match[2]) if match else BITS


def _access(name: str, instr: Instr, more: int = 0) -> Instr:
    """Return a load or store of a word, `more` bytes behind the address of a vector instruction."""
    _, offset, memory = instr.args[0]
    return Instr(WASM[name], ((0, min(offset + more, _LAST), memory),), instr.span)


@RULES.on("v128.const")
def _const(c: WordCode, instr: Instr) -> None:
    low, high = split(WORD, instr.args[0])
    c.emit(f"const {low}, const {high}")


@RULES.on("v128.load")
def _load(c: WordCode, instr: Instr) -> None:
    pair = (_access("i64.load", instr), _access("i64.load", instr, 8))
    c.emit("tee p, access, get p, access", *pair)


@RULES.on("v128.store")
def _store(c: WordCode, instr: Instr) -> None:
    pair = (_access("i64.store", instr, 8), _access("i64.store", instr))
    c.emit("set x1, set x0, tee p, get x1, access, get p, get x0, access", *pair)


def _zero_extended(instr: Instr) -> Instr:
    n = _width(instr.name)
    return _access("i64.load" if n == WORD else f"i64.load{n}_u", instr)


def _copies(n: int) -> str:
    """Return code that copies the low lane of a word, whose other lanes are zero, to all lanes."""
    return f"const {mask(WORD) // mask(n)}, i64.mul, tee x0, get x0"


@RULES.on(*_named(r"v128\.load\d+_splat"))
def _load_splat(c: WordCode, instr: Instr) -> None:
    c.emit("access, " + _copies(_width(instr.name)), _zero_extended(instr))


@RULES.on(*_named(r"v128\.load\d+_zero"))
def _load_zero(c: WordCode, instr: Instr) -> None:
    c.emit("access, const 0", _zero_extended(instr))


@RULES.on(*_named(r"v128\.load\d+x.*"))
def _load_extended(c: WordCode, instr: Instr) -> None:
    extend = _extension(_width(instr.name), instr.name[-1])
    c.emit(f"access, tee x0, {extend}, get x0, {_UPPER}, {extend}", _access("i64.load", instr))


#: Moves the upper half of a word to its lower half.
_UPPER = "const 32, i64.shr_u"


def _extension(n: int, sign: str) -> str:
    """Return code that widens the lanes in the lower half of a word."""
    if n == 32:
        return "i64.extend32_s" if sign == "s" else "const 0xffffffff, i64.and"
    return f"call extend{n}_{sign}"


@RULES.on(*_named(r".*\.extend_.*"))
def _extend(c: WordCode, instr: Instr) -> None:
    extend = _extension(_width(instr.name) // 2, instr.name[-1])
    word = "set x0, drop, get x0" if "_high_" in instr.name else "drop, tee x0"
    c.emit(f"{word}, {extend}, get x0, {_UPPER}, {extend}")


@RULES.on(*_named(r".*\.extmul_.*"))
def _extmul(c: WordCode, instr: Instr) -> None:
    n = _width(instr.name)
    extend = _extension(n // 2, instr.name[-1])
    multiply = "i64.mul" if n == WORD else f"call i{n}x{BITS // n}.mul"
    words = "set y0, drop, set x0, drop" if "_high_" in instr.name else "drop, set y0, drop, set x0"
    c.emit(f"{words}, get x0, {extend}, get y0, {extend}, {multiply}")
    c.emit(f"get x0, {_UPPER}, {extend}, get y0, {_UPPER}, {extend}, {multiply}")


@RULES.on(*_named(r".*\.narrow_.*"))
def _narrow(c: WordCode, instr: Instr) -> None:
    c.emit(f"set y1, set y0, call {instr.name}, get y0, get y1, call {instr.name}")


#: Conversions of a value to a word and back, by the shape of the vector.
_TO_WORD = {
    "f32x4": "i32.reinterpret_f32, i64.extend_i32_u",
    "f64x2": "i64.reinterpret_f64",
    "i64x2": "",
}
_FROM_WORD = {
    "f32x4.extract_lane": "i32.wrap_i64, f32.reinterpret_i32",
    "f64x2.extract_lane": "f64.reinterpret_i64",
    "i64x2.extract_lane": "",
    "i32x4.extract_lane": "i32.wrap_i64",
    "i16x8.extract_lane_s": "i32.wrap_i64, i32.extend16_s",
    "i16x8.extract_lane_u": "i32.wrap_i64, i32 0xffff, i32.and",
    "i8x16.extract_lane_s": "i32.wrap_i64, i32.extend8_s",
    "i8x16.extract_lane_u": "i32.wrap_i64, i32 0xff, i32.and",
}


def _to_word(shape: str, n: int) -> str:
    convert = _TO_WORD.get(shape, "i64.extend_i32_u")
    return _and(convert, f"const {mask(n)}, i64.and" if n < 32 else "")


def _and(*parts: str) -> str:
    """Return code in sequence."""
    return ", ".join(part for part in parts if part)


@RULES.on(*_named(r".*\.splat"))
def _splat(c: WordCode, instr: Instr) -> None:
    n = _width(instr.name)
    copies = "tee x0, get x0" if n == WORD else _copies(n)
    c.emit(_and(_to_word(instr.name[:5], n), copies))


def _take(n: int, lane: int) -> str:
    """Return code that replaces a vector by the word of a lane, with that lane lowest."""
    word, shift = divmod(lane * n, WORD)
    return _and(
        "set x0, drop, get x0" if word else "drop", f"const {shift}, i64.shr_u" * (shift > 0)
    )


@RULES.on(*_FROM_WORD)
def _extract(c: WordCode, instr: Instr) -> None:
    c.emit(_and(_take(_width(instr.name), instr.args[0]), _FROM_WORD[instr.name]))


@RULES.on(*_named(r"v128\.store\d+_lane"))
def _store_lane(c: WordCode, instr: Instr) -> None:
    n = _width(instr.name)
    store = "i64.store" if n == WORD else f"i64.store{n}"
    c.emit(_take(n, instr.args[1]) + ", access", _access(store, instr))


def _put(n: int, lane: int) -> str:
    """Return code that replaces a lane of the vector (x0, x1) by the word on the stack."""
    word, shift = divmod(lane * n, WORD)
    value = _and(f"const {shift}, i64.shl" * (shift > 0))
    if n < WORD:
        value = _and(value, f"get x{word}, const {~(mask(n) << shift)}, i64.and, i64.or")
    return _and(value, f"set x{word}, get x0, get x1")


@RULES.on(*_named(r".*\.replace_lane"))
def _replace(c: WordCode, instr: Instr) -> None:
    n = _width(instr.name)
    value = _and(_to_word(instr.name[:5], n), "set y0, set x1, set x0, get y0")
    c.emit(_and(value, _put(n, instr.args[0])))


@RULES.on(*_named(r"v128\.load\d+_lane"))
def _load_lane(c: WordCode, instr: Instr) -> None:
    put = _put(_width(instr.name), instr.args[1])
    c.emit(_and("set x1, set x0, access", put), _zero_extended(instr))


@RULES.on("i8x16.shuffle")
def _shuffle(c: WordCode, instr: Instr) -> None:
    """Collect, for each word, the bytes that move by the same distance from the same word."""
    c.emit("set y1, set y0, set x1, set x0")
    lanes = instr.args[0]
    for half in (lanes[:8], lanes[8:]):
        moves: dict[tuple[int, int], int] = {}
        for at, lane in enumerate(half):
            word, byte = divmod(lane, 8)
            moves[word, byte - at] = moves.get((word, byte - at), 0) | 0xFF << 8 * at
        for i, ((word, distance), bits) in enumerate(moves.items()):
            shift = "shr_u" if distance > 0 else "shl"
            count = 8 * abs(distance)
            left = mask(WORD) >> count if distance > 0 else mask(WORD) << count & mask(WORD)
            c.emit(
                _and(
                    f"get {('x0', 'x1', 'y0', 'y1')[word]}",
                    f"const {count}, i64.{shift}" * (distance != 0),
                    f"const {bits}, i64.and" * (bits != left),
                    "i64.or" * (i > 0),
                )
            )


@RULES.on("i8x16.swizzle", "i8x16.relaxed_swizzle")
def _swizzle(c: WordCode, instr: Instr) -> None:
    c.emit("set y1, set y0, set x1, set x0, get x0, get x1, get y0, call swizzle")
    c.emit("get x0, get x1, get y1, call swizzle")


@RULES.on("v128.any_true")
def _any_true(c: WordCode, instr: Instr) -> None:
    c.emit("i64.or, const 0, i64.ne")


@RULES.on(*_named(r".*\.all_true"))
def _all_true(c: WordCode, instr: Instr) -> None:
    test = "const 0, i64.ne" if _width(instr.name) == WORD else f"call {instr.name}"
    c.emit(f"set x1, {test}, get x1, {test}, i32.and")


@RULES.on(*_named(r".*\.bitmask"))
def _bitmask(c: WordCode, instr: Instr) -> None:
    n = _width(instr.name)
    bits = "const 63, i64.shr_u, i32.wrap_i64" if n == WORD else f"call {instr.name}"
    c.emit(f"set x1, {bits}, get x1, {bits}, i32 {WORD // n}, i32.shl, i32.or")


@RULES.on(*_named(r"i32x4\..*trunc.*_f64x2_[su]_zero"), "f32x4.demote_f64x2_zero")
def _to_low(c: WordCode, instr: Instr) -> None:
    """Convert both doubles to halves of the low word."""
    convert = "f32.demote_f64, i32.reinterpret_f32"
    if instr.name.startswith("i"):
        convert = f"i32.trunc_sat_f64_{instr.name[-6]}"
    lane = f"f64.reinterpret_i64, {convert}, i64.extend_i32_u"
    c.emit(f"set x1, {lane}, get x1, {lane}, const 32, i64.shl, i64.or, const 0")


@RULES.on("f64x2.promote_low_f32x4", *_named(r"f64x2\.convert_low_.*"))
def _from_low(c: WordCode, instr: Instr) -> None:
    """Convert both halves of the low word to doubles."""
    convert = f"f64.convert_i32_{instr.name[-1]}"
    if "promote" in instr.name:
        convert = "f32.reinterpret_i32, f64.promote_f32"
    lane = f"i32.wrap_i64, {convert}, i64.reinterpret_f64"
    c.emit(f"drop, tee x0, {lane}, get x0, {_UPPER}, {lane}")
