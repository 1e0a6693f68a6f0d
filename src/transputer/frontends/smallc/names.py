"""Types, literals and names: the part of the translation that emits no code."""

import re
from abc import abstractmethod

from transputer.frontends.smallc.scope import (
    UNSUPPORTED,
    Meaning,
    Node,
    Scopes,
    SourceText,
    TypedValue,
    TypeName,
)
from transputer.frontends.smallc.types import (
    CHAR_BITS,
    INT_BITS,
    ArrayType,
    IntType,
    PointerType,
    Signature,
    Type,
    VoidType,
)

_FLOATING = "floating point is not supported here; use int"
_LITERAL = re.compile(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)([uUlL]*)")
_PIECE = re.compile(rb"\\([0-7]{1,3})|\\x([0-9a-fA-F]+)|\\(.)|(.)", re.DOTALL)
_ESCAPES = {
    **{b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n"},
    **{b"r": b"\r", b"t": b"\t", b"v": b"\v"},
}
_KINDS = {
    ("int",): (0, True),
    ("signed",): (0, True),
    ("int", "signed"): (0, True),
    ("unsigned",): (0, False),
    ("int", "unsigned"): (0, False),
    ("char",): (CHAR_BITS, True),
    ("char", "signed"): (CHAR_BITS, True),
    ("char", "unsigned"): (CHAR_BITS, False),
    ("_Bool",): (0, False),
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
            case "PtrDecl":
                if type(node.type).__name__ == "FuncDecl":
                    raise self.error(node, UNSUPPORTED["FuncDecl"])
                return PointerType(self.kind(node.type))
            case "ArrayDecl":
                return ArrayType(self._element(node), self._length(node))
        raise self.unsupported(node)

    def _element(self, node: Node) -> Type:
        of = self.kind(node.type)
        if isinstance(of, VoidType):
            raise self.error(node, "array elements cannot be void")
        return of

    def _length(self, node: Node) -> int:
        if node.dim is None:
            return 0
        length = self.constant_value(node.dim)
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
            raise self.unsupported(node, len(type(node).__name__))  # struct or union
        names = tuple(sorted(node.names))
        if names == ("void",):
            return VoidType()
        if names in _KINDS:
            bits, signed = _KINDS[names]
            return IntType(bits or self.bits, signed)
        meaning = self.scopes.find(node.names[0])
        if isinstance(meaning, TypeName):
            return meaning.kind
        spelled = " ".join(node.names)
        problem = f"{spelled} is not supported here; use int, unsigned or char"
        raise self.error(node, problem, len(spelled))

    def signature(self, node: Node) -> Signature:
        """Return the signature of a function declaration; arrays are passed as pointers."""
        params = tuple(self.parameter(p) for p in parameters(node))
        result = self.kind(node.type)
        if isinstance(result, ArrayType):
            raise self.error(node, "a function cannot return an array; pass one to be filled")
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
        return PointerType(kind.of) if isinstance(kind, ArrayType) else kind

    def literal(self, node: Node) -> tuple[int, IntType]:
        """Return a constant and its type: unsigned if int cannot hold it."""
        if node.type == "char":
            return character(node.value), self.int
        match = _LITERAL.fullmatch(node.value)
        if not match:
            quoted = node.value.endswith("'")
            why = "a character constant has one character" if quoted else _FLOATING
            raise self.error(node, why, len(node.value))
        value = _number(match[1])
        if value >> self.bits:
            wider = "" if value >> INT_BITS else f"; compile for {INT_BITS} bits"
            problem = f"{value} does not fit into {self.bits} bits{wider}"
            raise self.error(node, problem, len(node.value))
        small = not value >> (self.bits - 1) and "u" not in match[2].lower()
        return value, self.int if small else self.unsigned

    @abstractmethod
    def constant_value(self, node: Node) -> TypedValue:
        """The value of a constant expression."""

    def fits(self, node: Node, actual: Type, expected: Type) -> None:
        """Raise if a value of type `actual` needs a cast to become `expected`."""
        if isinstance(actual, IntType) and isinstance(expected, IntType):
            return
        if actual != expected or isinstance(expected, VoidType):
            raise self.error(node, f"expected {self.spelled(expected)}, not {self.spelled(actual)}")


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
