"""Several ways to find a program, in parallel under one budget.

Members are enumeration of terms, enumeration of loops, annealing, cvc5's SyGuS solver and gradient
descent. Each works in slices; a slice goes to the member that has had the least processor time for
its progress, so nobody is winner by the name of the task. Members share examples: a proposed
program that is wrong adds an input on which it is wrong, from a test or from the solver's proof.
"""

import ctypes
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import field, replace
from functools import cached_property
from typing import Any

import numpy as np

from transputer.errors import EngineUnavailable, Unsupported
from transputer.ir.soft import Code, Instruction, decode
from transputer.isa.integers import signed
from transputer.isa.soft import SOFT
from transputer.learning import outside
from transputer.learning.certificate import Certificate, certify
from transputer.learning.expressions import Expression, compile_terms, resolved
from transputer.learning.loops import Filler, Skeleton, skeletons
from transputer.learning.problem import (
    Bound,
    Examples,
    counterexample,
    draw,
    examples,
    machine,
    may_be_slow,
    sketch,
)
from transputer.learning.refutation import Refutation
from transputer.learning.shorten import shorten
from transputer.learning.specification import OutsideDomain
from transputer.learning.tasks import Given, Task, place_array
from transputer.learning.terms import MOST, TermBank, combinations
from transputer.values import dataclass

#: Members of the portfolio, in the order in which they start.
MEMBERS = ("enumeration", "loops", "annealing", "cvc5", "gradient")
#: Processor seconds of all members after which each starts: cheap and simple programs come first.
HEAD_START = {"enumeration": 0.0, "loops": 1.0, "annealing": 4.0, "cvc5": 4.0, "gradient": 20.0}
#: Examples at the start.
EXAMPLES = 32
#: Processor seconds for a program that can be proved, after one that could not.
AFTERWARDS = 20.0
#: Steps of one run while searching.
STEPS = 2500
#: Magnitude of small numbers, and steps of a run on them while searching.
SMALL, QUICK = 20, 400
#: Small examples that loops need, if they are to be judged by these alone.
_SMALL = 8
#: Changes of one annealed chain.
CHANGES = 50_000


@dataclass(frozen=True, slots=True)
class Budget:
    """Seconds on the clock, and optionally processor seconds of all members together."""

    seconds: float = 300.0
    cpu_seconds: float = float("inf")


@dataclass(frozen=True, slots=True)
class Finding:
    """A right program: who proposed it, what is known about it, and the help it had."""

    code: Code
    method: str
    detail: str
    certificate: Certificate
    other: str = ""


@dataclass
class Share:
    """What a member did."""

    evaluations: int = 0
    cpu_seconds: float = 0.0
    progress: float = 0.0
    over: bool = False


@dataclass
class Workbench:
    """What members share: examples, the result, and the signal to stop."""

    task: Task
    seed: int
    budget: Budget
    prove: bool = True
    began: float = field(default_factory=time.monotonic)
    stop: ctypes.c_int32 = field(default_factory=lambda: ctypes.c_int32(0))
    finding: Finding | None = None
    reasons: list[str] = field(default_factory=list)
    _lock: Any = field(default_factory=threading.RLock)
    _inputs: list[Given] = field(default_factory=list)
    _settled: float = 0.0
    shares: dict[str, Share] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.task.certain:
            self._inputs = list(self.task.edges(self.task.target))
            return
        edges = list(self.task.edges(self.task.target))
        some = edges[:: max(1, len(edges) // 8)][:8]
        drawn = draw(self.task, self.task.target, EXAMPLES, self.seed)
        self._inputs = list(dict.fromkeys([*drawn, *some]))[:EXAMPLES]
        self._inputs.sort(key=_difficulty)

    @property
    def inputs(self) -> list[Given]:
        """The examples so far."""
        with self._lock:
            return list(self._inputs)

    @property
    def spent(self) -> float:
        """Processor seconds of all members."""
        return sum(share.cpu_seconds for share in self.shares.values())

    @property
    def clocks(self) -> str:
        """What has been used of the budget."""
        elapsed, limit = time.monotonic() - self.began, self.budget
        processor = f"{self.spent:.0f}" + (
            f" of {limit.cpu_seconds:.0f}" if limit.cpu_seconds < float("inf") else ""
        )
        return f"{elapsed:.0f} of {limit.seconds:.0f} s, {processor} s of processor time"

    @property
    def over(self) -> bool:
        """Whether there is nothing more to do."""
        late = time.monotonic() - self.began > self.budget.seconds
        if late or self.spent > min(self.budget.cpu_seconds, self._settled or float("inf")):
            self.stop.value = 1
        return bool(self.stop.value)

    @cached_property
    def small(self) -> list[Given]:
        """Examples of small numbers, on which loops are over soon."""
        width = self.task.target
        drawn = draw(self.task, width, 16 * EXAMPLES, self.seed)
        few = [
            g
            for g in drawn
            if max(g.registers) <= SMALL
            or self.task.is_signed
            and all(abs(signed(width, w)) <= SMALL for w in g.registers)
        ]
        return list(dict.fromkeys(few))[:EXAMPLES]

    @cached_property
    def _provable(self) -> bool:
        """Whether a program can be proved at all: another one may be where the first was not."""
        if not self.prove or self.task.spec is None or not self.task.certain:
            return False
        try:
            from transputer.learning.proof import Solver

            solver = Solver(self.task.target)
            words = self.task.arity - (2 if self.task.size else 0)
            array = [solver.symbol("a")] if self.task.size else []
            self.task.spec.terms(solver, [solver.symbol(f"x{k}") for k in range(words)], array)
        except (EngineUnavailable, Unsupported):
            return False
        return True

    def propose(self, code: Code, method: str, detail: str) -> bool:
        """Check a program that is right on the examples; True if it is right, or time is up.

        If it is not, the input that shows it joins the examples. A program with an operation that
        the task does not allow is refused, lines of a sketch apart. A program that is right on the
        tests and not proved is kept, and the search goes on for a while: another one may be proved.
        """
        if self.over:
            return True
        foreign = {i.op for i in code} - {*self.task.ops, "HALT"}
        if foreign and not self.task.sketch:
            self.reasons.append(f"{method}: a program uses {', '.join(sorted(foreign))}")
            return False
        began = time.thread_time()
        wrong = counterexample(self.task, code, self.task.target)
        if wrong is not None:
            self._learn(wrong)
            return False
        refutation: Refutation | None = None
        for version in dict.fromkeys((shorten(self.task, code, self.task.target), code)):
            outcome = certify(self.task, version, self.task.target, self.prove)
            if isinstance(outcome, Refutation):
                refutation = outcome
                continue
            with self._lock:
                if self.finding is None or outcome.proved:
                    self.finding = Finding(version, method, detail, outcome)
                    spent = self.spent + time.thread_time() - began  # this slice is not in yet
                    self._settled = self._settled or spent + AFTERWARDS
            if outcome.proved or not self._provable:
                self.stop.value = 1
            return True
        assert refutation is not None
        self.reasons.append(str(refutation))
        given = self._input(refutation)
        if given is not None:
            self._learn(given)
        return self.over

    def _learn(self, given: Given) -> None:
        with self._lock:
            if given not in self._inputs:
                if len(self._inputs) >= MOST:
                    self._inputs.pop(len(self._inputs) // 2)
                self._inputs.append(given)

    def _input(self, refutation: Refutation) -> Given | None:
        """The input of a refutation, where it can be an example."""
        if not refutation.registers or refutation.width != self.task.target:
            return None
        given = Given(refutation.registers)
        if self.task.size:
            base = refutation.registers[0] % 4
            rest = refutation.registers[2:]
            given = place_array(refutation.array, rest, base, self.task.target, self.task.size)
        try:
            self.task.solve(self.task.target, given)
        except OutsideDomain:
            return None
        return given


def _difficulty(given: Given) -> tuple[bool, bool]:
    """Examples that tell programs apart, and are over soon, come first."""
    return not all(given.registers), max(given.registers) > 100


#: A member yields how far it is, from 0 to 1, after every slice of work.
Member = Callable[[Workbench, Share], Iterator[float]]


def enumerate_terms(work: Workbench, share: Share) -> Iterator[float]:
    """Terms without loops, and decision lists over few of them, with ever larger effort."""
    task = work.task
    if task.size or not task.results or task.arity > 6 or task.sketch:
        return
    for effort in (10**5, 10**6, 10**7, 10**8, 10**9, 10**10):
        for ops, numbers in _choices(task):
            for _ in range(12):
                before = work.inputs
                yield from _terms(work, share, ops, numbers, effort)
                if work.over or work.inputs == before:
                    break
        for ops, numbers in (_choices(task)[0], _choices(task)[-2:][0]):
            yield from _lists(work, share, ops, numbers, effort)


def _lists(
    work: Workbench, share: Share, ops: Sequence[str], numbers: Sequence[int], effort: int
) -> Iterator[float]:
    """Decision lists over few terms, each wrong one bringing an example more."""
    task = work.task
    for _ in range(10):
        rows = _rows(task, work.inputs)
        bank = TermBank(rows.registers[:, : task.arity], rows.wanted, task.target, ops, numbers,
                        work.stop, 60_000, large=task.large)  # fmt: skip
        goals: dict[int, list[Expression]] = {}
        tree = None
        while tree is None:
            grows = _grows(bank, min(effort, 10**6))
            if grows:
                bank.grow()
            elif len(bank.levels) > 1:
                break
            for goal in bank.reached():
                goals.setdefault(goal.result, []).append(goal.expression)
            tree = _decisions(bank, goals, len(bank.levels))
            yield 0.3
            if work.over:
                return
            if not grows:
                break
        share.evaluations += bank.evaluations
        if tree is None or _offered(work, tree, "enumeration", "conditions over terms"):
            return
        yield 0.5


def _grows(bank: TermBank, effort: int) -> bool:
    """Whether a bank has another level that costs no more than the effort."""
    return 0 < bank.level_cost() <= effort and bank.complete


def _choices(task: Task) -> list[tuple[tuple[str, ...], tuple[int, ...]]]:
    """Operations and constants: few first."""
    costly = ("MUL", "SHLV", "SHRV", "SRAV")
    simple = tuple(op for op in task.ops if op not in costly)
    few = task.numbers if task.given_numbers else tuple(
        n for n in task.numbers if n in (0, 1, 0xFFFFFFFF, task.target - 1, *_harvest(task))
    )  # fmt: skip
    choices = [(simple, few), (task.ops, few), (simple, task.numbers), (task.ops, task.numbers)]
    return list(dict.fromkeys(choices))


def _harvest(task: Task) -> tuple[int, ...]:
    return task.numbers[: task.harvested]


def _terms(
    work: Workbench, share: Share, ops: Sequence[str], numbers: Sequence[int], effort: int
) -> Iterator[float]:
    task = work.task
    rows = _rows(task, work.inputs)
    capacity = min(max(effort // 2, 20_000), 3_000_000)
    bank = TermBank(rows.registers[:, : task.arity], rows.wanted, task.target, ops, numbers,
                    work.stop, capacity, large=task.large)  # fmt: skip
    goals: dict[int, list[Expression]] = {}
    counted = 0

    def spent() -> None:
        nonlocal counted
        share.evaluations += bank.evaluations - counted
        counted = bank.evaluations

    def settle(reached: Sequence[Any]) -> bool:
        for goal in reached:
            known = goals.setdefault(goal.result, [])
            if goal.expression not in known:
                known.append(goal.expression)
        return bool(reached)

    settle(bank.reached())
    wrong = 0
    while True:
        for choice in combinations(goals, bank.results, 16):
            if _offered(work, choice, "enumeration", f"{len(bank.levels) - 1} levels of terms"):
                return
            wrong += 1
        if wrong or work.over:
            return
        spent()
        yield 0.1 * len(bank.levels)
        if not _grows(bank, effort):
            break
        bank.grow()
        settle(bank.reached())
    yield from _seek(work, share, bank, goals, effort, spent)


def _decisions(
    bank: TermBank, goals: dict[int, list[Expression]], level: int
) -> tuple[Expression, ...] | None:
    """Decision lists for the results that have no term yet."""
    choice: list[Expression] = []
    for result in range(bank.results):
        if goals.get(result):
            choice.append(goals[result][0])
            continue
        tree = bank.decide(result, 20_000, 120 if level < 3 else 500)
        if tree is None:
            return None
        choice.append(tree)
    return tuple(choice)


def _seek(
    work: Workbench, share: Share, bank: TermBank, goals: dict[int, list[Expression]],
    effort: int, spent: Callable[[], None],
) -> Iterator[float]:  # fmt: skip
    """Terms one or two operations above the levels that were stored."""
    levels, budget = bank.levels, effort * 4
    for cost in range(len(levels), 2 * len(levels)):
        for left in range(len(levels) - 1, -1, -1):
            right = cost - 1 - left
            if not 0 <= right < len(levels):
                continue
            pairs = (levels[left][1] - levels[left][0]) * (levels[right][1] - levels[right][0])
            budget -= pairs * 8
            if budget < 0 or work.over:
                return
            for result in range(bank.results):
                if goals.get(result):
                    continue
                goals_here = bank.seek(result, levels[left], levels[right])
                if goals_here:
                    goals[result] = [goal.expression for goal in goals_here]
            spent()
            wrong = False
            for choice in combinations(goals, bank.results, 64):
                if _offered(work, choice, "enumeration", f"{cost} levels of terms"):
                    return
                wrong = True
            yield 0.6
            if wrong:
                return


def _offered(work: Workbench, choice: Sequence[Expression], method: str, detail: str) -> bool:
    try:
        code = compile_terms(choice, work.task.arity, 16, width=work.task.target)
    except Unsupported:
        return False
    return work.propose(resolved(code), method, detail)


def _rows(task: Task, inputs: Sequence[Given]) -> Examples:
    config = replace(machine(task, task.target, 64), registers=16)
    return examples(task, config, inputs)


def enumerate_loops(work: Workbench, share: Share) -> Iterator[float]:
    """Skeletons of loops with ever larger blocks."""
    task = work.task
    if task.sketch:
        return
    evaluations = ctypes.c_uint64(0)
    for effort in (1, 2, 3, 4):
        for skeleton in skeletons(task, effort):
            yield from _filled(skeleton, work, share, evaluations)
            if work.over:
                return


def _filled(
    skeleton: Skeleton, work: Workbench, share: Share, evaluations: ctypes.c_uint64
) -> Iterator[float]:
    """The programs of a skeleton until one is right, begun again when examples were added."""
    for _ in range(40):
        known, wrong = len(work.inputs), False
        bound, must, quick = _loop_bound(work)
        for programs in Filler(skeleton, bound, work.stop, must, quick).tried(evaluations):
            for code in programs[:8]:
                if work.propose(code, "loops", f"skeleton: {skeleton.name}"):
                    share.evaluations = evaluations.value
                    return
            share.evaluations = evaluations.value
            yield 0.2
            wrong = bool(programs) and len(work.inputs) > known
            if wrong or work.over:
                break
        if not wrong or work.over:
            return


def _loop_bound(work: Workbench) -> tuple[Bound, int, int]:
    """The examples for loops, on how many of them a program must end, and in how many steps.

    Where a program may be slow, that is the small ones: a loop may count down from an input.
    """
    task, inputs = work.task, work.inputs
    must, limit = len(inputs), min(STEPS, task.limit(task.target, task.size))
    quick = limit
    if may_be_slow(task) and len(work.small) >= _SMALL:
        inputs = list(dict.fromkeys((*work.small, *inputs)))[:MOST]
        must, quick = len(work.small), min(limit, QUICK)
    config = replace(machine(task, task.target, 64), registers=16)
    rows = examples(task, config, inputs)
    return Bound(task, config, rows, limit=limit), must, quick


def anneal_programs(work: Workbench, share: Share) -> Iterator[float]:
    """Annealed random changes of whole programs, of every length in turn."""
    task = work.task
    given = sketch(task, task.target)
    state = np.random.default_rng(work.seed).integers(1, 1 << 63, 2, dtype=np.uint64)
    counted, turn = ctypes.c_uint64(0), 0
    lengths = [len(given)] if given else sorted({4, 6, 8, 12, task.length})
    while not work.over:
        length = lengths[turn % len(lengths)]
        config = machine(task, task.target, length)
        rows = examples(task, config, work.inputs[:MOST])
        limit = min(400, task.limit(task.target, task.size))
        bound = Bound(task, config, rows, given, limit)
        code = bound.rows_of([i or Instruction("HALT") for i in given])
        bound.library.soft_draw(bound.at, code.ctypes.data, state.ctypes.data)
        reached = bound.library.soft_anneal(
            bound.at, code.ctypes.data, state.ctypes.data, CHANGES, 0.05, 1.0, ctypes.byref(counted)
        )
        share.evaluations, turn = counted.value, turn + 1
        if reached:
            work.propose(decode(code.tolist(), 32), "annealing", f"{turn} chains")
        cost = bound.library.soft_cost(bound.at, code.ctypes.data, 0xFFFFFFFF)
        yield max(0.0, 1.0 - cost / (9.0 * len(rows)))


def _outside(name: str) -> Member:
    """A member that runs in a process of its own."""

    def member(work: Workbench, share: Share) -> Iterator[float]:
        process = outside.start(name, work.task, work.inputs, work.seed)
        if process is None:
            return
        try:
            while not work.over:
                answer = process.slice(work.stop)
                share.cpu_seconds = process.cpu_seconds
                if answer is None:
                    yield 0.2
                    continue
                share.evaluations += answer.evaluations
                for code in answer.programs:
                    if work.propose(code, name, answer.detail):
                        break
                if answer.over or work.finding is not None:
                    return
                process.restart(work.inputs)
                yield 0.2
        finally:
            process.close()

    return member


_RUN: dict[str, Member] = {
    "enumeration": enumerate_terms,
    "loops": enumerate_loops,
    "annealing": anneal_programs,
    "cvc5": _outside("cvc5"),
    "gradient": _outside("gradient"),
}


def search(
    task: Task, members: Sequence[str] = MEMBERS, seed: int = 0, budget: Budget | None = None,
    progress: Callable[[str], None] = lambda _: None, prove: bool = True,
) -> Workbench:  # fmt: skip
    """Run members until one has a right program or the budget is spent."""
    work = Workbench(task, seed, budget or Budget(), prove)
    work.shares = {name: Share() for name in members}
    waiting = {name: _RUN[name](work, work.shares[name]) for name in members}
    busy: set[str] = set()
    lock, problems = threading.Lock(), list[BaseException]()

    def next_member() -> str | None:
        with lock:
            spent = sum(share.cpu_seconds for share in work.shares.values())
            first = next(iter(waiting), None)
            free = [n for n in members if n in waiting and n not in busy
                    and (n == first or spent >= HEAD_START[n])]  # fmt: skip
            if not free:
                return None
            winner = min(free, key=lambda n: work.shares[n].cpu_seconds
                         / (1 + work.shares[n].progress))  # fmt: skip
            busy.add(winner)
            return winner

    def serve() -> None:
        while not work.over:
            name = next_member()
            if name is None:
                with lock:
                    if not waiting:
                        return
                time.sleep(0.02)
                continue
            share, began = work.shares[name], time.thread_time()
            try:
                share.progress = next(waiting[name])
            except StopIteration:
                share.over = True
            except (EngineUnavailable, Unsupported) as problem:
                share.over = True
                work.reasons.append(f"{name}: {problem}")
            except BaseException as problem:
                share.over = True
                problems.append(problem)
                work.stop.value = 1
            share.cpu_seconds += time.thread_time() - began
            with lock:
                busy.discard(name)
                if share.over:
                    waiting.pop(name, None)
            progress(f"{task.name}: {name}, {share.evaluations:,} evaluations; {work.clocks}")

    count = max(1, min(len(members), os.cpu_count() or 1))
    threads = [threading.Thread(target=serve, daemon=True) for _ in range(count)]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            while thread.is_alive():
                thread.join(0.2)
                if work.over:
                    thread.join(5)
                    break
    except BaseException:
        work.stop.value = 1
        raise
    for member in waiting.values():
        with suppress(ValueError):  # still running: its thread closes it
            member.close()  # type: ignore[attr-defined]
    if problems:
        raise problems[0]
    return work


def uses_loops(code: Code) -> bool:
    """Whether a program jumps back."""
    return any("pc" in SOFT[i.op].imm and i.n <= k for k, i in enumerate(code))
