"""Convert values between their printed form and the unsigned bits that sessions use."""

import math
import re
from collections.abc import Sequence

import numpy as np

from transputer.errors import UsageError
from transputer.ir.module import FuncType
from transputer.isa.floats import F32, F64
from transputer.isa.integers import mask, signed
from transputer.isa.op import ValType

#: An argument or a result in Python: a number, or None for a null reference.
Value = int | float | None

_FORMATS = {ValType.F32: F32, ValType.F64: F64}
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
    if type_ in _FORMATS:
        return _parse_float(text, word, type_)
    if not _INTEGER.fullmatch(word) or len(word) > 80:
        raise UsageError(f"argument {text!r} is not an {type_.value}: write a whole number")
    return int(word, 0) if "x" in word.lower() else int(word)


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
    if not isinstance(value, int):
        raise UsageError(f"{value!r} is not an {type_.value}: it must be a whole number")
    n = type_.bits
    if not -(1 << (n - 1)) <= value <= mask(n):
        raise UsageError(f"{value} does not fit an {type_.value}")
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
    """Return the Python value of bits: signed integer, float, or None for a null reference."""
    if type_.is_ref:
        return bits - 1 if bits else None
    if type_ in _FORMATS:
        return _FORMATS[type_].decode(bits)
    return signed(type_.bits, bits)


def print_value(bits: int, type_: ValType) -> str:
    """Return bits as wasmtime prints them: signed integers, shortest decimals, no exponent."""
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
