"""Lifted rows as text, and their cache: a row is derived once per model."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from transputer import cache
from transputer.engines.lifted.decoder.expr import WordExpr
from transputer.engines.lifted.decoder.frame import DecoderFrame, FixedScore, Setting
from transputer.engines.lifted.decoder.rows import Key, Query, RowLeaf, RowSplit, RowWord, Tree
from transputer.model import Model, cached_digest, digest

T = TypeVar("T")
#: Models whose rows are cached; those not used for longest go first.
MODELS = 16


def _written(expr: WordExpr | None) -> str:
    """An expression as text: its nodes, parts before what they are parts of, by number."""
    if expr is None:
        return ""
    nodes: list[Any] = []
    numbers: dict[WordExpr, int] = {}

    def number(part: WordExpr) -> int:
        if part not in numbers:
            parts = [number(p) for p in part.parts]
            numbers[part] = len(nodes)
            nodes.append([part.kind, parts, part.data])
        return numbers[part]

    number(expr)
    return json.dumps(nodes, separators=(",", ":"))


@lru_cache(maxsize=1 << 16)
def _read(text: str) -> WordExpr:
    """The expression of a text; rows have many in common."""
    nodes: list[WordExpr] = []
    for kind, parts, data in json.loads(text):
        nodes.append(WordExpr(kind, tuple([nodes[p] for p in parts]), tuple(data)))
    return nodes[-1]


def _put_word(word: RowWord) -> list[Any]:
    return [_written(word.expr), _written(word.guard), word.lifted]


def _put_queries(queries: Mapping[int, Query]) -> list[Any]:
    return [
        [h, [_written(t) for t in q.tags], _put_word(q.index), q.hits, q.falls_back]
        for h, q in queries.items()
    ]


def _put_tree(tree: Tree) -> list[Any]:
    if isinstance(tree, RowLeaf):
        return [[_put_word(w) for w in tree.words], _put_queries(tree.queries)]
    sides = [_put_tree(tree.yes), _put_tree(tree.no)]
    return [_written(tree.condition), _put_queries(tree.queries), *sides]


def _get_word(item: Sequence[Any]) -> RowWord:
    expr, guard, lifted = item
    return RowWord(_read(expr), _read(guard) if guard else None, lifted)


def _get_queries(items: Sequence[Any]) -> dict[int, Query]:
    return {
        h: Query(tuple([_read(t) for t in tags]), _get_word(index), hits, falls)
        for h, tags, index, hits, falls in items
    }


def _get_tree(item: Sequence[Any]) -> Tree:
    if len(item) == 2:
        return RowLeaf(tuple([_get_word(w) for w in item[0]]), _get_queries(item[1]))
    condition, queries, yes, no = item
    return RowSplit(_read(condition), _get_queries(queries), _get_tree(yes), _get_tree(no))


def dumped_frame(frame: DecoderFrame) -> str:
    """A frame as text."""
    setting = frame.setting
    return json.dumps(
        {
            "groups": frame.groups,
            "lone": frame.lone,
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


def loaded_frame(text: str) -> DecoderFrame:
    """The frame of a text."""
    data = json.loads(text, object_hook=lambda item: {k: _tuples(v) for k, v in item.items()})
    keys = {h: Key(tags, group, digits, extra) for h, tags, group, digits, extra in data["keys"]}
    fixed = {h: FixedScore(c, position, dict(tables)) for h, c, position, tables in data["fixed"]}
    fetched = _get_queries(data["fetched"])[0]
    groups, sizes, context = data["groups"], data["sizes"], data["context"]
    return DecoderFrame(
        groups, data["lone"], sizes, context, keys, fixed, Setting(*data["setting"]), fetched
    )


def _tuples(item: Any) -> Any:
    return tuple(map(_tuples, item)) if isinstance(item, list) else item


def dumped(tree: Tree | None) -> str:
    """A tree as text; None is a row without one."""
    return json.dumps(None if tree is None else _put_tree(tree), separators=(",", ":"))


def loaded(text: str) -> Tree | None:
    """The tree of a text."""
    data = json.loads(text)
    return None if data is None else _get_tree(data)


def _dumped_item(item: tuple[Tree | None]) -> str:
    return dumped(item[0])


def _loaded_item(text: str) -> tuple[Tree | None]:
    return (loaded(text),)


class RowCache:
    """The rows of a model in the user's cache, bound to its weights and to the code that lifts.

    With `fresh`, nothing is read, and what is derived replaces what the cache has.
    """

    def __init__(self, model: Model, stops: frozenset[int], fresh: bool = False) -> None:
        lifts = cache.code("transputer.engines.lifted.decoder.lifting")
        self.fresh = fresh
        self.model = digest(model) if fresh else cached_digest(model)
        self.inputs = self.model, sorted(stops), lifts
        self.room = f"rows/{hashlib.sha256(repr(self.inputs).encode()).hexdigest()[:32]}"
        cache.open_room(self.room, MODELS)

    def row(self, name: str, derive: Callable[[], Tree | None]) -> Tree | None:
        """Return the row that `derive` derives, or None where it finds that there is none."""
        return self._value(name, lambda: (derive(),), _dumped_item, _loaded_item)[0]

    def frame(self, derive: Callable[[], DecoderFrame]) -> DecoderFrame:
        """Return the frame that `derive` derives."""
        return self._value("frame", derive, dumped_frame, loaded_frame)

    def _value(
        self, name: str, derive: Callable[[], T], dump: Callable[[T], str], load: Callable[[str], T]
    ) -> T:
        entry = cache.entry(self.room, name, self.inputs)
        value = None if self.fresh else entry.get(lambda contents: load(contents.decode()))
        if value is None:
            value = derive()
            entry.write(dump(value).encode())
        return value
