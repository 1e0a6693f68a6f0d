"""Programs packed with a model: the tokens of a program, and how to start them."""

from pathlib import Path

from transputer.errors import Unsupported, UsageError
from transputer.exporters.specialize import specialize as specialized
from transputer.host.outcome import DEFAULT_STEPS
from transputer.isa.core import MAX_FRAMES
from transputer.isa.op import ValType
from transputer.lower.asm import MAIN
from transputer.machines.trace.circuit import model as trace_model
from transputer.machines.trace.packed import PARTS, PartView, Start, carrying
from transputer.machines.trace.uses import calls_indirectly, table_entries
from transputer.model import Model, Token
from transputer.runtime.trace.program import TraceProgram
from transputer.runtime.trace.run import default_export
from transputer.runtime.trace.sessions import MachineSession


class _Started(Exception):
    """The host wants the first step."""


class _Recorder:
    """An engine that only notes what the host appends."""

    def __init__(self) -> None:
        self.tokens: list[Token] = []

    def append(self, token: Token) -> None:
        """Note a token of the host's."""
        self.tokens.append(token)

    def step(self) -> Token:
        """Stop: the prompt is complete."""
        raise _Started


class Recorded:
    """A program as the host would append it: tokens, and the code they come from."""

    def __init__(self, program: TraceProgram, invoke: str | None, arguments: int) -> None:
        recorder = _Recorder()
        self.session = MachineSession(recorder, max_steps=DEFAULT_STEPS, frames=MAX_FRAMES)
        try:
            instance, outcome = self.session.load_program(program, arguments)
        except _Started:
            raise Unsupported(
                f"{program.name}: it has a start function, which runs before anything is invoked; "
                "export it as a function and name that with --invoke"
            ) from None
        if outcome.trap is not None:
            raise UsageError(f"{program.name}: trap while loading: {outcome.trap.value}")
        assembly = program.assembly is not None
        name = MAIN if assembly else invoke or default_export(program.declarations)
        if name is None:
            raise UsageError(f"{program.name}: it exports no function to start")
        self.type = self.session.function(instance, name).type
        self.main = not assembly and invoke is None and name == "main"
        loaded = len(recorder.tokens)
        try:
            self.session.invoke(instance, name, [0] * len(self.type.params))
        except _Started:
            pass
        else:
            raise Unsupported(f"{program.name}: {name} traps before its first step")
        self.program, self.name = program, name
        self.before = tuple(recorder.tokens[:loaded])
        self.arguments = tuple(recorder.tokens[loaded:-1])
        self.after = tuple(recorder.tokens[-1:])

    def start(self) -> Start:
        """How to start the universal model on it."""
        trace = self.session.trace
        i32 = ValType.I32
        silent = self.main and self.type.params == (i32, i32)
        return Start(
            Path(self.program.name).name,
            self.name,
            tuple(t.value for t in self.type.params),
            tuple(t.value for t in self.type.results),
            self.before,
            self.arguments,
            self.after,
            tuple(PartView(i) for i in range(len(PARTS))),
            defaults=(0, 0) if silent else () if not self.type.params else None,
            exits=self.main and self.type.results == (i32,),
            untyped=trace.untyped,
            code=len(trace.implied),
            implied=tuple(a for a, hidden in enumerate(trace.implied) if hidden),
        )

    @property
    def entries(self) -> list[int]:
        """Addresses of the entries of jump tables."""
        return table_entries(self.session.trace.listing)

    @property
    def calls(self) -> bool:
        """Whether there are indirect calls."""
        return calls_indirectly(self.session.trace.listing)


def pack(program: TraceProgram, invoke: str | None = None, arguments: int = 0) -> Model:
    """The universal model with a program's tokens as its prompt, as one model.

    `arguments` is how many an assembly program gets. Raises as `run_program` does.
    """
    return carrying(trace_model(), Recorded(program, invoke, arguments).start())


def specialize(program: TraceProgram, invoke: str | None = None, arguments: int = 0) -> Model:
    """A model with the program in its weights; raises as `pack` does, and `CapacityError`."""
    found = Recorded(program, invoke, arguments)
    return specialized(trace_model(), found.start(), found.entries, found.calls)
