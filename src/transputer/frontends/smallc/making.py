"""Build three-address code: registers, blocks and operations, folded where possible."""

from transputer.errors import SourceError
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
from transputer.frontends.smallc.types import (
    BOOL_BITS,
    FRESH_POINTER,
    VOID_POINTER,
    IntType,
    PointerType,
    Signature,
    Type,
    VoidType,
    holds,
    same_words,
)


class TacBuilder(NameReader):
    """Appends operations to the current block of the current function."""

    def __init__(self, text: str, file: str, bits: int) -> None:
        super().__init__(text, file, bits)
        self.unit = TacUnit(bits)
        self.function: TacFunction | None = None
        self.block = TacBlock("start")
        self._temporaries = 0
        self._blocks = 0
        self.in_library = False  # whether the function is one of the library
        self.mixed_signs = False  # a char or short may be read with the other sign
        self.to_void: dict[Type, Node] = {}  # pointers that became void *
        self.from_void: list[tuple[Type, Node]] = []  # what void * became

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

    def convert(self, node: Node, typed: TypedValue, wanted: Type) -> TypedValue:
        """Convert a value to another integer type; only a narrower one can change it."""
        if not (isinstance(wanted, IntType) and isinstance(typed.kind, IntType)):
            return TypedValue(typed.value, wanted)
        if wanted.bits == BOOL_BITS and typed.kind.bits != BOOL_BITS:
            return TypedValue(self.truth(node, typed.value), wanted)
        if wanted.bits < self.bits and not holds(wanted, typed.kind):
            return TypedValue(self.narrowed(node, typed.value, wanted), wanted)
        return TypedValue(typed.value, wanted)

    def narrowed(self, node: Node, value: Value, wanted: IntType) -> Value:
        """The value of the low bits of a word as a narrower type."""
        mask, top = (1 << wanted.bits) - 1, 1 << (wanted.bits - 1)
        if isinstance(value, int):
            return wrap(wanted.bits, value) if wanted.signed else value & mask
        value = self.binary(node, "and", value, mask)
        if wanted.signed:
            value = self.binary(node, "xor", value, top)
            value = self.binary(node, "sub", value, top)
        return value

    def truth(self, node: Node, value: Value) -> Value:
        """1 where a value is not zero, else 0."""
        if not isinstance(value, Reg):
            return int(value != 0)
        result = self.emit(node, "mov", 0)
        other, end = self.new_block("nonzero"), self.new_block("end")
        self.branch(node, "eq", value, 0, end, other)
        self.enter(other)
        self.emit(node, "mov", 1, dst=result)
        other.term = TacJump(end)
        self.enter(end)
        return result

    def assigned(self, node: Node, value: TypedValue, wanted: Type) -> TypedValue:
        """Convert a value as an assignment, an argument or a return does."""
        if isinstance(wanted, PointerType) and value.value == 0:
            return TypedValue(0, wanted)
        if wanted == IntType(BOOL_BITS, False) and isinstance(value.kind, PointerType):
            return TypedValue(self.truth(node, value.value), wanted)
        self.fits(node, value.kind, wanted)
        return self.convert(node, value, wanted)

    def fits(self, node: Node, actual: Type, expected: Type) -> None:
        """Raise if a value of type `actual` needs a cast to become `expected`."""
        if isinstance(actual, IntType) and isinstance(expected, IntType):
            return
        if isinstance(actual, PointerType) and isinstance(expected, PointerType):
            signs = isinstance(actual.to, IntType) and isinstance(expected.to, IntType)
            untyped = VOID_POINTER in (actual, expected) or actual == FRESH_POINTER
            if untyped or signs and self._alike(actual, expected):
                self.repoint(node, actual, expected)
                return
        if actual != expected or isinstance(expected, VoidType):
            raise self.error(node, f"expected {self.spelled(expected)}, not {self.spelled(actual)}")

    def _alike(self, a: PointerType, b: PointerType) -> bool:
        return same_words(a.to, b.to, self.bits)

    def repoint(self, node: Node, actual: PointerType, wanted: PointerType) -> None:
        """Note or refuse that a pointer becomes one to another type.

        Every scalar has a word, so a pointer to an int cannot reach the bytes of it.
        """
        if actual in (wanted, FRESH_POINTER) or self.in_library:
            return
        if VOID_POINTER in (actual, wanted):
            if isinstance(actual.to, Signature) or isinstance(wanted.to, Signature):
                raise self.error(node, "a pointer to a function cannot become void *, or be one")
            if wanted == VOID_POINTER:
                self.to_void.setdefault(actual.to, node)
            else:
                self.from_void.append((wanted.to, node))
            return
        if isinstance(actual.to, Signature) or isinstance(wanted.to, Signature):
            raise self.error(node, "a pointer to a function cannot be cast to another type")
        if not self._alike(actual, wanted):
            raise self._bytes(node, actual.to, wanted.to)
        self._note_signs(actual.to, wanted.to)

    def _note_signs(self, a: Type, b: Type) -> None:
        narrow = [x for x in (a, b) if isinstance(x, IntType) and x.bits < self.bits]
        if a != b and narrow:
            self.mixed_signs = True

    def _bytes(self, node: Node, actual: Type, wanted: Type) -> SourceError:
        return self.error(
            node,
            f"{self.spelled(PointerType(wanted))} cannot point to {self.spelled(actual)}: "
            "every int, char and pointer has a word of its own here, and no bytes",
        )

    def check_void_pointers(self) -> None:
        """Refuse a program in which a void * may lead from one type to another."""
        for wanted, node in self.from_void:
            for actual in self.to_void:
                if not same_words(actual, wanted, self.bits):
                    self.problems.append(self._bytes(node, actual, wanted))
                    break
                self._note_signs(actual, wanted)
