"""A program as nodes: one for every first column that steps from a state can lead to.

Data of columns that no step is known to write are constants. A write that turns up later makes
them variable, and the nodes that relied on them are derived again. The result is sound: every
step that can happen was evaluated under assumptions that no step breaks.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from transputer.engines.lifted.decoder.atoms import AtomTable, Bit, Poly
from transputer.engines.lifted.looped.columns import IdleColumns
from transputer.engines.lifted.looped.step import StepLifter
from transputer.engines.lifted.looped.tree import Fork, StepLeaf, Tree
from transputer.errors import Unsupported
from transputer.model import Array, Looped

#: First columns that one program may go through, per column of the state.
MAX_NODES = 2
First = tuple[int, ...]


@dataclass
class LoopedNode:
    """A first column and the step from it; `seen` are columns whose data it takes as constants."""

    number: int
    first: First
    halted: bool
    tree: Tree
    registry: AtomTable
    seen: set[int]


class LoopedProgram:
    """Nodes by first column; `Unsupported` where nothing can be shown about a state's columns."""

    def __init__(self, model: Looped, state: Array) -> None:
        self.model = model
        self.columns = IdleColumns(model, state)
        self._ordered = False
        self._begin()

    def _begin(self) -> None:
        self.stepper = StepLifter(self.columns)
        self.nodes: dict[First, LoopedNode] = {}

    def reach(self, first: First) -> LoopedNode:
        """The node of a first column, with all that can follow it."""
        todo = [first]
        while todo:
            here = todo.pop()
            if here in self.nodes:
                continue
            if len(self.nodes) == MAX_NODES * self.model.columns:
                raise Unsupported(f"lifted: more than {len(self.nodes):,} different first columns")
            node = self._made(here)
            order = None if self._ordered else self._order(node.tree)
            if order is not None:
                self._ordered, self.columns.data = True, order
                self._begin()
                todo = [first]
                continue
            self.nodes[here] = node
            changed = {c for leaf in leaves(node.tree) for c in self._written(leaf)}
            todo += self.vary(changed | self.stepper.selectable)
            todo += [leaf.after for leaf in leaves(node.tree)]
        self._ordered = True  # from now on words may be held in this order
        return self.nodes[first]

    def vary(self, columns: set[int]) -> list[First]:
        """Make the data of columns variable; return the nodes to be derived again."""
        new = columns - self.stepper.variable
        self.stepper.variable |= new
        stale = [first for first, node in self.nodes.items() if node.seen & new]
        for first in stale:
            del self.nodes[first]
        return stale

    def _made(self, first: First) -> LoopedNode:
        number = len(self.nodes)
        if np.array(first, dtype=np.float64) @ self.model.stop >= 1:
            return LoopedNode(number, first, True, "it has halted", AtomTable(), set())
        return LoopedNode(number, first, False, *self.stepper.tree(first))

    def _written(self, leaf: StepLeaf) -> Iterator[int]:
        for target, _ in leaf.writes:
            yield from (target,) if isinstance(target, int) else target.columns

    def _order(self, tree: Tree) -> tuple[int, ...] | None:
        """Data rows as the digits of a number that was written to them, if one was."""
        for leaf in leaves(tree):
            for _, bits in leaf.writes:
                places = [self._digit(leaf, bit) for bit in bits]
                if sorted(places) == list(range(len(bits))):
                    rows = sorted(zip(places, self.columns.data, strict=True))
                    return tuple(row for _, row in rows)
        return None

    def _digit(self, leaf: StepLeaf, poly: Poly) -> int:
        """Which digit of a number a bit is, or -1."""
        if len(poly) == 1:
            ((monomial, weight),) = poly.items()
            if len(monomial) == 1 and weight == 1:
                atom = self.stepper.latest.atoms[monomial[0]]
                if isinstance(atom, Bit) and atom.source in dict(leaf.numbers):
                    return atom.index
        return -1


def leaves(tree: Tree) -> Iterator[StepLeaf]:
    """All ends of a step that are formulas."""
    if isinstance(tree, Fork):
        yield from leaves(tree.yes)
        yield from leaves(tree.no)
    elif isinstance(tree, StepLeaf):
        yield tree


def gaps(tree: Tree) -> Iterator[str]:
    """Why ends of a step are left to another engine."""
    if isinstance(tree, Fork):
        yield from gaps(tree.yes)
        yield from gaps(tree.no)
    elif isinstance(tree, str):
        yield tree


__all__ = ["First", "LoopedNode", "LoopedProgram", "gaps", "leaves"]
