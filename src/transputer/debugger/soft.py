"""The soft path of a program beside its hard one: what every choice is spread over."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transputer.ir.soft import Code
from transputer.machines.soft.backend import jax, jnp
from transputer.machines.soft.config import Config
from transputer.machines.soft.program import Choice, certain, choose
from transputer.machines.soft.state import HardState, SoftState, soften
from transputer.machines.soft.step import advance

#: Steps of the soft path that are kept, and probabilities shown of each choice.
SOFT, TOLD = 256, 6


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
