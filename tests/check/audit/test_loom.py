"""The audit of the loom machine can fail: engines that cheat are found."""

import numpy as np
import pytest

from transputer.check.audit.loom import (
    AUDITED,
    LoomEvidence,
    agreement,
    bounds,
    mutation,
    oracles,
    semantics,
    state,
    universal,
)
from transputer.check.audit.verdict import Rule
from transputer.engines.native.looped import LoopedNative
from transputer.engines.reference.looped import LoopedReference
from transputer.machines.loom.circuit import model
from transputer.model import Array, Looped

slow = pytest.mark.slow


class Deaf(LoopedReference):
    """An engine that runs the shipped weights, whatever it is given."""

    def __init__(self, given: Looped, state: Array) -> None:
        super().__init__(model(AUDITED) if given.names else given, state)


class Late(LoopedReference):
    """An engine that remembers how often it was called."""

    steps = 0

    def step(self) -> None:
        Late.steps += 1
        super().step()
        if Late.steps % 17 == 0:
            self._state = np.array(self._state)
            self._state[model(AUDITED).names.index("output"), 0] = 1


@pytest.mark.parametrize(
    "rule",
    [
        agreement,
        state,
        pytest.param(semantics, marks=slow),
        pytest.param(mutation, marks=slow),
        pytest.param(bounds, marks=slow),
        universal,
        pytest.param(oracles, marks=slow),
    ],
    ids=lambda rule: rule.__name__,
)
def test_rules_hold_for_an_engine_that_is_right(rule: Rule[LoomEvidence]) -> None:
    verdict = rule(LoomEvidence({"native": LoopedNative}, {}, mutants=4))
    assert verdict.passed, verdict.facts


def test_an_engine_with_weights_of_its_own_is_found() -> None:
    verdict = mutation(LoomEvidence({"deaf": Deaf}, {}, mutants=6))
    assert any(fact.startswith("NOT deaf") for fact in verdict.facts)


def test_an_engine_that_does_something_else_is_found() -> None:
    verdict = agreement(LoomEvidence({"late": Late}, {}))
    assert not verdict.passed
