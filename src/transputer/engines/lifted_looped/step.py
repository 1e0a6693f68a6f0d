"""One step from a known first column, as formulas on the words of the other columns.

Column 0 is known between steps: with it go the gates that choose what the step does. What heads
read from other columns are bits; layers are evaluated on polynomials of them, exactly (`Algebra`).
Where a head's key is spelled by bits, the column that it meets is a `Selection`. Whatever has to be
known to go on, a bit, a comparison, whether a selection finds a column, is a `Split`: the step is
evaluated again under each answer.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count

import numpy as np

from transputer.engines.lifted.atoms import (
    Algebra,
    Atom,
    Bit,
    Poly,
    Registry,
    Step,
    Tab,
    constant,
    is_constant,
    plus,
    scaled,
)
from transputer.engines.lifted.circuit import Sparse, activated, form
from transputer.engines.lifted.numbers import Number, number
from transputer.engines.lifted_looped.columns import Columns, Ints, Keys, digits
from transputer.model import Array
from transputer.model.stream import between

#: Columns that a head may mix in one mean, or reach, in lifted code.
MOST = 4
#: Parts of sources: the data of a column, its constants that are bits, its number, its other
#: constants, and what a head reads of a selection that was not looked at.
DATA, MARKS, INDEX, OTHER, UNREAD = range(5)
#: Terms of a row, and answers on the way to one end of a step, beyond which it is left alone.
MAX_TERMS, MAX_ANSWERS = 64, 6
#: Constant rows of selected columns that may be looked at.
MAX_MARKS = 62

#: What the rows of a column hold; rows that hold 0 are left out.
Held = dict[int, Poly]


@dataclass(frozen=True, slots=True)
class Selection:
    """The column whose number stands at the value of these bits in `places`, if there is one."""

    source: int
    bits: tuple[Bit, ...] = field(compare=False)
    places: tuple[tuple[int, int], ...] = field(compare=False)
    columns: tuple[int, ...] = field(compare=False)  #: all columns it may find


@dataclass(frozen=True, slots=True)
class Crowd:
    """Each of many columns that a head reaches alike."""

    source: int
    columns: tuple[int, ...] = field(compare=False)


@dataclass(frozen=True, slots=True)
class Best:
    """The column of a crowd with the largest score, if that is more than `own`.

    Where several have it, or it equals `own`, code must not go on.
    """

    source: int
    crowd: Crowd
    score: Poly = field(compare=False)
    own: int = field(compare=False)


Choice = Atom | Selection | Best
#: A column by number, one that was selected, or each of a crowd.
Target = int | Selection | Crowd


class Split(Exception):
    """What has to be known to go on."""

    def __init__(self, on: Choice) -> None:
        super().__init__(on)
        self.on = on


class Open(Exception):
    """A step that is not shown to be formulas; the message says why."""


@dataclass(frozen=True, slots=True)
class _Met:
    """Columns that the first one reads (or a selection, if it finds one), and who attends to it.

    Of the latter whether to nothing else.
    """

    read: tuple[Target, ...]
    reached: tuple[tuple[Target, bool], ...] = ()
    unread: Selection | None = None
    values: tuple[Poly, ...] | None = None  # what is read, where it is known already


@dataclass(frozen=True)
class Leaf:
    """How a step goes under some answers: new data of columns, and the next first column.

    `numbers` are words that formulas refer to, by source, in the order in which they are made.
    """

    writes: tuple[tuple[Target, tuple[Poly, ...]], ...]
    after: tuple[int, ...]
    numbers: tuple[tuple[int, Number], ...]


@dataclass(frozen=True)
class Fork:
    """What is asked, with what the question refers to, and how the step goes on."""

    on: Choice
    numbers: tuple[tuple[int, Number], ...]
    yes: "Tree"
    no: "Tree"


Tree = Leaf | Fork | str  # a text: why it is left to another engine


class Stepper:
    """Evaluates steps; `variable` are the columns whose data may differ from the state's.

    `selectable` are those that some selection may find: likely to become variable.
    """

    def __init__(self, columns: Columns) -> None:
        self.columns, self.model = columns, columns.model
        self.variable: set[int] = set()
        self.selectable: set[int] = set()
        self.marks: list[int] = []
        self.latest = Registry()
        self.chains = digits(self.model)
        layers = self.model.layers
        self.neurons = [
            (Sparse.of(x.gate), Sparse.of(x.value), Sparse.of(x.out.T)) for x in layers
        ]
        self.heads = [
            [(Sparse.of(h.key), Sparse.of(h.value), Sparse.of(h.output.T)) for h in x.heads]
            for x in layers
        ]
        self.place = {row: i for i, row in enumerate(columns.data)}
        numbers = count(self.model.columns)
        self.sources = [[next(numbers) for _ in x.heads] for x in layers]
        self.bests = [[next(numbers) for _ in x.heads] for x in layers]
        self.words = [[next(numbers) for _ in self.chains] for _ in layers]

    def tree(self, first: tuple[int, ...]) -> tuple[Tree, Registry, set[int]]:
        """How a step goes from a first column; and the columns whose data it took as constants."""
        self.latest, seen = Registry(), set[int]()
        return self._grow(first, self.latest, seen, {}), self.latest, seen

    def _grow(
        self,
        first: tuple[int, ...],
        registry: Registry,
        seen: set[int],
        known: dict[Choice, int],
    ) -> Tree:
        work = _Work(self, registry, seen, known)
        try:
            return work.run(first)
        except Open as problem:
            return str(problem)
        except Split as split:
            if len(known) == MAX_ANSWERS:
                return "a step has too many cases"
            branches = [self._grow(first, registry, seen, {**known, split.on: v}) for v in (1, 0)]
            if all(isinstance(b, str) for b in branches):
                return branches[0]
            return Fork(split.on, tuple(work.numbers.items()), *branches)


@dataclass
class _Work:
    """One evaluation under answers that are `known`."""

    stepper: Stepper
    registry: Registry
    seen: set[int]
    known: Mapping[Choice, int]
    numbers: dict[int, Number] = field(default_factory=dict)
    found: list[Selection] = field(default_factory=list)
    opaque: set[int] = field(default_factory=set)  # numbers of atoms that nothing may depend on
    idle: dict[Target, Held] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.columns, self.model = self.stepper.columns, self.stepper.model
        atoms = {c: v for c, v in self.known.items() if not isinstance(c, Selection | Best)}
        self.algebra = Algebra(self.registry, atoms)

    def run(self, first: tuple[int, ...]) -> Tree:
        """How the step goes; raises `Split` and `Open`."""
        now: Held = {row: constant(value) for row, value in enumerate(first) if value}
        others: dict[Target, Held] = {}
        for layer, model_layer in enumerate(self.model.layers):
            if model_layer.heads:
                now, others = self._meet(layer, now, others)
            now = self._neurons(layer, now)
            others = {target: self._neurons(layer, held) for target, held in others.items()}
            others = {t: held for t, held in others.items() if held != self._idle(t)}
            self._gather(layer, now)
        return self._end(now, others)

    # Ends

    def _end(self, now: Held, others: dict[Target, Held]) -> Tree:
        """Ends of the step: the first column decides into how many it is split."""
        on = self._undecided(now)
        if on is None:
            writes = ((target, self._data(target, held)) for target, held in others.items())
            after = tuple(now.get(row, {}).get((), 0) for row in range(self.model.width))
            return Leaf(tuple(writes), after, tuple(self.numbers.items()))
        before, branches = self.algebra, []
        if len(before.decided) == MAX_ANSWERS:
            raise Open("a step has too many cases")
        for value in (1, 0):
            self.algebra = Algebra(self.registry, {**before.decided, on: value})
            memo: dict[int, Poly] = {}
            branches.append(
                self._end(
                    self._under(now, memo), {t: self._under(h, memo) for t, h in others.items()}
                )
            )
        self.algebra = before
        return Fork(on, tuple(self.numbers.items()), *branches)

    def _under(self, held: Held, memo: dict[int, Poly]) -> Held:
        found = {row: self.algebra.substituted(poly, memo) for row, poly in held.items()}
        return {row: poly for row, poly in found.items() if poly}

    def _undecided(self, now: Held) -> Atom | None:
        """What the first column still depends on."""
        for poly in now.values():
            if not is_constant(poly):
                atoms = sorted({i for m in poly for i in m})
                if self.opaque.intersection(atoms):
                    raise Open("the first column depends on a constant that is no bit")
                steps = [i for i in atoms if isinstance(self.registry.atoms[i], Step)]
                return self.registry.atoms[(steps or atoms)[0]]
        return None

    def _data(self, target: Target, held: Held) -> tuple[Poly, ...]:
        """The new bits of a column's data; all else must be as it was."""
        idle = self._idle(target)
        if isinstance(target, Crowd):
            raise Open("a step that writes many columns")
        for row in {*held, *idle} - self.stepper.place.keys():
            if held.get(row, {}) != idle.get(row, {}):
                raise Open("a constant of a column changes")
        bits = [_bit(held.get(row, {})) for row in self.columns.data]
        found = [bit for bit in bits if bit is not None]
        ends = [self.algebra.bounds(bit) for bit in found]
        if len(found) < len(bits) or any(lo < 0 or hi > 1 for lo, hi in ends):
            raise Open("a bit of data may become something else")
        return tuple(found)

    # Columns that are left alone

    def _row(self, target: Target, row: int) -> Poly:
        """What a row of another column holds between steps."""
        place = self.stepper.place.get(row)
        if not isinstance(target, int):
            return self._selected(target, row, place)
        if place is None:
            return constant(int(self.columns.fixed[row, target]))
        if target in self.stepper.variable:
            return self._bipolar(target, DATA, place)
        self.seen.add(target)
        return constant(int(self.columns.state[row, target]))

    def _selected(self, target: Selection | Crowd, row: int, place: int | None) -> Poly:
        if place is not None:
            return self._bipolar(target.source, DATA, place)
        held = self.columns.fixed[row, list(target.columns)]
        low, high = int(held.min()), int(held.max())
        if low == high:
            return constant(low)
        if set(held.tolist()) == {-1, 1}:
            marks = self.stepper.marks
            if row not in marks:
                if len(marks) == MAX_MARKS:
                    raise Open("too many constants of selected columns")
                marks.append(row)
            mark = marks.index(row)
            return self._bipolar(target.source, MARKS, mark)
        if isinstance(target, Crowd):
            values = tuple(int(v) for v in self.columns.fixed[row])
            return self.algebra.atom(Tab(target.source, INDEX, values), (low, high))
        return self._hidden(Bit(target.source, OTHER, row), (low, high))

    def _bipolar(self, source: int, part: int, index: int) -> Poly:
        return plus(scaled(self.algebra.bit(source, part, index), 2), constant(-1))

    def _hidden(self, atom: Bit, reach: tuple[int, int]) -> Poly:
        """Something that may be added and taken away, but nothing may depend on."""
        made = self.algebra.atom(atom, reach)
        self.opaque |= {i for m in made for i in m}
        return made

    def _idle(self, target: Target) -> Held:
        """What another column holds between steps."""
        if target not in self.idle:
            held = {row: self._row(target, row) for row in range(self.model.width)}
            self.idle[target] = {row: poly for row, poly in held.items() if poly}
        return self.idle[target]

    # Layers

    def _neurons(self, layer: int, now: Held) -> Held:
        """After the neurons; only those that bounds do not close are looked at."""
        weights = self.model.layers[layer]
        low, high = np.zeros(self.model.width), np.zeros(self.model.width)
        hidden = np.zeros(self.model.width, dtype=bool)
        for row, poly in now.items():
            if is_constant(poly):
                low[row] = high[row] = poly.get((), 0)
            else:
                low[row], high[row] = self.algebra.bounds(poly)
                hidden[row] = any(i in self.opaque for m in poly for i in m)
        held = (low != 0) | (high != 0)
        opened = between(weights.gate[:, held], low[held], high[held])[1] > 0
        chosen = np.flatnonzero(opened & (weights.value[:, held] != 0).any(axis=1))
        if weights.gate[np.ix_(chosen, hidden)].any():
            self._reveal(now[row] for row in np.flatnonzero(hidden).tolist())
            raise Open("a gate depends on a constant that is no bit")
        found = _sum(now, activated(*self.stepper.neurons[layer], chosen, now, self.algebra))
        if max(map(len, found.values()), default=0) > MAX_TERMS:
            raise Open("a formula is too long")
        return found

    def _reveal(self, polys: Iterable[Poly]) -> None:
        """Split on a selection that these depend on and that was not looked at so far."""
        for poly in polys:
            for i in {i for m in poly for i in m} & self.opaque:
                atom = self.registry.atoms[i]
                assert isinstance(atom, Bit)
                for selection in self.found:
                    if selection.source == atom.source and selection not in self.known:
                        raise Split(selection)

    def _gather(self, layer: int, now: Held) -> None:
        """Rows that are digits of one number become the bits of a word; what is hidden, known."""
        self._reveal(now.values())
        for c, chain in enumerate(self.stepper.chains):
            found = [bit for row in chain if (bit := _bit(now.get(row, {}))) is not None]
            if len(found) < len(chain) or all(map(_simple, found)):
                continue
            self._split_products(found)
            made = number(self.algebra, found, [2] * len(found), 2)
            if made is None or not made.proven or made.modulus not in (None, 1 << len(found)):
                continue
            source = self.stepper.words[layer][c]
            self.numbers[source] = made
            for i, row in enumerate(chain):
                now[row] = self._bipolar(source, DATA, i)

    def _split_products(self, polys: list[Poly]) -> None:
        """A bit that multiplies others in most digits chooses between two formulas."""
        count: dict[int, int] = {}
        for poly in polys:
            for i in {i for m in poly if len(m) > 1 for i in m}:
                count[i] = count.get(i, 0) + 1
        for i, times in count.items():
            if times > max(2, len(polys) // 2) and self.algebra.boolean(i):
                raise Split(self.registry.atoms[i])

    # Heads

    def _meet(
        self, layer: int, now: Held, others: dict[Target, Held]
    ) -> tuple[Held, dict[Target, Held]]:
        """After the heads: the first column, and columns that got something else than their own."""
        if others and not (len(others) == 1 and isinstance(next(iter(others)), Crowd)):
            raise Open("a column that was reached meets others in the same step")
        added: Held = {}
        reached: dict[Target, dict[int, list[Poly]]] = {target: {} for target in others}
        for h, keys in enumerate(self.columns.keys[layer]):
            key, value, output = self.stepper.heads[layer][h]
            asked = [form(row, now) for row in key.rows]
            mine = [form(row, now) for row in value.rows]
            if others:
                ((crowd, held),) = others.items()
                assert isinstance(crowd, Crowd)
                met = self._among(layer, h, asked, crowd, held)
            else:
                met = self._find(self.stepper.sources[layer][h], keys, asked)
            read = list(met.values or self._mean(met.read, mine, value))
            if met.unread is not None:
                read = self._unread(met.unread, read, self._mean((0, met.unread), mine, value))
            added = _sum(added, _outputs(output, read))
            for target, alone in met.reached:
                got = self._mean((0,) if alone else (0, target), mine, value)
                if got != self._mean((target,), mine, value):
                    reached.setdefault(target, {})[h] = got
        if len(reached) > 1 and any(not isinstance(t, int) for t in reached):
            raise Open("a selected column and another one are written in one step")
        found = {}
        for target, by_head in reached.items():
            before = others.get(target, self._idle(target))
            held = before
            for h, (_, value, output) in enumerate(self.stepper.heads[layer]):
                got = by_head.get(h) or [form(row, before) for row in value.rows]
                held = _sum(held, _outputs(output, got))
            found[target] = held
        return _sum(now, added), found

    def _mean(self, read: tuple[Target, ...], mine: list[Poly], value: Sparse) -> list[Poly]:
        """The mean of values over columns, where it is whole whatever bits are."""
        sums: list[Poly] = [{} for _ in value.rows]
        for target in read:
            for v, row in enumerate(value.rows):
                held = mine[v] if target == 0 else self._values(target, row)
                sums[v] = plus(sums[v], held)
        if any(c % len(read) for poly in sums for c in poly.values()):
            raise Open("a mean that may not be whole")
        return [{m: c // len(read) for m, c in poly.items()} for poly in sums]

    def _unread(self, selection: Selection, one: list[Poly], other: list[Poly]) -> list[Poly]:
        """Either of two readings, as long as nobody depends on it."""
        found = []
        for v, pair in enumerate(zip(one, other, strict=True)):
            low, high = zip(*map(self.algebra.bounds, pair), strict=True)
            atom = Bit(selection.source, UNREAD, v)
            same = one[v] == other[v]
            found.append(one[v] if same else self._hidden(atom, (min(low), max(high))))
        return found

    def _values(self, target: Target, row: tuple[tuple[int, int], ...]) -> Poly:
        found: Poly = {}
        for lane, weight in row:
            found = plus(found, self._row(target, lane), weight)
        return found

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
            raise Open("a mean of many columns")
        if len(close) > MOST:
            if (scores[close] == keys.own[close]).any():
                raise Open("a head ties with many columns")
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
            raise Open("a key that bits spell is not decided by all of them")
        if (most >= keys.own[1:]).any():
            raise Open("columns may be reached through data")
        if not len(candidates):
            return _Met((0,))
        order = sorted(range(len(bits)), key=lambda k: (bits[k].source, bits[k].index))
        places: dict[int, int] = {}
        for j in candidates.tolist():
            places[sum(1 << n for n, k in enumerate(order) if signs[k, j] > 0)] = j
        if len(places) < len(candidates):
            raise Open("two columns have the same key")
        spelled = tuple(bits[k] for k in order)
        selection = Selection(source, spelled, tuple(places.items()), tuple(places.values()))
        if selection not in self.found:
            self.found.append(selection)
            self.stepper.selectable.update(selection.columns)
        held = self.known.get(selection)
        return _Met((0, selection) if held else (0,), (), selection if held is None else None)

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
        marks = [self.stepper.marks[bit.index] for bit in bits]
        asked = np.repeat(known[:, None], len(columns), axis=1)
        asked[rows] = weights[:, None] * self.columns.fixed[np.ix_(marks, columns)]
        scores = (asked.T @ keys.fixed)[:, 1:]
        own = (asked**2).sum(axis=0)[:, None]
        itself = np.arange(1, self.model.columns) == np.array(columns)[:, None]
        if not (np.array_equal(scores >= own, itself) and np.array_equal(scores == own, itself)):
            raise Open("a selected column does not lead to itself")
        close, beyond = scores >= keys.own[1:], scores > keys.own[1:]
        if not close.any():
            return _Met((0, selection))
        if not np.array_equal(close, itself) or beyond.any():
            raise Open("a selected column does not reach itself")
        return _Met((0, selection), ((selection, False),))

    def _among(
        self, layer: int, h: int, asked: list[Poly], crowd: Crowd, held: Held
    ) -> _Met:
        """Whom the first column reads after a crowd was reached: the best of it, or itself.

        No member attends to anything but itself: what a key gained is 0 or X in rows that are 0
        in all other keys, which adds no more to any score of a member than to that with itself.
        """
        keys, (key, value, _) = self.columns.keys[layer][h], self.stepper.heads[layer][h]
        apart = np.setdiff1d(np.arange(1, self.model.columns), crowd.columns)
        own = self._check_apart(keys, asked, apart)
        offered = [form(row, held) for row in key.rows]
        before = [form(row, self._idle(crowd)) for row in key.rows]
        gained = [i for i, (a, b) in enumerate(zip(offered, before, strict=True)) if a != b]
        if keys.fixed[gained].any() or keys.moves[gained].any():
            raise Open("a crowd's keys change where others have some")
        if not all(self._two_valued(offered[i]) for i in gained):
            raise Open("a crowd's keys change by more than one number")
        score: Poly = {}
        for one, other in zip(asked, offered, strict=True):
            score = plus(score, self.algebra.times(one, other))
        top = self.algebra.bounds(score)[1]
        if top >= keys.own[list(crowd.columns)].min():
            raise Open("a crowd may read the first column again")
        best = Best(self.stepper.bests[layer][h], crowd, score, own)
        if top >= own and best not in self.known:
            raise Split(best)
        if not self.known.get(best):
            return _Met((0,))
        chosen = {r: self._renamed(poly, crowd.source, best.source) for r, poly in held.items()}
        for i in gained:
            for m in form(key.rows[i], chosen):
                if m:
                    raise Split(self.registry.atoms[m[0]])
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
            raise Open("scores depend on data")
        return own

    def _own(self, asked: list[Poly]) -> int:
        """A key's score with itself, where bits do not matter for it."""
        found = 0
        for poly in asked:
            found += (poly.get((), 0) if is_constant(poly) else self._spelled(poly)[1]) ** 2
        return found

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
        found: Poly = {}
        for monomial, c in poly.items():
            product = constant(c)
            for i in monomial:
                product = self.algebra.times(product, self._renamed_atom(i, old, new))
            found = plus(found, product)
        return found

    def _renamed_atom(self, number: int, old: int, new: int) -> Poly:
        atom = self.registry.atoms[number]
        if isinstance(atom, Step):
            return self.algebra.step(self._renamed(dict(atom.z), old, new), atom.bound)
        if isinstance(atom, Bit | Tab) and atom.source == old:
            return self.algebra.atom(replace(atom, source=new), self.registry.ranges[number])
        return {(number,): 1}

    def _spelled(self, poly: Poly) -> tuple[Bit, int]:
        """A row w (2 v - 1) of a key as its bit and w."""
        found = [(m, c) for m, c in poly.items() if m]
        if len(found) == 1 and len(found[0][0]) == 1 and found[0][1] == -2 * poly.get((), 0):
            atom = self.registry.atoms[found[0][0][0]]
            if isinstance(atom, Bit) and atom.part in (DATA, MARKS):
                return atom, -poly.get((), 0)
        raise Open("a key that is not spelled by bits")


def _sum(now: Held, added: Held) -> Held:
    """Both, row by row."""
    found = dict(now)
    for row, poly in added.items():
        total = plus(found.get(row, {}), poly)
        if total:
            found[row] = total
        else:
            found.pop(row, None)
    return found


def _outputs(output: Sparse, values: list[Poly]) -> Held:
    """What a head adds to rows, from its values; `output` has a row per value."""
    found: Held = {}
    for terms, poly in zip(output.rows, values, strict=True):
        for row, weight in terms if poly else ():
            found[row] = plus(found.get(row, {}), poly, weight)
    return found


def _bit(poly: Poly) -> Poly | None:
    """(poly + 1) / 2: the bit that a row of -1 and 1 is."""
    more = plus(poly, constant(1))
    if any(c % 2 for c in more.values()):
        return None
    return {m: c // 2 for m, c in more.items()}


def _simple(poly: Poly) -> bool:
    """Whether a bit is a number, another bit, or its opposite."""
    return sum(1 for m in poly if m) <= 1 and all(len(m) <= 1 for m in poly)
