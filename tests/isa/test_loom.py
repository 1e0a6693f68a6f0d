"""The loom table: its edge cases, and the sizes of the published configurations."""

import pytest

from transputer.errors import CapacityError, InvalidError, UsageError
from transputer.ir.loom import PUBLISHED, LoomConfig, LoomProgram, columns, configuration, instr
from transputer.isa.loom import LOOM, SUBLEQ_ROW
from transputer.isa.op import Op

CASES = [(op, case) for op in LOOM for case in op.cases]


@pytest.mark.parametrize("op, case", CASES, ids=lambda x: x.name if isinstance(x, Op) else str(x))
def test_edge_cases(op: Op, case: tuple[int, ...]) -> None:
    assert op.pure(8, *case[:-1]) == case[-1]


def test_the_numbers_are_those_of_the_paper() -> None:
    names = "HALT MOV ADD JMP JZ JNZ INC DEC SHL SHR CMP LOAD AND OR XOR SUB FIND SWAP CMOV MULACC"
    assert [op.name for op in LOOM] == [*names.split(), "STORE", "SUBLEQ"]
    assert [op.code for op in LOOM] == [*range(21), SUBLEQ_ROW]


@pytest.mark.parametrize("name, slots", [("146x512", 320), ("155x1024", 928), ("164x2048", 1792)])
def test_the_published_configurations(name: str, slots: int) -> None:
    config = configuration(name)
    assert f"{config.rows}x{config.columns}" == name and config.slots == slots


@pytest.mark.parametrize("text", ["", "12", "100x8", "1024x9", "64x8", "1024x8,m=256", "9x9x9"])
def test_wrong_configurations_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        configuration(text)


def test_too_large_says_how_large() -> None:
    big = LoomProgram((instr("HALT"),) * 929, bits=8)
    with pytest.raises(CapacityError, match=r"needs 929 instruction slots, .* has 928"):
        big.check(PUBLISHED["155x1024"])
    with pytest.raises(CapacityError, match=r"needs 65 memory slots"):
        LoomProgram((instr("HALT"),), (0,) * 65, bits=8).check(PUBLISHED["155x1024"])


@pytest.mark.parametrize(
    "program",
    [
        LoomProgram((instr("INC", 64),), bits=8),
        LoomProgram((instr("JMP", 1),), bits=8),
        LoomProgram((instr("SUBLEQ", 64, 0, 0),), bits=8),
        LoomProgram((instr("HALT"),), (256,), bits=8),
        LoomProgram((instr("HALT"),), (-129,), bits=8),
        LoomProgram((instr("HALT"),), bits=16),
        LoomProgram((instr("INC", 1),) * 928, bits=8),
    ],
)
def test_wrong_programs_are_refused(program: LoomProgram) -> None:
    with pytest.raises(InvalidError):
        program.check(PUBLISHED["155x1024"])


def test_operands_become_columns() -> None:
    config = LoomConfig(128, 8, 32, 8)
    program = LoomProgram((instr("MOV", 2, 7), instr("SUBLEQ", 3, 4, 0), instr("JMP", 1)), bits=8)
    found = columns(program, config)
    assert found[:3] == [(1, 34, 39), (35, 36, 40), (3, 0, 41)]
    assert found[3:] == [(31, 0, 0)] * (config.slots - 3)
