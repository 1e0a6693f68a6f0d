"""The WebAssembly table: official numbers, edge cases, and wasmtime's opinion on all of it."""

import random
from itertools import product

import pytest
import wasmtime

from tests import sampling
from transputer.errors import Trap, TrapError
from transputer.isa.cases import CASES
from transputer.isa.floats import F32, F64
from transputer.isa.op import Op, ValType, with_cases
from transputer.isa.wasm import PREFIX, STRUCTURAL, WASM

PURE = [op for op in WASM if op.fn]
#: The numbers of WebAssembly without vectors and garbage collection, from the standard's index.
OFFICIAL = {
    *range(0x00, 0x06), *range(0x0B, 0x12), *range(0x1A, 0x1D), *range(0x20, 0x27),
    *range(0x28, 0xC5), *range(0xD0, 0xD3), *range(0xFC00, 0xFC12),
    0x08, 0x0A, *range(0x12, 0x16), 0x1F, *range(0xD4, 0xD7),
}  # fmt: skip

#: An immediate of each kind as text.
IMMEDIATES = {
    "blocktype": "",
    "label": "0",
    "labels": "0 0",
    "func": "0",
    "type": "(type 0)",
    "table": "0",
    "local": "0",
    "global": "0",
    "tag": "0",
    "catches": "",
    "data": "0",
    "elem": "0",
    "memory": "",
    "memarg": "",
    "valtypes": "(result i32)",
    "reftype": "func",
    "i32": "1",
    "i64": "1",
    "f32": "1",
    "f64": "1",
}
#: Rows written otherwise or with company: the text, and the place of the first byte.
STRUCTURES = {
    "block": ("block end", 0),
    "loop": ("loop end", 0),
    "if": ("if end", 0),
    "else": ("if else end", 2),
    "end": ("block end", 2),
    "select_t": ("select (result i32)", 0),
    "call_indirect": ("call_indirect 0 (type 0)", 0),
    "return_call_indirect": ("return_call_indirect 0 (type 0)", 0),
    "call_ref": ("call_ref 0", 0),
    "return_call_ref": ("return_call_ref 0", 0),
    "try_table": ("try_table end", 0),
}
TRAPS = {
    wasmtime.TrapCode.INTEGER_DIVISION_BY_ZERO: Trap.DIVIDE_BY_ZERO,
    wasmtime.TrapCode.INTEGER_OVERFLOW: Trap.INTEGER_OVERFLOW,
    wasmtime.TrapCode.BAD_CONVERSION_TO_INTEGER: Trap.INVALID_CONVERSION,
}


def outcome(op: Op, *operands: int) -> int | Trap:
    try:
        return op.pure(*operands)
    except TrapError as error:
        return error.trap


def shown(values: tuple[int, ...]) -> str:
    return " ".join(map(hex, values))


# Numbers and shapes


def test_the_table_is_webassembly_without_vectors() -> None:
    assert {op.code for op in WASM} == OFFICIAL


def assembled(text: str) -> bytes:
    """The instructions of a function as wasmtime's assembler writes them, the last end apart."""
    rest = bytes(wasmtime.wat2wasm(f"(module (func {text}))"))[8:]
    while rest[0] != 10:  # the code section; all sections here are shorter than 128 bytes
        rest = rest[2 + rest[1] :]
    _, size, count, length, local_runs, *code, end = rest
    assert (size, count, length) == (len(code) + 4, 1, len(code) + 2)
    assert (local_runs, end) == (0, 0x0B)
    return bytes(code)


@pytest.mark.parametrize("op", WASM, ids=repr)
def test_the_number_is_what_the_assembler_writes(op: Op) -> None:
    plain = " ".join((op.name, *(IMMEDIATES[kind] for kind in op.imm)))
    text, place = STRUCTURES.get(op.name, (plain, 0))
    code = assembled(text)[place:]
    number = PREFIX << 8 | code[1] if code[0] == PREFIX else code[0]
    assert hex(op.code) == hex(number)


@pytest.mark.parametrize("op", WASM, ids=repr)
def test_the_row_is_complete(op: Op) -> None:
    assert op.doc.endswith(".")
    assert op.sig == "" or ":" in op.sig
    assert set(op.imm) <= set(IMMEDIATES)
    assert op.fn is None or op.width or len(op.results) == 1
    assert bool(op.width) == (op.imm == ("memarg",))
    assert op.fn is not None or not op.cases


def test_structural_rows_exist() -> None:
    assert all(name in WASM for name in STRUCTURAL)


# Edge cases


def test_every_pure_row_has_edge_cases() -> None:
    assert [op.name for op in PURE if len(op.cases) < 2] == []


def test_cases_of_a_row_and_of_the_list_add_up() -> None:
    """Cases that stood in the row used to be replaced by those of the list."""
    inline = Op("i32.add", 0x6A, "ii:i", "Add.", cases=((1, 2, 3),))
    (row,) = with_cases([inline], {"i32.add": ((4, 5, 9),)})
    assert row.cases == ((1, 2, 3), (4, 5, 9))
    assert with_cases([inline], {}) == [inline]
    with pytest.raises(ValueError, match=r"edge cases of no instruction: i32\.ad$"):
        with_cases([inline], {"i32.ad": ((4, 5, 9),)})


def test_every_case_belongs_to_a_pure_row() -> None:
    assert [name for name in CASES if name not in WASM or not WASM[name].fn] == []


@pytest.mark.parametrize("op", PURE, ids=repr)
def test_edge_cases(op: Op) -> None:
    for *operands, expected in op.cases:
        assert len(operands) == (1 if op.width else op.pops)
        assert outcome(op, *operands) == expected, shown(tuple(operands))


@pytest.mark.parametrize("op", [op for op in PURE if not op.width], ids=repr)
def test_declared_traps_are_those_that_cases_show(op: Op) -> None:
    assert {case[-1] for case in op.cases if isinstance(case[-1], Trap)} == set(op.traps)


# wasmtime


def carrier(t: ValType) -> str:
    """The integer type that carries a value across, so that its bits are exact."""
    return t.value.replace("f", "i")


def received(t: ValType, index: int) -> str:
    get = f"(local.get {index})"
    return f"({t.value}.reinterpret_{carrier(t)} {get})" if t.value[0] == "f" else get


def sent(t: ValType, expression: str) -> str:
    return f"({carrier(t)}.reinterpret_{t.value} {expression})" if t.value[0] == "f" else expression


def value_function(op: Op) -> str:
    operands = " ".join(received(t, i) for i, t in enumerate(op.params))
    params = " ".join(map(carrier, op.params))
    (result,) = op.results
    body = sent(result, f"({op.name} {operands})")
    return f"(param {params}) (result {carrier(result)}) {body}"


def load_function(op: Op) -> str:
    """Stores eight bytes, the argument, and loads from there."""
    (result,) = op.results
    body = sent(result, f"({op.name} (i32.const 8))")
    store = "(i64.store (i32.const 8) (local.get 0))"
    return f"(param i64) (result {carrier(result)}) {store} {body}"


def store_function(op: Op) -> str:
    """Stores the argument into eight zero bytes and gives all of them."""
    value = op.params[1]
    clear = "(i64.store (i32.const 8) (i64.const 0))"
    store = f"({op.name} (i32.const 8) {received(value, 0)})"
    return f"(param {carrier(value)}) (result i64) {clear} {store} (i64.load (i32.const 8))"


def function(op: Op) -> str:
    if not op.width:
        return value_function(op)
    return load_function(op) if op.pushes else store_function(op)


class Wasmtime:
    """An instance with a function for every pure row; every value is an integer, as bits."""

    def __init__(self) -> None:
        config = wasmtime.Config()
        config.cranelift_nan_canonicalization = True
        self.store = wasmtime.Store(wasmtime.Engine(config))
        functions = "\n".join(f'(func (export "{op.name}") {function(op)})' for op in PURE)
        module = wasmtime.Module(self.store.engine, f"(module (memory 1) {functions})")
        self.exports = wasmtime.Instance(self.store, module, []).exports(self.store)

    def outcome(self, op: Op, *operands: int) -> int | Trap:
        function = self.exports[op.name]
        assert isinstance(function, wasmtime.Func)
        bits = [64] if op.width and op.pushes else [t.bits for t in op.params[-len(operands) :]]
        if op.width and op.pushes:  # the bytes behind those it reads must not matter
            operands = (operands[0] | 2**64 - (1 << 8 * op.width),)
        arguments = (x - (x >> (n - 1) << n) for x, n in zip(operands, bits, strict=True))
        try:
            result = function(self.store, *arguments)
        except wasmtime.Trap as trap:
            assert trap.trap_code is not None
            return TRAPS[trap.trap_code]
        width = op.results[0].bits if op.results else 64
        return int(result) & ((1 << width) - 1)


@pytest.fixture(scope="module")
def machine() -> Wasmtime:
    return Wasmtime()


@pytest.mark.parametrize("op", PURE, ids=repr)
def test_wasmtime_agrees_with_the_edge_cases(op: Op, machine: Wasmtime) -> None:
    for *operands, expected in op.cases:
        assert machine.outcome(op, *operands) == expected, shown(tuple(operands))


def integers(n: int) -> set[int]:
    """Numbers at which something happens: limits, powers of two, patterns."""
    near = {k + d for k in (0, 1 << (n - 1), 1 << n // 2, 1 << 8, 1 << 16) for d in (-1, 0, 1)}
    return {x % (1 << n) for x in near | {2, 7, n, n + 1, -2, -7, 0x0123456789ABCDEF}}


def floats(n: int) -> set[int]:
    """Patterns at which something happens: zeros, subnormals, halves, limits, NaNs."""
    f = F32 if n == 32 else F64
    limits = {f.encode(2.0**k) for k in (-1, 0, 1, 24, 31, 32, 53, 63, 64)}
    near = {k + d for k in (1, 1 << f.fraction, f.infinity, *limits) for d in (-1, 0, 1)}
    positive = near | {f.nan, f.nan + 1, f.encode(1.5), f.encode(2.5)}
    return positive | {x | f.sign for x in positive}


EDGES = {
    ValType.I32: sorted(integers(32)),
    ValType.I64: sorted(integers(64)),
    ValType.F32: sorted(floats(32)),
    ValType.F64: sorted(floats(64)),
}


def some(dice: random.Random, t: ValType) -> int:
    """A value of a type: an edge, one near an edge, or any."""
    kind = dice.randrange(4)
    edge = dice.choice(EDGES[t])
    if kind == 0:
        return edge
    if kind == 1:
        return (edge + dice.randint(-3, 3)) % (1 << t.bits)
    if kind == 2:
        return edge ^ 1 << dice.randrange(t.bits)
    return dice.getrandbits(t.bits)


def operands_of(op: Op) -> list[tuple[int, ...]]:
    """Every edge alone, many pairs of edges, and random operands that lean to the edges."""
    dice = random.Random(op.name)  # each row its own, always the same
    if op.width and op.pushes:
        t = ValType.I64 if op.width == 8 else ValType.I32
        found = (*EDGES[t], *(some(dice, t) for _ in range(100)))
        return [(x & ((1 << 8 * op.width) - 1),) for x in found]
    types = op.params[1:] if op.width else op.params
    edges = list(product(*(EDGES[t] for t in types)))
    count = 100 if sampling.quick else 500
    chosen = dice.sample(edges, min(len(edges), count))
    return chosen + [tuple(some(dice, t) for t in types) for _ in range(count)]


@pytest.mark.parametrize("op", PURE, ids=repr)
def test_wasmtime_agrees_on_random_operands(op: Op, machine: Wasmtime) -> None:
    for operands in operands_of(op):
        assert outcome(op, *operands) == machine.outcome(op, *operands), shown(operands)
