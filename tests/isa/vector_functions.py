"""Vector instructions as functions on memory, and operands for them.

Operands are at 0, 16 and 32, the result is at 64: vectors cannot cross every border.
"""

import random
import re
import struct

from transputer.isa.integers import BITS, join
from transputer.isa.op import Op, ValType
from transputer.isa.vectors import LANES, VECTORS

IMMEDIATES = {
    "v128": ("i64x2 1 2", 2 << 64 | 1),
    "memarg": ("", None),
    "lanes": (" ".join(map(str, range(5, 21))), tuple(range(5, 21))),
    **{kind: ("1", 1) for kind in LANES},
}
PURE = [op for op in VECTORS if op.fn and not op.width]
#: Lanes at the limits of their types, among them both zeros, infinities, NaN and subnormals.
EDGES = {
    8: (0, 1, 0x7F, 0x80, 0x81, 0xFF),
    16: (0, 1, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0x8001, 0xFFFF),
    32: (0, 1, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0x3F800000, 0xBF800000,
         0x7F800000, 0xFF800000, 0x7FC00000, 0x7FA00000, 0x00800000, 0x4F000000, 0x34000000),
    64: (0, 1, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, 0x3FF0000000000000, 0xBFF0000000000001,
         0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0x0010000000000000,
         0x3CA0000000000000, 0x7FEFFFFFFFFFFFFF, 0x41E0000000000000),
}  # fmt: skip


def immediates(op: Op) -> tuple[str, tuple[object, ...]]:
    text = " ".join(IMMEDIATES[kind][0] for kind in op.imm)
    natural = (op.width.bit_length() - 1, 0, 0)  # alignment, offset, memory
    return text, tuple(natural if k == "memarg" else IMMEDIATES[k][1] for k in op.imm)


def lane_bits(op: Op) -> int:
    """The width of the lanes that an instruction takes."""
    counts = re.findall(r"[if]\d+x(\d+)", op.name)
    return BITS // int(counts[-1]) if counts else 32


_LOADS = {ValType.V128: "v128", ValType.I32: "i32", ValType.I64: "i64"}
_FLOATS = {ValType.F32: "f32", ValType.F64: "f64"}


def wrapped(op: Op) -> str:
    loads = " ".join(
        f"({(_LOADS | _FLOATS)[t]}.load offset={16 * i} (i32.const 0))"
        for i, t in enumerate(op.params)
    )
    result = (_LOADS | _FLOATS)[op.results[0]]
    return f"({result}.store offset=64 (i32.const 0) ({op.name} {immediates(op)[0]} {loads}))"


def operand(type_: ValType, n: int, dice: random.Random) -> int:
    if type_ is not ValType.V128:
        return dice.choice((0, 1, dice.getrandbits(8), dice.getrandbits(type_.bits)))
    if n in (32, 64) and dice.random() < 0.3:  # ordinary floats
        code = "<f" if n == 32 else "<d"
        values = (dice.uniform(-100, 100) for _ in range(BITS // n))
        return int.from_bytes(b"".join(struct.pack(code, v) for v in values), "little")
    return join(
        n,
        [dice.choice((dice.choice(EDGES[n]), dice.getrandbits(n))) for _ in range(BITS // n)],
    )


def module() -> str:
    """A module with a function for each instruction of `PURE`."""
    functions = " ".join(f'(func (export "{op.name}") {wrapped(op)})' for op in PURE)
    return f'(module (memory (export "m") 1) {functions})'
