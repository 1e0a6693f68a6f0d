"""The lifted engine of looped models: equal to the others, on right weights and on broken ones."""

import os
from typing import Literal

import numpy as np
import pytest

from tests.engines.broken_loom import SMALL, break_alike
from tests.machines.loom.support import TINY, scramble, taken
from tests.sampling import sampled
from transputer.check.audit.loom import AUDITED
from transputer.check.fuzz.loom import NEEDED, every
from transputer.engines.lifted.decoder.numbers import DigitSum
from transputer.engines.lifted.looped import LoopedLifted
from transputer.engines.lifted.looped.program import gaps
from transputer.engines.native.looped import LoopedNative
from transputer.engines.reference.looped import LoopedReference, check_state
from transputer.errors import CapacityError
from transputer.ir.loom import LoomConfig
from transputer.machines.loom.circuit import model
from transputer.machines.loom.host import LoomSession, initial
from transputer.model import Looped, permute_looped
from transputer.oracle.loom import Loom

MUTANTS = int(os.environ.get("TRANSPUTER_LIFTED_MUTANTS", "10"))


def follow(one: LoopedReference | LoopedNative, other: LoopedLifted, steps: int) -> None:
    for step in range(steps):
        assert np.array_equal(one.state, other.state), step
        assert one.halted == other.halted
        assert one.run(1) == other.run(1)


@pytest.mark.parametrize(
    "bits, word", sampled([(8, 200), (8, 0), (16, 60_000), (32, 3_000_000_000)], 4, rows=True)
)
def test_every_operation_is_formulas(bits: int, word: int) -> None:
    size = LoomConfig(128, bits, 32, NEEDED)
    held = model(size)
    state = initial(every(word, size), size)
    lifted = LoopedLifted(held, state)
    steps = [node.tree for node in lifted.program.nodes.values() if not node.halted]
    assert [why for tree in steps for why in gaps(tree)] == []
    follow(LoopedNative(held, state), lifted, 60)
    assert lifted.why == ""


@pytest.mark.slow
@pytest.mark.parametrize("seed", sampled(range(6), 6))
def test_states_are_equal_at_every_step(seed: int) -> None:
    size = LoomConfig(128, (8, 16, 32)[seed % 3], 32, 20)
    state = initial(scramble(seed, size), size)
    follow(LoopedNative(model(size), state), LoopedLifted(model(size), state), 100)


@pytest.mark.parametrize("seed", range(3))
def test_records_are_those_of_the_oracle(seed: int) -> None:
    given = scramble(seed, TINY)
    session = LoomSession(TINY, LoopedLifted(model(TINY), initial(given, TINY)))
    assert taken(session.records(60)) == taken(Loom(given, TINY).records(60))


@pytest.mark.slow
@pytest.mark.parametrize("mutants", sampled([2, MUTANTS], 2))
@pytest.mark.parametrize("how", sampled(["negate", "zero"], 2))
def test_broken_weights_break_alike(how: Literal["zero", "negate"], mutants: int) -> None:
    """Some mutants (more with TRANSPUTER_LIFTED_MUTANTS) do what the reference does with them."""
    assert break_alike(LoopedLifted, how, 21 if how == "zero" else 22, mutants, steps=8)


def test_a_broken_model_goes_on_from_where_no_run_may_start() -> None:
    """Steps of this one leave the declared ranges, within its bounds; lifted code hands it over."""
    held = model(AUDITED)
    value = held.tensors()["layer3.value"].copy()
    value[36, 34] = 0
    broken = held.with_tensors({**held.tensors(), "layer3.value": value})
    start = initial(every(200, AUDITED), AUDITED)
    one, other = LoopedReference(broken, start), LoopedLifted(broken, start)
    follow(one, other, 4)
    with pytest.raises(CapacityError, match="row 34 of the state"):
        check_state(broken, one.state)


def renumbered(held: Looped, state: np.ndarray, seed: int) -> tuple[Looped, np.ndarray]:
    """Rows, heads, neurons and columns in another order, names deleted."""
    rng = np.random.default_rng(seed)
    moved, rows = permute_looped(held, rng)
    columns = [0, *(1 + rng.permutation(held.columns - 1))]
    return moved, state[rows][:, columns]


@pytest.mark.slow
@pytest.mark.parametrize("bits", sampled([8, 32], 2))
def test_renumbered_weights_give_the_same_formulas(bits: int) -> None:
    """Same steps, as many nodes, and code of the same length but for the numbers in it."""
    size, word = LoomConfig(128, bits, 32, NEEDED), (1 << bits) - 50
    state = initial(every(word, size), size)
    one = LoopedLifted(model(size), state)
    moved, other_state = renumbered(model(size), state, 5)
    other = LoopedLifted(moved, other_state)
    assert len(one.program.nodes) == len(other.program.nodes)
    follow(LoopedNative(moved, other_state), other, 60)
    assert other.why == ""
    shapes = [sorted(shape(n.tree) for n in e.program.nodes.values()) for e in (one, other)]
    assert shapes[0] == shapes[1]


def shape(tree: object) -> str:
    """What a step's tree looks like without its numbers."""
    if isinstance(tree, str):
        return "open"
    parts = [shape(getattr(tree, name)) for name in ("yes", "no") if hasattr(tree, name)]
    numbers = sorted(terms(made) for _, made in tree.numbers)  # type: ignore[attr-defined]
    writes = len(getattr(tree, "writes", ()))
    return f"({' '.join(sorted(parts))} {numbers} {writes})"


def terms(made: DigitSum) -> int:
    """How many terms a number has, apart from a constant."""
    return sum(1 for m, c in made.poly.items() if m and (made.modulus is None or c % made.modulus))


def test_what_is_not_shown_is_left_to_the_native_engine_and_said() -> None:
    """Two columns at the same position attend to each other, whatever the first one does."""
    state = initial(scramble(2, TINY), TINY)
    state[:, 41] = state[:, 40]
    lifted = LoopedLifted(model(TINY), state)
    assert "may attend to another" in lifted.why
    follow(LoopedReference(model(TINY), state), lifted, 6)


def test_another_state_between_steps() -> None:
    """Also one whose words or first column the code was not made for."""
    held = model(SMALL)
    lifted = LoopedLifted(held, initial(scramble(1, SMALL), SMALL))
    lifted.run(3)
    for seed in (1, 1, 4):  # the last is another program: other constants
        state = initial(scramble(seed, SMALL), SMALL)
        state[held.names.index("memory.2"), 1:] *= -1
        lifted.restart(state)
        follow(LoopedReference(held, state), lifted, 8)
