"""Sessions on flat core code."""

from transputer.errors import TrapError
from transputer.host.console import Console, devices_module
from transputer.host.outcome import DEFAULT_STEPS, ExitSignal, Outcome, Pulse, quiet
from transputer.host.session import Session
from transputer.host.store import Instance, check_arguments
from transputer.ir.core import CoreModule
from transputer.oracle.core_instructions import compile_step
from transputer.oracle.core_machine import CoreMachine, Image, Observer


class CoreExecutor:
    """Runs functions of a store from relocated core code."""

    def __init__(self, image: Image, observer: Observer | None = None) -> None:
        self.image = image
        self.observer = observer

    def load(self, instance: Instance, program: CoreModule) -> None:
        """Append the module's code to the image."""
        self.image.load(instance, program)

    def invoke(self, address: int, args: list[int], limit: int, pulse: Pulse = quiet) -> Outcome:
        """Call a function and run it to its end."""
        check_arguments(self.image.store.functions[address].type, args)
        machine = CoreMachine(self.image)
        results: tuple[int, ...] = ()
        trap, detail, code = None, "", None
        try:
            machine.reserve(len(args))
            for arg in args:
                machine.push(arg)
            machine.call(address)
            machine.running = bool(machine.calls)  # a host function has returned already
            machine.run(limit, self.observer, pulse)
            results = tuple(machine.slots[: machine.sp])
        except TrapError as error:
            trap, detail = error.trap, error.detail
        except ExitSignal as signal:
            code = signal.code
        return Outcome(results, trap, detail, code, machine.steps, machine.steps - machine.implied)


class CoreSession(Session):
    """A session whose modules are flat core code."""

    def __init__(
        self,
        *,
        console: Console | None = None,
        max_steps: int = DEFAULT_STEPS,
        observer: Observer | None = None,
        lowered: bool = False,
    ) -> None:
        screen = console or Console()
        super().__init__(
            lambda store: CoreExecutor(Image(store, screen, compile_step), observer),
            console=screen,
            max_steps=max_steps,
            lowered=lowered,
        )
        self.register("transputer", self.load(devices_module())[0])

    def load(self, module: CoreModule) -> tuple[Instance, Outcome]:
        """Instantiate a module of core code."""
        definitions = [(f.type, f) for f in module.functions]
        return self.instantiate(module.declarations, definitions, module)
