"""Learned programs as WebAssembly text, which every other machine here runs.

Registers are locals, the program counter chooses a block of one loop: `br_table` goes to the
instruction, and each falls through to the next. Memory is a word array at address 0.
"""

from collections.abc import Iterator, Sequence

from transputer.errors import Unsupported
from transputer.ir.soft import Instruction

_PAGE = 65536
#: The value of each row, as WebAssembly text with the fields d, a, b, n and m (the shift).
_VALUES = {
    "MOV": "{a}", "SET": "{n}", "ADD": "(i32.add {a} {b})", "ADDI": "(i32.add {a} {n})",
    "SUB": "(i32.sub {a} {b})", "AND": "(i32.and {a} {b})", "OR": "(i32.or {a} {b})",
    "XOR": "(i32.xor {a} {b})", "SHL": "(i32.shl {a} {n})", "SHR": "(i32.shr_u {a} {n})",
    "SRA": "(i32.shr_s {a} {n})", "MIN": "(select {a} {b} (i32.lt_s {a} {b}))",
    "MAX": "(select {b} {a} (i32.lt_s {a} {b}))", "CMOV": "(select {a} {d} (local.get $less))",
    "LD": "(i32.load (i32.shl (i32.add {a} {n}) (i32.const 2)))",
    "LDB": "(i32.load8_u (i32.add {a} {n}))",
}  # fmt: skip
#: Other statements.
_ACTIONS = {
    "CMP": "(local.set $equal (i32.eq {a} {b})) (local.set $less (i32.lt_s {a} {b}))",
    "ST": "(i32.store (i32.shl (i32.add {a} {n}) (i32.const 2)) {b})",
    "STB": "(i32.store8 (i32.add {a} {n}) {b})",
    "LDP": "(local.set $t (i32.load (i32.shl {a} (i32.const 2)))) "
           "(local.set $r{A} (i32.add {a} (i32.const 1))) (local.set $r{D} (local.get $t))",
    "STP": "(i32.store (i32.shl {a} (i32.const 2)) {b}) "
           "(local.set $r{A} (i32.add {a} (i32.const 1)))",
}  # fmt: skip
#: When a row jumps.
_JUMPS = {
    "JMP": "(i32.const 1)", "JEQ": "(local.get $equal)", "JNE": "(i32.eqz (local.get $equal))",
    "JLT": "(local.get $less)", "JGE": "(i32.eqz (local.get $less))", "DJNZ": "{d}",
}  # fmt: skip


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
    body = "\n".join(_instruction(i, k, length) for k, i in enumerate(code))
    params = " ".join(f"(param $r{k} i32)" for k in range(arity))
    kept = " ".join(f"(local $r{k} i32)" for k in range(arity, 16))
    outcome = " ".join("i32" for _ in range(1 if peek is not None else results))
    left = " ".join(f"(local.get $r{k})" for k in range(results))
    if peek is not None:
        left = f"(i32.load (i32.const {4 * peek}))"
    packed = "".join(f"\\{byte:02x}" for word in data for byte in word.to_bytes(4, "little"))
    return f"""(module
(memory (export "memory") {1 + len(data) * 4 // _PAGE})
(data (i32.const 0) "{packed}")
(func (export "{name}") {params} (result {outcome}) {kept}
(local $pc i32) (local $equal i32) (local $less i32) (local $t i32)
(loop $next
{blocks}
(br_table {labels} (local.get $pc)))
{body}
)
{left}))
"""


def _instruction(i: Instruction, at: int, length: int) -> str:
    """What stands after the block of a place: its statements, then the end of the next block."""
    return "\n".join((f";; {at}: {i}", *_statements(i, length), ")"))


def _statements(i: Instruction, length: int) -> Iterator[str]:
    fields = {
        "d": f"(local.get $r{i.d})", "a": f"(local.get $r{i.a})", "b": f"(local.get $r{i.b})",
        "n": f"(i32.const {i.n - (1 << 32) if i.n >> 31 else i.n})", "D": i.d, "A": i.a,
    }  # fmt: skip
    if i.op == "HALT":
        yield _go(length)
    elif i.op == "DJNZ":
        yield f"(local.set $r{i.d} (i32.sub {fields['d']} (i32.const 1)))"
    elif i.op in _VALUES:
        yield f"(local.set $r{i.d} {_VALUES[i.op].format(**fields)})"
    elif i.op in _ACTIONS:
        yield _ACTIONS[i.op].format(**fields)
    elif i.op not in _JUMPS:
        raise Unsupported(f"{i.op} has no place in a function")
    if i.op in _JUMPS:
        yield f"(if {_JUMPS[i.op].format(**fields)} (then {_go(min(i.n, length))}))"


def _go(place: int) -> str:
    return f"(local.set $pc (i32.const {place})) (br $next)"
