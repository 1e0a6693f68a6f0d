"""Instructions, their text and their arrays. Needs no JAX."""

import pytest

from transputer.errors import SourceError, UsageError
from transputer.ir.soft import Instruction, decode, encode, parse, text
from transputer.isa.soft import SOFT
from transputer.machines.soft.config import Config

EVERY = tuple(Instruction(op.name, 3, 2, 1, 5).plain() for op in SOFT)


def test_text_comes_back() -> None:
    assert parse(text(EVERY)) == EVERY


def test_arrays_come_back() -> None:
    assert decode(encode(EVERY).tolist(), 32) == EVERY


def test_numbers_are_signed_words() -> None:
    assert text(decode([(SOFT["ADDI"].code, 0, 1, 0, 0xFF)], 8)) == "ADDI R0, R1, -1"
    assert text(decode([(SOFT["JMP"].code, 0, 0, 0, 0xFF)], 8)) == "JMP 255"
    assert parse("SET R1, -2 ; two below") == (Instruction("SET", 1, n=0xFFFFFFFE),)


@pytest.mark.parametrize(
    "source, message",
    [
        ("FLY R0", "1:1: the soft machine has no operation FLY"),
        ("HALT\nADD R0, R1", "2:1: ADD takes 3 fields, not 2"),
        ("MOV R0, 7", "1:1: 7 is not a register"),
        ("SET R0, seven", "1:1: seven is not a number"),
    ],
)
def test_mistakes_have_a_place(source: str, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        parse(source)


@pytest.mark.parametrize(
    "wrong", [{"width": 7}, {"memory": 12}, {"registers": 0}, {"ops": ("FLY",)}, {"ops": ()}]
)
def test_sizes_are_checked(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        Config(**wrong)  # type: ignore[arg-type]


def test_an_instruction_has_116_parameters() -> None:
    assert Config().parameters == 116
