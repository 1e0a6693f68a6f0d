"""Planted cheats: every one is caught, whatever the seed, and an honest engine is not."""

import os
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.check.audit.doctored import TINY, tiny
from transputer.check.audit.breakages import KINDS, breakages, tied
from transputer.check.audit.corpus import CorpusProgram
from transputer.check.audit.evidence import Evidence
from transputer.check.audit.forward import Forward, winners
from transputer.check.audit.mutation import models_of, ran
from transputer.machines.trace.opcodes import OPCODES
from transputer.machines.trace.universal import model
from transputer.machines.trace.vocabulary import Space, record
from transputer.model import Model, Token

#: Seeds: one in every run of the tests, more on request.
SEEDS = range(1, 1 + int(os.environ.get("TRANSPUTER_AUDIT_SEEDS", "1")))
#: A program that needs every layer: bytes in memory, a product, a comparison and a jump.
EVERY_LAYER = CorpusProgram(
    "every layer",
    """(module (memory 1)
      (func (export "f") (param i32) (result i32)
        (loop $again
          (i32.store8 offset=3 (local.get 0) (i32.mul (local.get 0) (i32.const 77)))
          (br_if $again
            (i32.gt_s (local.tee 0 (i32.sub (local.get 0) (i32.const 5))) (i32.const 0))))
        (select (i32.load offset=8 (i32.const 0)) (local.get 0) (i32.clz (local.get 0)))))""",
    (("f", (9,)),),
)


@cache
def chosen(engine: Any, given: Model) -> Model:
    """The model that an engine runs instead of a given one."""
    replaced: Model = engine.chosen(given)
    return replaced


@cache
def broken_by_seed_0() -> set[tuple[str, tuple[int, ...]]]:
    """The weights that seed 0 breaks."""
    return {(b.tensor, b.index) for b in breakages(model(), np.random.default_rng([0, 5]))}


class Honest:
    """An engine that computes all positions again for every token."""

    def __init__(self, given: Model) -> None:
        self.model = chosen(type(self), given)
        self.tokens: list[Token] = []

    @staticmethod
    def chosen(given: Model) -> Model:
        """The model that it runs."""
        return given

    def append(self, token: Token) -> None:
        self.tokens.append(tuple(token))

    def next(self) -> Token:
        forward = Forward(self.model, self.tokens)
        return tuple(int(v) for v in forward.predicted[-1])

    def step(self) -> Token:
        self.append(self.next())
        return self.tokens[-1]

    def shipped(self) -> Token:
        """The token that the shipped weights predict."""
        forward = Forward(model(), self.tokens)
        return tuple(int(v) for v in forward.predicted[-1])


def mixed(given: Model, names: Sequence[str], neurons: slice = slice(None)) -> Model:
    """A model with some of the shipped tensors, or of their neurons."""
    tensors = dict(given.tensors())
    for name in names:
        part = (slice(None), neurons) if name.endswith(".out") else neurons
        array = tensors[name].copy()
        array[part] = model().tensors()[name][part]
        tensors[name] = array
    return given.with_tensors(tensors)


class Restoring(Honest):
    """Restores some groups of neurons, as if their weights had been rounded."""

    @staticmethod
    def chosen(given: Model) -> Model:
        for about in model().hints["neurons"]:
            if about["group"] in ("const", "put", "usual"):
                rows = slice(about["first"], about["first"] + about["count"])
                names = [f"layer{about['layer']}.{matrix}" for matrix in ("gate", "value", "out")]
                given = mixed(given, names, rows)
        return given


class Opcodes(Honest):
    """Does some instructions itself."""

    known = tuple(OPCODES[name] for name in ("i32.const", "i32.sub", "local.get"))

    def next(self) -> Token:
        at = record(self.tokens[-1]).pc
        records = map(record, self.tokens)
        fetched = [r for r in records if r.space == Space.CODE and r.at == at]
        known = fetched and fetched[-1].op in self.known
        return self.shipped() if known else super().next()


class Memoised(Honest):
    """Remembers what it once decoded, whatever the weights are now."""

    def next(self) -> Token:
        return self.shipped() if hash(tuple(self.tokens)) % 4 == 0 else super().next()


class Stale(Honest):
    """Keeps one layer's weights from the model that it saw first."""

    @staticmethod
    def chosen(given: Model) -> Model:
        return mixed(given, [name for name in given.tensors() if name.startswith("layer2.")])


class Swapped(Honest):
    """Has an output table of its own."""

    @staticmethod
    def chosen(given: Model) -> Model:
        return mixed(given, [name for name in given.tensors() if name.startswith("output.value")])


class FirstOfEqual(Honest):
    """Takes the first of equal scores."""

    def next(self) -> Token:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("transputer.check.audit.forward.winners", self.earliest)
            return super().next()

    @staticmethod
    def earliest(query: Any, key: Any, positions: Any) -> Any:
        _, best, scores = winners(query, key, positions)
        at = scores.argmax(axis=1)
        return at, best, scores


class Forewarned(Honest):
    """Is honest with the weights that seed 0 breaks, and only with those."""

    @staticmethod
    def chosen(given: Model) -> Model:
        tensors = given.tensors()
        for name, array in model().tensors().items():
            changed = np.argwhere(tensors[name] != array) if tensors[name] is not array else ()
            for index in changed:
                if (name, tuple(int(i) for i in index)) not in broken_by_seed_0():
                    return model()
        return given


CHEATS = (Restoring, Opcodes, Memoised, Stale, Swapped, FirstOfEqual, Forewarned)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_cheats_are_caught_and_an_honest_engine_is_not(seed: int) -> None:
    engines: dict[str, Any] = {cheat.__name__: cheat for cheat in (Honest, *CHEATS)}
    evidence: Evidence = tiny(engines=engines, seed=seed, cases=(TINY, EVERY_LAYER))
    evidence.weights = []
    with pytest.MonkeyPatch.context() as patch:  # these engines have no bounds to keep
        patch.setattr("transputer.check.audit.breakages.verify", lambda broken: None)
        models = [broken for kind in KINDS for broken in models_of(evidence, kind)]
    models.append(tied(evidence.model, evidence.recordings))
    runs = [ran(evidence, name, make, models) for name, make in engines.items()]
    assert [run.fact().holds for run in runs] == [True] + [False] * len(CHEATS)
