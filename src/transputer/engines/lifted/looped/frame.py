"""What all evaluations of steps share, and what one of them knows of columns."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import count

from transputer.engines.lifted.decoder.atoms import (
    Algebra,
    AtomTable,
    Bit,
    Poly,
    Tab,
    constant,
    plus,
    scaled,
)
from transputer.engines.lifted.decoder.circuit import Sparse
from transputer.engines.lifted.decoder.numbers import DigitSum
from transputer.engines.lifted.looped.columns import IdleColumns, digits
from transputer.engines.lifted.looped.tree import (
    DATA,
    INDEX,
    MARKS,
    OTHER,
    AnswerNeeded,
    Best,
    Choice,
    Crowd,
    NotLiftedError,
    Selection,
    Target,
)

#: Constant rows of selected columns that may be looked at.
MAX_MARKS = 62

#: What the rows of a column hold; rows that hold 0 are left out.
Held = dict[int, Poly]


class LoopedFrame:
    """What all evaluations of steps share.

    `variable` are the columns whose data may differ from the state's, `selectable`
    those that some selection may find: likely to become variable.
    """

    def __init__(self, columns: IdleColumns) -> None:
        self.columns, self.model = columns, columns.model
        self.variable: set[int] = set()
        self.selectable: set[int] = set()
        self.marks: list[int] = []
        self.chains = digits(self.model)
        layers = self.model.layers
        self.neurons = [(Sparse.of(x.gate), Sparse.of(x.value), Sparse.of(x.out.T)) for x in layers]
        self.heads = [
            [(Sparse.of(h.key), Sparse.of(h.value), Sparse.of(h.output.T)) for h in x.heads]
            for x in layers
        ]
        self.place = {row: i for i, row in enumerate(columns.data)}
        numbers = count(self.model.columns)
        self.sources = [[next(numbers) for _ in x.heads] for x in layers]
        self.bests = [[next(numbers) for _ in x.heads] for x in layers]
        self.words = [[next(numbers) for _ in self.chains] for _ in layers]


@dataclass
class Sight:
    """One evaluation under answers that are `known`."""

    frame: LoopedFrame
    registry: AtomTable
    seen: set[int]
    known: Mapping[Choice, int]
    numbers: dict[int, DigitSum] = field(default_factory=dict)
    found: list[Selection] = field(default_factory=list)
    opaque: set[int] = field(default_factory=set)  # numbers of atoms that nothing may depend on
    idle: dict[Target, Held] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.columns, self.model = self.frame.columns, self.frame.model
        atoms = {c: v for c, v in self.known.items() if not isinstance(c, Selection | Best)}
        self.algebra = Algebra(self.registry, atoms)

    def _row(self, target: Target, row: int) -> Poly:
        """What a row of another column holds between steps."""
        place = self.frame.place.get(row)
        if not isinstance(target, int):
            return self._selected(target, row, place)
        if place is None:
            return constant(int(self.columns.fixed[row, target]))
        if target in self.frame.variable:
            return self._bipolar(target, DATA, place)
        self.seen.add(target)
        return constant(int(self.columns.state[row, target]))

    def _selected(self, target: Selection | Crowd, row: int, place: int | None) -> Poly:
        if place is not None:
            return self._bipolar(target.source, DATA, place)
        cells = self.columns.fixed[row, list(target.columns)]
        low, high = int(cells.min()), int(cells.max())
        if low == high:
            return constant(low)
        if set(cells.tolist()) == {-1, 1}:
            marks = self.frame.marks
            if row not in marks:
                if len(marks) == MAX_MARKS:
                    raise NotLiftedError("too many constants of selected columns")
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
        variable = self.algebra.atom(atom, reach)
        self.opaque |= {i for m in variable for i in m}
        return variable

    def _idle(self, target: Target) -> Held:
        """What another column holds between steps."""
        if target not in self.idle:
            rows = {row: self._row(target, row) for row in range(self.model.width)}
            self.idle[target] = {row: poly for row, poly in rows.items() if poly}
        return self.idle[target]

    def _reveal(self, polys: Iterable[Poly]) -> None:
        """Split on a selection that these depend on and that was not looked at so far."""
        for poly in polys:
            for i in {i for m in poly for i in m} & self.opaque:
                atom = self.registry.atoms[i]
                assert isinstance(atom, Bit)
                for selection in self.found:
                    if selection.source == atom.source and selection not in self.known:
                        raise AnswerNeeded(selection)


def added(now: Held, added: Held) -> Held:
    """Both, row by row."""
    sums = dict(now)
    for row, poly in added.items():
        total = plus(sums.get(row, {}), poly)
        if total:
            sums[row] = total
        else:
            sums.pop(row, None)
    return sums
