"""Learning that is watched is the same learning."""

import pytest

pytest.importorskip("jax", reason="JAX is not installed: pip install 'transputer[jax]'")

from typing import Any

import numpy as np

from tests.learning.support import ADDING, RESTARTS
from transputer.errors import UsageError
from transputer.host.outcome import Interrupted
from transputer.ir.soft import encode, parse
from transputer.learning import watched
from transputer.learning.gradient import recipe, train
from transputer.learning.tasks import find_task
from transputer.learning.watched import EVERY, _segment, _wave
from transputer.runtime.learn import learn_watched


@pytest.mark.slow
def test_the_updates_are_those_of_gradient_descent() -> None:
    task, settings = find_task("add"), ADDING
    trained = train(task, settings, restarts=RESTARTS, seed=3)
    looks = list(_wave(task, settings, _segment(task, settings), RESTARTS, 3))
    assert len(looks) == settings.updates // EVERY
    assert np.array_equal(np.asarray(looks[-1][1]), np.asarray(trained.rows))
    for number, (seen, _) in enumerate(looks):
        losses = np.asarray(trained.losses)[:, (number + 1) * EVERY - 1]
        assert np.allclose(seen.losses, losses, atol=1e-4)
        assert seen.update == (number + 1) * EVERY and 0 <= seen.hard <= 1
        assert len(seen.selectors) == len(seen.program) == settings.length


@pytest.mark.slow
def test_what_is_found_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    """With settings that are compiled already; those of the recipe learn in test_portfolio."""
    monkeypatch.setattr(watched, "recipe", lambda task, width: ADDING)
    seen = []
    found = learn_watched("add", seen.append, seconds=60)
    assert found.solved and found.proof is not None and found.proof.proved
    assert seen[-1]["hard"] == 1.0 and seen[-1]["loss"] < seen[0]["loss"]


@pytest.fixture
def decided(monkeypatch: pytest.MonkeyPatch) -> None:
    """Updates that end in a right program at once: compiling the true ones takes long."""
    rows = encode(parse("ADD R0, R0, R1\nMOV R2, R2"))

    def segment(carry: Any, noise: Any, first: Any, examples: Any) -> Any:
        count = len(noise)
        losses = np.linspace(1, 0.5, count) / (1 + int(first))
        return carry, losses, np.ones(count), np.ones((count, 2, 4)), np.stack([rows] * count)

    monkeypatch.setattr(watched, "_segment", lambda task, settings: segment)


@pytest.mark.usefixtures("decided")
def test_a_right_program_is_accepted_and_proved() -> None:
    seen: list[dict[str, Any]] = []
    found = learn_watched("add", seen.append)
    assert found.solved and found.proof is not None and found.proof.proved
    updates = recipe(find_task("add"), 8).updates
    assert [one["update"] for one in seen] == list(range(EVERY, updates + 1, EVERY))
    assert seen[0]["loss"] == 0.5 and seen[0]["program"] == ["ADD R0, R0, R1", "MOV R2, R2"]
    assert seen[0]["selectors"] == [[100] * 4] * 2 and seen[-1]["loss"] < seen[0]["loss"]


@pytest.mark.usefixtures("decided")
def test_a_watcher_can_end_it() -> None:
    def stop(seen: object) -> None:
        raise Interrupted

    with pytest.raises(Interrupted):
        learn_watched("add", stop)
    with pytest.raises(UsageError):
        learn_watched("nothing", stop)
