"""Broken looped models, run beside the reference engine."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from tests.machines.loom.support import scramble
from transputer.engines.reference.looped import LoopedReference
from transputer.errors import TransputerError
from transputer.ir.loom import LoomConfig
from transputer.machines.loom.circuit import model
from transputer.machines.loom.host import initial
from transputer.model import mutate, nonzeros

SMALL = LoomConfig(64, 8, 32, 6)


def break_alike(
    engine: Callable[..., Any], how: Literal["zero", "negate"], seed: int, mutants: int, steps: int
) -> int:
    """Check that an engine does with broken weights what the reference does; how many ran.

    The others both refuse.
    """
    held, ran = model(SMALL), 0
    chosen = np.random.default_rng(seed).integers(nonzeros(held), size=mutants)
    for number, which in enumerate(chosen.tolist()):
        mutant, state = mutate(held, which, how), initial(scramble(number, SMALL), SMALL)
        one, other = _made(LoopedReference, mutant, state), _made(engine, mutant, state)
        if isinstance(one, TransputerError):
            assert isinstance(other, type(one)), f"weight {which}: {one}"
            continue
        ran += 1
        for step in range(steps):
            assert one.run(1) == other.run(1), f"weight {which}, step {step}"
            assert one.halted == other.halted, f"weight {which}, step {step}"
            assert np.array_equal(one.state, other.state), f"weight {which}, step {step}"
    return ran


def _made(engine: Callable[..., Any], *what: Any) -> Any:
    """An engine, or why it refuses."""
    try:
        return engine(*what)
    except TransputerError as refused:
        return refused
