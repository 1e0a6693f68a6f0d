"""The intermediate representation: an immutable WebAssembly module as written, with spans."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from itertools import chain, repeat
from types import MappingProxyType
from typing import Any

from transputer.isa.op import Op, ValueType

PAGE = 65536
#: Largest size of a 32-bit memory, in pages.
MAX_PAGES = 65536


@dataclass(frozen=True, slots=True)
class Span:
    """Byte offsets in the binary; `end` is exclusive."""

    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class FuncType:
    """Parameter and result types."""

    params: tuple[ValueType, ...] = ()
    results: tuple[ValueType, ...] = ()

    def __str__(self) -> str:
        """As `(i32 i64)->(f32)`."""
        left, right = (" ".join(t.value for t in ts) for ts in (self.params, self.results))
        return f"({left})->({right})"


@dataclass(frozen=True, slots=True)
class Instr:
    """One instruction: its row, its immediates (one per kind in `op.imm`), its span.

    Immediates are unsigned ints for numbers and indices, and for the other kinds: `memarg`
    is `(alignment exponent, offset, memory)`, `labels` and `valtypes` are tuples, `blocktype` is a
    `FuncType` or a type index, `reftype` a value type, `catches` a tuple of `Catch`. Comparisons
    ignore spans.
    """

    op: Op
    args: tuple[Any, ...] = ()
    span: Span = field(default=Span(), compare=False)

    @property
    def name(self) -> str:
        """The instruction's name."""
        return self.op.name


Body = tuple[Instr, ...]


@dataclass(frozen=True, slots=True)
class Catch:
    """A clause of `try_table`: branch to `label` with the values of an exception with this tag.

    Without a tag, every exception matches, and its values are dropped; with `reference`, a
    reference to the exception comes last.
    """

    tag: int | None
    reference: bool
    label: int


@dataclass(frozen=True, slots=True)
class Limits:
    """Minimum size and, if declared, maximum size."""

    minimum: int
    maximum: int | None = None

    def admits(self, wanted: "Limits") -> bool:
        """Whether an object with these limits satisfies an import that requires `wanted`."""
        if self.minimum < wanted.minimum:
            return False
        if wanted.maximum is None:
            return True
        return self.maximum is not None and self.maximum <= wanted.maximum


@dataclass(frozen=True, slots=True)
class TableType:
    """Element type and limits; `init` is the first value of the elements if it is not null."""

    element: ValueType
    limits: Limits
    init: Body = ()


@dataclass(frozen=True, slots=True)
class MemoryType:
    """Limits in pages. `shared` names a memory that all modules of a session have in common."""

    limits: Limits
    shared: str = ""


@dataclass(frozen=True, slots=True)
class GlobalType:
    """Value type and mutability."""

    type: ValueType
    mutable: bool = False


ExternType = FuncType | TableType | MemoryType | GlobalType


class ExternKind(Enum):
    """Kinds of imports and exports; the value is the keyword of the text format."""

    FUNC = "func"
    TABLE = "table"
    MEMORY = "memory"
    GLOBAL = "global"
    TAG = "tag"


@dataclass(frozen=True, slots=True)
class Import:
    """An import. For a function or a tag, `type_index` is the index of its type."""

    module: str
    name: str
    kind: ExternKind
    type: ExternType | None  # None for a function or a tag: its type is types[type_index]
    type_index: int = 0
    span: Span = field(default=Span(), compare=False)


@dataclass(frozen=True, slots=True)
class Export:
    """An export: a name for an item in one of the index spaces."""

    name: str
    kind: ExternKind
    index: int
    span: Span = field(default=Span(), compare=False)


@dataclass(frozen=True, slots=True)
class Function:
    """A defined function. `locals` are runs `(count, type)` without the parameters.

    The body includes its final `end`.
    """

    type_index: int
    locals: tuple[tuple[int, ValueType], ...]
    body: Body
    span: Span = field(default=Span(), compare=False)

    @property
    def local_types(self) -> tuple[ValueType, ...]:
        """The type of each declared local, without the parameters."""
        return tuple(chain.from_iterable(repeat(t, count) for count, t in self.locals))


@dataclass(frozen=True, slots=True)
class Global:
    """A defined global with its constant initialiser.

    `shared` names a global that all modules of a session have in common.
    """

    type: GlobalType
    init: Body
    span: Span = field(default=Span(), compare=False)
    shared: str = ""


class Mode(Enum):
    """Mode of a segment."""

    ACTIVE = "active"
    PASSIVE = "passive"
    DECLARED = "declared"


@dataclass(frozen=True, slots=True)
class ElementSegment:
    """An element segment: one constant expression per element."""

    type: ValueType
    init: tuple[Body, ...]
    mode: Mode
    table: int = 0
    offset: Body = ()
    span: Span = field(default=Span(), compare=False)


@dataclass(frozen=True, slots=True)
class DataSegment:
    """A data segment."""

    data: bytes
    mode: Mode
    memory: int = 0
    offset: Body = ()
    span: Span = field(default=Span(), compare=False)


def _empty() -> Mapping[Any, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class NameSection:
    """The name section: the author's names. It never affects behaviour."""

    module: str = ""
    functions: Mapping[int, str] = field(default_factory=_empty)
    locals: Mapping[tuple[int, int], str] = field(default_factory=_empty)


@dataclass(frozen=True, slots=True)
class Module:
    """A whole module. Index spaces hold imports first, then definitions.

    `sections` has the span of each section, for errors about items without a span of their own.
    """

    types: tuple[FuncType, ...] = ()
    imports: tuple[Import, ...] = ()
    functions: tuple[Function, ...] = ()
    tables: tuple[TableType, ...] = ()
    memories: tuple[MemoryType, ...] = ()
    globals: tuple[Global, ...] = ()
    exports: tuple[Export, ...] = ()
    start: int | None = None
    elements: tuple[ElementSegment, ...] = ()
    data: tuple[DataSegment, ...] = ()
    names: NameSection = field(default=NameSection(), compare=False)
    sections: Mapping[str, Span] = field(default_factory=_empty, compare=False)
    tags: tuple[int, ...] = ()  # indices of their types

    def imported(self, kind: ExternKind) -> tuple[Import, ...]:
        """Return the imports of one kind, in index order."""
        return tuple(i for i in self.imports if i.kind is kind)

    @property
    def func_types(self) -> tuple[FuncType, ...]:
        """The type of every function in the index space."""
        indices = [i.type_index for i in self.imported(ExternKind.FUNC)]
        indices += [f.type_index for f in self.functions]
        return tuple(self.types[i] for i in indices)

    def _with_imports(self, kind: ExternKind, defined: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(i.type for i in self.imported(kind)) + defined

    @property
    def table_types(self) -> tuple[TableType, ...]:
        """The type of every table in the index space."""
        return self._with_imports(ExternKind.TABLE, self.tables)

    @property
    def memory_types(self) -> tuple[MemoryType, ...]:
        """The type of every memory in the index space."""
        return self._with_imports(ExternKind.MEMORY, self.memories)

    @property
    def global_types(self) -> tuple[GlobalType, ...]:
        """The type of every global in the index space."""
        return self._with_imports(ExternKind.GLOBAL, tuple(g.type for g in self.globals))

    @property
    def tag_types(self) -> tuple[FuncType, ...]:
        """The type of every tag in the index space."""
        indices = (*(i.type_index for i in self.imported(ExternKind.TAG)), *self.tags)
        return tuple(self.types[i] for i in indices)

    def function_name(self, index: int) -> str:
        """Return the author's name, the first export name, or the index."""
        return self.function_names().get(index, str(index))

    def function_names(self) -> dict[int, str]:
        """Return the names of all named functions: the author's, or that of the first export."""
        exported = {e.index: e.name for e in reversed(self.exports) if e.kind is ExternKind.FUNC}
        return exported | {index: name for index, name in self.names.functions.items() if name}

    def bodies(self) -> Iterator[tuple[int, Function]]:
        """Yield every defined function with its index."""
        return enumerate(self.functions, start=len(self.imported(ExternKind.FUNC)))
