"""Expressions of small C as three-address code, with constants folded."""

from dataclasses import replace

from transputer.errors import SourceError
from transputer.frontends.smallc.names import string
from transputer.frontends.smallc.scope import (
    ConstantName,
    FunctionName,
    Node,
    TypedValue,
    VariableName,
    line_of,
)
from transputer.frontends.smallc.tac import (
    Addr,
    MemoryObject,
    Reg,
    TacBlock,
    TacInstr,
    TacJump,
    Value,
    power_of_two,
    wrap,
)
from transputer.frontends.smallc.targets import Lvalues
from transputer.frontends.smallc.types import (
    CHAR_BITS,
    VOID_POINTER,
    ArrayType,
    IntType,
    PointerType,
    Signature,
    StructType,
    Type,
    VoidType,
    byte_size,
    common,
    decayed,
    promoted,
    size,
)

#: Operators with their operation on signed and on unsigned words.
_BINARY = {
    "+": ("add", "add"),
    "-": ("sub", "sub"),
    "*": ("mul", "mul"),
    "/": ("div", "udiv"),
    "%": ("rem", "urem"),
    "&": ("and", "and"),
    "|": ("or", "or"),
    "^": ("xor", "xor"),
    "<<": ("shl", "shl"),
    ">>": ("shr", "ushr"),
}
#: Comparisons: the branch, whether the operands are swapped, whether the answer is negated.
_COMPARISON = {
    "==": ("eq", False, False),
    "!=": ("eq", False, True),
    "<": ("lt", False, False),
    ">": ("lt", True, False),
    "<=": ("le", False, False),
    ">=": ("le", True, False),
}
_LOGICAL = ("&&", "||")
_STEPS = {"++": "add", "--": "sub", "p++": "add", "p--": "sub"}


def _is_zero(node: Node) -> bool:
    return type(node).__name__ == "Constant" and node.value == "0"


class ExpressionTranslator(Lvalues):
    """Emits code for expressions into the current block."""

    def __init__(self, text: str, file: str, bits: int) -> None:
        super().__init__(text, file, bits)
        self._strings: dict[tuple[int, ...], MemoryObject] = {}

    def constant(self, node: Node) -> int | Addr:
        """Return the value of a constant expression; an error if it is not constant."""
        value = self.constant_value(node).value
        assert not isinstance(value, Reg)
        return value

    def constant_value(self, node: Node) -> TypedValue:
        """Return the value and type of a constant expression; an error if it is not constant."""
        before, scratch, count = self.block, TacBlock("constant"), self._blocks
        self.block = scratch
        try:
            result = self.value(node)
        finally:
            done, self.block = self.block, before
        if done is not scratch or scratch.instrs or isinstance(result.value, Reg):
            self._blocks = count
            raise self.error(node, "this is not a constant expression")
        return result

    # ---- values

    def value(self, node: Node) -> TypedValue:
        """The value of an expression; an array gives the address of its first element."""
        method = getattr(self, f"_value_{type(node).__name__}", None)
        if method is None:
            raise self.unsupported(node)
        result: TypedValue = method(node)
        return result

    def number(self, node: Node) -> TypedValue:
        """The value of an expression that must be an integer."""
        result = self.value(node)
        if not isinstance(result.kind, IntType):
            raise self.error(node, f"expected an integer, not {self.spelled(result.kind)}")
        return result

    def scalar(self, node: Node) -> TypedValue:
        """The value of an expression that must have one."""
        result = self.value(node)
        if isinstance(result.kind, VoidType):
            raise self.error(node, "this call returns no value")
        return result

    def plain(self, node: Node) -> TypedValue:
        """The value of an expression that must be an integer or a pointer."""
        result = self.scalar(node)
        if isinstance(result.kind, StructType):
            raise self.error(node, f"{self.spelled(result.kind)} is not a number or a pointer")
        return result

    def _value_Constant(self, node: Node) -> TypedValue:
        if node.type == "string":
            return TypedValue(Addr(self.string(node.value)), PointerType(IntType(CHAR_BITS)))
        value, kind = self.literal(node)
        return TypedValue(wrap(self.bits, value), kind)

    def string(self, spelled: str) -> MemoryObject:
        """Return the constant object of a string; equal strings share one."""
        return self.text_object(tuple(wrap(CHAR_BITS, c) for c in (*string(spelled), 0)))

    def text_object(self, words: tuple[int, ...]) -> MemoryObject:
        """The constant object of some characters."""
        if words not in self._strings:
            name = f"string{len(self._strings)}"
            literal = MemoryObject(name, len(words), initial=words, constant=True)
            self._strings[words] = literal
            self.unit.objects.append(literal)
        return self._strings[words]

    def _value_ID(self, node: Node) -> TypedValue:
        meaning = self.meaning(node)
        if isinstance(meaning, ConstantName):
            return TypedValue(meaning.value, meaning.kind)
        if not isinstance(meaning, VariableName | FunctionName):
            raise self.error(node, f"{node.name!r} is not a variable", len(node.name))
        return self.read(node, self.target(node))

    def _value_ArrayRef(self, node: Node) -> TypedValue:
        return self.read(node, self.target(node))

    def _value_StructRef(self, node: Node) -> TypedValue:
        return self.read(node, self.target(node))

    def _value_CompoundLiteral(self, node: Node) -> TypedValue:
        return self.read(node, self.target(node))

    def _value_Assignment(self, node: Node) -> TypedValue:
        to = self.assignable(node.lvalue)
        if node.op == "=":
            result = self.scalar(node.rvalue)
        else:
            result = self._combined(node, self.read(node, to), node.op[:-1])
        result = self.assigned(node, result, to.kind)
        return self.write(node, to, result)

    def _combined(self, node: Node, old: TypedValue, operator: str) -> TypedValue:
        return self.operation(node, operator, old, self.number(node.rvalue))

    def _value_BinaryOp(self, node: Node) -> TypedValue:
        if node.op in _COMPARISON or node.op in _LOGICAL:
            return self._truth(node)
        left = self.plain(node.left)
        return self.operation(node, node.op, left, self.plain(node.right))

    def operation(self, node: Node, operator: str, a: TypedValue, b: TypedValue) -> TypedValue:
        """A binary operator other than a comparison."""
        if isinstance(a.kind, PointerType) or isinstance(b.kind, PointerType):
            return self._pointer_operation(node, operator, a, b)
        shifting = operator in ("<<", ">>")
        kind = promoted(self.bits, a.kind) if shifting else common(self.bits, a.kind, b.kind)
        assert isinstance(kind, IntType)
        if shifting and isinstance(b.value, int) and not 0 <= b.value < self.bits:
            raise self.error(node, f"shift count {b.value} is out of range for {self.bits} bits")
        if operator in "/%" and b.value == 0:
            raise self.error(node, "division by zero")
        op = _BINARY[operator][not kind.signed]
        power = power_of_two(b.value) if isinstance(b.value, int) else None
        if op in ("div", "rem") and power and not isinstance(a.value, int):
            shortcut = self._halved if op == "div" else self._rest
            return TypedValue(shortcut(node, a.value, power), kind)
        return TypedValue(self.binary(node, op, a.value, b.value), kind)

    def _halved(self, node: Node, x: Value, power: int) -> Value:
        """x / 2^power, toward zero: a negative x is first raised by 2^power - 1."""
        raised, end = self.new_block("raised"), self.new_block("end")
        total = self.emit(node, "mov", x)
        self.branch(node, "lt", x, 0, raised, end)
        self.enter(raised)
        self.emit(node, "add", x, (1 << power) - 1, dst=total)
        raised.term = TacJump(end)
        self.enter(end)
        return self.binary(node, "shr", total, power)

    def _rest(self, node: Node, x: Value, power: int) -> Value:
        """x % 2^power: the low bits, and ones above them where x is negative and they are not 0."""
        low = self.emit(node, "and", x, (1 << power) - 1)
        negative, filled, end = (self.new_block(n) for n in ("negative", "filled", "end"))
        self.branch(node, "lt", x, 0, negative, end)
        self.enter(negative)
        self.branch(node, "eq", low, 0, end, filled)
        self.enter(filled)
        self.emit(node, "or", low, -(1 << power), dst=low)
        filled.term = TacJump(end)
        self.enter(end)
        return low

    def _mismatch(self, node: Node, operator: str, a: TypedValue, b: TypedValue) -> SourceError:
        kinds = f"{self.spelled(a.kind)} and {self.spelled(b.kind)}"
        return self.error(node, f"invalid operands of {operator}: {kinds}")

    def _pointer_operation(
        self, node: Node, operator: str, a: TypedValue, b: TypedValue
    ) -> TypedValue:
        if operator == "+" and isinstance(a.kind, IntType):
            a, b = b, a
        if not isinstance(a.kind, PointerType) or operator not in "+-":
            raise self._mismatch(node, operator, a, b)
        if isinstance(a.kind.to, VoidType | Signature):
            raise self.error(node, f"{self.spelled(a.kind)} must be cast before + or -")
        step = size(self.complete(node, a.kind.to))
        if isinstance(b.kind, IntType):
            offset = self.binary(node, "mul", b.value, step)
            op = "add" if operator == "+" else "sub"
            return TypedValue(self.binary(node, op, a.value, offset), a.kind)
        if operator != "-" or b.kind != a.kind:
            raise self._mismatch(node, operator, a, b)
        match a.value, b.value:
            case Addr(x, i), Addr(y, j) if x is y:
                return TypedValue((i - j) // step, self.int)
        distance = self.binary(node, "sub", a.value, b.value)
        return TypedValue(
            distance if step == 1 else self.binary(node, "div", distance, step), self.int
        )

    def _value_UnaryOp(self, node: Node) -> TypedValue:
        match node.op:
            case "-" | "+" | "~":
                return self._sign(node)
            case "!":
                return self._truth(node)
            case "*":
                return self.read(node, self.target(node))
            case "&":
                return self._address(node)
            case "sizeof":
                kind = self.complete(node, self._measured(node.expr))
                if isinstance(kind, VoidType | Signature):
                    raise self.error(node, f"{self.spelled(kind)} has no size")
                return TypedValue(self.measured_size(kind), self.unsigned)
        return self._step(node)

    def measured_size(self, kind: Type) -> int:
        """The value of sizeof."""
        return byte_size(kind, self.bits)

    def _sign(self, node: Node) -> TypedValue:
        operand = self.number(node.expr)
        kind = promoted(self.bits, operand.kind)
        if node.op == "-" and self._least(node.expr):
            return TypedValue(operand.value, self.int)
        if node.op == "-":
            return TypedValue(self.binary(node, "sub", 0, operand.value), kind)
        if node.op == "~":
            return TypedValue(self.binary(node, "xor", operand.value, -1), kind)
        return TypedValue(operand.value, kind)

    def _least(self, node: Node) -> bool:
        """Whether a literal is the number whose negative is the least int."""
        if type(node).__name__ != "Constant" or not node.value.isdigit():
            return False
        return int(node.value) == 1 << (self.bits - 1)

    def _address(self, node: Node) -> TypedValue:
        to = self.target(node.expr)
        if not to.in_memory or to.bit_field:
            raise self.error(node, "cannot take the address of this")
        if to.shared and isinstance(to.kind, IntType) and to.kind.bits < self.bits:
            message = "the address of this member cannot be taken: its union has wider ones"
            raise self.error(node, message)
        return TypedValue(to.where, PointerType(to.kind))

    def _measured(self, node: Node) -> Type:
        if type(node).__name__ == "Typename":
            return self.kind(node)
        if type(node).__name__ == "ID":
            meaning = self.meaning(node)
            if isinstance(meaning, VariableName | ConstantName):
                return meaning.kind
        if type(node).__name__ == "Constant" and node.type == "string":
            return ArrayType(IntType(CHAR_BITS), len(string(node.value)) + 1)
        lvalue = type(node).__name__ in ("ArrayRef", "StructRef")
        lvalue = lvalue or type(node).__name__ == "UnaryOp" and node.op == "*"
        before, function = self.block, self.function
        self.block = TacBlock("unused")
        self.function = replace(function, blocks=[]) if function else None
        try:
            return self.target(node).kind if lvalue else self.value(node).kind
        finally:
            self.block, self.function = before, function

    def _step(self, node: Node) -> TypedValue:
        to = self.assignable(node.expr)
        old = self.read(node, to)
        if node.op.startswith("p") and isinstance(old.value, Reg) and not to.in_memory:
            old = TypedValue(self.emit(node, "mov", old.value), old.kind)
        op, kind = _STEPS[node.op], to.kind
        if isinstance(kind, StructType) or kind == VOID_POINTER:
            raise self.error(node, f"{self.spelled(kind)} cannot be counted up or down")
        amount = size(self.complete(node, kind.to)) if isinstance(kind, PointerType) else 1
        wide = kind if isinstance(kind, PointerType) else promoted(self.bits, kind)
        new = self.convert(node, TypedValue(self.binary(node, op, old.value, amount), wide), kind)
        result = self.write(node, to, new)
        return old if node.op.startswith("p") else result

    def _value_TernaryOp(self, node: Node) -> TypedValue:
        yes, no, end = (self.new_block(name) for name in ("yes", "no", "end"))
        start = self.block
        self.condition(node.cond, yes, no)
        if self.block is start and isinstance(self.block.term, TacJump):
            chosen, other = node.iftrue, node.iffalse
            if self.block.term.to is no:
                chosen, other = other, chosen
            arm = self.value(chosen)
            unused = TypedValue(0, decayed(self._measured(other)))
            return TypedValue(arm.value, self._either(node, arm, unused))
        result = self.fresh()
        self.enter(yes)
        left = self.value(node.iftrue)
        last = self.block
        self.enter(no)
        right = self.value(node.iffalse)
        kind = self._either(node, left, right)
        if not isinstance(kind, VoidType):
            last.instrs.append(TacInstr("mov", result, (left.value,), line_of(node)))
            self.emit(node, "mov", right.value, dst=result)
        last.term = self.block.term = TacJump(end)
        self.enter(end)
        return TypedValue(result, kind)

    def _either(self, node: Node, left: TypedValue, right: TypedValue) -> Type:
        if isinstance(left.kind, IntType) and isinstance(right.kind, IntType):
            return common(self.bits, left.kind, right.kind)
        if isinstance(left.kind, PointerType) and right.value == 0:
            return left.kind
        if isinstance(right.kind, PointerType) and left.value == 0:
            return right.kind
        if right.kind == VOID_POINTER:
            left, right = right, left
        if not isinstance(left.kind, VoidType):
            self.fits(node, right.kind, left.kind)
        return left.kind

    def _value_ExprList(self, node: Node) -> TypedValue:
        last = TypedValue(0, VoidType())
        for one in node.exprs:
            last = self.value(one)
        return last

    def _value_Cast(self, node: Node) -> TypedValue:
        kind = self.kind(node.to_type)
        operand = self.value(node.expr)
        if isinstance(kind, VoidType):
            return TypedValue(0, kind)
        odd = (kind, operand.kind) if kind != operand.kind else ()
        if any(isinstance(k, ArrayType | VoidType | StructType | Signature) for k in odd):
            names = self.spelled(operand.kind), self.spelled(kind)
            raise self.error(node, f"cannot convert {names[0]} to {names[1]}")
        if operand.value == 0 and isinstance(kind, PointerType):
            return TypedValue(0, kind)
        if isinstance(kind, PointerType) and isinstance(operand.kind, PointerType):
            self.repoint(node, operand.kind, kind)
        if isinstance(kind, IntType) and isinstance(operand.kind, PointerType):
            operand = TypedValue(operand.value, self.unsigned)
        return self.convert(node, operand, kind)

    # ---- conditions

    def _truth(self, node: Node) -> TypedValue:
        yes, no, end = (self.new_block(name) for name in ("true", "false", "end"))
        start = self.block
        self.condition(node, yes, no)
        if self.block is start and isinstance(self.block.term, TacJump):
            return TypedValue(int(self.block.term.to is yes), self.int)
        result = self.fresh()
        for block, known in ((yes, 1), (no, 0)):
            self.enter(block)
            self.emit(node, "mov", known, dst=result)
            block.term = TacJump(end)
        self.enter(end)
        return TypedValue(result, self.int)

    def condition(self, node: Node, yes: TacBlock, no: TacBlock) -> None:
        """Branch to `yes` if an expression is not zero, else to `no`."""
        op = getattr(node, "op", None)
        match type(node).__name__, op:
            case "UnaryOp", "!":
                self.condition(node.expr, no, yes)
            case "BinaryOp", "&&" | "||":
                self._logical(node, yes, no)
            case "BinaryOp", _ if op in _COMPARISON:
                self._comparison(node, yes, no)
            case _:
                operand = self._divisible(node) or self.plain(node)
                if isinstance(operand.value, Addr):
                    self.block.term = TacJump(yes)
                else:
                    self.branch(node, "eq", operand.value, 0, no, yes)

    def _logical(self, node: Node, yes: TacBlock, no: TacBlock) -> None:
        middle, start = self.new_block("and" if node.op == "&&" else "or"), self.block
        if node.op == "&&":
            self.condition(node.left, middle, no)
        else:
            self.condition(node.left, yes, middle)
        term = self.block.term
        if self.block is start and isinstance(term, TacJump):
            if term.to is middle:  # known: what follows decides, in the same block
                self.condition(node.right, yes, no)
            return
        self.enter(middle)
        self.condition(node.right, yes, no)

    def _comparison(self, node: Node, yes: TacBlock, no: TacBlock) -> None:
        op, turned, inverted = _COMPARISON[node.op]
        left = self._divisible(node.left) if op == "eq" and _is_zero(node.right) else None
        a, b = left or self.plain(node.left), self.plain(node.right)
        if not self._comparable(a, b):
            raise self._mismatch(node, node.op, a, b)
        pointers = isinstance(a.kind, PointerType) or isinstance(b.kind, PointerType)
        signed = self.short_pointers if pointers else common(self.bits, a.kind, b.kind).signed
        if op != "eq" and not signed:
            op = f"u{op}"
        if turned:
            a, b = b, a
        if inverted:
            yes, no = no, yes
        self.branch(node, op, a.value, b.value, yes, no)

    def _divisible(self, node: Node) -> TypedValue | None:
        """The low bits of x, which are zero where `x % 2^k` is."""
        if type(node).__name__ != "BinaryOp" or node.op != "%":
            return None
        try:
            number = self.constant(node.right)
        except SourceError:
            return None
        power = power_of_two(number) if isinstance(number, int) else None
        if power is None:
            return None
        x = self.number(node.left)
        kind = common(self.bits, x.kind, self.int)
        return TypedValue(self.binary(node, "and", x.value, (1 << power) - 1), kind)

    def _comparable(self, a: TypedValue, b: TypedValue) -> bool:
        if isinstance(a.kind, IntType) and isinstance(b.kind, IntType):
            return True
        if any(isinstance(k, PointerType) and isinstance(k.to, VoidType) for k in (a.kind, b.kind)):
            return isinstance(a.kind, PointerType) and isinstance(b.kind, PointerType)
        return a.kind == b.kind or a.value == 0 or b.value == 0
