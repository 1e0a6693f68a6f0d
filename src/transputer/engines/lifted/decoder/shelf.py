"""The arrays of a session: where tokens are kept for heads."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from transputer.engines.lifted.decoder.frame import DecoderFrame
from transputer.engines.lifted.decoder.rows import (
    Key,
    Query,
    RowLeaf,
    RowSplit,
    Tree,
    own_expressions,
)
from transputer.engines.lifted.decoder.want import Want
from transputer.errors import Unsupported


@dataclass(frozen=True)
class KeyClass:
    """How some heads find tokens: by a tag, which a part decides, and an index.

    `first` is the number of the slot of the lowest tag; a slot has an array per group.
    """

    part: int
    table: tuple[int, ...]
    group: int
    digits: int
    first: int

    @cached_property
    def low(self) -> int:
        """The lowest tag."""
        return min(self.table)

    @cached_property
    def used(self) -> frozenset[int]:
        """The slots that some token may go to."""
        return frozenset(map(self.slot_of, range(len(self.table))))

    @cached_property
    def slots(self) -> range:
        """The numbers of the slots of all tags."""
        return range(self.first, self.first + max(self.table) - self.low + 1)

    def slot_of(self, value: int) -> int:
        """The slot of tokens whose part has a value."""
        return self.first + self.table[value] - self.low

    def slot(self, tag: int) -> int | None:
        """The slot of a tag, if some token may have it."""
        slot = self.first + tag - self.low
        return slot if slot in self.slots else None


@dataclass(frozen=True)
class Needs:
    """The groups that rows read: with any tag of a class, and in slots."""

    always: tuple[tuple[int, ...], ...]
    by_slot: Mapping[int, tuple[int, ...]]


class Shelf:
    """The arrays of a session: the classes of keys, and the groups that each slot has.

    Without `needs`, rows may read everything. `Unsupported` for heads whose keys have other than
    one tag.
    """

    def __init__(self, frame: DecoderFrame, want: Want, needs: Needs | None = None) -> None:
        self.frame, self.want = frame, want
        self.classes: list[KeyClass] = []
        self.by_head = {head: self._class(key) for head, key in frame.keys.items()}
        self.fixed = {head: place for place, head in enumerate(frame.fixed)}
        every = tuple(range(len(frame.groups)))
        self._needs = needs or Needs((every,) * len(self.classes), {})
        self._groups: dict[int, tuple[int, ...]] = {}
        tag = frame.fetched.tags[0].value({})
        slot = None if tag is None else self.by_head[frame.setting.fetch].slot(tag)
        if slot is None:
            raise Unsupported("what is fetched depends on more than control")
        self.code: int = slot
        self._kept = {frame.place[p][0] for p in want.kept}
        hidden = (v for p, values in want.unread if p == self.longest.part for v in values)
        self._hidden = {self.longest.slot_of(v) for v in hidden}

    @property
    def slots(self) -> int:
        """How many there are."""
        return self.classes[-1].slots.stop

    @property
    def longest(self) -> KeyClass:
        """The class with the most digits: by it the host looks words up."""
        return max(self.classes, key=lambda c: c.digits)

    @property
    def certain(self) -> set[int]:
        """The slots that every session has arrays for."""
        return {self.code, *self._needs.by_slot}

    def groups(self, slot: int) -> tuple[int, ...]:
        """The groups of the arrays of a slot."""
        if slot not in self._groups:
            owner = self.owner(slot)
            groups: set[int] = set()
            if slot in owner.used:
                groups |= {*self._needs.always[self.classes.index(owner)]}
                groups |= {*self._needs.by_slot.get(slot, ())}
                if owner == self.longest and slot not in self._hidden:
                    groups |= self._kept
                if slot == self.code:
                    groups |= {*range(len(self.frame.groups))}
            self._groups[slot] = tuple(sorted(groups))
        return self._groups[slot]

    def owner(self, slot: int) -> KeyClass:
        """The class of a slot."""
        return next(c for c in self.classes if slot in c.slots)

    def digits(self, slot: int) -> int:
        """The digits of the index of a slot."""
        return self.owner(slot).digits

    def _class(self, key: Key) -> KeyClass:
        if len(key.tags) != 1:
            raise Unsupported("a key has other than one tag")
        ((part, table),) = key.tags
        for existing in self.classes:
            shape = existing.part, existing.table, existing.group, existing.digits
            if shape == (part, table, key.group, key.digits):
                return existing
        first = self.slots if self.classes else 0
        self.classes.append(KeyClass(part, table, key.group, key.digits, first))
        return self.classes[-1]

    def ends(self, leaf: RowLeaf) -> bool:
        """Whether a leaf may end the run."""
        places = (self.frame.place[p][0] for p in self.want.stops)
        return any(leaf.words[g].expr.value({}) != 0 for g in places)

    # What rows read

    def needs(self, trees: Iterable[Tree]) -> Needs:
        """What the trees of all rows read."""
        always: dict[KeyClass, set[int]] = {c: set() for c in self.classes}
        by_slot: dict[int, set[int]] = {}
        for tree in trees:
            for head, query, group in _read(tree):
                owner, tag = self.by_head[head], query.tags[0].value({})
                if tag is None:
                    always[owner].add(group)
                elif (slot := owner.slot(tag)) is not None:
                    by_slot.setdefault(slot, set()).add(group)
        groups = tuple(tuple(sorted(always[c])) for c in self.classes)
        return Needs(groups, {slot: tuple(sorted(g)) for slot, g in by_slot.items()})

    @staticmethod
    def printed(needs: Needs) -> bytes:
        """As text."""
        return json.dumps([needs.always, [*needs.by_slot.items()]]).encode()

    @staticmethod
    def parsed(text: bytes) -> Needs:
        """What a text says."""
        always, by_slot = json.loads(text)
        return Needs(tuple(map(tuple, always)), {slot: tuple(groups) for slot, groups in by_slot})


def _read(tree: Tree) -> Iterator[tuple[int, Query, int]]:
    """Every head that a tree reads, with its query and the group that is read."""
    if isinstance(tree, RowSplit):
        yield from _read(tree.yes)
        yield from _read(tree.no)
    for head, group in {v for e in own_expressions(tree) for v in e.variables}:
        if head in tree.queries:
            yield head, tree.queries[head], group
