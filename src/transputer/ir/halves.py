"""Values as 32-bit words: how a machine that has only i32 represents i64, f32 and f64.

A 64-bit value is two words, the low one first; a 32-bit float is the word of its bits. A lowered
type keeps the type as written, so that distinct types stay distinct and a session can take and
return values of the types that the program declares.
"""

from collections.abc import Iterable, Iterator, Sequence

from transputer.ir.module import FuncType, GlobalType
from transputer.isa.op import ValType

I32 = ValType.I32
WORD = 0xFFFFFFFF


def words(type_: ValType) -> tuple[ValType, ...]:
    """Return the types of the words of a value; a reference stays a reference."""
    return (type_,) if type_.is_ref else (I32,) * (type_.bits // 32)


def flat(types: Iterable[ValType]) -> tuple[ValType, ...]:
    """Return the types of the words of several values, in order."""
    return tuple(word for t in types for word in words(t))


def function_type(type_: FuncType) -> FuncType:
    """Return the type in words; unchanged if it has only words and references."""
    params, results = flat(type_.params), flat(type_.results)
    if (params, results) == (type_.params, type_.results):
        return type_
    return FuncType(params, results, type_)


def global_types(type_: GlobalType) -> tuple[GlobalType, ...]:
    """Return the types of the words of a global."""
    if type_.type is I32 or type_.type.is_ref:
        return (type_,)
    low = GlobalType(I32, type_.mutable, type_.type)
    return (low, GlobalType(I32, type_.mutable, type_.type, high=True))[: type_.type.bits // 32]


def split(types: Sequence[ValType], values: Iterable[int]) -> list[int]:
    """Split values into words."""
    return [word for t, value in zip(types, values, strict=True) for word in _words(t, value)]


def _words(type_: ValType, value: int) -> tuple[int, ...]:
    return (value & WORD, value >> 32) if type_.bits == 64 else (value,)


def join(types: Sequence[ValType], given: Iterable[int]) -> tuple[int, ...]:
    """Join words into values."""
    rest = iter(given)
    return tuple(_value(t, rest) for t in types)


def _value(type_: ValType, rest: Iterator[int]) -> int:
    low = next(rest)
    return low | next(rest) << 32 if type_.bits == 64 else low
