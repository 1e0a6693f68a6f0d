"""The routines on words that vector instructions call, as a library to link.

`vectors.wat` has those that are written out; `lanes.wat` is a template for three widths of lanes;
those on single floats are an expression for each lane.
"""

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from transputer.frontends.binary import decode
from transputer.frontends.wat import library_wasm
from transputer.ir.module import Module
from transputer.ir.verify import verify
from transputer.isa.integers import BITS, mask

#: Instructions on floats, without their types.
UNARY = ("ceil", "floor", "trunc", "nearest", "sqrt")
BINARY = ("add", "sub", "mul", "div", "min", "max")
TESTS = ("eq", "ne", "lt", "gt", "le", "ge")
_WORD = 64


@cache
def vector_library() -> Module:
    """Return the module of all routines; each is named after its instruction."""
    parts = [_template(n) for n in (8, 16, 32)]
    parts += [_read("vectors.wat"), *_single_floats()]
    text = "(module\n" + "\n".join(parts) + ")"
    return verify(decode(library_wasm(text, "vectors.wat"))).module


def _read(name: str) -> str:
    return files("transputer.lower").joinpath(name).read_text(encoding="utf-8")


def _template(n: int) -> str:
    """Return `lanes.wat` for lanes of `n` bits."""
    count = _WORD // n
    ones = mask(_WORD) // mask(n)
    shift = _WORD - n if n < 32 else 32
    constants = {
        "SHAPE": f"i{n}x{BITS // n}",
        "HIGHS": ones << n - 1,
        "LOWS": ones * mask(n - 1),
        "ONES": ones,
        "LANE": mask(n),
        "TOP": n - 1,
        "GATHER": sum(1 << shift + i - n * i for i in range(count)),
        "SHIFT": shift,
        "MASK": mask(count),
    }
    return re.sub(r"\b[A-Z]{3,}\b", lambda m: str(constants.get(m[0], m[0])), _read("lanes.wat"))


def _single_floats() -> Iterator[str]:
    """Yield the routines on two single floats in a word: each lane's expression, by instruction."""
    for verb in UNARY:
        yield _per_lane(f"f32x4.{verb}", f"(i32.reinterpret_f32 (f32.{verb} A))")
    for verb in (*BINARY, "pmin", "pmax"):
        call = f"f32.{verb}" if verb in BINARY else f"call $f32.{verb}"
        yield _per_lane(f"f32x4.{verb}", f"(i32.reinterpret_f32 ({call} A B))")
    for verb in TESTS:
        yield _per_lane(f"f32x4.{verb}", f"(i32.sub (i32.const 0) (f32.{verb} A B))")
    for name, a in (("relaxed_madd", "A"), ("relaxed_nmadd", "(f32.neg A)")):
        yield _per_lane(f"f32x4.{name}", f"(i32.reinterpret_f32 (call $f32.fma {a} B C))")
    for s in "su":
        yield _per_lane(f"i32x4.trunc_sat_f32x4_{s}", f"(i32.trunc_sat_f32_{s} A)")
        convert = f"(f32.convert_i32_{s} (i32.reinterpret_f32 A))"
        yield _per_lane(f"f32x4.convert_i32x4_{s}", f"(i32.reinterpret_f32 {convert})")


def _per_lane(name: str, expression: str) -> str:
    """Return a routine that computes both lanes; A, B and C are the operands of a lane."""

    def lane(shift: int) -> str:
        def operand(match: re.Match[str]) -> str:
            word = f"(local.get ${match[0].lower()})"
            word = f"(i64.shr_u {word} (i64.const {shift}))" if shift else word
            return f"(f32.reinterpret_i32 (i32.wrap_i64 {word}))"

        return f"(i64.extend_i32_u {re.sub(r'[ABC]', operand, expression)})"

    params = " ".join(f"(param ${c.lower()} i64)" for c in "ABC" if c in expression)
    return (
        f'(func (export "{name}") {params} (result i64)\n'
        f"  (i64.or {lane(0)} (i64.shl {lane(32)} (i64.const 32))))"
    )
