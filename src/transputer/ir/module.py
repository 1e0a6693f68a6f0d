"""The intermediate representation: an immutable WebAssembly module as written, with spans."""

from collections.abc import Iterator, Mapping
from dataclasses import field
from enum import Enum
from itertools import chain, repeat
from types import MappingProxyType
from typing import Any

from transputer.isa.op import FUNCTION, Op, ValType, ValueType
from transputer.values import dataclass

PAGE = 65536
#: Largest size of a 32-bit memory, in pages.
MAX_PAGES = 65536
#: Largest size that a 64-bit memory may have here; the standard allows `DECLARED_PAGES`.
WIDE_PAGES = MAX_PAGES - 1
DECLARED_PAGES = 1 << 48


@dataclass(frozen=True, slots=True)
class Span:
    """Byte offsets in the binary; `end` is exclusive."""

    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class FuncType:
    """Parameter and result types.

    `source` is the type as written if lowering split vectors into words. Types whose sources
    differ differ, so that lowered functions can be called and linked only as those written.
    """

    params: tuple[ValueType, ...] = ()
    results: tuple[ValueType, ...] = ()
    source: "FuncType | None" = None

    @property
    def as_written(self) -> "FuncType":
        """The type before lowering."""
        return self.source or self

    def __str__(self) -> str:
        """As `(i32 i64)->(f32)`, or `(i64 i64)->() of (v128)->()` for a lowered type."""
        left, right = (" ".join(t.value for t in ts) for ts in (self.params, self.results))
        return f"({left})->({right})" + ("" if self.source is None else f" of {self.source}")


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
    """Minimum size and, if declared, maximum size.

    `wide` has 64-bit addresses; once `lowered`, code uses 32-bit ones.
    """

    minimum: int
    maximum: int | None = None
    wide: bool = False
    lowered: bool = False

    @property
    def address(self) -> ValueType:
        """The type of addresses in code."""
        return ValType.I64 if self.wide and not self.lowered else ValType.I32

    def admits(self, wanted: "Limits") -> bool:
        """Whether an object with these limits satisfies an import that requires `wanted`."""
        if self.minimum < wanted.minimum or self.wide != wanted.wide:
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
    """Value type and mutability. `half` is the number of the word, if it is half of a vector."""

    type: ValueType
    mutable: bool = False
    half: int | None = None


def high_name(name: str) -> str:
    """Return the name of the global with the high word of an imported or exported vector."""
    return f"{name} (high word)"


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

    @property
    def lists_functions(self) -> bool:
        """Whether the short forms, which list functions by index, can write it."""
        references = (len(body) == 2 and body[0].name == "ref.func" for body in self.init)
        return self.type == FUNCTION and all(references)


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
