"""Learning by gradient: Adam on the logits of a program, from examples alone.

An *evaluation* here is one program run softly on all examples, with its gradient.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from transputer.errors import UsageError
from transputer.ir.soft import Code, Instruction, decode
from transputer.isa.integers import signed
from transputer.learning import adam, floats
from transputer.learning.gradient_settings import horizon, standard
from transputer.learning.losses import Extra, clipped, entropy_of, loss_of, squared
from transputer.learning.problem import (
    Examples,
    at_width,
    counterexample,
    draw,
    examples,
    machine,
    sketch,
)
from transputer.learning.search import SearchResult, anneal
from transputer.learning.tasks import Given, Task
from transputer.machines.soft.backend import Array, jax, jnp, pytree
from transputer.machines.soft.bits import halves
from transputer.machines.soft.config import Config
from transputer.machines.soft.program import (
    FetchChoice,
    SoftProgram,
    certain,
    choose,
    extract,
    gumbel,
    random,
    straight_through,
)
from transputer.values import dataclass

#: How choices are made while training.
VARIANTS = ("soft", "straight", "gumbel")
#: How the temperature goes.
SCHEDULES = ("geometric", "phases")
#: The share of the updates after which the five phases leave the warm one, and the falling one.
_WARM, _FALLEN = 0.2, 0.6
#: The share of the updates for which a curriculum holds back what is harder.
_EASY = 0.4


@dataclass(frozen=True, slots=True)
class Settings:
    """How to train.

    The temperature goes from `warm` to `cold` geometrically (equal: fixed). `entropy` weighs
    the mean entropy of all choices, growing from 0; `scale` is that of the first logits.
    `noise` is the deviation of what is added to the logits, falling to 0 half-way. `sharpness`
    is the weight of frozen instructions. `without` are operations of the task that are not used:
    a probability to stop at every place leaves little of a long program.

    With the `schedule` of phases the temperature stays warm for a fifth of the updates, has
    fallen after three fifths and stays cold, and `entropy` weighs only then. A `curriculum` of
    `length` lets half of the places idle at first, one of `difficulty` begins with the half of
    the examples that has the smallest numbers. `values` are bits, or floats as a control.
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
    only: tuple[str, ...] = ()
    schedule: str = "geometric"
    curriculum: str = ""
    shaped: float = 0.0
    auxiliary: float = 0.0
    values: str = "bits"


@dataclass(frozen=True, eq=False)
class Trained:
    """One row for each restart: the program, and the loss and hard accuracy over time."""

    rows: Array  # (restarts, length, 5)
    losses: Array  # (restarts, updates)
    logits: SoftProgram  # the last ones
    seconds: float
    compiling: float

    def code(self, restart: int, width: int) -> Code:
        """The program that a restart ended with."""
        return decode(np.asarray(self.rows[restart]).astype(np.int64).tolist(), width)


def sizes(task: Task, settings: Settings) -> Config:
    """The machine to train on."""
    base = machine(task, settings.width, settings.length)
    wide = settings.only or (*task.ops, *settings.also)
    ops = tuple(name for name in wide if name not in settings.without)
    return replace(base, registers=max(settings.registers, task.arity), ops=ops)


def _choice(variant: str, program: SoftProgram, tau: Array, key: Array) -> FetchChoice:
    if variant == "gumbel":
        return gumbel(program, tau, key)
    return straight_through(program, tau) if variant == "straight" else choose(program, tau)


#: Keys and examples to programs, losses and logits.
Trainer = Callable[[Array, Examples], tuple[Array, Array, SoftProgram]]


def _noisy(program: SoftProgram, loud: Array, key: Array) -> SoftProgram:
    leaves, shape = jax.tree.flatten(program)
    keys = jax.random.split(jax.random.fold_in(key, 1), len(leaves))
    louder = [
        leaf + loud * jax.random.normal(k, leaf.shape) for leaf, k in zip(leaves, keys, strict=True)
    ]
    noisy: SoftProgram = jax.tree.unflatten(shape, louder)
    return noisy


def temperature(settings: Settings, part: Array) -> tuple[Array, Array]:
    """The temperature and the weight of the entropy after a part of the updates."""
    if settings.schedule == "phases":
        fallen = jnp.clip((part - _WARM) / (_FALLEN - _WARM), 0, 1)
        weight = settings.entropy * (part > _FALLEN)
    else:
        fallen, weight = part, settings.entropy * part
    return settings.warm * (settings.cold / settings.warm) ** fallen, weight


#: Logits and part of the updates to the logits that count.
Hold = Callable[[SoftProgram, Array], SoftProgram]


def holding(settings: Settings, config: Config, given: Sequence[Instruction | None]) -> Hold:
    """Puts what is given into a program, and idle places while a curriculum wants them."""
    last = config.registers - 1
    idle = (Instruction("MOV", last, last),) * config.length
    fixed = certain([i or Instruction("HALT") for i in given], config, settings.sharpness)
    waiting = certain(idle, config, settings.sharpness)
    freeze = np.array([i is not None for i in given] + [False] * (config.length - len(given)))
    late = np.arange(config.length) >= config.length // 2

    def hold(program: SoftProgram, part: Array) -> SoftProgram:
        def fix(places: Array, by: SoftProgram, of: SoftProgram) -> SoftProgram:
            merged: SoftProgram = jax.tree.map(
                lambda x, y: jnp.where(places[:, None], x, y), by, of
            )
            return merged

        if settings.curriculum == "length":
            program = fix(late & (part < _EASY), waiting, program)
        return fix(freeze, fixed, program) if given else program

    return hold


def objective_of(
    settings: Settings, config: Config, rows: Examples, steps: int, hold: Hold
) -> Callable[[SoftProgram, Array, Array], tuple[Array, Array]]:
    """A function of logits, part of the updates and key: what is minimised, and the loss in it."""
    measure = clipped if settings.variant == "soft" else squared
    extra = Extra(settings.shaped, settings.auxiliary)
    cost = loss_of(rows, config, steps, measure, extra)
    control = floats.loss_of(rows, config) if settings.values == "floats" else None
    rank = np.arange(len(rows)) / len(rows)

    def objective(program: SoftProgram, part: Array, key: Array) -> tuple[Array, Array]:
        tau, weight = temperature(settings, part)
        loud = settings.noise * jnp.maximum(0, 1 - 2 * part)
        noisy = _noisy(program, loud, key) if settings.noise else program
        choice = _choice(settings.variant, hold(noisy, part), tau, key)
        every = (rank < 0.5) | (part > _EASY) | (settings.curriculum != "difficulty")
        loss = control(choice, tau) if control else cost(choice, every.astype(jnp.float32))
        return loss + weight * entropy_of(choice), loss

    return objective


def updating(
    settings: Settings, config: Config, rows: Examples, steps: int, hold: Hold, noise: Array
) -> Callable[[Any, Array], tuple[Any, Array]]:
    """One update of logits and Adam's memory, given its number; the loss comes back with them."""
    objective = objective_of(settings, config, rows, steps, hold)

    def update(carry: Any, index: Array) -> tuple[Any, Array]:
        program, memory = carry
        key, part = jax.random.fold_in(noise, index), index / settings.updates
        slope, loss = jax.grad(objective, has_aux=True)(program, part, key)
        return adam.update(program, slope, memory, settings.rate), loss

    return update


def trainer(
    task: Task, settings: Settings, steps: int, given: Sequence[Instruction | None] = (),
    start: Code = (), strength: float = 2.0,
) -> Trainer:  # fmt: skip
    """A function of keys, one for each restart, that trains them side by side.

    `given` freezes instructions; `start` warms the first logits with a program to imitate.
    """
    config = sizes(task, settings)
    hold = holding(settings, config, given)
    warm = certain(start, config, strength) if start else None

    def one(key: Array, rows: Examples) -> tuple[Array, Array, SoftProgram]:
        first, noise = jax.random.split(key)
        program = random(first, config, settings.scale)
        if warm is not None:
            program = jax.tree.map(jnp.add, program, warm)
        update = updating(settings, config, rows, steps, hold, noise)
        carry = (program, adam.start(program))
        (program, _), losses = jax.lax.scan(update, carry, jnp.arange(settings.updates))
        ended = hold(program, jnp.float32(1))
        return extract(ended), losses, ended

    side_by_side: Trainer = jax.vmap(one, in_axes=(0, None))
    return side_by_side


@lru_cache(maxsize=32)
def _compiled(
    task: Task, settings: Settings, steps: int, given: Any, start: Code, strength: float
) -> Any:
    return jax.jit(trainer(task, settings, steps, given, start, strength))


def lessons(task: Task, settings: Settings, seed: int) -> Examples:
    """The examples to learn from, those of small numbers first where the curriculum says so."""
    inputs = draw(task, settings.width, settings.examples, seed)

    def largest(given: Given) -> int:
        return max(abs(signed(settings.width, word)) for word in (*given.registers, *given.memory))

    if settings.curriculum == "difficulty":
        inputs.sort(key=largest)
    return for_jax(examples(task, sizes(task, settings), inputs))


def spread(keys: Array, rows: Examples, shards: int) -> tuple[Array, Examples]:
    """Keys split among the first `shards` devices, examples copied to each of them.

    Raises `UsageError` if there are fewer devices or the keys cannot be shared out evenly.
    """
    devices = jax.devices()
    if shards > len(devices):
        raise UsageError(f"{shards} devices wanted; JAX has {len(devices)}")
    if keys.shape[0] % shards:
        raise UsageError(f"{keys.shape[0]} restarts cannot be shared out among {shards} devices")
    mesh = jax.sharding.Mesh(np.array(devices[:shards]), ("restarts",))
    by_restart = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("restarts"))
    everywhere = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec())
    return jax.device_put(keys, by_restart), jax.device_put(rows, everywhere)


def train(
    task: Task, settings: Settings, restarts: int, seed: int = 0, steps: int | None = None,
    given: Sequence[Instruction | None] = (), start: Code = (), strength: float = 2.0,
    shards: int = 1,
) -> Trained:  # fmt: skip
    """Restarts side by side, each from its own random logits; the same examples for all.

    They are split evenly among `shards` devices.
    """
    rows = lessons(task, settings, seed)
    keys = jax.random.split(jax.random.key(seed), restarts)
    if shards > 1:
        keys, rows = spread(keys, rows, shards)
    began = time.monotonic()
    many = steps or settings.length
    compiled = _compiled(task, settings, many, tuple(given), start, strength)
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


def recipe(task: Task, width: int = 8) -> Settings:
    """The settings for any task."""
    return Settings(**{**standard(task), "width": width})


def waves(job: Any, restarts: int) -> Iterator[tuple[list[Code], int, int]]:
    """Programs of wave after wave of restarts on the examples of a job, and what each cost."""
    task = Task(
        "job", "", job.arity, _nothing, _nothing, _nothing, job.ops, _nothing, None, job.size,
        length=job.settings["length"],
    )  # fmt: skip
    settings = Settings(**{**job.settings, "width": job.width})
    compiled = _compiled(task, settings, job.steps, tuple(job.given), (), 2.0)
    wave = 0
    while True:
        keys = jax.random.split(jax.random.key(1000 * job.seed + wave), restarts)
        programs, losses, logits = jax.block_until_ready(compiled(keys, for_jax(job.rows)))
        wave += 1
        trained = Trained(programs, losses, logits, 0.0, 0.0)
        codes = [trained.code(k, job.width) for k in range(restarts)]
        yield codes, restarts * settings.updates, wave


def _nothing(*_: Any) -> Any:
    raise UsageError("the examples of a job are fixed")


def descend(
    task: Task, seed: int = 0, seconds: float = 120.0, width: int = 8, restarts: int = 6
) -> SearchResult:
    """Gradient descent alone: waves of restarts until one has learned the task."""
    settings = recipe(task, width)
    steps, given = horizon(task, settings.length), sketch(task, width)
    began = time.monotonic()
    evaluations, wave = 0, 0
    while wave == 0 or time.monotonic() - began < seconds:
        trained = train(task, settings, restarts, 1000 * seed + wave, steps, given)
        evaluations += restarts * settings.updates
        wave += 1
        solved = [code for code in right(task, trained, settings) if code is not None]
        if solved:
            share = f"{len(solved)} of {restarts} restarts of wave {wave}"
            return SearchResult(solved[0], evaluations, time.monotonic() - began, share)
    return SearchResult(None, evaluations, time.monotonic() - began, f"{wave} waves")


def repair(
    task: Task, seed: int = 0, seconds: float = 120.0, width: int = 8, restarts: int = 6
) -> SearchResult:
    """Gradient descent proposes programs, annealing repairs them, one after the other."""
    settings = replace(recipe(task, width), registers=task.registers)
    began = time.monotonic()
    trained = train(task, settings, restarts, seed=seed)
    evaluations = restarts * settings.updates
    order = np.argsort(np.asarray(trained.losses)[:, -1])
    for restart in order.tolist():
        start = at_width(trained.code(restart, width), width, 32)
        left = seconds - (time.monotonic() - began)
        result = anneal(
            task, seed, left, width=width, length=settings.length, start=start, chains=4
        )
        evaluations += result.evaluations
        if result.code is not None or left < 0:
            return replace(result, evaluations=evaluations, seconds=time.monotonic() - began)
    return SearchResult(None, evaluations, time.monotonic() - began, f"{restarts} proposals")


def for_jax(rows: Examples) -> Examples:
    """The examples as JAX takes them: words of 64 bits as halves."""
    if rows.registers.dtype != np.uint64:
        return rows
    registers, memory, wanted, cells = map(
        halves, (rows.registers, rows.memory, rows.wanted, rows.cells)
    )
    return Examples(registers, memory, wanted, cells, rows.matters)


pytree(Examples)
