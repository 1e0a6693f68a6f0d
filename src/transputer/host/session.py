"""A session: modules instantiated, linked and invoked one after another in one store."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from transputer.errors import TrapError, UsageError
from transputer.host.console import Console, devices
from transputer.host.outcome import DEFAULT_STEPS, Outcome, Pulse, quiet
from transputer.host.store import (
    DefinedFunction,
    Extern,
    HostFunction,
    Instance,
    Store,
    Target,
    allocate,
    check_arguments,
    fill_segments,
    spectest,
)
from transputer.ir.environment import Environment
from transputer.ir.halves import join, split
from transputer.ir.module import FuncType, GlobalType, Kind, Module


class Executor(Protocol):
    """What runs functions of a store: the IR interpreter or the core interpreter."""

    def load(self, instance: Instance, program: Any) -> None:
        """Take in the code of a freshly allocated instance."""

    def invoke(self, address: int, args: list[int], limit: int, pulse: Pulse = quiet) -> Outcome:
        """Call a function and run it to its end."""


class Session:
    """Instantiates and invokes; state persists. One interpreter for all its modules."""

    def __init__(
        self,
        executor: Callable[[Store], Executor],
        *,
        console: Console | None = None,
        max_steps: int = DEFAULT_STEPS,
        lowered: bool = False,
    ) -> None:
        self.store = Store(lowered)
        self.executor = executor(self.store)
        self.target: Target = self.store
        self.max_steps = max_steps
        self.console = console or Console()
        self.environment = Environment()
        self.pulse: Pulse = quiet
        self.registered: dict[str, Mapping[str, Extern]] = {"spectest": spectest(self.store)}
        self.add_host("transputer", devices(self.console))

    def add_host(self, module: str, functions: Mapping[str, HostFunction]) -> None:
        """Offer host functions for import under a module name."""
        self.registered[module] = {n: self.store.add_host(f) for n, f in functions.items()}

    def register(self, name: str, instance: Instance) -> None:
        """Offer an instance's exports for import."""
        self.registered[name] = instance.exports

    def _resolve(self, module: str, name: str) -> Extern | None:
        return self.registered.get(module, {}).get(name)

    def instantiate(
        self, module: Module, definitions: Sequence[tuple[FuncType, Any]], program: Any
    ) -> tuple[Instance, Outcome]:
        """Link, initialise and start a module.

        Raises `LinkError` for bad imports. A trap in a segment or in the start function is
        in the outcome; what was written before it stays, as the standard says.
        """
        instance = allocate(self.store, module, definitions, self._resolve)
        self.executor.load(instance, program)
        try:
            fill_segments(self.store, instance, self.target)
        except TrapError as error:
            return instance, Outcome(trap=error.trap, detail=error.detail)
        if module.start is None:
            return instance, Outcome()
        return instance, self.executor.invoke(
            instance.functions[module.start], [], self.max_steps, self.pulse
        )

    def function(self, instance: Instance, export: str) -> DefinedFunction | HostFunction:
        """The exported function of that name; an unknown one is a usage error."""
        return self.store.functions[self.address(instance, export, Kind.FUNC)]

    def address(self, instance: Instance, export: str, kind: Kind) -> int:
        """The address of an export of some kind."""
        found = instance.exports.get(export)
        if found is None or found[0] is not kind:
            names = [n for n, (k, _) in instance.exports.items() if k is kind]
            known = ", ".join(names[:20]) or "none"
            raise UsageError(f"no exported {kind.value} {export!r}; there is: {known}")
        return found[1]

    def invoke(self, instance: Instance, export: str, args: Sequence[int] = ()) -> Outcome:
        """Call an exported function with ints as the session has them.

        Where the function is lowered, arguments and results are those of its type as written.
        """
        address = self.address(instance, export, Kind.FUNC)
        written = self.store.functions[address].type.written
        if written is None:
            return self.executor.invoke(address, list(args), self.max_steps, self.pulse)
        check_arguments(written, list(args))
        words = split(written.params, args)
        outcome = self.executor.invoke(address, words, self.max_steps, self.pulse)
        if outcome.trap or outcome.exit_code is not None:
            return outcome
        return replace(outcome, results=join(written.results, outcome.results))

    def global_value(self, instance: Instance, export: str) -> tuple[GlobalType, int]:
        """Type and value of an exported global."""
        address = self.address(instance, export, Kind.GLOBAL)
        return self.store.globals[address].type.source, self.store.global_value(address)
