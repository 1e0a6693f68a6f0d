"""Fields out of lanes: bytes put together to numbers, and sorted by what they mean to people.

Lanes are named in a model's hints; `pc0`, `pc1`, `pc2` are the bytes of `pc`. What has no name that
is known here is shown as it is, among the rest.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

#: A byte spelled out in bits: `S.value0.0 + 2*value0.1 + ...` is `S.value0`.
_SPELLED = re.compile(r"^(.*?)\.0 \+ 2\*.*$")
_BIT = re.compile(r"^(value|at|.*\.value)\d\.\d$")
_BYTE = re.compile(r"^(?!shift|borrow|phase in)([^|]*?(?:[a-zA-Z]|[+-] \d)) ?([0-5])$")
#: An address has two lanes for the byte in a word, and bytes of the word's own number.
_WORD = re.compile(r"^(address(?: \+ 4)?) ([2-5])$")
_IN_WORD = re.compile(r"^address(?: \+ 4)? [01]$")
#: Lanes that say which instruction this is: `i32.add`, or several of them with slashes between.
_OPERATION = re.compile(r"^(instruction\.)?[a-z0-9_]+(\.[a-z0-9_]+)?(/[a-z0-9_./]+)?$")
#: Groups by the first word of a name, in the order in which they are shown.
GROUPS: dict[str, tuple[str, ...]] = {
    "where": ("pc", "next pc", "instruction.pc", "entry", "X.pc", "F.pc", "phase", "next phase"),
    "stack": ("sp", "fp", "depth", "new sp", "next sp", "next fp", "next depth", "top", "second",
              "frame", "kept", "U", "stack limits", "grows", "pops", "instruction.sp",
              "instruction.fp", "instruction.depth", "instruction.grows", "instruction.pops",
              "indirect", "open call"),
    "address": ("at", "space", "next at", "next space", "address", "P.squares", "Q.squares",
                "X space", "X squares", "X", "R space", "instruction.R space", "|space"),
    "value": ("value", "next value", "S.value", "T.value", "R.value", "P.value", "Q.value",
              "X.value", "F.value", "instruction.value", "product", "and", "T ", "sum", "carry"),
    "token": ("position", "status", "next status", "writes", "instruction.writes"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Tile:
    """One field after a layer; `new` where that layer made or changed it."""

    group: str
    name: str
    value: int
    new: bool


def fields(lanes: Mapping[str, int]) -> dict[str, int]:
    """Lanes by name to fields by name: bytes joined, single bits of what is there left out."""
    found: dict[str, int] = {}
    for lane, value in lanes.items():
        spelled = _SPELLED.match(lane)
        name = spelled[1] if spelled else lane
        if _BIT.match(name):
            continue
        field, place = _digit(name)
        found[field] = found.get(field, 0) + (value << 8 * place)
    return found


def _digit(lane: str) -> tuple[str, int]:
    """The field that a lane is of, and which of its bytes."""
    if word := _WORD.match(lane):
        return f"{word[1]}, word", int(word[2]) - 2
    byte = None if _IN_WORD.match(lane) else _BYTE.match(lane)
    return (byte[1], int(byte[2])) if byte else (lane, 0)


def group_of(name: str) -> str:
    """What a field is about."""
    best = max(
        ((len(first), group) for group, names in GROUPS.items() for first in names
         if name == first or name.startswith(first) and not name[len(first)].isalnum()),
        default=(0, ""),
    )  # fmt: skip
    if best[1]:
        return best[1]
    return "operation" if _OPERATION.match(name) else "work"


def short(name: str) -> str:
    """A name that fits a tile: one of many instructions is the first and how many more."""
    bare = name.removeprefix("instruction.")
    if "/" not in bare:
        return name
    first, *more = bare.split("/")
    return f"{first} or {len(more)} more"


def tiles(before: Mapping[str, int] | None, after: Mapping[str, int]) -> list[Tile]:
    """The fields after a layer, by group; what the lanes held before tells what is new."""
    old, order = fields(before or {}), [*GROUPS, "operation", "work"]
    made = [
        Tile(group_of(name), short(name), value, old.get(name) != value)
        for name, value in fields(after).items()
    ]
    return sorted(made, key=lambda tile: order.index(tile.group))
