"""The corpus: small programs that together execute every instruction of the trace machine.

Each is a source text and its calls, one after another in one session. The operands are edge cases:
carries through every byte, both signs, accesses that straddle words, traps of every kind, several
invocations, input and output.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Literal

from transputer.isa.core import MAX_FRAMES
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
PAIRS = (
    (0, 0),
    (ONES, 1),
    (LOW, ONES),
    (HIGH, LOW),
    (0x01020304, 0x80FF7F01),
    (0xFEDCBA98, 0x00FF00FF),
)
DIVISIONS = (
    (0xFFFFFFF9, 2),
    (7, 0xFFFFFFFE),
    (0xFEDCBA98, 0xFFFFFF01),
    (LOW, ONES),
    (1, 0),
)


def _calls(name: str, args: Iterable[tuple[int, ...]]) -> tuple[Call, ...]:
    return tuple((name, row) for row in args)


def _rows(sig: str) -> list[str]:
    """32-bit integer instructions with this signature that cannot trap."""
    return [o.name for o in WASM if o.sig == sig and o.fn and not o.traps and not o.width]


def _all_of(name: str, rows: Iterable[str], params: int) -> str:
    """A function that leaves the results of all these rows, each on the same operands."""
    operands = " ".join(f"(local.get {i})" for i in range(params))
    results = [f"({row} {operands})" for row in rows]
    types = "(param" + " i32" * params + ") (result" + " i32" * len(results) + ")"
    return f'(func (export "{name}") {types}\n  ' + "\n  ".join(results) + ")"


ALU = CorpusProgram(
    "arithmetic and logic",
    "(module " + _all_of("binary", _rows("ii:i"), 2) + _all_of("unary", _rows("i:i"), 1) + ")",
    (*_calls("binary", PAIRS), *_calls("unary", ((0,), (1,), (LOW,), (0x8080,), (0x7F7F,)))),
)

_DIVIDES = "div_s div_u rem_s rem_u".split()
DIVISION = CorpusProgram(
    "division",
    "(module "
    + " ".join(
        f'(func (export "{name}") (param i32 i32) (result i32)'
        f" (i32.{name} (local.get 0) (local.get 1)))"
        for name in _DIVIDES
    )
    + ")",
    tuple((name, pair) for pair, name in product(DIVISIONS, _DIVIDES)),
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

_LOADS = [o.name for o in WASM if o.width and o.results == WASM["i32.load"].results]
_STORES = [o.name for o in WASM if o.width and o.sig == WASM["i32.store"].sig]


def _accesses() -> Iterator[str]:
    for name in _LOADS:
        yield (f'(func (export "{name}") (param i32) (result i32) ({name} offset=3 (local.get 0)))')
    for name in _STORES:
        yield (
            f'(func (export "{name}") (param i32 i32)'
            f" ({name} offset=5 (local.get 0) (local.get 1)))"
        )


MEMORY = CorpusProgram(
    "memory accesses",
    '(module (memory (export "memory") 2 5)\n'
    '  (data (i32.const 0) "\\81\\02\\f3\\04\\85\\06\\f7\\08\\89\\0a\\fb\\0c")\n'
    '  (data (i32.const 65530) "\\f1\\e2\\d3\\c4\\b5\\a6\\97\\88")\n'
    "  ;; 0x0FEDCBA9 goes through every width\n  "
    + "\n  ".join(_accesses())
    + '\n  (func (export "size") (result i32) memory.size)'
    '\n  (func (export "grow") (param i32) (result i32) (memory.grow (local.get 0))))',
    (
        *((name, (at,)) for name, at in product(_LOADS, (0, 1, 2, 3, 65530))),
        *(
            (name, (at, 0x8F9DABC1))
            for name, at in product(_STORES, (0, 1, 2, 3, 0xFE, 65528, 131066))
        ),
        ("i32.load", (65528,)),
        ("i32.load", (131066,)),
        ("i32.store", (ONES, 1)),
        ("size", ()),
        ("grow", (2,)),
        ("i32.load", (131066,)),
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
    ALU,
    DIVISION,
    SHIFTS,
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
