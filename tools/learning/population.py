"""Population-based training: members train side by side, and from time to time the worst are
replaced by altered copies of the best, learning rate and all."""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from transputer.learning import adam
from transputer.learning.gradient import Settings, Trained, holding, lessons, objective_of, sizes
from transputer.learning.problem import Examples
from transputer.learning.tasks import Task
from transputer.machines.soft.backend import Array, jax, jnp
from transputer.machines.soft.program import SoftProgram, extract, random


@dataclass(frozen=True, slots=True)
class Breeding:
    """So many exchanges; `share` of the members is replaced, with `noise` on the logits and the
    learning rate multiplied or divided by `factor`."""

    rounds: int = 6
    share: float = 0.25
    noise: float = 0.5
    factor: float = 1.25


#: How a population breeds unless told otherwise.
STANDARD = Breeding()


def evolve(
    task: Task, settings: Settings, members: int, seed: int = 0, breeding: Breeding = STANDARD
) -> Trained:
    """A population after all rounds; its updates are shared out evenly among them."""
    config, rows = sizes(task, settings), lessons(task, settings, seed)
    key = jax.random.key(seed)
    programs = jax.vmap(lambda k: random(k, config, settings.scale))(jax.random.split(key, members))
    rates = np.full(members, settings.rate, np.float32)
    memories = jax.vmap(adam.start)(programs)
    each = settings.updates // breeding.rounds
    segment = jax.jit(jax.vmap(_segment(settings, each, config), in_axes=(0, 0, 0, 0, None, None)))
    losses, rng, began, compiling = [], np.random.default_rng(seed), time.monotonic(), 0.0
    for turn in range(breeding.rounds):
        keys = jax.random.split(jax.random.fold_in(key, turn + 1), members)
        programs, memories, found = jax.block_until_ready(
            segment(programs, memories, rates, keys, rows, np.int32(turn * each))
        )
        compiling = compiling or time.monotonic() - began
        losses.append(np.asarray(found))
        if turn < breeding.rounds - 1:
            order = np.argsort(np.asarray(found)[:, -1])
            programs, memories, rates = _bred(programs, memories, rates, order, rng, breeding)
    coded = jax.vmap(extract)(programs)
    spent = time.monotonic() - began
    return Trained(coded, np.concatenate(losses, 1), programs, spent, compiling)


def _segment(settings: Settings, updates: int, config: Any) -> Any:
    held = holding(settings, config, ())

    def train(
        program: SoftProgram,
        memory: adam.Moments,
        rate: Array,
        key: Array,
        rows: Examples,
        done: Array,
    ) -> tuple[SoftProgram, adam.Moments, Array]:
        objective = objective_of(settings, config, rows, settings.length, held)

        def update(carry: Any, index: Array) -> tuple[Any, Array]:
            program, memory = carry
            part = (done + index) / settings.updates
            slope, found = jax.grad(objective, has_aux=True)(
                program, part, jax.random.fold_in(key, index)
            )
            return adam.update(program, slope, memory, rate), found

        (program, memory), losses = jax.lax.scan(update, (program, memory), jnp.arange(updates))
        return program, memory, losses

    return train


def _bred(
    programs: SoftProgram, memories: adam.Moments, rates: Any, order: Any, rng: np.random.Generator,
    breeding: Breeding,
) -> tuple[SoftProgram, adam.Moments, Any]:  # fmt: skip
    """The best stay, and altered copies of them take the places of the worst."""
    members = len(rates)
    count = int(members * breeding.share)
    source = np.arange(members)
    source[order[members - count :]] = order[:count]
    copied = source != np.arange(members)

    def altered(logits: Array) -> Array:
        noise = rng.standard_normal(logits.shape, np.float32) * breeding.noise
        mark = copied.reshape(-1, *(1,) * (logits.ndim - 1))
        return np.asarray(logits)[source] + np.where(mark, noise, 0)

    turned = np.where(rng.random(members) < 0.5, breeding.factor, 1 / breeding.factor)
    rates = np.where(copied, rates[source] * turned, rates).astype(np.float32)
    memories = jax.tree.map(lambda x: np.asarray(x)[source], memories)
    return jax.tree.map(altered, programs), memories, rates
