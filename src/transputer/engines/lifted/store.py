"""Lifted rows as text, and where they are kept: derived once per model and machine."""

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from transputer.engines.lifted.expr import Expr
from transputer.engines.lifted.rows import Leaf, Query, Split, Tree, Word
from transputer.model import Model, digest


class _Writer:
    """Expressions by number, each written once."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self._numbers: dict[Expr, int] = {}

    def expr(self, expr: Expr | None) -> int:
        if expr is None:
            return -1
        if expr not in self._numbers:
            parts = [self.expr(part) for part in expr.parts]
            self._numbers[expr] = len(self.nodes)
            self.nodes.append([expr.kind, parts, list(expr.data)])
        return self._numbers[expr]

    def word(self, word: Word) -> list[Any]:
        return [self.expr(word.expr), self.expr(word.guard), word.lifted]

    def queries(self, queries: Mapping[int, Query]) -> list[Any]:
        return [
            [h, [self.expr(t) for t in q.tags], self.word(q.index), q.hits, q.falls_back]
            for h, q in queries.items()
        ]

    def tree(self, tree: Tree) -> list[Any]:
        if isinstance(tree, Leaf):
            return [[self.word(w) for w in tree.words], self.queries(tree.queries)]
        sides = [self.tree(tree.yes), self.tree(tree.no)]
        return [self.expr(tree.condition), self.queries(tree.queries), *sides]


class _Reader:
    def __init__(self, nodes: list[Any]) -> None:
        self.made: list[Expr] = []
        for kind, parts, data in nodes:
            self.made.append(Expr(kind, tuple(self.made[p] for p in parts), tuple(data)))

    def word(self, item: list[Any]) -> Word:
        expr, guard, lifted = item
        return Word(self.made[expr], None if guard < 0 else self.made[guard], lifted)

    def queries(self, items: list[Any]) -> dict[int, Query]:
        return {
            h: Query(tuple(self.made[t] for t in tags), self.word(index), hits, falls)
            for h, tags, index, hits, falls in items
        }

    def tree(self, item: list[Any]) -> Tree:
        if len(item) == 2:
            return Leaf(tuple(self.word(w) for w in item[0]), self.queries(item[1]))
        condition, queries, yes, no = item
        return Split(self.made[condition], self.queries(queries), self.tree(yes), self.tree(no))


def dumped(tree: Tree) -> str:
    """A tree as text."""
    writer = _Writer()
    root = writer.tree(tree)
    return json.dumps([writer.nodes, root], separators=(",", ":"))


def loaded(text: str) -> Tree:
    """The tree of a text."""
    nodes, root = json.loads(text)
    return _Reader(nodes).tree(root)


@cache
def _sources() -> bytes:
    """Of the code that lifts: rows of other code are not taken."""
    here = Path(__file__).parent
    seen = hashlib.sha256()
    for name in ("atoms.py", "circuit.py", "expr.py", "numbers.py", "rows.py", "store.py"):
        seen.update((here / name).read_bytes())
    return seen.digest()


class Shelf:
    """The rows of a model in the user's cache; nothing is kept where that cannot be written."""

    def __init__(self, model: Model, stops: frozenset[int]) -> None:
        seen = hashlib.sha256(_sources())
        seen.update(repr((digest(model), sorted(stops))).encode())
        root = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        self.folder = Path(root, "transputer", "rows", seen.hexdigest()[:32])

    def take(self, name: str) -> Tree | None:
        """A row, if it is there and whole."""
        try:
            return loaded((self.folder / f"{name}.json").read_text())
        except (OSError, ValueError, KeyError, IndexError, TypeError):
            return None

    def put(self, name: str, tree: Tree) -> None:
        """Keeps a row, whole or not at all."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile("w", dir=self.folder, delete=False) as file:
                file.write(dumped(tree))
            os.replace(file.name, self.folder / f"{name}.json")
        except OSError:
            return
