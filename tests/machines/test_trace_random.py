"""Random assembly programs: the weights on the native engine against the oracle."""

import random

import pytest

from transputer.errors import EngineUnavailable, StepLimitError
from transputer.ir.asm import AsmInstr, AsmProgram
from transputer.isa.asm import ASM
from transputer.lower.asm import MAIN, lower_asm
from transputer.machines.trace.vocabulary import Space
from transputer.oracle.asm import run
from transputer.runtime.trace.sessions import MachineSession, new_session

EDGES = (0, 1, 2, 3, 31, 32, 255, 256, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFFC)
STEPS = 400


def program(chosen: random.Random) -> tuple[AsmProgram, list[int]]:
    size = chosen.randrange(3, 40)
    code = []
    for _ in range(size):
        op = chosen.choice(ASM.rows if chosen.random() < 0.6 else [ASM["PUSH"], ASM["DUP"]])
        limits = {"local": 3, "pc": size}
        args = tuple(
            chosen.choice((chosen.choice(EDGES), chosen.getrandbits(32), chosen.randrange(64)))
            if kind == "i32"
            else chosen.randrange(limits[kind])
            for kind in op.imm
        )
        code.append(AsmInstr(op, args))
    stack = [chosen.choice((chosen.choice(EDGES), chosen.getrandbits(32))) for _ in range(6)]
    return AsmProgram((*code, AsmInstr(ASM["HALT"]))), stack


@pytest.mark.parametrize("seed", range(200))
def test_the_weights_do_what_the_oracle_does(seed: int) -> None:
    made, stack = program(random.Random(seed))
    try:
        session = new_session("native", max_steps=STEPS * 40)
    except EngineUnavailable as error:
        pytest.skip(str(error))
    assert isinstance(session, MachineSession)
    instance, _ = session.load(lower_asm(made, len(stack)))
    try:
        wanted = run(made, stack, max_steps=STEPS)
    except StepLimitError:
        session.max_steps = STEPS
        with pytest.raises(StepLimitError):
            session.invoke(instance, MAIN, stack)
        return
    end = session.invoke(instance, MAIN, stack)
    assert end.trap is wanted.trap
    assert end.trap or end.results == wanted.stack
    assert end.instructions == wanted.instructions
    space = session.trace.spaces["memory", instance.memories[0]]
    tape = session.trace.tape
    held = {at * 8: v for (s, at), v in tape.written.items() if s == space and v}
    assert held == dict(wanted.memory.nonzero_words())
    assert tape.read(Space.SIZE, space) == 65536
