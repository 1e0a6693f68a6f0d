"""Engines and models that cheat or are broken, for the rules to find."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from transputer.check.audit.corpus import CorpusProgram
from transputer.check.audit.evidence import Effort, Evidence
from transputer.engines.reference.decoder import Reference
from transputer.errors import CapacityError, UsageError
from transputer.machines.trace.universal import model
from transputer.model import Array, Head, Layer, Model, Token, digest

TINY = CorpusProgram(
    "tiny",
    """(module
      (global $g (export "g") (mut i32) (i32.const 5))
      (func (export "f") (param i32 i32) (result i32)
        (global.set $g (i32.sub (local.get 0) (local.get 1)))
        (i32.add (global.get $g) (i32.const 0x0102FF))))""",
    (("f", (300, 44)), ("f", (0, 1))),
)


def tiny(**how: Any) -> Evidence:
    """The evidence of one small program."""
    held: dict[str, Any] = {
        "model": model(),
        "cases": (TINY,),
        "scenes": (),
        "effort": Effort(alone=3, weights=8, prefixes=3),
    }
    return Evidence(**{**held, **how})


def facts_against(facts: Sequence[str]) -> list[str]:
    return [fact for fact in facts if fact.startswith("NOT ")]


class Peeking(Reference):
    """Knows whether the last token was decoded or appended: more than the tokens say."""

    decoding = False

    def next(self) -> Token:
        token = super().next()
        return token if self.decoding else (token[0] ^ 1, *token[1:])

    def step(self) -> Token:
        token = super().step()
        self.decoding = True
        return token


class Shared(Reference):
    """Keeps something for all sessions together."""

    appended: list[int] = []

    def append(self, token: Token) -> None:
        self.appended.append(id(self))
        super().append(token)

    def next(self) -> Token:
        token = super().next()
        return token if len(set(self.appended)) == 1 else (token[0] ^ 1, *token[1:])


class Careless(Reference):
    """Gets one byte of one value wrong."""

    def next(self) -> Token:
        token = super().next()
        at = [part.name for part in self.model.parts].index("value1")
        return (*token[:at], 1, *token[at + 1 :]) if token[at] == 2 else token


class Hiding(Reference):
    """Runs the shipped weights, whatever it is given."""

    def __init__(self, given: Model) -> None:
        super().__init__(model())


class Suspicious(Reference):
    """Refuses everything but the shipped weights, by their checksum."""

    def __init__(self, given: Model) -> None:
        if digest(given) != digest(model()):
            raise CapacityError("these are not the weights I know")
        super().__init__(given)


class Earliest(Reference):
    """Breaks ties its own way: the first of the largest scores."""

    def _best(self, layer: int, number: int, head: Head, at: int, scores: Array) -> int:
        return int(np.argmax(scores))


class Literate(Reference):
    """Works only where lanes have their names."""

    def __init__(self, given: Model) -> None:
        if not given.names:
            raise UsageError("which lane is the program counter?")
        super().__init__(given)


class Scribbling(Reference):
    """Writes into the weights that it was given."""

    def __init__(self, given: Model) -> None:
        super().__init__(given)
        table = given.embeddings[0]
        table.setflags(write=True)
        table[-1, -1] += 1
        table.setflags(write=False)


class Endless(Reference):
    """Forgets what its model is declared for."""

    def __init__(self, given: Model) -> None:
        super().__init__(replace(given, context=model().context))


def copied() -> Model:
    """The shipped model in memory of its own."""
    return model().with_tensors({n: a.copy() for n, a in model().tensors().items()})


def with_idle_neurons(count: int) -> Model:
    """The shipped model with so many more neurons in layer 1 whose gates never open."""
    shipped = model()
    layer = shipped.layers[1]
    gate, value = np.zeros((2, count, shipped.width))
    gate[:, 0], value[:, 0] = -1.0, 1.0
    out = np.zeros((shipped.width, count))
    out[-1] = 1.0
    more = Layer(
        layer.heads,
        np.concatenate([layer.gate, gate]),
        np.concatenate([layer.value, value]),
        np.concatenate([layer.out, out], axis=1),
    )
    idle = {"layer": 1, "first": len(layer.gate), "count": count, "group": "idle"}
    hints = {**shipped.hints, "neurons": [*shipped.hints["neurons"], idle]}
    layers = (shipped.layers[0], more, *shipped.layers[2:])
    return replace(shipped, layers=layers, hints=hints)


def without_recency() -> Model:
    """The shipped model that cannot tell early from late."""
    tensors = model().tensors()
    return model().with_tensors({**tensors, "position": np.zeros_like(tensors["position"])})
