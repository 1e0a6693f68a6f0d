"""Declarations of small C: globals, locals and their initialisers."""

from transputer.errors import SourceError
from transputer.frontends.smallc.expressions import ExpressionTranslator
from transputer.frontends.smallc.names import string
from transputer.frontends.smallc.scope import ConstantName, Node, TypeName, VariableName
from transputer.frontends.smallc.tac import Addr, MemoryObject, Reg, TacBranch, TacJump, Value, wrap
from transputer.frontends.smallc.types import (
    CHAR_BITS,
    ArrayType,
    Type,
    VoidType,
    size,
)

#: Number of equal words at the end of a local array from which on a loop sets them.
_LOOP = 6


class DeclarationTranslator(ExpressionTranslator):
    """Declares names; `addressed` are those to which `&` is applied anywhere in the source."""

    addressed: frozenset[str] = frozenset()

    def declare_type(self, node: Node) -> None:
        """A typedef, or an enumeration's constants."""
        self.enumerate(node)
        if node.name:
            self.scopes.put(node.name, TypeName(self.kind(node)))

    def declare_placeholder(self, node: Node) -> None:
        """Declare a name whose declaration is wrong, so that it causes one error, not many."""
        if node.name is None or node.name in self.scopes.levels[-1]:
            return
        try:
            kind = self.kind(node)
        except SourceError:
            kind = self.int
        if isinstance(kind, ArrayType):
            self.scopes.put(
                node.name, VariableName(kind, MemoryObject(node.name, max(1, size(kind))))
            )
        else:
            self.scopes.put(node.name, VariableName(kind, self.fresh(node.name)))

    def enumerate(self, node: Node) -> None:
        """The constants of an enumeration inside a declaration."""
        inner = node
        while inner is not None and type(inner).__name__ not in ("Enum", "IdentifierType"):
            inner = getattr(inner, "type", None)
        values = getattr(inner, "values", None)
        following = 0
        for one in values.enumerators if values else []:
            if one.value is not None:
                value = self.constant(one.value)
                if not isinstance(value, int):
                    raise self.error(one, "the value of an enumerator must be an integer constant")
                following = value
            self.scopes.put(one.name, ConstantName(self.int, wrap(self.bits, following)))
            following += 1

    def declare_global(self, node: Node) -> None:
        """A variable of the file."""
        self.enumerate(node)
        if node.name is None:
            return
        known = self.scopes.levels[0].get(node.name)
        if isinstance(known, VariableName | ConstantName) and node.init is None:
            return
        kind = self._complete(node)
        words = self._words(node.init, kind) if node.init else ()
        if isinstance(known, VariableName):
            known.where.initial = words if isinstance(known.where, MemoryObject) else words[0]
            return
        visible = "static" not in node.storage
        self._declare_static(node, node.name, kind, words, visible)

    def _declare_static(
        self, node: Node, name: str, kind: Type, words: tuple[int | Addr, ...], visible: bool
    ) -> None:
        constant = self._is_const(node)
        in_memory = isinstance(kind, ArrayType) or node.name in self.addressed
        if constant and not in_memory:
            self.scopes.put(node.name, ConstantName(kind, words[0] if words else 0))
        elif in_memory:
            variable = MemoryObject(
                name, size(kind), initial=words, constant=constant, visible=visible
            )
            self.unit.objects.append(variable)
            self.scopes.put(node.name, VariableName(kind, variable, constant))
        else:
            reg = Reg(name, initial=words[0] if words else 0, visible=visible)
            self.unit.globals.append(reg)
            self.scopes.put(node.name, VariableName(kind, reg))

    def _is_const(self, node: Node) -> bool:
        """Whether the words themselves are const (not what a pointer points to)."""
        inner = node.type
        while type(inner).__name__ == "ArrayDecl":
            inner = inner.type
        return "const" in inner.quals

    def _complete(self, node: Node) -> Type:
        """The type of a variable; the initialiser gives the length that an array omits."""
        kind = self.kind(node)
        if isinstance(kind, VoidType):
            raise self.error(node, f"{node.name!r} cannot be void", len(node.name))
        if isinstance(kind, ArrayType) and kind.count == 0:
            if node.init is None:
                raise self.error(node, f"{node.name!r} needs a length", len(node.name))
            if type(node.init).__name__ == "Constant":
                return ArrayType(kind.of, len(string(node.init.value)) + 1)
            rows = node.init.exprs
            flat = isinstance(kind.of, ArrayType) and type(rows[0]).__name__ != "InitList"
            return ArrayType(kind.of, -(-len(rows) // size(kind.of)) if flat else len(rows))
        return kind

    def _words(self, node: Node, kind: Type) -> tuple[int | Addr, ...]:
        """The initial words of a static variable."""
        words: list[int | Addr] = [0] * size(kind)
        for offset, element, one in self._flat(node, kind, 0):
            if one is None:
                words[offset] = element
                continue
            initial = self.assigned(one, self.constant_value(one), self._scalar_of(kind))
            assert not isinstance(initial.value, Reg)
            words[offset] = initial.value
        return tuple(words)

    def _scalar_of(self, kind: Type) -> Type:
        return self._scalar_of(kind.of) if isinstance(kind, ArrayType) else kind

    def _flat(self, node: Node, kind: Type, start: int) -> list[tuple[int, int, Node]]:
        """Offsets in an initialiser with their expressions, or with characters of a string."""
        if not isinstance(kind, ArrayType):
            if type(node).__name__ == "InitList":
                if len(node.exprs) != 1:
                    raise self.error(node, "expected one value, not a list")
                node = node.exprs[0]
            return [(start, 0, node)]
        if type(node).__name__ == "Constant" and node.type == "string":
            return self._text(node, kind, start)
        if type(node).__name__ != "InitList":
            raise self.error(node, "initialise an array with values in braces")
        return self._list(node, kind, start)

    def _text(self, node: Node, kind: ArrayType, start: int) -> list[tuple[int, int, Node]]:
        code = string(node.value)
        if len(code) > kind.count:
            raise self.error(
                node, f"a string of {len(code)} characters in an array of {kind.count}"
            )
        return [(start + i, wrap(CHAR_BITS, c), None) for i, c in enumerate(code)]

    def _list(self, node: Node, kind: ArrayType, start: int) -> list[tuple[int, int, Node]]:
        nested = any(type(e).__name__ in ("InitList", "NamedInitializer") for e in node.exprs)
        strings = isinstance(kind.of, ArrayType) and any(
            getattr(e, "type", None) == "string" for e in node.exprs
        )
        of: Type = kind.of if nested or strings else self._scalar_of(kind)
        count = size(kind) // size(of)
        values, at = [], 0
        for one in node.exprs:
            if type(one).__name__ == "NamedInitializer":
                at, one = self._designated(one), one.expr
            if at >= count:
                raise self.error(one, f"too many values for an array of {count}")
            values += self._flat(one, of, start + at * size(of))
            at += 1
        return values

    def _designated(self, node: Node) -> int:
        index = getattr(node.name[0], "expr", node.name[0])
        position = self.constant(index) if len(node.name) == 1 else None
        if not isinstance(position, int) or position < 0:
            raise self.error(
                node, "only designators of the form [constant] = value are supported here"
            )
        return position

    def declare_local(self, node: Node) -> None:
        """A variable of a function, and the code that sets it."""
        self.enumerate(node)
        if node.name is None:
            return
        if node.name in self.scopes.levels[-1]:
            problem = f"{node.name!r} is already declared"
            self.problems.append(self.error(node, problem, len(node.name)))
        if type(node.type).__name__ == "FuncDecl":
            raise self.error(node, "declare functions outside of functions")
        kind = self._complete(node)
        assert self.function
        name = f"{self.function.name}.{node.name}"
        fixed = self._is_const(node) and node.init and self._all_constant(node.init)
        if fixed or "static" in node.storage:
            words = self._words(node.init, kind) if node.init else ()
            self._declare_static(node, name, kind, words, False)
        elif isinstance(kind, ArrayType) or node.name in self.addressed:
            self._local_object(node, kind)
        else:
            self._local_register(node, kind)

    def _all_constant(self, node: Node) -> bool:
        if type(node).__name__ == "InitList":
            return all(self._all_constant(one) for one in node.exprs)
        count = len(self.problems)
        try:
            self.constant(node)
        except SourceError:
            del self.problems[count:]
            return False
        return True

    def _local_register(self, node: Node, kind: Type) -> None:
        reg = self.fresh(node.name)
        constant = self._is_const(node)
        if node.init is not None:
            ((_, _, one),) = self._flat(node.init, kind, 0)
            initial = self.assigned(one, self.scalar(one), kind)
            self.emit(node, "mov", initial.value, dst=reg)
        self.scopes.put(node.name, VariableName(kind, reg, constant))

    def _local_object(self, node: Node, kind: Type) -> None:
        assert self.function
        variable = MemoryObject(node.name, size(kind), self.function.name)
        self.function.objects.append(variable)
        if node.init is None:
            self.scopes.put(node.name, VariableName(kind, variable))
            return
        values: list[Value] = [0] * variable.size
        for offset, character, one in self._flat(node.init, kind, 0):
            values[offset] = character
            if one is not None:
                scalar = self._scalar_of(kind)
                values[offset] = self.assigned(one, self.scalar(one), scalar).value
        self.scopes.put(node.name, VariableName(kind, variable, self._is_const(node)))
        self._fill(node, variable, values)

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
