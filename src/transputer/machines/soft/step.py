"""One soft step, and runs of many."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from transputer.isa.soft import require
from transputer.machines.soft import alu, counter, flags, memory, ports, registers
from transputer.machines.soft.backend import Array, jax, jnp
from transputer.machines.soft.bits import extended, to_bits
from transputer.machines.soft.effects import Effect, Operands, soft
from transputer.machines.soft.hardstate import word_type
from transputer.machines.soft.program import FetchChoice, SoftProgram, choose
from transputer.machines.soft.state import SoftState

#: The modules whose rules make up the machine.
COMPONENTS = (alu, flags, counter, memory, ports)
#: Effects with the probabilities of their operations.
Weighted = list[tuple[Array, Effect]]


def step(program: SoftProgram, state: SoftState, tau: Array) -> SoftState:
    """The state after one instruction of a program at a temperature."""
    return advance(choose(program, tau), state)


def run(choice: FetchChoice, state: SoftState, steps: int) -> SoftState:
    """The state after `steps` steps; a program that has ended stays where it is."""
    ended: SoftState
    ended, _ = jax.lax.scan(lambda s, _: (advance(choice, s), None), state, None, steps)
    return ended


def occupancy(choice: FetchChoice, state: SoftState, steps: int) -> Array:
    """The program counter before each step: (steps, length + 1)."""
    _, places = jax.lax.scan(lambda s, _: (advance(choice, s), s.pc), state, None, steps)
    return places


def advance(choice: FetchChoice, state: SoftState) -> SoftState:
    """One step: fetch is the program counter times the instructions, then all rows blend."""
    now = fetch(choice, state)
    return finish(now, now.effects)


@dataclass(frozen=True)
class Fetched:
    """What one step does: operands, register selectors, and the weighted effects of all rows."""

    x: Operands
    d: Array
    a: Array
    running: Array
    effects: Weighted
    names: tuple[str, ...]


def fetch(choice: FetchChoice, state: SoftState) -> Fetched:
    """The first half of a step: read the program and the operands, and ask every row."""
    require(soft, "the soft path")
    running = 1 - state.pc[-1]
    probabilities = state.pc[:-1] @ choice.op
    at = state.pc[:-1] / jnp.where(running > 0, running, 1.0)
    d, a, b = at @ choice.d, at @ choice.a, at @ choice.b
    number = extended(at @ choice.n, state.registers.shape[-1])
    x = _operands(state, d, a, b, number, at)
    effects = [(probabilities[i], soft.rules[name](x)) for i, name in enumerate(choice.ops)]
    return Fetched(x, d, a, running, effects, choice.ops)


def finish(now: Fetched, effects: Weighted) -> SoftState:
    """The second half: blend the effects into the next state."""
    x, state = now.x, now.x.state
    bump = _sum(probability for probability, effect in effects if effect.bump)
    reads = _sum(probability for probability, effect in effects if effect.reads)
    writes = _sum(probability for probability, effect in effects if effect.writes)
    words = registers.write(state.registers, now.a, bump, bump * x.following)
    return SoftState(
        _written(words, now.d, effects),
        _flags(state.flags, effects),
        _counter(x, now.running, effects),
        _stored(state.memory, effects),
        state.inputs,
        ports.onward(state.read, reads),
        ports.append(state.outputs, state.wrote, x.a, writes),
        ports.onward(state.wrote, writes),
    )


def _sum(probabilities: Iterable[Array]) -> Array:
    return sum(probabilities, start=jnp.float32(0))


def _operands(state: SoftState, d: Array, a: Array, b: Array, n: Array, at: Array) -> Operands:
    old, left, right = (registers.read(state.registers, selector) for selector in (d, a, b))
    width = state.registers.shape[-1]
    following = to_bits(np.arange(1, at.shape[0] + 1, dtype=word_type(width)), width)
    return Operands(state, old, left, right, n, at @ following)


def _written(words: Array, d: Array, effects: Weighted) -> Array:
    """The registers after the values of all rows went to d."""
    gated = [
        (probability if effect.gate is None else probability * effect.gate, effect.value)
        for probability, effect in effects
        if effect.value is not None
    ]
    if not gated:
        return words
    probabilities = jnp.stack([probability for probability, _ in gated])
    values = jnp.stack([value for _, value in gated])
    return registers.write(words, d, probabilities.sum(), probabilities @ values)


def _flags(old: Array, effects: Weighted) -> Array:
    new = [
        (probability, effect.flags) for probability, effect in effects if effect.flags is not None
    ]
    return old + _sum(probability * (flags - old) for probability, flags in new)


def _counter(x: Operands, running: Array, effects: Weighted) -> Array:
    pc = x.state.pc
    length = pc.shape[0] - 1
    return counter.advance(
        pc,
        running,
        _sum(
            probability * effect.jump for probability, effect in effects if effect.jump is not None
        ),
        _sum(probability for probability, effect in effects if effect.back),
        _sum(probability for probability, effect in effects if effect.stop),
        counter.target(x.n, length),
        counter.target(x.a, length),
    )


def _stored(cells: Array, effects: Weighted) -> Array:
    """Memory after the stores of all rows."""
    stores = [
        (probability, effect.store) for probability, effect in effects if effect.store is not None
    ]
    keep = 1 - _sum(
        probability * where[:, None] * which for probability, (where, which, _) in stores
    )
    new = _sum(
        probability * where[:, None] * (which * word)
        for probability, (where, which, word) in stores
    )
    return cells * keep + new
