"""Learned programs as WebAssembly text, which every other machine here runs.

Registers are locals, the program counter chooses a block of one loop: `br_table` goes to the
instruction, and each falls through to the next. Memory is a word array at address 0.
"""

from collections.abc import Iterator, Sequence
from functools import reduce
from operator import or_
from typing import Any

from transputer.errors import Unsupported
from transputer.ir.soft import Instruction
from transputer.isa.op import Registry
from transputer.isa.soft import FLAGS, SOFT, Shape, meaning, observed, operands, shape
from transputer.isa.words import Templates

_PAGE = 65536
#: Bits of a word of the module.
WORD = 32
#: Words and conditions as WebAssembly text.
_TEXT = Templates(
    number="(i32.const {0})",
    add="(i32.add {0} {1})",
    sub="(i32.sub {0} {1})",
    mul="(i32.mul {0} {1})",
    and_="(i32.and {0} {1})",
    or_="(i32.or {0} {1})",
    xor="(i32.xor {0} {1})",
    shl="(i32.shl {0} {1})",
    shr="(i32.shr_u {0} {1})",
    sra="(i32.shr_s {0} {1})",
    equal="(i32.eq {0} {1})",
    less="(i32.lt_s {0} {1})",
    below="(i32.lt_u {0} {1})",
    negative="(i32.lt_s {0} (i32.const 0))",
    not_="(i32.eqz {0})",
    differ="(i32.xor {0} {1})",
    choose="(select {1} {2} {0})",
)
_FLAGS = tuple(f"(local.get ${flag})" for flag in FLAGS)
_NEXT = "(local.set $r{A} (i32.add {a} (i32.const 1)))"
#: The statements of rows without a function, with the fields a, b, n, sum (a + n), D, A and go.
statements: Registry[str] = Registry(SOFT)
for _name, _does in {
    "HALT": "{end}",
    "JMP": "{go}",
    "LD": "(local.set $r{D} (i32.load (i32.shl {sum} (i32.const 2))))",
    "ST": "(i32.store (i32.shl {sum} (i32.const 2)) {b})",
    "LDP": f"(local.set $t (i32.load (i32.shl {{a}} (i32.const 2)))) {_NEXT} "
    "(local.set $r{D} (local.get $t))",
    "STP": f"(i32.store (i32.shl {{a}} (i32.const 2)) {{b}}) {_NEXT}",
    "LDB": "(local.set $r{D} (i32.load8_u {sum}))",
    "STB": "(i32.store8 {sum} {b})",
}.items():
    statements.on(_name)(_does)


def to_wat(
    code: Sequence[Instruction], arity: int, results: int, name: str = "f",
    data: Sequence[int] = (), peek: int | None = None,
) -> str:  # fmt: skip
    """A module that exports the program as a function of 32-bit integers.

    `data` are words that memory starts with; with `peek` the only result is the word at that
    address after the run. Raises `Unsupported` for CALL, RET, IN and OUT, which have no place in
    a function.
    """
    length = len(code)
    labels = " ".join(f"$i{k}" for k in range(length + 1))
    blocks = "\n".join(f"(block $i{k}" for k in reversed(range(length + 1)))
    seen = reduce(or_, (observed(i.op) for i in code), 0)
    body = "\n".join(_instruction(i, k, length, seen) for k, i in enumerate(code))
    flags = " ".join(f"(local ${flag} i32)" for flag in FLAGS)
    params = " ".join(f"(param $r{k} i32)" for k in range(arity))
    rest = " ".join(f"(local $r{k} i32)" for k in range(arity, 16))
    outcome = " ".join("i32" for _ in range(1 if peek is not None else results))
    left = " ".join(f"(local.get $r{k})" for k in range(results))
    if peek is not None:
        left = f"(i32.load (i32.const {4 * peek}))"
    packed = "".join(f"\\{byte:02x}" for word in data for byte in word.to_bytes(4, "little"))
    return f"""(module
(memory (export "memory") {1 + len(data) * 4 // _PAGE})
(data (i32.const 0) "{packed}")
(func (export "{name}") {params} (result {outcome}) {rest}
(local $pc i32) (local $t i32) {flags}
(loop $next
{blocks}
(br_table {labels} (local.get $pc)))
{body}
)
{left}))
"""


def _instruction(i: Instruction, at: int, length: int, seen: int) -> str:
    """What stands after the block of a place: its statements, then the end of the next block."""
    return "\n".join((f";; {at}: {i}", *_statements(i, length, seen), ")"))


def _statements(i: Instruction, length: int, seen: int) -> Iterator[str]:
    """The statements of an instruction; of the flags those that are `seen` are set."""
    d, a, b = (f"(local.get $r{register})" for register in (i.d, i.a, i.b))
    n, go = _TEXT.number(i.n), _go(min(i.n, length))
    kind = shape(i.op)
    if kind is Shape.OTHER:
        if i.op not in statements.rules:
            raise Unsupported(f"{i.op} has no place in a function")
        yield statements.rules[i.op].format(
            a=a, b=b, sum=_TEXT.add(a, n), D=i.d, A=i.a, go=go, end=_go(length)
        )
        return
    given: dict[str, Any] = {"d": d, "a": a, "b": b, "n": n, "flags": _FLAGS}
    result = meaning(i.op)(_TEXT, *(given[take] for take in operands(i.op)))
    if kind is Shape.FLAGS:
        for k, (flag, condition) in enumerate(zip(FLAGS, result, strict=True)):
            if seen >> k & 1:
                yield f"(local.set ${flag} {condition})"
    elif kind is Shape.BRANCH:
        yield f"(if {result} (then {go}))"
    else:
        yield f"(local.set $r{i.d} {result})"
        if kind is Shape.COUNT:
            yield f"(if {d} (then {go}))"


def _go(place: int) -> str:
    return f"(local.set $pc (i32.const {place})) (br $next)"
