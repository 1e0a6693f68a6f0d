"""The arrays of a session: where tokens are kept for heads."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from transputer.engines.lifted.decoder.circuit import Fixed
from transputer.engines.lifted.decoder.expr import WordExpr
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
    def values(self) -> dict[int, frozenset[int]]:
        """For each slot that some token may go to, the values of the part of such tokens."""
        values: dict[int, set[int]] = {}
        for value in range(len(self.table)):
            values.setdefault(self.slot_of(value), set()).add(value)
        return {slot: frozenset(chosen) for slot, chosen in values.items()}

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


class NamedTag(NamedTuple):
    """Tokens with values of control read a group of a class, with the tag that `part` says."""

    owner: int
    group: int
    part: int
    values: tuple[int, ...]


@dataclass(frozen=True)
class Needs:
    """The groups that rows read: with any tag of a class, with the tag that a part of what is
    fetched names, and in slots.

    Of those whose tag is not known, `excused` are those that read the special token where nothing
    was written.
    """

    always: tuple[tuple[int, ...], ...]
    by_slot: Mapping[int, tuple[int, ...]]
    named: tuple[NamedTag, ...] = ()
    excused: tuple[tuple[int, ...], ...] = ()


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
        self._twins: dict[int, int | None] = {}
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

    @cached_property
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
            if slot in owner.values:
                at = self.classes.index(owner)
                groups |= self._sure(slot) | self._looked_up(slot)
                groups |= {n.group for n in self._needs.named if n.owner == at}
            self._groups[slot] = tuple(sorted(groups))
        return self._groups[slot]

    def _sure(self, slot: int) -> set[int]:
        """The groups that are read whatever is fetched."""
        groups = {*self._needs.always[self.classes.index(self.owner(slot))]}
        groups |= {*self._needs.by_slot.get(slot, ())}
        if self.twin(slot) is None:
            groups |= self._looked_up(slot)
        if slot == self.code:
            groups |= {*range(len(self.frame.groups))}
        return groups

    def _looked_up(self, slot: int) -> set[int]:
        """The groups in which the host looks words up."""
        looked_up = self.owner(slot) == self.longest and slot not in self._hidden
        return self._kept if looked_up else set()

    def optional(self, slot: int, group: int) -> bool:
        """Whether an array is read only if an instruction names its tag.

        The host looks words up in that of the twin.
        """
        return group not in self._sure(slot)

    def twin(self, slot: int) -> int | None:
        """A slot that has what the host looks up in this one.

        It gets the same tokens, and its index has fewer digits: the others must be 0.
        """
        if slot not in self._twins:
            self._twins[slot] = next(self._found_twins(slot), None)
        return self._twins[slot]

    def _found_twins(self, slot: int) -> Iterator[int]:
        owner, kept = self.owner(slot), self._looked_up(slot)
        values = owner.values.get(slot)
        for other in self.classes if kept and values else ():
            if (other.part, other.group) == (owner.part, owner.group) and other != owner:
                same = (there for there, chosen in other.values.items() if chosen == values)
                yield from (s for s in same if kept <= {*self._needs.by_slot.get(s, ())})

    def reach(self, slot: int) -> int | None:
        """What indices of tokens that go to a slot must be below, so that its twin has them."""
        twin = self.twin(slot)
        return None if twin is None else 256 ** self.digits(twin)

    def named(self, code: NDArray[np.uint16]) -> set[int]:
        """The slots whose tags are named by tokens that can be fetched."""
        slots: set[int] = set()
        for owner, _, part, values in self._needs.named if len(code) else ():
            chosen = code[(code[:, self._fetched] == np.array(values)).all(axis=1)]
            tags = np.unique(chosen[:, part]).tolist()
            slots |= {s for tag in tags if (s := self.classes[owner].slot(tag)) is not None}
        return slots

    def bare(self, slot: int, group: int) -> bool:
        """Whether an array has words alone, and does not say which of them were written.

        Then all who read it read the special token elsewhere, which must be 0 there.
        """
        excused = self._needs.excused
        if not excused or slot == self.code or group in self._needs.by_slot.get(slot, ()):
            return False
        return group in excused[self.classes.index(self.owner(slot))]

    @property
    def zeros(self) -> set[int]:
        """Groups that must be 0 in the special token."""
        return {group for groups in self._needs.excused for group in groups}

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

    @property
    def _fetched(self) -> list[int]:
        """The parts of what is fetched that choose the row."""
        fetch = self.frame.setting.fetch
        return [part for source, part in self.frame.setting.controls if source == fetch]

    def needs(self, rows: Iterable[tuple[Fixed, Tree]]) -> Needs:
        """What the trees of all rows read."""
        fetch, named = self.frame.setting.fetch, set[NamedTag]()
        always: dict[KeyClass, set[int]] = {c: set() for c in self.classes}
        excused: dict[KeyClass, set[int]] = {c: set() for c in self.classes}
        must: dict[KeyClass, set[int]] = {c: set() for c in self.classes}
        by_slot: dict[int, set[int]] = {}
        for fixed, tree in rows:
            values = tuple(fixed[fetch, part] for part in self._fetched)
            for head, query, group in _read(tree):
                owner, tag = self.by_head[head], query.tags[0].value({})
                if tag is None:
                    part = self._part(query.tags[0])
                    if part is None:
                        always[owner].add(group)
                    else:
                        named.add(NamedTag(self.classes.index(owner), group, part, values))
                    (excused if query.falls_back else must)[owner].add(group)
                elif (slot := owner.slot(tag)) is not None:
                    by_slot.setdefault(slot, set()).add(group)
        groups = tuple(tuple(sorted(always[c])) for c in self.classes)
        slots = {slot: tuple(sorted(g)) for slot, g in by_slot.items()}
        bare = tuple(tuple(sorted(excused[c] - must[c])) for c in self.classes)
        return Needs(groups, slots, tuple(sorted(named)), bare)

    def _part(self, tag: WordExpr) -> int | None:
        """The part of what is fetched that a tag is."""
        inner, at = (tag.parts[0], tag.data[0]) if tag.kind == "field" else (tag, 0)
        if inner.kind != "word" or inner.data[0] != self.frame.setting.fetch or at % 8:
            return None
        parts = self.frame.groups[inner.data[1]]
        whole = tag.data[1] == 8 if tag.kind == "field" else len(parts) == 1
        return parts[at // 8] if whole else None

    @staticmethod
    def printed(needs: Needs) -> list[Any]:
        """As lists."""
        return [needs.always, sorted(needs.by_slot.items()), needs.named, needs.excused]

    @staticmethod
    def parsed(lists: list[Any]) -> Needs:
        """What such lists say."""
        always, by_slot, named, excused = lists
        return Needs(
            tuple(map(tuple, always)),
            {slot: tuple(groups) for slot, groups in by_slot},
            tuple(NamedTag(at, group, part, tuple(values)) for at, group, part, values in named),
            tuple(map(tuple, excused)),
        )


def _read(tree: Tree) -> Iterator[tuple[int, Query, int]]:
    """Every head that a tree reads, with its query and the group that is read."""
    if isinstance(tree, RowSplit):
        yield from _read(tree.yes)
        yield from _read(tree.no)
    for head, group in {v for e in own_expressions(tree) for v in e.variables}:
        if head in tree.queries:
            yield head, tree.queries[head], group
