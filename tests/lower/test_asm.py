"""Assembly to core code."""

from functools import partial
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.oracle.asm_programs import programs
from tests.sampling import random_cases
from transputer.errors import StepLimitError
from transputer.frontends.asm import assemble
from transputer.ir.asm import AsmProgram
from transputer.ir.core_verify import verify_core
from transputer.isa.asm import ASM
from transputer.isa.core import CORE
from transputer.isa.op import Op
from transputer.lower.asm import CORE_NAMES, MAIN, lower_asm
from transputer.oracle.asm import run
from transputer.oracle.core import CoreSession

EXAMPLES = sorted(Path(__file__).parents[2].glob("examples/asm/*.asm"))


def test_every_row_but_nop_has_a_core_row() -> None:
    assert [op.name for op in ASM if op.name not in CORE_NAMES] == ["NOP"]


def _same_function(a: Op, b: Op) -> bool:
    if isinstance(a.fn, partial) and isinstance(b.fn, partial):
        return (a.fn.func, a.fn.args) == (b.fn.func, b.fn.args)
    return a.fn is b.fn


@pytest.mark.parametrize("name", CORE_NAMES)
def test_rows_agree(name: str) -> None:
    row, core = ASM[name], CORE[CORE_NAMES[name]]
    if core.sig:  # unreachable has none
        assert (row.pops, row.pushes) == (core.pops, core.pushes)
    assert row.width == core.width
    assert name == "SELECT" or _same_function(row, core)
    assert row.traps == core.traps


def test_nops_vanish_and_targets_follow() -> None:
    program = assemble("NOP start: NOP PUSH 3 NOP JNZ start JZ done NOP done: HALT")
    lowered = lower_asm(program)
    assert [str(i) for i in lowered.code] == ["i32.const 3", "jump_if 0", "jump_unless 3", "halt"]
    assert [i.origin for i in lowered.code] == [(0, 2), (0, 4), (0, 5), (0, 7)]


def test_accesses_name_offset_and_memory() -> None:
    lowered = lower_asm(assemble("I32.LOAD I32.STORE8"))
    assert [str(i) for i in lowered.code] == ["i32.load 0 0", "i32.store8 0 0", "halt"]


def agrees(program: AsmProgram, args: list[int]) -> None:
    """Core code ends as the program as written does, after as many instructions."""
    lowered = lower_asm(program, len(args))
    verify_core(lowered)
    expected = run(program, args, max_steps=100_000)
    session = CoreSession(max_steps=100_000)
    instance, _ = session.load(lowered)
    outcome = session.invoke(instance, MAIN, args)
    assert outcome.trap is expected.trap
    assert expected.trap or outcome.results == expected.stack
    assert outcome.instructions == expected.instructions <= outcome.steps
    assert session.store.memories[instance.memories[0]] == expected.memory


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_examples_mean_the_same(path: Path) -> None:
    agrees(assemble(path.read_text(encoding="utf-8")), [])


@random_cases(200)
@given(programs(), st.lists(st.integers(0, 2**32 - 1), max_size=8))
def test_random_programs_mean_the_same(program: AsmProgram, args: list[int]) -> None:
    try:
        run(program, args, max_steps=300)
    except StepLimitError:
        assume(False)
    agrees(program, args)
