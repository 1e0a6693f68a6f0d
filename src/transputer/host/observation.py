"""What can be observed of a module from outside, in one form for every implementation.

Two observations of the same module and the same calls are equal exactly if the two
implementations behaved alike. Function references have no identity that every
implementation shows, so of those only nullness counts.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
from transputer.isa.op import ValType

Program = TypeVar("Program", contravariant=True)
#: An export to call, and its arguments as sessions have them.
Invocation = tuple[str, Sequence[int]]
#: Cells of a table that are looked at; its size always counts.
CELLS = 1024
#: The memory of the module `spectest`, which outlives a module that fails to start.
HOST_MEMORY = "spectest.memory"


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One call: what was asked, and the results or the trap that came back."""

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
    """How a module started, what its calls returned, and what they left behind.

    `memories` are (name, digest), `tables` (name, size and cells), `globals` (name, bits), by
    export name. After a trap at the start there are no exports to look at.
    """

    start: Trap | None = None
    calls: tuple[CallRecord, ...] = ()
    memories: tuple[tuple[str, str], ...] = ()
    tables: tuple[tuple[str, tuple[int, ...]], ...] = ()
    globals: tuple[tuple[str, int], ...] = ()
    instructions: int = field(default=0, compare=False)  # of the program as written, if known

    def traps(self) -> Iterator[Trap]:
        """Every trap that happened, that of the start first."""
        yield from (trap for trap in (self.start, *(c.trap for c in self.calls)) if trap)

    def coarse(self) -> "Observation":
        """The same with an undefined element called what wasmtime calls it.

        Its trap code for an index outside the table is the same in `call_indirect` as in
        the table instructions.
        """
        return replace(
            self,
            start=_coarse(self.start),
            calls=tuple(replace(c, trap=_coarse(c.trap)) for c in self.calls),
        )


def _coarse(trap: Trap | None) -> Trap | None:
    return Trap.TABLE_OUT_OF_BOUNDS if trap is Trap.UNDEFINED_ELEMENT else trap


def visible(type_: ValType, value: int) -> int:
    """What an observation keeps of a value: its bits; of a function, only that it is one."""
    return int(value != 0) if type_ is ValType.FUNCREF else value


class Observable(Protocol[Program]):
    """A session that loads programs of one kind."""

    store: Store
    registered: dict[str, Mapping[str, Extern]]

    def load(self, program: Program, /) -> tuple[Instance, CallOutcome]:
        """Instantiate a program."""

    def function(self, instance: Instance, export: str) -> DefinedFunction | HostFunction:
        """The exported function of that name."""

    def invoke(self, instance: Instance, export: str, args: Sequence[int]) -> CallOutcome:
        """Call an exported function."""


def observe(
    session: Observable[Program], program: Program, calls: Iterable[Invocation]
) -> Observation:
    """Load a program of the session's kind, make the calls in order, and look at everything.

    A `LinkError`, and a `StepLimitError` or other `CapacityError`, goes through.
    """
    instance, outcome = session.load(program)
    instructions = outcome.instructions
    if outcome.trap:
        return Observation(outcome.trap, (), (_host_memory(session),), instructions=instructions)
    made = []
    for export, args in calls:
        outcome = session.invoke(instance, export, args)
        instructions += outcome.instructions
        types = session.function(instance, export).type.source.results
        results = tuple(map(visible, types, outcome.results))
        made.append(CallRecord(export, tuple(args), results, outcome.trap))
    return replace(_state(session, instance), calls=tuple(made), instructions=instructions)


def _host_memory(session: Observable[Any]) -> tuple[str, str]:
    _, address = session.registered["spectest"]["memory"]
    return HOST_MEMORY, digest(session.store.memories[address])


def _state(session: Observable[Any], instance: Instance) -> Observation:
    """All exports that hold something, by name."""
    store, found = session.store, sorted(instance.exports.items())
    memories = [(n, digest(store.memories[a])) for n, (k, a) in found if k is ExternKind.MEMORY]
    tables = [(n, _cells(store.tables[a])) for n, (k, a) in found if k is ExternKind.TABLE]
    cells = [(n, a) for n, (k, a) in found if k is ExternKind.GLOBAL]
    return Observation(
        None,
        (),
        (*memories, _host_memory(session)),
        tuple(tables),
        tuple((name, _global(store, address)) for name, address in cells),
    )


def _global(store: Store, address: int) -> int:
    return visible(store.globals[address].type.source.type, store.global_value(address))


def digest(memory: LinearMemory) -> str:
    """Size and SHA-256 of a memory, readable in a report."""
    return f"{memory.size} bytes, {memory.digest()}"


def _cells(table: TableInstance) -> tuple[int, ...]:
    cells = (table.get(i) for i in range(min(table.size, CELLS)))
    return (table.size, *(visible(table.element, cell) for cell in cells))


def difference(a: Observation, b: Observation, names: tuple[str, str] = ("a", "b")) -> str:
    """The first thing in which two observations differ, or nothing if they are equal."""
    for what, x, y in _pairs(a, b):
        if x != y:
            return f"{what}: {names[0]} has {x}, {names[1]} has {y}"
    return ""


def _pairs(a: Observation, b: Observation) -> Iterator[tuple[str, Any, Any]]:
    """Everything that counts in a comparison, in the order in which it happened."""
    yield "start", a.start, b.start
    for i, (x, y) in enumerate(zip_longest(a.calls, b.calls)):
        yield f"call {i}", x, y
    for what in ("memories", "tables", "globals"):
        left, right = dict(getattr(a, what)), dict(getattr(b, what))
        for name in sorted({*left, *right}):
            yield f"{what} {name!r}", left.get(name), right.get(name)
