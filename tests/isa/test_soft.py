"""The table of the soft machine: its shape, its edge cases, and WebAssembly's opinion."""

from itertools import product

import pytest

from transputer.isa.op import Op
from transputer.isa.soft import NAMES, SOFT, compare
from transputer.isa.wasm import WASM

CASES = [pytest.param(op, case, id=f"{op.name}{case}") for op in SOFT for case in op.cases]
EDGES = (0, 1, 2, 31, 255, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF)
#: Rows that WebAssembly has too.
SHARED = {"ADD": "i32.add", "ADDI": "i32.add", "SUB": "i32.sub", "AND": "i32.and", "OR": "i32.or",
          "XOR": "i32.xor", "SHL": "i32.shl", "SHR": "i32.shr_u", "SRA": "i32.shr_s",
          "MUL": "i32.mul", "SHLV": "i32.shl", "SHRV": "i32.shr_u",
          "SRAV": "i32.shr_s"}  # fmt: skip


def test_there_are_36_rows_numbered_from_zero() -> None:
    assert [op.code for op in SOFT] == list(range(36))
    assert NAMES[0] == "HALT"


def test_fields_are_known() -> None:
    assert {kind for op in SOFT for kind in op.imm} == {"to", "a", "b", "n", "pc"}


@pytest.mark.parametrize("op, case", CASES)
def test_edge_case(op: Op, case: tuple[int, ...]) -> None:
    assert op.pure(32, *case[:-1]) == case[-1]


@pytest.mark.parametrize("name", SHARED)
def test_shared_rows_are_webassemblys(name: str) -> None:
    for a, b in product(EDGES, EDGES):
        assert SOFT[name].pure(32, a, b) == WASM[SHARED[name]].pure(a, b)


def test_flags_at_8_bits() -> None:
    for a, b in product(range(256), range(256)):
        signed_a, signed_b = (a ^ 128) - 128, (b ^ 128) - 128
        true = signed_a - signed_b
        flags = compare(8, a, b)
        assert [flags >> i & 1 for i in range(5)] == [
            true == 0, (true & 255) >> 7, a >= b, not -128 <= true <= 127, true < 0,
        ]  # fmt: skip


def test_max_needs_the_overflow_flag() -> None:
    flags = compare(32, 0x7FFFFFFF, 0xFFFFFFFF)
    assert flags >> 1 & 1 == 1  # the difference looks negative
    assert SOFT["JGE"].pure(32, flags) == 1  # and yet the first is not less
    assert SOFT["MAX"].pure(32, 0x7FFFFFFF, 0xFFFFFFFF) == 0x7FFFFFFF
