"""Sessions on the oracle: modules as written."""

from transputer.host.console import Console
from transputer.host.outcome import DEFAULT_STEPS, Outcome, Pulse, quiet
from transputer.host.session import Session
from transputer.host.store import DefinedFunction, Instance, Store
from transputer.ir.module import FuncType
from transputer.ir.verify import Verified
from transputer.oracle.instructions import compile_function
from transputer.oracle.interpreter import Code, Machine, Observer, Step, invoke


class IrExecutor:
    """Runs functions as written; each is prepared when it is first called."""

    def __init__(self, store: Store, observer: Observer | None = None) -> None:
        self.store = store
        self.observer = observer
        self.compiled: dict[int, list[Step]] = {}

    def load(self, instance: Instance, program: Verified) -> None:
        """Nothing to do: functions are prepared when called."""

    def compile(self, function: DefinedFunction) -> list[Step]:
        """The closures of a function, made once."""
        key = id(function)  # functions live as long as the store does
        if key not in self.compiled:
            self.compiled[key] = compile_function(self.store, function)
        return self.compiled[key]

    def invoke(self, address: int, args: list[int], limit: int, pulse: Pulse = quiet) -> Outcome:
        """Call a function and run it to its end."""
        return invoke(Machine(self.store, self.compile), address, args, limit, self.observer, pulse)


class IrSession(Session):
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

    def load(self, verified: Verified) -> tuple[Instance, Outcome]:
        """Instantiate a verified module."""
        return self.instantiate(verified.module, _definitions(verified), verified)


def _definitions(verified: Verified) -> list[tuple[FuncType, Code]]:
    pairs = zip(verified.module.functions, verified.frames, strict=True)
    return [(verified.module.types[f.type_index], Code(f, frame)) for f, frame in pairs]
