"""Sessions on flat core code."""

from transputer.errors import TrapError
from transputer.ir.core import CoreFunction, CoreModule, core
from transputer.ir.module import Export, FuncType, Kind, Module
from transputer.isa.op import ValType
from transputer.oracle.core_instructions import compile_step
from transputer.oracle.core_machine import CoreMachine, Image, Observer
from transputer.oracle.interpreter import check_arguments
from transputer.oracle.outcome import ExitSignal, Outcome, Pulse, quiet
from transputer.oracle.session import DEFAULT_STEPS, Console, Session
from transputer.oracle.store import Instance


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


def devices_module() -> CoreModule:
    """The module `transputer` in core code: the device instructions behind its functions."""
    i32 = ValType.I32
    read, write = FuncType((), (i32,)), FuncType((i32,))
    code = (
        core("input", implied=True),
        core("return", 1, implied=True),
        core("local.get", 0, implied=True),
        core("i32.const", 0xFF, implied=True),
        core("i32.and", implied=True),
        core("output", implied=True),
        core("return", 0, implied=True),
        core("local.get", 0, implied=True),
        core("exit", implied=True),
        core("local.get", 0, implied=True),
        core("output", implied=True),
        core("return", 0, implied=True),
    )
    functions = (
        CoreFunction(read, 0, 0, 1, "read"),
        CoreFunction(write, 2, 1, 3, "write"),
        CoreFunction(write, 7, 1, 2, "exit"),
        CoreFunction(write, 9, 1, 2, "put"),
    )
    exports = tuple(Export(f.name, Kind.FUNC, i) for i, f in enumerate(functions))
    return CoreModule(code, functions, Module(exports=exports))


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
