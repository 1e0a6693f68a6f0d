"""Learning that is watched is the same learning."""

import pytest

pytest.importorskip("jax", reason="JAX is not installed: pip install 'transputer[jax]'")

import numpy as np

from transputer.errors import UsageError
from transputer.host.outcome import Interrupted
from transputer.learning.gradient import Settings, train
from transputer.learning.tasks import find_task
from transputer.learning.watched import EVERY, _segment, _wave
from transputer.runtime.learn import learn_watched


def test_the_updates_are_those_of_gradient_descent() -> None:
    task, settings = find_task("add"), Settings(length=2, updates=5 * EVERY)
    trained = train(task, settings, restarts=2, seed=3)
    looks = list(_wave(task, settings, _segment(task, settings), 2, 3))
    assert len(looks) == 5
    assert np.array_equal(np.asarray(looks[-1][1]), np.asarray(trained.rows))
    for number, (seen, _) in enumerate(looks):
        losses = np.asarray(trained.losses)[:, (number + 1) * EVERY - 1]
        assert np.allclose(seen.losses, losses, atol=1e-4)
        assert seen.update == (number + 1) * EVERY and 0 <= seen.hard <= 1
        assert len(seen.selectors) == len(seen.program) == settings.length


def test_what_is_found_is_proved() -> None:
    seen = []
    found = learn_watched("add", seen.append, seconds=60)
    assert found.solved and found.proof is not None and found.program == ["ADD R0, R0, R1"]
    assert seen[-1]["hard"] == 1.0 and seen[-1]["loss"] < seen[0]["loss"]


def test_a_watcher_can_end_it() -> None:
    def stop(seen: object) -> None:
        raise Interrupted

    with pytest.raises(Interrupted):
        learn_watched("add", stop)
    with pytest.raises(UsageError):
        learn_watched("nothing", stop)
