"""The assembler: what it accepts, what structured forms become, what it says of mistakes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sampling import random_cases
from transputer.errors import Place, SourceError
from transputer.frontends.asm import AssemblyError, assemble
from transputer.ir.asm import AsmInstr, AsmProgram, to_text
from transputer.isa.asm import ASM, ENDS, LOCALS

SPELT = [*(op.name for op in ASM), "block", "loop", "if", "else", "end", "br", "br_if"]


def listing(text: str) -> list[str]:
    return [str(instr) for instr in assemble(text).code]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["HALT"]),
        ("; nothing\n# at all", ["HALT"]),
        ("push 1\nPush 2\nADD", ["PUSH 1", "PUSH 2", "ADD", "HALT"]),
        ("PUSH 1 PUSH 2 ADD HALT", ["PUSH 1", "PUSH 2", "ADD", "HALT"]),
        ("i32.load I32.Store8 local.tee 3", ["I32.LOAD", "I32.STORE8", "LOCAL.TEE 3", "HALT"]),
        ("PUSH 1;x\r\nPUSH 2#y\rPOP", ["PUSH 1", "PUSH 2", "POP", "HALT"]),
        ("TRAP", ["TRAP"]),
        ("RETURN", ["RETURN"]),
        ("CALL 0", ["CALL 0", "HALT"]),
    ],
)
def test_plain_code(text: str, expected: list[str]) -> None:
    assert listing(text) == expected


@pytest.mark.parametrize(
    ("operand", "value"),
    [
        ("0", 0),
        ("-1", 0xFFFFFFFF),
        ("+7", 7),
        ("-2147483648", 0x80000000),
        ("4294967295", 0xFFFFFFFF),
        ("007", 7),
        ("0x10", 16),
        ("0XfF", 255),
        ("-0x1", 0xFFFFFFFF),
        ("0xFFFFFFFF", 0xFFFFFFFF),
        ("0x000000000000FF", 255),
        ("'a'", 97),
        ("' '", 32),
        ("';'", 59),
        ("'#'", 35),
        (r"'\n'", 10),
        (r"'\0'", 0),
        (r"'\''", 39),
        (r"'\\'", 92),
        (r"'\x7f'", 127),
    ],
)
def test_constants(operand: str, value: int) -> None:
    assert assemble(f"PUSH {operand}").code[0].args == (value,)


def test_labels() -> None:
    program = assemble("a: b: PUSH 1 JZ b\nloop: JNZ loop CALL a JZ end\nend:")
    assert program.labels == {"a": 0, "b": 0, "loop": 2, "end": 5}
    assert [i.args for i in program.code] == [(1,), (0,), (2,), (0,), (5,), ()]
    assert [i.name for i in program.code][-2:] == ["JZ", "HALT"]


def test_a_target_just_past_the_end_gets_a_halt() -> None:
    assert listing("JZ 3 TRAP HALT") == ["JZ 3", "TRAP", "HALT", "HALT"]
    assert listing("JZ x HALT x:") == ["JZ 2", "HALT", "HALT"]


def test_places() -> None:
    jump = assemble("PUSH 1\n  br done ; out\ndone:", "f.asm").code[2]
    assert jump.place == Place("f.asm", 2, 3, text="  br done ; out", width=2)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("block br 0 end", ["PUSH 0", "JZ 2", "HALT"]),
        ("loop br 0 end", ["PUSH 0", "JZ 0", "HALT"]),
        ("block $a loop $b br_if $a br_if $b end end", ["JNZ 2", "JNZ 0", "HALT"]),
        ("block loop br_if 1 br_if 0 end end", ["JNZ 2", "JNZ 0", "HALT"]),
        ("block $a block $a br_if $a end NOP end", ["JNZ 1", "NOP", "HALT"]),
        ("if NOP end", ["JZ 2", "NOP", "HALT"]),
        ("if NOP else POP end", ["JZ 4", "NOP", "PUSH 0", "JZ 5", "POP", "HALT"]),
        (
            "if $i br_if $i else $i br_if 0 end $i",
            ["JZ 4", "JNZ 5", "PUSH 0", "JZ 5", "JNZ 5", "HALT"],
        ),
        ("NOP x: br x", ["NOP", "PUSH 0", "JZ 1", "HALT"]),
        ("x: br_if x", ["JNZ 0", "HALT"]),
        ("loop HALT end", ["HALT", "HALT"]),
    ],
)
def test_structured_forms(text: str, expected: list[str]) -> None:
    assert listing(text) == expected


MISTAKES = [
    ("PUHS 1", 1, "unknown instruction `PUHS`; did you mean PUSH?"),
    ("jmp x", 1, "unknown instruction `jmp`; did you mean BR?"),
    ("i32.add", 1, "unknown instruction `i32.add`; did you mean ADD?"),
    ("DIV", 1, "unknown instruction `DIV`; did you mean DIV_U or DIV_S?"),
    ("?!", 1, "unknown instruction `?!`"),
    ("17", 1, "expected an instruction, found `17`"),
    ("ADD 5", 5, "unexpected operand `5`"),
    ("PUSH 1 2", 8, "unexpected operand `2`"),
    ("block $a $b end", 10, "unexpected operand `$b`"),
    ("PUSH", 1, "PUSH needs a number"),
    ("PUSH ADD", 1, "PUSH needs a number"),
    ("PUSH x", 6, "expected a number, found `x`"),
    ("PUSH 1.5", 6, "expected a number, found `1.5`"),
    ("PUSH 0x", 6, "expected a number, found `0x`"),
    ("PUSH 'ab'", 6, "expected a number, found `'ab'`"),
    (r"PUSH '\q'", 6, r"""unknown escape `\q`; use one of n t r 0 \ ' " or xNN"""),
    ("PUSH 4294967296", 6, "4294967296 is out of range (-2147483648 to 4294967295)"),
    ("PUSH -2147483649", 6, "-2147483649 is out of range (-2147483648 to 4294967295)"),
    ("PUSH " + "9" * 5000, 6, "9" * 5000 + " is out of range (-2147483648 to 4294967295)"),
    ("LOCAL.GET 65536", 11, "65536 is out of range (0 to 65535)"),
    ("LOCAL.GET -1", 11, "-1 is out of range (0 to 65535)"),
    ("LOCAL.SET", 1, "LOCAL.SET needs the number of a local"),
    ("JZ", 1, "JZ needs a label or the number of an instruction"),
    ("JZ there", 4, "no label `there`"),
    ("nezt: JZ next", 10, "no label `next`; did you mean nezt?"),
    ("JZ ADD", 4, "expected a target, found the instruction `ADD`"),
    ("JZ 3", 4, "target 3 is outside the program (0 to 1)"),
    ("JZ -1", 4, "-1 is out of range (0 to 4294967295)"),
    ("x: NOP x:", 8, "label `x` is defined twice"),
    ("3x:", 1, "`3x` cannot be a label; a label has letters, digits, `_` and `.`, "
     "and does not begin with a digit"),
    ("end", 1, "`end` without an open block, loop or if"),
    ("else", 1, "`else` without an open block, loop or if"),
    ("block else end", 7, "`else` without an open `if`"),
    ("if else else end", 9, "`else` without an open `if`"),
    ("loop", 1, "`loop` is never closed with `end`"),
    ("block $a end $b", 14, "`end $b` does not match the open `block $a`"),
    ("br", 1, "br needs a depth, the $name of a block, or a label"),
    ("br 0", 4, "depth 0 is too large; open blocks here: 0"),
    ("block br_if 1 end", 13, "depth 1 is too large; open blocks here: 1"),
    ("block $out br $owt end", 15, "no open block `$owt`; did you mean $out?"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "column", "message"), MISTAKES, ids=[m[0][:20] for m in MISTAKES])
def test_mistakes(text: str, column: int, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        assemble(text, "f.asm")
    error = caught.value
    assert isinstance(error, AssemblyError)
    assert error.message == message
    assert (error.place.line, error.place.column) == (1, column)
    assert [p.message for p in error.problems] == [message]
    first, line, caret = str(error).split("\n")
    assert first == f"f.asm:1:{column}: {message}"
    assert line == f"  {text}"
    assert caret.index("^") == column + 1


def test_all_problems_at_once_in_order() -> None:
    text = "JZ nowhere\n\tPUSH 99999999999\nADDD\nblock\nPUSH 1"
    with pytest.raises(SourceError) as caught:
        assemble(text)
    assert str(caught.value.in_file("f.asm")) == (
        "f.asm:1:4: no label `nowhere`\n"
        "  JZ nowhere\n"
        "     ^^^^^^^\n"
        "f.asm:2:7: 99999999999 is out of range (-2147483648 to 4294967295)\n"
        "  \tPUSH 99999999999\n"
        "  \t     ^^^^^^^^^^^\n"
        "f.asm:3:1: unknown instruction `ADDD`; did you mean ADD?\n"
        "  ADDD\n"
        "  ^^^^\n"
        "f.asm:4:1: `block` is never closed with `end`\n"
        "  block\n"
        "  ^^^^^"
    )


def test_a_mistake_does_not_make_targets_wrong() -> None:
    with pytest.raises(AssemblyError) as caught:
        assemble("PUSH x\nADDD\nJZ 2\nJNZ 9")
    assert [p.place.line for p in caught.value.problems] == [1, 2, 4]


def assembles_or_explains(text: str) -> None:
    try:
        program = assemble(text, "f.asm")
    except SourceError as error:
        assert str(error).startswith("f.asm:")
    else:
        assert assemble(to_text(program)) == program


@pytest.mark.slow
@random_cases(300)
@given(st.text())
def test_arbitrary_text(text: str) -> None:
    assembles_or_explains(text)


words = st.sampled_from(
    [*SPELT, "$a", "$b", "x:", "y:", "x", "y", "0", "1", "7", "-1", "0xff", "'a'", "\n", ";", "'"]
)


@random_cases(500)
@given(st.lists(words, max_size=25))
def test_arbitrary_words(chosen: list[str]) -> None:
    assembles_or_explains(" ".join(chosen))


def instructions(size: int) -> st.SearchStrategy[AsmInstr]:
    limits = {"i32": 2**32, "local": LOCALS, "pc": size}
    return st.sampled_from(ASM.rows).flatmap(
        lambda op: st.builds(
            AsmInstr, st.just(op), st.tuples(*(st.integers(0, limits[k] - 1) for k in op.imm))
        )
    )


@st.composite
def programs(draw: st.DrawFn) -> AsmProgram:
    size = draw(st.integers(1, 12))
    body = draw(st.lists(instructions(size), min_size=size - 1, max_size=size - 1))
    last = AsmInstr(ASM[draw(st.sampled_from(sorted(ENDS)))])
    names = st.sampled_from(["a", "b", "loop", "ADD", "_x.1"])
    labels = draw(st.dictionaries(names, st.integers(0, size - 1)))
    return AsmProgram((*body, last), labels)


@random_cases(200)
@given(programs())
def test_text_form_round_trips(program: AsmProgram) -> None:
    assert assemble(to_text(program)) == program


def test_text_form() -> None:
    assert to_text(assemble("x: PUSH -1 JNZ x JZ 1")) == (
        "x:\n"
        "    PUSH -1                 ; 0\n"
        "    JNZ x                   ; 1\n"
        "    JZ 1                    ; 2\n"
        "    HALT                    ; 3\n"
    )


@pytest.mark.parametrize(
    "code",
    [
        (),
        (AsmInstr(ASM["ADD"]),),
        (AsmInstr(ASM["JZ"], (2,)), AsmInstr(ASM["HALT"])),
        (AsmInstr(ASM["PUSH"], (-1,)), AsmInstr(ASM["HALT"])),
        (AsmInstr(ASM["LOCAL.GET"], (LOCALS,)), AsmInstr(ASM["HALT"])),
        (AsmInstr(ASM["PUSH"]), AsmInstr(ASM["HALT"])),
    ],
)
def test_programs_are_closed(code: tuple[AsmInstr, ...]) -> None:
    with pytest.raises(ValueError):
        AsmProgram(code)
