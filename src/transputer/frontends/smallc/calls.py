"""Calls of small C: the program's own functions and built-in ones."""

from transputer.frontends.smallc.expressions import ExpressionTranslator
from transputer.frontends.smallc.scope import FunctionName, Node, TypedValue, VariableName, line_of
from transputer.frontends.smallc.tac import TacInstr, TacJump, TacTrap, Value
from transputer.frontends.smallc.types import (
    CHAR_BITS,
    ArrayType,
    IntType,
    PointerType,
    VoidType,
    common,
)

#: Built-in functions and the numbers of arguments that they take.
BUILTINS = {
    **{"abs": (1,), "min": (2,), "max": (2,), "swap": (2,), "find": (2, 3)},
    **{"putchar": (1,), "getchar": (0,)},
}

#: What to use instead of functions of the C library.
_INSTEAD = {
    **dict.fromkeys(("printf", "puts", "fputs", "putc"), "putchar writes one character"),
    **dict.fromkeys(("scanf", "gets", "fgets", "getc"), "getchar reads one character"),
    **dict.fromkeys(("malloc", "calloc", "free"), "use arrays"),
    **dict.fromkeys(("exit", "abort"), "return from main"),
}

#: Prefix of routines, and the function with which only they may trap.
ROUTINE = "__"
TRAP = "__trap"


class CallTranslator(ExpressionTranslator):
    """Emits code for calls."""

    def _value_FuncCall(self, node: Node) -> TypedValue:
        args: list[Node] = node.args.exprs if node.args else []
        if type(node.name).__name__ != "ID":
            raise self.error(node, "only functions can be called, by name; use switch")
        name = node.name.name
        meaning = self.scopes.find(name)
        if isinstance(meaning, FunctionName):
            return self._call(node, name, meaning, args)
        if meaning is None and name in BUILTINS:
            return self._builtin(node, name, args)
        if name == TRAP and self.file == ROUTINE:
            self.block.term = TacTrap(line_of(node))
            self.enter(self.new_block("unreached"))
            return TypedValue(0, VoidType())
        if meaning is None:
            hint = f"; {_INSTEAD[name]}" if name in _INSTEAD else ""
            raise self.error(node.name, f"function {name!r} is not declared{hint}", len(name))
        raise self.error(node.name, f"{name!r} is not a function", len(name))

    def _call(self, node: Node, name: str, called: FunctionName, args: list[Node]) -> TypedValue:
        if name == "main":
            raise self.error(node.name, "main cannot be called", len(name))
        params = called.signature.params
        self._count(node, name, args, (len(params),))
        values: list[Value] = []
        for arg, kind in zip(args, params, strict=True):
            values.append(self.assigned(arg, self.scalar(arg), kind).value)
        if isinstance(called.signature.result, VoidType):
            self.block.instrs.append(TacInstr("call", None, tuple(values), line_of(node), name))
            return TypedValue(0, VoidType())
        result = self.fresh()
        self.block.instrs.append(TacInstr("call", result, tuple(values), line_of(node), name))
        return TypedValue(result, called.signature.result)

    def _count(self, node: Node, name: str, args: list[Node], allowed: tuple[int, ...]) -> None:
        if len(args) not in allowed:
            counts = " or ".join(map(str, allowed))
            noun = "argument" if allowed == (1,) else "arguments"
            raise self.error(node, f"{name} takes {counts} {noun}, not {len(args)}")

    def _builtin(self, node: Node, name: str, args: list[Node]) -> TypedValue:
        self._count(node, name, args, BUILTINS[name])
        if name in self.lacking:
            raise self.error(
                node.name, f"{name} is not available: this machine reads no input", len(name)
            )
        method = getattr(self, f"_{name}")
        value: TypedValue = method(node, args)
        return value

    def _abs(self, node: Node, args: list[Node]) -> TypedValue:
        operand = self.number(args[0])
        if isinstance(operand.value, int):
            return TypedValue(self.binary(node, "add", abs(operand.value), 0), self.int)
        return TypedValue(self.emit(node, "abs", operand.value), self.int)

    def _min(self, node: Node, args: list[Node]) -> TypedValue:
        return self._select(node, args, False)

    def _max(self, node: Node, args: list[Node]) -> TypedValue:
        return self._select(node, args, True)

    def _select(self, node: Node, args: list[Node], greater: bool) -> TypedValue:
        a, b = self.number(args[0]), self.number(args[1])
        kind = common(self.bits, a.kind, b.kind)
        result = self.emit(node, "mov", a.value)
        other, end = self.new_block("other"), self.new_block("end")
        low, high = (b, a) if greater else (a, b)
        op = "le" if kind.signed else "ule"
        self.branch(node, op, low.value, high.value, end, other)
        self.enter(other)
        self.emit(node, "mov", b.value, dst=result)
        other.term = TacJump(end)
        self.enter(end)
        return TypedValue(result, kind)

    def _swap(self, node: Node, args: list[Node]) -> TypedValue:
        a, b = self.assignable(args[0]), self.assignable(args[1])
        if a.kind != b.kind:
            raise self.error(
                node, f"cannot swap {self.spelled(a.kind)} with {self.spelled(b.kind)}"
            )
        old = TypedValue(self.emit(node, "mov", self.read(node, a).value), a.kind)
        self.write(node, a, self.read(node, b))
        self.write(node, b, old)
        return TypedValue(0, VoidType())

    def _find(self, node: Node, args: list[Node]) -> TypedValue:
        """`find(array, x)` or `find(pointer, x, count)`: the first index that holds x, or -1."""
        array, needle = self.value(args[0]), self.number(args[1])
        if not isinstance(array.kind, PointerType) or not isinstance(array.kind.to, IntType):
            spelled = self.spelled(array.kind)
            raise self.error(args[0], f"find searches an array of integers, not {spelled}")
        count = self._extent(args, array)
        at = self.emit(node, "find", array.value, needle.value)
        index = self.emit(node, "sub", at, array.value)
        missing, end = self.new_block("missing"), self.new_block("end")
        self.branch(node, "ult", index, count, end, missing)
        self.enter(missing)
        self.emit(node, "mov", -1, dst=index)
        missing.term = TacJump(end)
        self.enter(end)
        return TypedValue(index, self.int)

    def _extent(self, args: list[Node], array: TypedValue) -> Value:
        if len(args) == 3:
            return self.number(args[2]).value
        meaning = self.scopes.find(args[0].name) if type(args[0]).__name__ == "ID" else None
        if isinstance(meaning, VariableName) and isinstance(meaning.kind, ArrayType):
            return meaning.kind.count
        raise self.error(args[0], "find needs a count here: find(pointer, x, count)")

    def _putchar(self, node: Node, args: list[Node]) -> TypedValue:
        character = self.number(args[0])
        self.effect(node, "out", character.value)
        low = (1 << CHAR_BITS) - 1
        value = (
            character.value
            if self.bits == CHAR_BITS
            else self.binary(node, "and", character.value, low)
        )
        return TypedValue(value, self.int)

    def _getchar(self, node: Node, args: list[Node]) -> TypedValue:
        return TypedValue(self.emit(node, "in"), self.int)
