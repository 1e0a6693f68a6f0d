"""The assembly table: the seed's names and numbers, edge cases, and wasmtime's opinion."""

import re
from itertools import product
from pathlib import Path

import pytest
import wasmtime

from transputer.errors import Trap, TrapError
from transputer.isa.asm import ASM, reference
from transputer.isa.op import Op
from transputer.isa.wasm import WASM

DOCS = Path(__file__).parents[2] / "docs" / "assembly.md"

#: Copied from the seed, not from the table.
SEED = """\
1 PUSH 2 POP 3 ADD 4 DUP 5 HALT 6 SUB 7 JZ 8 JNZ 9 NOP 10 SWAP 11 OVER 12 ROT 13 MUL 14 DIV_S
15 DIV_U 16 REM_S 17 REM_U 18 EQZ 19 EQ 20 NE 21 LT_S 22 LT_U 23 GT_S 24 GT_U 25 LE_S 26 LE_U
27 GE_S 28 GE_U 29 AND 30 OR 31 XOR 32 SHL 33 SHR_S 34 SHR_U 35 ROTL 36 ROTR 37 CLZ 38 CTZ
39 POPCNT 40 ABS 41 NEG 42 SELECT 43 LOCAL.GET 44 LOCAL.SET 45 LOCAL.TEE 46 I32.LOAD
47 I32.STORE 48 I32.LOAD8_U 49 I32.LOAD8_S 50 I32.LOAD16_U 51 I32.LOAD16_S 52 I32.STORE8
53 I32.STORE16 54 CALL 55 RETURN 99 TRAP
"""

NUMERIC = [op for op in ASM if op.fn and not op.width]
LOADS = [op for op in ASM if op.width and op.pushes]
STORES = [op for op in ASM if op.width and not op.pushes]
CASES = [pytest.param(op, case, id=f"{op.name}{case}") for op in ASM for case in op.cases]
EDGES = (0, 1, 2, 3, 7, 31, 32, 33, 255, 256, 0x8000, 0xFFFF, 0x10001, 0x7FFFFFFE, 0x7FFFFFFF)
VALUES = EDGES + tuple(~x & 0xFFFFFFFF for x in EDGES)

#: Rows that WebAssembly lacks, in terms of what it has.
DERIVED = {
    "NEG": "(i32.sub (i32.const 0) (local.get 0))",
    "ABS": "(select (i32.sub (i32.const 0) (local.get 0)) (local.get 0) "
    "(i32.lt_s (local.get 0) (i32.const 0)))",
    "SELECT": "(select (local.get 1) (local.get 0) (local.get 2))",
}
TRAPS = {
    wasmtime.TrapCode.INTEGER_DIVISION_BY_ZERO: Trap.DIVIDE_BY_ZERO,
    wasmtime.TrapCode.INTEGER_OVERFLOW: Trap.INTEGER_OVERFLOW,
}


def outcome(op: Op, *operands: int) -> object:
    try:
        return op.pure(*operands)
    except TrapError as error:
        return error.trap


def test_names_and_numbers_are_the_seeds() -> None:
    words = SEED.split()
    seed = dict(zip(map(int, words[::2]), words[1::2], strict=True))
    assert {op.code: op.name for op in ASM} == seed


def test_every_pure_row_has_edge_cases() -> None:
    assert [op.name for op in ASM if op.fn and not op.cases] == []


@pytest.mark.parametrize(("op", "case"), CASES)
def test_edge_cases(op: Op, case: tuple[object, ...]) -> None:
    *operands, expected = case
    assert len(operands) == (1 if op.width else op.pops)
    assert outcome(op, *operands) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize("op", NUMERIC, ids=repr)
def test_declared_traps_are_those_that_cases_show(op: Op) -> None:
    assert {case[-1] for case in op.cases if isinstance(case[-1], Trap)} == set(op.traps)


@pytest.mark.parametrize("op", ASM, ids=repr)
def test_docs_state_the_stack_effect(op: Op) -> None:
    does, _, effect = op.doc.partition("  ")
    before, arrow, after = effect.partition("→")
    assert does.endswith(".")
    assert arrow
    assert len(before.split()) == op.pops
    assert bool(after.strip()) == bool(op.pushes)


@pytest.mark.parametrize("name", ["DIV", "REM", "LT", "GT", "LE", "GE", "SHR"])
def test_signed_and_unsigned_differ(name: str) -> None:
    cases = product(VALUES, VALUES)
    signed, unsigned = ASM[f"{name}_S"], ASM[f"{name}_U"]
    assert any(outcome(signed, a, b) != outcome(unsigned, a, b) for a, b in cases)


def wat(op: Op) -> str:
    operands = " ".join(f"(local.get {i})" for i in range(op.pops))
    body = DERIVED.get(op.name, f"(i32.{op.name.lower()} {operands})")
    params = " ".join(["i32"] * op.pops)
    return f'(func (export "{op.name}") (param {params}) (result i32) {body})'


def wat_access(op: Op) -> str:
    params, result = ("i32", "(result i32)") if op.pushes else ("i32 i32", "")
    operands = " ".join(f"(local.get {i})" for i in range(op.pops))
    body = f"({op.name.lower()} {operands})"
    return f'(func (export "{op.name}") (param {params}) {result} {body})'


class Wasmtime:
    """Every row as a function of one module."""

    def __init__(self) -> None:
        functions = [wat(op) for op in NUMERIC] + [wat_access(op) for op in LOADS + STORES]
        self.store = wasmtime.Store()
        memory = '(memory (export "memory") 1)'
        module = wasmtime.Module(self.store.engine, f"(module {memory} {' '.join(functions)})")
        self.exports = wasmtime.Instance(self.store, module, []).exports(self.store)

    def call(self, name: str, *operands: int) -> object:
        """The result as an unsigned number, or the trap."""
        function = self.exports[name]
        assert isinstance(function, wasmtime.Func)
        try:
            result = function(self.store, *(x - (x >> 31 << 32) for x in operands))
        except wasmtime.Trap as trap:
            assert trap.trap_code is not None
            return TRAPS[trap.trap_code]
        return None if result is None else result & 0xFFFFFFFF


@pytest.fixture(scope="module")
def machine() -> Wasmtime:
    return Wasmtime()


@pytest.mark.parametrize("op", NUMERIC, ids=repr)
def test_numeric_rows_agree_with_wasmtime(op: Op, machine: Wasmtime) -> None:
    values = VALUES if op.pops < 3 else VALUES[::4]
    for operands in product(values, repeat=op.pops):
        assert outcome(op, *operands) == machine.call(op.name, *operands), operands


@pytest.mark.parametrize("op", LOADS, ids=repr)
def test_loads_agree_with_wasmtime(op: Op, machine: Wasmtime) -> None:
    for value in VALUES:
        machine.call("I32.STORE", 16, value)
        raw = value & ((1 << 8 * op.width) - 1)
        assert op.pure(raw) == machine.call(op.name, 16)


@pytest.mark.parametrize("op", STORES, ids=repr)
def test_stores_agree_with_wasmtime(op: Op, machine: Wasmtime) -> None:
    for value in VALUES:
        machine.call("I32.STORE", 16, 0)
        machine.call(op.name, 16, value)
        assert op.pure(value) == machine.call("I32.LOAD", 16)


def test_memory_rows_match_those_of_webassembly() -> None:
    for op in LOADS + STORES:
        twin = WASM[op.name.lower()]
        assert (op.sig, op.width, op.traps) == (twin.sig, twin.width, twin.traps)


def test_the_reference_page_is_fresh() -> None:
    text = DOCS.read_text(encoding="utf-8")
    found = re.search(r"<!-- instructions -->\n(.*)<!-- end of instructions -->", text, re.DOTALL)
    assert found
    assert found[1] == reference(), "paste transputer.isa.asm.reference() into docs/assembly.md"
