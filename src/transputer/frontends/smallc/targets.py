"""Lvalues: variables, elements of arrays, and what pointers point to."""

from abc import abstractmethod
from dataclasses import dataclass

from transputer.frontends.smallc.making import TacBuilder
from transputer.frontends.smallc.scope import (
    UNSUPPORTED,
    ConstantName,
    Node,
    TypedValue,
    VariableName,
)
from transputer.frontends.smallc.tac import Addr, Reg, Value
from transputer.frontends.smallc.types import (
    ArrayType,
    IntType,
    PointerType,
    Type,
    VoidType,
    decayed,
    size,
)


@dataclass(frozen=True, slots=True)
class Lvalue:
    """A register, or the word at an address."""

    kind: Type
    where: Value
    in_memory: bool


class Lvalues(TacBuilder):
    """Resolves, reads and writes lvalues."""

    @abstractmethod
    def value(self, node: Node) -> TypedValue:
        """The value of an expression."""

    def target(self, node: Node) -> Lvalue:
        """Return the lvalue of an expression; an error if it has none."""
        match type(node).__name__, getattr(node, "op", None):
            case "ID", _:
                return self._variable(node)
            case "ArrayRef", _:
                return self._element_of(node)
            case "UnaryOp", "*":
                pointer = self.value(node.expr)
                if not isinstance(pointer.kind, PointerType):
                    raise self.error(node, f"{self.spelled(pointer.kind)} is not a pointer")
                return Lvalue(pointer.kind.to, pointer.value, True)
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
        if isinstance(to.kind, ArrayType | VoidType):
            raise self.error(node, f"a value of type {self.spelled(to.kind)} cannot be assigned")
        return to

    def _variable(self, node: Node) -> Lvalue:
        meaning = self.meaning(node)
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
        step = size(array.kind.to)
        offset = self.binary(node, "mul", index.value, step)
        return Lvalue(array.kind.to, self.binary(node, "add", array.value, offset), True)

    def read(self, node: Node, at: Lvalue) -> TypedValue:
        """Return the value of an lvalue."""
        if isinstance(at.kind, ArrayType):
            return TypedValue(at.where, decayed(at.kind))
        if not at.in_memory:
            return TypedValue(at.where, at.kind)
        self._inside(node, at)
        return TypedValue(self.emit(node, "load", at.where), at.kind)

    def write(self, node: Node, to: Lvalue, value: TypedValue) -> TypedValue:
        """Write a value to an lvalue; return the value it then has."""
        if to.in_memory:
            self._inside(node, to)
            self.effect(node, "store", to.where, value.value)
            return value
        assert isinstance(to.where, Reg)
        self.emit(node, "mov", value.value, dst=to.where)
        return TypedValue(to.where, to.kind)

    def _inside(self, node: Node, at: Lvalue) -> None:
        if isinstance(at.where, Addr) and not 0 <= at.where.offset < at.where.object.size:
            where = at.where
            count = f"{where.object.name!r} has {where.object.size} words"
            raise self.error(node, f"index {where.offset} is out of range: {count}")
