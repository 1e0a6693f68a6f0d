"""Lifted rows as text, and where they are kept: derived once per model and machine."""

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, TypeVar

from transputer.engines.lifted.decoder.expr import Expr
from transputer.engines.lifted.decoder.frame import Frame, Score, Setting
from transputer.engines.lifted.decoder.rows import Key, Leaf, Query, Split, Tree, Word
from transputer.model import Model, cache_folder, digest

T = TypeVar("T")


def _written(expr: Expr | None) -> str:
    """An expression as text: its nodes, parts before what they are parts of, by number."""
    if expr is None:
        return ""
    nodes: list[Any] = []
    numbers: dict[Expr, int] = {}

    def number(part: Expr) -> int:
        if part not in numbers:
            parts = [number(p) for p in part.parts]
            numbers[part] = len(nodes)
            nodes.append([part.kind, parts, part.data])
        return numbers[part]

    number(expr)
    return json.dumps(nodes, separators=(",", ":"))


@lru_cache(maxsize=1 << 16)
def _read(text: str) -> Expr:
    """The expression of a text; rows have many in common."""
    made: list[Expr] = []
    for kind, parts, data in json.loads(text):
        made.append(Expr(kind, tuple([made[p] for p in parts]), tuple(data)))
    return made[-1]


def _put_word(word: Word) -> list[Any]:
    return [_written(word.expr), _written(word.guard), word.lifted]


def _put_queries(queries: Mapping[int, Query]) -> list[Any]:
    return [
        [h, [_written(t) for t in q.tags], _put_word(q.index), q.hits, q.falls_back]
        for h, q in queries.items()
    ]


def _put_tree(tree: Tree) -> list[Any]:
    if isinstance(tree, Leaf):
        return [[_put_word(w) for w in tree.words], _put_queries(tree.queries)]
    sides = [_put_tree(tree.yes), _put_tree(tree.no)]
    return [_written(tree.condition), _put_queries(tree.queries), *sides]


def _get_word(item: Sequence[Any]) -> Word:
    expr, guard, lifted = item
    return Word(_read(expr), _read(guard) if guard else None, lifted)


def _get_queries(items: Sequence[Any]) -> dict[int, Query]:
    return {
        h: Query(tuple([_read(t) for t in tags]), _get_word(index), hits, falls)
        for h, tags, index, hits, falls in items
    }


def _get_tree(item: Sequence[Any]) -> Tree:
    if len(item) == 2:
        return Leaf(tuple([_get_word(w) for w in item[0]]), _get_queries(item[1]))
    condition, queries, yes, no = item
    return Split(_read(condition), _get_queries(queries), _get_tree(yes), _get_tree(no))


def dumped_frame(frame: Frame) -> str:
    """A frame as text."""
    setting = frame.setting
    return json.dumps(
        {
            "groups": frame.groups,
            "sizes": frame.sizes,
            "context": frame.context,
            "keys": [[h, k.tags, k.group, k.digits, k.extra] for h, k in frame.keys.items()],
            "fixed": [
                [h, s.constant, s.position, [*s.tables.items()]] for h, s in frame.fixed.items()
            ],
            "setting": [setting.static, setting.fetch, setting.controls],
            "fetched": _put_queries({0: frame.fetched}),
        },
        separators=(",", ":"),
    )


def loaded_frame(text: str) -> Frame:
    """The frame of a text."""
    held = json.loads(text, object_hook=lambda item: {k: _tuples(v) for k, v in item.items()})
    keys = {h: Key(tags, group, digits, extra) for h, tags, group, digits, extra in held["keys"]}
    fixed = {h: Score(c, position, dict(tables)) for h, c, position, tables in held["fixed"]}
    fetched = _get_queries(held["fetched"])[0]
    groups, sizes, context = held["groups"], held["sizes"], held["context"]
    return Frame(groups, sizes, context, keys, fixed, Setting(*held["setting"]), fetched)


def _tuples(item: Any) -> Any:
    return tuple(map(_tuples, item)) if isinstance(item, list) else item


def dumped(tree: Tree) -> str:
    """A tree as text."""
    return json.dumps(_put_tree(tree), separators=(",", ":"))


def loaded(text: str) -> Tree:
    """The tree of a text."""
    return _get_tree(json.loads(text))


@cache
def _sources() -> bytes:
    """Of the code that lifts: rows of other code are not taken."""
    here = Path(__file__).parent
    seen = hashlib.sha256()
    for name in ("atoms", "circuit", "expr", "frame", "lifting", "numbers", "rows", "store"):
        seen.update((here / f"{name}.py").read_bytes())
    return seen.digest()


class Shelf:
    """The rows of a model in the user's cache; nothing is kept where that cannot be written."""

    def __init__(self, model: Model, stops: frozenset[int]) -> None:
        seen = hashlib.sha256(_sources())
        seen.update(repr((digest(model), sorted(stops))).encode())
        self.folder = cache_folder() / "rows" / seen.hexdigest()[:32]

    def take(self, name: str) -> Tree | None:
        """A row, if it is there and whole."""
        return self._taken(name, loaded)

    def take_frame(self) -> Frame | None:
        """The frame, if it is there and whole."""
        return self._taken("frame", loaded_frame)

    def put(self, name: str, tree: Tree) -> None:
        """Keeps a row, whole or not at all."""
        self._put(name, dumped(tree))

    def put_frame(self, frame: Frame) -> None:
        """Keeps the frame."""
        self._put("frame", dumped_frame(frame))

    def _taken(self, name: str, read: Callable[[str], T]) -> T | None:
        try:
            return read((self.folder / f"{name}.json").read_text())
        except (OSError, ValueError, KeyError, IndexError, TypeError):
            return None

    def _put(self, name: str, text: str) -> None:
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile("w", dir=self.folder, delete=False) as file:
                file.write(text)
            os.replace(file.name, self.folder / f"{name}.json")
        except OSError:
            return
