"""The tasks and the discrete searches. Needs no JAX."""

import random

import numpy as np
import pytest

from tests.sampling import sampled
from tools.learning import report, sections
from transputer.ir.soft import parse
from transputer.isa.soft import SOFT
from transputer.learning.problem import (
    Bound,
    at_width,
    counterexample,
    draw,
    examples,
    inputs_to_check,
    machine,
    sketch,
)
from transputer.learning.search import anneal, guess, menu, shortest
from transputer.learning.tasks import TASKS, Given

#: The list of the task's names, copied from nowhere in the code.
NAMES = """add sub max min abs sign swap clamp average power_of_two blsr multiply sum_array
max_array count linear_search binary_search gcd fibonacci sort2 sort3 sort4 reverse""".split()

#: Right programs written by hand.
RIGHT = {
    "abs": "SRA R1, R0, -1\nXOR R0, R0, R1\nSUB R0, R0, R1",
    "max": "CMP R0, R1\nCMOV R0, R1",
    "swap": "XOR R0, R0, R1\nXOR R1, R0, R1\nXOR R0, R0, R1",
    "average": "AND R2, R0, R1\nXOR R0, R0, R1\nSRA R0, R0, 1\nADD R0, R0, R2",
    "sum_array": "LDP R2, R0\nADD R3, R3, R2\nDJNZ R1, 0\nMOV R0, R3",
    "gcd": "MAX R2, R0, R1\nMIN R1, R0, R1\nSUB R0, R2, R1\nCMP R0, R3\nJNE 0\nMOV R0, R1",
}
#: And almost right ones: the last is the seed's, without the overflow flag.
WRONG = {
    "abs": "SRA R1, R0, -1\nXOR R0, R0, R1",
    "sum_array": "LDP R2, R0\nADD R3, R3, R2\nDJNZ R1, 0",
    "max": "SUB R2, R0, R1\nCMP R2, R3\nCMOV R0, R1",
}


def test_the_list_is_whole() -> None:
    assert set(NAMES) == set(TASKS)


@pytest.mark.parametrize("name", NAMES)
def test_inputs_fit_and_have_answers(name: str) -> None:
    task = TASKS[name]
    for width in (8, 32):
        for given in [*task.edges(width), *draw(task, width, 50, seed=3)]:
            wanted = task.solve(width, given)
            assert len(given.registers) == task.arity
            assert all(0 <= word < 1 << width for word in (*given.registers, *wanted.registers))
            assert wanted.registers or wanted.memory


def test_answers_known_by_heart() -> None:
    solve = lambda name, *words: TASKS[name].solve(32, Given(words)).registers  # noqa: E731
    assert solve("max", 0x7FFFFFFF, 0xFFFFFFFF) == (0x7FFFFFFF,)
    assert solve("abs", 0x80000000) == (0x80000000,)
    assert solve("average", 0x7FFFFFFF, 0x7FFFFFFD) == (0x7FFFFFFE,)
    assert solve("fibonacci", 10) == (55,)
    assert solve("sort4", 3, 1, 0xFFFFFFFF, 2) == (0xFFFFFFFF, 1, 2, 3)
    assert solve("power_of_two", 0x80000000) == (1,)


@pytest.mark.parametrize("name", RIGHT)
def test_right_programs_pass(name: str) -> None:
    for width in (8, 32):
        assert counterexample(TASKS[name], parse(RIGHT[name]), width) is None


@pytest.mark.parametrize("name", WRONG)
def test_wrong_programs_do_not(name: str) -> None:
    assert counterexample(TASKS[name], parse(WRONG[name]), 8) is not None


def test_every_input_means_every_input() -> None:
    assert sum(1 for _ in inputs_to_check(TASKS["max"], 8)) == 65536


def test_the_largest_shift_stays_the_largest() -> None:
    (moved,) = at_width(parse("SRA R0, R0, 7"), 8, 32)
    assert str(moved) == "SRA R0, R0, -1"
    (kept,) = at_width(parse("SHL R0, R0, 9"), 8, 32)
    assert str(kept) == "SHL R0, R0, 1"


SAVED = {
    result["task"]: parse("\n".join(result["program"]))
    for result in report.results("solved")
    if result["solved"]
}


@pytest.mark.parametrize("name", SAVED)
def test_saved_programs_are_right_at_32_bits(name: str) -> None:
    assert counterexample(TASKS[name], SAVED[name], 32) is None


def test_summing_a_thousand_words() -> None:
    task = TASKS["sum_array"]
    config = machine(task, 32, 4, size=1000)
    words = tuple(random.Random(1).getrandbits(32) for _ in range(1000))
    rows = examples(task, config, [Given((0, 1000), words)])
    bound = Bound(task, config, rows, limit=10_000, elsewhere=False)
    assert bound.first_wrong(SAVED["sum_array"]) is None
    registers, _, ended = bound.results(SAVED["sum_array"])
    assert ended == 1 and registers[0, 0] == sum(words) % (1 << 32)


@pytest.mark.parametrize("name", ["max", "blsr"])
def test_annealing_finds(name: str) -> None:
    found = anneal(TASKS[name], seed=1, seconds=240)
    assert found.code is not None and found.evaluations > 0
    assert counterexample(TASKS[name], found.code, 8) is None
    given = sketch(TASKS[name], 8)
    assert all(i is None or i == j for i, j in zip(given, found.code, strict=False))


def test_guessing_finds_what_is_easy() -> None:
    found = guess(TASKS["sub"], seed=0, seconds=240)
    assert found.code is not None


@pytest.mark.parametrize(
    "name, length", sampled([("max", 2), ("add", 1), ("abs", 3), ("blsr", 2)], 4, rows=True)
)
def test_breadth_first_search_proves_length(name: str, length: int) -> None:
    found = shortest(TASKS[name], most=length)
    assert found.code is not None and len(found.code) == length
    assert shortest(TASKS[name], below=length).code is None


def test_the_menu_has_no_instruction_twice() -> None:
    instructions = menu(machine(TASKS["abs"], 8))
    assert len(set(instructions)) == len(instructions)
    assert {i.op for i in instructions} == set(TASKS["abs"].ops)


def test_jumps_of_the_table_are_known_to_the_search() -> None:
    bound = Bound(TASKS["gcd"], machine(TASKS["gcd"], 8), examples(
        TASKS["gcd"], machine(TASKS["gcd"], 8), draw(TASKS["gcd"], 8, 2, 0)))  # fmt: skip
    marks = np.ctypeslib.as_array((np.ctypeslib.ctypes.c_uint8 * len(SOFT)).from_address(
        bound.problem.jumps))  # fmt: skip
    assert [op.name for op in SOFT if marks[op.code]] == [
        "DJNZ", "JMP", "JEQ", "JNE", "JLT", "JGE", "CALL"
    ]  # fmt: skip


def test_the_page_is_fresh_and_says_what_must_be_shown() -> None:
    assert (report.DOCS / "learning.md").read_text(encoding="utf-8") == report.render()
    rates = {result["task"]: result["rate"] for result in report.results("shown")}
    assert rates["add"] >= 0.95 and rates["max"] >= 0.95 and rates["abs"] >= 0.45
    assert all(result["seconds"] < 120 for result in report.results("found"))
    solved = {r["task"] for r in report.results("solved") if r["solved"]}
    assert set(TASKS) - solved <= {"multiply"}  # the page says so


def test_tasks_of_others_are_learned() -> None:
    """The saved measurements: functions, the same as SyGuS and CSV files, and the benchmark."""
    unseen = report.results("unseen")
    learned = {(r["kind"], r["name"]) for r in unseen if r["solved"]}
    proved = {(r["kind"], r["name"]) for r in unseen if r["proof"] and r["proof"]["proved"]}
    functions = [name for kind, name in learned if kind == "function"]
    assert len(functions) >= 16
    ten = [
        n for n in functions if {("function", n), ("sygus", n)} <= proved and ("csv", n) in learned
    ]
    assert len(ten) >= 10 and not any(kind == "csv" for kind, _ in proved)
    hackers = sections.saved("hackers")
    for method in ("portfolio", "without cvc5"):
        first = [runs[0] for runs in hackers[method].values()]
        right = [r for r in first if r["proved"] and r["cpu_seconds"] <= 60]
        assert len(right) >= 20 and len(hackers[method]) == 25, method
    psb = sections.saved("psb")["without cvc5"]
    assert sum(any(run["proved"] for run in runs) for runs in psb.values()) >= 6
    mutants = report.results("mutants")
    assert not sum(r["mistakes"] for r in mutants)
    assert all(r["mutants"] == 200 for r in mutants) and len(mutants) > 10
    (add,) = report.results("warm")
    assert add["command"] == "transputer learn add" and max(add["others"]) < 4
