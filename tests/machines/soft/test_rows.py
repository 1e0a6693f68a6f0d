"""An instruction is a row and its two meanings: everything else derives, or is refused."""

import os
import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import transputer
from tests.sampling import sampled
from transputer.ir.soft import Instruction
from transputer.isa.integers import mask, signed
from transputer.isa.op import Op
from transputer.isa.soft import FLAGS, SOFT, Shape, commutes, observed, operands, shape, shifts
from transputer.learning.problem import Bound, Examples, machine
from transputer.learning.tasks import TASKS
from transputer.machines.soft.config import Config

PACKAGE = Path(transputer.__file__).parent
VALUES = [op for op in SOFT if shape(op.name) in (Shape.VALUE, Shape.COUNT)]


def results_in_c(op: Op, words: np.ndarray, number: int, width: int = 8) -> np.ndarray:
    """What C leaves in R2 after `op R2, R0, R1, number`; after CMP R0, R1 where it sees flags."""
    first = Instruction("CMP", 0, 0, 1) if "flags" in operands(op.name) else Instruction("MOV")
    code = (first, Instruction(op.name, 2, 0, 1, number))
    registers = np.zeros((len(words), 4), words.dtype)
    registers[:, :3] = words
    none = np.zeros((len(words), 1), words.dtype)
    rows = Examples(registers, none, none[:, :0], none, none.astype(np.uint8))
    config = Config(width, 4, 2, 1, 1, 1)
    return Bound(TASKS["add"], config, rows, limit=2).results(code)[0][:, 2]


@pytest.mark.parametrize("op", sampled(VALUES, 3), ids=lambda op: op.name)
def test_the_c_of_a_row_is_its_function_on_all_words_of_8_bits(op: Op) -> None:
    takes = operands(op.name)
    olds = (0, 1, 0x80, 0xFF) if "d" in takes else (0,)
    numbers = range(256) if "n" in takes else (0,)
    seconds = range(256) if "b" in takes or "flags" in takes else (0,)
    for old, number in product(olds, numbers):
        words = np.array([(a, b, old) for a in range(256) for b in seconds], np.uint32)
        fields = {"d": words[:, 2].tolist(), "a": words[:, 0].tolist(), "b": words[:, 1].tolist(),
                  "n": [number] * len(words)}  # fmt: skip
        compare = SOFT["CMP"].pure
        fields["flags"] = [compare(8, a, b) for a, b in zip(fields["a"], fields["b"], strict=True)]
        wanted = [op.pure(8, *each) for each in zip(*(fields[t] for t in takes), strict=True)]
        assert results_in_c(op, words, number).tolist() == wanted


@pytest.mark.parametrize("op", sampled(VALUES, 3), ids=lambda op: op.name)
def test_the_c_of_a_row_is_its_function_on_words_of_64_bits(op: Op) -> None:
    """Numbers of instructions have 32 bits, and are sign-extended."""
    takes, top = operands(op.name), 1 << 63
    some = (0, 1, 2, 31, 32, 63, 64, 0xFFFFFFFF, 1 << 32, top - 1, top, top + 5, mask(64))
    for number in (0, 1, 63, 64, 0x7FFFFFFF, 0x80000000, mask(32)) if "n" in takes else (0,):
        words = np.array([(a, b, b ^ 3) for a in some for b in some], np.uint64)
        fields = {"d": words[:, 2].tolist(), "a": words[:, 0].tolist(), "b": words[:, 1].tolist(),
                  "n": [signed(32, number) & mask(64)] * len(words)}  # fmt: skip
        compare = SOFT["CMP"].pure
        fields["flags"] = [compare(64, a, b) for a, b in zip(fields["a"], fields["b"], strict=True)]
        wanted = [op.pure(64, *each) for each in zip(*(fields[t] for t in takes), strict=True)]
        assert results_in_c(op, words, number, 64).tolist() == wanted


def test_what_rows_are_like() -> None:
    """By hand: the searches rely on these."""
    assert {op.name for op in SOFT if commutes(op.name)} == {
        "ADD",
        "AND",
        "MUL",
        "OR",
        "XOR",
        "MIN",
        "MAX",
    }
    assert {op.name for op in SOFT if shifts(op.name)} == {"SHL", "SHR", "SRA"}
    zero, less = 1 << FLAGS.index("Z"), 1 << FLAGS.index("S")
    seen = {op.name: observed(op.name) for op in SOFT if observed(op.name)}
    assert seen == {"CMOV": less, "JEQ": zero, "JNE": zero, "JLT": less, "JGE": less}


ROW = """Op("NAND", 36, "ii:i", "Not a and b.", {function}, ((12, 10, 0xFFFFFFF7),), _DAB),"""
MEANING = "Meaning(lambda w, a, b: w.xor(w.and_(a, b), w.number(-1)))"
ON_INTS = "lambda n, a, b: ~(a & b) % (1 << n)"
SOFTLY = '\n\n@soft.on("NAND")\ndef _(x: Operands) -> Effect:\n    return Effect(1 - x.a * x.b)\n'
USES = """
from dataclasses import replace
from transputer.ir.image import Image, from_bytes, to_bytes
from transputer.ir.soft import parse, text
from transputer.isa.soft import SOFT
from transputer.learning.gradient import Settings, train
from transputer.learning.problem import counterexample
from transputer.learning.proof import refute
from transputer.learning.search import anneal, shortest
from transputer.learning.tasks import TASKS
from transputer.learning.wat import to_wat
from transputer.machines.soft.check import agreement
from transputer.machines.soft.config import Config
from transputer.oracle.soft import Soft

source = "NAND R2, R0, R0\\nADD R2, R2, R1\\nNAND R0, R2, R2"  # x - y = ~(~x + y)
code = parse(source)
assert text(code) == source and from_bytes(to_bytes(Image(code))).code == code
assert SOFT["NAND"].pure(32, *SOFT["NAND"].cases[0][:2]) == SOFT["NAND"].cases[0][2]
soft = Soft(Image(code))
soft.registers[:2] = 3, 5
soft.run(10)
assert soft.registers[0] == 0xFFFFFFFE
config = Config(8, 4, 4, 4, 2, 2, ("HALT", "NAND"))
assert agreement(200, configs=[config]).different == 0  # soft and hard, in JAX
sub = replace(TASKS["sub"], ops=("NAND", "ADD"), registers=3, length=3)
assert counterexample(sub, code, 8) is None  # in C
assert refute(sub, code, 32) is None and refute(sub, code[:2], 32) is not None
found = shortest(sub)
assert found.code is not None and len(found.code) == 3 and found.detail == "none of length 2"
assert anneal(sub, seconds=60).code is not None
trained = train(sub, Settings(length=1, updates=2, examples=4, only=("NAND",)), restarts=1)
assert trained.code(0, 8)[0].op == "NAND"
open("sub.wat", "w").write(to_wat(code, 2, 1, "sub"))
import transputer as tp
assert tp.run("sub.wat", invoke="sub", args=[3, 5], engine="oracle").results == [-2]
print("learned, proved and exported")
"""

IN_JAX = "from transputer.machines.soft.check import agreement; agreement(3)"
IN_C = "from transputer.machines.soft.native import source; source()"
INTERPRETED = "from transputer.oracle import soft; soft.Soft(soft.Image(()))"


def overlay(folder: Path, function: str, soft: str) -> None:
    """The package with one more row in its table and one more soft rule; the rest is linked."""
    for part in PACKAGE.iterdir():
        if part.name not in ("isa", "machines"):
            (folder / "transputer").mkdir(exist_ok=True)
            (folder / "transputer" / part.name).symlink_to(part)
    (folder / "transputer" / "machines").mkdir()
    for part in (PACKAGE / "machines").iterdir():
        if part.name != "soft":
            (folder / "transputer" / "machines" / part.name).symlink_to(part)
    for copied in ("isa", "machines/soft"):
        shutil.copytree(PACKAGE / copied, folder / "transputer" / copied)
    table = folder / "transputer" / "isa" / "soft.py"
    before, group, after = table.read_text().partition("_BITWISE = (\n")
    table.write_text(before + group + ROW.format(function=function) + "\n" + after)
    rules = folder / "transputer" / "machines" / "soft" / "alu.py"
    rules.write_text(rules.read_text() + soft)


def python(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    quick = {"JAX_DISABLE_MOST_OPTIMIZATIONS": "1"}  # compiles faster
    around = {**os.environ, **quick, "PYTHONPATH": str(folder)}
    return subprocess.run(
        [sys.executable, "-c", script], env=around, cwd=folder, capture_output=True, text=True
    )


@pytest.mark.slow
def test_a_row_and_two_meanings_are_an_instruction(tmp_path: Path) -> None:
    pytest.importorskip("jax")
    pytest.importorskip("cvc5")
    overlay(tmp_path, MEANING, SOFTLY)
    ran = python(tmp_path, USES)
    assert ran.stdout == "learned, proved and exported\n", ran.stderr


@pytest.mark.parametrize(
    "function, soft, build, problem",
    sampled(
        [
            (MEANING, "", IN_JAX, "the soft path lacks a meaning for NAND"),
            ("None", SOFTLY, IN_JAX, "the hard path lacks a meaning for NAND"),
            (ON_INTS, SOFTLY, IN_JAX, "NAND has no hard meaning"),
            (ON_INTS, SOFTLY, IN_C, "NAND has no hard meaning"),
            ("None", SOFTLY, IN_C, "the hard path in C lacks a meaning for NAND"),
            ("None", SOFTLY, INTERPRETED, "the interpreter lacks a meaning for NAND"),
        ],
        3,
        rows=True,
    ),
)
def test_a_row_without_a_meaning_is_refused_by_name(
    function: str, soft: str, build: str, problem: str, tmp_path: Path
) -> None:
    if build == IN_JAX:
        pytest.importorskip("jax")
    overlay(tmp_path, function, soft)
    ran = python(tmp_path, build)
    assert ran.returncode != 0 and problem in ran.stderr


def test_the_machine_of_a_task_has_its_operations() -> None:
    assert machine(TASKS["add"], 8).ops == TASKS["add"].ops
