"""Which column of the stream holds which lane, and when a column is emptied for another.

A lane is live from its first write to the layer of its last read. Keys and values are read at
their head's layer at every position, so being live is a matter of layers alone. A column whose
lane was last read in layer l is emptied by one neuron of layer l (which reads what that layer
reads, and takes it away), and another lane may be written from the neurons of layer l on. Such
neurons compute nothing, so columns are emptied only when there are no more to be had; and those
that are nearly always empty anyway come last.
"""

from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from transputer.circuit.netlist import Netlist
from transputer.circuit.schedule import Schedule

#: Column 0 is the constant 1.
ONE = 0
#: Lanes that are not 0 for a smaller share of tokens are nearly always empty.
SELDOM = 0.25


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


def allocate(netlist: Netlist, schedule: Schedule, width: int = 0) -> Allocation:
    """A column per lane up to this width; then only as many as lanes that are live at once need.

    Of the columns that can be emptied the one that was read last is taken first.
    """
    spans, seldom = _spans(netlist, schedule), _seldom(netlist)
    order = sorted(spans, key=lambda lane: (spans[lane][0], lane))
    tenants: list[Tenant] = []
    erased: list[tuple[int, int]] = []
    leaving: list[tuple[int, int, Tenant]] = []  # by the time from which their column is free
    left: list[tuple[bool, int, int, Tenant]] = []  # the best to be replaced first
    count = 0
    for lane in order:
        start, end = spans[lane]
        while leaving and leaving[0][0] <= start:
            old = heappop(leaving)[-1]
            heappush(left, (old.lane in seldom, -old.last, old.column, old))
        if count + 1 >= width and left:
            old = heappop(left)[-1]
            column = old.column
            erased.append((old.last, column))
        else:
            count += 1
            column = count
        tenant = Tenant(lane, column, start, end)
        if end < schedule.layers:
            heappush(leaving, (2 * end + 1, column, tenant))
        tenants.append(tenant)
    columns = {tenant.lane: tenant.column for tenant in tenants}
    placed = tuple(columns[lane] for lane in range(len(netlist.names)))
    return Allocation(count + 1, placed, tuple(sorted(erased)), tuple(tenants))


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


def _seldom(netlist: Netlist) -> set[int]:
    """Lanes that the token alone decides, or the attended token, and that are 0 for most."""
    lanes = {
        lane
        for lane, tables in netlist.tables.items()
        if all(np.count_nonzero(table) < SELDOM * len(table) for table in tables.values())
    }
    for head in netlist.heads:
        lanes |= {
            lane
            for row, lane in head.values
            if not row.const and all(read in lanes for read, _ in row.terms)
        }
    return lanes
