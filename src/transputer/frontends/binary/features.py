"""What newer versions of WebAssembly have and this package has not, by its bytes.

A module that uses one is refused by the feature's name, with the compiler flag that avoids it.
"""

from transputer.values import dataclass


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature of WebAssembly, and how to compile without it."""

    name: str
    flag: str

    def __str__(self) -> str:
        return f"{self.name} is not supported; compile with {self.flag}"


THREADS = Feature("threads (atomic instructions, shared memory)", "-mno-atomics")
EXCEPTIONS = Feature("the older form of exception handling", "-mllvm -wasm-use-legacy-eh=false")
GC = Feature("garbage collection", "-mno-gc")
RECURSIVE = Feature("a recursive type", "-mno-gc")
WIDE = Feature("wide arithmetic", "-mno-wide-arithmetic")

_PREFIXES = {0xFB: GC, 0xFE: THREADS}
_OPCODES = {
    **dict.fromkeys((0x06, 0x07, 0x09, 0x18, 0x19), EXCEPTIONS),
    0xD3: GC,
    **dict.fromkeys(range(0xFC13, 0xFC17), WIDE),
}
#: Value and heap types.
_TYPES = {
    **dict.fromkeys((0x6A, 0x6B, 0x6C, 0x6D, 0x6E, 0x71, 0x72, 0x73, 0x74), GC),
}
#: Forms of a type definition other than that of a function.
_DEFINITIONS = dict.fromkeys((0x4D, 0x4C, 0x4E, 0x4F, 0x50, 0x5E, 0x5F), GC)
#: Flags of limits: bit 1 is a shared memory, bit 2 a 64-bit one, bit 3 another page size.
_LIMITS = {
    **dict.fromkeys((2, 3), THREADS),
    **dict.fromkeys((6, 7), THREADS),
}


def opcode(code: int) -> Feature | None:
    """Return the feature of an opcode."""
    return _PREFIXES.get(code) or _OPCODES.get(code)


def value_type(byte: int) -> Feature | None:
    """Return the feature of a value type."""
    return _TYPES.get(byte)


def definition(byte: int) -> Feature | None:
    """Return the feature of a type definition."""
    return _DEFINITIONS.get(byte)


def limits(flags: int) -> Feature | None:
    """Return the feature of the flags of a memory or table."""
    return _LIMITS.get(flags)
