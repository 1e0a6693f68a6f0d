"""The lifting of a model, derived once: how it fetches, and its rows as they are needed."""

import platform
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import product
from typing import Any

import numpy as np

from transputer.engines.lifted.decoder.atoms import TooManyTerms, slopes
from transputer.engines.lifted.decoder.circuit import OWN, Fixed, LiftedCircuit
from transputer.engines.lifted.decoder.compact import Compactor
from transputer.engines.lifted.decoder.frame import DecoderFrame, Setting, frame
from transputer.engines.lifted.decoder.fused import Fused, FusedRows, fused_rows
from transputer.engines.lifted.decoder.proved import ProvedRows, proved_rows
from transputer.engines.lifted.decoder.rows import Lifter, Tree, leaves, size
from transputer.engines.lifted.decoder.store import RowCache
from transputer.engines.native.controls import Control, controls
from transputer.errors import Unsupported
from transputer.model import Model

#: Processors whose floats are those of IEEE 754, and that C knows how to make round to nearest.
PROCESSORS = frozenset(("x86_64", "amd64", "aarch64", "arm64"))
#: What chooses a row: parts of sources, with their values.
Chosen = tuple[tuple[tuple[int, int], int], ...]
#: The parts that stop a run; they decide which rows must be formulas.
Stops = frozenset[int]


@dataclass(eq=False)
class Lifting:
    """A model's frame, and the rows lifted so far; a row that is not cached needs `lifter`.

    With `short`, shipped rows have their short trees, where there are any.
    """

    model: Model
    stops: Stops
    cache: RowCache
    short: bool = True
    controls: list[Control] = field(default_factory=list)
    #: Rows that are compiled and loaded (`LoadedRows`), by what decides their code.
    loaded: dict[tuple[object, ...], Any] = field(default_factory=dict)
    _rows: dict[Chosen, Tree | None] = field(default_factory=dict)

    @cached_property
    def lifter(self) -> Lifter:
        """Derives rows; `Unsupported` for heads or outputs that cannot be lifted."""
        circuit = LiftedCircuit(self.model)
        self.controls = [c for c in controls(self.model) if c.head is not None]
        if not self.controls:
            raise Unsupported("nothing that is fetched decides what a step does")
        own = frozenset(_chosen_by(circuit))
        return Lifter(circuit, self.stops, circuit.ranked(self.controls[0].part), own)

    @cached_property
    def proved(self) -> ProvedRows | None:
        """The rows that are shipped for this model."""
        return None if self.cache.fresh else proved_rows(self.cache.model, self.stops)

    @cached_property
    def fused(self) -> FusedRows:
        """The fused rows that are shipped for this model, for processors with such floats."""
        known = self.short and self.proved is not None and platform.machine().lower() in PROCESSORS
        return fused_rows(self.cache.model) if known else FusedRows("", ())

    def several(self, fixed: Fixed) -> Fused | None:
        """The fused row that begins with a row, if there is one."""
        return self.fused.row(fixed)

    @cached_property
    def identity(self) -> str:
        """What decides all rows: a digest of them, or of what they are derived from."""
        return self.cache.room if self.proved is None else self.proved.digest

    @cached_property
    def frame(self) -> DecoderFrame:
        """The frame of all programs; raises as `lifter` does."""
        return self.cache.frame(self._frame) if self.proved is None else self.proved.frame

    @cached_property
    def _shipped(self) -> dict[Chosen, int]:
        """The numbers of the shipped rows."""
        rows = [] if self.proved is None else self.proved.chosen
        return {tuple(sorted(fixed.items())): number for number, fixed in enumerate(rows)}

    def _frame(self) -> DecoderFrame:
        circuit = self.lifter.circuit
        return frame(circuit, self.lifter, _setting(self.controls, circuit, self.lifter))

    def reachable(self) -> Iterator[tuple[Chosen, Tree | None]]:
        """Every row: each value of what is fetched, with the lone parts that rows lead to.

        Without its tree where it takes too many terms.
        """
        setting, sizes = self.frame.setting, self.frame.sizes
        fetched = [c for c in setting.controls if c[0] != OWN]
        own = [c for c in setting.controls if c[0] == OWN]
        if len(fetched) != 1:
            raise Unsupported("several parts of what is fetched decide the row")
        for value in range(sizes[fetched[0][1]]):
            seen: set[tuple[int, ...]] = set()
            todo = [(0,) * len(own)]
            while todo:
                state = todo.pop()
                if state in seen:
                    continue
                seen.add(state)
                fixed = {fetched[0]: value, **dict(zip(own, state, strict=True))}
                try:
                    tree = self.row(fixed)
                except Unsupported:
                    yield tuple(sorted(fixed.items())), None
                else:
                    yield tuple(sorted(fixed.items())), tree
                    todo += self._next(tree, [p for _, p in own])

    def _next(self, tree: Tree, parts: list[int]) -> Iterator[tuple[int, ...]]:
        """The values that parts of control may have after a row.

        A row that stops the run is followed too: a host that has served it repeats the token.
        """
        place, sizes = self.frame.place, self.frame.sizes
        for leaf in leaves(tree):
            words = [leaf.words[place[p][0]] for p in parts]
            if any(w.guard is not None and w.guard.value({}) == 0 for w in words):
                continue
            ways = []
            for part, word in zip(parts, words, strict=True):
                values = word.expr.values()
                if values is None:
                    raise Unsupported("the rows that follow a row cannot be told")
                ways.append([v for v in sorted(values) if 0 <= v < sizes[part]])
            yield from product(*ways)

    def whole(self, fixed: Fixed) -> Tree:
        """The tree of a row for all tokens: the derived one where the short one has guards."""
        number = self._shipped.get(tuple(sorted(fixed.items())))
        if self.proved is None or number is None or not self.proved.partial[number]:
            return self.row(fixed)
        return self.proved.derived(number)

    def row(self, fixed: Fixed) -> Tree:
        """The tree of a row; `Unsupported` for one that takes too many terms."""
        key = tuple(sorted(fixed.items()))
        if self.proved is not None and key in self._shipped and key not in self._rows:
            tree_of = self.proved.tree if self.short else self.proved.derived
            self._rows[key] = tree_of(self._shipped[key])
        if key not in self._rows:
            name = "_".join(f"{source}.{part}.{value}" for (source, part), value in key)
            self._rows[key] = self.cache.row(name, lambda: self._derived(fixed))
        tree = self._rows[key]
        if tree is None:
            raise Unsupported("a row takes too many terms")
        return tree

    def _derived(self, fixed: Fixed) -> Tree | None:
        """The tree of a row, or None; that it takes too many terms is worth caching as well."""
        best: Tree | None = None
        trees = self.lifter.lift(fixed)
        with suppress(TooManyTerms):
            for tree in trees:
                short = Compactor(self.lifter.words).tree(tree)
                best = short if best is None else min(best, short, key=size)
        return best


@lru_cache(maxsize=8)
def lifting(
    model: Model, stops: Stops = frozenset(), fresh: bool = False, short: bool = True
) -> Lifting:
    """The lifting of a model; `Unsupported` for heads or outputs that cannot be lifted.

    With `fresh`, nothing comes from the package or the user's cache; without `short`, all trees are
    as they were derived.
    """
    result = Lifting(model, stops, RowCache(model, stops, fresh), short)
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
