"""From a netlist to layers: which layer each head and each neuron runs in.

Time runs in half layers: the embedding is at -1, the heads of layer l at 2l, its neurons at
2l + 1. What is written at one time can be read later, never at the same time. Neurons that are
functions of one number together stay together, so that a staircase is one function of its layer.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Literal

from transputer.circuit.netlist import Netlist, NetRow
from transputer.values import dataclass

Policy = Literal["early", "late", "even"]
POLICIES: tuple[Policy, ...] = ("early", "late", "even")
EMBEDDING = -1


@dataclass(frozen=True, slots=True)
class Schedule:
    """The layer of each unit and head of a netlist, and how many layers there are."""

    layers: int
    units: tuple[int, ...]
    heads: tuple[int, ...]

    def writers(self, netlist: Netlist) -> Iterator[tuple[int, int]]:
        """Every (lane, time) at which something is written."""
        yield from ((lane, EMBEDDING) for lane in _embedded(netlist))
        for unit, layer in zip(netlist.units, self.units, strict=True):
            yield from ((lane, 2 * layer + 1) for lane, _ in unit.writes)
        for head, layer in zip(netlist.heads, self.heads, strict=True):
            yield from ((lane, 2 * layer) for _, lane in head.values)

    def readers(self, netlist: Netlist) -> Iterator[tuple[int, int]]:
        """Every (lane, layer) of a read; outputs read in the layer after the last."""
        for unit, layer in zip(netlist.units, self.units, strict=True):
            yield from ((lane, layer) for lane in _lanes((unit.gate, unit.value)))
        for head, layer in zip(netlist.heads, self.heads, strict=True):
            rows = (*head.query, *head.key, *(row for row, _ in head.values))
            yield from ((lane, layer) for lane in _lanes(rows))
        for rows in netlist.outputs.values():
            yield from ((lane, self.layers) for lane in _lanes(rows))


@dataclass(frozen=True, slots=True)
class _Job:
    """A head, or the neurons of one shape: what is placed as one."""

    name: str
    is_head: bool
    members: tuple[int, ...]
    reads: frozenset[int]
    writes: frozenset[int]

    def after(self, time: int) -> int:
        """The first layer in which it can read what was written at that time."""
        return time // 2 + 1 if self.is_head else (time + 1) // 2

    def before(self, time: int) -> int:
        """The last layer in which it can write what is read at that time."""
        return (time - 1) // 2 if self.is_head else (time - 2) // 2

    def time(self, layer: int) -> int:
        """When it happens, in that layer."""
        return 2 * layer if self.is_head else 2 * layer + 1


def schedule(netlist: Netlist, policy: Policy = "early") -> Schedule:
    """The fewest layers that the dependencies allow; the policy decides where there is choice.

    Jobs go as early as they can, as late as they can, or into the emptiest layer they can.
    Raises `ValueError` where a head reads what depends on what it reads: it runs once.
    """
    jobs = _ordered(_jobs(netlist))
    early = _early(jobs)
    layers = max((layer + 1 for layer in early.values()), default=1)
    late = _late(jobs, layers)
    placed = {"early": early, "late": late, "even": _even(jobs, late)}[policy]
    where: dict[bool, dict[int, int]] = {True: {}, False: {}}
    for job, layer in placed.items():
        where[job.is_head] |= dict.fromkeys(job.members, layer)
    units = tuple(where[False][i] for i in range(len(netlist.units)))
    return Schedule(layers, units, tuple(where[True][i] for i in range(len(netlist.heads))))


def _jobs(netlist: Netlist) -> list[_Job]:
    shapes: dict[object, list[int]] = defaultdict(list)
    for i, unit in enumerate(netlist.units):
        shapes[unit.shape].append(i)
    jobs = []
    for members in shapes.values():
        first = netlist.units[members[0]]
        writes = (lane for m in members for lane, _ in netlist.units[m].writes)
        reads = _lanes((first.gate, first.value))
        jobs.append(_Job(first.group, False, tuple(members), reads, frozenset(writes)))
    for i, head in enumerate(netlist.heads):
        rows = (*head.query, *head.key, *(row for row, _ in head.values))
        writes = (lane for _, lane in head.values)
        jobs.append(_Job(head.name, True, (i,), _lanes(rows), frozenset(writes)))
    return jobs


def _ordered(jobs: list[_Job]) -> list[_Job]:
    """Jobs so that each comes after those it reads from."""
    writers = _writers(jobs)
    done: dict[_Job, bool] = {}
    order: list[_Job] = []
    for root in jobs:
        stack = [root]
        while stack:
            job = stack[-1]
            if done.get(job) is None:
                done[job] = False
                needed = [w for lane in sorted(job.reads) for w in writers[lane]]
                if any(done.get(w) is False for w in needed):
                    raise ValueError(f"{job.name} reads what depends on it; make it two heads")
                stack += [w for w in needed if w not in done]
            else:
                stack.pop()
                if not done[job]:
                    done[job] = True
                    order.append(job)
    return order


def _early(jobs: list[_Job]) -> dict[_Job, int]:
    ready: dict[int, int] = defaultdict(lambda: EMBEDDING)
    placed = {}
    for job in jobs:
        placed[job] = job.after(max((ready[lane] for lane in job.reads), default=EMBEDDING))
        for lane in job.writes:
            ready[lane] = max(ready[lane], job.time(placed[job]))
    return placed


def _late(jobs: list[_Job], layers: int) -> dict[_Job, int]:
    needed: dict[int, int] = defaultdict(lambda: 2 * layers + 1)
    placed = {}
    for job in reversed(jobs):
        placed[job] = min(layers - 1, job.before(min(needed[lane] for lane in job.writes)))
        for lane in job.reads:
            needed[lane] = min(needed[lane], job.time(placed[job]))
    return placed


def _even(jobs: list[_Job], late: dict[_Job, int]) -> dict[_Job, int]:
    ready: dict[int, int] = defaultdict(lambda: EMBEDDING)
    load: dict[tuple[bool, int], int] = defaultdict(int)
    placed = {}
    for job in jobs:
        first = job.after(max((ready[lane] for lane in job.reads), default=EMBEDDING))
        choices = range(first, late[job] + 1)
        layer = placed[job] = min(choices, key=lambda n: (load[job.is_head, n], n))
        load[job.is_head, layer] += len(job.members)
        for lane in job.writes:
            ready[lane] = max(ready[lane], job.time(layer))
    return placed


def _writers(jobs: list[_Job]) -> dict[int, list[_Job]]:
    writers: dict[int, list[_Job]] = defaultdict(list)
    for job in jobs:
        for lane in job.writes:
            writers[lane].append(job)
    return writers


def _embedded(netlist: Netlist) -> list[int]:
    return [*netlist.tables, *([] if netlist.position is None else [netlist.position])]


def _lanes(rows: tuple[NetRow, ...]) -> frozenset[int]:
    return frozenset(lane for row in rows for lane, _ in row.terms)
