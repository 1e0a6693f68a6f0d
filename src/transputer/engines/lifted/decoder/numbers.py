"""Digits that are one number: which parts belong together, and when digits are proper.

Every part of the next token is the nearest value to a form. If the forms of some parts are
y_d + c_(d-1) - b c_d with c_d = floor(sum_{e<=d} b^e y_e / b^(d+1)), carries of one sum, then each
is a proper digit, and together they are that sum modulo b^n: the carries cancel.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd

import numpy as np

from transputer.engines.lifted.decoder.atoms import (
    Algebra,
    Floor,
    Poly,
    StepAtom,
    constant,
    is_constant,
    plus,
    scaled,
)
from transputer.engines.lifted.decoder.circuit import OWN, LiftedCircuit
from transputer.engines.native.readings import LaneReading
from transputer.model import Array

BASE = 256
#: Parts of a word.
MOST = 8


@dataclass(frozen=True)
class DigitSum:
    """What digits amount to: `poly`, modulo `modulus` if there is one.

    Without one, the poly is the number wherever it is in [0, reach). `proven` says that it always
    is; otherwise the user of the number has to check.
    """

    poly: Poly
    modulus: int | None
    reach: int
    proven: bool


def groups(circuit: LiftedCircuit) -> list[tuple[int, ...]]:
    """Parts that are digits of one number, least significant first; the others alone.

    Two parts are neighbours where weights are 256 to 1 for them, most often of all pairs: in what
    neurons read of tokens, or in the carries that they add to what the next token says.
    """
    votes: Counter[tuple[int, int]] = Counter(_carried_on(circuit))
    for number, layer in enumerate(circuit.model.layers):
        slopes = _slopes(circuit, number)
        for by_part in slopes.values():
            parts = sorted(by_part)
            table = np.stack([by_part[p] for p in parts])
            sums = table @ np.concatenate([layer.gate, layer.value]).T
            for i, p in enumerate(parts):
                for j, q in enumerate(parts):
                    if i != j:
                        both = (sums[i] != 0) & (sums[j] == BASE * sums[i])
                        votes[p, q] += int(both.sum())
    addressed = {p for head in circuit.heads for digit in head.digits for p in digit.tables}
    follows: dict[int, int] = {}
    for (p, q), count in votes.most_common():
        sizes = {circuit.model.parts[p].size, circuit.model.parts[q].size}
        free = p not in follows and q not in follows.values() and not _leads(follows, q, p)
        begins = q in addressed and p not in addressed  # an address begins with its lowest digit
        longer = _length(follows, p) + _length(follows, q, ahead=True) > MOST
        if count and free and sizes == {BASE} and not begins and not longer:
            follows[p] = q
    result = []
    for p in range(len(circuit.model.parts)):
        if p not in follows.values():
            chain = [p]
            while chain[-1] in follows:
                chain.append(follows[chain[-1]])
            result.append(tuple(chain))
    return result


def _carried_on(circuit: LiftedCircuit) -> Iterator[tuple[int, int]]:
    """Pairs of parts whose outputs share a carry: neurons take 256 from one, and give the other 1.

    Lanes that share one and that neurons with one gate copy to the outputs count as well.
    """
    part_of = {
        row[0][0]: p
        for p, result in enumerate(circuit.outputs)
        for row in result.rows[:1]
        if len(row) == 1 and not result.lanes
    }
    linked: set[tuple[int, int]] = set()
    for number, outs in enumerate(circuit.outs):
        gates, values = circuit.gates[number].rows, circuit.values[number].rows
        copies: dict[object, dict[int, int]] = {}
        for n, writes in enumerate(outs.rows):
            for lane, weight in writes:
                for other, unit in writes:
                    if weight == -BASE * unit:
                        linked.add((lane, other))
                if lane in part_of and weight == 1 and len(values[n]) == 1:
                    copies.setdefault(gates[n], {})[values[n][0][0]] = part_of[lane]
        for lanes in copies.values():
            yield from ((lanes[a], lanes[b]) for a, b in linked if a in lanes and b in lanes)
    yield from ((part_of[a], part_of[b]) for a, b in linked if a in part_of and b in part_of)


def _length(follows: dict[int, int], part: int, ahead: bool = False) -> int:
    """How many parts lead to one, itself included, or follow it."""
    steps = follows if ahead else {q: p for p, q in follows.items()}
    count = 1
    while part in steps:
        part = steps[part]
        count += 1
    return count


def _leads(follows: dict[int, int], start: int, goal: int) -> bool:
    while start in follows:
        start = follows[start]
        if start == goal:
            return True
    return False


def _slopes(circuit: LiftedCircuit, layer: int) -> dict[int, dict[int, Array]]:
    """By source and part: what each lane that the part alone decides gains from its bit 0."""
    slopes: dict[int, dict[int, Array]] = {}
    fresh = circuit.stages[layer].between.fresh
    for lane in np.flatnonzero(fresh).tolist():
        _note(slopes, OWN, lane, circuit.own[lane], circuit.model.width)
    for h, head in enumerate(circuit.heads):
        if head.layer == layer:  # later its lanes may hold something else
            for lane, read in zip(head.lanes.tolist(), head.reads, strict=True):
                _note(slopes, h, lane, read, circuit.model.width)
    return slopes


def _note(
    slopes: dict[int, dict[int, Array]], source: int, lane: int, read: LaneReading, width: int
) -> None:
    if len(read.tables) == 1 and not read.position:
        ((part, table),) = read.tables.items()
        if len(table) == BASE:
            by_part = slopes.setdefault(source, {})
            row = by_part.setdefault(part, np.zeros(width))
            row[lane] = table[1] - table[0]


def number(
    algebra: Algebra, digits: list[Poly], sizes: list[int], base: int = BASE
) -> DigitSum | None:
    """The number that forms of digits are in a base, or None if that is not shown.

    High digits that are 0 do not matter: the number has the others.
    """
    while len(digits) > 1 and not digits[-1]:
        digits, sizes = digits[:-1], sizes[:-1]
    weights = [base**d for d in range(len(digits))]
    reach = weights[-1] * sizes[-1]
    total: Poly = {}
    for digit, weight in zip(digits, weights, strict=True):
        total = plus(total, digit, weight)
    limits = zip(map(algebra.bounds, digits), sizes, strict=True)
    if all(lo >= 0 and hi < size for (lo, hi), size in limits):
        return DigitSum(total, None, reach, True)
    return _carried(algebra, digits, sizes, base)


def _carried(algebra: Algebra, digits: list[Poly], sizes: list[int], base: int) -> DigitSum | None:
    plain: list[Poly] = []
    carries: list[Poly] = []
    incoming: Poly = {}
    for d, digit in enumerate(digits):
        before = plus(digit, incoming, -1)
        steps = {m: c for m, c in before.items() if _has_step(algebra, m)}
        last = d == len(digits) - 1
        left = gcd(*steps.values()) if last else base
        # what comes from below the first digit is a step as well, and no multiple of the base
        rest = {m: -c for m, c in steps.items() if c % left == 0} if left else {}
        plain.append({m: c for m, c in before.items() if m not in rest})
        if last and not rest:
            break
        outgoing = {m: c // left for m, c in rest.items()}
        if not _is_carry(algebra, plain, carries, outgoing, base, left):
            return None
        carries.append(outgoing)
        incoming = outgoing
    reach = base ** (len(digits) - 1) * sizes[-1]
    if len(carries) < len(digits):  # nothing leaves the last digit: it may be improper
        exact: Poly = {}
        for d, part in enumerate(plain):
            exact = plus(exact, part, base**d)
        lo, hi = algebra.bounds(exact)
        return DigitSum(exact, None, reach, lo >= 0 and hi < reach)
    modulus = base ** (len(digits) - 1) * left
    if modulus > reach:
        return None
    exact = {}
    for d, part in enumerate(plain):
        exact = plus(exact, part, base**d)
    return DigitSum(exact, modulus, reach, True)


def _has_step(algebra: Algebra, monomial: tuple[int, ...]) -> bool:
    return any(isinstance(algebra.atoms[i], StepAtom | Floor) for i in monomial)


def _is_carry(
    algebra: Algebra,
    plain: list[Poly],
    carries: list[Poly],
    outgoing: Poly,
    base: int,
    left: int,
) -> bool:
    """Whether `outgoing` is what leaves the last digit; sums may begin at any digit below."""
    total: Poly = {}
    last = len(plain) - 1
    for first in range(last, -1, -1):
        total = plus(plain[first], scaled(total, base))
        whole = plus(total, carries[first - 1]) if first else total
        divisor = base ** (last - first) * left
        lo, hi = algebra.bounds(whole)
        if lo // divisor == hi // divisor:
            if outgoing == constant(lo // divisor):
                return True
        elif outgoing == algebra.quotient(whole, divisor):
            return True
        if is_constant(whole) and is_constant(outgoing):
            return False
    return False
