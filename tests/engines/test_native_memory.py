"""Native sessions whose tables give keys up, and that are put aside: never a difference."""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from transputer.circuit import Form, Graph, build
from transputer.circuit.logic import equal
from transputer.circuit.lookup import KeySpace, digit_parabolic
from transputer.engines.native.decoder import Native, Sha256
from transputer.engines.reference.decoder import Reference
from transputer.errors import UsageError
from transputer.frontends.binary import decode
from transputer.frontends.wat import to_wasm
from transputer.ir.verify import verify
from transputer.machines.trace.universal import model
from transputer.machines.trace.written import Written
from transputer.model import Model
from transputer.runtime.trace.program import TraceProgram
from transputer.runtime.trace.sessions import MachineSession

#: Every division remembers something under an address of its own.
DIVIDE = """(module (func (export "f") (param $n i32) (result i32) (local $s i32)
  (loop $l
    (local.set $s (i32.add (i32.mul (local.get $s) (i32.const 1664525)) (i32.const 1013904223)))
    (local.set $s (i32.add (local.get $s) (i32.div_u (local.get $s) (local.get $n))))
    (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
  (local.get $s)))"""
#: Fills words that nobody reads until all are filled.
FILL = """(module (memory 1) (func (export "f") (param $n i32) (result i32)
  (local $i i32) (local $s i32)
  (loop $l
    (i32.store (i32.shl (local.get $i) (i32.const 2)) (i32.mul (local.get $i) (i32.const 77)))
    (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n))))
  (loop $l
    (local.set $i (i32.sub (local.get $i) (i32.const 1)))
    (local.set $s (i32.xor (i32.mul (local.get $s) (i32.const 31))
                           (i32.load (i32.shl (local.get $i) (i32.const 2)))))
    (br_if $l (local.get $i)))
  (i32.add (local.get $s) (i32.load (i32.const 65532)))))"""


def ran(text: str, args: Sequence[int], **options: Any) -> tuple[Native, tuple[Any, ...]]:
    """The engine after a run, and what the run came to."""
    engine = Native(model(), **options)
    session = MachineSession(engine, max_steps=10**7)
    instance, _ = session.load_program(TraceProgram("", module=verify(decode(to_wasm(text, "")))))
    outcome = session.invoke(instance, "f", list(args))
    return engine, (outcome.results, outcome.steps, session.trace.tape.digest())


@pytest.mark.parametrize("keep", [False, True])
def test_keys_that_nobody_asks_for_are_given_up(keep: bool) -> None:
    whole, expected = ran(DIVIDE, [1500], large=0)
    some, found = ran(DIVIDE, [1500], large=100, keep=keep)
    assert found == expected
    assert max(whole.statistics().keys) > 1000
    assert max(some.statistics().keys) <= 200


def test_words_that_are_only_written_are_kept_where_stores_look() -> None:
    engine, found = ran(FILL, [1000], large=100)
    assert found == ran(FILL, [1000], large=0)[1]
    assert max(engine.statistics().keys) >= 500


def walker() -> Model:
    """Walks through addresses, writing each once; looks at the first, or where it is told to."""
    g = Graph(context=2**20)
    back, low, high, value = (g.part(n, s) for n, s in (("back", 2), ("low", 8), ("high", 256),
                                                        ("value", 256)))  # fmt: skip
    at = KeySpace((low.number(), high.number()), low.square() + high.square())
    looks = g.signal("looks", g.neuron(back.one_hot(1), high.number()))
    found = digit_parabolic(g, "cell", [Form.of(0), looks], at)
    carry = equal(g, low.number(), 7)
    g.output(back, 0)
    g.output(low, g.signal("next", low.number() + 1 - 8 * carry))
    g.output(high, g.signal("next high", high.number() + carry))
    g.output(value, g.signal("sum", found.read(value.number()) + back.one_hot(1)))
    return build(g)


@pytest.mark.parametrize("keep", [False, True])
def test_keys_that_are_asked_for_after_all(keep: bool) -> None:
    """The tables are made again with all of them: from the tokens, or by decoding once more."""
    held, first = walker(), (0, 0, 0, 5)
    reference, engine = Reference(held), Native(held, large=8, keep=keep)
    for one in (reference, engine):
        one.append(first)
    tokens = [reference.step() for _ in range(60)]
    assert [tuple(row) for row in engine.run(60).tolist()] == tokens
    assert max(engine.statistics().keys) < 40
    for one in (reference, engine):
        one.append((1, 3, 2, 9))
    assert engine.next() == reference.next() == (0, 4, 2, 6)
    assert max(engine.statistics().keys) > 60
    tokens = [reference.step() for _ in range(60)]
    assert [tuple(row) for row in engine.run(60).tolist()] == tokens
    if keep:
        assert [tuple(row) for row in engine.tokens.tolist()] == reference.tokens


def test_snapshots(large: int = 100) -> None:
    for text, argument in ((DIVIDE, 400), (FILL, 600)):
        engine, _ = ran(text, [argument], large=large)
        again = Native(model(), large=large)
        again.restore(engine.snapshot())
        assert len(again) == len(engine) and again.last == engine.last
        assert again.next() == engine.next()
        held, other = engine.snapshot(), again.snapshot()
        assert held.keys() == other.keys()
        assert all((held[name] == other[name]).all() for name in held)


def test_snapshots_of_something_else() -> None:
    engine, _ = ran(DIVIDE, [5])
    held = engine.snapshot()
    for wrong in (
        {"positions": held["positions"][::-1]},
        {"tokens": held["tokens"][:, 1:]},
        {"tokens": held["tokens"] + 256},
        {"flags": held["flags"][1:]},
    ):
        with pytest.raises(UsageError, match="not a snapshot"):
            Native(model()).restore({**held, **wrong})
    with pytest.raises(UsageError, match="not a snapshot"):
        engine.restore(held)
    with pytest.raises(UsageError, match="append them again"):
        Native(model(), keep=True).snapshot()


def test_a_hash_put_aside() -> None:
    """hashlib is the independent one."""
    ours, theirs, rng = Sha256(), hashlib.sha256(), np.random.default_rng(1)
    for _ in range(200):
        data = rng.bytes(int(rng.integers(0, 150)))
        ours.update(data)
        theirs.update(data)
        ours = Sha256(ours.state)
        assert ours.hexdigest() == theirs.hexdigest()


def test_latest_writes_are_those_of_a_dictionary() -> None:
    written, expected, rng = Written(), dict[tuple[int, int], int](), np.random.default_rng(2)
    for _ in range(300):
        count = int(rng.integers(0, 60))
        spaces = rng.integers(1, 4, count)
        addresses = rng.choice([rng.integers(0, 50, count), rng.integers(0, 2**32, count)])
        values = rng.integers(0, 2**32, count, dtype=np.uint32)
        writes = list(zip(spaces.tolist(), addresses.tolist(), values.tolist(), strict=True))
        if count % 2:
            written.note_all(spaces, addresses, values)
        for space, at, value in writes:
            expected[space, at] = value
            if not count % 2:
                written.note(space, at, value)
        for space, at, _ in writes:
            assert written.get(space, at) == expected[space, at]
    assert dict(written.items()) == expected
    assert written.get(9, 9) is None
    keys, values = written.arrays()
    other = Written()
    other.restore(keys, values)
    assert dict(other.items()) == expected
