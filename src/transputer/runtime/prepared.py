"""Programs from a page's text: compiled without access to the user's files, ready to record."""

from collections.abc import Callable
from dataclasses import field
from typing import Any

from transputer.errors import UsageError
from transputer.host.result import Result
from transputer.registry import Program, machine
from transputer.registry.machine import source_of
from transputer.runtime.ask import plan_question, with_result
from transputer.runtime.trace.program import TraceProgram
from transputer.runtime.trace.text import compile_confined, functions
from transputer.values import dataclass

Json = dict[str, Any]
#: The language of questions in words.
WORDS = "words"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A compiled text, the function to invoke, and facts about the compilation for the page.

    `finish` returns further facts from the result of the run.
    """

    program: Program
    invoke: str | None = None
    about: Json = field(default_factory=dict)
    finish: Callable[[Result], Json] = lambda result: {}

    def functions(self) -> list[Json]:
        """Return the functions that can be invoked; none if the whole program runs."""
        own = isinstance(self.program, TraceProgram) and self.invoke is None
        return functions(self.program) if own else []  # type: ignore[arg-type]


def prepare(name: str, text: str, language: str, **unused: Any) -> Prepared:
    """Compile a text for a machine whose compiler reads no files."""
    unit = source_of(f"program.{language}", contents=text)
    return Prepared(machine(name).compile(unit))


def prepare_trace(
    name: str, text: str, language: str, *, keep_variables: bool = False, **options: Any
) -> Prepared:
    """Compile a text or a question for the trace machine; the options are the compiler's."""
    if language == WORDS:
        return _prepare_words(text)
    opt = "-O0" if keep_variables and language == "c" else None
    return Prepared(compile_confined(text, language, opt=opt, **options))


def _prepare_words(question: str) -> Prepared:
    """Return a question's plan as a program; raise `UsageError` if there is no plan."""
    planned = plan_question(question.strip())
    if planned.compiled is None:
        raise UsageError(f"no plan: {planned.reason}")

    def finish(result: Result) -> Json:
        answer = with_result(planned, result)
        return {"answer": answer.answer, "reason": answer.reason}

    about = {
        "plan": planned.line,
        "planner": planned.planner,
        "confidence": planned.confidence,
        "numbers": [number.text for number in planned.numbers],
        "wat": planned.compiled.wat,
    }
    return Prepared(planned.program, about=about, finish=finish)
