"""Sessions by engine: the trace machine on an engine, or one of the oracles."""

import logging
from functools import cached_property, partial
from typing import Any

from transputer.engines.protocol import DECODERS, DecoderEngine, tiered_engine
from transputer.errors import EngineUnavailable, Unsupported, UsageError
from transputer.host.console import Console
from transputer.host.outcome import CallOutcome
from transputer.host.session import ModuleSession
from transputer.host.store import Instance
from transputer.ir.core import CoreModule
from transputer.ir.core_verify import verify_core
from transputer.ir.environment import ABORT, WASI, imports_abort
from transputer.ir.files import FileTree
from transputer.ir.unwinding import PENDING
from transputer.ir.verify import Verified
from transputer.isa.core import MAX_FRAMES
from transputer.lower.files import FILES, final_files
from transputer.machines.trace.circuit import model as trace_model
from transputer.machines.trace.machine import ADDRESSINGS, DIGITS
from transputer.machines.trace.session import TraceSession
from transputer.model import Model
from transputer.oracle.abort import abort_function
from transputer.oracle.core import CoreSession
from transputer.oracle.ir import IrSession
from transputer.oracle.wasi import Wasi, check_wasi
from transputer.runtime.trace.program import TraceProgram

#: Engines that run a Model.
WEIGHTS = tuple(DECODERS)
#: `auto` takes the first of these that can run here.
AUTO = ("native", "torch", "reference")
#: Interpreters without weights: of programs as written, of core code, and of core code lowered to
#: single accesses, as the weights run it.
ORACLES = ("oracle", "core", "words")
ENGINES = ("auto", *WEIGHTS, *ORACLES)
#: What `auto` is for runs that nobody watches: the native engine first, then lifted code.
TIERED = "tiered"
#: Engines that keep keys and values of every position, so that memory grows with every step.
GROWING = ("torch", "reference")
_log = logging.getLogger("transputer")


class OracleSession(IrSession):
    """Runs programs as written on the interpreter."""

    engine = name = "oracle"
    wasi: Wasi | None = None  #: of the module loaded last

    def final_files(self) -> FileTree | None:
        """Return the files of the program as they are now; None if it cannot use any."""
        return None if self.wasi is None else self.wasi.files.final()

    def load_program(
        self, program: TraceProgram, arguments: int = 0
    ) -> tuple[Instance, CallOutcome]:
        """Instantiate a program's module, with WASI."""
        return self.load_module(program.verified)

    def load_module(self, verified: Verified) -> tuple[Instance, CallOutcome]:
        """Instantiate a module; its WASI functions work on its own memory."""
        check_wasi(verified.module)
        own = len(self.store.memories)
        if imports_abort(verified.module):
            function = abort_function(self.console, lambda: self.store.memories[own])
            self.add_host(ABORT[0], {ABORT[1]: function})
        if any(item.module == WASI for item in verified.module.imports):
            self.wasi = Wasi(self.console, self.environment, lambda: self.store.memories[own])
            self.add_host(WASI, self.wasi.functions())
        return self.load(verified)


class _CoreLoader(ModuleSession):
    """Loads programs as core code, in the form that the session runs; verifies it first."""

    program: Instance | None = None  #: loaded last

    @cached_property
    def unaware(self) -> set[int]:
        """Tables of modules whose code does not expect exceptions."""
        return set()

    def code(self, program: TraceProgram, arguments: int) -> CoreModule:
        """Return a program in what the trace machine has."""
        return program.words(arguments, self.environment)

    def load_program(
        self, program: TraceProgram, arguments: int = 0
    ) -> tuple[Instance, CallOutcome]:
        """Instantiate a program's core code."""
        module = self.code(program, arguments)
        verify_core(module)
        definitions = [(f.type, f) for f in module.functions]
        instance, outcome = self.instantiate(module.declarations, definitions, module)
        self.program = instance
        return instance, outcome

    def final_files(self) -> FileTree | None:
        """Return the files of the program as they are now; None if it cannot use any."""
        if self.program is None or FILES not in self.program.exports:
            return None
        memory = self.program.exports[FILES][1]
        return final_files(partial(self.target.read_memory, memory))

    def load_module(self, verified: Verified) -> tuple[Instance, CallOutcome]:
        """Lower and instantiate a module."""
        foreign = PENDING in self.store.shared
        instance, outcome = self.load_program(TraceProgram("", module=verified, foreign=foreign))
        if PENDING not in self.store.shared:
            self.unaware.update(instance.tables)
        elif not self.unaware.isdisjoint(instance.tables):
            raise Unsupported(
                "a module that throws shares a table with one that was loaded before it and does "
                "not; load the module that throws first"
            )
        return instance, outcome


class CoreCodeSession(_CoreLoader, CoreSession):
    """Runs programs as flat core code on the interpreter."""

    engine = name = "core"

    def code(self, program: TraceProgram, arguments: int) -> CoreModule:
        """Return a program as flat core code."""
        return program.core(arguments, self.environment)


class WordsSession(_CoreLoader, CoreSession):
    """Runs lowered core code, as the trace machine gets it, on the interpreter."""

    engine = name = "words"


class MachineSession(_CoreLoader, TraceSession):
    """Runs lowered core code on the trace machine."""

    engine = ""  #: the name of the engine
    model: Model  #: the weights

    @property
    def name(self) -> str:
        """The name of the engine in charge."""
        return str(getattr(self.trace.tape.engine, "name", self.engine))


def refuse_exceptions(program: TraceProgram, session: MachineSession) -> None:
    """Raise `Unsupported` for a loaded program that throws exceptions.

    A session tells an uncaught exception from a return; whoever has the tokens alone does not.
    """
    if PENDING in session.store.shared:
        raise Unsupported(
            f"{program.name}: the program throws exceptions, and without a session an uncaught one "
            "looks like a return; compile C++ with --cflags=-fno-exceptions, or use run"
        )


AnySession = OracleSession | CoreCodeSession | WordsSession | MachineSession


def new_session(
    engine: str,
    console: Console | None = None,
    *,
    max_steps: int,
    frames: int = MAX_FRAMES,
    addressing: str = DIGITS.name,
    model: Model | None = None,
    **tape: Any,
) -> AnySession:
    """Return a session on an engine; raise `EngineUnavailable` if it cannot run here.

    `model` replaces the universal model and has the same parts. `tape` are options of the trace
    machine's `Tape`; oracles have none.
    """
    check_engine(engine)
    if engine == "oracle":
        return OracleSession(console=console, max_steps=max_steps)
    if engine == "core":
        return CoreCodeSession(console=console, max_steps=max_steps)
    if engine == "words":
        return WordsSession(console=console, max_steps=max_steps)
    kind = ADDRESSINGS[addressing]
    weights = trace_model(kind) if model is None else model
    name, decoder = start_engine(engine, weights)
    session = MachineSession(
        decoder, console=console, max_steps=max_steps, frames=frames, addressing=kind, **tape
    )
    session.model = weights
    session.engine = name
    return session


def check_engine(engine: str) -> None:
    """Raise `UsageError` for an engine that does not exist."""
    if engine not in (*ENGINES, TIERED):
        raise UsageError(f"no engine {engine!r}; available: {', '.join(ENGINES)}")


def new_engine(engine: str, model: Model) -> DecoderEngine:
    """Return an engine on a Model."""
    return start_engine(engine, model)[1]


def start_engine(engine: str, model: Model) -> tuple[str, DecoderEngine]:
    """Return the name of an engine and the engine; `auto` takes the first that can run here."""
    if engine == TIERED:
        try:
            return engine, tiered_engine(model)
        except EngineUnavailable:
            engine = "auto"
    if engine != "auto":
        return engine, DECODERS[engine](model)
    for name in AUTO[:-1]:
        try:
            return name, DECODERS[name](model)
        except EngineUnavailable as error:
            _log.warning("%s; using the next engine, which is slower", error)
    return AUTO[-1], DECODERS[AUTO[-1]](model)


__all__ = [
    "ENGINES",
    "ORACLES",
    "WEIGHTS",
    "AnySession",
    "ModuleSession",
    "new_engine",
    "new_session",
]
