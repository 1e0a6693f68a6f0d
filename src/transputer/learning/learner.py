"""One way to learn a task: a portfolio of searches, then a shorter program, then a proof."""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, field, replace
from typing import Any

from transputer.errors import UsageError
from transputer.ir.soft import Code, text
from transputer.isa.integers import signed
from transputer.learning.certificate import Certificate, certify
from transputer.learning.distinguish import Question, question
from transputer.learning.portfolio import MEMBERS, Budget, Workbench, search
from transputer.learning.problem import for_width, sketch
from transputer.learning.refutation import Refutation
from transputer.learning.search import Clock, SearchResult, anneal, guess, nothing_shorter, shortest
from transputer.learning.shorten import shorten
from transputer.learning.sources import read_task
from transputer.learning.tasks import Task
from transputer.values import dataclass

#: Ways to find a program: the whole portfolio, one of its members, or a baseline.
METHODS = ("auto", *MEMBERS, "random", "bfs", "hybrid")
_BASELINES = ("random", "bfs", "hybrid")


@dataclass(frozen=True, slots=True)
class Help:
    """All that a search was told besides the specification."""

    operations: tuple[str, ...]
    constants: tuple[int, ...]
    sketch: tuple[str, ...] = ()
    skeleton: str = ""
    inputs: str = "signed"

    def lines(self) -> list[str]:
        """What a reader is told."""
        parts = [f"operations: {' '.join(self.operations)}"]
        parts.append(f"constants: {', '.join(map(str, self.constants))}")
        if self.sketch:
            parts.append(f"sketch: {'; '.join(self.sketch)}")
        if self.skeleton:
            parts.append(f"skeleton: {self.skeleton}")
        return [*parts, f"inputs: {self.inputs}"]


@dataclass(frozen=True, slots=True)
class Learned:
    """What learning a task came to; `minimal` is None where nobody looked."""

    task: str
    solved: bool
    code: Code
    minimal: bool | None
    method: str
    evaluations: int
    seconds: float
    detail: str
    proof: Certificate | None
    cpu_seconds: float = 0.0
    help: Help | None = None
    members: dict[str, dict[str, Any]] = field(default_factory=dict)
    question: Question | None = None
    minimality: str = ""
    given: tuple[bool, ...] = ()
    arity: int = 0
    results: int = 1
    width: int = 32

    @property
    def program(self) -> list[str]:
        """The program, one instruction each."""
        return text(self.code).split("\n") if self.code else []

    def as_json(self) -> dict[str, Any]:
        """The form that `learn --json` prints."""
        return {
            "task": self.task,
            "solved": self.solved,
            "program": self.program,
            "length": len(self.code),
            "minimal": self.minimal,
            "minimality": self.minimality,
            "width": self.width,
            "method": self.method,
            "evaluations": self.evaluations,
            "seconds": round(self.seconds, 3),
            "cpu_seconds": round(self.cpu_seconds, 3),
            "detail": self.detail,
            "help": None if self.help is None else asdict(self.help),
            "given_lines": [k for k, fixed in enumerate(self.given) if fixed],
            "members": self.members,
            "question": None if self.question is None else asdict(self.question),
            "proof": None if self.proof is None else asdict(self.proof),
        }


def learn(
    source: Any, method: str = "auto", seed: int = 0, seconds: float = 300.0,
    progress: Callable[[str], None] = lambda _: None, *, cpu_seconds: float | None = None,
    members: Sequence[str] | None = None, prove: bool = True, minimal: bool = True, **options: Any,
) -> Learned:  # fmt: skip
    """Learn a task from its specification or from examples; shorten and prove the program.

    `source` is the name of a task, a file, a function or examples; `options` are those of
    `custom.from_function`.
    """
    if method not in METHODS:
        raise UsageError(f"no method {method}; there are {', '.join(METHODS)}")
    began, cpu = time.monotonic(), time.process_time()
    task = read_task(source, **options)
    progress(f"{task.name}: {method}")
    if method in _BASELINES:
        width = min(8, task.target) if task.narrows else task.target
        result = _baseline(task, method, seed, seconds, width)
        return finish(task, result, method, width, progress)
    selected = tuple(members or (MEMBERS if method == "auto" else (method,)))
    budget = Budget(seconds, cpu_seconds or float("inf"))
    work = search(task, selected, seed, budget, progress, prove)
    spent = (
        time.process_time()
        - cpu
        + sum(
            share.cpu_seconds for name, share in work.shares.items() if name in ("cvc5", "gradient")
        )
    )
    learned = _learned(task, work, time.monotonic() - began, spent)
    if not learned.solved or not minimal:
        return learned
    return _examined(task, learned, work)


def _learned(task: Task, work: Workbench, seconds: float, cpu: float) -> Learned:
    finding = work.finding
    members = {
        name: {"evaluations": share.evaluations, "cpu_seconds": round(share.cpu_seconds, 2)}
        for name, share in work.shares.items()
    }
    evaluations = sum(share.evaluations for share in work.shares.values())
    skeleton = ""
    if finding is not None and finding.detail.startswith("skeleton: "):
        skeleton = finding.detail.removeprefix("skeleton: ")
    common = {
        "cpu_seconds": cpu, "help": help_of(task, skeleton), "members": members,
        "arity": task.arity, "results": task.results, "width": task.target,
    }  # fmt: skip
    if finding is None:
        reason = work.reasons[-1] if work.reasons else f"nothing right in {seconds:.0f} s"
        return Learned(task.name, False, (), None, "+".join(members), evaluations, seconds, reason,
                       None, **common)  # type: ignore[arg-type]  # fmt: skip
    return Learned(
        task.name, True, finding.code, None, finding.method, evaluations, seconds, finding.detail,
        finding.certificate, given=_given(task, finding.code), **common,  # type: ignore[arg-type]
    )  # fmt: skip


def help_of(task: Task, skeleton: str = "") -> Help:
    """All that a search of a task is told."""
    numbers = tuple(signed(32, n) for n in task.numbers)
    numbers += tuple(signed(task.target, n) for n in task.large)
    kind = "signed" if task.is_signed else "unsigned"
    return Help(task.ops, numbers, tuple(task.sketch.split("\n")) if task.sketch else (), skeleton,
                f"{kind} words of {task.target} bits")  # fmt: skip


def _given(task: Task, code: Code) -> tuple[bool, ...]:
    """Which lines of a program were given by a sketch."""
    lines = sketch(task, task.target)
    return tuple(line is not None for line in lines) if len(lines) == len(code) else ()


def _examined(task: Task, learned: Learned, work: Workbench) -> Learned:
    """The same with what is known about shorter programs, and a question where examples leave
    one."""
    if not task.certain:
        return replace(learned, question=question(task, learned.code, work))
    known, sentence = nothing_shorter(task, learned.code, work.inputs)
    return replace(learned, minimal=known, minimality=sentence)


def finish(
    task: Task, result: SearchResult, method: str, width: int = 8,
    progress: Callable[[str], None] = lambda _: None,
) -> Learned:  # fmt: skip
    """Shorten and prove what a baseline came to, if it has a program."""
    name = task.name
    if result.code is None:
        return Learned(name, False, (), None, method, result.evaluations, result.seconds,
                       result.detail, None, help=help_of(task))  # fmt: skip
    progress(f"{name}: shortening")
    code = shorten(task, for_width(task, result.code, width, task.target), task.target)
    progress(f"{name}: proving")
    proof = certify(task, code, task.target)
    if isinstance(proof, Refutation):
        return Learned(name, False, code, None, method, result.evaluations, result.seconds,
                       f"{result.detail}; {proof}", None, help=help_of(task))  # fmt: skip
    known, sentence = nothing_shorter(task, code, ())
    return Learned(
        name, True, code, known, method, result.evaluations, result.seconds, result.detail, proof,
        help=help_of(task), minimality=sentence, given=_given(task, code), arity=task.arity,
        results=task.results, width=task.target,
    )  # fmt: skip


def _baseline(task: Task, method: str, seed: int, seconds: float, width: int) -> SearchResult:
    if method == "random":
        return guess(task, seed, seconds, width)
    if method == "bfs":
        return shortest(task, width)
    from transputer.learning.gradient import repair

    return repair(task, seed, seconds, width)


def optimise(
    task: Task, code: Code, seed: int = 0, seconds: float = 10.0, clock: Clock = time.monotonic
) -> list[Code]:
    """Ever shorter programs from a right one, each proved: the first is the one given.

    Removes what is not needed, then anneals from what is left with one place less, until
    `seconds` bring nothing new. Raises `UsageError` if the program given is wrong.
    """
    problem = certify(task, code, 32)
    if isinstance(problem, Refutation):
        raise UsageError(f"{task.name}: the program to optimise is {problem}")
    programs, shorter = [code], shorten(task, code)
    while isinstance(certify(task, shorter, 32), Certificate):
        if len(shorter) < len(programs[-1]):
            programs.append(shorter)
        room = len(programs[-1]) - 1
        if not room:
            break
        result = anneal(task, seed, seconds, length=room, start=shorter[:room], clock=clock)
        if result.code is None:
            break
        shorter = shorten(task, for_width(task, result.code, 8, 32))
    return programs
