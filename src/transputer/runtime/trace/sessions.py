"""Sessions by engine: the trace machine on an engine, or one of the oracles."""

import logging
from typing import TYPE_CHECKING, Any, TypeAlias

from transputer.engines.native.compile import begin
from transputer.engines.protocol import DECODERS, DecoderEngine, tiered_engine
from transputer.errors import EngineUnavailable, Unsupported, UsageError
from transputer.host.console import Console
from transputer.host.session import ModuleSession
from transputer.ir.module import FuncType
from transputer.ir.unwinding import PENDING
from transputer.isa.core import MAX_FRAMES
from transputer.machines.trace.addressing import ADDRESSINGS, DIGITS
from transputer.machines.trace.session import TraceSession
from transputer.machines.trace.universal import model as trace_model
from transputer.model import Model
from transputer.runtime.trace.loading import CoreLoader
from transputer.runtime.trace.program import TraceProgram

if TYPE_CHECKING:
    from transputer.runtime.trace.oracles import CoreCodeSession, OracleSession, WordsSession

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


class MachineSession(CoreLoader, TraceSession):
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


def refuse_vectors(name: str, type_: FuncType) -> None:
    """Raise `Unsupported` for a function with vectors, where values are single tokens."""
    if type_.source is not None:
        raise Unsupported(
            f"{name}: has type {type_.source}; vectors can be passed by run only, or in memory"
        )


AnySession: TypeAlias = "OracleSession | CoreCodeSession | WordsSession | MachineSession"


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
    if engine in ORACLES:
        from transputer.runtime.trace.oracles import SESSIONS  # slow to import

        return SESSIONS[engine](console=console, max_steps=max_steps)
    kind = ADDRESSINGS[addressing]
    if engine not in GROWING:
        begin()  # compiled beside the model, where both are new
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
