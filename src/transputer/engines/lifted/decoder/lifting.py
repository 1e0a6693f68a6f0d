"""The lifting of a model, derived once: how it fetches, and its rows as they are needed."""

from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np

from transputer.engines.lifted.decoder.atoms import TooManyTerms, slopes
from transputer.engines.lifted.decoder.circuit import OWN, Fixed, LiftedCircuit
from transputer.engines.lifted.decoder.frame import DecoderFrame, Setting, frame
from transputer.engines.lifted.decoder.rows import Lifter, Tree
from transputer.engines.lifted.decoder.store import RowCache
from transputer.engines.native.controls import Control, controls
from transputer.errors import Unsupported
from transputer.model import Model

#: The parts that stop a run; they decide which rows must be formulas.
Stops = frozenset[int]


@dataclass(eq=False)
class Lifting:
    """A model's frame, and the rows lifted so far; a row that is not cached needs `lifter`."""

    model: Model
    stops: Stops
    cache: RowCache
    controls: list[Control] = field(default_factory=list)
    _rows: dict[tuple[tuple[tuple[int, int], int], ...], Tree | None] = field(default_factory=dict)

    @cached_property
    def lifter(self) -> Lifter:
        """Derives rows; `Unsupported` for heads or outputs that cannot be lifted."""
        circuit = LiftedCircuit(self.model)
        chosen = controls(self.model, circuit.stages, circuit.heads)
        self.controls = [c for c in chosen if c.head is not None]
        if not self.controls:
            raise Unsupported("nothing that is fetched decides what a step does")
        own = frozenset(_chosen_by(circuit))
        return Lifter(circuit, self.stops, circuit.ranked(self.controls[0].part), own)

    @cached_property
    def frame(self) -> DecoderFrame:
        """The frame of all programs; raises as `lifter` does."""
        return self.cache.frame(self._frame)

    def _frame(self) -> DecoderFrame:
        circuit = self.lifter.circuit
        return frame(circuit, self.lifter, _setting(self.controls, circuit, self.lifter))

    def row(self, fixed: Fixed) -> Tree:
        """The tree of a row; `Unsupported` for one that takes too many terms."""
        key = tuple(sorted(fixed.items()))
        if key not in self._rows:
            name = "_".join(f"{source}.{part}.{value}" for (source, part), value in key)
            self._rows[key] = self.cache.row(name, lambda: self._derived(fixed))
        tree = self._rows[key]
        if tree is None:
            raise Unsupported("a row takes too many terms")
        return tree

    def _derived(self, fixed: Fixed) -> Tree | None:
        """The tree of a row, or None; that it takes too many terms is worth caching as well."""
        try:
            return self.lifter.lift(fixed)
        except TooManyTerms:
            return None


@lru_cache(maxsize=8)
def lifting(model: Model, stops: Stops = frozenset(), fresh: bool = False) -> Lifting:
    """The lifting of a model; `Unsupported` for heads or outputs that cannot be lifted.

    With `fresh`, nothing comes from the user's cache.
    """
    result = Lifting(model, stops, RowCache(model, stops, fresh))
    assert result.frame
    return result


def _setting(chosen: list[Control], circuit: LiftedCircuit, lifter: Lifter) -> Setting:
    fetch = chosen[0].head
    if fetch is None or fetch not in lifter.keys:
        raise Unsupported("what is fetched is not found by an address")
    query = lifter.fetch_query(fetch)
    asked = [g for e in (query.index.expr, *query.tags) for _, g in e.variables]
    lone = _lone(circuit, lifter)
    static = tuple(dict.fromkeys([*asked, *(lifter.words.place[p][0] for p in lone)]))
    fixed = [(fetch, c.part) for c in chosen] + [(OWN, p) for p in lone]
    return Setting(static, fetch, tuple(fixed))


def _chosen_by(circuit: LiftedCircuit) -> set[int]:
    """Parts of the token itself that neurons or queries do not read as numbers or as bits."""
    readings = [circuit.own[lane] for lane in _read(circuit)]
    return {
        part
        for reading in readings
        for part, table in reading.tables.items()
        if slopes(tuple(table.tolist())) is None
    }


def _lone(circuit: LiftedCircuit, lifter: Lifter) -> list[int]:
    """Parts of control that neurons or queries read from the token itself."""
    parts = {p for lane in _read(circuit) for p in circuit.own[lane].tables}
    return sorted(p for p in parts if lifter.words.place[p][0] in lifter.lone)


def _read(circuit: LiftedCircuit) -> list[int]:
    """Lanes of the embedding that neurons or queries read."""
    read = np.zeros(circuit.model.width, dtype=bool)
    for number, layer in enumerate(circuit.model.layers):
        stage = circuit.stages[number]
        neurons = np.setdiff1d(np.arange(len(layer.gate)), stage.erasers)
        used = layer.gate[neurons].any(axis=0) | layer.value[neurons].any(axis=0)
        read |= used & stage.between.fresh
        for h in circuit.by_layer[number]:
            read |= circuit.heads[h].query.any(axis=0) & stage.before.fresh
    lanes: list[int] = np.flatnonzero(read).tolist()
    return lanes
