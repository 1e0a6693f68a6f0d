"""Build three-address code: registers, blocks and operations, folded where possible."""

from transputer.frontends.smallc.names import NameReader
from transputer.frontends.smallc.scope import Node, TypedValue, line_of
from transputer.frontends.smallc.tac import (
    COMPARE,
    Addr,
    Reg,
    TacBlock,
    TacBranch,
    TacFunction,
    TacInstr,
    TacJump,
    TacUnit,
    Value,
    beyond,
    fold,
    wrap,
)
from transputer.frontends.smallc.types import CHAR_BITS, IntType, PointerType, Type, holds


class TacBuilder(NameReader):
    """Appends operations to the current block of the current function."""

    def __init__(self, text: str, file: str, bits: int) -> None:
        super().__init__(text, file, bits)
        self.unit = TacUnit(bits)
        self.function: TacFunction | None = None
        self.block = TacBlock("start")
        self._temporaries = 0
        self._blocks = 0

    def fresh(self, name: str = "") -> Reg:
        """A new register of the current function."""
        self._temporaries += 1
        scope = self.function.name if self.function else "?"
        return Reg(name or f"%{self._temporaries}", scope)

    def new_block(self, name: str) -> TacBlock:
        """A block that is not yet in the function."""
        self._blocks += 1
        return TacBlock(f"{name}{self._blocks}")

    def enter(self, block: TacBlock) -> None:
        """Make a block the current one and append it to the function."""
        self.block = block
        if self.function:
            self.function.blocks.append(block)

    def emit(self, node: Node, op: str, *args: Value, dst: Reg | None = None) -> Reg:
        """Append an operation that writes `dst`, or a new register."""
        to = dst or self.fresh()
        self.block.instrs.append(TacInstr(op, to, args, line_of(node)))
        return to

    def effect(self, node: Node, op: str, *args: Value) -> None:
        """Append an operation without a result."""
        self.block.instrs.append(TacInstr(op, None, args, line_of(node)))

    def binary(self, node: Node, op: str, a: Value, b: Value) -> Value:
        """Return the value of an operation, folded if possible."""
        if isinstance(a, int) and isinstance(b, int):
            known = fold(self.bits, op, a, b)
            if known is not None:
                return known
        if op == "add" and isinstance(a, int):
            a, b = b, a
        if op in ("add", "sub") and isinstance(a, Addr) and isinstance(b, int):
            return beyond(self.bits, a, b if op == "add" else -b)
        if op in ("add", "sub") and b == 0 or op == "mul" and b == 1:
            return a
        return self.emit(node, op, a, b)

    def branch(self, node: Node, op: str, a: Value, b: Value, yes: TacBlock, no: TacBlock) -> None:
        """End the block with a comparison."""
        if isinstance(a, int) and isinstance(b, int):
            self.block.term = TacJump(yes if COMPARE[op](self.bits, a, b) else no)
        else:
            self.block.term = TacBranch(op, a, b, yes, no, line_of(node))

    def convert(self, node: Node, typed: TypedValue, to: Type) -> TypedValue:
        """Convert a value to another integer type; only a char can change it."""
        value = typed.value
        if not (isinstance(to, IntType) and isinstance(typed.kind, IntType)):
            return TypedValue(value, to)
        if to.bits < self.bits and not holds(to, typed.kind):
            if isinstance(value, int):
                low = value & ((1 << to.bits) - 1)
                return TypedValue(wrap(to.bits, low) if to.signed else low, to)
            value = self.binary(node, "and", value, (1 << CHAR_BITS) - 1)
            if to.signed:
                top = 1 << (CHAR_BITS - 1)
                value = self.binary(node, "xor", value, top)
                value = self.binary(node, "sub", value, top)
        return TypedValue(value, to)

    def assigned(self, node: Node, value: TypedValue, to: Type) -> TypedValue:
        """Convert a value as an assignment, an argument or a return does."""
        if isinstance(to, PointerType) and value.value == 0:
            return TypedValue(0, to)
        self.fits(node, value.kind, to)
        return self.convert(node, value, to)
