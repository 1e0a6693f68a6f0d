"""Tasks of the user's own: Python functions, examples in files, SyGuS problems."""

import importlib
import json
import random
import re
from pathlib import Path

import pytest

import transputer as tp
from transputer.errors import Unsupported, UsageError
from transputer.ir.soft import number_for, parse, word_of
from transputer.isa.integers import mask
from transputer.learning.custom import from_examples, from_function, read_csv, read_json
from transputer.learning.problem import counterexample, draw
from transputer.learning.sources import read_task
from transputer.learning.specification import Given, OutsideDomain
from transputer.runtime.learn import learned_wat

HALF = """
(set-logic BV)
(define-fun twice ((x (BitVec 16))) (BitVec 16) (bvadd x x))
(synth-fun f ((x (BitVec 16)) (y (BitVec 16))) (BitVec 16))
(declare-var x (BitVec 16))
(declare-var y (BitVec 16))
(constraint (= (f x y) (bvsub (twice x) y)))
(check-synth)
"""


def popcount(x: int) -> int:
    count = 0
    while x:
        count += x & 1
        x >>= 1
    return count


def test_a_function_is_asked_what_it_takes() -> None:
    scalar = from_function(lambda x, y: x - y)
    assert (scalar.arity, scalar.size, scalar.is_signed) == (2, 0, True)
    assert scalar.solve(8, Given((3, 5))).registers == (254,)
    listed = from_function(lambda key, a: a.count(key))
    assert listed.arity == 3 and listed.size == 8
    given = Given((2, 3, 7), (0, 0, 7, 1, 7, 7))
    assert listed.solve(32, given).registers == (2,)
    assert not from_function(popcount).is_signed  # it does not end on negative numbers
    assert not from_function(lambda x: bin(x).count("1")).is_signed
    with pytest.raises(UsageError, match="neither integers alone nor one list"):
        from_function(lambda a, b: len(a) + len(b))


def test_results_in_place() -> None:
    def shift(a: list[int]) -> None:
        a[0] = 9

    for function in (shift, lambda a: [9, *a[1:]]):
        task = from_function(function)
        assert task.results == 0
        assert task.solve(8, Given((1, 2), (5, 6, 7))).memory == ((1, 9), (2, 7))


def test_inputs_outside_the_domain_are_not_drawn() -> None:
    def half(x: int) -> int:
        assert x % 2 == 0
        return x // 2

    task = from_function(half)
    assert all(given.registers[0] % 2 == 0 for given in draw(task, 32, 200, 1))
    with pytest.raises(OutsideDomain):
        task.solve(32, Given((3,)))


def test_inputs_can_be_chosen() -> None:
    task = from_function(lambda x: x, inputs=lambda rng: rng.choice((4, 5)))
    assert {given.registers[0] for given in draw(task, 8, 50, 0)} == {4, 5}


def test_slow_functions_are_tried_on_small_inputs() -> None:
    task = from_function(lambda n: sum(range(n + 1)), inputs="unsigned")
    assert max(given.registers[0] for given in draw(task, 32, 300, 0)) < 1 << 24


def test_examples_from_files(tmp_path: Path) -> None:
    table = tmp_path / "e.csv"
    table.write_text("a,key,count\n3 1 3,3,2\n[5],1,0\n")
    assert read_csv(table) == [([[3, 1, 3], 3], 2), ([[5], 1], 0)]
    table.write_text("1, 0x10\n-1, 4\n")
    assert read_csv(table) == [([1], 16), ([-1], 4)]
    table.write_text("x,out1,out2\n1,2,3\n")
    assert read_csv(table) == [([1], (2, 3))]
    data = tmp_path / "e.json"
    data.write_text(json.dumps([[[1, 2], 3], [[4, 5], 9]]))
    assert read_json(data) == [([1, 2], 3), ([4, 5], 9)]
    data.write_text(json.dumps([{"x": 1, "y": 2, "sum": 3}, {"inputs": [4, 5], "output": 9}]))
    assert read_json(data) == [([1, 2], 3), ([4, 5], 9)]


@pytest.mark.parametrize(
    "text, message",
    [
        ("x,y\n1,two\n", "e.csv:2: 'two' is neither a number nor an array"),
        ("x,y\n1\n", "e.csv:2: not 2 cells"),
        ("x\n1\n", "a line needs inputs and a result"),
        ("", "no examples"),
        ("x,y\n1,2\n1,3\n", "two examples with the inputs"),
    ],
)
def test_bad_examples(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "e.csv"
    path.write_text(text)
    with pytest.raises(UsageError, match=message):
        read_task(str(path))


def test_bad_sources(tmp_path: Path) -> None:
    path = tmp_path / "f.py"
    path.write_text("def f(x):\n    return x\n")
    for source, message in (
        (str(path), "say which function"),
        (f"{path}:g", "no function g; it has f"),
        (str(tmp_path / "none.csv"), "no such file"),
        ("fly", "no task fly"),
    ):
        with pytest.raises(UsageError, match=message):
            read_task(source)
    path.write_text("def f(x:\n")
    with pytest.raises(UsageError, match=r"f.py:1:"):
        read_task(f"{path}:f")


def test_a_sygus_file_is_a_specification(tmp_path: Path) -> None:
    path = tmp_path / "half.sl"
    path.write_text(HALF)
    task = read_task(str(path))
    assert (task.target, task.arity) == (16, 2)
    rng = random.Random(3)
    for _ in range(50):
        x, y = rng.getrandbits(16), rng.getrandbits(16)
        assert task.solve(16, Given((x, y))).registers == ((2 * x - y) % 65536,)
    path.write_text(HALF.replace("16", "24"))
    with pytest.raises(UsageError, match="words of 24 bits"):
        read_task(str(path))
    path.write_text(HALF.replace("bvsub", "bvfly"))
    with pytest.raises(UsageError, match="bvfly is not supported"):
        read_task(str(path)).solve(16, Given((1, 2)))


def test_examples_in_a_sygus_file(tmp_path: Path) -> None:
    path = tmp_path / "pbe.sl"
    path.write_text(
        "(set-logic BV)(synth-fun f ((x (_ BitVec 32))) (_ BitVec 32))"
        "(constraint (= (f #x00000001) #x00000002))(constraint (= (f #x00000005) #x00000006))"
    )
    task = read_task(str(path))
    assert not task.certain and task.solve(32, Given((5,))).registers == (6,)


def test_examples_are_not_a_proof() -> None:
    learned = tp.learn([((1, 2), 3), ((5, 7), 12), ((-1, 1), 0)], seconds=60)
    assert learned.solved and learned.program == ["ADD R0, R0, R1"]
    assert not learned.proof.proved
    assert learned.proof.facts == ("agrees with your 3 examples; not a proof",)
    assert learned.help.constants and "ADD" in learned.help.operations


def test_two_programs_that_disagree_are_told_apart_by_an_input() -> None:
    learned = tp.learn([((2, 2), 4)], seconds=60)
    assert learned.solved and learned.question is not None
    asked = learned.question
    task = from_examples([(asked.inputs, asked.second)])
    assert counterexample(task, parse("\n".join(asked.other)), 32) is None
    assert counterexample(task, learned.code, 32) is not None
    assert "agrees with the examples, too" in str(asked)


@pytest.mark.parametrize(
    "function, length",
    [
        (lambda x, y: x == y, 6),
        (lambda x: x * x + 1, 2),
        (lambda a, b, c: sorted((a, b, c))[1], 10),
    ],
    ids=["equal", "square", "median"],
)
def test_functions_are_learned_and_proved(function: object, length: int) -> None:
    pytest.importorskip("cvc5")
    learned = tp.learn(function, seconds=240)
    assert learned.solved and len(learned.program) <= length
    assert learned.proof.proved
    assert learned.proof.facts[-1] == "proved on every input at 32 bits (cvc5)"


@pytest.mark.parametrize(
    "function", [lambda a: a[::-1], lambda a: a.index(max(a))], ids=["reverse", "argmax"]
)
def test_loops_over_arrays_are_learned_and_proved(function: object) -> None:
    pytest.importorskip("cvc5")
    learned = tp.learn(function, seconds=240)
    assert learned.solved and learned.method == "loops" and learned.help.skeleton
    assert learned.proof.proved and "arrays of 1 to 5 words" in learned.proof.facts[-1]


def test_progress_and_budget_are_said_where_there_is_no_terminal(
    cli: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.import_module("transputer.cli.learn"), "EVERY", 0.0)
    (tmp_path / "sum.csv").write_text("1,2,3\n5,6,11\n-4,9,5\n", encoding="utf-8")
    ran = cli("learn", tmp_path / "sum.csv", "--method", "enumeration", "--cpu-seconds", "9")
    assert ran.code == 0 and re.search(r"of 300 s, \d+ of 9 s of processor time", ran.err)


def test_the_command_takes_files(cli: object, tmp_path: Path) -> None:
    path = tmp_path / "f.py"
    path.write_text("def lowest(x):\n    return x & -x\n")
    ran = cli("learn", f"{path}:lowest", "--method", "enumeration", "--json")
    said = json.loads(ran.out)
    assert ran.code == 0 and said["solved"] and said["length"] == 2 and said["minimal"]
    ran = cli("learn", f"{path}:lowest", "--operations", "ADD,SUB,OR,XOR", "--constants", "0,1",
              "--method", "enumeration", "--no-prove", "--width", "8")  # fmt: skip
    assert "not proved: proofs were switched off" in ran.out
    assert "operations: ADD SUB OR XOR" in ran.out and "constants: 0, 1" in ran.out


@pytest.mark.parametrize(
    "function, program",
    [
        (lambda x, y: abs(x - y), ["MAX R2, R0, R1", "MIN R0, R0, R1", "SUB R0, R2, R0"]),
        (lambda x: x + 0x123456789ABCDEF,  # no instruction holds it
         ["SET R1, 19088744", "SHL R1, R1, 32", "ADDI R1, R1, -1985229329", "ADD R0, R0, R1"]),
        (lambda a: sum(a), ["LDP R2, R0", "ADD R3, R2, R3", "DJNZ R1, 0", "MOV R0, R3"]),
    ],
    ids=["distance", "constant", "sum"],
)  # fmt: skip
def test_words_of_64_bits(function: object, program: list[str]) -> None:
    pytest.importorskip("cvc5")
    learned = tp.learn(function, width=64, seconds=60)
    assert learned.program == program and learned.width == 64
    assert learned.proof.proved and learned.proof.facts[-1].endswith("at 64 bits (cvc5)")
    with pytest.raises(Unsupported, match="for words of 64 bits"):
        learned_wat(learned)


def test_sygus_files_and_examples_of_64_bits(tmp_path: Path) -> None:
    pytest.importorskip("cvc5")
    (tmp_path / "half.sl").write_text(HALF.replace("16", "64"))
    learned = tp.learn(tmp_path / "half.sl", seconds=60)
    assert learned.program == ["SUB R1, R0, R1", "ADD R0, R0, R1"] and learned.proof.proved
    twice = [((n,), 2 * n) for n in (1, 7, 0xFFFFFFFFFF, 1 << 62)]
    assert tp.learn(twice, width=64).program == ["SHL R0, R0, 1"]


def test_numbers_of_instructions_are_sign_extended() -> None:
    assert [number_for(n, 64) for n in (5, -1, 1 << 31, mask(64))] == [5, mask(32), None, mask(32)]
    assert [number_for(n, 32) for n in (1 << 31, -1)] == [1 << 31, mask(32)]
    assert word_of(mask(32), 64) == mask(64) and word_of(mask(32), 8) == 255
    with pytest.raises(UsageError, match="4294967296 does not fit"):
        from_function(lambda x: x, width=64, numbers=[1 << 32])
    assert read_task("max", width=64).widths == (8, 64)
    with pytest.raises(UsageError, match="8, 16, 32 or 64 bits, not 12"):
        read_task("max", width=12)
