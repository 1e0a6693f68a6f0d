"""All rows of a model in one file: proved once, and shipped with the package.

A file is named by the digest of the model and the SHA-256 of its contents, so that neither another
model's rows nor edited ones are taken for a model's. Expressions that rows share are in it once.

A row may have a *short* tree besides the derived one: the same branches, with other formulas that
solvers proved equal (`tools/short`, docs/trust.md). Code is made of it.
"""

import gc
import hashlib
import json
import logging
import lzma
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from transputer.engines.lifted.decoder.expr import WordExpr
from transputer.engines.lifted.decoder.frame import DecoderFrame
from transputer.engines.lifted.decoder.rows import (
    Query,
    RowLeaf,
    RowSplit,
    RowWord,
    Tree,
    leaves,
    size,
)
from transputer.engines.lifted.decoder.shelf import Needs, Shelf
from transputer.engines.lifted.decoder.store import dumped_frame, loaded_frame
from transputer.engines.lifted.decoder.want import Want

FOLDER = Path(__file__).parents[1] / "proved"
SUFFIX = ".rows"
_log = logging.getLogger("transputer")
#: Formulas with more expressions than this are long.
LONG = 300
#: Hexadecimal digits of each digest in a name.
_LONG = 32
#: What chooses a row: a part of a source, and its value.
Fixed = dict[tuple[int, int], int]


@contextmanager
def uncollected() -> Iterator[None]:
    """Make many objects that stay, without looking for garbage among them."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class Packer:
    """Numbers expressions, parts before what they are parts of."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self._numbers: dict[WordExpr, int] = {}

    def expr(self, expr: WordExpr | None) -> int:
        """Return the number of an expression; -1 for none."""
        if expr is None:
            return -1
        if expr not in self._numbers:
            parts = [self.expr(p) for p in expr.parts]
            self._numbers[expr] = len(self.nodes)
            self.nodes.append([expr.kind, parts, expr.data])
        return self._numbers[expr]

    def word(self, word: RowWord) -> list[Any]:
        """A word as numbers."""
        return [self.expr(word.expr), self.expr(word.guard), int(word.lifted)]

    def queries(self, queries: Mapping[int, Query]) -> list[Any]:
        """Queries as numbers."""
        return [
            [h, [*map(self.expr, q.tags)], self.word(q.index), int(q.hits), int(q.falls_back)]
            for h, q in queries.items()
        ]

    def tree(self, tree: Tree) -> list[Any]:
        """A tree as numbers."""
        if isinstance(tree, RowLeaf):
            return [[*map(self.word, tree.words)], self.queries(tree.queries)]
        sides = self.tree(tree.yes), self.tree(tree.no)
        return [self.expr(tree.condition), self.queries(tree.queries), *sides]


class Unpacker:
    """Builds trees from what `Packer` made, each expression when it is first needed."""

    def __init__(self, nodes: list[Any]) -> None:
        self._nodes = nodes
        self._exprs: dict[int, WordExpr] = {}

    def expr(self, number: int) -> WordExpr:
        """Return the expression with a number."""
        todo = [number]
        while todo:
            at = todo[-1]
            kind, parts, data = self._nodes[at]
            missing = [p for p in parts if p not in self._exprs]
            if at not in self._exprs and not missing:
                exprs = tuple([self._exprs[p] for p in parts])
                self._exprs[at] = WordExpr(kind, exprs, tuple(data))
            if at in self._exprs:
                todo.pop()
            todo += missing
        return self._exprs[number]

    def word(self, item: list[Any]) -> RowWord:
        """Return the word that numbers are."""
        expr, guard, lifted = item
        return RowWord(self.expr(expr), None if guard < 0 else self.expr(guard), bool(lifted))

    def queries(self, items: list[Any]) -> dict[int, Query]:
        """Return the queries that numbers are."""
        return {
            h: Query(tuple(map(self.expr, tags)), self.word(index), bool(hit), bool(falls))
            for h, tags, index, hit, falls in items
        }

    def tree(self, item: list[Any]) -> Tree:
        """Return the tree that numbers are."""
        if len(item) == 2:
            return RowLeaf(tuple(map(self.word, item[0])), self.queries(item[1]))
        condition, queries, yes, no = item
        sides = self.tree(yes), self.tree(no)
        return RowSplit(self.expr(condition), self.queries(queries), *sides)


@dataclass(frozen=True)
class ProvedRows:
    """The rows in a file; they are read when they are needed."""

    path: Path
    model: str
    stops: tuple[int, ...]

    @property
    def digest(self) -> str:
        """What the name says of the contents."""
        return self.path.name.split(".")[0].split("-")[1]

    @cached_property
    def _data(self) -> tuple[Any, bytes]:
        """What the beginning says, and the rest."""
        contents = self.path.read_bytes()
        if hashlib.sha256(contents).hexdigest()[:_LONG] != self.digest:
            raise ValueError(f"{self.path.name}: other contents than its name says")
        beginning, rest = contents.split(b"\n", 1)
        data = json.loads(beginning)
        if data["model"] != self.model or tuple(data["stops"]) != self.stops:
            raise ValueError(f"{self.path.name}: rows of another model")
        return data, rest

    @cached_property
    def frame(self) -> DecoderFrame:
        """The frame of the model."""
        return loaded_frame(self._data[0]["frame"])

    @cached_property
    def needs(self) -> Needs:
        """What all rows read."""
        return Shelf.parsed(self._data[0]["needs"])

    @cached_property
    def chosen(self) -> list[Fixed]:
        """What chooses each row."""
        return [{(s, p): value for s, p, value in fixed} for fixed in self._data[0]["chosen"]]

    @cached_property
    def long(self) -> list[bool]:
        """For each row, whether its formulas are long."""
        return [*map(bool, self._data[0]["long"])]

    @cached_property
    def _packed(self) -> tuple[Unpacker, list[Any], dict[int, Any]]:
        with uncollected():
            nodes, trees, short = [*json.loads(lzma.decompress(self._data[1])), []][:3]
        return Unpacker(nodes), trees, dict(short)

    @cached_property
    def partial(self) -> list[bool]:
        """For each row, whether its short tree has guards."""
        return [*map(bool, self._data[0]["partial"])]

    def tree(self, number: int) -> Tree:
        """The tree of a row: the short one, if there is one."""
        unpacker, trees, short = self._packed
        return unpacker.tree(short.get(number, trees[number]))

    def derived(self, number: int) -> Tree:
        """The tree of a row as it was derived."""
        unpacker, trees, _ = self._packed
        return unpacker.tree(trees[number])

    @property
    def short(self) -> dict[int, Tree]:
        """The short trees, by row."""
        unpacker, _, short = self._packed
        return {number: unpacker.tree(tree) for number, tree in short.items()}

    @property
    def rows(self) -> list[tuple[Fixed, Tree]]:
        """What chooses each row, and its tree as it was derived."""
        return [(fixed, self.derived(number)) for number, fixed in enumerate(self.chosen)]


def proved_rows(model: str, stops: frozenset[int]) -> ProvedRows | None:
    """The shipped rows of the model with this digest; None without any that are as they were."""
    for path in sorted(FOLDER.glob(f"{model[:_LONG]}-*{SUFFIX}")):
        rows = ProvedRows(path, model, tuple(sorted(stops)))
        try:
            assert rows.frame
        except (OSError, ValueError, KeyError) as problem:
            _log.warning("%s; rows are derived again", problem)
        else:
            return rows
    return None


def _long(tree: Tree, frame: DecoderFrame, stops: frozenset[int]) -> bool:
    """Whether the formulas of a leaf that continues the run are long."""
    places = [frame.place[p][0] for p in stops]
    return any(
        size(leaf) > LONG
        for leaf in leaves(tree)
        if all(leaf.words[g].expr.value({}) == 0 for g in places)
    )


def _partial(tree: Tree) -> bool:
    """Whether a word of a tree is right only where a guard holds."""
    return any(word.guard is not None for leaf in leaves(tree) for word in leaf.words)


def write_rows(
    folder: Path,
    model: str,
    stops: frozenset[int],
    frame: DecoderFrame,
    rows: list[tuple[Fixed, Tree]],
    short: Mapping[int, Tree],
) -> Path:
    """Write all rows of a model; files of other models and older ones of this are removed.

    `short` are trees by the numbers of their rows.
    """
    packer = Packer()
    trees = [packer.tree(tree) for _, tree in rows]
    shorter = [[number, packer.tree(tree)] for number, tree in short.items()]
    used = [(fixed, short.get(number, tree)) for number, (fixed, tree) in enumerate(rows)]
    partial = [number in short and _partial(short[number]) for number in range(len(rows))]
    beginning = {
        "model": model,
        "stops": sorted(stops),
        "frame": dumped_frame(frame),
        "needs": Shelf.printed(Shelf(frame, Want()).needs([*rows, *used])),
        "long": [int(_long(tree, frame, stops)) for _, tree in used],
        "partial": [*map(int, partial)],
        "chosen": [[[*control, value] for control, value in fixed.items()] for fixed, _ in rows],
    }
    body = json.dumps([packer.nodes, trees, shorter], separators=(",", ":")).encode()
    contents = json.dumps(beginning).encode() + b"\n" + lzma.compress(body, preset=9)
    folder.mkdir(exist_ok=True)
    for old in folder.glob(f"*{SUFFIX}"):
        old.unlink()
    name = f"{model[:_LONG]}-{hashlib.sha256(contents).hexdigest()[:_LONG]}{SUFFIX}"
    path = folder / name
    path.write_bytes(contents)
    return path
