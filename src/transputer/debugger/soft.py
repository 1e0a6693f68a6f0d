"""The soft path of a program: the probability distribution of every choice."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transputer.ir.soft import Code
from transputer.machines.soft.backend import jax, jnp
from transputer.machines.soft.config import Config
from transputer.machines.soft.program import FetchChoice, certain, choose
from transputer.machines.soft.state import HardState, SoftState, soften
from transputer.machines.soft.step import advance

#: Steps of the soft path that are kept, and alternatives shown of each choice.
SOFT, SHOWN = 256, 6


#: Alternatives of a choice by name, with their probabilities.
Probabilities = list[tuple[str, float]]


class SoftPath:
    """The first steps of a program at a temperature: the distribution of every choice."""

    def __init__(self, code: Code, config: Config, first: HardState, temperature: float) -> None:
        self.config = config
        self._choice: FetchChoice = choose(certain(code, config), jnp.float32(temperature))
        self._code = [str(one) for one in code]
        self._states = jax.tree.map(np.asarray, _soft_run(self._choice, soften(first, config)))

    def probabilities(self, step: int) -> dict[str, Probabilities]:
        """Return the likeliest alternatives of each choice in a step; empty after SOFT steps."""
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


def _soft_run(choice: FetchChoice, state: SoftState) -> SoftState:
    """Return the states before each of the first SOFT steps."""

    def run(state: SoftState) -> tuple[SoftState, SoftState]:
        last_and_all: tuple[SoftState, SoftState] = jax.lax.scan(
            lambda s, _: (advance(choice, s), s), state, None, SOFT
        )
        return last_and_all

    states: SoftState = jax.jit(run)(state)[1]
    return states


def _likeliest(names: Sequence[str], probabilities: NDArray[Any]) -> Probabilities:
    order = np.argsort(-probabilities, kind="stable")[:SHOWN].tolist()
    return [(names[i], float(probabilities[i])) for i in order if probabilities[i] >= 0.005]
