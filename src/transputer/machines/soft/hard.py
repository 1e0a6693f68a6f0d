"""The same machine on integers: every choice is a gather, every write a scatter."""

from collections.abc import Callable, Sequence
from typing import Any

from transputer.errors import Unsupported
from transputer.isa.soft import require
from transputer.machines.soft.backend import Array, jax, jnp
from transputer.machines.soft.counter import hard_target
from transputer.machines.soft.effects import Effect, HardOperands, hard
from transputer.machines.soft.program import codes
from transputer.machines.soft.state import HardState
from transputer.machines.soft.step import COMPONENTS

__all__ = ["COMPONENTS", "hard_run", "hard_step"]


def hard_step(rows: Array, state: HardState, width: int, ops: Sequence[str]) -> HardState:
    """The state after one instruction of a program given as rows of integers."""
    require(hard, "the hard path")
    if width > 32:
        raise Unsupported("the hard path in JAX has words of up to 32 bits; the one in C has 64")
    length = rows.shape[0]
    running = state.pc < length
    op, d, a, b, n = (rows[jnp.minimum(state.pc, length - 1), i] for i in range(5))
    x = _operands(state, (d, a, b, n), width)
    effects = [hard.rules[name](x) for name in ops]
    index = jnp.argmax(op == jnp.asarray(codes(ops)))
    chosen = _Chosen(effects, index, running)
    bump, gate = chosen.flag(lambda e: e.bump), chosen.flag(_writes)
    words = state.registers
    words = words.at[a].set(jnp.where(bump, x.word(x.a + 1), words[a]))
    words = words.at[d].set(jnp.where(gate, chosen.pick(lambda e: e.value, x.a), words[d]))
    writes = chosen.flag(lambda e: e.writes)
    room = writes & (state.wrote < state.outputs.shape[0])
    return HardState(
        words,
        jnp.where(chosen.flag(_compares), chosen.pick(lambda e: e.flags, state.flags), state.flags),
        _next(chosen, x, state.pc, running, length),
        _stored(chosen, state.memory),
        state.inputs,
        _onward(state.read, chosen.flag(lambda e: e.reads), state.inputs.shape[0]),
        state.outputs.at[state.wrote].set(
            jnp.where(room, x.a, state.outputs[state.wrote]), mode="drop"
        ),
        _onward(state.wrote, writes, state.outputs.shape[0]),
    )


def hard_run(
    rows: Array, state: HardState, steps: int, width: int, ops: Sequence[str]
) -> HardState:
    """The state after `steps` steps; a program that has ended stays where it is."""

    def once(state: HardState, _: None) -> tuple[HardState, None]:
        return hard_step(rows, state, width, ops), None

    ended: HardState
    ended, _ = jax.lax.scan(once, state, None, steps)
    return ended


class _Chosen:
    """The effect of the operation at an index, part by part; nothing if not running."""

    def __init__(self, effects: Sequence[Effect], index: Array, running: Array) -> None:
        self.effects, self.index, self.running = effects, index, running

    def flag(self, part: Callable[[Effect], Any]) -> Array:
        """A part that is true or false; None counts as false."""
        parts = [jnp.asarray(part(e) if part(e) is not None else False) for e in self.effects]
        return jnp.stack(parts)[self.index] & self.running

    def pick(self, part: Callable[[Effect], Array | None], missing: Array) -> Array:
        """A part that is a number."""
        parts = [missing if part(e) is None else part(e) for e in self.effects]
        return jnp.stack([jnp.asarray(p).astype(missing.dtype) for p in parts])[self.index]


def _writes(effect: Effect) -> Array | bool:
    """Whether the value goes to d."""
    if effect.value is None:
        return False
    return True if effect.gate is None else effect.gate


def _compares(effect: Effect) -> bool:
    return effect.flags is not None


def _operands(state: HardState, fields: Sequence[Array], width: int) -> HardOperands:
    d, a, b, n = fields
    words = state.registers
    number = n.astype(jnp.uint32) & jnp.uint32((1 << width) - 1)
    here = (state.pc + 1).astype(jnp.uint32)
    return HardOperands(state, words[d], words[a], words[b], number, here, width)


def _next(chosen: _Chosen, x: HardOperands, pc: Array, running: Array, length: int) -> Array:
    after = jnp.where(running, pc + 1, pc)
    after = jnp.where(chosen.flag(lambda e: e.jump), hard_target(x.n, length), after)
    after = jnp.where(chosen.flag(lambda e: e.back), hard_target(x.a, length), after)
    return jnp.where(chosen.flag(lambda e: e.stop), length, after).astype(jnp.int32)


def _stored(chosen: _Chosen, memory: Array) -> Array:
    missing = jnp.uint32(0)
    address = chosen.pick(lambda e: e.store and e.store[0], missing)
    word = chosen.pick(lambda e: e.store and e.store[1], missing)
    stores = chosen.flag(lambda e: e.store is not None)
    return memory.at[address].set(jnp.where(stores, word, memory[address]))


def _onward(place: Array, moves: Array, end: int) -> Array:
    return jnp.where(moves, jnp.minimum(place + 1, end), place)
