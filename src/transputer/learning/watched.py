"""Gradient descent that shows what it does: the same updates as `gradient`, a few at a time.

Between two segments of updates the watcher gets the loss, how the hard program does, how decided
every choice is, and the program as it would be read now.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from transputer.ir.soft import decode, text
from transputer.learning import adam
from transputer.learning.gradient import Settings, accepted, holding, recipe, sizes, updating
from transputer.learning.losses import loss_of
from transputer.learning.problem import Examples, draw, examples
from transputer.learning.search import SearchResult
from transputer.learning.tasks import Task
from transputer.machines.soft.backend import Array, jax, jnp
from transputer.machines.soft.program import choose, extract, random
from transputer.values import dataclass

#: Updates between two looks.
EVERY = 10


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One look at the best restart of a wave.

    `hard` is the share of result bits that the hard program gets right on the examples; `selectors`
    has for every instruction the weight of the likeliest operation and registers, in percent.
    """

    wave: int
    update: int
    updates: int
    loss: float
    losses: tuple[float, ...]
    hard: float
    selectors: tuple[tuple[int, ...], ...]
    program: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """For a page."""
        return {
            "wave": self.wave, "update": self.update, "updates": self.updates, "loss": self.loss,
            "losses": list(self.losses), "hard": self.hard,
            "selectors": [list(row) for row in self.selectors], "program": list(self.program),
        }  # fmt: skip


def descend_watched(
    task: Task,
    watch: Callable[[Snapshot], None],
    seed: int = 0,
    seconds: float = 120.0,
    width: int = 8,
    restarts: int = 6,
) -> SearchResult:
    """Waves of restarts until one has learned the task; `watch` may raise to end it."""
    settings = recipe(task, width)
    segment = _segment(task, settings)
    began, evaluations, wave = time.monotonic(), 0, 0
    while wave == 0 or time.monotonic() - began < seconds:
        wave += 1
        rows: Any = ()
        for seen, latest in _wave(task, settings, segment, restarts, 1000 * seed + wave - 1):
            evaluations += restarts * EVERY
            rows = latest
            watch(replace(seen, wave=wave))
        programs = [decode(np.asarray(r).astype(np.int64).tolist(), width) for r in rows]
        solved = [code for code in programs if accepted(task, code, width)]
        if solved:
            share = f"{len(solved)} of {restarts} restarts of wave {wave}"
            return SearchResult(solved[0], evaluations, time.monotonic() - began, share)
    return SearchResult(None, evaluations, time.monotonic() - began, f"{wave} waves")


def _wave(task: Task, settings: Settings, segment: Any, restarts: int, seed: int) -> Any:
    """Looks at one wave, each with the rows of all its programs."""
    config = sizes(task, settings)
    rows = examples(task, config, draw(task, settings.width, settings.examples, seed))
    keys = jax.random.split(jax.random.key(seed), restarts)
    pairs = [jax.random.split(key) for key in keys]
    noise = jnp.stack([pair[1] for pair in pairs])
    programs = jax.vmap(lambda key: random(key, config, settings.scale))(
        jnp.stack([pair[0] for pair in pairs])
    )
    carry = (programs, jax.vmap(adam.start)(programs))
    for first in range(0, settings.updates, EVERY):
        carry, losses, hard, sure, latest = segment(carry, noise, jnp.int32(first), rows)
        best = int(np.argmin(np.asarray(losses)))
        code = decode(np.asarray(latest[best]).astype(np.int64).tolist(), settings.width)
        yield (
            Snapshot(
                0,
                first + EVERY,
                settings.updates,
                float(losses[best]),
                tuple(round(float(loss), 5) for loss in losses),
                float(hard[best]),
                tuple(tuple(int(100 * x) for x in row) for row in np.asarray(sure[best])),
                tuple(text(code).split("\n")),
            ),
            latest,
        )


@lru_cache(maxsize=8)
def _segment(task: Task, settings: Settings) -> Any:
    """A compiled function that makes `EVERY` updates of all restarts, and looks at them."""
    config = sizes(task, settings)
    hold = holding(settings, config, ())

    def one(carry: Any, noise: Array, first: Array, rows: Examples) -> Any:
        update = updating(settings, config, rows, settings.length, hold, noise)
        carry, losses = jax.lax.scan(update, carry, first + jnp.arange(EVERY))
        program = hold(carry[0], (first + EVERY) / settings.updates)
        alike = jnp.ones(len(rows.registers))  # every example counts the same
        wrong = loss_of(rows, config, settings.length, lambda got, bits: jnp.abs(got - bits))
        soft = choose(program, jnp.float32(1))
        sure = jnp.stack([x.max(-1) for x in (soft.op, soft.d, soft.a, soft.b)], -1)
        hard = 1 - wrong(choose(program, jnp.float32(0)), alike)
        return carry, losses[-1], hard, sure, extract(program)

    return jax.jit(jax.vmap(one, in_axes=(0, 0, None, None)))
