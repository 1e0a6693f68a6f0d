"""Lvalues: variables, elements, members, and what pointers point to."""

from abc import abstractmethod

from transputer.frontends.smallc.records import RecordReader
from transputer.frontends.smallc.scope import (
    UNSUPPORTED,
    ConstantName,
    FunctionName,
    Node,
    TypedValue,
    VariableName,
)
from transputer.frontends.smallc.tac import Addr, Reg, Value, beyond
from transputer.frontends.smallc.types import (
    ArrayType,
    IntType,
    PointerType,
    Signature,
    StructType,
    Type,
    VoidType,
    decayed,
    size,
)
from transputer.values import dataclass

#: Largest struct that is copied word by word; a loop copies longer ones.
_UNROLLED = 6


#: Nodes of expressions that have an address.
_LVALUES = ("ID", "ArrayRef", "StructRef", "UnaryOp", "CompoundLiteral")


@dataclass(frozen=True, slots=True)
class Lvalue:
    """A register, or the word at an address."""

    kind: Type
    where: Value
    in_memory: bool
    shared: bool = False  # a member of a union: its word may hold another member
    bit_field: bool = False


class Lvalues(RecordReader):
    """Resolves, reads and writes lvalues."""

    normalise = False  # narrow words are converted when they are read: see `mixed_signs`

    @abstractmethod
    def value(self, node: Node) -> TypedValue:
        """The value of an expression."""

    @abstractmethod
    def literal_object(self, node: Node) -> Lvalue:
        """The object of a compound literal."""

    @abstractmethod
    def library(self, node: Node, name: str, *args: Value) -> Value:
        """Call a function of the library."""

    def target(self, node: Node) -> Lvalue:
        """Return the lvalue of an expression; an error if it has none."""
        match type(node).__name__, getattr(node, "op", None):
            case "ID", _:
                return self._variable(node)
            case "ArrayRef", _:
                return self._element_of(node)
            case "StructRef", _:
                return self._member_of(node)
            case "CompoundLiteral", _:
                return self.literal_object(node)
            case "UnaryOp", "*":
                pointer = self.value(node.expr)
                if not isinstance(pointer.kind, PointerType):
                    raise self.error(node, f"{self.spelled(pointer.kind)} is not a pointer")
                if isinstance(pointer.kind.to, VoidType):
                    raise self.error(node, "void * must be cast before * or []")
                return Lvalue(self.complete(node, pointer.kind.to), pointer.value, True)
        if type(node).__name__ in UNSUPPORTED:
            raise self.unsupported(node)
        raise self.error(node, "this is not a variable; it cannot be assigned and has no address")

    def assignable(self, node: Node) -> Lvalue:
        """Return an lvalue that may be written."""
        to = self.target(node)
        meaning = self.scopes.find(node.name) if type(node).__name__ == "ID" else None
        written = isinstance(to.where, Addr) and to.where.object.constant
        if written or isinstance(meaning, VariableName) and meaning.constant:
            raise self.error(node, "this is const and cannot be assigned")
        if isinstance(to.kind, ArrayType | VoidType | Signature):
            raise self.error(node, f"a value of type {self.spelled(to.kind)} cannot be assigned")
        return to

    def _variable(self, node: Node) -> Lvalue:
        meaning = self.meaning(node)
        if isinstance(meaning, FunctionName):
            return Lvalue(meaning.signature, self.function_number(node.name), True)
        if not isinstance(meaning, VariableName):
            what = "a constant" if isinstance(meaning, ConstantName) else "not a variable"
            raise self.error(node, f"{node.name!r} is {what}", len(node.name))
        if isinstance(meaning.where, Reg):
            return Lvalue(meaning.kind, meaning.where, False)
        return Lvalue(meaning.kind, Addr(meaning.where), True)

    def _element_of(self, node: Node) -> Lvalue:
        array, index = self.value(node.name), self.value(node.subscript)
        if isinstance(array.kind, IntType):
            array, index = index, array
        if not isinstance(array.kind, PointerType) or not isinstance(index.kind, IntType):
            raise self.error(node, f"{self.spelled(array.kind)} has no elements")
        if isinstance(array.kind.to, VoidType | Signature):
            raise self.error(node, f"{self.spelled(array.kind)} must be cast before * or []")
        element = self.complete(node, array.kind.to)
        offset = self.binary(node, "mul", index.value, size(element))
        return Lvalue(element, self.binary(node, "add", array.value, offset), True)

    def _member_of(self, node: Node) -> Lvalue:
        shared = False
        if node.type == "->":
            base = self.value(node.name)
            record = base.kind.to if isinstance(base.kind, PointerType) else None
            address = base.value
        elif type(node.name).__name__ in _LVALUES:
            inner = self.target(node.name)
            record, address, shared = inner.kind, inner.where, inner.shared
            base = TypedValue(address, record)
        else:
            base = self.value(node.name)
            record, address = base.kind, base.value
        if not isinstance(record, StructType):
            noun = "a pointer to a struct" if node.type == "->" else "a struct"
            raise self.error(node, f"{self.spelled(base.kind)} is not {noun}, so it has no members")
        self.complete(node, record)
        member = record.member(node.field.name)
        if member is None:
            message = f"{self.spelled(record)} has no member {node.field.name!r}"
            raise self.error(node.field, message, len(node.field.name))
        shared = shared or record.word == "union"
        where = self.binary(node, "add", address, member.offset)
        return Lvalue(member.kind, where, True, shared, member.bit_field)

    @abstractmethod
    def function_number(self, name: str) -> int:
        """The number that stands for a function in pointers to functions."""

    def read(self, node: Node, at: Lvalue) -> TypedValue:
        """Return the value of an lvalue; that of an array or a struct is its address."""
        if isinstance(at.kind, ArrayType | Signature):
            return TypedValue(at.where, decayed(at.kind))
        if isinstance(at.kind, StructType) or not at.in_memory:
            return TypedValue(at.where, at.kind)
        self._inside(node, at)
        word = self.emit(node, "load", at.where)
        if (at.shared or self.normalise) and self._is_narrow(at):
            assert isinstance(at.kind, IntType)
            return TypedValue(self.narrowed(node, word, at.kind), at.kind)
        return TypedValue(word, at.kind)

    def _is_narrow(self, at: Lvalue) -> bool:
        narrow = isinstance(at.kind, IntType) and 0 < at.kind.bits < self.bits
        return narrow and not at.bit_field

    def write(self, node: Node, to: Lvalue, value: TypedValue) -> TypedValue:
        """Write a value to an lvalue; return the value it then has."""
        if isinstance(to.kind, StructType):
            self.copy(node, to.where, value.value, to.kind)
            return TypedValue(to.where, to.kind)
        if to.in_memory:
            self._inside(node, to)
            word = self._merged(node, to, value.value) if to.shared else value.value
            self.effect(node, "store", to.where, word)
            return value
        assert isinstance(to.where, Reg)
        self.emit(node, "mov", value.value, dst=to.where)
        return TypedValue(to.where, to.kind)

    def _merged(self, node: Node, to: Lvalue, value: Value) -> Value:
        """A word of a union with a narrow member in its low bits."""
        if not self._is_narrow(to):
            return value
        assert isinstance(to.kind, IntType)
        mask = (1 << to.kind.bits) - 1
        high = self.binary(node, "and", self.emit(node, "load", to.where), ~mask)
        return self.binary(node, "or", high, self.binary(node, "and", value, mask))

    def copy(self, node: Node, to: Value, start: Value, kind: Type) -> None:
        """Copy a struct from one address to another."""
        count = size(kind)
        if count > _UNROLLED:
            self.library(node, "__copy", to, start, count)
            return
        words = [self.emit(node, "load", self.shifted(node, start, i)) for i in range(count)]
        for i, word in enumerate(words):
            self.effect(node, "store", self.shifted(node, to, i), word)

    def shifted(self, node: Node, at: Value, words: int) -> Value:
        """The address some words further."""
        return beyond(self.bits, at, words) if isinstance(at, Addr) else (
            self.binary(node, "add", at, words))  # fmt: skip

    def _inside(self, node: Node, at: Lvalue) -> None:
        if isinstance(at.where, Addr) and not 0 <= at.where.offset < at.where.object.size:
            where = at.where
            count = f"{where.object.name!r} has {where.object.size} words"
            raise self.error(node, f"index {where.offset} is out of range: {count}")
