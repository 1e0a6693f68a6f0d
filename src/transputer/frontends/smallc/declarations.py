"""Declarations of small C: types, globals and locals."""

from transputer.errors import SourceError
from transputer.frontends.smallc.initialisers import InitialiserTranslator
from transputer.frontends.smallc.scope import ConstantName, Node, TypeName, VariableName
from transputer.frontends.smallc.tac import Addr, MemoryObject, Reg, wrap
from transputer.frontends.smallc.targets import Lvalue
from transputer.frontends.smallc.types import (
    ArrayType,
    Signature,
    StructType,
    Type,
    VoidType,
    size,
)


class DeclarationTranslator(InitialiserTranslator):
    """Declares names; `addressed` are those to which `&` is applied anywhere in the source."""

    addressed: frozenset[str] = frozenset()

    def declare_type(self, node: Node) -> None:
        """A typedef, or an enumeration's constants."""
        self.enumerate(node)
        if node.name:
            self.scopes.put(node.name, TypeName(self.kind(node)))

    def declared_anyway(self, node: Node) -> None:
        """Declare a name whose declaration is wrong, so that it causes one error, not many."""
        if node.name is None or node.name in self.scopes.levels[-1]:
            return
        try:
            kind = self.kind(node)
        except SourceError:
            kind = self.int
        if isinstance(kind, ArrayType | StructType):
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
            self.kind(node)
            return
        known = self.scopes.levels[0].get(node.name)
        if isinstance(known, VariableName | ConstantName) and node.init is None:
            return
        kind = self._complete(node)
        words = self.words(node.init, kind) if node.init else ()
        if isinstance(known, VariableName):
            known.where.initial = words if isinstance(known.where, MemoryObject) else words[0]
            return
        if node.name in self.scopes.levels[0]:
            raise self.error(node, f"{node.name!r} is already declared", len(node.name))
        visible = "static" not in node.storage
        self._declare_static(node, node.name, kind, words, visible)

    def _declare_static(
        self, node: Node, name: str, kind: Type, words: tuple[int | Addr, ...], visible: bool
    ) -> None:
        constant = self._is_const(node)
        in_memory = isinstance(kind, ArrayType | StructType) or node.name in self.addressed
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
        if isinstance(kind, Signature):
            raise self.error(node, f"{node.name!r} is a function", len(node.name))
        return self.complete(node, self._with_length(node, kind, node.init))

    def _with_length(self, node: Node, kind: Type, init: Node) -> Type:
        if not isinstance(kind, ArrayType) or kind.count:
            return kind
        if init is None:
            raise self.error(node, f"{node.name!r} needs a length", len(node.name))
        return ArrayType(kind.of, self.length(init, kind.of))

    def declare_local(self, node: Node) -> None:
        """A variable of a function, and the code that sets it."""
        self.enumerate(node)
        if node.name is None:
            self.kind(node)
            return
        if node.name in self.scopes.levels[-1]:
            problem = f"{node.name!r} is already declared"
            self.problems.append(self.error(node, problem, len(node.name)))
        if type(node.type).__name__ == "FuncDecl" or "extern" in node.storage:
            raise self.error(node, "declare functions and extern variables outside of functions")
        kind = self._complete(node)
        assert self.function
        name = f"{self.function.name}.{node.name}"
        fixed = self._is_const(node) and node.init and self._all_constant(node.init)
        if fixed or "static" in node.storage:
            words = self.words(node.init, kind) if node.init else ()
            self._declare_static(node, name, kind, words, False)
        elif isinstance(kind, ArrayType | StructType) or node.name in self.addressed:
            self._local_object(node, kind)
        else:
            self._local_register(node, kind)

    def _all_constant(self, node: Node) -> bool:
        if type(node).__name__ == "InitList":
            return all(self._all_constant(one) for one in node.exprs)
        if type(node).__name__ == "NamedInitializer":
            return self._all_constant(node.expr)
        count = len(self.problems)
        try:
            self.constant(node)
        except SourceError:
            del self.problems[count:]
            return False
        return True

    def _local_register(self, node: Node, kind: Type) -> None:
        reg = self.fresh(node.name)
        self.scopes.put(node.name, VariableName(kind, reg, self._is_const(node)))
        if node.init is not None:
            ((_, _, one),) = self.entries(node.init, kind)
            initial = self.assigned(one, self.scalar(one), kind)
            self.emit(node, "mov", initial.value, dst=reg)

    def _local_object(self, node: Node, kind: Type) -> None:
        assert self.function
        variable = MemoryObject(node.name, size(kind), self.function.name)
        self.function.objects.append(variable)
        constant = self._is_const(node) and node.init is not None
        self.scopes.put(node.name, VariableName(kind, variable, constant))
        if node.init is not None:
            self.initialise(node, variable, kind, node.init)

    def literal_object(self, node: Node) -> Lvalue:
        """The object of a compound literal; outside of functions it is static."""
        kind = self.complete(node, self._with_length(node.type, self.kind(node.type), node.init))
        if self.function is None:
            constant = MemoryObject("literal", size(kind), initial=self.words(node.init, kind))
            self.unit.objects.append(constant)
            return Lvalue(kind, Addr(constant), True)
        variable = MemoryObject("literal", size(kind), self.function.name)
        self.function.objects.append(variable)
        self.initialise(node, variable, kind, node.init)
        return Lvalue(kind, Addr(variable), True)
