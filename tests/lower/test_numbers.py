"""Every numeric instruction in words against its pure function: special values and random bits.

The lowered module is real WebAssembly, so wasmtime runs it, many operands to a call. The pure
functions of the tables say what is right.
"""

import itertools
import os
import random
import struct
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TypeVar

import pytest
import wasmtime

from transputer.errors import Trap, TrapError
from transputer.frontends.binary import decode, encode
from transputer.frontends.wat import to_wasm
from transputer.ir.halves import split
from transputer.ir.module import Module
from transputer.ir.verify import verify
from transputer.isa.floats import F32, F64, Format
from transputer.isa.op import Op, ValType
from transputer.isa.wasm import WASM
from transputer.lower.numbers import RULES, library, lower_numbers
from transputer.lower.origin import as_written
from transputer.lower.routines import TARGET, compiled
from transputer.runtime.trace.program import TraceProgram
from transputer.runtime.trace.sessions import new_session

#: Random operands of each instruction; the variable makes a long run of it.
COUNT = int(os.environ.get("TRANSPUTER_NUMBERS", "1500"))
Item = TypeVar("Item")
WIDE = [
    op for op in WASM if op.fn and not op.width and not set(op.params + op.results) <= {ValType.I32}
]


def integers(bits: int) -> list[int]:
    """Powers of two and their neighbours, patterns, small numbers."""
    powers = {(1 << n) + d for n in range(bits) for d in (-1, 0, 1)}
    patterns = {int("5" * (bits // 4), 16), int("A" * (bits // 4), 16), 10, 1000, 65535, 65537}
    chosen = powers | patterns | {-v for v in powers | patterns}
    return sorted({v & ((1 << bits) - 1) for v in chosen})


def floats(f: Format) -> list[int]:
    """Zeros, subnormals, limits, infinities, NaNs with payloads, halves, powers and neighbours."""
    one = (f.infinity >> 1) & f.infinity
    unit = 1 << f.fraction
    edges = [0, 1, 2, 3, unit >> 1, unit - 1, unit, unit + 1, one, one - unit, one + (unit >> 1)]
    edges += [f.infinity - 1, f.infinity, f.infinity + 1, f.nan, f.nan | 5, f.sign - 1]
    edges += [f.encode(x) for x in (0.1, 1.5, 2.5, 3.5, 0.5, 1e30, 1e-30, 4503599627370497.5)]
    for n in (8, 16, 23, 24, 25, 31, 32, 33, 52, 53, 54, 62, 63, 64, 65):
        power = one + (n << f.fraction)
        edges += [power - 1, power, power + 1, power + (unit >> 1)]
        low = one - (n << f.fraction)
        edges += [low - 1, low, low + 1]
    return sorted({v for e in edges for v in (e, e | f.sign)})


VALUES = {
    ValType.I32: integers(32),
    ValType.I64: integers(64),
    ValType.F32: floats(F32),
    ValType.F64: floats(F64),
}


def near(r: random.Random, type_: ValType) -> int:
    """Random bits, or a special value with a few of them changed."""
    if r.random() < 0.5:
        return r.getrandbits(type_.bits)
    value = r.choice(VALUES[type_])
    for _ in range(r.randrange(3)):
        value ^= 1 << r.randrange(type_.bits)
    return value


def operands(op: Op, count: int) -> list[tuple[int, ...]]:
    """The table's cases, special values in as many combinations as fit, and random ones."""
    r = random.Random(op.name)
    special = list(itertools.product(*(VALUES[t] for t in op.params)))
    if len(special) > 4 * count:
        special = r.sample(special, 4 * count)
    special += [tuple(case[:-1]) for case in op.cases]
    return special + [tuple(near(r, t) for t in op.params) for _ in range(count)]


def wrapped(op: Op) -> str:
    """A function that applies an instruction to operands in memory, over and over."""
    types = (*op.params, *op.results)
    offsets = [8 * i for i in range(len(types))]
    loads = "".join(
        f"({t.value}.load offset={at} (local.get $at))"
        for t, at in zip(op.params, offsets, strict=False)
    )
    result = op.results[0].value
    return f"""
        (func (export "many") (param $at i32) (param $end i32)
          (loop $next
            ({result}.store offset={offsets[-1]} (local.get $at) ({op.name} {loads}))
            (local.set $at (i32.add (local.get $at) (i32.const {8 * len(types)})))
            (br_if $next (i32.lt_u (local.get $at) (local.get $end)))))"""


def single(op: Op) -> str:
    params = " ".join(t.value for t in op.params)
    given = " ".join(f"(local.get {i})" for i in range(len(op.params)))
    return f"""(func (export "one") (param {params}) (result {op.results[0].value})
        ({op.name} {given}))"""


@cache
def lowered(text: str) -> Module:
    made = lower_numbers(as_written(verify(decode(to_wasm(f"(module {text})"))).module)).module
    types = {t for f in made.func_types for t in (*f.params, *f.results)}
    assert types <= {ValType.I32}
    return verify(made).module


class Machine:
    """The lowered module on wasmtime."""

    def __init__(self, text: str) -> None:
        engine = wasmtime.Engine()
        self.store = wasmtime.Store(engine)
        module = wasmtime.Module(engine, encode(lowered(text)))
        self.exports = wasmtime.Instance(self.store, module, []).exports(self.store)

    def many(self, op: Op, given: Sequence[tuple[int, ...]]) -> list[int]:
        """The results for all operands, in one call."""
        memory, size = self.exports["memory"], 8 * (len(op.params) + 1)
        assert isinstance(memory, wasmtime.Memory)
        packed = b"".join(struct.pack(f"<{len(g)}Qq", *g, 0) for g in given)
        memory.write(self.store, packed, 0)
        many = self.exports["many"]
        assert isinstance(many, wasmtime.Func)
        many(self.store, 0, len(packed))
        raw = bytes(memory.read(self.store, 0, len(packed)))
        mask = (1 << op.results[0].bits) - 1
        return [
            int.from_bytes(raw[at + size - 8 : at + size], "little") & mask
            for at in range(0, len(raw), size)
        ]


def expected(op: Op, given: tuple[int, ...]) -> int | Trap:
    try:
        return op.pure(*given)
    except TrapError as error:
        return error.trap


def chunks(items: list[Item], size: int) -> Iterable[list[Item]]:
    return (items[i : i + size] for i in range(0, len(items), size))


@pytest.mark.parametrize("op", WIDE, ids=lambda op: op.name)
def test_instruction_equals_its_pure_function(op: Op) -> None:
    """Operands on which it traps are for the next test."""
    machine = Machine(f'(memory (export "memory") 64) {wrapped(op)}')
    pairs = [(g, expected(op, g)) for g in operands(op, COUNT)]
    for chunk in chunks([(g, e) for g, e in pairs if not isinstance(e, Trap)], 100_000):
        got = machine.many(op, [g for g, _ in chunk])
        wrong = [(g, e, r) for (g, e), r in zip(chunk, got, strict=True) if e != r]
        assert wrong == []


@pytest.mark.parametrize("op", [op for op in WIDE if op.traps], ids=lambda op: op.name)
def test_traps_have_their_cause(op: Op) -> None:
    session = new_session("words", max_steps=10_000)
    verified = verify(decode(to_wasm(f"(module {single(op)})")))
    instance, _ = session.load_program(TraceProgram("one", module=verified))
    traps = [g for g in operands(op, 300) if isinstance(expected(op, g), Trap)]
    assert {expected(op, g) for g in traps} == set(op.traps)
    for given in traps:
        outcome = session.invoke(instance, "one", list(given))
        assert outcome.trap is expected(op, given), [hex(v) for v in given]
        assert outcome.instructions == len(given) + 1


@pytest.mark.parametrize("op", WIDE, ids=lambda op: op.name)
def test_cases_of_the_table(op: Op) -> None:
    session = new_session("words", max_steps=10_000)
    verified = verify(decode(to_wasm(f"(module {single(op)})")))
    instance, _ = session.load_program(TraceProgram("one", module=verified))
    for *given, wanted in op.cases:
        outcome = session.invoke(instance, "one", given)
        assert (outcome.trap or outcome.results[0]) == wanted
        assert outcome.instructions == len(given) + 1


def test_every_instruction_has_a_rule_or_a_routine() -> None:
    exported = {e.name for e in library().exports}
    wide = [op for op in WASM if op.sig and set(op.params + op.results) - {ValType.I32}]
    lacking = [op.name for op in wide if op.name not in RULES.rules and op.name not in exported]
    assert [name for name in lacking if not name.startswith("ref.")] == []


def test_routines_have_words_only() -> None:
    names = {i.name for f in library().functions for i in f.body}
    assert not {n for n in names if n.startswith(("i64.", "f32.", "f64."))}
    assert not {op for n in names if (op := WASM[n]).width}, "routines need no memory"
    assert split([ValType.I64], [1 << 32 | 7]) == [7, 1]


def test_the_compiled_routines_are_fresh() -> None:
    """Whatever is in the sources is in the package; clang is needed to tell."""
    pytest.importorskip("ziglang")
    assert TARGET.read_text(encoding="utf-8") == compiled(), "numbers.wat is stale: make routines"
