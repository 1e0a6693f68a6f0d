"""Initialisers: which expression sets which word of a variable."""

from typing import TypeAlias

from transputer.frontends.smallc.expressions import ExpressionTranslator
from transputer.frontends.smallc.names import string
from transputer.frontends.smallc.scope import Node
from transputer.frontends.smallc.tac import Addr, MemoryObject, Reg, TacBranch, TacJump, Value, wrap
from transputer.frontends.smallc.types import (
    CHAR_BITS,
    ArrayType,
    IntType,
    StructMember,
    StructType,
    Type,
    size,
)

#: Number of equal words at the end of a local array from which on a loop sets them.
_LOOP = 6
#: The length of an array whose initialiser decides it.
_OPEN = 1 << 24

#: The offset of a part of a variable, its type, and its expression or the character it holds.
Entry: TypeAlias = tuple[int, Type, Node]


class _Character:
    """A character of a string that initialises an array."""

    def __init__(self, code: int) -> None:
        self.code = code


def _is_string(node: Node) -> bool:
    return type(node).__name__ == "Constant" and node.type == "string"


def _is_text(kind: Type) -> bool:
    """Whether a string can initialise an array."""
    of = kind.of if isinstance(kind, ArrayType) else None
    return isinstance(of, IntType) and of.bits == CHAR_BITS


class InitialiserTranslator(ExpressionTranslator):
    """Assigns the expressions of initialisers to words."""

    def entries(self, node: Node, kind: Type, start: int = 0) -> list[Entry]:
        """The parts of a variable that an initialiser sets, with their expressions."""
        if isinstance(kind, ArrayType | StructType):
            if type(node).__name__ == "InitList":
                only = node.exprs[0] if len(node.exprs) == 1 else None
                if _is_text(kind) and _is_string(only):
                    return self._text(only, kind, start)
                entries: list[Entry] = []
                self._list(node.exprs, 0, kind, start, entries, True)
                return entries
            if isinstance(kind, ArrayType):
                if _is_string(node) and _is_text(kind):
                    return self._text(node, kind, start)
                raise self.error(node, "initialise an array with values in braces")
        elif type(node).__name__ == "InitList":
            if len(node.exprs) != 1:
                raise self.error(node, "expected one value, not a list")
            node = node.exprs[0]
        return [(start, kind, node)]

    def _text(self, node: Node, kind: Type, start: int) -> list[Entry]:
        assert isinstance(kind, ArrayType)
        code = string(node.value)
        if len(code) > kind.count:
            raise self.error(
                node, f"a string of {len(code)} characters in an array of {kind.count}"
            )
        signed = isinstance(kind.of, IntType) and kind.of.signed
        codes = [wrap(CHAR_BITS, c) if signed else c for c in code]
        return [(start + i, kind.of, _Character(c)) for i, c in enumerate(codes)]

    def _list(
        self, items: list[Node], i: int, kind: Type, start: int, entries: list[Entry], braces: bool
    ) -> int:
        """Take the items from i on for the parts of an array or struct; return the next item."""
        at = 0
        while i < len(items):
            item = items[i]
            if type(item).__name__ == "NamedInitializer":
                if not braces:
                    return i
                at, item = self._designated(item, kind, start, entries)
                if item is None:
                    i, at = i + 1, at + 1
                    continue
            part = self._part(kind, at)
            if part is None:
                if not braces:
                    return i
                what = "an array" if isinstance(kind, ArrayType) else self.spelled(kind)
                raise self.error(item, f"too many values for {what} of {self._part_count(kind)}")
            inner, offset = part
            if not isinstance(inner, ArrayType | StructType) or self._is_whole(item, inner):
                entries += self.entries(item, inner, start + offset)
                i += 1
            else:
                i = self._list(items, i, inner, start + offset, entries, False)
            at += 1
        return i

    def _is_whole(self, item: Node, kind: Type) -> bool:
        """Whether an item initialises a whole array or struct, and not its first part."""
        if type(item).__name__ == "InitList":
            return True
        if isinstance(kind, ArrayType):
            return _is_string(item) and _is_text(kind)
        return not _is_string(item) and self._measured(item) is kind

    def _part_count(self, kind: Type) -> int:
        if isinstance(kind, ArrayType):
            return kind.count
        assert isinstance(kind, StructType)
        return len(self._members(kind))

    def _members(self, kind: StructType) -> tuple[StructMember, ...]:
        """The members that a list sets: of a union only the first."""
        members = kind.members or ()
        return members[:1] if kind.word == "union" else members

    def _part(self, kind: Type, at: int) -> tuple[Type, int] | None:
        """The type and the offset of a part; None where there is none."""
        if at >= self._part_count(kind):
            return None
        if isinstance(kind, ArrayType):
            return kind.of, at * size(kind.of)
        assert isinstance(kind, StructType)
        member = self._members(kind)[at]
        return member.kind, member.offset

    def _designated(
        self, item: Node, kind: Type, start: int, entries: list[Entry]
    ) -> tuple[int, Node]:
        """The part that a designator names, and its expression; None if it is already entered."""
        at, inner, offset = self._step_into(item, item.name[0], kind)
        if len(item.name) == 1 and at >= 0:
            return at, item.expr
        for name in item.name[1:]:
            _, inner, further = self._step_into(item, name, inner)
            offset += further
        entries += self.entries(item.expr, inner, start + offset)
        return max(at, 0), None

    def _step_into(self, item: Node, name: Node, kind: Type) -> tuple[int, Type, int]:
        """The number, type and offset of the part that one designator names.

        The number is negative for a part that a list without designators would not set.
        """
        if isinstance(kind, ArrayType):
            position = self.constant(getattr(name, "expr", name))
            if not isinstance(position, int) or position < 0:
                raise self.error(item, "an array is designated by [constant]")
            if position >= kind.count:
                raise self.error(item, f"too many values for an array of {kind.count}")
            return position, kind.of, position * size(kind.of)
        member = kind.member(name.name) if isinstance(kind, StructType) else None
        if member is None or not isinstance(kind, StructType):
            raise self.error(item, f"{self.spelled(kind)} has no such member")
        order = [one.name for one in self._members(kind)]
        at = order.index(member.name) if member.name in order else -1
        return at, member.kind, member.offset

    def length(self, node: Node, of: Type) -> int:
        """The length that an initialiser gives an array."""
        open_ended = ArrayType(of, _OPEN)
        parts = self.entries(node, open_ended)
        last = max((offset for offset, _, _ in parts), default=0)
        ends = _is_string(node) or _is_text(open_ended) and _is_string(
            node.exprs[0] if len(node.exprs) == 1 else None)  # fmt: skip
        return last // size(of) + 1 + (bool(parts) if ends else 0)

    def words(self, node: Node, kind: Type) -> tuple[int | Addr, ...]:
        """The initial words of a static variable."""
        words: list[int | Addr] = [0] * size(kind)
        for offset, part, one in self.entries(node, kind):
            if isinstance(one, _Character):
                words[offset] = one.code
                continue
            if isinstance(part, StructType):
                raise self.error(one, "a static struct is initialised with values in braces")
            initial = self.assigned(one, self.constant_value(one), part)
            assert not isinstance(initial.value, Reg)
            words[offset] = initial.value
        return tuple(words)

    def initialise(self, node: Node, variable: MemoryObject, kind: Type, init: Node) -> None:
        """Set a local object; what the initialiser leaves out is zero."""
        values: list[Value] = [0] * variable.size
        structs: list[tuple[int, Type, Value]] = []
        entries = self.entries(init, kind)
        for offset, part, one in entries:
            if isinstance(one, _Character):
                values[offset] = one.code
                continue
            value = self.assigned(one, self.scalar(one), part).value
            if isinstance(part, StructType):
                structs.append((offset, part, value))
            else:
                values[offset] = value
        if not (len(entries) == 1 and structs and structs[0][1] is kind):
            self._fill(node, variable, values)
        for offset, part, value in structs:
            self.copy(node, Addr(variable, offset), value, part)

    def _fill(self, node: Node, variable: MemoryObject, values: list[Value]) -> None:
        """Store the initial values of an object, equal ones at its end by a loop."""
        end = variable.size
        while end > 1 and values[end - 1] == values[end - 2] and not isinstance(values[-1], Reg):
            end -= 1
        if variable.size - end < _LOOP:
            end = variable.size + 1
        for offset, value in enumerate(values[: end - 1]):
            self.effect(node, "store", Addr(variable, offset), value)
        if end <= variable.size:
            self._repeat(node, variable, end - 1, values[-1])

    def _repeat(self, node: Node, variable: MemoryObject, start: int, value: Value) -> None:
        at = self.emit(node, "mov", Addr(variable, start))
        inside, after = self.new_block("fill"), self.new_block("filled")
        self.block.term = TacJump(inside)
        self.enter(inside)
        self.effect(node, "store", at, value)
        self.emit(node, "add", at, 1, dst=at)
        self.block.term = TacBranch("eq", at, Addr(variable, variable.size), after, inside)
        self.enter(after)
