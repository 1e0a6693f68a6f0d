"""Machines whose runs can be recorded and looked into: what they read, and how they are run."""

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from transputer.errors import EngineUnavailable, UsageError
from transputer.frontends.words.compile import ENTRY
from transputer.host.outcome import Pulse, quiet
from transputer.runtime.ask import answered, plan_question
from transputer.runtime.debugging import Debugger
from transputer.runtime.loom.debug import LOOM_DEBUG_ENGINES, LoomDebugger, debug_loom
from transputer.runtime.loom.debug import edited as edited_loom
from transputer.runtime.loom.loom import compile_loom_text
from transputer.runtime.loom.view import LoomView
from transputer.runtime.soft.debug import SoftDebugger, assemble_soft_text, debug_soft, soft_inputs
from transputer.runtime.soft.view import SoftView
from transputer.runtime.trace.debug import DEBUG_ENGINES, TraceDebugger, debug
from transputer.runtime.trace.program import Program, edited
from transputer.runtime.trace.run import Result
from transputer.runtime.trace.text import LANGUAGES, compile_text, functions
from transputer.runtime.trace.view import TraceView
from transputer.runtime.views import View

Json = dict[str, Any]
#: Words: a language of questions.
WORDS = "words"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A program out of a text, what to call of it, and what a page is told of how it was made.

    `finish` is told what came of the run, and tells what that means.
    """

    program: Any
    invoke: str | None = None
    about: Json = field(default_factory=dict)
    finish: Callable[[Result], Json] = lambda result: {}
    name: str = "program"

    def functions(self) -> list[Json]:
        """The functions that can be invoked; none where the program is all that runs."""
        own = isinstance(self.program, Program) and self.invoke is None
        return functions(self.program) if own else []


@dataclass(frozen=True, slots=True)
class Setting:
    """How a program is run: what it is given, what its memory is made to begin with, limits."""

    invoke: str | None = None
    args: Sequence[str] = ()
    stdin: bytes = b""
    edits: Mapping[int, int] = field(default_factory=dict)
    temperature: float = 0.0
    engine: str = ""  # the recorder's first where there is none
    max_steps: int = 1_000_000
    pulse: Pulse = quiet
    started: Callable[[Any], None] | None = None


@dataclass(frozen=True, slots=True)
class Recorder:
    """A machine: its engines, its languages, what a run of it takes, and how one is recorded."""

    machine: str
    doc: str
    engines: tuple[str, ...]
    languages: Mapping[str, str]
    takes: tuple[str, ...]
    prepare: Callable[..., Prepared]
    record: Callable[[Prepared, Setting], Debugger]
    needs: str = ""  # a library that it cannot do without

    def as_json(self) -> Json:
        """For a page."""
        return {
            "name": self.machine, "doc": self.doc, "engines": self.engines,
            "languages": dict(self.languages), "takes": self.takes, "missing": self.missing(),
        }  # fmt: skip

    def missing(self) -> str:
        """What to install before it can be used; empty where all is there."""
        if self.needs and importlib.util.find_spec(self.needs) is None:
            return f"{self.needs} is not installed; pip install 'transputer[{self.needs}]'"
        return ""


def recorder(machine: str) -> Recorder:
    """The recorder of a machine.

    `UsageError` for an unknown one, `EngineUnavailable` where what it needs is not installed.
    """
    for one in RECORDERS:
        if one.machine == machine:
            if problem := one.missing():
                raise EngineUnavailable(f"{machine}: {problem}")
            return one
    known = ", ".join(one.machine for one in RECORDERS)
    raise UsageError(f"no machine {machine!r}; there is: {known}")


def view_of(debugger: Debugger) -> View:
    """A debugger as a page sees it."""
    match debugger:
        case TraceDebugger():
            return TraceView(debugger)
        case LoomDebugger():
            return LoomView(debugger)
        case SoftDebugger():
            return SoftView(debugger)
    raise UsageError(f"there is no view of {type(debugger).__name__}")


def _prepare_trace(
    text: str, language: str, *, keep_variables: bool = False, **options: Any
) -> Prepared:
    if language == WORDS:
        return _prepare_words(text)
    opt = "-O0" if keep_variables and language == "c" else None
    return Prepared(compile_text(text, language, opt=opt, **options))


def _prepare_words(question: str) -> Prepared:
    """A question's plan and program; `UsageError` says why there is none."""
    planned = plan_question(question.strip())
    if planned.compiled is None:
        raise UsageError(f"no plan: {planned.reason}")

    def finish(result: Result) -> Json:
        found = answered(planned, result)
        return {"answer": found.answer, "reason": found.reason}

    about = {
        "plan": planned.line,
        "planner": planned.planner,
        "confidence": planned.confidence,
        "numbers": [number.text for number in planned.numbers],
        "wat": planned.compiled.wat,
    }
    return Prepared(planned.program, ENTRY, about, finish)


def _record_trace(made: Prepared, how: Setting) -> Debugger:
    program = edited(made.program, how.edits) if how.edits else made.program
    return debug(
        program, made.invoke or how.invoke, () if made.invoke else how.args, stdin=how.stdin,
        engine=how.engine or DEBUG_ENGINES[0], max_steps=how.max_steps, pulse=how.pulse,
        started=how.started,
    )  # fmt: skip


def _prepare_loom(text: str, language: str, **options: Any) -> Prepared:
    name = f"program.{language}"
    return Prepared(compile_loom_text(text, name), name=name)


def _record_loom(made: Prepared, how: Setting) -> Debugger:
    program = edited_loom(made.program, how.edits) if how.edits else made.program
    return debug_loom(
        program, name=made.name, engine=how.engine or LOOM_DEBUG_ENGINES[0],
        max_steps=how.max_steps, pulse=how.pulse, started=how.started,
    )  # fmt: skip


def _prepare_soft(text: str, language: str, **options: Any) -> Prepared:
    return Prepared(assemble_soft_text(text))


def _record_soft(made: Prepared, how: Setting) -> Debugger:
    return debug_soft(
        made.program, how.args, inputs=soft_inputs(how.stdin), memory=dict(how.edits),
        temperature=how.temperature, max_steps=how.max_steps, pulse=how.pulse,
        started=how.started,
    )  # fmt: skip


#: Machines that `debug` and the studio can look into.
RECORDERS = (
    Recorder(
        "trace", "a decoder that appends one token per instruction", DEBUG_ENGINES,
        {**LANGUAGES, WORDS: "Words"}, ("invoke", "args", "stdin"), _prepare_trace, _record_trace,
    ),
    Recorder(
        "loom", "a looped transformer: one application to a matrix of columns per instruction",
        LOOM_DEBUG_ENGINES, {"c": "Small C", "loomasm": "Loom assembly"}, (), _prepare_loom,
        _record_loom,
    ),
    Recorder(
        "soft", "a machine whose every choice is a distribution; not a transformer", ("jax",),
        {"soft": "Soft assembly"}, ("args", "stdin", "temperature"), _prepare_soft, _record_soft,
        "jax",
    ),
)  # fmt: skip
