"""The binary format: numbers, every row, sections, names, and everything that is refused."""

import time
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sampling import random_cases
from tests.strategies import cases
from transputer.check.fuzz.modules import ModuleCase
from transputer.errors import MalformedError
from transputer.frontends.binary import decode, encode
from transputer.frontends.binary.decode import MAX_ARITY, MAX_LOCALS, instruction
from transputer.frontends.binary.encode import leb_signed, unsigned
from transputer.frontends.binary.reader import Reader
from transputer.frontends.wat import to_wasm
from transputer.ir.module import Catch, Function, FuncType, Instr, Module, NameSection
from transputer.isa.op import Op, ValType
from transputer.isa.wasm import WASM

HEADER = b"\0asm\1\0\0\0"
END = Instr(WASM["end"])
I32 = ValType.I32
#: Immediates of every kind, at the ends of their ranges.
IMMEDIATES: dict[str, tuple[object, ...]] = {
    "blocktype": (FuncType(), FuncType((), (ValType.EXTERNREF,)), 0, 63, 64, 2**32 - 1),
    "label": (0, 2**32 - 1),
    "labels": ((0,), (1, 2, 3), (2**32 - 1,) * 3),
    **{
        kind: (0, 127, 128, 2**32 - 1)
        for kind in "func type table local global data elem tag".split()
    },
    "catches": ((), (Catch(0, False, 1), Catch(None, True, 0), Catch(128, True, 2))),
    "memory": (0,),
    "memarg": ((0, 0, 0), (3, 2**32 - 1, 0), (2, 5, 1)),
    "valtypes": ((), (I32,), tuple(ValType)),
    "reftype": (ValType.FUNCREF, ValType.EXTERNREF, ValType.EXNREF),
    "i32": (0, 63, 64, 2**31, 2**32 - 1),
    "i64": (0, 2**63, 2**64 - 1),
    "f32": (0, 0x7FC00000, 0xFF800001),
    "f64": (0, 0x7FF8000000000000, 0xFFF0000000000001),
}


def one_function(*body: Instr) -> Module:
    return Module(types=(FuncType(),), functions=(Function(0, (), (*body, END)),))


def section(number: int, content: bytes) -> bytes:
    return bytes([number]) + unsigned(len(content)) + content


def refused(data: bytes, message: str, offset: int | None = None) -> None:
    with pytest.raises(MalformedError, match=message) as caught:
        decode(data)
    assert caught.value.place.offset is not None
    if offset is not None:
        assert caught.value.place.offset == offset


# Numbers


@given(st.integers(0, 2**32 - 1), st.integers(0, 4))
def test_unsigned_numbers(value: int, longer: int) -> None:
    assert Reader(unsigned(value)).u32() == value
    digits = unsigned(value)
    padded = bytes(b | 0x80 for b in digits) + b"\x80" * longer + b"\0"
    if len(padded) <= 5:
        assert Reader(padded).u32() == value
    else:
        with pytest.raises(MalformedError, match="integer representation too long"):
            Reader(padded).u32()


@given(st.integers(-(2**63), 2**63 - 1))
def test_signed_numbers(value: int) -> None:
    reader = Reader(leb_signed(value))
    assert reader.signed(64) == value
    assert reader.done
    narrow = Reader(leb_signed(value))
    if -(2**31) <= value < 2**31:
        assert narrow.signed(32) == value
    else:
        with pytest.raises(MalformedError, match="integer (too large|representation too long)"):
            narrow.signed(32)


@pytest.mark.parametrize("digits", [b"\xff\xff\xff\xff\x1f", b"\x80\x80\x80\x80\x10"])
def test_unused_bits_of_the_last_digit_are_zero(digits: bytes) -> None:
    with pytest.raises(MalformedError, match="integer too large"):
        Reader(digits).u32()


@pytest.mark.parametrize("text, wrong", [(b"\x02\xc3\x28", 1), (b"\x03\xed\xa0\x80", 1)])
def test_names_are_utf8(text: bytes, wrong: int) -> None:
    with pytest.raises(MalformedError, match="malformed UTF-8 encoding") as caught:
        Reader(text).name()
    assert caught.value.place.offset == wrong


# Instructions


@pytest.mark.parametrize("op", list(WASM), ids=lambda op: op.name)
def test_every_row_survives(op: Op) -> None:
    choices = [IMMEDIATES[kind] for kind in op.imm]
    for i in range(max(map(len, choices), default=1)):
        made = Instr(op, tuple(options[i % len(options)] for options in choices))
        frame = {"else": (Instr(WASM["if"], (FuncType(),)),)}.get(op.name, ())
        closing = (END,) if op.name in ("block", "loop", "if", "else", "try_table") else ()
        before = one_function(*frame, made, *closing)
        if op.name == "end":
            before = one_function()
        assert decode(encode(before)) == before


def test_illegal_opcodes_are_refused() -> None:
    known = {op.code for op in WASM}
    for code in range(256):
        if code not in known and code != 0xFC:
            with pytest.raises(MalformedError, match=f"illegal opcode 0x{code:02x}"):
                instruction(Reader(bytes([code]), release=2))
    for number in (18, 100, 0x408, 0xFC08, 2**32 - 1):  # 0xFC00 | 0x408 is the code of a row
        with pytest.raises(MalformedError, match="illegal opcode 0xfc"):
            instruction(Reader(b"\xfc" + unsigned(number)))


def test_spans_are_where_instructions_stand() -> None:
    data = to_wasm("(module (func i32.const 1000 drop block br 0 end))")
    body = decode(data).functions[0].body
    assert [i.name for i in body] == ["i32.const", "drop", "block", "br", "end", "end"]
    for left, right in zip(body, body[1:], strict=False):
        assert left.span.end == right.span.start
    for made in body:
        again = instruction(Reader(data, made.span.start, made.span.end))
        assert again == made
        assert again.span == made.span


# Modules


@random_cases(25)
@given(cases())
def test_a_module_survives(made: ModuleCase) -> None:
    assert decode(encode(made.module)) == made.module


def test_every_beginning_of_a_module_is_refused_or_whole() -> None:
    data = to_wasm(
        '(module (import "m" "f" (func)) (memory 1) (global i32 (i32.const 1)) (table 1 funcref)'
        '(func (export "f") (local i64) block end) (elem (i32.const 0) 0) (data "abc") (start 0))'
    )
    accepted = []
    for end in range(len(data)):
        try:
            decode(data[:end])
            accepted.append(end)
        except MalformedError as error:
            assert error.place.offset is not None
            assert error.place.offset <= end
    # only between sections, where the counts agree: none here but the bare header and imports
    assert accepted[0] == len(HEADER)
    assert all(data[end] <= 12 for end in accepted)


def test_names_are_kept() -> None:
    made = decode(to_wasm("(module $m (func $f (param $x i32) (local $y i64)))"))
    assert made.names.module == "m"
    assert made.names.functions == {0: "f"}
    assert made.names.locals == {(0, 0): "x", (0, 1): "y"}
    assert decode(encode(made)).names == made.names


def test_a_damaged_name_section_is_ignored() -> None:
    names = NameSection("m", MappingProxyType({0: "f"}))
    made = Module(types=(FuncType(),), functions=(Function(0, (), (END,)),), names=names)
    data = encode(made)
    assert decode(data).names.functions == {0: "f"}
    broken = data[:-1] + b"\xff"
    assert decode(broken).names == NameSection()
    assert decode(broken) == made


def test_custom_sections_are_skipped_wherever_they_stand() -> None:
    custom = section(0, b"\x04misc" + b"anything")
    types = section(1, b"\x00")
    assert decode(HEADER + custom + types + custom) == Module()


@pytest.mark.parametrize(
    "data, message, offset",
    [
        (b"", "magic header not detected", 0),
        (b"\0as", "unexpected end", None),
        (b"\x7fELF" + HEADER, "magic header not detected", 0),
        (b"\0asm\2\0\0\0", "unknown binary version", 4),
        (HEADER + section(14, b""), "malformed section id", 8),
        (HEADER + section(0x7F, b""), "malformed section id", 8),
        (HEADER + section(1, b"\0") + section(1, b"\0"), "unexpected content", 11),
        (HEADER + section(2, b"\0") + section(1, b"\0"), "unexpected content", 11),
        (HEADER + section(1, b"\0\0"), "section size mismatch", 11),
        (HEADER + b"\1\5\0", "length out of bounds", None),
        (HEADER + section(0, b""), "unexpected end", None),
        (HEADER + section(3, b"\1\0"), "inconsistent lengths", None),
        (HEADER + section(12, b"\1"), "data count and data section", None),
        (HEADER + section(1, b"\1\x61\0\0"), "malformed function type", 11),
        (HEADER + section(1, b"\1\x60\1\x6b\0"), "garbage collection", 13),
        (HEADER + section(5, b"\1\2\0\0"), "threads", 11),
        (HEADER + section(6, b"\1\x7f\2\x41\0\x0b"), "malformed mutability", 12),
        (HEADER + section(7, b"\1\0\5\0"), "malformed export kind", 12),
        (HEADER + section(9, b"\1\x08"), "malformed elements segment kind", 11),
        (HEADER + section(11, b"\1\3"), "malformed data segment kind", 11),
    ],
)
def test_malformed_modules(data: bytes, message: str, offset: int | None) -> None:
    refused(data, message, offset)


@pytest.mark.parametrize(
    "body, message",
    [
        ((), "END opcode expected"),
        ((Instr(WASM["block"], (FuncType(),)),), "END opcode expected"),
        ((Instr(WASM["else"]), END), "else without if"),
        ((END, END), "section size mismatch"),
    ],
)
def test_blocks_are_closed_once(body: tuple[Instr, ...], message: str) -> None:
    refused(encode(Module(types=(FuncType(),), functions=(Function(0, (), body),))), message)


# Limits


def test_limits_of_locals_and_arity() -> None:
    decode(encode(Module(types=(FuncType(),), functions=(locals_(MAX_LOCALS),))))
    decode(encode(Module(types=(FuncType((I32,) * MAX_ARITY, (I32,) * MAX_ARITY),))))
    refused(
        encode(Module(types=(FuncType(),), functions=(locals_(MAX_LOCALS + 1),))), "too many locals"
    )
    for types in ((I32,) * (MAX_ARITY + 1), ()), ((), (I32,) * (MAX_ARITY + 1)):
        refused(encode(Module(types=(FuncType(*types),))), "parameters or results", 12)


def locals_(count: int) -> Function:
    return Function(0, ((count, I32),), (END,))


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5, 6, 7, 9, 10, 11])
def test_a_huge_count_costs_nothing(number: int) -> None:
    started = time.perf_counter()
    refused(HEADER + section(number, b"\xff\xff\xff\xff\x0f"), "unexpected end")
    assert time.perf_counter() - started < 1
