"""Which column of the stream holds which lane, and when a column is emptied for another.

A lane is live from its first write to the layer of its last read. Keys and values are read at
their head's layer at every position, so being live is a matter of layers alone. A column whose
lane was last read in layer l is emptied by one neuron of layer l (which reads what that layer
reads, and takes it away), and another lane may be written from the neurons of layer l on. Such
neurons compute nothing, so columns are emptied only when there are no more to be had.

A neuron that empties a column which is empty anyway is of no use. So a lane takes the column of
one that is often other than 0 where the new one matters, as far as cases tell: a matching of
lanes with lanes before them, as large as it must be, with the best pairs first.
"""

from collections import deque
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from transputer.circuit.cases import lane_cases, read_here
from transputer.circuit.netlist import Netlist
from transputer.circuit.schedule import Schedule
from transputer.values import dataclass

#: Column 0 is the constant 1.
ONE = 0
#: A lane is particular to some cases if it is 0 in at least this share of them.
PARTICULAR = 0.4
#: A lane that matters in at least this share of the cases matters often.
OFTEN = 0.3

Pairs = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Tenant:
    """A lane in its column, from the time of its first write to the layer of its last read."""

    lane: int
    column: int
    start: int
    last: int


@dataclass(frozen=True, slots=True)
class Allocation:
    """Columns of all lanes; `erased` lists (layer, column) to be emptied."""

    width: int
    columns: tuple[int, ...]
    erased: tuple[tuple[int, int], ...]
    tenants: tuple[Tenant, ...]


def columns_needed(netlist: Netlist, schedule: Schedule) -> int:
    """The most lanes that are live at once, and the constant."""
    spans = _spans(netlist, schedule).values()
    most = 0
    for time in range(-1, 2 * schedule.layers + 2):
        most = max(most, sum(start <= time < _free(end, schedule) for start, end in spans))
    return most + 1


def allocate(netlist: Netlist, schedule: Schedule, width: int = 0) -> Allocation:
    """A column per lane up to this width; then only as many as lanes that are live at once need."""
    spans = _spans(netlist, schedule)
    order = sorted(spans, key=lambda lane: (spans[lane][0], lane))
    columns = max(width, columns_needed(netlist, schedule))
    before = _predecessors(netlist, schedule, spans, len(order) + 1 - columns)
    tenants: dict[int, Tenant] = {}
    erased: list[tuple[int, int]] = []
    count = 0
    for lane in order:
        if lane in before:
            old = tenants[before[lane]]
            column = old.column
            erased.append((old.last, column))
        else:
            count += 1
            column = count
        tenants[lane] = Tenant(lane, column, *spans[lane])
    placed = tuple(tenants[lane].column for lane in range(len(netlist.names)))
    return Allocation(count + 1, placed, tuple(sorted(erased)), tuple(tenants.values()))


def _spans(netlist: Netlist, schedule: Schedule) -> dict[int, tuple[int, int]]:
    """First write (time) and last read (layer) of every lane."""
    first: dict[int, int] = {}
    for lane, time in schedule.writers(netlist):
        first[lane] = min(first.get(lane, time), time)
    last: dict[int, int] = {}
    for lane, layer in schedule.readers(netlist):
        last[lane] = max(last.get(lane, layer), layer)
    lanes = range(len(netlist.names))
    return {lane: (first[lane], last.get(lane, max(first[lane], 0) // 2)) for lane in lanes}


def _free(end: int, schedule: Schedule) -> int:
    """The time from which the column of a lane can be used again."""
    return 2 * end + 1 if end < schedule.layers else 2 * schedule.layers + 2


def _predecessors(
    netlist: Netlist, schedule: Schedule, spans: dict[int, tuple[int, int]], count: int
) -> dict[int, int]:
    """The lane whose column a lane takes, for this many lanes."""
    if count <= 0:
        return {}
    matching = _Matching(len(spans))
    for pairs, rank in _ranked(netlist, schedule, spans):
        matching.extend(pairs, rank, count)
    return matching.before


def _ranked(
    netlist: Netlist, schedule: Schedule, spans: dict[int, tuple[int, int]]
) -> Iterator[tuple[Pairs, NDArray[np.float64]]]:
    """Pairs of a lane and one that may follow it, the most useful first, and how useful.

    First lanes that are particular to some cases, in most of which the next one matters; then in
    some of which; then any lane before one that matters often, or at all. What only heads read
    tells others about a token, and may be 0 wherever something is computed.
    """
    lanes = range(len(spans))
    free = np.array([_free(spans[lane][1], schedule) for lane in lanes])
    start = np.array([spans[lane][0] for lane in lanes])
    may = free[:, None] <= start[None, :]
    both, share = may.copy(), np.ones(may.shape)
    particular, often = np.zeros(len(lanes), dtype=bool), np.ones(len(lanes), dtype=bool)
    for cases in lane_cases(netlist, schedule):
        together = cases.nonzero.astype(np.float32) @ cases.matters.T.astype(np.float32)
        both &= together > 0
        share *= together / np.maximum(1, cases.nonzero.sum(axis=1))[:, None]
        particular |= cases.nonzero.mean(axis=1) <= 1 - PARTICULAR
        often &= cases.matters.mean(axis=1) >= OFTEN
    told = np.ones(len(lanes), dtype=bool)
    told[[*read_here(netlist)]] = False
    both[told] = False
    yield both & particular[:, None] & (share >= 0.5), share
    yield both & particular[:, None], share
    yield both & often[None, :], share
    yield both, share
    yield may & ~told[:, None], share
    yield may, share


class _Matching:
    """Which lane follows which: no lane follows two, none is followed by two."""

    def __init__(self, lanes: int) -> None:
        self.before: dict[int, int] = {}
        self.after: dict[int, int] = {}
        self._allowed = np.zeros((lanes, lanes), dtype=bool)
        self._spent: set[int] = set()  # lanes from which no way leads to one that is free

    def extend(self, pairs: Pairs, rank: NDArray[np.float64], count: int) -> None:
        """Allow more pairs, and match as many as they let, up to a count."""
        self._allowed |= pairs
        self._spent.clear()
        choices: dict[int, list[int]] = {}

        def choice(lane: int) -> list[int]:
            if lane not in choices:
                places = np.flatnonzero(self._allowed[:, lane])
                order = np.argsort(-rank[places, lane], kind="stable")
                choices[lane] = places[order].tolist()
            return choices[lane]

        for lane in np.argsort(self._allowed.sum(axis=0), kind="stable").tolist():
            if len(self.before) == count:
                return
            if lane not in self.before:
                self._match(lane, choice)

    def _match(self, lane: int, choice: Callable[[int], list[int]]) -> None:
        """Find a lane that it may follow, by giving others other ones where they have them."""
        via: dict[int, int] = {}
        todo = deque([lane])
        while todo:
            asking = todo.popleft()
            for old in choice(asking):
                if old in via or old in self._spent:
                    continue
                via[old] = asking
                if old not in self.after:
                    self._assign(old, via, lane)
                    return
                todo.append(self.after[old])
        self._spent.update(via)

    def _assign(self, old: int, via: dict[int, int], lane: int) -> None:
        while True:
            new = via[old]
            given = self.before.get(new)
            self.before[new], self.after[old] = old, new
            if new == lane:
                return
            assert given is not None
            old = given
