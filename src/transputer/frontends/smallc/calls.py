"""Calls of small C: the program's functions, the library's, pointers to functions, built-ins."""

from transputer.errors import Trap
from transputer.frontends.smallc.expressions import ExpressionTranslator
from transputer.frontends.smallc.library import PLAIN, library
from transputer.frontends.smallc.scope import (
    FunctionName,
    Meaning,
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
    TacBranch,
    TacExit,
    TacFunction,
    TacInstr,
    TacJump,
    TacReturn,
    TacTrap,
    Value,
)
from transputer.frontends.smallc.types import (
    CHAR_BITS,
    ArrayType,
    IntType,
    PointerType,
    Signature,
    StructType,
    VoidType,
    common,
    size,
)

#: Built-in functions and how many arguments they take.
BUILTINS = {
    **{"abs": (1,), "min": (2,), "max": (2,), "swap": (2,), "find": (2, 3), "mul": (2,)},
    **{"putchar": (1,), "getchar": (0,), "exit": (1,), "abort": (0,)},
}

#: Why functions of the C library are refused.
_REFUSED = {
    **dict.fromkeys(("fopen", "fclose", "fread", "fwrite", "fflush"), "there are no files"),
    **dict.fromkeys(("getc", "fgetc", "ungetc", "gets", "getline", "sscanf", "fscanf"),
                    "use getchar, scanf or fgets(…, stdin)"),
    **dict.fromkeys(("rand", "srand"), "C leaves its numbers open; write your own generator"),
    **dict.fromkeys(("time", "clock", "sleep", "usleep"), "the machine has no clock"),
    **dict.fromkeys(("sqrt", "pow", "sin", "cos", "floor", "ceil", "fabs", "atof"),
                    "there is no floating point"),
    **dict.fromkeys(("perror", "getenv", "system", "atexit", "signal"),
                    "there is no operating system"),
    **dict.fromkeys(("atol", "atoll", "strtol", "strtoul", "strtoll", "llabs"),
                    "long has 64 bits; use atoi"),
}  # fmt: skip

#: Prefix of routines and of the library, and the functions with which only they end a run.
ROUTINE = "__"
TRAPS = {
    "__trap": Trap.DIVIDE_BY_ZERO,
    "__abort": Trap.UNREACHABLE,
    "__exhausted": Trap.HEAP_EXHAUSTED,
}


class CallTranslator(ExpressionTranslator):
    """Emits code for calls; collects what the program needs of the library."""

    heap = 0  # words for malloc
    input_words = 0  # words for the input; 0 if the machine has an instruction that reads
    called: frozenset[str] = frozenset()  # names of all functions that the source calls

    def __init__(self, text: str, file: str, bits: int) -> None:
        super().__init__(text, file, bits)
        self.wanted: list[str] = []  # functions of the library to translate
        self.numbers: dict[str, int] = {}  # functions whose addresses are taken
        self.dispatchers: dict[Signature, TacFunction] = {}

    # ---- names

    def meaning(self, node: Node) -> Meaning:
        """Return the meaning of an identifier, also that of a function of the library."""
        if self.scopes.find(node.name) is None and node.name in PLAIN:
            return self._of_library(ROUTINE + node.name)
        return super().meaning(node)

    def _of_library(self, name: str) -> FunctionName:
        """A function of the library, which will be translated."""
        known = self.scopes.levels[0].get(name)
        if not isinstance(known, FunctionName):
            node = library(self.bits, self.heap, self.input_words)[name]
            known = FunctionName(self.signature(node.decl.type), name)
            self.scopes.levels[0][name] = known
            self.wanted.append(name)
        return known

    def library(self, node: Node, name: str, *args: Value) -> Value:
        """Call a function of the library; return its value, 0 if it has none."""
        called = self._of_library(name)
        result = None if isinstance(called.signature.result, VoidType) else self.fresh()
        self.block.instrs.append(TacInstr("call", result, args, line_of(node), name))
        return 0 if result is None else result

    def library_variable(self, name: str) -> Reg:
        """A global of the library, declared where it is first wanted."""
        if name not in self.scopes.levels[0]:
            levels, self.scopes.levels = self.scopes.levels, self.scopes.levels[:1]
            self.declare_global(library(self.bits, self.heap, self.input_words)[name])
            self.scopes.levels = levels
        meaning = self.scopes.levels[0][name]
        assert isinstance(meaning, VariableName) and isinstance(meaning.where, Reg)
        return meaning.where

    def declare_global(self, node: Node) -> None:
        """Declare a variable of the file."""
        raise NotImplementedError

    def function_number(self, name: str) -> int:
        """The number that stands for a function in pointers to functions."""
        meaning = self.scopes.find(name)
        actual = meaning.name if isinstance(meaning, FunctionName) else ROUTINE + name
        return self.numbers.setdefault(actual, len(self.numbers) + 1)

    # ---- calls

    def _value_FuncCall(self, node: Node) -> TypedValue:
        args: list[Node] = node.args.exprs if node.args else []
        callee = node.name
        name = callee.name if type(callee).__name__ == "ID" else ""
        meaning = self.scopes.find(name)
        if meaning is None and name:
            special = self._special(node, name, args)
            if special is not None:
                return special
            if self.in_library and name in library(self.bits, self.heap, self.input_words):
                meaning = self._of_library(name)
            elif name in PLAIN:
                meaning = self._of_library(ROUTINE + name)
            else:
                hint = f"function {name!r} is not declared"
                if name in _REFUSED:
                    hint = f"{name} is not available here: {_REFUSED[name]}"
                raise self.error(callee, hint, len(name))
        if isinstance(meaning, FunctionName):
            return self._call(node, name, meaning, args)
        pointer = self.plain(callee)
        if not isinstance(pointer.kind, PointerType) or not isinstance(pointer.kind.to, Signature):
            what = f"{name!r}" if name else self.spelled(pointer.kind)
            raise self.error(callee, f"{what} is not a function", len(name) or 1)
        return self._indirect(node, pointer.kind.to, pointer.value, args)

    def _special(self, node: Node, name: str, args: list[Node]) -> TypedValue | None:
        """The value of a built-in function; None if it is none."""
        if name in TRAPS and (self.in_library or self.file == ROUTINE):
            self.block.term = TacTrap(line_of(node), TRAPS[name])
            self.enter(self.new_block("unreached"))
            return TypedValue(0, VoidType())
        if self.in_library and name in ("__put", "__putchar", "__read"):
            method = {"__put": self._put, "__putchar": self._putchar, "__read": self._getchar}[name]
            return method(node, args)
        if name in BUILTINS:
            self._count(node, name, args, BUILTINS[name])
            built_in = getattr(self, f"_{name}")
            value: TypedValue = built_in(node, args)
            return value
        return None

    def _call(self, node: Node, name: str, called: FunctionName, args: list[Node]) -> TypedValue:
        if called.name == "main":
            raise self.error(node.name, "main cannot be called", len(name))
        self._count(node, name, args, (len(called.signature.params),))
        return self._emitted(
            node, called.name, called.signature, self._passed(called.signature, args)
        )

    def _passed(self, signature: Signature, args: list[Node]) -> list[Value]:
        """The arguments; a struct is passed as the address of one that the callee copies."""
        values = self.arguments(args)
        triples = zip(args, values, signature.params, strict=True)
        return [self.assigned(arg, value, kind).value for arg, value, kind in triples]

    def arguments(self, args: list[Node]) -> list[TypedValue]:
        """The values of arguments, the last first where that can matter, as gcc does it."""
        acting = [_acts(arg) for arg in args]
        if not any(acting) or len(args) == 1:
            return [self.scalar(arg) for arg in args]
        values: list[TypedValue] = []
        for i in reversed(range(len(args))):
            value = self.scalar(args[i])
            if isinstance(value.value, Reg) and any(acting[:i]):
                value = TypedValue(self.emit(args[i], "mov", value.value), value.kind)
            values.append(value)
        return values[::-1]

    def _emitted(
        self, node: Node, name: str, signature: Signature, values: list[Value]
    ) -> TypedValue:
        """Call a function; a struct comes back in an object of the caller."""
        kind, result = signature.result, None
        if isinstance(kind, StructType):
            assert self.function
            space = MemoryObject("returned", size(self.complete(node, kind)), self.function.name)
            self.function.objects.append(space)
            values = [Addr(space), *values]
        elif not isinstance(kind, VoidType):
            result = self.fresh()
        self.block.instrs.append(TacInstr("call", result, tuple(values), line_of(node), name))
        if isinstance(kind, StructType):
            return TypedValue(values[0], kind)
        return TypedValue(0 if result is None else result, kind)

    def _indirect(
        self, node: Node, signature: Signature, pointer: Value, args: list[Node]
    ) -> TypedValue:
        """Call through a pointer: a function of its own compares the number."""
        self._count(node, "this function", args, (len(signature.params),))
        values = self._passed(signature, args)
        return self._emitted(node, self._dispatcher(signature).name, signature, [pointer, *values])

    def _dispatcher(self, signature: Signature) -> TacFunction:
        if signature not in self.dispatchers:
            name = f"{ROUTINE}call{len(self.dispatchers)}"
            returns = not isinstance(signature.result, VoidType | StructType)
            hidden = ["returned"] if isinstance(signature.result, StructType) else []
            names = [*hidden, "function", *(f"argument{i}" for i in range(len(signature.params)))]
            function = TacFunction(name, [Reg(n, name) for n in names], returns)
            self.dispatchers[signature] = function
            self.unit.functions[name] = function
        return self.dispatchers[signature]

    def finish_dispatchers(self) -> None:
        """Write the functions that call by number, once all numbers are known."""
        for signature, function in self.dispatchers.items():
            hidden = isinstance(signature.result, StructType)
            number = function.params[hidden]
            args = tuple(p for p in function.params if p is not number)
            test = TacBlock("test")
            function.blocks = [test]
            for name, value in self.numbers.items():
                meaning = self.scopes.levels[0].get(name)
                if not isinstance(meaning, FunctionName) or meaning.signature != signature:
                    continue
                result = Reg("result", function.name) if function.returns else None
                call = TacInstr("call", result, args, 0, name)
                chosen, after = TacBlock(name, [call], TacReturn(result)), TacBlock("test")
                test.term = TacBranch("eq", number, value, chosen, after)
                function.blocks += [chosen, after]
                test = after
            test.term = TacTrap(0, Trap.UNINITIALIZED_ELEMENT)

    def _count(self, node: Node, name: str, args: list[Node], allowed: tuple[int, ...]) -> None:
        if len(args) not in allowed:
            counts = " or ".join(map(str, allowed))
            noun = "argument" if allowed == (1,) else "arguments"
            raise self.error(node, f"{name} takes {counts} {noun}, not {len(args)}")

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
        array, wanted = self.value(args[0]), self.number(args[1])
        if not isinstance(array.kind, PointerType) or not isinstance(array.kind.to, IntType):
            spelled = self.spelled(array.kind)
            raise self.error(args[0], f"find searches an array of integers, not {spelled}")
        count = self._extent(args, array)
        at = self.emit(node, "find", array.value, wanted.value)
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

    def _mul(self, node: Node, args: list[Node]) -> TypedValue:
        return self.operation(node, "*", self.number(args[0]), self.number(args[1]))

    def _exit(self, node: Node, args: list[Node]) -> TypedValue:
        self.block.term = TacExit(self.number(args[0]).value, line_of(node))
        self.enter(self.new_block("unreached"))
        return TypedValue(0, VoidType())

    def _abort(self, node: Node, args: list[Node]) -> TypedValue:
        self.block.term = TacTrap(line_of(node), Trap.UNREACHABLE)
        self.enter(self.new_block("unreached"))
        return TypedValue(0, VoidType())

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

    def _put(self, node: Node, args: list[Node]) -> TypedValue:
        """Write a character of printf: to the output, or where sprintf says."""
        if self.sinks:
            self.library(node, "__sunk", self.number(args[0]).value)
        else:
            self.effect(node, "out", self.number(args[0]).value)
        return TypedValue(0, VoidType())

    @property
    def sinks(self) -> bool:
        """Whether the program prints to strings."""
        return bool(self.called & {"sprintf", "snprintf"})

    def _getchar(self, node: Node, args: list[Node]) -> TypedValue:
        if not self.in_library and self.called & {"scanf", "fgets"}:
            return TypedValue(self.library(node, "__next"), self.int)
        if self.input_words:
            return TypedValue(self.library(node, "__mapped"), self.int)
        return TypedValue(self.emit(node, "in"), self.int)


def _acts(node: Node) -> bool:
    """Whether an expression calls a function or changes a variable."""
    kind, op = type(node).__name__, getattr(node, "op", None)
    if kind in ("FuncCall", "Assignment") or kind == "UnaryOp" and op in ("++", "--", "p++", "p--"):
        return True
    return any(_acts(child) for _, child in node.children())
