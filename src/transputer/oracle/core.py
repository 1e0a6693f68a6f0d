"""Sessions that run flat core code on the oracle."""

from transputer.errors import TrapError
from transputer.host.console import Console, devices_module
from transputer.host.outcome import DEFAULT_STEPS, CallOutcome, ExitSignal, OpenCall, Pulse, quiet
from transputer.host.session import ModuleSession
from transputer.host.store import Instance, check_arguments
from transputer.ir.core import CoreModule
from transputer.oracle.core_instructions import compile_step
from transputer.oracle.core_machine import CoreImage, CoreMachine, Observer


class CoreExecutor:
    """Executor of relocated core code."""

    def __init__(self, image: CoreImage, observer: Observer | None = None) -> None:
        self.image = image
        self.observer = observer
        self.machine: CoreMachine | None = None  # of the last invocation
        self.earlier = 0  # steps of the invocations before

    @property
    def all_steps(self) -> int:
        """The steps of all invocations so far."""
        return self.earlier + (0 if self.machine is None else self.machine.steps)

    def load(self, instance: Instance, program: CoreModule) -> None:
        """Append the module's code to the image."""
        self.image.load(instance, program)

    def invoke(
        self, address: int, args: list[int], limit: int, pulse: Pulse = quiet
    ) -> CallOutcome:
        """Call a function and run until it returns, traps or exits."""
        check_arguments(self.image.store.functions[address].type, args)
        self.earlier = self.all_steps
        machine = self.machine = CoreMachine(self.image)
        results: tuple[int, ...] = ()
        trap, detail, code = None, "", None
        calls: tuple[OpenCall, ...] = ()
        try:
            machine.reserve(len(args))
            for arg in args:
                machine.push(arg)
            machine.call(address)
            machine.running = bool(machine.calls)  # a host function has already returned
            machine.run(limit, self.observer, pulse)
            results = tuple(machine.slots[: machine.sp])
        except TrapError as error:
            trap, detail, calls = error.trap, error.detail, machine.open_calls()
        except ExitSignal as signal:
            code = signal.code
        return CallOutcome(
            results, trap, detail, code, machine.steps, machine.steps - machine.implied, calls
        )


class CoreSession(ModuleSession):
    """A session whose modules are flat core code."""

    def __init__(
        self,
        *,
        console: Console | None = None,
        max_steps: int = DEFAULT_STEPS,
        observer: Observer | None = None,
    ) -> None:
        screen = console or Console()
        super().__init__(
            lambda store: CoreExecutor(CoreImage(store, screen, compile_step), observer),
            console=screen,
            max_steps=max_steps,
        )
        self.register("transputer", self.load(devices_module())[0])

    def load(self, module: CoreModule) -> tuple[Instance, CallOutcome]:
        """Instantiate a module of core code."""
        definitions = [(f.type, f) for f in module.functions]
        return self.instantiate(module.declarations, definitions, module)
