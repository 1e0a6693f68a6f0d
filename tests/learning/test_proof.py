"""Proofs about arrays assume nothing about the rest of memory. Needs cvc5."""

import json
from itertools import product
from pathlib import Path

import pytest

pytest.importorskip("cvc5", reason="cvc5 is not installed; pip install 'transputer[jax]'")

from transputer.errors import Unsupported  # noqa: E402
from transputer.ir.soft import Instruction, parse  # noqa: E402
from transputer.isa.op import Op  # noqa: E402
from transputer.isa.soft import FLAGS, SOFT, Shape, meaning, operands, shape  # noqa: E402
from transputer.learning import proof  # noqa: E402
from transputer.learning.certificate import Certificate, certify  # noqa: E402
from transputer.learning.custom import from_function  # noqa: E402
from transputer.learning.problem import (
    BOUND,  # noqa: E402
    counterexample,  # noqa: E402
)
from transputer.learning.proof import refute  # noqa: E402
from transputer.learning.refutation import Refutation  # noqa: E402
from transputer.learning.tasks import TASKS, Given  # noqa: E402

SAVED = json.loads(
    (Path(__file__).parents[2] / "docs" / "learning" / "solved.json").read_text(encoding="utf-8")
)
ARRAYS = {
    r["task"]: parse("\n".join(r["program"]))
    for r in SAVED
    if r["solved"] and TASKS[r["task"]].size
}
#: Each solves its task where address 15 holds 0 and may change, and nowhere else.
SCRATCH = {
    "sum_array starts from address 15": (
        "sum_array", "LD R3, R4, 15\nLDP R2, R0\nADD R3, R3, R2\nDJNZ R1, 1\nMOV R0, R3",
        "having read address 15 outside the array"),
    "linear_search starts from address 15": (
        "linear_search", "LD R4, R5, 15\nLDP R3, R0\nCMP R3, R2\nJEQ 6\nADDI R4, R4, 1\n"
        "DJNZ R1, 1\nMOV R0, R4", "having read address 15 outside the array"),
    "sum_array writes a copy": (
        "sum_array", "LDP R2, R0\nADD R3, R3, R2\nST R4, 15, R3\nDJNZ R1, 0\nMOV R0, R3",
        "stores to address 15, outside the array"),
    "max_array has a variable in memory": (
        "max_array", "LD R3, R0, 0\nST R4, 15, R3\nLDP R2, R0\nLD R3, R4, 15\nMAX R3, R3, R2\n"
        "ST R4, 15, R3\nDJNZ R1, 2\nMOV R0, R3", "stores to address 15, outside the array"),
    "count writes its key": (
        "count", "ST R5, 15, R2\nLDP R3, R0\nCMP R3, R2\nJNE 5\nADDI R4, R4, 1\nDJNZ R1, 1\n"
        "MOV R0, R4", "stores to address 15, outside the array"),
    "reverse writes beyond the array": (
        "reverse", "ADD R2, R0, R1\nST R2, 4, R1\nADDI R2, R2, -1\nLD R4, R2, 0\nLD R1, R0, 0\n"
        "ST R2, 0, R1\nSTP R0, R4\nCMP R0, R2\nJLT 2", ", outside the array"),
    "sum_array leaves prefix sums": (
        "sum_array", "LD R2, R0, 0\nADD R3, R3, R2\nSTP R0, R3\nDJNZ R1, 0\nMOV R0, R3",
        "the word at address"),
}  # fmt: skip


@pytest.mark.parametrize("planted", SCRATCH)
def test_memory_outside_the_array_is_not_the_programs(planted: str) -> None:
    name, source, reason = SCRATCH[planted]
    task, code = TASKS[name], parse(source)
    for width in (8, 32):
        assert counterexample(task, code, width) is not None
        refutation = refute(task, code, width, count=3)
        assert refutation is not None and reason in refutation.reason
    assert isinstance(certify(task, code, 32), Refutation)


@pytest.mark.parametrize("planted", SCRATCH)
def test_the_planted_programs_are_right_with_memory_of_their_own(planted: str) -> None:
    """Only memory is wrong with them: with address 15 zero they give the right registers."""
    name, source, _ = SCRATCH[planted]
    task, code = TASKS[name], parse(source)
    for given in task.edges(32):
        memory = list(given.memory[:15]) + [0]
        results = run(code, list(given.registers), memory)
        wanted = task.solve(32, given)
        assert results[: len(wanted.registers)] == list(wanted.registers)
        assert all(memory[address] == word for address, word in wanted.memory)


def run(code: object, registers: list[int], memory: list[int]) -> list[int]:
    """Registers at the end of a run on the interpreter; `memory` is changed in place."""
    from transputer.ir.image import Image
    from transputer.oracle.soft import Soft

    soft = Soft(Image(tuple(code), tuple(memory), 16))
    soft.registers[: len(registers)] = registers
    soft.run(1000)
    memory[:] = soft.memory
    return soft.registers


@pytest.mark.parametrize("name", [name for name in ARRAYS if name != "binary_search"])
def test_learned_array_programs_are_proved(name: str) -> None:
    certificate = certify(TASKS[name], ARRAYS[name], 32)
    assert isinstance(certificate, Certificate) and certificate.proved
    assert "whatever the rest of memory holds" in certificate.facts[-1]


def test_a_load_outside_that_does_not_matter_is_allowed() -> None:
    """One word is loaded beyond the array and never used."""
    ahead = parse(
        "LD R2, R0, 0\nADD R3, R3, R2\nADDI R0, R0, 1\nLD R2, R0, 0\nDJNZ R1, 0\nMOV R0, R3"
    )
    for count in range(1, BOUND + 1):
        assert refute(TASKS["sum_array"], ahead, 8, count) is None


def test_a_refutation_is_an_input_that_fails() -> None:
    refutation = refute(TASKS["sum_array"], parse("LDP R0, R0"), 8, count=2)
    assert refutation is not None
    base = refutation.registers[0]
    memory = (0,) * base + refutation.array
    wanted = TASKS["sum_array"].solve(8, Given(refutation.registers, memory))
    assert refutation.array[0] != wanted.registers[0]
    assert str(refutation).startswith(f"wrong at 8 bits for R0 = {base}, R1 = 2 and the array [")


def test_programs_on_registers_have_no_memory() -> None:
    stores = parse("ST R3, 0, R1\nADD R0, R0, R1")
    refutation = refute(TASKS["add"], stores, 32)
    assert refutation is not None
    assert refutation.reason == "stores to address 0; the task has no array"
    assert refute(TASKS["add"], parse("LD R2, R3, 0\nADD R0, R0, R1"), 32) is None
    assert refute(TASKS["add"], parse("LD R2, R3, 0\nADD R0, R0, R1\nADD R0, R0, R2"), 32)


#: Rows that no proof can follow: places in registers, bytes, ports.
WITHOUT_TERMS = ["CALL", "RET", "LDB", "STB", "IN", "OUT"]


def test_rows_without_a_symbolic_meaning_are_known_and_refused() -> None:
    rows = [name for name in proof.steps.missing() if shape(name) is Shape.OTHER]
    assert rows == WITHOUT_TERMS
    for name in rows:
        with pytest.raises(Unsupported, match=f"^{name} has no symbolic meaning"):
            refute(TASKS["add"], (Instruction(name),), 8)


@pytest.mark.parametrize("op", [op for op in SOFT if op.fn], ids=lambda op: op.name)
def test_terms_are_the_rows_functions(op: Op) -> None:
    solver, words = proof.Solver(8), (0, 1, 2, 7, 9, 0x7F, 0x80, 0xFF)
    ranges = [range(1 << len(FLAGS)) if t == "flags" else words for t in operands(op.name)]

    def term(take: str, word: int) -> object:
        bits = [bool(word >> k & 1) for k in range(len(FLAGS))]
        return tuple(map(solver.terms.mkBoolean, bits)) if take == "flags" else solver.word(word)

    for each in product(*ranges):
        terms = [term(t, w) for t, w in zip(operands(op.name), each, strict=True)]
        result, wanted = meaning(op.name)(solver, *terms), op.pure(8, *each)
        if shape(op.name) is Shape.FLAGS:
            assert [int(bit.getBooleanValue()) << k for k, bit in enumerate(result)] == [
                wanted & 1 << k for k in range(len(FLAGS))
            ]
        elif shape(op.name) is Shape.BRANCH:
            assert result.getBooleanValue() == bool(wanted)
        else:
            assert int(result.getBitVectorValue(10)) == wanted


def _ones(x: int) -> int:
    return bin(x).count("1")


_COUNT = "SET R3, {}\nCMP R0, R15\nJGE 4\nADDI R1, R1, 1\nSHL R0, R0, 1\nDJNZ R3, 1\nMOV R0, R1"


def test_a_branch_in_every_round_is_merged() -> None:
    """2^16 paths: each round adds 1 or not."""
    task = from_function(_ones, width=16)
    assert refute(task, parse(_COUNT.format(16)), 16) is None
    wrong = refute(task, parse(_COUNT.format(15)), 16)
    assert wrong is not None and wrong.registers[0] & 1


def _factorial(n: int) -> int:
    assert 0 <= n <= 6
    product = 1
    for k in range(2, n + 1):
        product *= k
    return product


def test_a_function_may_count_to_an_unknown_number() -> None:
    task = from_function(_factorial)
    code = "SET R1, 1\nCMP R0, R15\nJEQ 6\nMUL R1, R1, R0\nADDI R0, R0, -1\nJMP 1\nMOV R0, R1"
    assert refute(task, parse(code), 32) is None
    wrong = refute(task, parse(code.replace("SET R1, 1", "SET R1, 2")), 32)
    assert wrong is not None and 0 <= wrong.registers[0] <= 6
