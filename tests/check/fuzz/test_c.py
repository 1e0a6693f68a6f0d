"""Random C programs: everything is generated, nothing is undefined, and all agree."""

import shutil

import pytest

from transputer.check.fuzz.c.campaign import (
    LEVELS,
    SIZE,
    CSource,
    c_source,
    compare_c,
    level,
    try_c,
)
from transputer.check.fuzz.c.make import program
from transputer.check.fuzz.c.native import Ending, compiler, exited, run_native
from transputer.check.fuzz.c.tree import TYPES, print_program, print_programs
from transputer.isa.wasm import WASM

CC = compiler()
needs_cc = pytest.mark.skipif(CC is None, reason="no C compiler on this machine")
SAMPLE = [program(seed) for seed in range(40)]
TEXT = print_programs(SAMPLE)


def test_a_seed_means_the_same_program() -> None:
    assert program(3) == SAMPLE[3]
    assert print_program(program(3)) != print_program(program(4)).replace("4", "3")


def test_everything_is_generated() -> None:
    words = """switch case default: break; continue; for while do if else return qsort memcpy
        memmove ->f0 .t[ _table[ div_ rem_ << >> sqrt fabs floor ceil trunc rint __builtin_clz
        __builtin_ctz __builtin_popcount __builtin_bswap && || ? ! ~ struct"""
    assert [w for w in words.split() if w not in TEXT] == []
    assert [t for t in TYPES if f"static {t} p" not in TEXT] == []


def test_a_call_is_made_before_its_result_has_a_place() -> None:
    """What is called may move the pointer that the result goes through."""
    calls = [line for line in TEXT.splitlines() if " r = p" in line]
    assert len(calls) > 50
    assert all(line.strip().startswith("{ ") for line in calls)


@pytest.mark.slow
@needs_cc
def test_nothing_is_undefined() -> None:
    """gcc's and clang's own checks find nothing, and change nothing."""
    assert CC is not None
    probe = run_native("int main(void) { return 0; }", CC, "-fsanitize=undefined,address")
    if probe != exited(b"", 0):
        pytest.skip(f"no sanitizers: {probe.ended}")
    checks = ("-fsanitize=undefined,address,float-cast-overflow", "-fno-sanitize-recover=all")
    text = print_programs(SAMPLE[:12])
    checked = run_native(text, CC, *checks)
    assert checked.ended == "exit code 0"
    assert checked == run_native(text, CC, "-O2") == run_native(text, CC, "-O0")


@pytest.mark.slow
def test_all_agree() -> None:
    tally = try_c(range(SIZE), "native")
    assert tally.failures == []
    assert tally.cases["c"] == SIZE
    assert tally.instructions > 1000 * SIZE


def test_batches_are_compiled_in_every_way() -> None:
    assert {level(seed) for seed in range(0, 100, SIZE)} == set(LEVELS)
    assert len({level(seed) for seed in range(30, 30 + SIZE)}) == 1


@pytest.mark.slow
def test_a_wrong_instruction_is_noticed_and_made_small(monkeypatch: pytest.MonkeyPatch) -> None:
    few = property(lambda self: self.tries < 395)
    monkeypatch.setattr("transputer.check.fuzz.shrink.ShrinkBudget.spent", few)
    op = WASM["i64.mul"]
    right = op.pure
    object.__setattr__(op, "fn", lambda *args: right(*args) ^ 1)
    try:
        (failure,) = try_c(range(5, 6), "native").failures
    finally:
        object.__setattr__(op, "fn", right)
    assert "wasmtime has '5 " in failure.problem and "the oracle has '5 " in failure.problem
    assert (failure.name, failure.reproduce) == ("c-5.c", "--kind c --count 1 --seed 5")
    kept = c_source(failure.content.decode())
    assert kept.level == level(5)
    assert len(print_programs([program(5)])) > len(kept.text)
    assert compare_c(kept, "native") == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    "body, problem",
    [
        ("return 3;", "the program ends with exit code 3"),
        ("__builtin_trap();", "the program ends with trap: unreachable"),
        ("return x;", "CompileError: "),
        ("for (volatile int i = 0;; i++) ;", "StepLimitError: "),
    ],
)
def test_what_no_program_does_is_a_problem(
    body: str, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("transputer.oracle.command.FUEL", 1_000_000)
    monkeypatch.setattr("transputer.check.fuzz.c.campaign.compiler", lambda: None)
    found = compare_c(CSource(f"int main(void) {{ {body} }}", "-O1"), "native")
    assert found.startswith(problem)


def test_the_level_is_in_the_file() -> None:
    kept = CSource("int main(void) { return 0; }\n", "-O2").file("one\ntwo").decode()
    assert kept.startswith("// one\n// two\n// compiled with -O2\n")
    assert c_source(kept).level == "-O2"
    assert c_source("int main(void) {}").level == LEVELS[0]


@needs_cc
def test_a_native_crash_is_an_ending() -> None:
    assert CC is not None
    ending = run_native("int main(void) { __builtin_trap(); }", CC)
    assert ending.ended.startswith("killed by signal")
    assert run_native("int main(void) { return x; }", CC).ended.startswith("not compiled: ")
    assert Ending(b"a\nb", "end").lines() == ["a", "b", "end"]


def test_the_compiler_is_one_of_the_usual(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert compiler() is None
