"""What is proved of a looped model from a state on, step by step, and a check of the formulas."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from transputer.engines.lifted.looped import LoopedLifted
from transputer.engines.lifted.looped.program import LoopedNode, gaps, leaves
from transputer.engines.lifted.looped.tree import Fork, Selection, Tree
from transputer.engines.reference.looped import LoopedReference
from transputer.errors import Unsupported
from transputer.model import Array, Looped, looped_digest


@dataclass(frozen=True, slots=True)
class StepProof:
    """The step from one first column.

    `ends` are formulas for the words that it writes and the next first column; `numbers` words
    that were proved from their digits; `selections` columns found by a key; `open` why an end is
    left to another engine.
    """

    ends: int
    numbers: int
    selections: int
    open: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LoopedCertificate:
    """What holds: `idle` columns stay as they are by themselves; `variable` ones get new data."""

    model: str
    idle: int
    variable: int
    steps: tuple[StepProof, ...]

    def as_json(self) -> dict[str, Any]:
        """JSON-able."""
        return {**asdict(self), "steps": [asdict(step) for step in self.steps]}


def certify_looped(model: Looped, state: Array) -> LoopedCertificate:
    """The certificate of all steps from a state; `Unsupported` where columns are not idle."""
    lifted = _lifted(model, state)
    nodes = [node for node in lifted.program.nodes.values() if not node.halted]
    variable = len(lifted.program.stepper.variable)
    steps = tuple(_proof(node) for node in nodes)
    return LoopedCertificate(looped_digest(model), model.columns - 1, variable, steps)


def _lifted(model: Looped, state: Array) -> LoopedLifted:
    lifted = LoopedLifted(model, state)
    if lifted.why:
        raise Unsupported(lifted.why)
    return lifted


def _proof(node: LoopedNode) -> StepProof:
    ends = list(leaves(node.tree))
    numbers = {source for leaf in ends for source, _ in leaf.numbers}
    asked = {s.source for s in _asked(node.tree)}
    return StepProof(len(ends), len(numbers), len(asked), tuple(dict.fromkeys(gaps(node.tree))))


def _asked(tree: Tree) -> Iterator[Selection]:
    if isinstance(tree, Fork):
        if isinstance(tree.on, Selection):
            yield tree.on
        yield from _asked(tree.yes)
        yield from _asked(tree.no)


def check_looped(model: Looped, state: Array, samples: int = 2, seed: int = 1) -> list[str]:
    """Where formulas differ from the dense reference, on random data before every step."""
    lifted = _lifted(model, state)
    rng, problems = np.random.default_rng(seed), []
    columns = lifted.program.columns
    variable = sorted(lifted.program.stepper.variable)
    for node in [n for n in lifted.program.nodes.values() if not n.halted]:
        for _ in range(samples):
            start = state.copy()
            chosen = rng.integers(0, 2, (len(columns.data), len(variable)))
            start[np.ix_(columns.data, variable)] = 2 * chosen - 1
            start[:, 0] = node.first
            lifted.restart(start)
            lifted.step()
            dense = LoopedReference(model, start)
            dense.step()
            if not np.array_equal(lifted.state, dense.state):
                problems.append(f"the step from node {node.number} differs on random data")
    return problems
