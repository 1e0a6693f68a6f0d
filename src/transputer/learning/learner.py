"""One way to learn a task: a method, then a shorter program, then a proof."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from transputer.errors import UsageError
from transputer.ir.soft import Code, Instruction, text
from transputer.isa.soft import SOFT
from transputer.learning.problem import counterexample, for_width, sketch
from transputer.learning.proof import Certificate, Refutation, certify
from transputer.learning.search import SearchResult, anneal, guess, shortest
from transputer.learning.tasks import Task, find_task

#: Ways to find a program. `auto` is gradient descent for short straight-line tasks, else annealing.
METHODS = ("auto", "gradient", "mcmc", "random", "bfs", "hybrid")
#: Tasks that gradient descent learns in a wave or two of restarts.
_EASY = ("add", "sub", "max", "min", "abs", "swap")


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

    @property
    def program(self) -> list[str]:
        """The program at 32 bits, one instruction each."""
        return text(self.code).split("\n") if self.code else []

    def as_json(self) -> dict[str, Any]:
        """The form that `learn --json` prints."""
        return {
            "task": self.task,
            "solved": self.solved,
            "program": self.program,
            "length": len(self.code),
            "minimal": self.minimal,
            "method": self.method,
            "evaluations": self.evaluations,
            "seconds": round(self.seconds, 3),
            "detail": self.detail,
            "proof": None if self.proof is None else asdict(self.proof),
        }


def learn(
    name: str, method: str = "auto", seed: int = 0, seconds: float = 300.0, width: int = 8,
    progress: Callable[[str], None] = lambda _: None,
) -> Learned:  # fmt: skip
    """Learn a task at a width, from examples; then shorten and prove what was learned."""
    task = find_task(name)
    if method not in METHODS:
        raise UsageError(f"no method {method}; there are {', '.join(METHODS)}")
    if method == "auto":
        method = "gradient" if name in _EASY else "mcmc"
    progress(f"{name}: {method}")
    return finish(task, _find(task, method, seed, seconds, width), method, width, progress)


def finish(
    task: Task, result: SearchResult, method: str, width: int = 8,
    progress: Callable[[str], None] = lambda _: None,
) -> Learned:  # fmt: skip
    """Shorten and prove what a method found, if it found anything."""
    name = task.name
    if result.code is None:
        return Learned(name, False, (), None, method, result.evaluations, result.seconds,
                       result.detail, None)  # fmt: skip
    progress(f"{name}: shortening")
    code = shorten(task, for_width(task, result.code, width, 32), bool(sketch(task, width)))
    progress(f"{name}: proving")
    proof = certify(task, code, 32)
    if isinstance(proof, Refutation):
        return Learned(name, False, code, None, method, result.evaluations, result.seconds,
                       f"{result.detail}; {proof}", None)  # fmt: skip
    minimal = _minimal(task, code, method)
    return Learned(name, True, code, minimal, method, result.evaluations, result.seconds,
                   result.detail, proof)  # fmt: skip


def _find(task: Task, method: str, seed: int, seconds: float, width: int) -> SearchResult:
    if method == "mcmc":
        return anneal(task, seed, seconds, width=width)
    if method == "random":
        return guess(task, seed, seconds, width)
    if method == "bfs":
        return shortest(task, width)
    from transputer.learning.gradient import descend, repair

    if method == "hybrid":
        return repair(task, seed, seconds, width)
    return descend(task, seed, seconds, width)


def shorten(task: Task, code: Code, whole: bool = False) -> Code:
    """The program without instructions that it does not need, re-checked after each is removed.

    A sketch is kept `whole`.
    """
    at = 0
    while not whole and at < len(code):
        less = without(code, at)
        forms = ((for_width(task, less, 32, width), width) for width in (8, 32))
        if less and all(counterexample(task, form, width) is None for form, width in forms):
            code, at = less, 0
        else:
            at += 1
    return code


def optimise(task: Task, code: Code, seed: int = 0, seconds: float = 10.0) -> list[Code]:
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
        result = anneal(task, seed, seconds, length=room, start=shorter[:room]) if room else None
        if result is None or result.code is None:
            break
        shorter = shorten(task, for_width(task, result.code, 8, 32))
    return programs


def without(code: Sequence[Instruction], at: int) -> Code:
    """The program with one instruction removed, jumps over it drawn in."""
    rest = [i for k, i in enumerate(code) if k != at]
    return tuple(
        replace(i, n=i.n - 1) if "pc" in SOFT[i.op].imm and at < i.n <= len(code) else i
        for i in rest
    )


def _minimal(task: Task, code: Code, method: str) -> bool | None:
    """Whether no shorter program exists, where breadth-first search can tell."""
    if method == "bfs" or len(code) == 1:
        return True
    if task.loops or task.sketch or len(code) > 4 or task.registers > 4:
        return None
    result = shortest(task, below=len(code))
    if result.code is not None:
        return False
    return True if result.detail == f"none of length {len(code) - 1}" else None
