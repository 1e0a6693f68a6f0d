"""Fused rows: operations of IEEE 754 in hot code are what the steps compute, and were proved."""

import hashlib
import itertools
import json
import random
import struct
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.engines.listening import prompt
from tests.engines.test_tiers import same
from tools.short.chains import Chain
from tools.short.floats import VALUE
from tools.short.fused import Fusion, files, fused, fusions, last_leaf
from tools.short.rows import Known, leaf_of
from transputer.circuit.floats import FloatFormat
from transputer.engines.lifted.decoder import HASTY, Lifted, Pace, Want, region, set_pace, settle
from transputer.engines.lifted.decoder.circuit import OWN
from transputer.engines.lifted.decoder.emit import BlockEmitter
from transputer.engines.lifted.decoder.expr import WordExpr
from transputer.engines.lifted.decoder.fused import Fused, FusedRows, fused_rows, write_fused
from transputer.engines.lifted.decoder.lifting import lifting
from transputer.engines.lifted.decoder.proved import ProvedRows
from transputer.engines.lifted.decoder.rows import RowLeaf, RowSplit, Tree
from transputer.engines.native.decoder import Native
from transputer.engines.protocol import Counted
from transputer.machines.trace.opcodes import OPCODES
from transputer.machines.trace.tape import STATUS
from transputer.machines.trace.universal import model as trace_model
from transputer.model import digest
from transputer.runtime.trace.program import TraceProgram, compile_file

RECORD = Path(__file__).parents[2] / "docs/benchmarks/short.json"
PHASE, SP, FIRST, SECOND, FETCHED = 4, 1, 3, 4, 2


@pytest.fixture(scope="module")
def proved() -> ProvedRows:
    rows = lifting(trace_model(), frozenset([STATUS])).proved
    assert rows is not None
    return rows


@pytest.fixture(scope="module")
def shipped() -> FusedRows:
    return fused_rows(digest(trace_model()))


def by_name(proved: ProvedRows, shipped: FusedRows) -> dict[str, tuple[Fusion, Fused]]:
    """The shipped fused rows, by the names of their instructions."""
    fetched, _ = proved.frame.setting.controls
    names = {OPCODES[fusion.name]: fusion for fusion in fusions()}
    return {
        names[row.fixed[fetched]].name: (names[row.fixed[fetched]], row) for row in shipped.rows
    }


def edges(f: FloatFormat) -> list[int]:
    """Words of a format: zeros, subnormal numbers, ties, bounds of the range, infinities, NaNs."""
    top, one, unit = f.infinity, f.bias << f.fraction, 1 << f.fraction
    positive = [
        *(0, 1, 2, unit // 2, unit - 1, unit, unit + 1, 2 * unit - 1),
        *(one, one + 1, one - 1, one + unit // 2, one + unit + 1, one + unit * f.fraction),
        *(
            one - unit * f.fraction,
            one - unit * (f.fraction + 1),
            one - unit * (f.fraction + 2) + 1,
        ),
        *(top // 2, top // 2 // unit * unit + 3, top - 1, top - unit, top - 2 * unit + 5),
        *(top, top + 1, top + unit // 2),
    ]
    return [sign << f.bits - 1 | word for word in positive for sign in (0, 1)]


# Proofs


def test_shipped_rows_are_those_that_were_proved(proved: ProvedRows, shipped: FusedRows) -> None:
    """Rows and what solvers were asked of them come out again as they were."""
    records = {r["instruction"]: r for r in json.loads(RECORD.read_text(encoding="utf-8"))["fused"]}
    rows = by_name(proved, shipped)
    assert {*rows} == {*records} >= {"f64.add", "f64.sub", "f64.mul"}
    for name, (fusion, row) in rows.items():
        assert row == fused(fusion, proved)
        texts = files(fusion, row, proved)
        assert len(texts) == records[name]["files"]
        assert hashlib.sha256("".join(texts).encode()).hexdigest() == records[name]["sha256"]


def other_result(tree: Tree, result: WordExpr, guard: WordExpr | None) -> Tree:
    """A fused tree with another result and guard."""
    if isinstance(tree, RowSplit):
        going = last_leaf(tree)
        sides = (
            other_result(side, result, guard) if going in [*_leaves(side)] else side
            for side in (tree.yes, tree.no)
        )
        return RowSplit(tree.condition, tree.queries, *sides)
    words = [*tree.words]
    words[VALUE] = replace(words[VALUE], expr=result, guard=guard)
    return RowLeaf(tuple(words), tree.queries)


def _leaves(tree: Tree) -> Iterator[RowLeaf]:
    if isinstance(tree, RowLeaf):
        yield tree
    else:
        yield from _leaves(tree.yes)
        yield from _leaves(tree.no)


def wrong(row: Fused) -> Iterator[tuple[str, Fused]]:
    """Rows that say something else than one that is right."""
    value = last_leaf(row.tree).words[VALUE]
    kind, (a, b), data = value.expr.kind, value.expr.parts, value.expr.data
    other = WordExpr({"fadd": "fmul", "fmul": "fadd"}[kind], (a, b), data)
    minus = WordExpr("xor", (b, WordExpr("num", (), (1 << data[0] - 1,))))
    negative = WordExpr(kind, (a, minus), data)
    up = WordExpr("sum", (value.expr, WordExpr("num", (), (1,))))
    inexact = WordExpr("and", (value.expr, WordExpr("num", (), ((1 << data[0]) - 2,))))
    results = {"operation": other, "operand": negative, "next": up, "cut": inexact}
    for name, result in results.items():
        yield name, replace(row, tree=other_result(row.tree, result, value.guard))
    always = WordExpr("not", (WordExpr("eq", (a,), (-1,)),))
    yield "guard", replace(row, tree=other_result(row.tree, value.expr, always))
    yield "steps", replace(row, between=row.between[:-1])
    if row.early is not None:
        never = WordExpr("eq", (a,), (-1,)), row.early[1]
        yield "never early", replace(row, early=never)


def token(f: FloatFormat, a: int, b: int, groups: int) -> Known:
    """A token with two operands on the stack."""
    known = {(source, g): 0 for source in (OWN, FETCHED) for g in range(groups)}
    known |= {(OWN, SP): 10, (FETCHED, VALUE): 40 << 16, (OWN, 0): 7}
    return known | {(FIRST, VALUE): a, (SECOND, VALUE): b}


def decoded(chain: Chain, known: Known) -> tuple[list[int], list[list[int]]]:
    """The phases of the steps of an instruction and their words, by the derived trees."""
    phases, after = [0], list[list[int]]()
    while not after or phases[-1]:
        tree = chain.proved.derived(chain.rows[phases[-1]])
        words = [w.expr.value(known) for w in leaf_of(tree, known).words]
        after.append([w for w in words if w is not None])
        known = known | {(OWN, g): word for g, word in enumerate(after[-1])}
        phases.append(after[-1][PHASE])
    return phases[:-1], after


def differs(fusion: Fusion, row: Fused, proved: ProvedRows, a: int, b: int) -> bool | None:
    """Whether a fused row says something else than the steps; None where it says nothing."""
    frame = proved.frame
    known = token(fusion.format, a, b, len(frame.groups))
    leaf = leaf_of(row.tree, known)
    if any(word.guard is not None and not word.guard.value(known) for word in leaf.words):
        return None
    phases, after = decoded(fusion.chain(proved), known)
    count = len(row.between) + 1
    if row.early is not None and row.early[0].value(known):
        count = row.early[1]
    if len(phases) != count or [w.expr.value(known) for w in leaf.words] != after[-1]:
        return True
    lone = [tuple(words[g] for g in frame.lone) for words in after[:-1]]
    return any(values not in row.between[at] for at, values in enumerate(lone))


def pairs(fusion: Fusion, rng: random.Random, count: int) -> list[tuple[int, int]]:
    """Operands: pairs of edges, and others with exponents near each other."""
    f, every = fusion.format, edges(fusion.format)
    chosen = rng.sample([*itertools.product(every, every)], count // 2)
    for _ in range(count - len(chosen)):
        a = rng.getrandbits(f.bits)
        exponent = (a >> f.fraction) + rng.randrange(-60, 60)
        low = rng.choice((rng.getrandbits(f.fraction), 0, 1, (1 << f.fraction) - 1))
        b = (exponent << f.fraction | low) % (1 << f.bits)
        chosen.append((a, b ^ rng.getrandbits(1) << f.bits - 1))
    return chosen


def test_fused_rows_say_what_derived_rows_say(proved: ProvedRows, shipped: FusedRows) -> None:
    rng = random.Random(21)
    for fusion, row in by_name(proved, shipped).values():
        said = [differs(fusion, row, proved, a, b) for a, b in pairs(fusion, rng, 120)]
        assert True not in said, fusion.name
        assert said.count(False) > len(said) // 2


def test_wrong_rows_are_seen(proved: ProvedRows, shipped: FusedRows) -> None:
    """Each kind of error is refuted by some operands, and has other claims than the right row."""
    rng = random.Random(22)
    fusion, row = by_name(proved, shipped)["f64.mul"]
    right = files(fusion, row, proved)
    for name, bad in wrong(row):
        tried = pairs(fusion, rng, 400)
        assert any(differs(fusion, bad, proved, a, b) for a, b in tried), name
        assert bad != row
    assert right == files(fusion, row, proved)


def test_solvers_refute_wrong_claims(proved: ProvedRows, shipped: FusedRows) -> None:
    """A claim with another rounding, another operation, or without its guard has a model."""
    pytest.importorskip("bitwuzla")
    from tools.short.solve import bitwuzla_says

    fusion, row = by_name(proved, shipped)["f64.mul"]
    value = last_leaf(row.tree).words[VALUE]
    (right,) = files(fusion, row, proved)[1:]
    guard = WordExpr("not", (WordExpr("eq", value.expr.parts[:1], (-1,)),))
    unguarded = replace(row, tree=other_result(row.tree, value.expr, guard))
    claims = [
        right.replace(" RNE ", " RTZ "),
        right.replace("(bvxor sa sb)", "sa"),
        files(fusion, unguarded, proved)[1],
    ]
    assert right not in claims
    assert [bitwuzla_says(claim) for claim in claims] == ["sat"] * 3
    assert bitwuzla_says(right) == "unsat"


# The file


def test_a_file_that_was_edited_is_not_used(shipped: FusedRows, tmp_path: Path) -> None:
    model = digest(trace_model())
    path = write_fused(tmp_path, model, shipped.rows)
    assert fused_rows(model, tmp_path).rows == shipped.rows
    assert fused_rows(model[::-1], tmp_path).rows == ()
    path.rename(tmp_path / path.name.replace(model[:32], model[::-1][:32]))
    assert fused_rows(model[::-1], tmp_path).rows == ()
    path = write_fused(tmp_path, model, shipped.rows)
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    assert fused_rows(model, tmp_path).rows == ()


# Hot code

OPERATIONS = ("add", "sub", "mul")


def table(f: FloatFormat) -> str:
    """A module: all operations on all pairs of edges, in a loop, their bits in one sum."""
    words, name, size = edges(f), f"f{f.bits}", f.bits // 8
    data = b"".join(struct.pack("<Q" if size == 8 else "<I", word) for word in words)
    text = "".join(f"\\{byte:02x}" for byte in data)
    bits = f"i{f.bits}.reinterpret_{name}"
    shift = f.bits.bit_length() - 4
    steps = "".join(
        f"""
        (local.set $sum (i{f.bits}.add (i{f.bits}.rotl (local.get $sum) (i{f.bits}.const 5))
          ({bits} ({name}.{op} (local.get $a) (local.get $b)))))"""
        for op in OPERATIONS
    )
    return f"""
    (module (memory 1) (data (i32.const 0) "{text}")
      (func (export "f") (param $n i32) (result i{f.bits})
        (local $i i32) (local $j i32) (local $a {name}) (local $b {name}) (local $sum i{f.bits})
        loop
          (local.set $i (i32.const 0))
          loop
            (local.set $a ({name}.load (i32.shl (local.get $i) (i32.const {shift}))))
            (local.set $j (i32.const 0))
            loop
              (local.set $b ({name}.load (i32.shl (local.get $j) (i32.const {shift})))) {steps}
              (br_if 0 (i32.lt_u
                (local.tee $j (i32.add (local.get $j) (i32.const 1))) (i32.const {len(words)})))
            end
            (br_if 0 (i32.lt_u
              (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const {len(words)})))
          end
          (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1))))
        end
        local.get $sum))"""


@pytest.fixture
def texts(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The texts of hot code, which every run soon has."""
    made: list[str] = []

    def noted(*args: Any, **options: Any) -> BlockEmitter:
        emitter = BlockEmitter(*args, **options)
        made.append(emitter.text)
        return emitter

    monkeypatch.setattr(region, "BlockEmitter", noted)
    monkeypatch.setattr(region, "_loaded", lambda facts: None)  # what the cache has is made again
    set_pace(HASTY)
    yield made
    set_pace(Pace())


@pytest.fixture
def wat(tmp_path: Path) -> Callable[[str], TraceProgram]:
    def compiled(text: str) -> TraceProgram:
        (tmp_path / "program.wat").write_text(text)
        return compile_file(tmp_path / "program.wat")

    return compiled


@pytest.mark.parametrize("name", ["f64", "f32"])
def test_hot_code_computes_what_the_weights_do(
    wat: Callable[[str], TraceProgram],
    texts: list[str],
    proved: ProvedRows,
    shipped: FusedRows,
    name: str,
) -> None:
    """All pairs of edges, in code with floats of the processor where rows are shipped."""
    rows = by_name(proved, shipped)
    f = next(fusion.format for fusion in fusions() if fusion.name.startswith(name))
    assert same(wat(table(f)), "f", [1]) == "lifted"
    operators = {"add": "+", "mul": "*"}
    for op, sign in operators.items():
        used = any(f" {sign} float{f.bits}(" in text for text in texts)
        assert used == (f"{name}.{op}" in rows)


LOOP = """
(module (func (export "f") (param $n i32) (result f64) (local $x f64) (local $y f64)
  (local.set $x (f64.const 1.25)) (local.set $y (f64.const 0))
  loop
    (local.set $y (f64.mul (local.get $y) (f64.sub (local.get $x) (f64.const 3.5))))
    (local.set $x (f64.add (f64.mul (local.get $x) (f64.const 0.75)) (f64.const 0.3)))
    (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1))))
  end
  (f64.add (local.get $x) (local.get $y))))
"""


def test_runs_end_between_the_steps_that_are_fused(
    wat: Callable[[str], TraceProgram], texts: list[str], proved: ProvedRows
) -> None:
    """Whatever number of steps is asked for, the last token and the tally are as they must be.

    Half of the products end early: one of their operands is 0. There is hot code after a while.
    """
    model, tokens = trace_model(), np.array(prompt(wat(LOOP), "f", [900]))
    groups = proved.frame.groups
    counted = Counted(groups[0], groups[PHASE][0], lambda: np.ones(4096, dtype=np.uint8))
    native, lifted = Native(model), Lifted(model, Want((STATUS,), counted=counted))
    native.extend(tokens)
    lifted.extend(tokens)
    stops = [(STATUS, None)]
    wanted, steps, rng = native.run(60_000, stops), 0, random.Random(5)
    assert len(wanted) < 60_000
    while steps < len(wanted):
        few = rng.choice((1, 2, 3, 5, 17, 40, 64, 200))
        done = lifted.sprint(few if texts else 2048)
        before = [tokens[-1:], wanted[: len(wanted) - 1]]
        here = np.concatenate(before)[steps : steps + done.steps]
        assert done.tally == counted.total(here)
        steps += done.steps
        settle()
        assert lifted.last == tuple(wanted[steps - 1].tolist())
    assert any("float64" in text for text in texts) and steps > 12_000
