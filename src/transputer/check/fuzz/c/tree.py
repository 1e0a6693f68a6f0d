"""C programs as trees, which the generator builds and the shrinker reduces; printed as C.

A tree stays a program without undefined behaviour when parts of it are dropped or replaced by a
constant: signed arithmetic is done on unsigned numbers, indices and shifts are masked, divisors and
conversions are guarded, and all loops and calls share one budget of rounds. Expressions have no
side effects, so that the order of evaluation does not matter.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

#: Bits of the types that programs use, by their name in the prelude.
BITS = {"i8": 8, "u8": 8, "i16": 16, "u16": 16, "i32": 32, "u32": 32, "i64": 64, "u64": 64}
FLOATS = ("f32", "f64")
SMALL = ("i8", "u8", "i16", "u16")
#: Types that arithmetic is done in.
WIDE = ("i32", "u32", "i64", "u64", *FLOATS)
TYPES = (*SMALL, *WIDE)
#: Budget of loop rounds and calls of one program.
ROUNDS = 200


class CExpr:
    """An expression of a type."""

    type: str


@dataclass(frozen=True, slots=True)
class Const(CExpr):
    """A number of a type; integers as they are read, floats as Python has them."""

    type: str
    value: float

    def __str__(self) -> str:
        if self.type in FLOATS:
            return self._float()
        suffix = {"i64": "ll", "u64": "ull", "u32": "u"}.get(self.type, "")
        if self.value == -(1 << BITS[self.type] - 1) and self.type in ("i32", "i64"):
            return f"(-{-self.value - 1}{suffix} - 1)"
        text = f"{self.value}{suffix}"
        return f"({text})" if self.value < 0 else text

    def _float(self) -> str:
        suffix = "f" if self.type == "f32" else ""
        if math.isnan(self.value):
            return f'__builtin_nan{suffix}("")'
        if math.isinf(self.value):
            return f"({'-' if self.value < 0 else ''}__builtin_inf{suffix}())"
        text = float(self.value).hex() + suffix
        return f"({text})" if text.startswith("-") else text


@dataclass(frozen=True, slots=True)
class CPlace(CExpr):
    """An lvalue as text: a variable, a field or the target of a pointer."""

    type: str
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class CElement(CExpr):
    """An element of an array of `size`, a power of two, and perhaps a field of it."""

    type: str
    array: str
    size: int
    index: CExpr
    field: str = ""

    def __str__(self) -> str:
        return f"{self.array}[(u32){_operand(self.index)} & {self.size - 1}]{self.field}"


@dataclass(frozen=True, slots=True)
class Unary(CExpr):
    """`-`, `~` or `!` of something wide, or a function of one float."""

    type: str
    op: str
    operand: CExpr

    def __str__(self) -> str:
        if self.op == "-" and self.type in ("i32", "i64"):
            return f"({self.type})-({unsigned(self.type)}){_operand(self.operand)}"
        if self.op in ("-", "~", "!"):
            return f"{self.op}{_operand(self.operand)}"
        return f"{self.op}{'f' if self.type == 'f32' else ''}({self.operand})"


@dataclass(frozen=True, slots=True)
class Bits(CExpr):
    """A bit count or byte swap of an unsigned number; clz and ctz never see zero."""

    type: str
    op: str
    operand: CExpr

    def __str__(self) -> str:
        nonzero = " | 1" if self.op in ("clz", "ctz") else ""
        if self.op == "bswap":
            return f"__builtin_bswap{BITS[self.type]}({self.operand})"
        wide = "ll" if self.type == "u64" else ""
        return f"({self.type})__builtin_{self.op}{wide}({_operand(self.operand)}{nonzero})"


@dataclass(frozen=True, slots=True)
class Binary(CExpr):
    """Arithmetic of two operands of the same wide type."""

    type: str
    op: str
    left: CExpr
    right: CExpr

    def __str__(self) -> str:
        a, b, t = _operand(self.left), _operand(self.right), self.type
        if t in FLOATS or (t in ("u32", "u64") and self.op in "+-*&|^") or self.op in "&|^":
            return f"{a} {self.op} {b}"
        if self.op in "/%":
            return f"{'div' if self.op == '/' else 'rem'}_{t}({self.left}, {self.right})"
        if self.op == ">>":
            return f"{a} >> ({b} & {BITS[t] - 1})"
        if self.op == "<<":
            return f"({t})(({unsigned(t)}){a} << ({b} & {BITS[t] - 1}))"
        return f"({t})(({unsigned(t)}){a} {self.op} ({unsigned(t)}){b})"


@dataclass(frozen=True, slots=True)
class Compare(CExpr):
    """A comparison of two operands of one type, or `&&` and `||` of two conditions."""

    type: str
    op: str
    left: CExpr
    right: CExpr

    def __str__(self) -> str:
        return f"{_operand(self.left)} {self.op} {_operand(self.right)}"


@dataclass(frozen=True, slots=True)
class Either(CExpr):
    """A conditional expression."""

    type: str
    condition: CExpr
    left: CExpr
    right: CExpr

    def __str__(self) -> str:
        return f"{_operand(self.condition)} ? {_operand(self.left)} : {_operand(self.right)}"


@dataclass(frozen=True, slots=True)
class Cast(CExpr):
    """A number of another type."""

    type: str
    operand: CExpr

    def __str__(self) -> str:
        if self.operand.type not in FLOATS or self.type in FLOATS:
            return f"({self.type}){_operand(self.operand)}"
        wide = self.type if self.type in WIDE else "i32"
        text = f"{wide}_{self.operand.type}({self.operand})"
        return text if wide == self.type else f"({self.type}){text}"


def unsigned(type_: str) -> str:
    """The unsigned type of the same size."""
    return "u" + type_[1:]


def _operand(expr: CExpr) -> str:
    """An expression in parentheses where it needs them."""
    text = str(expr)
    plain = isinstance(expr, (Const, CPlace, CElement)) or text.replace("_", "").isalnum()
    return text if plain else f"({text})"


class Statement:
    """A statement."""


Block = tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class CAssign(Statement):
    """An assignment to an lvalue of the same type."""

    place: CExpr
    value: CExpr


@dataclass(frozen=True, slots=True)
class Raw(Statement):
    """A statement without parts to shrink: a copy of a struct, a move of a pointer."""

    text: str


@dataclass(frozen=True, slots=True)
class Mix(Statement):
    """A value that goes into the checksum."""

    value: CExpr


@dataclass(frozen=True, slots=True)
class If(Statement):
    """An if statement."""

    condition: CExpr
    then: Block
    other: Block


@dataclass(frozen=True, slots=True)
class CLoop(Statement):
    """At most `count` rounds; `form` is the keyword that it is written with."""

    counter: str
    count: int
    body: Block
    form: str


@dataclass(frozen=True, slots=True)
class Leave(Statement):
    """`break` or `continue` of the loop around, on a condition."""

    word: str
    condition: CExpr


@dataclass(frozen=True, slots=True)
class CCase:
    """A case of a switch: its value, its body, and whether it falls through."""

    value: int
    body: Block
    falls: bool


@dataclass(frozen=True, slots=True)
class Switch(Statement):
    """A switch statement."""

    value: CExpr
    cases: tuple[CCase, ...]
    default: Block


@dataclass(frozen=True, slots=True)
class CCall(Statement):
    """A call; `target` is a function, or a table of functions with a `selector`."""

    result: CExpr
    target: str
    selector: CExpr | None
    size: int
    args: tuple[CExpr, ...]
    returns: str


@dataclass(frozen=True, slots=True)
class CReturn(Statement):
    """A return statement."""

    value: CExpr


@dataclass(frozen=True, slots=True)
class CFunction:
    """A function: declarations of its own variables are text, its statements are not."""

    name: str
    returns: str
    params: tuple[str, ...]
    declarations: tuple[str, ...]
    body: Block
    result: CExpr

    @property
    def head(self) -> str:
        """The function's declaration."""
        return f"static {self.returns} {self.name}({', '.join(self.params) or 'void'})"


@dataclass(frozen=True, slots=True)
class CProgram:
    """One program: its declarations, its functions, and what goes into its checksum.

    `tables` are declared after the functions' heads, which they refer to.
    """

    number: int
    declarations: tuple[str, ...]
    tables: tuple[str, ...]
    functions: tuple[CFunction, ...]
    main: Block
    checked: tuple[Statement, ...]

    @property
    def name(self) -> str:
        """The function that runs it."""
        return f"program_{self.number}"


def lines(block: Block, depth: int) -> list[str]:
    """A block in C, indented."""
    return [line for statement in block for line in _written(statement, "    " * depth, depth)]


def _written(statement: Statement, pad: str, depth: int) -> list[str]:
    match statement:
        case CAssign(place, value):
            return [f"{pad}{place} = {value};"]
        case Raw(text):
            return [f"{pad}{text}"]
        case Mix(value):
            return [f"{pad}{mixed(value)}"]
        case Leave(word, condition):
            return [f"{pad}if ({condition}) {word};"]
        case CReturn(value):
            return [f"{pad}return {value};"]
        case If(condition, then, other):
            behind = [f"{pad}}} else {{", *lines(other, depth + 1)] if other else []
            return [f"{pad}if ({condition}) {{", *lines(then, depth + 1), *behind, f"{pad}}}"]
        case CLoop():
            return _loop(statement, pad, depth)
        case Switch():
            return _switch(statement, pad, depth)
        case CCall():
            return [f"{pad}{_call(statement)}"]
    raise TypeError(f"no statement: {statement!r}")


def mixed(value: CExpr) -> str:
    """The statement that puts a value into the checksum."""
    if value.type in FLOATS:
        return f"mix_{value.type}({value});"
    return f"mix((u64){_operand(value)});"


def _loop(loop: CLoop, pad: str, depth: int) -> list[str]:
    i, more = loop.counter, f"{loop.counter} < {loop.count} && rounds"
    body = [f"{pad}    rounds--;", *lines(loop.body, depth + 1)]
    if loop.form == "for":
        return [f"{pad}for (u32 {i} = 0; {more}; {i}++) {{", *body, f"{pad}}}"]
    once = f"for (u32 {i} = 0, once = 1; once; once = 0)"
    body = [f"{pad}    {i}++;", *body]
    if loop.form == "while":
        return [f"{pad}{once} while ({more}) {{", *body, f"{pad}}}"]
    return [f"{pad}if (rounds) {once} do {{", *body, f"{pad}}} while ({more});"]


def _switch(switch: Switch, pad: str, depth: int) -> list[str]:
    out = [f"{pad}switch ({switch.value}) {{"]
    for case in switch.cases:
        out += [f"{pad}case {case.value}:", *lines(case.body, depth + 1)]
        out += [] if case.falls else [f"{pad}    break;"]
    default = lines(switch.default, depth + 1) or [f"{pad}    ;"]
    return [*out, f"{pad}default:", *default, f"{pad}}}"]


def _call(call: CCall) -> str:
    """The call first: it may change where the result goes."""
    target = call.target
    if call.selector is not None:
        target += f"[(u32){_operand(call.selector)} & {call.size - 1}]"
    assignment = f"{call.returns} r = {target}({', '.join(map(str, call.args))});"
    return (
        f"{{ {assignment} {call.result} = {Cast(call.result.type, CPlace(call.returns, 'r'))}; }}"
    )


def print_program(program: CProgram) -> str:
    """One program in C, without the prelude."""
    out = [*program.declarations, *(f"{f.head};" for f in program.functions), *program.tables, ""]
    for f in program.functions:
        out += [f"{f.head} {{", *(f"    {d}" for d in f.declarations)]
        out += [f"    if (!rounds) return {Const(f.returns, 0)};", "    rounds--;"]
        out += [*lines(f.body, 1), f"    return {f.result};", "}", ""]
    out += [f"static void {program.name}(void) {{", f"    rounds = {ROUNDS};"]
    out += ["    hash = 14695981039346656037ull;", *lines(program.main + program.checked, 1)]
    show = f'printf("{program.number} %08x%08x\\n", (u32)(hash >> 32), (u32)hash);'
    return "\n".join([*out, f"    {show}", "}", ""])


@cache
def prelude() -> str:
    """Return the prelude that all programs share."""
    return (files(__package__) / "prelude.h").read_text()


def print_programs(programs: Sequence[CProgram]) -> str:
    """Return a source file that runs programs one after another, with a line of output each."""
    runs = "".join(f"    {p.name}();\n" for p in programs)
    main = f"int main(void) {{\n{runs}    return 0;\n}}\n"
    return "\n".join((prelude(), *map(print_program, programs), main))
