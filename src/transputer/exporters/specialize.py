"""Specialise the universal model to one program, which moves into the weights.

This is the first Futamura projection, on tensors. The universal model fetches each instruction by
attention to the prompt. In the specialised model:

* the program counter is one part of the token, and what the fetching head would have read at each
  address is that row of its embedding (`fold.py`);
* the model itself writes initial data, globals, sizes and function descriptors: more rows of that
  part, the boot, each predict one token of the prompt and continue with the next; the last one is
  the token that starts the call;
* what the program can never use is pruned (`prune.py`).

The host appends one start token, the sentinel, and the arguments. After the boot, every token is
the one that the universal model decodes.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from transputer.errors import Unsupported
from transputer.exporters.fold import Box, MergedPart, fold_heads, merge, parabola, widened
from transputer.exporters.prune import prune
from transputer.machines.trace.packed import NAMES, PARTS, PartView, Start, carrying
from transputer.machines.trace.vocabulary import Record, Space, record
from transputer.model import Array, Model, Token, streams, verify

Ints = NDArray[np.int64]
#: The parts to merge: the program counter, and the opcode, which only the prompt has.
_MERGED = ("pc0", "pc1", "pc2", "op")
_RADIX = (1, 256, 65536, 0)
#: Parts that describe what a token writes.
_WRITES = ("space", "at", "value")
_PLACES = tuple(NAMES.index(name) for name in _MERGED)


def specialize(model: Model, start: Start, entries: Sequence[int], calls: bool) -> Model:
    """Specialise the model to the program of `start`; return it verified, with a new start.

    `entries` are the addresses of instructions that others read as data (entries of jump tables);
    `calls` tells whether function descriptors are read. Raises `CapacityError` if the program does
    not fit, and `Unsupported` if the transformation does not apply to the model.
    """
    prompt = [record(token) for token in start.before]
    boot = [item for item in prompt if _initial(item, set(entries), calls)]
    rows = _PartRows(start, boot, [record(token) for token in start.after])
    merged = MergedPart("pc", _PLACES, _RADIX, rows.combinations)
    certain = np.arange(len(rows.combinations)) < start.code
    folded, added = fold_heads(model, merged, certain, start.before, _generated())
    booted = _booted(merge(folded, merged, added), rows)
    pruned = prune(booted)
    verify(pruned)
    return carrying(pruned, _started(start, rows))


def _initial(item: Record, entries: set[int], calls: bool) -> bool:
    """Return whether a token of the prompt is data that remaining heads read."""
    if item.space == Space.CODE:
        return item.at in entries
    if item.space == Space.SIZE and not item.at:
        return False  # the stack limits, which are folded
    return item.space != Space.SENTINEL and (item.space != Space.FUNC or calls)


def _generated() -> list[Box]:
    """Return what decoded tokens may be: none writes code, the sentinel or the stack limits."""
    space, at = NAMES.index("space"), NAMES.index("at0")
    excluded = (Space.CODE, Space.SENTINEL, Space.SIZE)
    return [
        {space: [s for s in range(256) if s not in excluded]},
        {space: [Space.SIZE], at: range(Space.FIRST, 256)},
    ]


class _PartRows:
    """Rows of the new part: the addresses, the one after the last, then the boot."""

    def __init__(self, start: Start, boot: Sequence[Record], last: Sequence[Record]) -> None:
        self.first = start.code + 1  # first row of the boot
        self.decoded = [item.token() for item in (*boot, *last)]
        self.sentinel = Record(space=Space.SENTINEL).token()
        places = [*range(start.code + 1)]
        addresses = [[a & 255, a >> 8 & 255, a >> 16, 0] for a in places]
        boots = [[token[p] for p in _PLACES] for token in (self.sentinel, *self.decoded[:-1])]
        self.combinations: Ints = np.array([*addresses, *boots], dtype=np.int64)

    def own(self, token: Token, row: int) -> Token:
        """Return the specialised form of a universal token: its merged parts become `row`."""
        merged = _PLACES[1:]
        return tuple(row if i == _PLACES[0] else v for i, v in enumerate(token) if i not in merged)

    def chain(self) -> list[Token]:
        """Return the start token and the tokens of the boot, in specialised form."""
        *booted, last = self.decoded
        entry = sum(v * r for v, r in zip((last[p] for p in _PLACES), _RADIX, strict=True))
        items = (self.sentinel, *booted)
        tokens = [self.own(token, self.first + i) for i, token in enumerate(items)]
        return [*tokens, self.own(last, entry)]


def _booted(model: Model, rows: _PartRows) -> Model:
    """Correct what the boot rows predict, with one lane per part that holds the difference."""
    chain = np.array(rows.chain())
    numbers = _numbers(model, rows, chain[:-1])
    wide = widened(model, len(model.parts), "boot")
    scale = streams(model)[-1][0].constant
    tables, outputs = [t.copy() for t in wide.embeddings], [t.copy() for t in wide.outputs]
    for part, table in enumerate(outputs):
        lane = model.width + part
        difference = chain[1:, part] - numbers[:, part]
        if not difference.any():
            continue
        tables[_PLACES[0]][rows.first :, lane] = difference
        _, square = parabola(table)
        table[:, lane] = -2 * (square[: model.width] @ scale) * np.arange(len(table))
    return replace(wide, embeddings=tuple(tables), outputs=tuple(outputs))


def _numbers(model: Model, rows: _PartRows, tokens: Ints) -> Array:
    """Return the number that each part predicts after each token of the boot, uncorrected.

    The boot executes no instruction, so these numbers must not depend on what heads read or on
    what a token writes: the arguments precede the boot and may be anything.
    """
    alone = prune(_boot_only(model, rows))
    writes = [i for i, part in enumerate(alone.parts) if part.name.startswith(_WRITES)]
    if any(layer.heads for layer in alone.layers) or any(alone.embeddings[i].any() for i in writes):
        raise Unsupported("the boot of this model would depend on values that the program writes")
    own = tokens - rows.first * (np.arange(len(alone.parts)) == _PLACES[0])
    x = alone.bias + np.sum([t[own[:, i]] for i, t in enumerate(alone.embeddings)], axis=0)
    for layer in alone.layers:
        x = x + (np.maximum(x @ layer.gate.T, 0.0) * (x @ layer.value.T)) @ layer.out.T
    numbers = []
    for table in alone.outputs:
        numbers.append(_predicted(table, x))
    return np.stack(numbers, axis=1)


def _predicted(table: Array, x: Array) -> Array:
    """Return the numbers that logits predict: the peak of a parabola, or else the argmax."""
    try:
        slope, square = parabola(table)
    except Unsupported:
        largest: Array = np.argmax(x @ table.T, axis=1).astype(np.float64)
        return largest
    peak: Array = (x @ slope) / (-2 * (x @ square))
    return peak


def _boot_only(model: Model, rows: _PartRows) -> Model:
    """Return the model without the rows of addresses, padded to three rows for its output."""
    place = _PLACES[0]
    table = model.embeddings[place][rows.first :]
    table = np.concatenate([table, np.repeat(table[-1:], max(0, 3 - len(table)), axis=0)])
    parts, tables, outputs = list(model.parts), list(model.embeddings), list(model.outputs)
    parts[place] = replace(parts[place], size=len(table))
    tables[place], outputs[place] = table, outputs[place][: len(table)]
    return replace(model, parts=tuple(parts), embeddings=tuple(tables), outputs=tuple(outputs))


def _started(start: Start, rows: _PartRows) -> Start:
    """Return how to start the specialised model and how to read its tokens."""
    parts = [i for i in range(len(PARTS)) if i not in _PLACES[1:]]
    views = [PartView(parts.index(i)) if i in parts else PartView(None) for i in range(len(PARTS))]
    for place, column in zip(_PLACES, rows.combinations.T, strict=True):
        views[place] = PartView(parts.index(_PLACES[0]), tuple(column.tolist()))
    return replace(
        start,
        before=(rows.own(rows.sentinel, rows.first),),
        arguments=tuple(rows.own(token, rows.first) for token in start.arguments),
        after=(),
        views=tuple(views),
        boot=len(rows.decoded),
    )
