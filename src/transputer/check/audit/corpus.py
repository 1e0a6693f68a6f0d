"""The corpus: small programs that together execute every instruction of the trace machine.

Each is a source text and its calls, one after another in one session. The operands are edge cases:
carries through every byte, both signs, accesses that straddle words, traps of every kind, several
invocations, input and output.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, product
from typing import Literal

from transputer.isa.core import MAX_FRAMES
from transputer.isa.floats import F32, F64
from transputer.isa.integers import mask
from transputer.isa.op import Op, ValType
from transputer.isa.wasm import WASM

Call = tuple[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class CorpusProgram:
    """A program as written, and its calls; `frames` is the limit of open calls."""

    name: str
    text: str
    calls: tuple[Call, ...] = ()
    stdin: bytes = b""
    frames: int = MAX_FRAMES
    language: Literal["wat", "asm"] = "wat"


ONES, LOW, HIGH = 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF
#: Operands of each type that programs try one after another; floats are bit patterns.
OPERANDS: dict[ValType, tuple[int, ...]] = {
    ValType.I32: (0, ONES, 1, LOW, HIGH, 0x01020304, 0x80FF7F01, 0xFEDCBA98),
    ValType.I64: (
        *(0, mask(64), 1, 1 << 63, mask(63), 0x0102030405060708),
        *(0x80FF7F0100FF8001, 0xFEDCBA9876543210),
    ),
    ValType.F32: (
        *(0, 0x80000001, 0x3F800000, 0xBFC00000, 0x7F7FFFFF, F32.nan, 0x40490FDB),
        *(0xFF800000, 0x00400000, 0x4B000001),
    ),
    ValType.F64: (
        *(0, 1 << 63 | 1, 0x3FF << 52, 0xBFF8 << 48, F64.infinity - 1, F64.nan),
        *(0x400921FB54442D18, 0xFFF << 52, 1 << 51, 0x4330000000000001),
    ),
}
DIVISIONS = (
    (0xFFFFFFF9, 2),
    (7, 0xFFFFFFFE),
    (0xFEDCBA98, 0xFFFFFF01),
    (LOW, ONES),
    (1, 0),
)
#: A dividend, a divisor: those that fit 32 bits, each half of one, and both.
WIDE_DIVISIONS = (
    (mask(64) - 6, 2),
    (7, mask(64) - 1),
    (0xFEDCBA9876543210, 0xFFFFFF0123456789),
    (0x7EDCBA9876543210, 0x123456789),
    (1 << 63, mask(64)),
    (1, 0),
)


def _calls(name: str, args: Iterable[tuple[int, ...]]) -> tuple[Call, ...]:
    return tuple((name, row) for row in args)


def _function(name: str, rows: Sequence[Op]) -> str:
    """A function that leaves the results of all these rows, each on the same operands."""
    types = rows[0].params
    operands = " ".join(f"(local.get {i})" for i in range(len(types)))
    results = "\n  ".join(f"({row.name} {operands})" for row in rows)
    params, returned = (
        " ".join(t.value for t in ts) for ts in (types, [row.results[0] for row in rows])
    )
    return f'(func (export "{name}") (param {params}) (result {returned})\n  {results})'


def _by_operands(rows: Iterable[Op]) -> dict[tuple[ValType, ...], list[Op]]:
    """The rows by the types of their operands."""
    groups: dict[tuple[ValType, ...], list[Op]] = {}
    for row in rows:
        groups.setdefault(row.params, []).append(row)
    return groups


def _arguments(types: Sequence[ValType], count: int) -> Iterator[tuple[int, ...]]:
    """Operands of these types; each operand comes with another in every call."""
    for i in range(count):
        yield tuple(OPERANDS[t][(i * (j + 1) + j) % len(OPERANDS[t])] for j, t in enumerate(types))


def _numeric(name: str, type_: ValType, count: int) -> CorpusProgram:
    """Every instruction that takes this type and cannot trap, on `count` operands."""
    rows = (o for o in WASM if o.fn and o.params and not (o.traps or o.width))
    groups = _by_operands(row for row in rows if row.params[0] is type_)
    names = {types: " ".join(t.value for t in types) for types in groups}
    functions = (_function(names[types], rows) for types, rows in groups.items())
    calls = (_calls(names[types], _arguments(types, count)) for types in groups)
    return CorpusProgram(name, "(module " + "\n".join(functions) + ")", tuple(chain(*calls)))


NUMBERS = (
    _numeric("32-bit integers", ValType.I32, 8),
    _numeric("64-bit integers", ValType.I64, 8),
    _numeric("single floats", ValType.F32, 10),
    _numeric("double floats", ValType.F64, 10),
)


def _each(rows: Sequence[Op]) -> str:
    return "(module " + "\n".join(_function(row.name, [row]) for row in rows) + ")"


_TRAPPING = [row for row in WASM if row.fn and row.traps and not row.width]
_QUOTIENTS = [row for row in _TRAPPING if len(row.params) == 2]
_TRUNCATIONS = [row for row in _TRAPPING if len(row.params) == 1]
DIVISION = CorpusProgram(
    "division",
    _each(_QUOTIENTS),
    tuple(
        (row.name, pair)
        for row in _QUOTIENTS
        for pair in (DIVISIONS if row.params[0] is ValType.I32 else WIDE_DIVISIONS)
    ),
)
TRUNCATION = CorpusProgram(
    "truncation",
    _each(_TRUNCATIONS),
    tuple((row.name, (number,)) for row in _TRUNCATIONS for number in OPERANDS[row.params[0]][2:8]),
)

SHIFTS = CorpusProgram(
    "shifts",
    """(module
      (func (export "shifts") (param $x i32) (result i32 i32 i32 i32 i32)
        (local $i i32) (local $a i32) (local $b i32) (local $c i32) (local $d i32) (local $e i32)
        loop $next
          (local.set $a (i32.xor (local.get $a) (i32.shl (local.get $x) (local.get $i))))
          (local.set $b (i32.xor (local.get $b) (i32.shr_s (local.get $x) (local.get $i))))
          (local.set $c (i32.xor (local.get $c) (i32.shr_u (local.get $x) (local.get $i))))
          (local.set $d (i32.xor (local.get $d) (i32.rotl (local.get $x) (local.get $i))))
          (local.set $e (i32.xor (local.get $e) (i32.rotr (local.get $x) (local.get $i))))
          (local.set $x (i32.add (local.get $x) (i32.const 0x9E3779B9)))
          (br_if $next (i32.lt_u
            (local.tee $i (i32.add (local.get $i) (i32.const 5))) (i32.const 40)))
        end
        local.get $a local.get $b local.get $c local.get $d local.get $e))""",
    _calls("shifts", ((0xB7E15163,),)),
)

#: Numbers of every type through parameters, locals, globals, calls and branches.
VALUES = CorpusProgram(
    "values of every type",
    """(module
      (global $l (export "l") (mut i64) (i64.const 0x0123456789ABCDEF))
      (global $f (export "f") (mut f32) (f32.const 1.5))
      (global $d (export "d") (mut f64) (f64.const -0.1))
      (type $wide (func (param i64 f64) (result f64 i64)))
      (table funcref (elem $turn))
      (func $turn (type $wide) (local.get 1) (local.get 0))
      (func (export "globals") (param i64 f32 f64) (result i64 f32 f64)
        (global.get $l) (global.get $f) (global.get $d)
        (global.set $l (local.get 0)) (global.set $f (local.get 1)) (global.set $d (local.get 2)))
      (func (export "turn") (param i64 f64) (result f64 i64)
        (call_indirect (type $wide) (local.get 0) (local.get 1) (i32.const 0)))
      (func (export "select") (param i32) (result i64 f64)
        (select (i64.const 0x1122334455667788) (i64.const -1) (local.get 0))
        (select (f64.const 0.1) (f64.const nan) (local.get 0)))
      (func (export "kept") (param i64 i32) (result i64 i64)
        block $out (result i64 i64)
          (i64.const 7) (local.get 0) (i64.const 0x8000000000000001)
          (br_if $out (local.get 1))
          i64.mul
        end)
      (func (export "mean") (param f64 f64) (result f64)
        (local $sum f64)
        (local.set $sum (f64.add (local.get 0) (local.get 1)))
        (f64.sqrt (f64.div (local.tee $sum (local.get $sum)) (f64.const 3)))))""",
    (
        ("globals", (mask(64) - 5, 0x7F800001, 0x7FF0000000000001)),
        ("globals", (0, 0, 0)),
        ("turn", (0xFEDCBA9876543210, 0x400921FB54442D18)),
        *_calls("select", ((0,), (1,))),
        *_calls("kept", ((mask(64), 0), (0x0102030405060708, 1))),
        *_calls("mean", ((0x400921FB54442D18, 0x4005BF0A8B145769), (1, 1))),
    ),
)

_LOADS = [o for o in WASM if o.width and o.pushes]
_STORES = [o for o in WASM if o.width and not o.pushes]


def _accesses() -> Iterator[str]:
    for row in _LOADS:
        result, name = row.results[0].value, row.name
        yield (
            f'(func (export "{name}") (param i32) (result {result})'
            f" ({name} offset=3 (local.get 0)))"
        )
    for row in _STORES:
        value, name = row.params[1].value, row.name
        yield (
            f'(func (export "{name}") (param i32 {value})'
            f" ({name} offset=5 (local.get 0) (local.get 1)))"
        )


def _stored(row: Op) -> int:
    """What a store stores; half of the programs' numbers have the sign bit of every width."""
    return 0x8F9DABC18E9CAAC0 & mask(row.params[1].bits)


MEMORY = CorpusProgram(
    "memory accesses",
    '(module (memory (export "memory") 2 5)\n'
    '  (data (i32.const 0) "\\81\\02\\f3\\04\\85\\06\\f7\\08\\89\\0a\\fb\\0c")\n'
    '  (data (i32.const 65530) "\\f1\\e2\\d3\\c4\\b5\\a6\\97\\88")\n  '
    + "\n  ".join(_accesses())
    + '\n  (func (export "size") (result i32) memory.size)'
    '\n  (func (export "grow") (param i32) (result i32) (memory.grow (local.get 0))))',
    (
        *((row.name, (at,)) for row, at in product(_LOADS, (0, 3, 65530))),
        *(
            (row.name, (at, _stored(row)))
            for row, at in product(_STORES, (0, 1, 0xFE, 65528, 131066))
        ),
        ("i32.load", (65528,)),
        ("i64.load", (131061,)),
        ("i32.store", (ONES, 1)),
        ("size", ()),
        ("grow", (2,)),
        ("i64.load", (131066,)),
        ("grow", (2,)),
        ("grow", (ONES,)),
        ("grow", (0,)),
        ("size", ()),
    ),
)

BRANCHES = CorpusProgram(
    "branches that keep values",
    """(module
      (func (export "none") (param i32) (result i32)
        (local $r i32)
        block $out
          i32.const 7
          (br_if $out (local.get 0))
          drop
          i32.const 8
          (local.set $r (i32.const 5))
          br $out
        end
        local.get $r)
      (func (export "one") (param i32) (result i32)
        block $out (result i32)
          i32.const 100
          i32.const 7
          (br_if $out (local.get 0))
          i32.add
          i32.const 9
          br $out
        end)
      (func (export "several") (param i32) (result i32 i32 i32)
        block $out (result i32 i32 i32)
          i32.const 100
          (i32.const 1) (i32.const 2) (i32.const 3)
          (br_if $out (local.get 0))
          drop drop drop
          (i32.const 4) (i32.const 5) (i32.const 6)
          br $out
        end)
      (func (export "if") (param i32) (result i32)
        (if (result i32) (local.get 0) (then (i32.const 11)) (else (i32.const 22))))
      (func (export "early") (param i32)
        (if (local.get 0) (then return))
        unreachable)
      (func (export "return one") (param i32) (result i32)
        (i32.const 1) (i32.const 2) (i32.add (local.get 0)) return)
      (func (export "return several") (param i32) (result i32 i32)
        (i32.const 1) (i32.const 2) (i32.const 3) return)
      (func (export "table") (param i32) (result i32)
        (local $r i32)
        block $c
          block $b
            block $a
              (br_table $a $b $c $b (local.get 0))
            end
            (local.set $r (i32.const 10))
            br $c
          end
          (local.set $r (i32.const 20))
        end
        local.get $r)
      (func (export "table of values") (param i32) (result i32)
        block $b (result i32)
          block $a (result i32)
            i32.const 33
            (i32.const 44)
            (br_table $a $b 2 $a (local.get 0))
          end
          (i32.add (i32.const 1000))
        end)
      (func (export "spin") (param i32) (result i32)
        (local i32)
        loop (result i32)
          (local.set 1 (i32.mul (i32.add (local.get 1) (local.get 0)) (i32.const 17)))
          (local.get 1)
          (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))
          i32.eqz
          (if (then (return (local.get 1))))
          br 0
        end)
      (func (export "select") (param i32) (result i32 i32)
        (select (i32.const 0x01020304) (i32.const 0xF0E0D0C0) (local.get 0))
        (select (result i32) (i32.const 5) (local.get 0) (local.get 0))))""",
    (
        *(
            (name, (x,))
            for name, x in product(
                ("none", "one", "several", "if", "early", "return one", "return several", "select"),
                (0, 1, LOW),
            )
        ),
        *_calls("table", ((0,), (1,), (2,), (3,), (4,), (256,), (ONES,))),
        *_calls("table of values", ((0,), (1,), (2,), (3,), (0x10000,))),
        ("spin", (5,)),
    ),
)

CALLS = CorpusProgram(
    "calls and tables",
    """(module
      (type $unary (func (param i32) (result i32)))
      (type $pair (func (param i32 i32) (result i32 i32)))
      (table $t (export "t") 9 12 funcref)
      (table $e (export "e") 3 externref)
      (elem (table $t) (i32.const 1) func $double $swap $deep $fib)
      (elem $passive funcref (ref.func $double) (ref.null func) (ref.func $swap))
      (elem declare func $fib)
      (global $g (export "g") (mut i32) (i32.const 7))
      (global $h (export "h") i32 (i32.const 0x12345678))
      (func $double (type $unary) (i32.shl (local.get 0) (i32.const 1)))
      (func $swap (type $pair) (local.get 1) (local.get 0))
      (func $deep (type $unary) (call_indirect $t (type $unary) (local.get 0) (i32.const 3)))
      (func $fib (export "fib") (type $unary)
        (if (i32.lt_s (local.get 0) (i32.const 2)) (then (return (local.get 0))))
        (i32.add
          (call $fib (i32.sub (local.get 0) (i32.const 1)))
          (call $fib (i32.sub (local.get 0) (i32.const 2)))))
      (func (export "indirect") (param i32 i32) (result i32)
        (call_indirect $t (type $unary) (local.get 0) (local.get 1)))
      (func (export "swapped") (param i32) (result i32 i32)
        (call_indirect $t (type $pair) (i32.const 1) (i32.const 2) (local.get 0)))
      (func $forever (export "forever") (result i32) (i32.add (call $forever) (i32.const 1)))
      (func (export "globals") (param i32) (result i32 i32)
        (global.get $g) (global.set $g (local.get 0)) (i32.add (global.get $g) (global.get $h)))
      (func (export "is null") (param i32) (result i32) (ref.is_null (table.get $t (local.get 0))))
      (func (export "set") (param i32) (table.set $t (local.get 0) (ref.func $fib)))
      (func (export "clear") (param i32) (table.set $t (local.get 0) (ref.null func)))
      (func (export "extern") (param i32 externref) (result externref)
        (table.set $e (local.get 0) (local.get 1)) (table.get $e (i32.const 1)))
      (func (export "sizes") (result i32 i32) (table.size $t) (table.size $e))
      (func (export "grow") (param i32) (result i32)
        (table.grow $t (ref.func $fib) (local.get 0)))
      (func (export "bulk")
        (table.init $t $passive (i32.const 6) (i32.const 0) (i32.const 3))
        (table.copy $t $t (i32.const 7) (i32.const 6) (i32.const 2))
        (table.fill $t (i32.const 5) (ref.null func) (i32.const 1))
        (elem.drop $passive))
      (func (export "init") (param i32)
        (table.init $t $passive (i32.const 0) (i32.const 0) (local.get 0))))""",
    (
        ("fib", (4,)),
        *_calls("indirect", ((21, 1), (1, 2), (1, 0), (1, 9), (1, ONES), (4, 4), (1, 3))),
        *_calls("swapped", ((2,), (1,), (5,))),
        ("forever", ()),
        ("globals", (0xFEDCBA98,)),
        *_calls("is null", ((0,), (1,), (8,), (9,), (LOW,))),
        *_calls("set", ((8,), (9,))),
        *_calls("indirect", ((3, 8),)),
        ("clear", (1,)),
        ("indirect", (3, 1)),
        *_calls("extern", ((1, 0), (1, 5), (3, 5))),
        ("sizes", ()),
        *_calls("grow", ((2,), (2,), (0,), (LOW,))),
        ("sizes", ()),
        *_calls("indirect", ((2, 10),)),
        ("bulk", ()),
        *_calls("init", ((0,), (1,))),
    ),
    frames=24,
)

BULK = CorpusProgram(
    "bulk memory",
    """(module
      (memory (export "memory") 1 2)
      (data $d "\\01\\82\\03\\84\\05\\86\\07")
      (func (export "fill") (param i32 i32 i32)
        (memory.fill (local.get 0) (local.get 1) (local.get 2)))
      (func (export "copy") (param i32 i32 i32)
        (memory.copy (local.get 0) (local.get 1) (local.get 2)))
      (func (export "init") (param i32 i32 i32)
        (memory.init $d (local.get 0) (local.get 1) (local.get 2)))
      (func (export "drop") (data.drop $d)))""",
    (
        ("init", (3, 0, 7)),
        ("fill", (13, 0x1EE, 9)),
        ("copy", (5, 3, 9)),
        ("copy", (2, 4, 6)),
        ("fill", (65530, 1, 7)),
        ("drop", ()),
        ("init", (0, 0, 1)),
    ),
)

FRAMES = CorpusProgram(
    "large frames",
    """(module
      (func $down (export "down") (param $n i32) (result i32)
        (local """
    + "i32 " * 20000
    + """)
        (local.set 20000 (i32.mul (local.get $n) (i32.const 3)))
        (if (local.get $n) (then (local.set 300
          (call $down (i32.sub (local.get $n) (i32.const 1))))))
        (i32.add (local.get 300) (local.get 20000)))
      (func $forever (export "forever") (local """
    + "i32 " * 49000
    + ") call $forever))",
    (("down", (5,)), ("forever", ())),
)

DEVICES = CorpusProgram(
    "input, output, exit",
    """(module
      (import "transputer" "read" (func $read (result i32)))
      (import "transputer" "write" (func $write (param i32)))
      (import "transputer" "exit" (func $exit (param i32)))
      (import "spectest" "print_i32" (func $print (param i32)))
      (memory 1)
      (global $sum (export "sum") (mut i32) (i32.const 0))
      (func (export "echo")
        (local $c i32)
        loop $next
          (local.set $c (call $read))
          (if (i32.ge_s (local.get $c) (i32.const 0)) (then
            (call $write (i32.add (local.get $c) (i32.const 1)))
            (global.set $sum (i32.add (global.get $sum) (local.get $c)))
            br $next))
        end)
      (func (export "print") (param i32) (call $print (local.get 0)))
      (func (export "stop") (param i32) (call $exit (local.get 0)) unreachable))""",
    (("echo", ()), ("print", (1,)), ("stop", (0x1234,))),
    b"Gdkk\xfe",
)

START = CorpusProgram(
    "a start function that traps",
    """(module (memory 1)
      (func $start (i32.store (i32.const 65533) (i32.const 1)))
      (start $start))""",
)

_PUSH = "PUSH 0xFEDCBA98 PUSH 0x80FF7F01"
_BINARY = (
    "ADD SUB MUL AND OR XOR SHL SHR_S SHR_U ROTL ROTR EQ NE LT_S LT_U GT_S GT_U LE_S LE_U GE_S GE_U"
)
ASSEMBLY = CorpusProgram(
    "assembly",
    "\n".join(f"OVER OVER {name} ROT ROT" for name in _BINARY.split())
    + """
    DIV_U
    PUSH -7 ABS  PUSH 7 ABS  PUSH 0x80000000 ABS  PUSH 1 NEG  PUSH 0 NEG  PUSH 0x01000000 NEG
    PUSH 10 PUSH 20 PUSH 0 SELECT  PUSH 10 PUSH 20 PUSH 0x100 SELECT
    PUSH 3 PUSH 4 SWAP SUB
    PUSH 5 DUP MUL
    PUSH 0xFFFFFFFE PUSH 0x8899AABB I32.STORE16
    PUSH 0xFFFFFFFC I32.LOAD
    PUSH 0x12345677 PUSH 0xCAFEBABE I32.STORE
    PUSH 0x12345679 I32.LOAD16_S
    LOCAL.GET 3
    PUSH 6 LOCAL.TEE 3
    CALL twice
    LOCAL.GET 3
    PUSH 0 JZ on
    TRAP
on: PUSH 1 JNZ out
    TRAP
twice:
    LOCAL.GET 3 POP
    DUP LOCAL.SET 4
    LOCAL.GET 4 ADD
    RETURN
out:
    HALT
""",
    (("main", (0xFEDCBA98, 0x80FF7F01)),),
    language="asm",
)


def _failing(name: str, text: str, *args: int) -> CorpusProgram:
    return CorpusProgram(name, text, (("main", args),), language="asm")


FAILURES = (
    _failing("assembly: too few operands", "PUSH 1 ADD HALT"),
    _failing("assembly: return without call", "RETURN"),
    _failing("assembly: trap", "TRAP"),
    _failing("assembly: divide by zero", "PUSH 0 REM_S HALT", 7),
    _failing("assembly: out of bounds", "I32.LOAD HALT", 0xFFFFFFFD),
)

#: Every program of the corpus.
CORPUS: tuple[CorpusProgram, ...] = (
    *NUMBERS,
    DIVISION,
    TRUNCATION,
    SHIFTS,
    VALUES,
    MEMORY,
    BRANCHES,
    CALLS,
    BULK,
    FRAMES,
    DEVICES,
    START,
    ASSEMBLY,
    *FAILURES,
)
