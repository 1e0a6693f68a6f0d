"""Learning by gradient: Adam on the logits of a program, from examples alone.

An *evaluation* here is one program run softly on all examples, with its gradient.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from transputer.learn import adam
from transputer.learn.problem import Examples, at_width, counterexample, draw, examples, machine
from transputer.learn.search import Found, anneal
from transputer.learn.tasks import Task
from transputer.machines.soft.backend import Array, jax, jnp, pytree
from transputer.machines.soft.bits import to_bits
from transputer.machines.soft.code import Code, Instruction, decode
from transputer.machines.soft.config import Config
from transputer.machines.soft.program import (
    Choice,
    Program,
    certain,
    choose,
    extract,
    gumbel,
    random,
    straight_through,
)
from transputer.machines.soft.state import blank, soften
from transputer.machines.soft.step import run

#: How choices are made while training.
VARIANTS = ("soft", "straight", "gumbel")
#: Chances are kept this far from 0 and 1 in the loss.
_MARGIN = 1e-4


@dataclass(frozen=True, slots=True)
class Settings:
    """How to train.

    The temperature goes from `warm` to `cold` geometrically (equal: fixed). `entropy` weighs
    the mean entropy of all choices, growing from 0; `scale` is that of the first logits.
    `noise` is the deviation of what is added to the logits, falling to 0 half-way. `sharpness`
    is the weight of frozen instructions. `without` are operations of the task that are not used:
    a chance to stop at every place leaves little of a long program.
    """

    updates: int = 600
    rate: float = 0.1
    warm: float = 1.0
    cold: float = 1.0
    entropy: float = 0.0
    scale: float = 1.0
    variant: str = "soft"
    examples: int = 24
    length: int = 8
    registers: int = 4
    width: int = 8
    sharpness: float = 20.0
    noise: float = 0.0
    without: tuple[str, ...] = ("HALT",)
    also: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Trained:
    """One row for each restart: the program, and the loss and hard accuracy over time."""

    rows: Array  # (restarts, length, 5)
    losses: Array  # (restarts, updates)
    logits: Program  # the last ones
    seconds: float
    compiling: float

    def code(self, restart: int, width: int) -> Code:
        """The program that a restart ended with."""
        return decode(np.asarray(self.rows[restart]).astype(np.int64).tolist(), width)


def sizes(task: Task, settings: Settings) -> Config:
    """The machine to train on."""
    base = machine(task, settings.width, settings.length)
    ops = tuple(name for name in (*task.ops, *settings.also) if name not in settings.without)
    return replace(base, registers=max(settings.registers, task.arity), ops=ops)


def loss_of(
    rows: Examples, config: Config, steps: int, surprise: Callable[[Array, Array], Array]
) -> Callable[[Choice], Array]:
    """The surprise at the result bits after a run, averaged over examples and bits."""
    start = soften(blank(config), config)
    registers = to_bits(rows.registers, config.width)
    memory = to_bits(rows.memory, config.width)
    wanted = to_bits(rows.wanted, config.width)
    cells, matters = to_bits(rows.cells, config.width), jnp.asarray(rows.matters, jnp.float32)
    weight = wanted.size + matters.sum() * config.width

    def loss(choice: Choice) -> Array:
        def ended(words: Array, stored: Array) -> tuple[Array, Array]:
            state = run(choice, replace(start, registers=words, memory=stored), steps)
            return state.registers, state.memory

        words, stored = jax.vmap(ended)(registers, memory)
        on_registers = surprise(words[:, : wanted.shape[1]], wanted).sum()
        on_memory = (surprise(stored, cells) * matters[..., None]).sum()
        return (on_registers + on_memory) / weight

    return loss


def _surprise(kept: Array, bits: Array) -> Array:
    return -(bits * jnp.log(kept) + (1 - bits) * jnp.log(1 - kept))


def clipped(chances: Array, bits: Array) -> Array:
    """Cross-entropy that is flat where a chance is certain."""
    return _surprise(jnp.clip(chances, _MARGIN, 1 - _MARGIN), bits)


def squared(chances: Array, bits: Array) -> Array:
    """The squared difference: a slope that neither vanishes nor explodes on certain wrong bits."""
    return (chances - bits) ** 2


def entropy_of(choice: Choice) -> Array:
    """The mean entropy of the choices of operation and registers."""

    def mean(chances: Array) -> Array:
        return -(chances * jnp.log(chances + 1e-9)).sum(-1).mean()

    return sum(mean(field) for field in (choice.op, choice.d, choice.a, choice.b)) / 4


def _choice(variant: str, program: Program, tau: Array, key: Array) -> Choice:
    if variant == "gumbel":
        return gumbel(program, tau, key)
    return straight_through(program, tau) if variant == "straight" else choose(program, tau)


#: Keys and examples to programs, losses and logits.
Trainer = Callable[[Array, Examples], tuple[Array, Array, Program]]


def _noisy(program: Program, loud: Array, key: Array) -> Program:
    leaves, shape = jax.tree.flatten(program)
    keys = jax.random.split(jax.random.fold_in(key, 1), len(leaves))
    louder = [
        leaf + loud * jax.random.normal(k, leaf.shape) for leaf, k in zip(leaves, keys, strict=True)
    ]
    noisy: Program = jax.tree.unflatten(shape, louder)
    return noisy


def trainer(
    task: Task, settings: Settings, steps: int, given: Sequence[Instruction | None] = (),
    start: Code = (),
) -> Trainer:  # fmt: skip
    """A function of keys, one for each restart, that trains them side by side.

    `given` freezes instructions; `start` warms the first logits with a program to imitate.
    """
    config = sizes(task, settings)
    fixed = certain([i or Instruction("HALT") for i in given], config, settings.sharpness)
    freeze = np.array([i is not None for i in given] + [False] * (config.length - len(given)))
    warm = certain(start, config, 2.0) if start else None

    def held(program: Program) -> Program:
        kept: Program = jax.tree.map(
            lambda new, old: jnp.where(freeze[:, None], old, new), program, fixed
        )
        return kept

    def one(key: Array, rows: Examples) -> tuple[Array, Array, Program]:
        first, noise = jax.random.split(key)
        program = random(first, config, settings.scale)
        if warm is not None:
            program = jax.tree.map(jnp.add, program, warm)
        soft = settings.variant == "soft"
        cost = loss_of(rows, config, steps, clipped if soft else squared)

        def objective(program: Program, part: Array, key: Array) -> tuple[Array, Array]:
            tau = settings.warm * (settings.cold / settings.warm) ** part
            loud = settings.noise * jnp.maximum(0, 1 - 2 * part)
            noisy = _noisy(program, loud, key) if settings.noise else program
            choice = _choice(settings.variant, held(noisy), tau, key)
            found = cost(choice)
            return found + settings.entropy * part * entropy_of(choice), found

        def update(carry: Any, index: Array) -> tuple[Any, Array]:
            program, memory = carry
            key = jax.random.fold_in(noise, index)
            slope, found = jax.grad(objective, has_aux=True)(program, index / settings.updates, key)
            return adam.update(program, slope, memory, settings.rate), found

        carry = (program, adam.start(program))
        (program, _), losses = jax.lax.scan(update, carry, jnp.arange(settings.updates))
        return extract(held(program)), losses, held(program)

    side_by_side: Trainer = jax.vmap(one, in_axes=(0, None))
    return side_by_side


@lru_cache(maxsize=32)
def _compiled(task: Task, settings: Settings, steps: int, given: Any, start: Code) -> Any:
    return jax.jit(trainer(task, settings, steps, given, start))


def train(
    task: Task, settings: Settings, restarts: int, seed: int = 0, steps: int | None = None,
    given: Sequence[Instruction | None] = (), start: Code = (),
) -> Trained:  # fmt: skip
    """Restarts side by side, each from its own random logits; the same examples for all."""
    config = sizes(task, settings)
    inputs = draw(task, settings.width, settings.examples, seed)
    rows = examples(task, config, inputs)
    keys = jax.random.split(jax.random.key(seed), restarts)
    began = time.monotonic()
    compiled = _compiled(task, settings, steps or settings.length, tuple(given), start)
    ready = compiled.lower(keys, rows).compile()
    between = time.monotonic()
    programs, losses, logits = jax.block_until_ready(ready(keys, rows))
    return Trained(programs, losses, logits, time.monotonic() - between, between - began)


def right(task: Task, trained: Trained, settings: Settings) -> list[Code | None]:
    """For each restart its program, if that is right on every input checked, else None."""
    programs = [trained.code(i, settings.width) for i in range(len(trained.rows))]
    return [code if accepted(task, code, settings.width) else None for code in programs]


def accepted(task: Task, code: Code, width: int) -> bool:
    """Whether a program learned at a width is right on every input checked at 8 bits."""
    return counterexample(task, at_width(code, width, task.width), task.width) is None


#: Settings that a task does best with; others take `Settings()`.
RECIPES = {
    "add": Settings(length=2),
    "sub": Settings(length=2),
    "max": Settings(length=12),
    "min": Settings(length=12),
    "abs": Settings(length=16, registers=8, scale=1.5, noise=1.0, updates=1000),
}


def descend(
    task: Task, seed: int = 0, seconds: float = 120.0, width: int = 8, restarts: int = 6
) -> Found:
    """Gradient descent alone: waves of restarts until one has learned the task."""
    settings = replace(RECIPES.get(task.name, Settings()), width=width)
    began = time.monotonic()
    evaluations, wave = 0, 0
    while wave == 0 or time.monotonic() - began < seconds:
        trained = train(task, settings, restarts, seed=1000 * seed + wave)
        evaluations += restarts * settings.updates
        wave += 1
        solved = [code for code in right(task, trained, settings) if code is not None]
        if solved:
            share = f"{len(solved)} of {restarts} restarts of wave {wave}"
            return Found(solved[0], evaluations, time.monotonic() - began, share)
    return Found(None, evaluations, time.monotonic() - began, f"{wave} waves")


def repair(
    task: Task, seed: int = 0, seconds: float = 120.0, width: int = 8, restarts: int = 6
) -> Found:
    """Gradient descent proposes programs, annealing repairs them, one after the other."""
    settings = replace(RECIPES.get(task.name, Settings()), width=width)
    settings = replace(settings, registers=task.registers)
    began = time.monotonic()
    trained = train(task, settings, restarts, seed=seed)
    evaluations = restarts * settings.updates
    order = np.argsort(np.asarray(trained.losses)[:, -1])
    for restart in order.tolist():
        start = at_width(trained.code(restart, width), width, 32)
        left = seconds - (time.monotonic() - began)
        found = anneal(task, seed, left, width=width, length=settings.length, start=start, chains=4)
        evaluations += found.evaluations
        if found.code is not None or left < 0:
            return replace(found, evaluations=evaluations, seconds=time.monotonic() - began)
    return Found(None, evaluations, time.monotonic() - began, f"{restarts} proposals")


pytree(Examples)
