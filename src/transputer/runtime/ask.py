"""Answer questions in words: find the numbers, plan, compile, run on the weights."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

from transputer.debugger.tokens import describe
from transputer.errors import StepLimitError, TransputerError, Trap, UsageError
from transputer.frontends.watlines import spots_of
from transputer.frontends.words import text
from transputer.frontends.words.compile import ENTRY, CompiledPlan, compile_plan
from transputer.frontends.words.doubt import doubt
from transputer.frontends.words.endpoint import Endpoint
from transputer.frontends.words.evaluate import Undefined, Value, evaluate
from transputer.frontends.words.installed import load_planner
from transputer.frontends.words.numbers import Number, NumberError, find, slotted
from transputer.frontends.words.plan import Plan, PlanError
from transputer.frontends.words.planner import Abstained, Planner, Proposal, TwoReadings
from transputer.frontends.words.rules import Rules
from transputer.frontends.words.sense import objection
from transputer.host.outcome import Pulse, quiet
from transputer.host.result import Result
from transputer.ir.values import decode_value
from transputer.machines.trace.vocabulary import Record
from transputer.oracle.independent import run_wasmtime
from transputer.runtime.trace.program import TraceProgram
from transputer.runtime.trace.run import run_program, run_session
from transputer.runtime.trace.sessions import MachineSession, new_session

#: Step limit of a question, some minutes on the native engine.
ASK_STEPS = 200_000_000
#: Most characters of a question.
LONGEST = 1 << 18
#: File name of a plan's program.
PLAN = "plan.wat"
#: The default planner after the rules.
DEFAULT = "embedded"


class Disagreement(TransputerError):
    """wasmtime and the weights give different results, which is a defect."""

    exit_code = 1


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question, or the reason why there is none.

    `answer` is text, `value` the exact number or boolean. Both are None if there is no answer, and
    `reason` says why. `doubt` is the objection to a plan that ran because of `doubtful=True`.
    `result` is the run of `program` on the weights.
    """

    question: str
    numbers: tuple[Number, ...] = ()
    answer: str | None = None
    value: Value | None = None
    plan: Plan | None = None
    abstained: bool = False
    reason: str | None = None
    doubt: str | None = None
    confidence: float | None = None
    planner: str = ""
    compiled: CompiledPlan | None = None
    result: Result | None = None

    @property
    def line(self) -> str | None:
        """The plan in one line, with the question's numbers."""
        values = [number.value for number in self.numbers]
        return None if self.plan is None else text.line(self.plan, values)

    @property
    def program(self) -> TraceProgram:
        """The plan's program with its source lines; raises `UsageError` if there is no plan."""
        if self.compiled is None:
            raise UsageError(f"there is no program: {self.reason}")
        spots = spots_of(self.compiled.wat, self.compiled.module.module)
        return replace(_program(self.compiled), spots=spots)

    def as_json(self) -> dict[str, Any]:
        """Return the object that `ask --json` prints: the answer, the plan and the run."""
        return {
            "question": self.question,
            "answer": _plain(self.value),
            "plan": self.line,
            "abstained": self.abstained,
            "reason": self.reason,
            "confidence": self.confidence,
            "planner": self.planner,
            "arithmetic": self.compiled.kind.value if self.compiled else None,
            "numbers": [text.number(number.value) for number in self.numbers],
            "tokens": list(self.plan.tokens) if self.plan else [],
            **(self.result or Result()).as_json(),
        }


def _plain(value: Value | None) -> Any:
    """Return a value as JSON: an integer, an exact decimal, or text (yes, no, a fraction)."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return value
    if value.denominator == 1:
        return int(value)
    digits = text.number(value)
    exact = "/" not in digits and Fraction(repr(float(digits))) == value
    return float(digits) if exact else digits


def value_text(value: Value) -> str:
    """Return the text of an answer."""
    if isinstance(value, Fraction):
        return text.number(value)
    return repr(value) if isinstance(value, float) else "yes" if value else "no"


def ask(
    question: str,
    *,
    planner: Planner | str | None = None,
    model: bool = True,
    rules: bool = True,
    engine: str = "auto",
    max_steps: int = ASK_STEPS,
    check: bool = False,
    threshold: float | None = None,
    doubtful: bool = False,
    pulse: Pulse = quiet,
) -> Answer:
    """Answer a question in words, or say why not.

    The rules come first, then `planner`: an object, the name of an installed planner, or by
    default the model that ships with the package. `model=False` uses the rules alone,
    `rules=False` the model alone. `check=True` also runs the program in wasmtime and raises
    `Disagreement` if the results differ. `threshold` replaces the planner's own. `doubtful=True`
    also runs a model's plan that is below the threshold or does not account for every part of the
    question; measurements use it.
    """
    planned = plan_question(
        question, planner=planner, model=model, rules=rules, threshold=threshold, doubtful=doubtful
    )
    if planned.compiled is None:
        return planned
    result = run_program(
        _program(planned.compiled), ENTRY, engine=engine, max_steps=max_steps, pulse=pulse,
        keep=False,
    )  # fmt: skip
    if check:
        _agree(planned.compiled, result)
    return with_result(planned, result)


def plan_question(
    question: str,
    *,
    planner: Planner | str | None = None,
    model: bool = True,
    rules: bool = True,
    threshold: float | None = None,
    doubtful: bool = False,
) -> Answer:
    """Plan a question and compile its program without running it; options as in `ask`."""
    planned = _plan(question, _planners(planner, model, rules), threshold, doubtful)
    if planned.plan is None:
        return planned
    try:
        compiled = compile_plan(planned.plan, [number.value for number in planned.numbers])
    except PlanError as problem:
        return replace(planned, abstained=True, reason=problem.message)
    return replace(planned, compiled=compiled)


def with_result(planned: Answer, result: Result) -> Answer:
    """Return a planned question with the result of its run: the answer, or the cause of a trap."""
    if result.trap is not None or planned.compiled is None:
        reason = _explain(result.trap, planned) if result.trap else planned.reason
        return replace(planned, result=result, reason=reason)
    value = planned.compiled.value(result.results)
    return replace(planned, result=result, value=value, answer=value_text(value))


def endpoint(model: str | None = None) -> Planner:
    """Return the planner behind OPENAI_BASE_URL; raise `UsageError` if a setting is missing."""
    return Endpoint.from_environment(model)


def first_steps(answer: Answer, limit: int = 12, engine: str = "auto") -> list[tuple[str, str]]:
    """Return the first steps of an answer's program: each instruction, and its token as text.

    The list is empty for an oracle, which has no tokens.
    """
    session = new_session(engine, max_steps=limit)
    if not isinstance(session, MachineSession):
        return []
    steps: list[tuple[str, str]] = []

    def watch(before: Record, now: Record) -> None:
        steps.append((str(session.trace.listing[before.pc]), describe(now)))

    session.trace.watch = watch
    with suppress(StepLimitError):  # the steps up to the limit are the answer
        run_session(answer.program, session, ENTRY)
    return steps


def template(question: str) -> str:
    """Return a question in lower case with its numbers masked, to compare problems."""
    return " ".join(slotted(question, _numbers(question)).lower().split())


@cache
def default_model() -> Planner:
    """Return the planner that `ask` uses after the rules; it is loaded once."""
    return load_planner(DEFAULT)


@dataclass(frozen=True, slots=True)
class _Choice:
    """The proposal to use, its planner, and the reason to refuse it, if any."""

    proposal: Proposal
    planner: str
    doubt: str | None


def _choose(
    question: str, planners: Sequence[Planner], threshold: float | None, doubtful: bool
) -> tuple[tuple[Number, ...], _Choice]:
    """Return the numbers of a question and the plan to use; raise `Abstained` if there is none."""
    if len(question) > LONGEST:
        raise Abstained(f"the question has {len(question):,} characters; at most {LONGEST:,}")
    try:
        numbers = find(question)
    except NumberError as problem:
        raise Abstained(problem.message) from None
    reasons = []
    for planner in planners:
        try:
            choice = _first_sensible(planner, question, numbers, threshold)
            if choice.doubt is None or doubtful:
                return numbers, choice
            reasons.append(choice.doubt)
        except TwoReadings:
            raise
        except Abstained as refusal:
            reasons.append(str(refusal))
    raise Abstained("; ".join(reasons))


def _program(compiled: CompiledPlan) -> TraceProgram:
    return TraceProgram(PLAN, module=compiled.module, binary=compiled.wasm)


def _planners(planner: Planner | str | None, model: bool, rules: bool) -> list[Planner]:
    planners: list[Planner] = [Rules()] if rules else []
    if model and planner is not None:
        planners.append(load_planner(planner) if isinstance(planner, str) else planner)
    elif model:
        planners.append(default_model())
    if not planners:
        raise UsageError("no planner: both the rules and the model are disabled")
    return planners


def _plan(
    question: str, planners: list[Planner], threshold: float | None, doubtful: bool
) -> Answer:
    try:
        numbers, choice = _choose(question, planners, threshold, doubtful)
    except Abstained as refusal:
        alone = [planner.name for planner in planners] == [Rules.name]
        reason = f"{refusal} (rules only, no model)" if alone else str(refusal)
        return Answer(question, _numbers(question), abstained=True, reason=reason)
    return Answer(
        question,
        numbers,
        plan=choice.proposal.plan,
        confidence=choice.proposal.confidence,
        planner=choice.planner,
        doubt=choice.doubt,
    )


def _numbers(question: str) -> tuple[Number, ...]:
    try:
        return find(question[:LONGEST])
    except NumberError:
        return ()


def _first_sensible(
    planner: Planner, question: str, numbers: tuple[Number, ...], threshold: float | None
) -> _Choice:
    """Return the first proposal that makes sense, with the reason to refuse it, if any."""
    objections = []
    for proposal in planner.propose(question, numbers):
        if planner.name == Rules.name:
            return _Choice(proposal, planner.name, None)
        problem = objection(proposal.plan, numbers)
        if problem is not None:
            objections.append(problem)
            continue
        sure = 1.0 if proposal.confidence is None else proposal.confidence
        least = planner.threshold if threshold is None else threshold
        if sure < least:
            problem = f"is not sure enough ({sure:.2f}, threshold {least:.2f})"
            return _Choice(proposal, planner.name, f"{planner.name} {problem}")
        problem = doubt(question, numbers, proposal.plan, sure)
        reason = None if problem is None else f"{planner.name}: {problem}"
        return _Choice(proposal, planner.name, reason)
    raise Abstained(f"{planner.name}: {objections[0] if objections else 'no plan'}")


_TRAPS = {
    Trap.INTEGER_OVERFLOW: "an intermediate result does not fit in 64 bits",
    Trap.DIVIDE_BY_ZERO: "the plan divides by zero",
}


def _explain(trap: Trap, answer: Answer) -> str:
    """Return the cause of a trap, as text."""
    if trap in _TRAPS:
        return f"{trap.value}: {_TRAPS[trap]}"
    why = "the plan is not defined for these numbers"
    if answer.plan is not None:
        try:
            evaluate(answer.plan, [number.value for number in answer.numbers])
        except Undefined as problem:
            why = str(problem)
    return f"{trap.value}: {why}"


def _agree(compiled: CompiledPlan, result: Result) -> None:
    """Raise `Disagreement` unless wasmtime gives the same result or the same trap."""
    call = run_wasmtime(compiled.wasm, [(ENTRY, ())], fuel=1 << 40).calls[0]
    types = compiled.module.module.func_types[-1].results
    theirs = [decode_value(bits, type_) for bits, type_ in zip(call.results, types, strict=False)]
    if call.trap is not result.trap or theirs != result.results:
        raise Disagreement(
            f"wasmtime gives {call.trap or theirs}, the weights {result.trap or result.results}"
        )


__all__ = [
    "ASK_STEPS",
    "Answer",
    "Planner",
    "ask",
    "default_model",
    "endpoint",
    "first_steps",
    "load_planner",
    "plan_question",
    "template",
    "with_result",
]
