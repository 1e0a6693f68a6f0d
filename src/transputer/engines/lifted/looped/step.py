"""One step from a known first column, as formulas on the words of the other columns.

Column 0 is known between steps: with it go the gates that choose what the step does. What heads
read from other columns are bits; layers are evaluated on polynomials of them, exactly (`Algebra`).
Where a head's key is spelled by bits, the column that it meets is a `Selection`. Where a bit, a
comparison or whether a selection finds a column has to be known to go on, `AnswerNeeded` is raised,
and the step is evaluated again under each answer.
"""

import numpy as np

from transputer.engines.lifted.decoder.atoms import (
    Algebra,
    Atom,
    AtomTable,
    Poly,
    StepAtom,
    constant,
    is_constant,
    plus,
)
from transputer.engines.lifted.decoder.circuit import activated
from transputer.engines.lifted.decoder.numbers import number
from transputer.engines.lifted.looped.columns import IdleColumns
from transputer.engines.lifted.looped.frame import Held, LoopedFrame, added
from transputer.engines.lifted.looped.heads import Heads
from transputer.engines.lifted.looped.tree import (
    DATA,
    AnswerNeeded,
    Choice,
    Crowd,
    Fork,
    NotLiftedError,
    StepLeaf,
    Target,
    Tree,
)
from transputer.model.stream import between

#: Terms of a row, and answers on the way to one end of a step, beyond which it is left alone.
MAX_TERMS, MAX_ANSWERS = 64, 6


class StepLifter(LoopedFrame):
    """Evaluates steps; `latest` are the atoms of the last one."""

    def __init__(self, columns: IdleColumns) -> None:
        super().__init__(columns)
        self.latest = AtomTable()

    def tree(self, first: tuple[int, ...]) -> tuple[Tree, AtomTable, set[int]]:
        """How a step goes from a first column; and the columns whose data it took as constants."""
        self.latest, seen = AtomTable(), set[int]()
        return self._grow(first, self.latest, seen, {}), self.latest, seen

    def _grow(
        self,
        first: tuple[int, ...],
        registry: AtomTable,
        seen: set[int],
        known: dict[Choice, int],
    ) -> Tree:
        work = _Work(self, registry, seen, known)
        try:
            return work.run(first)
        except NotLiftedError as problem:
            return str(problem)
        except AnswerNeeded as split:
            if len(known) == MAX_ANSWERS:
                return "a step has too many cases"
            branches = [self._grow(first, registry, seen, {**known, split.on: v}) for v in (1, 0)]
            if all(isinstance(b, str) for b in branches):
                return branches[0]
            return Fork(split.on, tuple(work.numbers.items()), *branches)


class _Work(Heads):
    """One evaluation under answers that are `known`."""

    def run(self, first: tuple[int, ...]) -> Tree:
        """How the step goes; raises `AnswerNeeded` and `NotLiftedError`."""
        now: Held = {row: constant(value) for row, value in enumerate(first) if value}
        others: dict[Target, Held] = {}
        for layer, model_layer in enumerate(self.model.layers):
            if model_layer.heads:
                now, others = self._meet(layer, now, others)
            now = self._neurons(layer, now)
            others = {target: self._neurons(layer, rows) for target, rows in others.items()}
            others = {t: rows for t, rows in others.items() if rows != self._idle(t)}
            self._gather(layer, now)
        return self._end(now, others)

    # Ends

    def _end(self, now: Held, others: dict[Target, Held]) -> Tree:
        """Ends of the step: the first column decides into how many it is split."""
        on = self._undecided(now)
        if on is None:
            writes = ((target, self._data(target, rows)) for target, rows in others.items())
            after = tuple(now.get(row, {}).get((), 0) for row in range(self.model.width))
            return StepLeaf(tuple(writes), after, tuple(self.numbers.items()))
        before, branches = self.algebra, []
        if len(before.decided) == MAX_ANSWERS:
            raise NotLiftedError("a step has too many cases")
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

    def _under(self, rows: Held, memo: dict[int, Poly]) -> Held:
        polys = {row: self.algebra.substituted(poly, memo) for row, poly in rows.items()}
        return {row: poly for row, poly in polys.items() if poly}

    def _undecided(self, now: Held) -> Atom | None:
        """What the first column still depends on."""
        for poly in now.values():
            if not is_constant(poly):
                atoms = sorted({i for m in poly for i in m})
                if self.opaque.intersection(atoms):
                    raise NotLiftedError("the first column depends on a constant that is no bit")
                steps = [i for i in atoms if isinstance(self.registry.atoms[i], StepAtom)]
                return self.registry.atoms[(steps or atoms)[0]]
        return None

    def _data(self, target: Target, rows: Held) -> tuple[Poly, ...]:
        """The new bits of a column's data; all else must be as it was."""
        idle = self._idle(target)
        if isinstance(target, Crowd):
            raise NotLiftedError("a step that writes many columns")
        for row in {*rows, *idle} - self.frame.place.keys():
            if rows.get(row, {}) != idle.get(row, {}):
                raise NotLiftedError("a constant of a column changes")
        bits = [_bit(rows.get(row, {})) for row in self.columns.data]
        polys = [bit for bit in bits if bit is not None]
        ends = [self.algebra.bounds(bit) for bit in polys]
        if len(polys) < len(bits) or any(lo < 0 or hi > 1 for lo, hi in ends):
            raise NotLiftedError("a bit of data may become something else")
        return tuple(polys)

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
        used = (low != 0) | (high != 0)
        opened = between(weights.gate[:, used], low[used], high[used])[1] > 0
        chosen = np.flatnonzero(opened & (weights.value[:, used] != 0).any(axis=1))
        if weights.gate[np.ix_(chosen, hidden)].any():
            self._reveal(now[row] for row in np.flatnonzero(hidden).tolist())
            raise NotLiftedError("a gate depends on a constant that is no bit")
        total = added(now, activated(*self.frame.neurons[layer], chosen, now, self.algebra))
        if max(map(len, total.values()), default=0) > MAX_TERMS:
            raise NotLiftedError("a formula is too long")
        return total

    def _gather(self, layer: int, now: Held) -> None:
        """Rows that are digits of one number become the bits of a word; what is hidden, known."""
        self._reveal(now.values())
        for c, chain in enumerate(self.frame.chains):
            digits = [bit for row in chain if (bit := _bit(now.get(row, {}))) is not None]
            if len(digits) < len(chain) or all(map(_simple, digits)):
                continue
            self._split_products(digits)
            total = number(self.algebra, digits, [2] * len(digits), 2)
            if total is None or not total.proven or total.modulus not in (None, 1 << len(digits)):
                continue
            source = self.frame.words[layer][c]
            self.numbers[source] = total
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
                raise AnswerNeeded(self.registry.atoms[i])


def _bit(poly: Poly) -> Poly | None:
    """(poly + 1) / 2: the bit that a row of -1 and 1 is."""
    more = plus(poly, constant(1))
    if any(c % 2 for c in more.values()):
        return None
    return {m: c // 2 for m, c in more.items()}


def _simple(poly: Poly) -> bool:
    """Whether a bit is a number, another bit, or its opposite."""
    return sum(1 for m in poly if m) <= 1 and all(len(m) <= 1 for m in poly)
