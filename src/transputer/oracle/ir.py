"""Sessions that run modules as written on the oracle."""

from transputer.host.console import Console
from transputer.host.outcome import DEFAULT_STEPS, CallOutcome, Pulse, quiet
from transputer.host.session import ModuleSession
from transputer.host.store import DefinedFunction, Instance, Store
from transputer.ir.module import FuncType
from transputer.ir.verified import Verified
from transputer.oracle.instructions import compile_function
from transputer.oracle.interpreter import IrCode, IrMachine, IrStep, Observer, invoke


class IrExecutor:
    """Executor of functions as written; each is compiled on its first call."""

    def __init__(self, store: Store, observer: Observer | None = None) -> None:
        self.store = store
        self.observer = observer
        self.compiled: dict[int, list[IrStep]] = {}
        self.machine: IrMachine | None = None  # of the last invocation
        self.earlier = 0  # steps of the invocations before

    @property
    def all_steps(self) -> int:
        """The steps of all invocations so far."""
        return self.earlier + (0 if self.machine is None else self.machine.steps)

    def load(self, instance: Instance, program: Verified) -> None:
        """Do nothing: functions are compiled when called."""

    def compile(self, function: DefinedFunction) -> list[IrStep]:
        """Return the closures of a function, compiled once."""
        key = id(function)  # functions live as long as the store does
        if key not in self.compiled:
            self.compiled[key] = compile_function(self.store, function)
        return self.compiled[key]

    def invoke(
        self, address: int, args: list[int], limit: int, pulse: Pulse = quiet
    ) -> CallOutcome:
        """Call a function and run until it returns, traps or exits."""
        self.earlier = self.all_steps
        self.machine = IrMachine(self.store, self.compile)
        return invoke(self.machine, address, args, limit, self.observer, pulse)


class IrSession(ModuleSession):
    """A session whose modules are verified IR."""

    def __init__(
        self,
        *,
        console: Console | None = None,
        max_steps: int = DEFAULT_STEPS,
        observer: Observer | None = None,
    ) -> None:
        super().__init__(
            lambda store: IrExecutor(store, observer), console=console, max_steps=max_steps
        )

    def load(self, verified: Verified) -> tuple[Instance, CallOutcome]:
        """Instantiate a verified module."""
        return self.instantiate(verified.module, _definitions(verified), verified)


def _definitions(verified: Verified) -> list[tuple[FuncType, IrCode]]:
    pairs = zip(verified.module.functions, verified.frames, strict=True)
    return [(verified.module.types[f.type_index], IrCode(f, frame)) for f, frame in pairs]
