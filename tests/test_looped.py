"""Looped models: bounds from the tensors, files that round-trip, files that are refused."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load as unpack
from safetensors.numpy import save as pack

from transputer.circuit.logic import clamp
from transputer.circuit.looped import Loop, Match
from transputer.engines.reference.looped import LoopedReference
from transputer.errors import CapacityError, MalformedError, TransputerError, UsageError
from transputer.model import (
    Looped,
    load,
    load_any,
    looped_card,
    looped_digest,
    mutate,
    nonzeros,
    permute_looped,
    save,
    sharpness,
    to_bytes,
    verify_looped,
)


def counter(columns: int = 4) -> Looped:
    """Column 0 counts from 0 to 3 and stops; the others read what it counts."""
    loop = Loop(columns)
    first = loop.row("first", first=(1, 1))
    count, seen = loop.row("count", first=(0, 3)), loop.row("seen", (0, 0), (0, 0))
    one = loop.now(loop.one)
    reads = ((seen, loop.now(count)),)
    with loop.layer("read", [Match("first", (one + loop.now(first),), reads)]) as layer:
        now = loop.now(count)
        layer.add(count, clamp(layer.graph, now + loop.now(first), 0, 3) - now)
        layer.add(seen, -loop.now(seen))
    return loop.build(loop.now(count) - 2)


@pytest.fixture(scope="module")
def model() -> Looped:
    return counter()


def state(model: Looped) -> np.ndarray:
    made = np.zeros((model.width, model.columns))
    made[0], made[1, 0] = 1, 1
    return made


def test_it_counts_and_stops(model: Looped) -> None:
    runner = LoopedReference(model, state(model))
    assert runner.run(100) == 3 and runner.halted
    assert runner.state[2, 0] == 3 and not runner.state[3].any()


def test_the_round_trip_is_bit_identical(model: Looped, tmp_path: Path) -> None:
    first, second = tmp_path / "a.safetensors", tmp_path / "b.safetensors"
    save(model, first)
    again = load_any(first)
    assert isinstance(again, Looped)
    save(again, second)
    assert first.read_bytes() == second.read_bytes() == to_bytes(model)
    assert looped_digest(again) == looped_digest(model)
    assert (again.names, again.first, again.ranges) == (model.names, model.first, model.ranges)
    with pytest.raises(UsageError, match="looped"):
        load(first)


def broken(model: Looped, change: Callable[[dict[str, Any], dict[str, Any]], Any]) -> bytes:
    data = to_bytes(model)
    size = int.from_bytes(data[:8], "little")
    record = json.loads(json.loads(data[8 : 8 + size])["__metadata__"]["transputer"])
    tensors = unpack(data)
    change(tensors, record)
    return pack(tensors, {"transputer": json.dumps(record)})


HOSTILE: dict[str, tuple[Callable[[dict[str, Any], dict[str, Any]], Any], str]] = {
    "no columns": (lambda t, r: r.pop("columns"), "columns"),
    "one column": (lambda t, r: r.update(columns=1), "columns"),
    "many columns": (lambda t, r: r.update(columns=2**40), "columns"),
    "no ties": (lambda t, r: r.pop("ties"), "ties"),
    "other ties": (lambda t, r: r.update(ties="first"), "ties"),
    "no ranges": (lambda t, r: r.pop("ranges"), "ranges"),
    "few ranges": (lambda t, r: r.update(ranges=[[0, 1]]), "ranges"),
    "text in ranges": (lambda t, r: r["first"].__setitem__(0, ["a", 1]), "first"),
    "empty range": (lambda t, r: r["first"].__setitem__(0, [2, 1]), "cannot hold"),
    "infinite range": (lambda t, r: r["ranges"].__setitem__(0, [0, 2**60]), "cannot hold"),
    "decoder": (lambda t, r: r.update(kind="decoder"), "context"),
    "query": (lambda t, r: t.update({"layer0.head0.query.index": np.zeros(0, np.uint32)}), "query"),
    "half": (lambda t, r: t.update({"stop.weight": t["stop.weight"] / 2}), "not an integer"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_no_looped_model_is_refused(model: Looped, tmp_path: Path, name: str) -> None:
    change, message = HOSTILE[name]
    path = tmp_path / "bad.safetensors"
    path.write_bytes(broken(model, change))
    with pytest.raises(MalformedError, match=message) as refused:
        load_any(path)
    assert len(str(refused.value).splitlines()) == 1


def test_bounds_hold_for_every_step(model: Looped) -> None:
    bounds = verify_looped(model)
    low, high = bounds.ranges[-1]
    assert low[2] == 0 and high[2] == 3
    assert low[3] == high[3] == 0


def test_what_grows_is_refused(model: Looped) -> None:
    """Without the neuron that stops it, the count grows with every step."""
    out = model.layers[0].out
    grow = []
    for which in range(nonzeros(model)):
        made = mutate(model, which, "zero")
        if (made.layers[0].out[2] > out[2]).any():
            grow.append(made)
    assert len(grow) == 1
    with pytest.raises(CapacityError, match=r"count\) grows"):
        verify_looped(grow[0])


def test_a_sum_beyond_the_limit_is_refused(model: Looped) -> None:
    with pytest.raises(CapacityError, match="must stay below 3"):
        verify_looped(replace(model, limit=3))


def test_states_out_of_range_are_refused(model: Looped) -> None:
    wrong = state(model)
    wrong[2, 1] = 1
    with pytest.raises(CapacityError, match="row 2"):
        LoopedReference(model, wrong)
    with pytest.raises(UsageError, match="4 rows and 4 columns"):
        LoopedReference(model, wrong[:, :3])


def test_sharpness_is_the_least_that_will_do() -> None:
    for kind, wanted in (("float32", 128), ("float64", 1024)):
        found = sharpness(kind)
        number = np.dtype(kind).type
        assert found == wanted
        assert np.exp(number(-found)) == 0 < np.exp(number(-found / 2))


def test_renumbered_it_does_the_same(model: Looped) -> None:
    moved, rows = permute_looped(model, np.random.default_rng(5))
    one, other = LoopedReference(model, state(model)), LoopedReference(moved, state(model)[rows])
    for _ in range(4):
        assert np.array_equal(one.state[rows], other.state)
        one.step()
        other.step()


def test_the_card_counts_what_the_file_holds(model: Looped) -> None:
    card = looped_card(model)
    assert card["parameters"]["nonzero"] == nonzeros(model)
    assert (card["rows"], card["columns"], card["layers"]) == (4, 4, 1)
    assert json.loads(json.dumps(card)) == card
    with pytest.raises(TransputerError):
        looped_card(replace(model, limit=3))
