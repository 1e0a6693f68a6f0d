"""One soft step, and runs of many."""

from collections.abc import Iterable

import numpy as np

from transputer.isa.soft import require
from transputer.machines.soft import alu, counter, flags, memory, ports, registers
from transputer.machines.soft.backend import Array, jax, jnp
from transputer.machines.soft.bits import to_bits
from transputer.machines.soft.effects import Effect, Operands, soft
from transputer.machines.soft.program import Choice, Program, choose
from transputer.machines.soft.state import State

#: The modules whose rules make up the machine.
COMPONENTS = (alu, flags, counter, memory, ports)
#: Effects with the chances of their operations.
Weighted = list[tuple[Array, Effect]]


def step(program: Program, state: State, tau: Array) -> State:
    """The state after one instruction of a program at a temperature."""
    return advance(choose(program, tau), state)


def run(choice: Choice, state: State, steps: int) -> State:
    """The state after so many steps; what has ended stays as it is."""
    ended: State
    ended, _ = jax.lax.scan(lambda s, _: (advance(choice, s), None), state, None, steps)
    return ended


def occupancy(choice: Choice, state: State, steps: int) -> Array:
    """The program counter before each step: (steps, length + 1)."""
    _, places = jax.lax.scan(lambda s, _: (advance(choice, s), s.pc), state, None, steps)
    return places


def advance(choice: Choice, state: State) -> State:
    """One step: fetch is the program counter times the instructions, then all rows blend."""
    require(soft, "the soft path")
    running = 1 - state.pc[-1]
    chances = state.pc[:-1] @ choice.op
    at = state.pc[:-1] / jnp.where(running > 0, running, 1.0)
    d, a, b = at @ choice.d, at @ choice.a, at @ choice.b
    x = _operands(state, d, a, b, at @ choice.n, at)
    effects = [(chances[i], soft.rules[name](x)) for i, name in enumerate(choice.ops)]
    bump = _sum(chance for chance, effect in effects if effect.bump)
    reads = _sum(chance for chance, effect in effects if effect.reads)
    writes = _sum(chance for chance, effect in effects if effect.writes)
    words = registers.write(state.registers, a, bump, bump * x.following)
    return State(
        _written(words, d, effects),
        _flags(state.flags, effects),
        _counter(x, running, effects),
        _stored(state.memory, effects),
        state.inputs,
        ports.onward(state.read, reads),
        ports.append(state.outputs, state.wrote, x.a, writes),
        ports.onward(state.wrote, writes),
    )


def _sum(chances: Iterable[Array]) -> Array:
    return sum(chances, start=jnp.float32(0))


def _operands(state: State, d: Array, a: Array, b: Array, n: Array, at: Array) -> Operands:
    old, left, right = (registers.read(state.registers, selector) for selector in (d, a, b))
    following = to_bits(np.arange(1, at.shape[0] + 1), state.registers.shape[-1])
    return Operands(state, old, left, right, n, at @ following)


def _written(words: Array, d: Array, effects: Weighted) -> Array:
    """The registers after the values of all rows went to d."""
    gated = [
        (chance if effect.gate is None else chance * effect.gate, effect.value)
        for chance, effect in effects
        if effect.value is not None
    ]
    if not gated:
        return words
    chances = jnp.stack([chance for chance, _ in gated])
    values = jnp.stack([value for _, value in gated])
    return registers.write(words, d, chances.sum(), chances @ values)


def _flags(old: Array, effects: Weighted) -> Array:
    new = [(chance, effect.flags) for chance, effect in effects if effect.flags is not None]
    return old + _sum(chance * (flags - old) for chance, flags in new)


def _counter(x: Operands, running: Array, effects: Weighted) -> Array:
    pc = x.state.pc
    length = pc.shape[0] - 1
    return counter.advance(
        pc,
        running,
        _sum(chance * effect.jump for chance, effect in effects if effect.jump is not None),
        _sum(chance for chance, effect in effects if effect.back),
        _sum(chance for chance, effect in effects if effect.stop),
        counter.target(x.n, length),
        counter.target(x.a, length),
    )


def _stored(cells: Array, effects: Weighted) -> Array:
    """Memory after the stores of all rows."""
    stores = [(chance, effect.store) for chance, effect in effects if effect.store is not None]
    keep = 1 - _sum(chance * where[:, None] * which for chance, (where, which, _) in stores)
    new = _sum(chance * where[:, None] * (which * word) for chance, (where, which, word) in stores)
    return cells * keep + new
