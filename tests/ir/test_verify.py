"""The verifier: every row's types, every index space, heights, positions, limits."""

import time

import pytest

from transputer.errors import InvalidError
from transputer.frontends.binary import decode, encode
from transputer.frontends.wat import to_wasm
from transputer.ir.module import (
    Body,
    ElementSegment,
    Export,
    ExternKind,
    Function,
    FuncType,
    Global,
    GlobalType,
    Instr,
    Limits,
    MemoryType,
    Mode,
    Module,
    TableType,
)
from transputer.ir.verify import RULES, FrameLayout, verify
from transputer.isa.core import MAX_SLOTS
from transputer.isa.op import Op, ValType
from transputer.isa.wasm import WASM
from transputer.oracle.independent import complaint

I32, FUNCREF = ValType.I32, ValType.FUNCREF
STATED = [op for op in WASM if op.sig]
#: An immediate of every kind that a row with stated types can have.
IMMEDIATES = {
    "memarg": (0, 0, 0),
    "memory": 0,
    "table": 0,
    "data": 0,
    "elem": 0,
    "func": 0,
    "i32": 1,
    "i64": 1,
    "f32": 1,
    "f64": 1,
}
#: An index where nothing is, for every kind that names something.
NOWHERE = {
    "local": "local",
    "global": "global",
    "func": "function",
    "table": "table",
    "memory": "memory",
    "memarg": "memory",
    "data": "data segment",
    "elem": "elem segment",
    "type": "type",
    "label": "label",
}


def instr(name: str, *args: object) -> Instr:
    return Instr(WASM[name], args)


def module(*body: Instr, results: tuple[ValType, ...] = ()) -> Module:
    """One function among one of everything."""
    wat = '(module (func) (memory 1) (table 1 funcref) (elem func 0) (data "x"))'
    rest = decode(to_wasm(wat))
    function = Function(1, (), (*body, instr("end")))
    return Module(
        types=(FuncType(), FuncType((), results)),
        functions=(*rest.functions, function),
        tables=rest.tables,
        memories=rest.memories,
        elements=rest.elements,
        data=rest.data,
        exports=(Export("f", ExternKind.FUNC, 0),),
    )


def valid(made: Module) -> bool:
    """Our answer, which must be wasmtime's."""
    theirs = complaint(encode(made)) == ""
    try:
        verify(decode(encode(made)))
    except InvalidError:
        assert not theirs
        return False
    assert theirs
    return True


def frame(text: str) -> FrameLayout:
    return verify(decode(to_wasm(f"(module (func {text}))"))).frames[0]


def default(t: ValType) -> Instr:
    return instr("ref.null", t) if t.is_ref else instr(f"{t.value}.const", 0)


def alone(op: Op) -> Instr:
    return Instr(op, tuple(IMMEDIATES[kind] for kind in op.imm))


def test_every_row_is_checked() -> None:
    assert [name for name in RULES.missing() if not WASM[name].sig] == []


@pytest.mark.parametrize("op", STATED, ids=lambda op: op.name)
def test_a_row_takes_and_leaves_what_it_says(op: Op) -> None:
    operands = tuple(map(default, op.params))
    drops = (instr("drop"),) * len(op.results)
    assert valid(module(*operands, alone(op), *drops))
    assert valid(module(*operands, alone(op), results=op.results))
    assert not valid(module(*operands, alone(op), *drops, instr("drop")))
    if op.results:
        assert not valid(module(*operands, alone(op)))


@pytest.mark.parametrize("op", [op for op in STATED if op.params], ids=lambda op: op.name)
def test_a_row_refuses_other_operands(op: Op) -> None:
    drops = (instr("drop"),) * len(op.results)
    for i, right in enumerate(op.params):
        wrong = next(t for t in ValType if t is not right)
        types = (*op.params[:i], wrong, *op.params[i + 1 :])
        assert not valid(module(*map(default, types), alone(op), *drops))
    assert not valid(module(*map(default, op.params[1:]), alone(op), *drops))
    assert valid(module(instr("unreachable"), alone(op), *drops))


@pytest.mark.parametrize(
    "op", [op for op in WASM if set(op.imm) & set(NOWHERE)], ids=lambda op: op.name
)
def test_an_index_must_name_something(op: Op) -> None:
    none = {"memarg": (0, 0, 0), "memory": 0}
    use = Instr(op, tuple(none.get(kind, 7) for kind in op.imm))
    body = (instr("unreachable"), use, instr("end"))
    with pytest.raises(InvalidError) as caught:
        verify(Module(types=(FuncType(),), functions=(Function(0, (), body),)))
    assert any(f"unknown {NOWHERE[kind]} " in str(caught.value) for kind in op.imm)


@pytest.mark.parametrize("op", [op for op in WASM if op.width], ids=lambda op: op.name)
def test_alignment_is_at_most_natural(op: Op) -> None:
    natural = op.width.bit_length() - 1
    drops = (instr("drop"),) * len(op.results)
    for exponent in range(natural + 2):
        access = Instr(op, ((exponent, 0, 0),))
        assert valid(module(*map(default, op.params), access, *drops)) == (exponent <= natural)


@pytest.mark.parametrize(
    "body, heights, operands",
    [
        ("", [0], 0),
        ("i32.const 1 drop", [0, 1, 0], 1),
        ("i32.const 1 block i32.const 2 drop end drop", [0, 1, 1, 2, 1, 1, 0], 2),
        ("block br 0 i32.const 1 drop end", [0, 0, -1, -1, -1, 0], 0),
        ("return block nop end", [0, -1, -1, -1, -1], 0),
        ("i32.const 1 if unreachable else nop end", [0, 1, 0, -1, 0, 0, 0], 1),
        ("loop br 0 end", [0, 0, -1, 0], 0),
        ("i32.const 1 i32.const 2 i32.const 0 br_if 0 drop drop", [0, 1, 2, 3, 2, 1, 0], 3),
    ],
)
def test_heights(body: str, heights: list[int], operands: int) -> None:
    found = frame(body)
    assert list(found.heights) == heights
    assert (found.operands, found.size) == (operands, operands)


def test_a_frame_counts_parameters_and_locals() -> None:
    found = frame("(param i32 i64) (local f32) local.get 0 drop")
    assert (found.params, found.locals, found.operands, found.size) == (2, 3, 1, 4)


@pytest.mark.parametrize(
    "text, message",
    [
        ("(func (result i32))", "type mismatch"),
        ("(func (param i32) local.get 0 i64.eqz drop)", "expected i64, found i32"),
        ("(func i32.const 1)", "values remain"),
        ("(func br 1)", "unknown label 1"),
        ("(func (result i32) i32.const 1 if (result i32) i32.const 1 end)", "without else"),
        ("(func block (result i32) i32.const 1 i32.const 0 br_table 0 1 end drop)", "br_table"),
        ("(func ref.null func ref.null func i32.const 0 select drop)", "must state its type"),
        ("(func i32.const 0 i64.const 0 i32.const 0 select drop)", "select of i32 and i64"),
        ("(global i32 (i32.const 0)) (func i32.const 1 global.set 0)", "immutable"),
        ("(table 1 externref) (func i32.const 0 call_indirect)", "table of funcref"),
        ("(table 1 externref) (table 1 funcref) (func i32.const 0 i32.const 0 i32.const 0 "
         "table.copy 0 1)", "different element types"),
        ("(table 1 externref) (elem func 0) (func i32.const 0 i32.const 0 i32.const 0 "
         "table.init 0 0)", "another type"),
        ("(func) (func ref.func 0 drop)", "undeclared function reference"),
        ("(func (param i32)) (start 0)", "start function"),
        ("(memory 1) (func (drop (i32.load 1 (i32.const 0))))", "unknown memory 1"),
        ("(memory 2 1)", "minimum must not be greater"),
        ("(memory 65537)", "at most 65536 pages"),
        ("(table 2 1 funcref)", "minimum must not be greater"),
        ("(func) (export \"a\" (func 0)) (export \"a\" (func 0))", "duplicate export name 'a'"),
        ("(global i32 (i64.const 0))", "expected i32, found i64"),
        ("(global $g (mut i32) (i32.const 0)) (global i32 (global.get $g))", "constant expression"),
        ("(global i32 (global.get 1)) (global i32 (i32.const 0))", "unknown global 1"),
        ("(import \"m\" \"g\" (global (mut i32))) (global i32 (global.get 0))",
         "constant expression"),
        ("(memory 1) (data (i64.const 0))", "expected i32, found i64"),
        ("(data (i32.const 0))", "unknown memory"),
        ("(table 1 externref) (elem (i32.const 0) func)", "differ in element type"),
        ("(func) (table 1 (ref func) (ref.func 0)) (elem (i32.const 0) funcref (ref.func 0))",
         "differ in element type"),
    ],
)  # fmt: skip
def test_rules_of_the_standard(text: str, message: str) -> None:
    binary = to_wasm(f"(module {text})")
    assert complaint(binary) != ""
    with pytest.raises(InvalidError, match=message):
        verify(decode(binary))


@pytest.mark.parametrize("where", ["(i32.const 0)", "declare", ""])
def test_functions_listed_by_index_are_not_null(where: str) -> None:
    table = "(func) (table 1 (ref func) (ref.func 0))"
    listed = decode(to_wasm(f"(module {table} (elem {where} func 0))"))
    verify(listed)
    assert listed.elements[0].type.value == "(ref func)"
    assert decode(encode(listed)) == listed


@pytest.mark.parametrize("around", [(), (instr("block", FuncType()),)], ids=["body", "block"])
def test_else_closes_only_an_if(around: Body) -> None:
    """The decoder refuses it in a binary; in a module made otherwise, the verifier does."""
    with pytest.raises(InvalidError, match="else without if"):
        verify(module(*around, instr("else"), instr("end")))


def test_an_error_names_the_offset_of_its_instruction() -> None:
    binary = to_wasm("(module (func nop nop i32.add))")
    made = decode(binary)
    with pytest.raises(InvalidError) as caught:
        verify(made)
    place = made.functions[0].body[2].span.start
    assert caught.value.place.offset == place
    assert binary[place] == WASM["i32.add"].code
    assert str(caught.value).startswith(f"0x{place:x}: type mismatch")


def test_labels_of_different_types_are_fine_where_nothing_runs() -> None:
    text = (
        "block (result f32) block (result i32) unreachable i32.const 0 br_table 0 1 end drop "
        "f32.const 0 end drop"
    )
    assert complaint(to_wasm(f"(module (func {text}))")) == ""
    assert frame(text).heights[-1] == 0


def calls(results: int, count: int, *, dead: bool) -> Module:
    """A function that leaves results nobody takes."""
    start: Body = (instr("unreachable"),) if dead else ()
    end = (instr("unreachable"), instr("end"))
    return Module(
        types=(FuncType((), (I32,) * results), FuncType()),
        functions=(
            Function(0, (), end),
            Function(1, (), (*start, *(instr("call", 0),) * count, *end)),
        ),
    )


@pytest.mark.parametrize("dead", [False, True])
def test_operands_beyond_any_frame_are_refused_at_once(dead: bool) -> None:
    """A few kilobytes must not make the verifier fill memory."""
    fits = calls(1000, MAX_SLOTS // 1000, dead=dead)
    verify(fits)
    started = time.perf_counter()
    with pytest.raises(InvalidError, match="operands do not fit in a frame"):
        verify(calls(1000, 100_000, dead=dead))
    assert time.perf_counter() - started < 5


def test_declarations_alone_are_valid() -> None:
    everything = Module(
        types=(FuncType((I32,), (I32, I32)),),
        tables=(TableType(FUNCREF, Limits(0, 2**32 - 1)),),
        memories=(MemoryType(Limits(0, 65536)),),
        globals=(Global(GlobalType(FUNCREF), (instr("ref.null", FUNCREF), instr("end"))),),
        elements=(
            ElementSegment(FUNCREF, ((instr("ref.null", FUNCREF), instr("end")),), Mode.DECLARED),
        ),
    )
    assert valid(everything)
    assert valid(Module())
