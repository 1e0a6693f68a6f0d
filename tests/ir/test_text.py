"""WebAssembly text: what is printed assembles to the same module again."""

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sampling import random_cases
from transputer.check.fuzz.choose import Seeded
from transputer.check.fuzz.modules import case
from transputer.check.spec import find_folder, read_script
from transputer.frontends.binary import decode, encode
from transputer.frontends.wat import to_wasm
from transputer.ir.module import (
    Catch,
    DataSegment,
    Function,
    FuncType,
    Instr,
    Mode,
    Module,
    NameSection,
)
from transputer.ir.text import print_wat
from transputer.ir.verify import verify
from transputer.isa.op import Op, ValType
from transputer.isa.wasm import WASM

FOLDER = find_folder()
SCRIPTS = sorted(FOLDER.glob("*.json.gz")) if FOLDER else []
#: Commands whose module is valid.
VALID = {"module", "assert_unlinkable", "assert_uninstantiable"}
END = Instr(WASM["end"])


def read(text: str) -> Module:
    return decode(to_wasm(text))


def normal(module: Module) -> Module:
    """The module with runs of locals merged: the text format has no runs."""
    functions = (replace(f, locals=tuple((1, t) for t in f.local_types)) for f in module.functions)
    return replace(module, functions=tuple(functions))


def reads_back(module: Module) -> None:
    for offsets in (False, True):
        again = read(print_wat(module, offsets=offsets))
        assert normal(again) == normal(module)
        assert again.names == module.names


# The official suite


def modules(path: Path) -> Iterator[Module]:
    script = read_script(path)
    for command in script.commands:
        if command["type"] in VALID:
            source = script.module(command["filename"])
            yield decode(to_wasm(source) if isinstance(source, str) else source)


@pytest.mark.skipif(not SCRIPTS, reason="found 0 files of the official suite (TRANSPUTER_SPEC)")
@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name.partition(".")[0])
def test_the_official_modules_read_back(path: Path) -> None:
    for module in modules(path):
        verify(module)
        reads_back(module)


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_random_modules_read_back(first: int) -> None:
    for seed in range(first, first + 10):
        reads_back(decode(encode(case(Seeded(seed)).module)))


# Shape

EXAMPLE = """\
(module $demo
  (type (;0;) (func (param i32 i32) (result i32)))
  (type (;1;) (func (param i32)))
  (type (;2;) (func))
  (import "env" "put" (func $put (;0;) (type 1) (param $c i32)))
  (import "env" "limit" (global (;0;) i32))
  (func $gcd (;1;) (type 0) (param $a i32) (param $b i32) (result i32)
    (local i64 i64) (local $t i32)
    block (;@1;)
      loop (;@2;)
        local.get $b
        i32.eqz
        br_if 1 (;@1;)
        local.get $b
        local.set $t
        local.get $a
        local.get $b
        i32.rem_u
        local.set $b
        local.get $t
        local.set $a
        br 0 (;@2;)
      end
    end
    local.get $a
    if (;@1;)
      i32.const 8
      i64.load offset=16 align=4
      local.set 2
    else
      f32.const -0x1.8p+0 (;=-1.5;)
      f32.const nan:0x200001
      i32.const -1
      select (result f32)
      drop
    end
    local.get $a
  )
  (func (;2;) (type 2)
    i32.const 7
    i32.const 0
    call_indirect 0 (type 1)
  )
  (table (;0;) 2 funcref)
  (memory (;0;) 1 4)
  (global (;1;) (mut f64) (f64.const 0x1.999999999999ap-4 (;=0.1;)))
  (export "gcd" (func $gcd))
  (export "memory" (memory 0))
  (start 2)
  (elem (;0;) (table 0) (i32.const 0) func $gcd 2)
  (elem (;1;) funcref (ref.null func) (ref.func $put))
  (elem (;2;) declare func $put)
  (data (;0;) (global.get 0) "Gr\\c3\\bc\\c3\\9fe \\22\\5c\\00")
  (data (;1;) "")
)
"""


def test_the_example_prints_as_written() -> None:
    module = read(EXAMPLE)
    assert print_wat(module) == EXAMPLE
    reads_back(module)


def test_offsets_are_where_the_instructions_are() -> None:
    binary = to_wasm(EXAMPLE)
    text = print_wat(decode(binary), offsets=True)
    lines = [re.fullmatch(r"\(;0x([0-9a-f]+);\) +(\S+).*", line) for line in text.splitlines()]
    found = [(int(m[1], 16), m[2]) for m in lines if m]
    instructions = [i for f in decode(binary).functions for i in f.body]
    assert len(found) == len(instructions)
    names = {")": "end", "select": "select_t"}
    for (offset, name), instr in zip(found, instructions, strict=True):
        assert names.get(name, name) == instr.name
        assert binary[offset] == instr.op.code


def test_without_its_margin_the_text_is_the_plain_one() -> None:
    module = read(EXAMPLE)
    margin = len(print_wat(module, offsets=True).partition("(module")[0])
    lines = print_wat(module, offsets=True).splitlines(keepends=True)
    assert "".join(line[margin:] for line in lines) == print_wat(module)


def test_the_empty_module() -> None:
    assert print_wat(Module()) == "(module\n)\n"
    reads_back(Module())


def test_deep_nesting_does_not_blow_up_the_text() -> None:
    depth = 10_000
    block = Instr(WASM["block"], (FuncType(),))
    body = (block,) * depth + (END,) * (depth + 1)
    module = Module((FuncType(),), (), (Function(0, (), body),))
    assert len(print_wat(module)) < 300 * depth


# Every row and every immediate

ARGUMENTS: dict[str, tuple[object, ...]] = {
    "blocktype": (FuncType(), FuncType((), (ValType.F64,)), 1),
    "label": (0,),
    "tag": (0, 2),
    "catches": ((), (Catch(None, False, 0), Catch(1, True, 0))),
    "labels": ((0,), (0, 0, 0)),
    "func": (0, 1),
    "type": (1,),
    "table": (0, 3),
    "local": (0, 2),
    "global": (2,),
    "data": (5,),
    "elem": (6,),
    "memory": (0,),
    "memarg": ((0, 0, 0), (0, 9, 0), (0, 2**32 - 1, 0)),
    "valtypes": ((ValType.EXTERNREF,), (ValType.I64,)),
    "reftype": (ValType.FUNCREF, ValType.EXTERNREF),
    "i32": (0, 2**31 - 1, 2**31, 2**32 - 1),
    "i64": (0, 2**63 - 1, 2**63, 2**64 - 1),
    "f32": (0, 0x7F800000, 0xFFC00000, 0x7F800001),
    "f64": (0, 0x7FF0000000000000, 0xFFF8000000000000, 0xFFF0000000000001),
}


def alone(op: Op, args: tuple[object, ...]) -> Module:
    """A module, valid or not, whose second function is one instruction."""
    types = (FuncType(), FuncType((ValType.I32,), (ValType.I32, ValType.I32)))
    code = (Instr(op, args), *((END,) if "blocktype" in op.imm else ()), END)
    return Module(types, (), (Function(0, (), (END,)), Function(1, (), code)))


@pytest.mark.parametrize("op", [op for op in WASM if op.name not in {"else", "end"}], ids=repr)
def test_every_row_prints_with_its_immediates(op: Op) -> None:
    for i in range(max((len(ARGUMENTS[kind]) for kind in op.imm), default=1)):
        args = tuple(ARGUMENTS[kind][i % len(ARGUMENTS[kind])] for kind in op.imm)
        reads_back(alone(op, args))


def test_two_tables_keep_their_order() -> None:
    reads_back(alone(WASM["table.copy"], (3, 4)))
    reads_back(alone(WASM["table.init"], (5, 6)))
    reads_back(alone(WASM["call_indirect"], (1, 6)))


@pytest.mark.parametrize("op", [op for op in WASM if op.width], ids=repr)
def test_default_alignment_is_not_printed(op: Op) -> None:
    for exponent in range(op.width.bit_length()):
        module = alone(op, ((exponent, 4, 0),))
        assert ("align" in print_wat(module)) == (1 << exponent != op.width)
        reads_back(module)


@pytest.mark.parametrize("kind, bits", [("f32", 32), ("f64", 64)])
def test_floats_are_exact(kind: str, bits: int) -> None:
    dice = random.Random(kind)
    op = WASM[f"{kind}.const"]
    fields = [1 << k for k in range(bits)] + [2**bits - 1 - (1 << k) for k in range(bits)]
    patterns = fields + [dice.getrandbits(bits) for _ in range(500)]
    code = tuple(Instr(op, (pattern,)) for pattern in patterns)
    reads_back(Module((FuncType(),), (), (Function(0, (), (*code, END)),)))


def test_a_block_with_many_values_can_state_its_type() -> None:
    """Then the assembler adds the type, at the end."""
    stated = FuncType((ValType.I32,), (ValType.I64, ValType.I64))
    module = alone(WASM["block"], (stated,))
    assert "block (param i32) (result i64 i64)" in print_wat(module)
    assert read(print_wat(module)).types == (*module.types, stated)


def test_runs_of_locals_are_merged() -> None:
    i32, i64 = ValType.I32, ValType.I64
    runs = ((1, i32), (0, i64), (2, i32), (1, i64))
    module = Module((FuncType(),), (), (Function(0, runs, (END,)),))
    again = read(print_wat(module))
    assert again.functions[0].locals == ((3, i32), (1, i64))


# Bytes and names


@random_cases(100)
@given(st.binary(max_size=200))
def test_data_keeps_every_byte(data: bytes) -> None:
    reads_back(Module(data=(DataSegment(data, Mode.PASSIVE),)))


def named(names: NameSection) -> Module:
    """Three functions of two parameters and one local."""
    type_ = FuncType((ValType.I32, ValType.I32))
    body = (Instr(WASM["local.get"], (1,)), Instr(WASM["call"], (1,)), END)
    function = Function(0, ((1, ValType.I64),), body)
    return Module((type_,), (), (function,) * 3, names=names)


def test_names_that_are_no_identifiers_are_annotations() -> None:
    module = named(
        NameSection("a b", {0: "same", 1: "same", 2: 'say "hi"'}, {(0, 1): "", (1, 1): "ok"})
    )
    text = print_wat(module)
    assert '(module (@name "a b")' in text
    assert '(func (@name "same") (;1;)' in text
    assert text.count("call 1") == 3
    assert text.count("local.get $ok") == 1
    reads_back(module)


def test_names_of_nothing_are_dropped() -> None:
    names = NameSection("", {0: "f", 3: "g"}, {(0, 2): "x", (0, 3): "y", (7, 0): "z"})
    again = read(print_wat(named(names)))
    assert again.names == NameSection(
        "", MappingProxyType({0: "f"}), MappingProxyType({(0, 2): "x"})
    )


def test_the_binary_keeps_the_names_too() -> None:
    module = read(EXAMPLE)
    assert print_wat(decode(encode(module))) == EXAMPLE


words = st.text(st.characters(codec="utf-8"), max_size=4) | st.sampled_from(["a", "$", "0", "a.b"])


@random_cases(200)
@given(
    words,
    st.dictionaries(st.integers(0, 2), words),
    st.dictionaries(st.tuples(st.integers(0, 2), st.integers(0, 2)), words),
)
def test_any_names_read_back(
    module: str, functions: dict[int, str], locals_: dict[tuple[int, int], str]
) -> None:
    names = NameSection(module, MappingProxyType(functions), MappingProxyType(locals_))
    reads_back(named(names))
