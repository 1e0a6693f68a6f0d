"""Answer questions in words: find the numbers, plan, compile, run on the weights."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

from transputer.debugger.tokens import describe
from transputer.errors import StepLimitError, TransputerError, Trap, UsageError
from transputer.frontends.watlines import spots_of
from transputer.frontends.words import text
from transputer.frontends.words.compile import CompiledPlan, compile_plan
from transputer.frontends.words.describe import in_words
from transputer.frontends.words.digits import digits
from transputer.frontends.words.doubt import doubt, short_story
from transputer.frontends.words.endpoint import Endpoint
from transputer.frontends.words.evaluate import Undefined, Value, evaluate
from transputer.frontends.words.installed import load_planner
from transputer.frontends.words.language import read_with_numbers
from transputer.frontends.words.numbers import Number, NumberError, check_read, find, slotted
from transputer.frontends.words.plan import Plan, PlanError
from transputer.frontends.words.planner import Abstained, Planner, Proposal, TwoReadings
from transputer.frontends.words.rules import Rules
from transputer.frontends.words.sense import objection
from transputer.frontends.words.weights import MissingWeights
from transputer.host.outcome import Pulse, quiet
from transputer.host.result import Result
from transputer.machines.trace.vocabulary import Record
from transputer.oracle.command import run_command
from transputer.runtime.trace.program import TraceProgram
from transputer.runtime.trace.run import run_program, run_session
from transputer.runtime.trace.sessions import MachineSession, new_session
from transputer.values import dataclass

#: Step limit of a question, some minutes on the native engine.
ASK_STEPS = 200_000_000
#: Most characters of a question.
LONGEST = 1 << 18
#: File name of a plan's program.
PLAN = "plan.wat"
#: The least confidence of a second plan that is worth showing.
CLOSE = 0.02
#: The default planner after the rules.
DEFAULT = "embedded"


class Disagreement(TransputerError):
    """wasmtime and the weights give different results, which is a defect."""

    exit_code = 1


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question, or the reason why there is none.

    `answer` is text, `value` the exact number, boolean or list. Both are None if there is no
    answer, and `reason` says why. `form` is `date`, `time` or the unit of the answer. `doubt` is
    the objection to a plan that ran because of `doubtful=True`. `second` is the planner's next plan
    in words and its confidence, if it comes close. `result` is the run of `program` on the weights.
    """

    question: str
    numbers: tuple[Number, ...] = ()
    answer: str | None = None
    value: Value | None = None
    form: str = ""
    plan: Plan | None = None
    abstained: bool = False
    reason: str | None = None
    doubt: str | None = None
    confidence: float | None = None
    planner: str = ""
    second: tuple[str, float] | None = None
    compiled: CompiledPlan | None = None
    result: Result | None = None

    @property
    def line(self) -> str | None:
        """The plan as text, with the question's numbers."""
        return None if self.plan is None else text.program(self.plan, self._values)

    @property
    def words(self) -> str | None:
        """The plan in words."""
        return None if self.plan is None else in_words(self.plan, self._values)

    @property
    def _values(self) -> list[Fraction]:
        return [number.value for number in self.numbers]

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
            "answer": self.answer,
            "value": None if self.value is None else _typed(self.value, self.form),
            "plan": self.line,
            "words": self.words,
            "abstained": self.abstained,
            "reason": self.reason,
            "confidence": self.confidence,
            "planner": self.planner,
            "second": self.second and {"words": self.second[0], "confidence": self.second[1]},
            "numbers": [text.number(number.value) for number in self.numbers],
            "tokens": list(self.plan.tokens) if self.plan else [],
            **(self.result or Result()).as_json(),
        }


def _typed(value: Value, form: str) -> dict[str, Any]:
    """Return a value as a typed JSON object; integers are strings of digits."""
    if form in ("date", "time"):
        return {"type": form, "value": value_text(value, form)}
    if isinstance(value, bool):
        return {"type": "boolean", "value": value}
    if isinstance(value, list):
        return {"type": "list", "members": [_typed(member, form) for member in value]}
    parts = {"numerator": digits(value.numerator), "denominator": digits(value.denominator)}
    return {"type": "number", **parts, "unit": form or None}


def value_text(value: Value, form: str = "") -> str:
    """Return the text of an answer."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Fraction):
        return text.number(value)
    if form == "date":
        return "{:04d}-{:02d}-{:02d}".format(*map(int, value))
    if form == "time":
        return "{:02d}:{:02d}".format(*map(int, value))
    return f"[{', '.join(map(text.number, value))}]"


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
    default the embedded model; `UsageError` if the model is needed and its weights, the
    distribution `transputer-words`, are not installed. `model=False` uses the rules alone,
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
        _program(planned.compiled), engine=engine, max_steps=max_steps, pulse=pulse, keep=False
    )
    if check:
        _agree(planned.compiled, result)
    return with_result(planned, result)


def calculate(
    source: str, *, engine: str = "auto", max_steps: int = ASK_STEPS, pulse: Pulse = quiet
) -> Answer:
    """Run an expression or a program of the plan language whose numbers stand in it.

    Raises `PlanError` if the text is not of the language.
    """
    plan, values = read_with_numbers(source)
    numbers = tuple(Number(value, 0, 0, text.number(value)) for value in values)
    compiled = compile_plan(plan, values)
    planned = Answer(source, numbers, plan=plan, planner="plan", confidence=1.0, compiled=compiled)
    result = run_program(
        _program(compiled), engine=engine, max_steps=max_steps, pulse=pulse, keep=False
    )
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
    value = planned.compiled.value(result.stdout.decode())
    return replace(planned, result=result, value=value, answer=value_text(value, planned.form))


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
        run_session(answer.program, session)
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
    """The proposal to use, the next one, the planner, and the reason to refuse it, if any."""

    proposal: Proposal
    planner: str
    doubt: str | None
    second: Proposal | None = None


def _choose(
    question: str, planners: Sequence[Planner], threshold: float | None, doubtful: bool
) -> tuple[tuple[Number, ...], _Choice]:
    """Return the numbers of a question and the plan to use; raise `Abstained` if there is none."""
    if len(question) > LONGEST:
        raise Abstained(f"the question has {len(question):,} characters; at most {LONGEST:,}")
    try:
        check_read(question)
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
    proposal, second = choice.proposal, choice.second
    numbers = numbers if proposal.numbers is None else proposal.numbers
    close = second is not None and second.confidence is not None and second.confidence >= CLOSE
    return Answer(
        question,
        numbers,
        form=proposal.form,
        plan=proposal.plan,
        confidence=proposal.confidence,
        planner=choice.planner,
        second=_described(second, numbers) if close and second is not None else None,
        doubt=choice.doubt,
    )


def _described(proposal: Proposal, numbers: Sequence[Number]) -> tuple[str, float]:
    words = in_words(proposal.plan, [number.value for number in numbers])
    return words, proposal.confidence or 0.0


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
    proposals = planner.propose(question, numbers)
    for proposal, second in zip(proposals, [*proposals, None][1:], strict=True):
        if planner.name == Rules.name:
            return _Choice(proposal, planner.name, None)
        problem = objection(proposal.plan, numbers)
        if problem is not None:
            objections.append(problem)
            continue
        sure = 1.0 if proposal.confidence is None else proposal.confidence
        least = threshold
        if least is None:
            least = planner.threshold
            if short_story(question, numbers, proposal.plan):
                least = getattr(planner, "story_threshold", least)
        if sure < least:
            problem = f"is not sure enough ({sure:.2f}, threshold {least:.2f})"
            return _Choice(proposal, planner.name, f"{planner.name} {problem}", second)
        problem = doubt(question, numbers, proposal.plan, sure)
        reason = None if problem is None else f"{planner.name}: {problem}"
        return _Choice(proposal, planner.name, reason, second)
    raise Abstained(f"{planner.name}: {objections[0] if objections else 'no plan'}")


_TRAPS = {
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
    theirs = run_command(compiled.wasm, fuel=1 << 40)
    if theirs.trap is not result.trap or theirs.stdout != result.stdout:
        raise Disagreement(
            f"wasmtime gives {theirs.trap or theirs.stdout!r}, "
            f"the weights {result.trap or result.stdout!r}"
        )


__all__ = [
    "ASK_STEPS",
    "Answer",
    "MissingWeights",
    "Planner",
    "ask",
    "calculate",
    "default_model",
    "endpoint",
    "first_steps",
    "load_planner",
    "plan_question",
    "template",
    "with_result",
]
