"""Observable behaviour of a module, in one form for every implementation.

Two observations of the same module and calls are equal if and only if the implementations
behaved alike. Not every implementation exposes the identity of a function reference, so an
observation records only whether it is null.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import zip_longest
from typing import Any, Protocol, TypeVar

from transputer.errors import Trap
from transputer.host.memory import LinearMemory
from transputer.host.outcome import CallOutcome
from transputer.host.store import (
    DefinedFunction,
    Extern,
    HostFunction,
    Instance,
    Store,
    TableInstance,
)
from transputer.ir.module import ExternKind
from transputer.isa.op import ValType, ValueType, is_subtype
from transputer.values import dataclass

Program = TypeVar("Program", contravariant=True)
#: An export to call, and its arguments as unsigned bits.
Invocation = tuple[str, Sequence[int]]
#: Number of cells of a table that an observation records, besides its size.
CELLS = 1024
#: The memory of the module `spectest`, which remains if a module fails to start.
HOST_MEMORY = "spectest.memory"


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One call: export, arguments, and the results or the trap."""

    export: str
    args: tuple[int, ...]
    results: tuple[int, ...] = ()
    trap: Trap | None = None

    def __str__(self) -> str:
        """As `f(1, 2): 3`, or the trap."""
        outcome = self.trap.value if self.trap else " ".join(map(hex, self.results)) or "nothing"
        return f"{self.export}({', '.join(map(hex, self.args))}): {outcome}"


@dataclass(frozen=True, slots=True)
class Observation:
    """How a module started, what its calls returned, and the final state of its exports.

    `memories` are (name, digest), `tables` (name, size and cells), `globals` (name, bits), by
    export name. If the start traps, there are no exports.
    """

    start: Trap | None = None
    calls: tuple[CallRecord, ...] = ()
    memories: tuple[tuple[str, str], ...] = ()
    tables: tuple[tuple[str, tuple[int, ...]], ...] = ()
    globals: tuple[tuple[str, int], ...] = ()
    instructions: int = field(default=0, compare=False)  # of the source program, if known

    def traps(self) -> Iterator[Trap]:
        """Yield every trap, that of the start first."""
        yield from (trap for trap in (self.start, *(c.trap for c in self.calls)) if trap)

    def coarse(self) -> "Observation":
        """Return the observation with wasmtime's coarser trap codes.

        wasmtime does not distinguish an index outside the table in `call_indirect` from one in
        the table instructions.
        """
        return replace(
            self,
            start=_coarse(self.start),
            calls=tuple(replace(c, trap=_coarse(c.trap)) for c in self.calls),
        )


def _coarse(trap: Trap | None) -> Trap | None:
    return Trap.TABLE_OUT_OF_BOUNDS if trap is Trap.UNDEFINED_ELEMENT else trap


def visible(type_: ValueType, value: int) -> int:
    """Return what an observation records of a value: its bits, or 0 or 1 for a function."""
    return int(value != 0) if is_subtype(type_, ValType.FUNCREF) else value


class Observable(Protocol[Program]):
    """A session that loads programs of one type."""

    store: Store
    registered: dict[str, Mapping[str, Extern]]

    def load(self, program: Program, /) -> tuple[Instance, CallOutcome]:
        """Instantiate a program."""

    def function(self, instance: Instance, export: str) -> DefinedFunction | HostFunction:
        """Return the exported function of that name."""

    def invoke(self, instance: Instance, export: str, args: Sequence[int]) -> CallOutcome:
        """Call an exported function."""


def observe(
    session: Observable[Program], program: Program, calls: Iterable[Invocation]
) -> Observation:
    """Load a program, make the `calls` in order, and observe everything it exports.

    Passes on `LinkError`, `StepLimitError` and other `CapacityError`s of the session.
    """
    instance, outcome = session.load(program)
    instructions = outcome.instructions
    if outcome.trap:
        return Observation(outcome.trap, (), (_host_memory(session),), instructions=instructions)
    records = []
    for export, args in calls:
        outcome = session.invoke(instance, export, args)
        instructions += outcome.instructions
        types = session.function(instance, export).type.results
        results = tuple(map(visible, types, outcome.results))
        records.append(CallRecord(export, tuple(args), results, outcome.trap))
    return replace(_state(session, instance), calls=tuple(records), instructions=instructions)


def _host_memory(session: Observable[Any]) -> tuple[str, str]:
    _, address = session.registered["spectest"]["memory"]
    return HOST_MEMORY, digest(session.store.memories[address])


def _state(session: Observable[Any], instance: Instance) -> Observation:
    """Return the contents of all exported memories, tables and globals, by name."""
    store, exports = session.store, sorted(instance.exports.items())
    memories = [(n, digest(store.memories[a])) for n, (k, a) in exports if k is ExternKind.MEMORY]
    tables = [(n, _cells(store.tables[a])) for n, (k, a) in exports if k is ExternKind.TABLE]
    cells = [(n, a) for n, (k, a) in exports if k is ExternKind.GLOBAL]
    return Observation(
        None,
        (),
        (*memories, _host_memory(session)),
        tuple(tables),
        tuple((name, _global(store, address)) for name, address in cells),
    )


def _global(store: Store, address: int) -> int:
    return visible(store.globals[address].type.type, store.globals[address].value)


def digest(memory: LinearMemory) -> str:
    """Return the size and the SHA-256 of a memory as text."""
    return f"{memory.size} bytes, {memory.digest()}"


def _cells(table: TableInstance) -> tuple[int, ...]:
    cells = (table.get(i) for i in range(min(table.size, CELLS)))
    return (table.size, *(visible(table.element, cell) for cell in cells))


def difference(a: Observation, b: Observation, names: tuple[str, str] = ("a", "b")) -> str:
    """Return the first difference between two observations, or an empty string."""
    for what, x, y in _pairs(a, b):
        if x != y:
            return f"{what}: {names[0]} has {x}, {names[1]} has {y}"
    return ""


def _pairs(a: Observation, b: Observation) -> Iterator[tuple[str, Any, Any]]:
    """Yield everything to compare, in the order in which it happened."""
    yield "start", a.start, b.start
    for i, (x, y) in enumerate(zip_longest(a.calls, b.calls)):
        yield f"call {i}", x, y
    for what in ("memories", "tables", "globals"):
        left, right = dict(getattr(a, what)), dict(getattr(b, what))
        for name in sorted({*left, *right}):
            yield f"{what} {name!r}", left.get(name), right.get(name)
