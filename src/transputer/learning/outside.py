"""Members of the portfolio in processes of their own: cvc5's SyGuS solver and gradient descent.

A job goes to the process as a pickle, answers come back as pickles. A process is stopped between
its slices, so that it takes no more than its share of the processor.
"""

import ctypes
import os
import pickle
import queue
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import field, replace
from importlib.util import find_spec
from typing import Any

from transputer.errors import EngineUnavailable, Unsupported
from transputer.ir.soft import Code, Instruction, word_of
from transputer.learning.expressions import (
    AppliedTerm,
    ConditionalTerm,
    ConstantTerm,
    Expression,
    InputTerm,
    compile_terms,
    resolved,
)
from transputer.learning.problem import at_width, examples, machine, sketch
from transputer.learning.specification import OutsideDomain
from transputer.learning.sygus_text import literal, read_sexps
from transputer.learning.tasks import Given, Task
from transputer.values import dataclass

#: Seconds of one slice.
SLICE = 2.0
#: Restarts and the width of words of gradient descent, and the examples it sees.
RESTARTS, TRAINED, SEEN = 6, 8, 24


@dataclass(frozen=True, slots=True)
class MemberAnswer:
    """Programs from a process; `over` if it has nothing more to say."""

    programs: tuple[Code, ...] = ()
    evaluations: int = 0
    detail: str = ""
    over: bool = False


@dataclass(frozen=True, slots=True)
class SygusJob:
    """A SyGuS problem as text, and how its solution is compiled."""

    text: str
    arity: int
    width: int


@dataclass(frozen=True, slots=True)
class GradientJob:
    """Examples, and the settings that differ from the standard ones."""

    rows: Any
    arity: int
    size: int
    width: int
    target: int
    ops: tuple[str, ...]
    given: tuple[Instruction | None, ...]
    steps: int
    seed: int
    settings: dict[str, Any] = field(default_factory=dict)


class Process:
    """A job in another process."""

    def __init__(self, make: Any, inputs: Sequence[Given]) -> None:
        self._make, self.cpu_seconds = make, 0.0
        self._begin(inputs)

    def _begin(self, inputs: Sequence[Given]) -> None:
        job = self._make(inputs)
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        environment["PYTHONPATH"] = os.pathsep.join(
            filter(None, (root, environment.get("PYTHONPATH")))
        )
        self._process = subprocess.Popen(
            [sys.executable, "-m", "transputer.learning.outside"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=environment,
        )  # fmt: skip
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            pickle.dump(job, self._process.stdin)
            self._process.stdin.close()
        self._answers: queue.Queue[MemberAnswer] = queue.Queue()
        self._spent = self.cpu_seconds
        threading.Thread(target=self._listen, args=(self._process,), daemon=True).start()

    def _listen(self, process: Any) -> None:
        while True:
            try:
                answer = pickle.load(process.stdout)
            except (EOFError, pickle.UnpicklingError, ValueError, OSError):
                self._answers.put(MemberAnswer(over=True))
                return
            self._answers.put(answer)

    def slice(self, stop: ctypes.c_int32) -> MemberAnswer | None:
        """Let the process run for a slice; its answer, if there is one."""
        self._send("SIGCONT")
        until = time.monotonic() + SLICE
        answer = None
        while answer is None and time.monotonic() < until and not stop.value:
            with suppress(queue.Empty):
                answer = self._answers.get(timeout=0.05)
        self.cpu_seconds = self._spent + _cpu_seconds(self._process.pid, SLICE)
        if answer is None:
            self._send("SIGSTOP")
        return answer

    def _send(self, name: str) -> None:
        if hasattr(signal, name) and self._process.poll() is None:
            with suppress(ProcessLookupError):
                self._process.send_signal(getattr(signal, name))

    def restart(self, inputs: Sequence[Given]) -> None:
        """Begin again, with more examples, if the process has ended."""
        if self._process.poll() is not None:
            self._begin(inputs)

    def close(self) -> None:
        """End the process."""
        self._send("SIGCONT")
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()


def _cpu_seconds(pid: int, otherwise: float) -> float:
    """Processor time of a running process, where the system tells."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / float(os.sysconf("SC_CLK_TCK"))
    except (OSError, IndexError, ValueError):
        return otherwise


def start(name: str, task: Task, inputs: Sequence[Given], seed: int) -> Process | None:
    """A process for a member, or None where it has nothing to do with a task.

    Raises `EngineUnavailable` if what it needs is not installed.
    """
    if name == "cvc5":
        if task.size or task.results != 1 or task.sketch:
            return None
        if find_spec("cvc5") is None:
            raise EngineUnavailable("cvc5 is not installed; pip install 'transputer[jax]'")
        return Process(lambda more: sygus_job(task, more), inputs)
    if find_spec("jax") is None:
        raise EngineUnavailable("JAX is not installed; pip install 'transputer[jax]'")
    job = gradient_job(task, seed)
    return None if job is None else Process(lambda more: job, inputs)


_OPERATORS = {
    "ADD": "(bvadd S S)", "SUB": "(bvsub S S)", "AND": "(bvand S S)", "OR": "(bvor S S)",
    "XOR": "(bvxor S S)", "MUL": "(bvmul S S)", "SHL": "(bvshl S C)", "SHR": "(bvlshr S C)",
    "SRA": "(bvashr S C)",
}  # fmt: skip


def sygus_job(task: Task, inputs: Sequence[Given]) -> SygusJob:
    """A task as a SyGuS problem with the machine's operations as the grammar."""
    width = task.target
    sort = f"(_ BitVec {width})"
    names = [f"x{k}" for k in range(task.arity)]
    few = task.numbers if task.given_numbers else (*task.numbers[: task.harvested], 0, 1, -1)
    words = (*(word_of(n, width) for n in few), *task.large)
    constants = " ".join(f"(_ bv{n} {width})" for n in dict.fromkeys(words))
    shifts = " ".join(
        f"(_ bv{n} {width})" for n in dict.fromkeys((1, 2, 4, 8, 16, width - 1)) if n < width
    )
    body = " ".join(text for op, text in _OPERATORS.items() if op in task.ops)
    grammar = (
        f"((S {sort}) (C {sort}) (B Bool)) "
        f"((S {sort} ({' '.join(names)} {constants} {body} (ite B S S))) "
        f"(C {sort} ({shifts})) (B Bool ((= S S) (bvslt S S) (bvult S S))))"
    )
    arguments = " ".join(f"({name} {sort})" for name in names)
    lines = ["(set-logic BV)", f"(synth-fun f ({arguments}) {sort} {grammar})"]
    lines += _constraints(task, inputs, names, sort)
    return SygusJob("\n".join((*lines, "(check-synth)")), task.arity, width)


def _constraints(
    task: Task, inputs: Sequence[Given], names: Sequence[str], sort: str
) -> Iterator[str]:
    from transputer.learning.proof import Solver

    try:
        if task.spec is None:
            raise Unsupported("no specification")
        solver = Solver(task.target)
        words = [solver.symbol(name) for name in names]
        wanted = task.spec.terms(solver, words, [])
    except Unsupported:
        for given in inputs:
            words = [f"(_ bv{word} {task.target})" for word in given.registers]
            (answer,) = task.solve(task.target, given).registers
            yield f"(constraint (= (f {' '.join(words)}) (_ bv{answer} {task.target})))"
        return
    yield from (f"(declare-var {name} {sort})" for name in names)
    same = f"(= (f {' '.join(names)}) {wanted.registers[0]})"
    yield f"(constraint (=> {wanted.domain} {same}))"


def gradient_job(task: Task, seed: int) -> GradientJob | None:
    """Examples for gradient descent; None where the task cannot be trained."""
    from transputer.learning.gradient_settings import horizon, standard

    width = TRAINED if task.narrows else task.target
    rng, inputs = random.Random(f"{task.name} {seed}"), []
    try:
        for _ in range(SEEN):
            inputs.append(task.draw(rng, width) if task.certain else rng.choice(task.edges(width)))
        settings = standard(task)
        base = machine(task, width, settings["length"])
        config = replace(base, registers=max(settings["registers"], task.arity + 1))
        rows = examples(task, config, inputs)
    except (OutsideDomain, Unsupported):
        return None
    return GradientJob(
        rows, task.arity, task.size, width, task.target, task.ops, sketch(task, width),
        horizon(task, settings["length"]), seed, settings,
    )  # fmt: skip


def _solve_sygus(job: SygusJob) -> Iterator[MemberAnswer]:
    import cvc5
    from cvc5 import InputParser, SymbolManager

    terms = cvc5.TermManager()
    solver = cvc5.Solver(terms)
    solver.setOption("sygus", "true")
    solver.setOption("sygus-enum", "fast")
    symbols = SymbolManager(terms)
    parser = InputParser(solver, symbols)
    parser.setStringInput(cvc5.InputLanguage.SYGUS_2_1, job.text, "task.sl")
    reply = ""
    while not (command := parser.nextCommand()).isNull():
        reply = str(command.invoke(solver, symbols))
    solutions = read_sexps(reply, "the solver's answer")
    if not solutions or not isinstance(solutions[0], list):
        yield MemberAnswer(detail=reply.strip(), over=True)
        return
    _, _, parameters, _, body = solutions[0][0]
    scope: dict[str, Expression] = {name: InputTerm(k) for k, (name, _) in enumerate(parameters)}
    code = compile_terms([_expression(body, scope)], job.arity, 16, width=job.width)
    yield MemberAnswer((resolved(code),), 1, "cvc5's SyGuS solver")


_KINDS = {
    "bvadd": "ADD", "bvsub": "SUB", "bvand": "AND", "bvor": "OR", "bvxor": "XOR", "bvmul": "MUL",
    "bvshl": "SHL", "bvlshr": "SHR", "bvashr": "SRA",
}  # fmt: skip
_COMPARISONS = {"=": "equal", "bvslt": "less", "bvult": "below"}


def _expression(sexp: Any, scope: dict[str, Expression]) -> Expression:
    """A solution of the solver as an expression."""
    number = literal(sexp)
    if number is not None:
        return ConstantTerm(number[0])
    if isinstance(sexp, str):
        return scope[sexp]
    head, *parts = sexp
    if head == "let":
        inner = {name: _expression(term, scope) for name, term in parts[0]}
        return _expression(parts[1], {**scope, **inner})
    if head == "ite":
        yes, no = (_expression(part, scope) for part in parts[1:])
        return _condition(parts[0], yes, no, scope)
    words = [_expression(part, scope) for part in parts]
    if head == "bvneg":
        return AppliedTerm("SUB", ConstantTerm(0), words[0])
    if head == "bvnot":
        return AppliedTerm("XOR", words[0], ConstantTerm(-1))
    if head not in _KINDS:
        raise Unsupported(f"the solver's solution has {head}")
    whole = words[0]
    for word in words[1:]:
        whole = AppliedTerm(_KINDS[head], whole, word)
    return whole


def _condition(
    sexp: Any, yes: Expression, no: Expression, scope: dict[str, Expression]
) -> Expression:
    head, *parts = sexp if isinstance(sexp, list) else [sexp]
    if head in ("true", "false"):
        return yes if head == "true" else no
    if head == "not":
        return _condition(parts[0], no, yes, scope)
    if head == "and":
        for part in reversed(parts):
            yes = _condition(part, yes, no, scope)
        return yes
    if head == "or":
        for part in reversed(parts):
            no = _condition(part, yes, no, scope)
        return no
    if head not in _COMPARISONS:
        raise Unsupported(f"the solver's solution has {head}")
    left, right = (_expression(part, scope) for part in parts)
    return ConditionalTerm(_COMPARISONS[head], left, right, yes, no)


def _descend(job: GradientJob) -> Iterator[MemberAnswer]:
    """Wave after wave of restarts."""
    from transputer.learning.gradient import waves

    for programs, evaluations, wave in waves(job, RESTARTS):
        moved = tuple(at_width(code, job.width, job.target) for code in programs)
        yield MemberAnswer(moved, evaluations, f"wave {wave} of {RESTARTS} restarts")


def end_with_parent() -> None:
    """End when the process that waits for the answer is gone, on Linux.

    A stopped process would otherwise stay for good.
    """
    if sys.platform == "linux":
        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, int(signal.SIGKILL), 0, 0, 0)


def main() -> None:
    """Serve one job from standard input."""
    end_with_parent()
    job = pickle.load(sys.stdin.buffer)
    source = _solve_sygus(job) if isinstance(job, SygusJob) else _descend(job)
    for answer in source:
        pickle.dump(answer, sys.stdout.buffer)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    from transputer.learning import outside

    outside.main()
