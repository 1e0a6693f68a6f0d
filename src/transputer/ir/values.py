"""Convert values between their printed form and the unsigned bits that sessions use."""

import math
import re
from collections.abc import Sequence

import numpy as np

from transputer.errors import UsageError
from transputer.ir.module import FuncType
from transputer.isa.floats import F32, F64
from transputer.isa.integers import join, mask, signed, split
from transputer.isa.op import ValType

#: An argument or a result in Python: a number, or None for a null reference.
Value = int | float | None

_FORMATS = {ValType.F32: F32, ValType.F64: F64}
#: Bits of the lanes of a vector, by their type.
_LANES = {"i8": 8, "i16": 16, "i32": 32, "i64": 64, "f32": 32, "f64": 64}
_INTEGER = re.compile(r"[+-]?(0x[0-9a-f]+|[0-9]+)", re.IGNORECASE)


def parse_value(text: str, type_: ValType) -> Value:
    """Parse a command-line argument of a type; raise `UsageError` if it is malformed."""
    word = text.strip().replace("_", "")
    if type_.is_ref:
        if word == "null":
            return None
        if type_ is ValType.EXTERNREF and word.isdecimal():
            return int(word)
        raise UsageError(f"argument {text!r} is not a {type_.value}: write null")
    if type_ is ValType.V128:
        return _parse_vector(text, word)
    if type_ in _FORMATS:
        return _parse_float(text, word, type_)
    if not _INTEGER.fullmatch(word) or len(word) > 80:
        raise UsageError(f"argument {text!r} is not an {type_.value}: write a whole number")
    return int(word, 0) if "x" in word.lower() else int(word)


def _parse_vector(text: str, word: str) -> int:
    """Parse lanes, as in `i32x4:1,2,3,4` or `f64x2:0.5,-1`."""
    shape, _, lanes = word.partition(":")
    width = {f"{t}x{128 // n}": (t[0], n) for t, n in _LANES.items()}.get(shape)
    if width is None or len(lanes.split(",")) != 128 // width[1]:
        raise UsageError(
            f"argument {text!r} is not a v128: write its lanes, as in i32x4:1,2,3,4 or f64x2:0.5,-1"
        )
    kind, n = width
    if kind == "f":
        type_ = ValType.F32 if n == 32 else ValType.F64
        return join(n, [encode_value(parse_value(v, type_), type_) for v in lanes.split(",")])
    values = [parse_value(v, ValType.I64) for v in lanes.split(",")]
    return join(n, [_encode_integer(v, n, f"i{n}") for v in values])


def _parse_float(text: str, word: str, type_: ValType) -> float:
    try:
        return float.fromhex(word) if "0x" in word.lower() else float(word)
    except (ValueError, OverflowError):
        raise UsageError(f"argument {text!r} is not an {type_.value}: write a number") from None


def encode_value(value: Value, type_: ValType) -> int:
    """Return the bits of a value; raise `UsageError` if it does not fit the type."""
    if type_.is_ref:
        if value is None:
            return 0
        if type_ is ValType.EXTERNREF and isinstance(value, int) and 0 <= value < 2**32 - 1:
            return value + 1
        raise UsageError(f"{value!r} is not a {type_.value}")
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise UsageError(f"{value!r} is not an {type_.value}")
    if type_ in _FORMATS:
        return _encode_float(float(value), type_)
    return _encode_integer(value, type_.bits, type_.value)


def _encode_integer(value: Value, n: int, name: str) -> int:
    if not isinstance(value, int):
        raise UsageError(f"{value!r} is not an {name}: it must be a whole number")
    if not -(1 << (n - 1)) <= value <= mask(n):
        raise UsageError(f"{value} does not fit an {name}")
    return value & mask(n)


def _encode_float(value: float, type_: ValType) -> int:
    sign = _FORMATS[type_].sign if math.copysign(1.0, value) < 0 else 0
    return _FORMATS[type_].encode(value) | sign


def encode_arguments(name: str, type_: FuncType, args: Sequence[Value | str]) -> list[int]:
    """Return the bits of the arguments of a call; strings are parsed."""
    if len(args) != len(type_.params):
        types = " ".join(t.value for t in type_.params) or "none"
        raise UsageError(f"{name} takes {len(type_.params)} arguments ({types}), {len(args)} given")
    pairs = zip(args, type_.params, strict=True)
    return [encode_value(parse_value(a, t) if isinstance(a, str) else a, t) for a, t in pairs]


def decode_value(bits: int, type_: ValType) -> Value:
    """Return the Python value of bits: signed integer, float, or None for a null reference.

    A vector is the unsigned number of its bits.
    """
    if type_ is ValType.V128:
        return bits
    if type_.is_ref:
        return bits - 1 if bits else None
    if type_ in _FORMATS:
        return _FORMATS[type_].decode(bits)
    return signed(type_.bits, bits)


def to_words(types: Sequence[ValType], values: Sequence[int]) -> list[int]:
    """Return the bits of values as lowered code has them: two words of each vector, low first."""
    words: list[int] = []
    for type_, value in zip(types, values, strict=True):
        words += split(64, value) if type_ is ValType.V128 else [value]
    return words


def from_words(types: Sequence[ValType], words: Sequence[int]) -> tuple[int, ...]:
    """Return the bits of values that lowered code has as words."""
    rest = iter(words)
    return tuple(next(rest) | next(rest) << 64 if t is ValType.V128 else next(rest) for t in types)


def print_value(bits: int, type_: ValType) -> str:
    """Return bits as wasmtime prints them: signed integers, shortest decimals, no exponent.

    A vector is printed as an argument can be written, in lanes of 32 bits.
    """
    if type_ is ValType.V128:
        return "i32x4:" + ",".join(str(signed(32, lane)) for lane in split(32, bits))
    if type_ is ValType.FUNCREF:
        return f"funcref({bits - 1})" if bits else "null"
    value = decode_value(bits, type_)
    if isinstance(value, float):
        return _print_float(value, type_)
    return "null" if value is None else str(value)


def _print_float(value: float, type_: ValType) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    number = np.float32(value) if type_ is ValType.F32 else np.float64(value)
    return np.format_float_positional(number, unique=True, trim="-")
