"""Enumeration of terms and loops, their compilation, and the members in other processes."""

import ctypes
import os
import random
import signal
import subprocess
import sys

import numpy as np
import pytest

from transputer.ir.image import Image
from transputer.ir.soft import parse
from transputer.isa.integers import mask, signed
from transputer.isa.soft import SOFT
from transputer.learning import outside
from transputer.learning.certificate import Certificate, certify
from transputer.learning.custom import from_function
from transputer.learning.expressions import (
    AppliedTerm,
    ConditionalTerm,
    ConstantTerm,
    Expression,
    InputTerm,
    compile_terms,
    resolved,
)
from transputer.learning.learner import learn
from transputer.learning.loops import Filler, Skeleton
from transputer.learning.portfolio import (
    HEAD_START,
    MEMBERS,
    Budget,
    Workbench,
    _loop_bound,
    search,
)
from transputer.learning.problem import at_width, draw
from transputer.learning.search import nothing_shorter
from transputer.learning.tasks import TASKS
from transputer.learning.terms import PAIRS, SINGLES, TermBank
from transputer.oracle.soft import Soft


def value(node: Expression, inputs: list[int]) -> int:
    """An expression by the table's functions."""
    if isinstance(node, InputTerm):
        return inputs[node.register]
    if isinstance(node, ConstantTerm):
        return node.value & mask(32)
    if isinstance(node, AppliedTerm):
        return SOFT[node.op].pure(32, value(node.left, inputs), value(node.right, inputs))
    left, right = value(node.left, inputs), value(node.right, inputs)
    holds = {
        "equal": left == right,
        "less": signed(32, left) < signed(32, right),
        "below": left < right,
    }[node.condition]
    return value(node.yes if holds else node.no, inputs)


def drawn(rng: random.Random, depth: int) -> Expression:
    """A random expression over three inputs."""
    if not depth or rng.random() < 0.2:
        return rng.choice(
            (
                InputTerm(0),
                InputTerm(1),
                InputTerm(2),
                ConstantTerm(0),
                ConstantTerm(rng.getrandbits(32)),
            )
        )
    kind = rng.random()
    if kind < 0.2:
        condition = rng.choice(("equal", "less", "below"))
        return ConditionalTerm(condition, *(drawn(rng, depth - 1) for _ in range(4)))
    if kind < 0.4:
        return AppliedTerm(
            rng.choice(SINGLES), drawn(rng, depth - 1), ConstantTerm(rng.randrange(32))
        )
    return AppliedTerm(rng.choice(PAIRS), drawn(rng, depth - 1), drawn(rng, depth - 1))


def test_compiled_expressions_do_what_the_table_says() -> None:
    rng = random.Random(5)
    for _ in range(300):
        roots = [drawn(rng, 3) for _ in range(rng.choice((1, 1, 2)))]
        code = resolved(compile_terms(roots, 3, 16))
        inputs = [rng.choice((0, 1, rng.getrandbits(32))) for _ in range(3)]
        machine = Soft(Image(code))
        machine.registers[:3] = inputs
        machine.run(1000)
        assert machine.registers[: len(roots)] == [value(root, inputs) for root in roots], roots


def test_terms_are_the_values_of_their_expressions() -> None:
    rng = np.random.default_rng(1)
    inputs = rng.integers(0, 1 << 32, (20, 2), np.uint64).astype(np.uint32)
    ops = (*PAIRS, *SINGLES, "SET")
    bank = TermBank(inputs, inputs[:, :1], 32, ops, (1, 0xFFFFFFFF, 31))
    while bank.count < 4000:
        assert bank.grow()
    assert len({bank.values(k).tobytes() for k in range(bank.count)}) == bank.count
    for k in range(0, bank.count, 37):
        words = [value(bank.expression(k), row.tolist()) for row in inputs]
        assert bank.values(k).tolist() == words


def test_a_decision_list_splits_the_examples() -> None:
    rng = np.random.default_rng(2)
    inputs = rng.integers(0, 9, (40, 2), np.uint64).astype(np.uint32)
    wanted = np.where(inputs[:, :1] == inputs[:, 1:], 7, inputs[:, :1]).astype(np.uint32)
    bank = TermBank(inputs, wanted, 32, ("ADD", "SET", "MOV", "CMP", "JNE"), (7,))
    bank.grow()
    tree = bank.decide(0, 1000, 100)
    assert isinstance(tree, ConditionalTerm) and tree.condition == "equal"
    assert all(
        value(tree, row.tolist()) == want for row, (want,) in zip(inputs, wanted, strict=True)
    )


def test_decision_lists_need_the_operations_of_their_conditions() -> None:
    def greater(a: int, b: int) -> int:
        return a if a > b else b

    without = learn(greater, seconds=60, cpu_seconds=0.5, members=("enumeration",), ops=("MOV",))
    assert not without.solved
    allowed = ("MOV", "CMP", "CMOV")
    learned = learn(greater, seconds=60, members=("enumeration",), ops=allowed, prove=False)
    assert learned.solved and {i.op for i in learned.code} <= set(allowed)


def test_a_program_with_an_operation_that_is_not_allowed_is_refused() -> None:
    work = Workbench(from_function(lambda a, b: a + b, ops=("SUB",)), 0, Budget())
    assert not work.propose(parse("ADD R0, R0, R1"), "annealing", "")
    assert work.finding is None and work.reasons == ["annealing: a program uses ADD"]


def test_a_search_stops_within_its_budget_and_says_what_it_did() -> None:
    def hard(x: int, y: int) -> int:
        return (x * 0x9E3779B1 ^ y) * 0x85EBCA6B ^ (x >> 13)

    task = from_function(hard, inputs="unsigned", numbers=[1])
    work = search(task, ("annealing",), budget=Budget(4.0))
    assert work.finding is None and work.shares["annealing"].evaluations > 0
    assert set(HEAD_START) == set(MEMBERS)


def test_the_result_names_its_method_and_all_help() -> None:
    learned = learn("count", seconds=240)
    said = learned.as_json()
    assert said["method"] == "loops" and said["help"]["skeleton"].startswith("a fold")
    assert said["help"]["operations"] == TASKS["count"].ops
    assert said["members"]["loops"]["evaluations"] > 0
    assert said["help"]["sketch"] == ()


def test_lines_of_a_sketch_are_marked() -> None:
    learned = learn(
        "sum_array", "annealing", seconds=240, sketch="LDP R2, R0\n?\nDJNZ R1, 0\n?"
    )  # fmt: skip
    assert learned.solved and learned.as_json()["given_lines"] == [0, 2]
    assert learned.program[0] == "LDP R2, R0" and learned.help.sketch[1] == "?"


def test_minimal_means_that_nothing_shorter_exists() -> None:
    from transputer.ir.soft import parse

    known, sentence = nothing_shorter(TASKS["max"], parse("CMP R0, R1\nCMOV R0, R1"), ())
    assert known is True and sentence.startswith("no shorter straight-line program over MOV SET")
    padded = parse("MOV R2, R1\nADD R0, R0, R2")
    known, sentence = nothing_shorter(TASKS["add"], padded, ())
    assert known is False and "ADD R0, R0, R1" in sentence
    known, sentence = nothing_shorter(TASKS["max"], parse("MOV R0, R0\n" * 9), ())
    assert known is None and "longer than" in sentence


def test_cvc5_is_a_member() -> None:
    pytest.importorskip("cvc5")
    task = from_function(lambda x, y: x if x == y else 0)
    process = outside.start("cvc5", task, draw(task, 32, 8, 0), 0)
    assert process is not None
    answer = None
    for _ in range(60):
        answer = process.slice(ctypes.c_int32(0))
        if answer is not None:
            break
    process.close()
    assert answer is not None and len(answer.programs) == 1


@pytest.mark.slow
def test_gradient_descent_is_a_member() -> None:
    pytest.importorskip("jax")
    learned = learn("add", "gradient", seconds=300)
    assert learned.solved and learned.method == "gradient"
    assert any(line.startswith("ADD ") for line in learned.program)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells children")
def test_a_stopped_member_ends_with_its_parent() -> None:
    """A killed search leaves no process behind, not even a stopped one."""
    waits = (
        "import os, time; from transputer.learning.outside import end_with_parent;"
        "end_with_parent(); print(os.getpid(), flush=True); time.sleep(60)"
    )
    starts = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {waits!r}])"
    parent = subprocess.Popen([sys.executable, "-c", starts], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    os.kill(child, signal.SIGSTOP)
    parent.kill()
    assert parent.stdout.read() == b""  # ends when the child is gone, which holds it open
    parent.wait()


_PRODUCT = """SET R4, 32
SHL R3, R0, -1
CMP R3, R15
JEQ 5
ADD R2, R2, R1
SHR R0, R0, 1
SHL R1, R1, 1
DJNZ R4, 1
MOV R0, R2"""


def test_a_loop_over_the_bits_of_a_word_has_as_many_rounds_at_every_width() -> None:
    assert at_width(parse("SET R4, 32\nSET R5, 31"), 32, 8) == parse("SET R4, 8\nSET R5, 31")
    outcome = certify(TASKS["multiply"], parse(_PRODUCT), 32, prove=False)
    assert isinstance(outcome, Certificate)
    assert "right on all 65,536 inputs at 8 bits" in outcome.facts


def test_halving_an_array_is_learned() -> None:
    learned = learn("binary_search", "loops", seconds=60)
    assert learned.solved and learned.help is not None
    assert learned.help.skeleton == "halving the array"


def _gcd(a: int, b: int) -> int:
    assert a > 0 and b > 0
    while b:
        a, b = b, a % b
    return a


def test_a_loop_may_be_slow_on_large_inputs() -> None:
    """Subtracting is right for all, and too slow where one number is far larger than the other."""
    task = from_function(_gcd)
    assert task.is_signed
    code = "CMP R0, R1\nJEQ 7\nMIN R5, R0, R1\nMAX R6, R0, R1\nSUB R1, R6, R5\nMOV R0, R5\nJMP 0"
    work = Workbench(task, 0, Budget())
    bound, must, quick = _loop_bound(work)
    assert bound.first_wrong(parse(code)) is not None
    for text, right in ((code, True), (code.replace("MIN", "MAX"), False)):
        whole = Skeleton("given", (*parse(text), 0), (((),),))
        filler = Filler(whole, bound, work.stop, must, quick)
        assert any(filler.tried(ctypes.c_uint64(0))) is right
