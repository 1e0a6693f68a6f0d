"""Expressions of C in a debugger: `a[i].x`, `*p`, `n * 2 > total`.

They read the recorded run and cannot change it: assignments and calls are refused.
"""

import operator
import re
import struct
from collections.abc import Callable
from typing import Any, Protocol

from pycparser import c_ast
from pycparser.c_parser import CParser

from transputer.errors import UsageError
from transputer.frontends.c_types import CType, pointer_name
from transputer.values import dataclass

INT = CType("int", 4, "signed")
_UNSIGNED = CType("unsigned int", 4, "unsigned")
_LONG = CType("long long", 8, "signed")
_UNSIGNED_LONG = CType("unsigned long long", 8, "unsigned")
_DOUBLE = CType("double", 8, "float")
_CHAR = CType("char", 1, "character")
#: Prefix of a name that means the global variable; in an expression it is written `::name`.
GLOBAL = "__global__"
_WORD = re.compile(r"[A-Za-z_]\w*")
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_INTEGER: dict[str, Callable[[Any, Any], Any]] = {
    "&": operator.and_, "|": operator.or_, "^": operator.xor, "<<": operator.lshift,
    ">>": operator.rshift,
}  # fmt: skip
_BOTH: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class CValue:
    """A value with its type; `address` or `slot` say where it lies, if it lies anywhere."""

    type: CType
    data: bytes
    address: int | None = None
    slot: int | None = None

    @property
    def number(self) -> int | float:
        """The value as a number; an array is its address."""
        if self.type.kind == "array" and self.address is not None:
            return self.address
        if not self.type.is_number:
            raise UsageError(f"a value of type {self.type.name} is not a number")
        return self.type.number(self.data)


class Scope(Protocol):
    """What the names in an expression mean."""

    def variable(self, name: str) -> CValue:
        """Return a variable; raise `UsageError` if there is none or it is optimised out."""

    def read(self, address: int, count: int) -> bytes:
        """Return bytes of memory."""

    def type_named(self, name: str) -> CType | None:
        """Return a type by its name, such as `struct point`."""


def evaluate(text: str, scope: Scope) -> CValue:
    """Return the value of an expression; raise `UsageError` if it has none.

    `VALUE@N` is an array of N elements that begins at VALUE.
    """
    first, at, count = text.rpartition("@")
    evaluator = _Evaluator(scope)
    if not at:
        return evaluator.value(_parse(text, scope))
    start, number = evaluator.value(_parse(first, scope)), evaluate(count, scope).number
    if start.address is None or not 0 < number <= 1 << 16:
        raise UsageError(f"{first.strip()} is not in memory, or {count.strip()} is no length")
    length = int(number)
    name = f"{start.type.name} [{length}]"
    type_ = CType(name, start.type.size * length, "array", lambda: start.type)
    return CValue(type_, scope.read(start.address, type_.size), start.address)


def text_of(value: CValue, scope: Scope) -> str:
    """Return a value as a C programmer writes it; a pointer has its type in front."""
    text = value.type.shown(value.data, scope.read)
    if value.type.kind == "pointer" and value.type.element.kind != "character":
        return f"({value.type.name}) {text}"
    return text


def _parse(text: str, scope: Scope) -> Any:
    """Return the syntax tree of an expression."""
    words = dict.fromkeys(_WORD.findall(text))
    typedefs = [word for word in words if scope.type_named(word) is not None]
    known = "".join(f"typedef int {word};" for word in typedefs if word not in _KEYWORDS)
    try:
        body = text.replace("::", GLOBAL)
        tree = CParser().parse(f"{known}void f(void) {{ ({body}); }}")
        (statement,) = tree.ext[-1].body.block_items
    except Exception:  # the parser has errors of several kinds
        raise UsageError(f"not an expression: {text.strip()}") from None
    return statement


_KEYWORDS = frozenset("int char short long float double signed unsigned void _Bool".split())


class _Evaluator:
    """Evaluates the nodes of a syntax tree."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    def value(self, node: Any) -> CValue:
        """Return the value of a node."""
        rule = getattr(self, f"_{type(node).__name__.lower()}", None)
        if rule is None:
            raise UsageError("a recorded run can be read, not changed: no assignments, no calls")
        value: CValue = rule(node)
        return value

    def _id(self, node: Any) -> CValue:
        return self.scope.variable(node.name)

    def _constant(self, node: Any) -> CValue:
        text = node.value.rstrip("uUlL") if node.type != "char" else node.value
        if node.type == "char":
            body = node.value[1:-1].encode().decode("unicode_escape")
            return _number(_CHAR, ord(body))
        if node.type in ("float", "double"):
            return _number(_DOUBLE, float(node.value.rstrip("fFlL")))
        if node.type == "string":
            raise UsageError("no strings in expressions")
        octal = len(text) > 1 and text[0] == "0" and text.isdigit()
        number = int(text, 8) if octal else int(text, 0)
        return _number(INT if number < 1 << 31 else _LONG, number)

    def _arrayref(self, node: Any) -> CValue:
        base, index = self.value(node.name), self.value(node.subscript).number
        return self._dereference(self._moved(base, int(index)))

    def _structref(self, node: Any) -> CValue:
        base = self.value(node.name)
        if node.type == "->":
            base = self._dereference(base)
        return self._member(base, node.field.name)

    def _member(self, base: CValue, name: str) -> CValue:
        for member in base.type.members:
            if member.name and member.name != name:
                continue
            address = None if base.address is None else base.address + member.offset
            own = CValue(member.type, member.cut(base.data), address)
            if member.name == name:
                return own
            if any(inner.name == name for inner in member.type.members):  # an anonymous member
                return self._member(own, name)
        raise UsageError(f"{base.type.name} has no member {name}")

    def _unaryop(self, node: Any) -> CValue:
        if node.op == "sizeof":
            type_ = self._named(node.expr) if isinstance(node.expr, c_ast.Typename) else None
            return _number(_UNSIGNED, (type_ or self.value(node.expr).type).size)
        value = self.value(node.expr)
        if node.op == "*":
            return self._dereference(value)
        if node.op == "&":
            if value.address is None:
                raise UsageError("the value is not in memory")
            return _pointer(value.type, value.address)
        if node.op == "!":
            return _number(INT, int(not value.number))
        if node.op in ("-", "+", "~"):
            number = value.number
            result = -number if node.op == "-" else number if node.op == "+" else ~int(number)
            return _number(_promoted(value.type), result)
        raise UsageError("a recorded run can be read, not changed")

    def _binaryop(self, node: Any) -> CValue:
        left = self.value(node.left)
        if node.op in ("&&", "||"):
            short = bool(left.number) is (node.op == "||")
            return _number(INT, int(bool(left.number if short else self.value(node.right).number)))
        right = self.value(node.right)
        if node.op in ("+", "-") and left.type.kind in ("pointer", "array"):
            if right.type.kind in ("pointer", "array"):
                size = max(1, left.type.element.size)
                return _number(INT, int(left.number - right.number) // size)
            return self._moved(left, int(right.number) * (1 if node.op == "+" else -1))
        if node.op in _COMPARE:
            return _number(INT, int(_COMPARE[node.op](left.number, right.number)))
        return _arithmetic(node.op, left, right)

    def _ternaryop(self, node: Any) -> CValue:
        return self.value(node.iftrue if self.value(node.cond).number else node.iffalse)

    def _cast(self, node: Any) -> CValue:
        type_, value = self._named(node.to_type), self.value(node.expr)
        if type_.kind in ("structure", "union", "array"):
            raise UsageError(f"cannot cast to {type_.name}")
        number = value.number
        return _number(type_, float(number) if type_.kind == "float" else int(number))

    def _named(self, node: Any) -> CType:
        """Return the type that a type name means."""
        depth, type_ = 0, node.type
        while isinstance(type_, c_ast.PtrDecl):
            depth, type_ = depth + 1, type_.type
        inner = getattr(type_, "type", None)
        if isinstance(inner, c_ast.IdentifierType):
            name = " ".join(inner.names)
        elif isinstance(inner, c_ast.Struct | c_ast.Union | c_ast.Enum):
            name = f"{type(inner).__name__.lower()} {inner.name}"
        else:
            raise UsageError("unknown type in the expression")
        result = _BASIC.get(name) or self.scope.type_named(name)
        if result is None:
            raise UsageError(f"no type {name!r} here")
        for _ in range(depth):
            result = _pointer_to(result)
        return result

    def _dereference(self, value: CValue) -> CValue:
        if value.type.kind not in ("pointer", "array"):
            raise UsageError(f"a value of type {value.type.name} points to nothing")
        target, address = value.type.element, int(value.number)
        if not target.size:
            raise UsageError(f"a value of type {value.type.name} points to no known type")
        return CValue(target, self.scope.read(address, target.size), address)

    def _moved(self, value: CValue, count: int) -> CValue:
        """Return a pointer `count` elements behind a pointer or the start of an array."""
        element = value.type.element
        if value.type.kind == "array" and value.address is None:
            raise UsageError("the array is not in memory")
        if value.type.kind not in ("pointer", "array"):
            raise UsageError(f"a value of type {value.type.name} has no elements")
        return _pointer(element, int(value.number) + count * element.size)


def _pointer_to(type_: CType) -> CType:
    return CType(pointer_name(type_.name), 4, "pointer", lambda: type_)


def _pointer(type_: CType, address: int) -> CValue:
    return _number(_pointer_to(type_), address)


def _number(type_: CType, number: int | float) -> CValue:
    """Return a number as a value; integers wrap as the type does."""
    if type_.kind == "float":
        return CValue(type_, struct.pack("<f" if type_.size == 4 else "<d", number))
    return CValue(type_, (int(number) % (1 << 8 * type_.size)).to_bytes(type_.size, "little"))


def _promoted(type_: CType) -> CType:
    """Return the type of arithmetic on a type: at least `int`."""
    if type_.kind == "float":
        return _DOUBLE
    if type_.size < 4 or type_.kind == "enumeration":
        return INT
    long, unsigned = type_.size == 8, type_.kind in ("unsigned", "pointer")
    return ((_LONG, _UNSIGNED_LONG) if long else (INT, _UNSIGNED))[unsigned]


def _common(left: CType, right: CType) -> CType:
    """Return the type of arithmetic on two types, by the usual arithmetic conversions."""
    types = (_promoted(left), _promoted(right))
    if any(type_.kind == "float" for type_ in types):
        return _DOUBLE
    size = max(type_.size for type_ in types)
    return next((t for t in types if t.size == size and t.kind == "unsigned"),
                next(t for t in types if t.size == size))  # fmt: skip


def _arithmetic(op: str, left: CValue, right: CValue) -> CValue:
    type_ = _promoted(left.type) if op in ("<<", ">>") else _common(left.type, right.type)
    a, b = left.number, right.number
    if op in _BOTH:
        return _number(type_, _BOTH[op](a, b))
    if op in ("/", "%"):
        if not b:
            raise UsageError("division by zero")
        if type_.kind == "float":
            return _number(type_, a / b)
        quotient = abs(int(a)) // abs(int(b)) * (1 if (a < 0) == (b < 0) else -1)
        return _number(type_, quotient if op == "/" else int(a) - quotient * int(b))
    if op in _INTEGER and type_.kind != "float":
        return _number(type_, _INTEGER[op](int(a), int(b)))
    raise UsageError(f"no operator {op} here")


_BASIC = {
    "int": INT, "unsigned": _UNSIGNED, "unsigned int": _UNSIGNED, "long long": _LONG, "char": _CHAR,
    "unsigned long long": _UNSIGNED_LONG, "double": _DOUBLE, "float": CType("float", 4, "float"),
    "short": CType("short", 2, "signed"), "unsigned short": CType("unsigned short", 2, "unsigned"),
    "unsigned char": CType("unsigned char", 1, "byte"), "long": CType("long", 4, "signed"),
    "signed char": CType("signed char", 1, "character"), "void": CType("void", 0, "opaque"),
    "unsigned long": CType("unsigned long", 4, "unsigned"),
}  # fmt: skip
