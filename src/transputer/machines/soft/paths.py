"""The hard and the soft path in JAX, run and served like the hard path in C."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transputer.errors import CapacityError
from transputer.ir.soft import decode
from transputer.isa.soft import SOFT
from transputer.machines.soft.backend import Array, jax, jnp
from transputer.machines.soft.config import Config
from transputer.machines.soft.hard import hard_step
from transputer.machines.soft.native import Words
from transputer.machines.soft.program import certain, choose, ordered
from transputer.machines.soft.state import HardState, harden, soften
from transputer.machines.soft.step import advance

#: The most words of memory on the soft path, where each bit is a number.
MOST = 1 << 16
#: Takes a state and a limit; returns the state after at most that many steps, and their number.
_Stepper = Callable[[HardState, int], tuple[HardState, Array]]


class Path:
    """A machine in some state, in JAX: on the hard path, or at temperature 0 on the soft one."""

    def __init__(
        self, rows: NDArray[np.int64], state: HardState, config: Config, soft: bool = False
    ) -> None:
        if soft and config.memory > MOST:
            needs = f"needs {config.memory:,} words of memory, the soft path has at most {MOST:,}"
            raise CapacityError(f"{needs}; use the engine native")
        used = tuple(op.name for op in SOFT if op.code in rows[:, 0])
        self._config, self._rows = replace(config, length=len(rows), ops=used), rows
        self._soft, self.state = soft, state
        self._many: _Stepper | None = None

    @property
    def ended(self) -> bool:
        """Whether the program has stopped."""
        return int(self.state.pc) >= len(self._rows)

    def serve(self, limit: int, read: Callable[[], Words]) -> Iterator[tuple[int, Words]]:
        """Yield steps and output until the program ends or reaches the step limit.

        `read` gives what there is of the input, nothing at its end; all of it is read first. As
        many steps are made at a time as there is room for output, which is then emptied.
        """
        pieces = []
        while len(piece := read()):
            pieces.append(piece)
        tape = np.concatenate([np.zeros(0, np.uint32), *pieces])
        if len(tape):
            self._config = replace(self._config, inputs=len(tape))
            self.state = replace(self.state, inputs=tape, read=np.int32(0))
            self._many = None  # compiled for another length of input
        many = self._many = self._many or self._stepper()
        while not self.ended and limit > 0:
            wanted = min(self._config.outputs, limit)
            self.state, done = many(self.state, wanted)
            limit -= int(done)
            put = np.asarray(self.state.outputs[: int(self.state.wrote)])
            self.state = replace(self.state, wrote=np.int32(0))
            yield int(done), put.astype(np.uint32)

    def _stepper(self) -> _Stepper:
        config, length = self._config, len(self._rows)
        if not self._soft:
            rows = jnp.asarray(self._rows, jnp.uint32)
            once = partial(hard_step, rows, width=config.width, ops=ordered(config))
            hardly: _Stepper = jax.jit(partial(_while, once, lambda s: s.pc < length))
            return hardly
        choice = choose(certain(decode(self._rows.tolist(), 32), config), jnp.float32(0))

        def step_softly(state: HardState, most: int) -> tuple[HardState, Array]:
            after, done = _while(
                partial(advance, choice), lambda s: s.pc[-1] == 0, soften(state, config), most
            )
            return harden(after), done

        softly: _Stepper = jax.jit(step_softly)
        return softly


def _while(
    once: Callable[[Any], Any], going: Callable[[Any], Array], state: Any, most: Array
) -> tuple[Any, Array]:
    """The state after at most `most` steps while the program is going, and their number."""
    end: tuple[Any, Array] = jax.lax.while_loop(
        lambda carry: going(carry[0]) & (carry[1] < most),
        lambda carry: (once(carry[0]), carry[1] + 1),
        (state, jnp.int32(0)),
    )
    return end
