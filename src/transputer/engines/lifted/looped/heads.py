"""Heads of the first column: whom it reads, and who reads it, whatever the bits are."""

from dataclasses import dataclass, replace

import numpy as np

from transputer.engines.lifted.decoder.atoms import (
    Bit,
    Poly,
    StepAtom,
    Tab,
    constant,
    is_constant,
    plus,
)
from transputer.engines.lifted.decoder.circuit import Sparse, form
from transputer.engines.lifted.looped.columns import Ints, Keys
from transputer.engines.lifted.looped.frame import Held, Sight, added
from transputer.engines.lifted.looped.tree import (
    DATA,
    MARKS,
    UNREAD,
    AnswerNeeded,
    Best,
    Crowd,
    NotLiftedError,
    Selection,
    Target,
)
from transputer.model import Array

#: Columns that a head may mix in one mean, or reach one by one.
MOST = 4


@dataclass(frozen=True, slots=True)
class _Met:
    """Columns that the first column reads, and columns that attend to it.

    The first may be a selection, if it finds one; of the second it is known whether they attend to
    anything else.
    """

    read: tuple[Target, ...]
    reached: tuple[tuple[Target, bool], ...] = ()
    unread: Selection | None = None
    values: tuple[Poly, ...] | None = None  # what is read, where it is known already


class Heads(Sight):
    """What the heads of a layer add to the first column, and to columns that it reaches."""

    def _meet(
        self, layer: int, now: Held, others: dict[Target, Held]
    ) -> tuple[Held, dict[Target, Held]]:
        """After the heads: the first column, and columns that got something else than their own."""
        if others and not (len(others) == 1 and isinstance(next(iter(others)), Crowd)):
            raise NotLiftedError("a column that was reached meets others in the same step")
        more: Held = {}
        reached: dict[Target, dict[int, list[Poly]]] = {target: {} for target in others}
        for h, keys in enumerate(self.columns.keys[layer]):
            key, value, output = self.frame.heads[layer][h]
            asked = [form(row, now) for row in key.rows]
            mine = [form(row, now) for row in value.rows]
            if others:
                ((crowd, rows),) = others.items()
                assert isinstance(crowd, Crowd)
                met = self._among(layer, h, asked, crowd, rows)
            else:
                met = self._find(self.frame.sources[layer][h], keys, asked)
            read = list(met.values or self._mean(met.read, mine, value))
            if met.unread is not None:
                read = self._unread(met.unread, read, self._mean((0, met.unread), mine, value))
            more = added(more, _outputs(output, read))
            for target, alone in met.reached:
                got = self._mean((0,) if alone else (0, target), mine, value)
                if got != self._mean((target,), mine, value):
                    reached.setdefault(target, {})[h] = got
        if len(reached) > 1 and any(not isinstance(t, int) for t in reached):
            raise NotLiftedError("a selected column and another one are written in one step")
        columns = {}
        for target, by_head in reached.items():
            before = others.get(target, self._idle(target))
            rows = before
            for h, (_, value, output) in enumerate(self.frame.heads[layer]):
                got = by_head.get(h) or [form(row, before) for row in value.rows]
                rows = added(rows, _outputs(output, got))
            columns[target] = rows
        return added(now, more), columns

    def _mean(self, read: tuple[Target, ...], mine: list[Poly], value: Sparse) -> list[Poly]:
        """The mean of values over columns, where it is whole whatever bits are."""
        sums: list[Poly] = [{} for _ in value.rows]
        for target in read:
            for v, row in enumerate(value.rows):
                term = mine[v] if target == 0 else self._values(target, row)
                sums[v] = plus(sums[v], term)
        if any(c % len(read) for poly in sums for c in poly.values()):
            raise NotLiftedError("a mean that may not be whole")
        return [{m: c // len(read) for m, c in poly.items()} for poly in sums]

    def _unread(self, selection: Selection, one: list[Poly], other: list[Poly]) -> list[Poly]:
        """Either of two readings, as long as nothing depends on it."""
        rows = []
        for v, pair in enumerate(zip(one, other, strict=True)):
            low, high = zip(*map(self.algebra.bounds, pair), strict=True)
            atom = Bit(selection.source, UNREAD, v)
            same = one[v] == other[v]
            rows.append(one[v] if same else self._hidden(atom, (min(low), max(high))))
        return rows

    def _values(self, target: Target, row: tuple[tuple[int, int], ...]) -> Poly:
        total: Poly = {}
        for lane, weight in row:
            total = plus(total, self._row(target, lane), weight)
        return total

    def _find(self, source: int, keys: Keys, asked: list[Poly]) -> _Met:
        """Whom the first column attends to, and who attends to it."""
        known = np.array([float(p.get((), 0)) if is_constant(p) else 0.0 for p in asked])
        rows = [i for i, poly in enumerate(asked) if not is_constant(poly)]
        if (known @ keys.moves).any() or keys.moves[rows].any():
            self._check_apart(keys, asked, np.arange(1, self.model.columns))
            return _Met((0,))
        if not rows:
            return self._asked(source, keys, known)
        bits, weights = zip(*(self._spelled(asked[i]) for i in rows), strict=True)
        if {bit.part for bit in bits} == {MARKS} and len({bit.source for bit in bits}) == 1:
            return self._followed(keys, known, rows, bits, np.array(weights))
        return self._searched(source, keys, known, rows, bits, np.array(weights))

    def _asked(self, source: int, keys: Keys, asked: Array) -> _Met:
        """A key that is known."""
        scores = asked @ keys.fixed
        scores[0] = asked @ asked
        read = np.flatnonzero(scores == scores.max()).tolist()
        close = 1 + np.flatnonzero(scores[1:] >= keys.own[1:])
        if len(read) > MOST:
            raise NotLiftedError("a mean of many columns")
        if len(close) > MOST:
            if (scores[close] == keys.own[close]).any():
                raise NotLiftedError("a head ties with many columns")
            return _Met(tuple(read), ((Crowd(source, tuple(close.tolist())), True),))
        reached = ((j, bool(scores[j] > keys.own[j])) for j in close.tolist())
        return _Met(tuple(read), tuple(reached))

    def _searched(
        self,
        source: int,
        keys: Keys,
        known: Array,
        rows: list[int],
        bits: tuple[Bit, ...],
        weights: Array,
    ) -> _Met:
        """A key that bits of data spell: the column that agrees with all of them.

        Rows w (2 v - 1) and constants c: the score with itself is the sum of w^2 and c^2, with a
        column at most the sum of |w k| and c k, where the bits have the signs of the w k; each
        that has not takes 2 |w k| away.
        """
        own = known @ known + weights @ weights
        signs = weights[:, None] * keys.fixed[rows]
        most = (known @ keys.fixed + np.abs(signs).sum(axis=0))[1:]
        candidates = 1 + np.flatnonzero(most >= own)
        if (most > own).any() or not signs[:, candidates].all():
            raise NotLiftedError("a key that bits spell is not decided by all of them")
        if (most >= keys.own[1:]).any():
            raise NotLiftedError("columns may be reached through data")
        if not len(candidates):
            return _Met((0,))
        order = sorted(range(len(bits)), key=lambda k: (bits[k].source, bits[k].index))
        places: dict[int, int] = {}
        for j in candidates.tolist():
            places[sum(1 << n for n, k in enumerate(order) if signs[k, j] > 0)] = j
        if len(places) < len(candidates):
            raise NotLiftedError("two columns have the same key")
        spelled = tuple(bits[k] for k in order)
        selection = Selection(source, spelled, tuple(places.items()), tuple(places.values()))
        if selection not in self.found:
            self.found.append(selection)
            self.frame.selectable.update(selection.columns)
        answer = self.known.get(selection)
        return _Met((0, selection) if answer else (0,), (), selection if answer is None else None)

    def _followed(
        self,
        keys: Keys,
        known: Array,
        rows: list[int],
        bits: tuple[Bit, ...],
        weights: Array,
    ) -> _Met:
        """A key spelled by constants of a selected column, tried for each that it can be."""
        (selection,) = (s for s in self.found if s.source == bits[0].source)
        columns = selection.columns
        marks = [self.frame.marks[bit.index] for bit in bits]
        asked = np.repeat(known[:, None], len(columns), axis=1)
        asked[rows] = weights[:, None] * self.columns.fixed[np.ix_(marks, columns)]
        scores = (asked.T @ keys.fixed)[:, 1:]
        own = (asked**2).sum(axis=0)[:, None]
        itself = np.arange(1, self.model.columns) == np.array(columns)[:, None]
        if not (np.array_equal(scores >= own, itself) and np.array_equal(scores == own, itself)):
            raise NotLiftedError("a selected column does not lead to itself")
        close, beyond = scores >= keys.own[1:], scores > keys.own[1:]
        if not close.any():
            return _Met((0, selection))
        if not np.array_equal(close, itself) or beyond.any():
            raise NotLiftedError("a selected column does not reach itself")
        return _Met((0, selection), ((selection, False),))

    def _among(self, layer: int, h: int, asked: list[Poly], crowd: Crowd, rows: Held) -> _Met:
        """Whom the first column reads after a crowd was reached: the best of it, or itself.

        No member attends to anything but itself: what a key gained is 0 or X in rows that are 0
        in all other keys, which adds no more to any score of a member than to that with itself.
        """
        keys, (key, value, _) = self.columns.keys[layer][h], self.frame.heads[layer][h]
        apart = np.setdiff1d(np.arange(1, self.model.columns), crowd.columns)
        own = self._check_apart(keys, asked, apart)
        offered = [form(row, rows) for row in key.rows]
        before = [form(row, self._idle(crowd)) for row in key.rows]
        gained = [i for i, (a, b) in enumerate(zip(offered, before, strict=True)) if a != b]
        if keys.fixed[gained].any() or keys.moves[gained].any():
            raise NotLiftedError("a crowd's keys change where others have some")
        if not all(self._two_valued(offered[i]) for i in gained):
            raise NotLiftedError("a crowd's keys change by more than one number")
        score: Poly = {}
        for one, other in zip(asked, offered, strict=True):
            score = plus(score, self.algebra.times(one, other))
        top = self.algebra.bounds(score)[1]
        if top >= keys.own[list(crowd.columns)].min():
            raise NotLiftedError("a crowd may read the first column again")
        best = Best(self.frame.bests[layer][h], crowd, score, own)
        if top >= own and best not in self.known:
            raise AnswerNeeded(best)
        if not self.known.get(best):
            return _Met((0,))
        chosen = {r: self._renamed(poly, crowd.source, best.source) for r, poly in rows.items()}
        for i in gained:
            for m in form(key.rows[i], chosen):
                if m:
                    raise AnswerNeeded(self.registry.atoms[m[0]])
        return _Met((), values=tuple(form(row, chosen) for row in value.rows))

    def _check_apart(self, keys: Keys, asked: list[Poly], columns: Ints) -> int:
        """Raises unless the first column and these leave each other alone, whatever bits are.

        The first column's score with itself comes back.
        """
        own = self._own(asked)
        ends = np.array([self.algebra.bounds(poly) for poly in asked], dtype=np.float64)
        low, high = ends.T[:, :, None]
        sway = np.abs(ends).max(axis=1) @ np.abs(keys.moves).sum(axis=1)
        most = np.maximum(low * keys.fixed, high * keys.fixed).sum(axis=0) + sway
        if (most[columns] >= np.minimum(own, keys.own[columns])).any():
            raise NotLiftedError("scores depend on data")
        return own

    def _own(self, asked: list[Poly]) -> int:
        """A key's score with itself, where bits do not matter for it."""
        score = 0
        for poly in asked:
            score += (poly.get((), 0) if is_constant(poly) else self._spelled(poly)[1]) ** 2
        return score

    def _two_valued(self, poly: Poly) -> bool:
        """Whether it is one positive number, or that or 0 as a bit decides."""
        offset = poly.get((), 0)
        if is_constant(poly):
            return offset > 0
        slopes = [(m, c) for m, c in poly.items() if m]
        if len(slopes) != 1 or len(slopes[0][0]) != 1 or not self.algebra.boolean(slopes[0][0][0]):
            return False
        return sorted((offset, offset + slopes[0][1]))[0] == 0

    def _renamed(self, poly: Poly, old: int, new: int) -> Poly:
        """The same of another source."""
        total: Poly = {}
        for monomial, c in poly.items():
            product = constant(c)
            for i in monomial:
                product = self.algebra.times(product, self._renamed_atom(i, old, new))
            total = plus(total, product)
        return total

    def _renamed_atom(self, number: int, old: int, new: int) -> Poly:
        atom = self.registry.atoms[number]
        if isinstance(atom, StepAtom):
            return self.algebra.step(self._renamed(dict(atom.z), old, new), atom.bound)
        if isinstance(atom, Bit | Tab) and atom.source == old:
            return self.algebra.atom(replace(atom, source=new), self.registry.ranges[number])
        return {(number,): 1}

    def _spelled(self, poly: Poly) -> tuple[Bit, int]:
        """A row w (2 v - 1) of a key as its bit and w."""
        terms = [(m, c) for m, c in poly.items() if m]
        if len(terms) == 1 and len(terms[0][0]) == 1 and terms[0][1] == -2 * poly.get((), 0):
            atom = self.registry.atoms[terms[0][0][0]]
            if isinstance(atom, Bit) and atom.part in (DATA, MARKS):
                return atom, -poly.get((), 0)
        raise NotLiftedError("a key that is not spelled by bits")


def _outputs(output: Sparse, values: list[Poly]) -> Held:
    """What a head adds to rows, from its values; `output` has a row per value."""
    rows: Held = {}
    for terms, poly in zip(output.rows, values, strict=True):
        for row, weight in terms if poly else ():
            rows[row] = plus(rows.get(row, {}), poly, weight)
    return rows
