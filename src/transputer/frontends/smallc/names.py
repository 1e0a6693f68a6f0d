"""Types, literals and names: the part of the translation that emits no code."""

import re
from abc import abstractmethod

from transputer.errors import SourceError
from transputer.frontends.smallc.headers import OPAQUE
from transputer.frontends.smallc.scope import (
    Meaning,
    Node,
    Scopes,
    SourceText,
    TypedValue,
    TypeName,
)
from transputer.frontends.smallc.types import (
    BOOL_BITS,
    CHAR_BITS,
    INT_BITS,
    SHORT_BITS,
    ArrayType,
    IntType,
    PointerType,
    Signature,
    StructType,
    Type,
    VoidType,
    decayed,
)

_FLOATING = "floating point is not supported here; use int"
_LITERAL = re.compile(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)([uUlL]*)")
_PIECE = re.compile(rb"\\([0-7]{1,3})|\\x([0-9a-fA-F]+)|\\(.)|(.)", re.DOTALL)
_ESCAPES = {
    **{b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n"},
    **{b"r": b"\r", b"t": b"\t", b"v": b"\v"},
}
#: Names of integer types without `signed`, `unsigned` and a redundant `int`; 0 bits are a word.
_WORD = 0
_KINDS = {"": _WORD, "char": CHAR_BITS, "short": SHORT_BITS}
#: Why other types are refused.
_INSTEAD = {
    "long": "use int, which has {bits} bits; long has 64",
    "float": "use int; there is no floating point",
    "double": "use int; there is no floating point",
}


class NameReader(SourceText):
    """Reads types and literals and looks up names."""

    def __init__(self, text: str, file: str, bits: int) -> None:
        super().__init__(text, file, bits)
        self.scopes = Scopes()

    def meaning(self, node: Node) -> Meaning:
        """Return the meaning of an identifier; an error if it is not declared."""
        meaning = self.scopes.find(node.name)
        if meaning is None:
            raise self.error(node, f"{node.name!r} is not declared", len(node.name))
        return meaning

    def kind(self, node: Node) -> Type:
        """Return the type of a declaration."""
        match type(node).__name__:
            case "Decl" | "Typename" | "Typedef":
                return self.kind(node.type)
            case "TypeDecl":
                return self._named(node.type)
            case "Struct" | "Union" | "Enum":
                return self._named(node)
            case "PtrDecl":
                return PointerType(self.kind(node.type))
            case "ArrayDecl":
                return ArrayType(self._element(node), self._length(node))
            case "FuncDecl":
                return self.signature(node)
        raise self.unsupported(node)

    @abstractmethod
    def record(self, node: Node) -> StructType:
        """The type of a struct or union."""

    def _element(self, node: Node) -> Type:
        of = self.kind(node.type)
        if isinstance(of, VoidType | Signature):
            raise self.error(node, f"an array cannot hold {self.spelled(of)}")
        return self.complete(node, of)

    def complete(self, node: Node, kind: Type) -> Type:
        """Return a type that has a size; an error for a struct without members."""
        if isinstance(kind, StructType) and kind.members is None:
            name = kind.tag.removeprefix("__")
            if name in OPAQUE:
                raise self.error(node, f"{name} {OPAQUE[name]}")
            raise self.error(node, f"{self.spelled(kind)} is declared but has no members here")
        return kind

    def _length(self, node: Node) -> int:
        if node.dim is None:
            return 0
        try:
            length = self.constant_value(node.dim)
        except SourceError:
            problem = "the length of an array must be a constant here; malloc takes any"
            raise self.error(node.dim, problem) from None
        count = length.value
        if isinstance(count, int) and length.kind == self.unsigned:
            count &= (1 << self.bits) - 1
        if not isinstance(count, int) or count <= 0:
            raise self.error(node.dim, "the length of an array must be a positive constant")
        return count

    def _named(self, node: Node) -> Type:
        if type(node).__name__ == "Enum":
            return self.int
        if type(node).__name__ != "IdentifierType":
            return self.record(node)
        names = set(node.names)
        if names == {"void"}:
            return VoidType()
        if names == {"_Bool"}:
            return IntType(BOOL_BITS, False)
        core = names - {"signed", "unsigned"}
        if len(core) > 1 or core == {"int"}:
            core -= {"int"}
        base = " ".join(sorted(core))
        if base in _KINDS:
            return IntType(self._bits(node, _KINDS[base]), "unsigned" not in names)
        meaning = self.scopes.find(node.names[0])
        if isinstance(meaning, TypeName):
            return meaning.kind
        spelled = " ".join(node.names)
        instead = next((_INSTEAD[n] for n in node.names if n in _INSTEAD), "use int or char")
        problem = f"{spelled} is not supported here; {instead.format(bits=self.bits)}"
        raise self.error(node, problem, len(spelled))

    def _bits(self, node: Node, bits: int) -> int:
        if bits > self.bits:
            raise self.error(node, f"short has {bits} bits; compile for {INT_BITS} bits", 5)
        return bits or self.bits

    def signature(self, node: Node) -> Signature:
        """Return the signature of a function declaration; arrays are passed as pointers."""
        params = tuple(self.parameter(p) for p in parameters(node))
        result = self.kind(node.type)
        if isinstance(result, ArrayType | Signature):
            raise self.error(node, f"a function cannot return {self.spelled(result)}")
        return Signature(params, result)

    def parameter(self, node: Node) -> Type:
        """The type of one parameter."""
        if type(node).__name__ == "EllipsisParam":
            raise self.unsupported(node)
        if type(node).__name__ == "ID":
            raise self.error(node, "every parameter needs a type")
        kind = self.kind(node.type)
        if isinstance(kind, VoidType):
            raise self.error(node, "a parameter cannot be void")
        return decayed(kind)

    def literal(self, node: Node) -> tuple[int, IntType]:
        """Return a constant and its type: unsigned if int cannot hold it."""
        if node.type == "char":
            return character(node.value), self.int
        match = _LITERAL.fullmatch(node.value)
        if not match:
            quoted = node.value.endswith("'")
            why = "a character constant has one character" if quoted else _FLOATING
            raise self.error(node, why, len(node.value))
        value, suffix = _number(match[1]), match[2].lower()
        if "l" in suffix:
            raise self.error(
                node, f"{node.value} is long; {_INSTEAD['long']}".format(bits=self.bits)
            )
        if value >> self.bits:
            wider = "" if value >> INT_BITS else f"; compile for {INT_BITS} bits"
            problem = f"{value} does not fit into {self.bits} bits{wider}"
            raise self.error(node, problem, len(node.value))
        small = not value >> (self.bits - 1) and "u" not in suffix
        if self.bits == INT_BITS and value > 1 << (self.bits - 1) and match[0].isdigit():
            raise self.error(node, f"{value} is long, because int has {self.bits} bits; "
                             f"write {value}u if you mean unsigned", len(node.value))  # fmt: skip
        return value, self.int if small else self.unsigned

    @abstractmethod
    def constant_value(self, node: Node) -> TypedValue:
        """The value of a constant expression."""


def _number(digits: str) -> int:
    if digits.isdigit() and len(digits) > 1 and digits[0] == "0":
        return int(digits, 8)
    return int(digits, 0)


def character(spelled: str) -> int:
    """The number of a character constant, as char holds it."""
    code = string(spelled)
    return code[0] - (1 << CHAR_BITS) if code[0] >> (CHAR_BITS - 1) else code[0]


def string(spelled: str) -> bytes:
    """The bytes of a string or character constant, without its end."""
    code = bytearray()
    for octal, hexadecimal, escaped, plain in _PIECE.findall(spelled[1:-1].encode()):
        if octal or hexadecimal:
            code.append(int(octal or hexadecimal, 8 if octal else 16) & 0xFF)
        else:
            code += _ESCAPES.get(escaped, escaped) or plain
    return bytes(code)


def parameters(node: Node) -> list[Node]:
    """The parameters of a function's declaration; `void` alone is none."""
    if node.args is None:
        return []
    params: list[Node] = node.args.params
    if len(params) == 1 and type(params[0]).__name__ == "Typename":
        kind = params[0].type.type
        if getattr(kind, "names", None) == ["void"]:
            return []
    return params
