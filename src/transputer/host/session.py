"""Sessions: instantiate, link and invoke modules in one store."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Protocol
from weakref import proxy

from transputer.errors import Trap, TrapError, UsageError
from transputer.host.console import Console, devices
from transputer.host.outcome import DEFAULT_STEPS, CallOutcome, Pulse, quiet
from transputer.host.store import (
    DefinedFunction,
    Extern,
    HostFunction,
    Instance,
    SegmentTarget,
    Store,
    allocate,
    check_arguments,
    fill_segments,
    spectest,
)
from transputer.ir.environment import STEPS, STEPS_TYPE, Environment
from transputer.ir.module import ExternKind, FuncType, GlobalType, Module, high_name
from transputer.ir.unwinding import FAILURE, FAILURES, PENDING
from transputer.ir.values import from_words, to_words
from transputer.isa.op import ValType


class Executor(Protocol):
    """Runs the functions of a store, for example by interpreting IR or core code."""

    @property
    def all_steps(self) -> int:
        """The steps of all invocations so far."""

    def load(self, instance: Instance, program: Any) -> None:
        """Load the code of a newly allocated instance."""

    def invoke(
        self, address: int, args: list[int], limit: int, pulse: Pulse = quiet
    ) -> CallOutcome:
        """Call a function and run until it returns, traps or exits."""


class ModuleSession:
    """Modules that share one store and one executor; state persists across invocations."""

    def __init__(
        self,
        executor: Callable[[Store], Executor],
        *,
        console: Console | None = None,
        max_steps: int = DEFAULT_STEPS,
    ) -> None:
        self.store = Store()
        self.executor = executor(self.store)
        self.target: SegmentTarget = self.store
        self.max_steps = max_steps
        self.console = console or Console()
        self.environment = Environment()
        self.pulse: Pulse = quiet
        self.registered: dict[str, Mapping[str, Extern]] = {"spectest": spectest(self.store)}
        self.add_host("transputer", devices(self.console))

    def add_host(self, module: str, functions: Mapping[str, HostFunction]) -> None:
        """Make host functions importable under a module name."""
        self.registered[module] = {n: self.store.add_host(f) for n, f in functions.items()}

    def register(self, name: str, instance: Instance) -> None:
        """Make an instance's exports importable under a module name."""
        self.registered[name] = instance.exports

    @cached_property
    def _steps(self) -> Extern:
        """The function that returns the steps so far.

        It is added for the first module that imports it: functions are numbered, and the numbers
        of a program that does without must not change.
        """
        executor = proxy(self.executor)  # which has the store, and thereby this function
        return self.store.add_host(HostFunction(STEPS_TYPE, lambda: executor.all_steps, STEPS[1]))

    def _resolve(self, module: str, name: str) -> Extern | None:
        if (module, name) == STEPS:
            return self._steps
        return self.registered.get(module, {}).get(name)

    def instantiate(
        self, module: Module, definitions: Sequence[tuple[FuncType, Any]], program: Any
    ) -> tuple[Instance, CallOutcome]:
        """Link, initialise and start a module.

        Raises `LinkError` for missing or mismatched imports. A trap in a segment or in the start
        function is part of the outcome; earlier writes remain, as the standard requires.
        """
        instance = allocate(self.store, module, definitions, self._resolve)
        self.executor.load(instance, program)
        try:
            fill_segments(self.store, instance, self.target)
        except TrapError as error:
            return instance, CallOutcome(trap=error.trap, detail=error.detail)
        if module.start is None:
            return instance, CallOutcome()
        return instance, self._call(instance.functions[module.start], [])

    def function(self, instance: Instance, export: str) -> DefinedFunction | HostFunction:
        """Return the exported function of that name; raise `UsageError` if there is none."""
        return self.store.functions[self.address(instance, export, ExternKind.FUNC)]

    def address(self, instance: Instance, export: str, kind: ExternKind) -> int:
        """Return the address of an export of this kind; raise `UsageError` if there is none."""
        extern = instance.exports.get(export)
        if extern is None or extern[0] is not kind:
            names = [n for n, (k, _) in instance.exports.items() if k is kind]
            known = ", ".join(names[:20]) or "none"
            raise UsageError(f"no exported {kind.value} {export!r}; available: {known}")
        return extern[1]

    def invoke(self, instance: Instance, export: str, args: Sequence[int] = ()) -> CallOutcome:
        """Call an exported function; arguments and results are unsigned bits."""
        address = self.address(instance, export, ExternKind.FUNC)
        return self._call(address, list(args))

    def _call(self, address: int, args: list[int]) -> CallOutcome:
        """Call a function with values of its type as written.

        What lowered code says about exceptions becomes the trap that it is.
        """
        type_ = self.store.functions[address].type
        if type_.source is None:
            return self._run(address, args)
        check_arguments(type_.source, args)
        outcome = self._run(address, to_words(type_.source.params, args))
        results = from_words(type_.source.results, outcome.results) if outcome.results else ()
        return replace(outcome, results=results)

    def _run(self, address: int, args: list[int]) -> CallOutcome:
        outcome = self.executor.invoke(address, args, self.max_steps, self.pulse)
        reason, pending = self._taken(FAILURE), self._taken(PENDING)
        if reason and outcome.trap is Trap.UNREACHABLE:
            return replace(outcome, trap=FAILURES[reason - 1])
        if pending and outcome.trap is None and outcome.exit_code is None:
            return replace(outcome, results=(), trap=Trap.UNCAUGHT_EXCEPTION)
        return outcome

    def _taken(self, name: str) -> int:
        """Return the value of a shared global and set it to zero; zero if there is none."""
        if name not in self.store.shared:
            return 0
        address = self.store.shared[name][1]
        if value := self.store.globals[address].value:
            self.target.write_global(address, 0)
        return value

    def global_value(self, instance: Instance, export: str) -> tuple[GlobalType, int]:
        """Return type and value of an exported global."""
        address = self.address(instance, export, ExternKind.GLOBAL)
        cell = self.store.globals[address]
        if cell.type.half is None:
            return cell.type, cell.value
        high = self.address(instance, high_name(export), ExternKind.GLOBAL)
        words = (cell.value, self.store.globals[high].value)
        (value,) = from_words((ValType.V128,), words)
        return GlobalType(ValType.V128, cell.type.mutable), value
