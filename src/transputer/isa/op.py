"""One row per instruction: `Op`, and the `Table` that rows of one instruction set form."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from enum import Enum
from functools import cache
from typing import Any, Generic, TypeAlias, TypeVar, cast

from transputer.errors import Trap, Unsupported
from transputer.values import dataclass

Case = tuple[Any, ...]
Pure = Callable[..., int]
Rule = TypeVar("Rule")


class ValType(Enum):
    """The value types; other reference types are a `RefType`."""

    I32 = "i32"
    I64 = "i64"
    F32 = "f32"
    F64 = "f64"
    V128 = "v128"
    FUNCREF = "funcref"
    EXTERNREF = "externref"
    EXNREF = "exnref"

    @property
    def is_ref(self) -> bool:
        """Whether values of this type are references."""
        return self in (ValType.FUNCREF, ValType.EXTERNREF, ValType.EXNREF)

    @property
    def nullable(self) -> bool:
        """Whether null is a value of this type."""
        return self.is_ref

    @property
    def heap(self) -> "ValType":
        """What references of this type refer to: the nullable type of all such references."""
        return self

    @property
    def bits(self) -> int:
        """Width of a number in bits; a reference counts as 32."""
        return _BITS.get(self, 32)

    def __repr__(self) -> str:
        return self.value


_BITS = {ValType.I64: 64, ValType.F64: 64, ValType.V128: 128}


@dataclass(frozen=True, slots=True)
class RefType:
    """A reference type that is not nullable, or that names the type of its functions.

    `heap` is a function type, whose `index` in its module does not matter, or the nullable type of
    all references of the kind. `reference` builds it.
    """

    heap: Any
    nullable: bool
    index: int = field(default=0, compare=False)
    _hash: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.heap, self.nullable)))

    def __hash__(self) -> int:
        return self._hash  # once only: types nest

    @property
    def is_ref(self) -> bool:
        """Whether values of this type are references."""
        return True

    @property
    def bits(self) -> int:
        """Width in bits."""
        return 32

    @property
    def value(self) -> str:
        """The type as text."""
        abstract = isinstance(self.heap, ValType)
        heap = self.heap.value.removesuffix("ref") if abstract else str(self.heap)
        return f"(ref {'null ' if self.nullable else ''}{heap})"

    def __repr__(self) -> str:
        return self.value


#: A value type. A `RefType` has all of a `ValType` that its users need, and passes for one.
ValueType: TypeAlias = ValType


def reference(heap: Any, nullable: bool, index: int = 0) -> ValueType:
    """Return the type of references to `heap`, a function type or a nullable reference type."""
    typed = heap if nullable and isinstance(heap, ValType) else RefType(heap, nullable, index)
    return cast(ValueType, typed)


#: The type of functions in segments that list them by index: it has no null.
FUNCTION = reference(ValType.FUNCREF, nullable=False)


def is_subtype(actual: ValueType, expected: ValueType) -> bool:
    """Return whether a value of the type `actual` can be used as one of the type `expected`."""
    if actual == expected:
        return True
    if not (actual.is_ref and expected.is_ref) or (actual.nullable and not expected.nullable):
        return False
    typed = not isinstance(actual.heap, ValType)
    return actual.heap == expected.heap or (typed and expected.heap is ValType.FUNCREF)


#: One letter per value type, for the signatures of the tables.
LETTERS = {
    "i": ValType.I32,
    "l": ValType.I64,
    "f": ValType.F32,
    "d": ValType.F64,
    "v": ValType.V128,
    "p": ValType.FUNCREF,
    "e": ValType.EXTERNREF,
}


@cache
def _types(sig: str) -> tuple[tuple[ValType, ...], ...]:
    """Return operand and result types of a signature."""
    operands, _, results = sig.partition(":")
    return tuple(tuple(LETTERS[c] for c in letters) for letters in (operands, results))


@dataclass(frozen=True, slots=True)
class Op:
    """One instruction.

    `sig` is `operands:results`, one letter of `LETTERS` each (`x`: anything, in tables without
    types), topmost operand last; an empty string means that the types depend on immediates or
    context, and the verifier has a rule.
    `imm` names the kind of each immediate. `fn` maps operands to the result; for a load it
    maps the raw bytes read (as an unsigned int) to the value, for a store the value to the
    raw bytes, and `width` is their number. Integers are unsigned, floats are bit patterns.
    `cases` are edge cases: operands, then the result or the trap.
    """

    name: str
    code: int
    sig: str
    doc: str
    fn: Pure | None = None
    cases: tuple[Case, ...] = ()
    imm: tuple[str, ...] = ()
    traps: tuple[Trap, ...] = ()
    width: int = 0
    group: str = "numeric"

    @property
    def params(self) -> tuple[ValType, ...]:
        """Operand types, topmost last."""
        return _types(self.sig)[0]

    @property
    def results(self) -> tuple[ValType, ...]:
        """Result types."""
        return _types(self.sig)[1]

    @property
    def pops(self) -> int:
        """How many operands it takes, where the signature says."""
        return len(self.sig.partition(":")[0])

    @property
    def pushes(self) -> int:
        """How many results it leaves, where the signature says."""
        return len(self.sig.partition(":")[2])

    @property
    def pure(self) -> Pure:
        """The pure function; a row without one is asked for by mistake."""
        if self.fn is None:
            raise TypeError(f"{self.name} has no pure function")
        return self.fn

    def __repr__(self) -> str:
        return f"Op({self.name})"


def with_cases(rows: Iterable[Op], cases: Mapping[str, tuple[Case, ...]]) -> list[Op]:
    """Return the rows with their own edge cases and those that `cases` has under their names."""
    combined = [
        replace(op, cases=(*op.cases, *cases[op.name])) if op.name in cases else op for op in rows
    ]
    unknown = cases.keys() - {op.name for op in combined}
    if unknown:
        raise ValueError(f"edge cases of no instruction: {', '.join(sorted(unknown))}")
    return combined


class Table:
    """The rows of one instruction set, found by name or by number. Immutable."""

    def __init__(self, name: str, rows: Iterable[Op]) -> None:
        self.name = name
        self.rows = tuple(rows)
        self._by_name = {op.name: op for op in self.rows}
        self._by_code = {op.code: op for op in self.rows}
        if not len(self.rows) == len(self._by_name) == len(self._by_code):
            raise ValueError(f"{name}: two rows share a name or a number")

    def __iter__(self) -> Iterator[Op]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    def __getitem__(self, name: str) -> Op:
        return self._by_name[name]

    def by_code(self, code: int) -> Op | None:
        """The row with this number, or None."""
        return self._by_code.get(code)


class Registry(Generic[Rule]):
    """What one part of the system does for each row: `@registry.on("i32.add", …)`.

    `missing()` lists the rows it lacks, so that a test can print them.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.rules: dict[str, Rule] = {}

    def on(self, *names: str) -> Callable[[Rule], Rule]:
        """Decorator: register a rule for rows by name; unknown or repeated names are bugs."""

        def add(rule: Rule) -> Rule:
            for name in names:
                if name not in self.table:
                    raise KeyError(f"{self.table.name} has no instruction {name}")
                if name in self.rules:
                    raise KeyError(f"{name} is registered twice")
                self.rules[name] = rule
            return rule

        return add

    def missing(self) -> list[str]:
        """Names of the rows without a rule."""
        return [op.name for op in self.table if op.name not in self.rules]

    def require(self, rows: Iterable[Op], owner: str) -> None:
        """Raise `Unsupported`, with their names, if any of these rows has no rule."""
        names = [op.name for op in rows if op.name not in self.rules]
        if names:
            raise Unsupported(f"{owner} has no rule for {', '.join(names)} of {self.table.name}")
