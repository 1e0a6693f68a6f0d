"""The page says how programs become tokens: a compiler written from it gives the same prompts."""

import re
import struct
from pathlib import Path

import pytest

from tests.tools.prompt_compiler import Module, PromptCompiler, run
from tools.encoding_page import FIELDS, IMMEDIATES, PAGE, SPACES, STATUSES, render
from transputer.engines.native.decoder import Native
from transputer.errors import EngineUnavailable
from transputer.host.console import Console
from transputer.ir.core import CoreFunction, core
from transputer.ir.core_text import parse_core
from transputer.ir.core_verify import verify_core
from transputer.ir.module import FuncType
from transputer.isa.core import CORE
from transputer.machines.trace.opcodes import OPCODES
from transputer.machines.trace.prompt import Places, encode, supported
from transputer.machines.trace.session import TraceSession
from transputer.machines.trace.universal import model
from transputer.machines.trace.vocabulary import LAYOUT, Space, Status

CORE_PAGE = (PAGE.parent / "core-code.md").read_text(encoding="utf-8")
TOTAL, CHOOSE, _ = re.findall(r"^```core\n(.*?)^```$", CORE_PAGE, re.M | re.S)
GCD = """
type (i32 i32)->(i32)
export func 0 "gcd"
func (i32 i32)->(i32) entry 0 locals 3 frame 5 "gcd"
 0  local.get 1
 1  jump_unless 11
 2  local.get 1
 3  local.set 2
 4  local.get 0
 5  local.get 1
 6  i32.rem_u
 7  local.set 1
 8  local.get 2
 9  local.set 0
10  jump 0
11  local.get 0
12  return 1
"""
SUM = """
type (i32)->(i64)
memory 1 2
global mut i64 (i64.const 7)
export func 0 "sum"
data active 0 (i32.const 6) "0100000002000000ffffffff"
func (i32)->(i64) entry 0 locals 1 frame 3 "sum"
 0  local.get 0
 1  jump_unless 12
 2  local.get 0
 3  i32.const 4
 4  i32.sub
 5  local.set 0
 6  global.get 0
 7  local.get 0
 8  i64.load32_u 6 0
 9  i64.add
10  global.set 0
11  jump 0
12  i32.const 1
13  memory.grow 0
14  drop
15  i32.const 65533
16  global.get 0
17  i64.store 0 0
18  i32.const 65533
19  i64.load 0 0
20  return 1
"""
FACTORIAL = """
type (i64)->(i64)
export func 0 "factorial"
func (i64)->(i64) entry 0 locals 1 frame 4 "factorial"
 0  local.get 0
 1  i64.eqz
 2  jump_if 10
 3  local.get 0
 4  local.get 0
 5  i64.const 1
 6  i64.sub
 7  call 0
 8  i64.mul
 9  return 1
10  i64.const 1
11  return 1
"""
AVERAGE = """
type (f64 f64 f64)->(f64)
type (f64)->(f64)
table funcref 2
export func 0 "average"
elem active 0 (i32.const 1) funcref (ref.func 1)
func (f64 f64 f64)->(f64) entry 0 locals 3 frame 5 "average"
func (f64)->(f64) entry 8 locals 1 frame 3 "third"
 0  local.get 0
 1  local.get 1
 2  f64.add
 3  local.get 2
 4  f64.add
 5  i32.const 1
 6  call_indirect 1 0
 7  return 1
 8  local.get 0
 9  f64.const 4613937818241073152
10  f64.div
11  return 1
"""
COUNT = """
type ()->(i32)
export func 0 "count"
func ()->(i32) entry 0 locals 1 frame 3 "count"
 0  local.zero 0
 1  input
 2  i32.const 4294967295
 3  i32.eq
 4  jump_if 10
 5  local.get 0
 6  i32.const 1
 7  i32.add
 8  local.set 0
 9  jump 1
10  local.get 0
11  return 1
"""


def bits(number: float) -> int:
    return int(struct.unpack("<Q", struct.pack("<d", number))[0])


PROGRAMS = {
    "gcd": (GCD, [48, 36], b"", 12),
    "sum": (SUM, [12], b"", 7 + 1 + 2 + 0xFFFFFFFF),
    "factorial": (FACTORIAL, [20], b"", 2432902008176640000),
    "average": (AVERAGE, [bits(0.1), bits(0.2), bits(0.4)], b"", bits((0.1 + 0.2 + 0.4) / 3)),
    "count": (COUNT, [], b"bytes", 5),
    "total": (TOTAL, [102], b"", 100 * 101 // 2 + 200),
    "choose": (CHOOSE, [1], b"", 40),
}


def native() -> Native:
    try:
        return Native(model(), keep=True)
    except EngineUnavailable as error:
        pytest.skip(str(error))


def test_the_page_is_fresh() -> None:
    fresh = PAGE.read_text(encoding="utf-8") == render()
    assert fresh, "docs/encoding.md is stale: run `python -m tools.encoding_page`"


def test_the_compiler_is_small_and_independent() -> None:
    text = (Path(__file__).parent / "prompt_compiler.py").read_text(encoding="utf-8")
    assert len(text.splitlines()) < 200
    imports = re.findall(r"^\s*(?:from|import) (\w+)", text, re.M)
    assert imports == ["hashlib", "re", "pathlib"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_prompt_and_hash_are_ours(name: str) -> None:
    text, args, stdin, result = PROGRAMS[name]
    module, source = parse_core(text), iter(stdin)
    verify_core(module)
    session = TraceSession(native(), console=Console(lambda: next(source, -1)), keep=True)
    instance, _ = session.load(module)
    prompt = PromptCompiler(Module(text)).prompt(name, args)
    assert session.invoke(instance, name, args).results == (result,)
    tape = session.trace.tape
    tokens = [tuple(row) for row in tape.tokens[: len(prompt)].tolist()]
    assert prompt == tokens
    last, digest = run(native(), prompt, stdin)
    assert last["status"] == Status.DONE
    assert digest == tape.digest()


def test_every_field_space_and_status_is_explained() -> None:
    assert list(FIELDS) == [name for name, _ in LAYOUT]
    assert set(SPACES) == set(Space)
    assert set(STATUSES) | {Status.TRAPS} == set(Status)
    assert set(IMMEDIATES) <= set(OPCODES)


SAMPLES = {"br": [(5, 3, n) for n in (0, 1, 2)], "br_if": [(5, 3, n) for n in (0, 1, 2)]}
SAMPLES |= {"return": [(n,) for n in (0, 1, 2)]}


@pytest.mark.parametrize("name", [op.name for op in CORE if supported(op.name)])
def test_the_fields_of_an_instruction_are_those_on_the_page(name: str) -> None:
    """Immediates that are not zero appear in the fields that the page names, and in no others."""
    names = {number: opcode for opcode, number in OPCODES.items()}
    function = CoreFunction(FuncType(()), 7, 2, 9)
    places = Places({3: function}, {3: 16}, {3: 17}, [0, 0, 0, 8], [0, 0, 0, 9])
    for args in SAMPLES.get(name, [tuple(3 for _ in CORE[name].imm)]):
        code = (core(name, *args), *(core("jump", 2) for _ in range(5)))
        item = encode(code, 1, places)[0]
        told = set(re.findall(r"`(\w+)`", IMMEDIATES.get(names[item.op], "")))
        zero = {"fp"} if "`fp` 0" in IMMEDIATES.get(names[item.op], "") else set()
        zero |= {"value"} if name == "ref.null" else set()
        zero |= {"depth"} if name == "memory.size" else set()
        zero |= {"fp"} if names[item.op] == "call" else set()  # a function without parameters
        fields = {n for n, _ in LAYOUT if getattr(item, n)} - {"space", "at", "op"}
        assert fields == told - zero
