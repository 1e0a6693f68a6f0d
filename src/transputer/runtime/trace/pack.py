"""Models that carry a program: its tokens, and how to start it."""

from pathlib import Path

from transputer.errors import Unsupported, UsageError
from transputer.exporters.specialize import specialize as specialized
from transputer.host.outcome import DEFAULT_STEPS
from transputer.isa.core import MAX_FRAMES
from transputer.isa.op import ValType
from transputer.lower.asm import MAIN
from transputer.machines.trace.packed import PARTS, PartView, Start, carrying
from transputer.machines.trace.universal import model as trace_model
from transputer.machines.trace.uses import calls_indirectly, table_entries
from transputer.model import Model, Token
from transputer.runtime.trace.program import TraceProgram
from transputer.runtime.trace.run import default_export
from transputer.runtime.trace.sessions import MachineSession, refuse_exceptions, refuse_vectors


class _PromptComplete(Exception):
    """The host has appended the prompt and asks for the first step."""


class _PromptRecorder:
    """An engine that records what the host appends."""

    def __init__(self) -> None:
        self.tokens: list[Token] = []

    def append(self, token: Token) -> None:
        """Record a token of the host."""
        self.tokens.append(token)

    def step(self) -> Token:
        """Raise `_PromptComplete`."""
        raise _PromptComplete


class ProgramPrompt:
    """The prompt of a program: the tokens that the host appends, and their core code."""

    def __init__(self, program: TraceProgram, invoke: str | None, arguments: int) -> None:
        recorder = _PromptRecorder()
        self.session = MachineSession(recorder, max_steps=DEFAULT_STEPS, frames=MAX_FRAMES)
        try:
            instance, outcome = self.session.load_program(program, arguments)
        except _PromptComplete:
            raise Unsupported(
                f"{program.name}: the start function would run before the invoked one; "
                "export it as a function and name it with --invoke"
            ) from None
        refuse_exceptions(program, self.session)
        if outcome.trap is not None:
            raise UsageError(f"{program.name}: trap while loading: {outcome.trap.value}")
        assembly = program.assembly is not None
        name = MAIN if assembly else invoke or default_export(program.declarations)
        if name is None:
            raise UsageError(f"{program.name}: the program exports no function to start")
        self.type = self.session.function(instance, name).type
        refuse_vectors(name, self.type)
        self.main = not assembly and invoke is None and name == "main"
        loaded = len(recorder.tokens)
        try:
            self.session.invoke(instance, name, [0] * len(self.type.params))
        except _PromptComplete:
            pass
        else:
            raise Unsupported(f"{program.name}: {name} traps before its first step")
        self.program, self.name = program, name
        self.before = tuple(recorder.tokens[:loaded])
        self.arguments = tuple(recorder.tokens[loaded:-1])
        self.after = tuple(recorder.tokens[-1:])

    def start(self) -> Start:
        """Return how to start the universal model on the program."""
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
    """Return the universal model with a program's tokens as its prompt.

    `arguments` is the number of arguments of an assembly program. Raises as `run_program` does.
    """
    return carrying(trace_model(), ProgramPrompt(program, invoke, arguments).start())


def specialize(program: TraceProgram, invoke: str | None = None, arguments: int = 0) -> Model:
    """Return a model with the program in its weights.

    Raises as `pack` does, and `CapacityError`.
    """
    prompt = ProgramPrompt(program, invoke, arguments)
    return specialized(trace_model(), prompt.start(), prompt.entries, prompt.calls)
