"""In which cases a lane may be other than 0, and in which it can matter.

A case is a value of a part that decides many lanes: in a machine that fetches instructions, the
opcode. Intervals are propagated for all values at once. This serves to choose between columns
that are all right (see `allocate`), so nothing rests on it.
"""

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from transputer.circuit.form import Key
from transputer.circuit.netlist import Netlist, NetRow
from transputer.circuit.schedule import Schedule
from transputer.values import dataclass

#: A part that decides at least this many lanes that neurons and queries read tells cases apart.
MANY = 32

Flags = NDArray[np.bool_]
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LaneCases:
    """By lane and case: whether it may be other than 0, and whether that can change an output."""

    nonzero: Flags
    matters: Flags


def lane_cases(netlist: Netlist, schedule: Schedule) -> list[LaneCases]:
    """For each part that tells cases apart."""
    read = read_here(netlist)
    counts = Counter(key for lane, (key, _) in netlist.decided.items() if lane in read)
    return [
        _Cases(netlist, schedule, key).result()
        for key, count in counts.most_common()
        if count >= MANY
    ]


def read_here(netlist: Netlist) -> set[int]:
    """Lanes that neurons, queries and outputs read; what heads read tells others about a token."""
    rows = [row for unit in netlist.units for row in (unit.gate, unit.value)]
    rows += [row for head in netlist.heads for row in head.query]
    rows += [row for outputs in netlist.outputs.values() for row in outputs]
    return {lane for row in rows for lane, _ in row.terms}


class _Cases:
    """The cases that a part tells apart; values of it that decide the same are one case."""

    def __init__(self, netlist: Netlist, schedule: Schedule, key: Key) -> None:
        self.netlist, self.schedule, decided = netlist, schedule, netlist.decided
        lanes = [lane for lane, (of, _) in decided.items() if of == key]
        cases = np.unique(np.stack([decided[lane][1] for lane in lanes]), axis=1)
        self.count = cases.shape[1]
        self.low = np.tile([[float(r.lo)] for r in netlist.ranges], self.count)
        self.high = np.tile([[float(r.hi)] for r in netlist.ranges], self.count)
        self.low[lanes] = self.high[lanes] = cases
        self.layers: list[list[int]] = [[] for _ in range(schedule.layers)]
        for number, layer in enumerate(schedule.units):
            self.layers[layer].append(number)

    def result(self) -> LaneCases:
        """Forward for the intervals, backward for what matters."""
        works = self._forward()
        return LaneCases((self.low != 0) | (self.high != 0), self._backward(works))

    def _forward(self) -> list[Flags]:
        """Narrow the intervals of lanes; where each neuron may be other than 0."""
        works = [np.zeros(self.count, dtype=bool)] * len(self.netlist.units)
        total: dict[int, Numbers] = {}
        for numbers in self.layers:
            for number in numbers:
                unit = self.netlist.units[number]
                gate, value = self._interval(unit.gate), self._interval(unit.value)
                works[number] = (gate[1] > 0) & (value != 0).any(axis=0)
                ends = np.maximum(gate, 0)[:, None] * value
                product = np.stack([ends.min(axis=(0, 1)), ends.max(axis=(0, 1))])
                for lane, weight in unit.writes:
                    more = weight * (product if weight > 0 else product[::-1])
                    total[lane] = total.get(lane, 0) + more
            for lane in {n for number in numbers for n, _ in self.netlist.units[number].writes}:
                reach = self.netlist.ranges[lane]
                self.low[lane] = np.maximum(reach.lo, total[lane][0])
                self.high[lane] = np.minimum(reach.hi, total[lane][1])
        return works

    def _interval(self, row: NetRow) -> Numbers:
        """The least and the most that a row can be."""
        if not row.terms:
            return np.full((2, self.count), float(row.const))
        lanes, weights = (list(column) for column in zip(*row.terms, strict=True))
        up, down = np.maximum(weights, 0.0), np.minimum(weights, 0.0)
        low, high = self.low[lanes], self.high[lanes]
        return np.stack([up @ low + down @ high, up @ high + down @ low]) + row.const

    def _backward(self, works: list[Flags]) -> Flags:
        """Which lanes can change an output, keys and what others attend to among these."""
        netlist = self.netlist
        matters = np.zeros((len(netlist.names), self.count), dtype=bool)
        seen = [row for rows in netlist.outputs.values() for row in rows]
        for head in netlist.heads:
            seen += [*head.key, *(row for row, _ in head.values)]
        matters[[lane for row in seen for lane, _ in row.terms]] = True
        for layer in reversed(range(self.schedule.layers)):
            for number in self.layers[layer]:
                unit = netlist.units[number]
                felt = works[number] & matters[[lane for lane, _ in unit.writes]].any(axis=0)
                matters[[lane for lane, _ in unit.gate.terms + unit.value.terms]] |= felt
            for head, at in zip(netlist.heads, self.schedule.heads, strict=True):
                if at == layer:
                    wanted = matters[[lane for _, lane in head.values]].any(axis=0)
                    matters[[lane for row in head.query for lane, _ in row.terms]] |= wanted
        return matters
