"""What can be assigned: variables, elements of arrays, and what pointers point to."""

from abc import abstractmethod
from dataclasses import dataclass

from transputer.frontends.smallc.making import Maker
from transputer.frontends.smallc.scope import Constant, Node, Typed, Variable
from transputer.frontends.smallc.tac import Addr, Reg, Value
from transputer.frontends.smallc.types import Array, Int, Pointer, Type, Void, decayed, size


@dataclass(frozen=True, slots=True)
class Target:
    """Something that can be assigned: a register, or the word at an address."""

    kind: Type
    where: Value
    in_memory: bool


class Targets(Maker):
    """Finds, reads and writes what can be assigned."""

    @abstractmethod
    def value(self, node: Node) -> Typed:
        """The value of an expression."""

    def target(self, node: Node) -> Target:
        """Where an expression's value is kept; an error where it is nowhere."""
        match type(node).__name__, getattr(node, "op", None):
            case "ID", _:
                return self._variable(node)
            case "ArrayRef", _:
                return self._element_of(node)
            case "UnaryOp", "*":
                made = self.value(node.expr)
                if not isinstance(made.kind, Pointer):
                    raise self.error(node, f"{made.kind} is not a pointer")
                return Target(made.kind.to, made.value, True)
        raise self.error(node, "this cannot be assigned, and has no address")

    def assignable(self, node: Node) -> Target:
        """A target that may be written."""
        to = self.target(node)
        found = self.scopes.find(node.name) if type(node).__name__ == "ID" else None
        written = isinstance(to.where, Addr) and to.where.object.constant
        if written or isinstance(found, Variable) and found.constant:
            raise self.error(node, "this is const")
        if isinstance(to.kind, Array | Void):
            raise self.error(node, f"a value of type {to.kind} cannot be assigned")
        return to

    def _variable(self, node: Node) -> Target:
        found = self.meaning(node)
        if not isinstance(found, Variable):
            what = "a constant" if isinstance(found, Constant) else "not a variable"
            raise self.error(node, f"{node.name!r} is {what}", len(node.name))
        if isinstance(found.where, Reg):
            return Target(found.kind, found.where, False)
        return Target(found.kind, Addr(found.where), True)

    def _element_of(self, node: Node) -> Target:
        array, index = self.value(node.name), self.value(node.subscript)
        if isinstance(array.kind, Int):
            array, index = index, array
        if not isinstance(array.kind, Pointer) or not isinstance(index.kind, Int):
            raise self.error(node, f"{array.kind} has no elements")
        step = size(array.kind.to)
        offset = self.binary(node, "mul", index.value, step)
        return Target(array.kind.to, self.binary(node, "add", array.value, offset), True)

    def read(self, node: Node, at: Target) -> Typed:
        """The value of a target."""
        if isinstance(at.kind, Array):
            return Typed(at.where, decayed(at.kind))
        if not at.in_memory:
            return Typed(at.where, at.kind)
        self._inside(node, at)
        return Typed(self.emit(node, "load", at.where), at.kind)

    def write(self, node: Node, to: Target, made: Typed) -> Typed:
        """Put a value into a target; gives what is then there."""
        if to.in_memory:
            self._inside(node, to)
            self.effect(node, "store", to.where, made.value)
            return made
        assert isinstance(to.where, Reg)
        self.emit(node, "mov", made.value, dst=to.where)
        return Typed(to.where, to.kind)

    def _inside(self, node: Node, at: Target) -> None:
        if isinstance(at.where, Addr) and not 0 <= at.where.offset < at.where.object.size:
            where = at.where
            count = f"{where.object.name!r} has {where.object.size} words"
            raise self.error(node, f"index {where.offset} is outside: {count}")
