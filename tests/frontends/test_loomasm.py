"""The assembler of the loom machine."""

import pytest

from transputer.errors import SourceError
from transputer.frontends.loomasm import assemble_loom
from transputer.ir.loom import Symbol, smallest
from transputer.oracle.loom import Loom

SOURCE = """
.bits 16
.word result 1000        ; two of them follow
.word pair -1 0x10
.space table 3
start:
loop: SUBLEQ pair+1, result, done
      JMP loop
done: MOV table+2, pair
      STORE 1, 2
      JZ 0, @4
      HALT
"""


def test_names_labels_and_words() -> None:
    program = assemble_loom(SOURCE)
    assert program.bits == 16
    assert program.memory == (0, 1000, -1, 0x10, 0, 0, 0)
    assert program.symbols[1:] == (
        Symbol("result", 1, 1),
        Symbol("pair", 2, 2),
        Symbol("table", 4, 3),
    )
    assert [str(one) for one in program.code] == [
        *("SUBLEQ 3, 1, @2", "JMP @0", "MOV 6, 2", "STORE 1, 2", "JZ 0, @4", "HALT")
    ]
    assert program.code[1].line == 8


def test_what_is_printed_is_read_again() -> None:
    program = assemble_loom(SOURCE)
    again = assemble_loom(".bits 16\n" + "\n".join(str(one) for one in program.code))
    assert [str(one) for one in again.code] == [str(one) for one in program.code]


def test_it_runs() -> None:
    program = assemble_loom(".word result 3\n.word two 2\nADD result, two\nHALT")
    loom = Loom(program, smallest(program))
    loom.run(10)
    assert loom.memory[1] == 5


WRONG = {
    "FLY 1": "no operation FLY",
    "ADD 1": "ADD takes 2 operands, not 1",
    "ADD 1, x": "no slot x",
    "JMP there": "no label there",
    "JMP @x": "x is not a number",
    "INC $": "is not a number",
    ".bits 9": "8, 16, 32",
    ".bits": "8, 16, 32",
    ".word 5": "takes a name",
    ".word output": "there already",
    ".space t": "how many",
    ".space t 99999999999": "how many",
    ".space t 2\nINC t+2": "t has 2 slots",
    "a:\na:": "there already",
}


@pytest.mark.parametrize("text", WRONG)
def test_mistakes_have_a_place(text: str) -> None:
    with pytest.raises(SourceError, match=WRONG[text]) as found:
        assemble_loom(text, "x.loomasm")
    assert str(found.value).startswith("x.loomasm:") and "^" in str(found.value)
