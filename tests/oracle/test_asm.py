"""The interpreter of the assembly: every row, every trap, every limit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle.asm_programs import programs
from tests.sampling import random_cases
from transputer.errors import CapacityError, StepLimitError, Trap, UsageError
from transputer.frontends.asm import assemble
from transputer.ir.asm import AsmInstr, AsmProgram
from transputer.isa.asm import ASM, CALL_LIMIT, STACK_LIMIT
from transputer.isa.op import Op
from transputer.oracle.asm import RULES, AsmMachine, AsmOutcome, run

NUMERIC = [op for op in ASM if op.fn and not op.width]
CASES = [pytest.param(op, case, id=f"{op.name}{case}") for op in NUMERIC for case in op.cases]
#: An immediate for every kind that has any, so that a row can stand in a program.
IMMEDIATES = {"i32": 5, "local": 1, "pc": 1}


def execute(text: str, *args: int) -> AsmOutcome:
    return run(assemble(text), args)


def alone(op: Op) -> AsmProgram:
    instr = AsmInstr(op, tuple(IMMEDIATES[kind] for kind in op.imm))
    return AsmProgram((instr, AsmInstr(ASM["HALT"])))


def test_every_row_has_a_rule() -> None:
    assert RULES.missing() == []


@pytest.mark.parametrize(("op", "case"), CASES)
def test_numeric_rows(op: Op, case: tuple[int, ...]) -> None:
    *operands, expected = case
    outcome = run(alone(op), (77, *operands))
    if isinstance(expected, Trap):
        assert outcome.trap is expected
        assert outcome.stack == (77, *operands)
    else:
        assert outcome.trap is None
        assert outcome.stack == (77, expected)


@pytest.mark.parametrize(
    ("text", "args", "stack"),
    [
        ("PUSH -1", (), (0xFFFFFFFF,)),
        ("POP", (1, 2), (1,)),
        ("DUP", (1, 2), (1, 2, 2)),
        ("SWAP", (1, 2, 3), (1, 3, 2)),
        ("OVER", (1, 2, 3), (1, 2, 3, 2)),
        ("ROT", (0, 1, 2, 3), (0, 2, 3, 1)),
        ("SELECT", (10, 20, 1), (20,)),
        ("SELECT", (10, 20, 0), (10,)),
        ("NOP", (), ()),
        ("JZ 2 HALT PUSH 1", (0,), (1,)),
        ("JZ 2 HALT PUSH 1", (5,), ()),
        ("JNZ 2 HALT PUSH 1", (5,), (1,)),
        ("JNZ 2 HALT PUSH 1", (0,), ()),
        ("LOCAL.GET 65535", (), (0,)),
        ("LOCAL.SET 3 LOCAL.GET 3 LOCAL.GET 4", (9,), (9, 0)),
        ("LOCAL.TEE 3 LOCAL.GET 3", (9,), (9, 9)),
        ("", (-1, 2**32 - 1, -(2**31)), (2**32 - 1, 2**32 - 1, 2**31)),
    ],
)
def test_stack_control_and_locals(text: str, args: tuple[int, ...], stack: tuple[int, ...]) -> None:
    outcome = execute(text, *args)
    assert (outcome.trap, outcome.stack) == (None, stack)


@pytest.mark.parametrize("op", [op for op in ASM if op.pops], ids=repr)
def test_underflow(op: Op) -> None:
    for height in range(op.pops):
        stack = tuple(range(1, height + 1))
        outcome = run(alone(op), stack)
        assert outcome.trap is Trap.STACK_UNDERFLOW
        assert (outcome.stack, outcome.pc, outcome.steps) == (stack, 0, 1)


@pytest.mark.parametrize("op", ASM, ids=repr)
def test_full_stack(op: Op) -> None:
    """At the limit, exactly the rows that leave more than they take trap."""
    stack = (1, 2, 3, 1)
    outcome = run(alone(op), stack, stack_limit=len(stack))
    grows = op.pushes > op.pops
    assert (outcome.trap is Trap.STACK_EXHAUSTED) == grows
    assert not grows or outcome.stack == stack


def test_the_stack_limit_itself() -> None:
    outcome = execute("loop PUSH 1 br 0 end")
    assert outcome.trap is Trap.STACK_EXHAUSTED
    assert len(outcome.stack) == STACK_LIMIT


def test_calls_have_locals_of_their_own_and_share_operands() -> None:
    outcome = execute(
        "PUSH 7 LOCAL.SET 0  PUSH 5 CALL f  LOCAL.GET 0 HALT\n"
        "f: LOCAL.GET 0 ADD  PUSH 9 LOCAL.SET 0  CALL g  LOCAL.GET 0 RETURN\n"
        "g: PUSH 1 ADD LOCAL.GET 0 RETURN"
    )
    assert outcome.stack == (6, 0, 9, 7)


def test_return_with_no_open_call() -> None:
    outcome = execute("PUSH 1 RETURN")
    assert (outcome.trap, outcome.stack) == (Trap.STACK_UNDERFLOW, (1,))


def test_call_limit() -> None:
    outcome = execute("f: PUSH 1 ADD DUP PUSH 65535 EQ JNZ done CALL f done: HALT", 0)
    assert (outcome.trap, outcome.stack) == (None, (CALL_LIMIT,))
    outcome = execute("f: PUSH 1 ADD CALL f", 0)
    assert (outcome.trap, outcome.stack) == (Trap.STACK_EXHAUSTED, (CALL_LIMIT + 1,))


def test_trap() -> None:
    outcome = execute("PUSH 3 TRAP")
    assert (outcome.trap, outcome.stack, outcome.pc) == (Trap.UNREACHABLE, (3,), 1)


@pytest.mark.parametrize(
    ("text", "stack"),
    [
        ("PUSH 3 PUSH 0x11223344 I32.STORE PUSH 4 I32.LOAD", (0x112233,)),
        ("PUSH 65534 PUSH 0x11223344 I32.STORE PUSH 65535 I32.LOAD16_U", (0x2233,)),
        ("PUSH -4 PUSH -1 I32.STORE PUSH -1 I32.LOAD8_U PUSH -2 I32.LOAD16_S", (255, 2**32 - 1)),
        ("PUSH 0 PUSH 0x80 I32.STORE8 PUSH 0 I32.LOAD8_S PUSH 0 I32.LOAD8_U", (0xFFFFFF80, 0x80)),
        ("PUSH 0 PUSH 0x18000 I32.STORE16 PUSH 0 I32.LOAD16_S PUSH 0 I32.LOAD",
         (0xFFFF8000, 0x8000)),
        ("PUSH 123456789 I32.LOAD", (0,)),
    ],
)  # fmt: skip
def test_memory(text: str, stack: tuple[int, ...]) -> None:
    outcome = execute(text)
    assert (outcome.trap, outcome.stack) == (None, stack)


@pytest.mark.parametrize("op", [op for op in ASM if op.width], ids=repr)
def test_memory_ends_at_two_to_the_32(op: Op) -> None:
    rest = (1,) * (op.pops - 1)
    assert run(alone(op), (2**32 - op.width, *rest)).trap is None
    for address in range(2**32 - op.width + 1, 2**32):
        outcome = run(alone(op), (address, *rest))
        assert outcome.trap is Trap.MEMORY_OUT_OF_BOUNDS
        assert outcome.stack == (address, *rest)
        assert list(outcome.memory.nonzero_words()) == []


def test_nop_counts_as_a_step_only() -> None:
    outcome = execute("NOP PUSH 1 NOP NOP POP")
    assert (outcome.steps, outcome.instructions, outcome.pc) == (6, 3, 5)


def test_step_limit() -> None:
    program = assemble("PUSH 1 POP HALT")
    assert run(program, max_steps=3).steps == 3
    with pytest.raises(StepLimitError) as caught:
        run(program, max_steps=2)
    assert caught.value.limit == 2


def test_the_observer_sees_the_state_before_each_step() -> None:
    seen = []

    def look(pc: int, instr: AsmInstr, machine: AsmMachine) -> None:
        assert machine.pc == pc
        seen.append((pc, instr.name, tuple(machine.stack), machine.steps, len(machine.calls)))

    run(assemble("PUSH 2 CALL f HALT f: DUP RETURN"), observer=look)
    assert seen == [
        (0, "PUSH", (), 0, 0),
        (1, "CALL", (2,), 1, 0),
        (3, "DUP", (2,), 2, 1),
        (4, "RETURN", (2, 2), 3, 1),
        (2, "HALT", (2, 2), 4, 0),
    ]


@pytest.mark.parametrize("value", [2**32, -(2**31) - 1])
def test_arguments_are_32_bit_numbers(value: int) -> None:
    with pytest.raises(UsageError, match=f"argument {value} is not a 32-bit number"):
        execute("", value)


def test_more_arguments_than_slots() -> None:
    with pytest.raises(CapacityError, match="3 arguments do not fit on a stack of 2"):
        run(assemble(""), (1, 2, 3), stack_limit=2)


@random_cases(300)
@given(programs(), st.lists(st.integers(0, 2**32 - 1), max_size=6))
def test_any_program_ends_in_a_result_or_at_the_step_limit(
    program: AsmProgram, args: list[int]
) -> None:
    try:
        outcome = run(program, args, max_steps=300)
    except StepLimitError:
        return
    assert all(0 <= value < 2**32 for value in outcome.stack)
    assert outcome.instructions <= outcome.steps
    assert outcome == run(program, args, max_steps=300)
