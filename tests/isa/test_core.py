"""The core table: rows of its own with edge cases, and rows that it shares with WebAssembly."""

import pytest

from transputer.errors import Trap, TrapError
from transputer.isa.asm import ASM
from transputer.isa.core import CORE
from transputer.isa.op import Op
from transputer.isa.wasm import RELEASE_3, WASM

#: Rows of WebAssembly that core code has no use for, or has in another form.
REPLACED = {
    *"nop block loop if else end br br_if br_table return call select_t".split(),
    *RELEASE_3,
}
PURE = [op for op in CORE if op.fn]
SHARED = [op for op in CORE if op.name in WASM and op.name not in REPLACED]


def outcome(op: Op, *operands: int) -> int | Trap:
    try:
        return op.pure(*operands)
    except TrapError as error:
        return error.trap


def test_all_of_webassembly_is_kept_or_replaced() -> None:
    assert [op.name for op in WASM if op.name not in CORE and op.name not in REPLACED] == []


@pytest.mark.parametrize("op", SHARED, ids=repr)
def test_kept_rows_mean_the_same(op: Op) -> None:
    twin = WASM[op.name]
    assert (op.code, op.doc, op.traps, op.width) == (twin.code, twin.doc, twin.traps, twin.width)
    assert op.fn is twin.fn
    assert op.cases == twin.cases
    if twin.sig:
        assert (op.pops, op.pushes) == (twin.pops, twin.pushes)


def test_every_pure_row_has_edge_cases() -> None:
    assert [op.name for op in PURE if len(op.cases) < 2] == []


@pytest.mark.parametrize("op", PURE, ids=repr)
def test_edge_cases(op: Op) -> None:
    for *operands, expected in op.cases:
        assert outcome(op, *operands) == expected, operands


@pytest.mark.parametrize("name", ["abs", "neg"])
def test_rows_that_only_the_assembly_needs_are_its_own(name: str) -> None:
    """The assembly's tests compare them with wasmtime."""
    core, asm = CORE[f"i32.{name}"], ASM[name.upper()]
    for *operands, expected in asm.cases:
        assert outcome(core, *operands) == expected


@pytest.mark.parametrize("op", CORE, ids=repr)
def test_rows_are_documented_and_numbered_in_a_byte_or_a_prefix(op: Op) -> None:
    assert op.doc
    assert op.code < 0x100 or op.code >> 8 == 0xFC
