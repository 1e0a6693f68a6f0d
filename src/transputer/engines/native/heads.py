"""What kind of lookup each head is, derived from its tensors.

A score is `sum over rows of query_j * key_j`. The power of two that divides all queries (the scale
of a softmax) orders nothing, so it is taken out first. Rows whose query is constant add up to one
number per token, the `rest`. With no other rows the head always attends to the token of the
largest rest: RUNNING. Otherwise, if a constant query c > 0 splits the rows into *digits*, whose
queries are multiples 2c u of integers u, and *extras*, the score is

    c (2 u.a - |a|^2 + m) + extras + recency * position,   m = rest / c + |a|^2

and the head is PACKED, whatever m turns out to be: tokens of equal m and extras are a class, and
within a class the nearest digits win. Few classes make it fast; nothing else depends on m. What
is neither is WIDE. A head is static if keys and values are functions of the attended token.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import prod

import numpy as np

from transputer.engines.native.readings import (
    Ints,
    LaneReading,
    LaneStage,
    integers,
    product,
    stages,
    total,
)
from transputer.model import Head, Model

RUNNING, PACKED, WIDE = range(3)
#: What table.h has room for.
MAX_DIGITS = 16
MAX_DIGIT = 2**31
KEY_BITS = 62
#: Bits for m where only the run shows it; a token beyond makes the head WIDE from then on.
OFFSET_BITS = 12


@dataclass(frozen=True, eq=False)
class Lookup:
    """A head as the engine runs it.

    Static heads have readings: of their digits, extras and m (`offset`), of the `score` if they
    are RUNNING, and of what they add to the `lanes`. Dynamic ones have rows of weights: `key` for
    digits, extras and the rest, `value`, and `mix` from values to lanes. `ranges` bound their
    digits and extras; `spread` is the coefficient of the position in each row of a WIDE key.
    """

    layer: int
    kind: int
    dynamic: bool
    query: Ints  # digits, divided by 2c, then extras; every row that varies if WIDE
    scale: int = 0
    recency: int = 0
    digits: tuple[LaneReading, ...] = ()
    extras: tuple[LaneReading, ...] = ()
    offset: LaneReading = LaneReading()
    score: LaneReading = LaneReading()
    reads: tuple[LaneReading, ...] = ()
    lanes: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    key: Ints | None = None
    ranges: tuple[tuple[int, int], ...] = ()
    spread: Ints | None = None
    value: Ints | None = None
    mix: Ints | None = None

    @property
    def told_apart(self) -> tuple[LaneReading, ...]:
        """What tells classes apart, up to constants."""
        readings = (LaneReading(0, 0, r.tables) for r in (self.offset, *self.extras) if r.tables)
        return tuple({r.shape: r for r in readings}.values())


class _Rows:
    """The rows of a head: those with a constant query, and those that vary."""

    def __init__(self, head: Head, stage: LaneStage) -> None:
        self.stage = stage
        self.query, self.key = integers(head.query / head.scale), integers(head.key)
        steady = ~self.query[:, ~stage.constant].any(axis=1)
        self.force = np.where(steady, self.query @ stage.held, 0)
        self.steady = np.flatnonzero(steady & (self.force != 0))
        self.varying = np.flatnonzero(~steady)
        self.spread = stage.positions(self.key)
        self.readings = stage.readings(self.key)

    def rest(self, without: Ints) -> Ints:
        """Which rows with a constant query are no digits."""
        return np.setdiff1d(self.steady, without)

    def scales(self) -> Iterator[tuple[int, Ints]]:
        """Candidates for c, largest first, with the rows that can be digits then."""
        for c in sorted({int(f) for f in self.force[self.steady] if f > 0}, reverse=True):
            whole = ~(self.query % (2 * c)).any(axis=1) & (self.spread == 0)
            digits = np.intersect1d(np.flatnonzero(whole), [*self.varying, *self.steady])
            extras = np.setdiff1d(self.varying, digits)
            if (
                np.intersect1d(digits, self.varying).size
                and max(len(digits), len(extras)) <= MAX_DIGITS
                and not self.spread[extras].any()
                and self.recency(digits) >= 0
            ):
                yield c, digits

    def recency(self, without: Ints) -> int:
        """The coefficient of the position in the rest."""
        rest = self.rest(without)
        return int(self.force[rest] @ self.spread[rest])


@lru_cache(maxsize=2)
def lookups(model: Model) -> tuple[Lookup, ...]:
    """How the engine finds what each head attends to; heads that write nothing are left out."""
    return tuple(
        lookup(head, number, stage.before)
        for number, (layer, stage) in enumerate(zip(model.layers, stages(model), strict=False))
        for head in layer.heads
        if head.output.any()
    )


def lookup(head: Head, layer: int, stage: LaneStage) -> Lookup:
    """How the engine finds what this head attends to."""
    rows = _Rows(head, stage)
    lanes = np.flatnonzero(head.output.any(axis=1))
    mix, value = integers(head.output[lanes]), integers(head.value)
    reads = stage.readings(product(mix, value))
    match = _static(rows, layer) if None not in reads and len(reads) else None
    if match is not None:
        readings = tuple(r for r in reads if r is not None)
        return replace(match, lanes=lanes, reads=readings)
    return replace(_dynamic(rows, layer), lanes=lanes, value=value, mix=mix)


def _static(rows: _Rows, layer: int) -> Lookup | None:
    """The head as RUNNING or PACKED on readings, if they say all; else None."""
    if any(rows.readings[i] is None for i in (*rows.steady, *rows.varying)):
        return None
    if not rows.varying.size:
        score = total(_weighted(rows, rows.steady))
        return Lookup(layer, RUNNING, False, rows.query[:0], score=score)
    lookups = [match for c, digits in rows.scales() if (match := _parabola(rows, layer, c, digits))]
    return min(lookups, key=_classes, default=None)


def _weighted(rows: _Rows, chosen: Ints) -> list[tuple[int, LaneReading]]:
    return [(int(rows.force[i]), r) for i in chosen if (r := rows.readings[i]) is not None]


def _parabola(rows: _Rows, layer: int, scale: int, chosen: Ints) -> Lookup | None:
    """PACKED with this c, if each digit is of one part and the rest a multiple of c."""
    readings = {int(i): r for i in chosen if (r := rows.readings[i]) is not None}
    digits = {i: r for i, r in readings.items() if r.tables}  # the same everywhere: no matter
    rest = total(_weighted(rows, rows.rest(chosen)))
    if any(len(r.tables) != 1 or max(-r.low, r.high) >= MAX_DIGIT for r in digits.values()):
        return None
    if any((table % scale).any() for table in rest.tables.values()):
        return None
    squares = [(1, _square(r)) for r in digits.values()]
    parts = {p: table // scale for p, table in rest.tables.items()}
    extras = [int(i) for i in np.setdiff1d(rows.varying, chosen)]
    result = Lookup(
        layer,
        PACKED,
        False,
        np.concatenate([rows.query[list(digits)] // (2 * scale), rows.query[extras]]),
        scale=scale,
        recency=rest.position,
        digits=tuple(digits.values()),
        extras=tuple(r for i in extras if (r := rows.readings[i]) is not None),
        offset=replace(total([(1, LaneReading.of(0, 0, parts)), *squares]), constant=0),
    )
    return result if sum(r.bits for r in (*result.digits, *result.told_apart)) <= KEY_BITS else None


def _square(digit: LaneReading) -> LaneReading:
    """a^2 of a digit a of one part."""
    tables = {part: (table + digit.constant) ** 2 for part, table in digit.tables.items()}
    return LaneReading.of(0, 0, tables)


def _classes(match: Lookup) -> int:
    """At most how many classes there are."""
    readings = [match.offset, *match.extras]
    parts = sorted({part for r in readings for part in r.tables})
    columns = [[r.tables[part] for r in readings if part in r.tables] for part in parts]
    return prod(len(np.unique(np.stack(c), axis=1).T) for c in columns)


def _dynamic(rows: _Rows, layer: int) -> Lookup:
    """The head on keys that are computed position by position."""
    if not rows.varying.size:
        return Lookup(layer, RUNNING, True, rows.query[:0], key=_rest(rows, rows.steady))
    for scale, digits in rows.scales():
        if match := _numeric(rows, layer, scale, digits):
            return match
    return Lookup(
        layer,
        WIDE,
        True,
        rows.query[rows.varying],
        recency=rows.recency(rows.varying),
        key=np.concatenate([rows.key[rows.varying], _rest(rows, rows.steady)]),
        spread=rows.spread[rows.varying],
    )


def _rest(rows: _Rows, chosen: Ints) -> Ints:
    rest: Ints = (rows.force[chosen] @ rows.key[chosen])[None, :]
    return rest


def _numeric(rows: _Rows, layer: int, scale: int, digits: Ints) -> Lookup | None:
    """PACKED with this c, if what digits and extras can be fits a key; m has to show."""
    extras = np.setdiff1d(rows.varying, digits)
    keys = rows.key[[*digits, *extras]]
    lo, hi = rows.stage.span(keys.astype(np.float64))
    bits = sum(max(1, int(h - low).bit_length()) for low, h in zip(lo, hi, strict=True))
    if bits + OFFSET_BITS > KEY_BITS or max(np.abs([*lo, *hi])) >= MAX_DIGIT:
        return None
    return Lookup(
        layer,
        PACKED,
        True,
        np.concatenate([rows.query[digits] // (2 * scale), rows.query[extras]]),
        scale=scale,
        recency=rows.recency(digits),
        key=np.concatenate([keys, _rest(rows, rows.rest(digits))]),
        digits=(LaneReading(),) * len(digits),
        extras=(LaneReading(),) * len(extras),
        ranges=tuple((int(low), int(h)) for low, h in zip(lo, hi, strict=True)),
    )
