"""Engines of looped models are equal, on right weights and on broken ones."""

import shutil
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from tests.engines.broken_loom import SMALL, break_alike
from tests.machines.loom.support import TINY, engine, program, scramble, taken
from tests.sampling import sampled
from transputer.engines.native import compile
from transputer.engines.native.looped import LoopedNative
from transputer.engines.reference.looped import LoopedReference
from transputer.errors import StepLimitError, UsageError
from transputer.ir.loom import PUBLISHED, LoomConfig
from transputer.machines.loom.circuit import model
from transputer.machines.loom.host import Layout, LoomSession, initial
from transputer.model import permute_looped
from transputer.oracle.loom import Loom, digest


@pytest.mark.parametrize("seed", range(3))
def test_digests_are_equal(seed: int) -> None:
    given = scramble(seed, TINY)
    wanted = digest(iter(taken(Loom(given, TINY).records(40))))
    for name in ("hard", "softmax", "native"):
        found = taken(LoomSession(TINY, engine(name, given, TINY)).records(40))
        assert digest(iter(found)) == wanted


def test_states_are_equal_at_every_step() -> None:
    given = scramble(7, TINY)
    one, other = (engine(name, given, TINY) for name in ("hard", "native"))
    for _ in range(40):
        assert np.array_equal(one.state, other.state)
        assert one.halted == other.halted
        one.run(1)
        other.run(1)


@pytest.mark.parametrize("mutants", sampled([10, 60], 2))
@pytest.mark.parametrize("how", sampled(["zero", "negate"], 2))
def test_broken_weights_break_alike(how: Literal["zero", "negate"], mutants: int) -> None:
    """At least 80 in 100 mutants run, and then do what the reference does."""
    ran = break_alike(LoopedNative, how, 11 if how == "zero" else 12, mutants, steps=6)
    assert ran >= 0.8 * mutants


def test_renumbered_weights_do_the_same_as_fast() -> None:
    moved, rows = permute_looped(model(TINY), np.random.default_rng(3))
    given = scramble(5, TINY)
    state = initial(given, TINY)
    one, other = LoopedNative(model(TINY), state), LoopedNative(moved, state[rows])
    assert other.busy == one.busy == 1
    for _ in range(50):
        assert np.array_equal(one.state[rows], other.state)
        one.step()
        other.step()


@pytest.mark.parametrize("config", PUBLISHED.values(), ids=list(PUBLISHED))
def test_one_column_works_and_the_rest_is_idle(config: LoomConfig) -> None:
    """What makes it fast is found, not assumed, in every published configuration."""
    runner = LoopedNative(model(config), initial(scramble(1, config), config))
    runner.run(500)
    assert runner.busy == 1


def test_columns_put_by_the_host() -> None:
    given = program([("ADD", 1, 2), ("JMP", 0)], (0, 3, 4))
    state = initial(given, TINY)
    one, other = LoopedReference(model(TINY), state), LoopedNative(model(TINY), state)
    one.run(3)
    other.run(3)
    changed = one.state
    layout = Layout.of(TINY)
    for slot, word in ((1, 200), (2, 99)):
        for i, row in enumerate(layout.rows.memory):
            changed[row.index, TINY.scratch + slot] = 1 if word >> i & 1 else -1
        other.put(TINY.scratch + slot, changed[:, TINY.scratch + slot])
    swapped = changed[:, [40, 41]][:, ::-1].copy()  # tags and positions too
    changed[:, [40, 41]] = swapped
    for column in (40, 41):
        other.put(column, changed[:, column])
    one = LoopedReference(model(TINY), changed)
    for _ in range(6):
        assert np.array_equal(one.state, other.state)
        one.step()
        other.step()
    with pytest.raises(UsageError, match="no column"):
        other.put(64, changed[:, 0])
    with pytest.raises(UsageError, match="cannot hold"):
        other.put(1, changed[:, 0] * 9)


def test_many_states_at_once() -> None:
    states = np.stack([initial(scramble(seed, SMALL), SMALL) for seed in range(5)])
    together = LoopedReference(model(SMALL), states)
    apart = [LoopedReference(model(SMALL), state) for state in states]
    for _ in range(4):
        together.step()
        for runner in apart:
            runner.step()
    assert np.array_equal(together.state, np.stack([runner.state for runner in apart]))


def test_a_run_pauses_where_it_is_asked_to() -> None:
    given = program([("INC", 1), ("MOV", 0, 1), ("JMP", 0)], (0, 64))
    pause = Layout.of(TINY).watch()[0][1]
    for name in ("hard", "native"):
        runner = engine(name, given, TINY)
        assert [runner.run(100, pause) for _ in range(3)] == [2, 3, 3]
        assert runner.read(pause, 0) == 1


def test_running_and_telling_take_turns() -> None:
    given = program([("INC", 1), ("MOV", 0, 1), ("JMP", 0)], (0, 64))
    for name in ("hard", "native"):
        session, oracle = LoomSession(TINY, engine(name, given, TINY)), Loom(given, TINY)
        for turn in range(4):
            for runner in (session, oracle):
                with pytest.raises(StepLimitError):
                    runner.run(5)
            assert taken(session.records(4, batch=3)) == taken(oracle.records(4)), turn
        assert (session.output, session.steps) == (oracle.output, oracle.steps)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize("bits", [32, 64])
def test_the_library_needs_nothing_of_gccs(
    bits: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """gcc calls functions of its own library where the processor lacks an instruction."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(compile, "compilers", lambda own=False: [(shutil.which("gcc"),)])
    compile.looped_library.cache_clear()
    monkeypatch.setattr(
        "transputer.engines.native.looped.looped_library",
        lambda _: compile.looped_library(bits),
    )
    try:
        native = engine("native", given := scramble(1, TINY), TINY)
        reference = LoopedReference(model(TINY), initial(given, TINY))
        assert native.run(30) == reference.run(30) > 0
        assert np.array_equal(native.state, reference.state)
    finally:
        compile.looped_library.cache_clear()
