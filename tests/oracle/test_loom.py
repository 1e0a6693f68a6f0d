"""The interpreter of loom code: every row, traps, output, records."""

import pytest

from transputer.errors import StepLimitError, Trap
from transputer.ir.loom import LoomConfig, LoomProgram, instr
from transputer.isa.loom import LOOM
from transputer.oracle.loom import MAKERS, Loom, LoomRecord, digest

SMALL = LoomConfig(128, 8, 32, 16)


def run(*code: tuple[object, ...], memory: tuple[int, ...] = ()) -> Loom:
    loom = Loom(LoomProgram(tuple(instr(*one) for one in code), memory, bits=8), SMALL)  # type: ignore[arg-type]
    loom.run(1000)
    return loom


def test_every_row_is_interpreted() -> None:
    assert MAKERS.missing() == []


@pytest.mark.parametrize(
    "name", [op.name for op in LOOM if op.imm == ("b", "c") and op.fn], ids=str
)
def test_rows_that_compute(name: str) -> None:
    for *given, wanted in LOOM[name].cases:
        assert run((name, 1, 2), ("HALT",), memory=(0, *given)).memory[1] == wanted


def test_subleq_compares_over_the_full_range() -> None:
    code = (("SUBLEQ", 1, 2, 2), ("HALT",), ("INC", 3), ("HALT",))
    for b, a in [(-100, 100), (100, -100), (127, 127), (-128, 127), (127, -128), (5, 4)]:
        loom = run(*code, memory=(0, a, b))
        assert loom.memory[2] == (b - a) % 256
        assert loom.memory[3] == int(b <= a)


def test_find_is_the_first_at_or_after() -> None:
    memory = (0, 0, 9, 0, 7, 9, 9)
    for start, wanted in [(0, 2), (2, 2), (3, 5), (6, 6), (7, 255), (255, 255)]:
        loom = Loom(LoomProgram((instr("FIND", 1, 15), instr("HALT")), memory, bits=8), SMALL)
        loom.memory[1], loom.memory[15] = start, 9
        loom.run(10)
        assert loom.memory[1] == (15 if wanted == 255 and start <= 15 else wanted)


def test_pointers() -> None:
    loom = run(("LOAD", 2, 1), ("STORE", 2, 3), ("HALT",), memory=(0, 5, 0, 15, 0, 42))
    assert (loom.memory[2], loom.memory[15], loom.trap) == (42, 42, None)
    for name in ("LOAD", "STORE"):
        loom = run((name, 2, 1), ("HALT",), memory=(0, 16, 3))
        assert loom.trap is Trap.MEMORY_OUT_OF_BOUNDS and loom.halted and loom.memory[2] == 3


def test_output_is_slot_zero() -> None:
    loom = run(("MOV", 0, 1), ("MOV", 0, 1), ("SWAP", 0, 2), ("STORE", 1, 3), ("HALT",),
               memory=(0, 72, 105, 0))  # fmt: skip
    assert bytes(loom.output) == b"HHiH"


def test_running_off_the_code_traps() -> None:
    assert run(("INC", 1)).trap is Trap.INVALID_INSTRUCTION


def test_limit_and_records() -> None:
    forever = LoomProgram((instr("INC", 1), instr("JMP", 0)), bits=8)
    loom = Loom(forever, SMALL)
    with pytest.raises(StepLimitError):
        loom.run(10)
    assert loom.steps == 10 and loom.memory[1] == 5
    records = list(
        Loom(LoomProgram((instr("MOV", 0, 1), instr("HALT")), (0, 7), bits=8), SMALL).records(5)
    )
    assert records == [LoomRecord(0, ((0, 7),), 7), LoomRecord(1)]
    assert digest(iter(records)) != digest(iter(records[:1]))
