"""Recordings of the soft machine: its hard path step by step, and its soft one beside it.

The hard path is recorded like any other run. At a temperature above 0 the first steps are also
made softly: what is then a number on the hard path is a distribution, and its chances are told.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transputer.debugger.plain import Marked, Rows
from transputer.ir.soft import Code, encode
from transputer.machines.soft.backend import Array, jax, jnp
from transputer.machines.soft.config import Config
from transputer.machines.soft.hard import hard_step
from transputer.machines.soft.program import Choice, certain, choose, ordered
from transputer.machines.soft.state import HardState, SoftState, soften
from transputer.machines.soft.step import advance

#: Steps between two marks, which are made at once.
STRETCH = 1 << 10
#: Steps of the soft path that are kept, and chances told of each choice.
SOFT, TOLD = 256, 6


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """A stretch: its rows and all states, both by position."""

    start: int
    end: int
    stretch: Rows
    states: HardState

    def state(self, position: int) -> HardState:
        """The state at a position."""
        at = position - self.start
        found: HardState = jax.tree.map(lambda held: held[at], self.states)
        return found


class SoftRecording(Marked[HardState, Window]):
    """The hard path of a program from a state; `advance` goes on by a stretch."""

    def __init__(self, code: Code, config: Config, first: HardState) -> None:
        super().__init__(_plain(first), STRETCH)
        self.config, self._rows = config, encode(code)
        made = partial(hard_step, width=config.width, ops=ordered(config))

        def stretch(rows: Array, state: HardState) -> HardState:
            def once(now: HardState, _: None) -> tuple[HardState, HardState]:
                after = made(rows, now)
                return after, after

            return jax.lax.scan(once, state, None, STRETCH)[1]  # type: ignore[no-any-return]

        self._stretch = jax.jit(stretch)
        self._state = _plain(first)

    @property
    def ended(self) -> bool:
        """Whether the program has come to its end."""
        return int(self._state.pc) >= self.config.length

    def advance(self, most: int) -> None:
        """So many steps more, at most a stretch, or to the end."""
        states = self._after(self._state)
        ends = np.flatnonzero(states.pc >= self.config.length)
        made = min(most, STRETCH, int(ends[0]) + 1 if len(ends) else STRETCH)
        self._state = jax.tree.map(lambda held: held[made - 1], states)
        self.reached(self.steps + made, self._state)

    def _after(self, state: HardState) -> HardState:
        """The states after each step of a stretch from one on."""
        found: HardState = jax.tree.map(np.asarray, self._stretch(jnp.asarray(self._rows), state))
        return found

    def remake(self, steps: int, kept: HardState, end: int) -> Window:
        """The steps after a mark, made again."""
        count, left = end - steps, int(steps > 0)
        after = self._after(kept)
        states = jax.tree.map(
            lambda one, more: np.concatenate([one[None], more])[:count], kept, after
        )
        rows = np.column_stack([_places(states, self.config.length), _changed(states)])
        kept_states = jax.tree.map(lambda held: held[left:], states)
        return Window(steps + left, end, rows[left:], kept_states)


def _plain(state: HardState) -> HardState:
    found: HardState = jax.tree.map(np.asarray, state)
    return found


def _places(states: HardState, length: int) -> NDArray[np.int64]:
    pcs = np.asarray(states.pc, dtype=np.int64)
    return np.where(pcs < length, pcs, -1)


def _changed(states: HardState) -> Rows:
    """The words that each step changed, at most two: of memory, then registers behind it."""
    words = np.concatenate([states.memory, states.registers], axis=1)
    found = np.full((len(words), 2), -1, dtype=np.int64)
    rows, slots = np.nonzero(words[1:] != words[:-1])
    for row, slot in zip(rows.tolist(), slots.tolist(), strict=True):
        found[row + 1, int(found[row + 1, 0] >= 0)] = slot
    return found


#: What may be chosen, by name, with its chance.
Chances = list[tuple[str, float]]


class SoftPath:
    """The first steps of a program at a temperature: what every choice is spread over."""

    def __init__(self, code: Code, config: Config, first: HardState, temperature: float) -> None:
        self.config = config
        self._choice: Choice = choose(certain(code, config), jnp.float32(temperature))
        self._code = [str(one) for one in code]
        self._states = jax.tree.map(np.asarray, _soft_run(self._choice, soften(first, config)))

    def chances(self, step: int) -> dict[str, Chances]:
        """The likeliest of each choice that a step makes; nothing behind the steps kept."""
        if step > SOFT:
            return {}
        places = self._states.pc[step - 1]
        fetch = places[:-1] / max(1e-9, 1 - float(places[-1]))
        registers = [f"R{i}" for i in range(self.config.registers)]
        return {
            "place": _likeliest([*self._code, "ended"], places),
            "operation": _likeliest(self._choice.ops, fetch @ np.asarray(self._choice.op)),
            "to": _likeliest(registers, fetch @ np.asarray(self._choice.d)),
            "a": _likeliest(registers, fetch @ np.asarray(self._choice.a)),
            "b": _likeliest(registers, fetch @ np.asarray(self._choice.b)),
        }


def _soft_run(choice: Choice, state: SoftState) -> SoftState:
    """The states before each of the first steps."""

    def run(state: SoftState) -> tuple[SoftState, SoftState]:
        found: tuple[SoftState, SoftState] = jax.lax.scan(
            lambda s, _: (advance(choice, s), s), state, None, SOFT
        )
        return found

    states: SoftState = jax.jit(run)(state)[1]
    return states


def _likeliest(names: Sequence[str], chances: NDArray[Any]) -> Chances:
    order = np.argsort(-chances, kind="stable")[:TOLD].tolist()
    return [(names[i], float(chances[i])) for i in order if chances[i] >= 0.005]
