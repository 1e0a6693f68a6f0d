"""Fields from lanes: bytes joined into numbers, and fields sorted into groups for display.

A model's hints name the lanes; `pc0`, `pc1`, `pc2` are the bytes of `pc`. Lanes whose name matches
no group are shown last, as they are.
"""

import re
from collections.abc import Collection, Mapping

from transputer.values import dataclass

#: A byte spelled out in bits: `S.value0.0 + 2*value0.1 + ...` is `S.value0`.
_SPELLED = re.compile(r"^(.*?)\.0 \+ 2\*.*$")
_BIT = re.compile(r"^(value|at|.*\.value)\d\.\d$")
_BYTE = re.compile(r"^(?!shift|borrow|phase in)([^|]*?(?:[a-zA-Z]|[+-] \d)) ?([0-5])$")
#: An address has two lanes for the byte in a word, and bytes for the word's number.
_WORD = re.compile(r"^(address(?: \+ 4)?) ([2-5])$")
_IN_WORD = re.compile(r"^address(?: \+ 4)? [01]$")
#: Lanes that flag an instruction: `i32.add`, or several names separated by slashes.
_OPERATION = re.compile(r"^(instruction\.)?[a-z0-9_]+(\.[a-z0-9_]+)?(/[a-z0-9_./]+)?$")
#: The first words of the names in each group, in display order.
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
    """One field after a layer.

    `new` if that layer set or changed it, `used` if it has a path to the next token.
    """

    group: str
    name: str
    value: int
    new: bool
    used: bool = True


def patterns() -> dict[str, str]:
    """Return the patterns of lane names, for a page that joins lanes itself."""
    own = {"spelled": _SPELLED, "bit": _BIT, "byte": _BYTE, "word": _WORD, "in_word": _IN_WORD}
    return {name: one.pattern for name, one in {**own, "operation": _OPERATION}.items()}


def fields(lanes: Mapping[str, int]) -> dict[str, int]:
    """Return the fields of `lanes`: bytes joined into numbers, single bits of bytes left out."""
    joined: dict[str, int] = {}
    for lane, value in lanes.items():
        spelled = _SPELLED.match(lane)
        name = spelled[1] if spelled else lane
        if _BIT.match(name):
            continue
        field, place = _digit(name)
        joined[field] = joined.get(field, 0) + (value << 8 * place)
    return joined


def _digit(lane: str) -> tuple[str, int]:
    """Return the field of a lane, and which of its bytes the lane is."""
    if word := _WORD.match(lane):
        return f"{word[1]}, word", int(word[2]) - 2
    byte = None if _IN_WORD.match(lane) else _BYTE.match(lane)
    return (byte[1], int(byte[2])) if byte else (lane, 0)


def group_of(name: str) -> str:
    """Return the group of a field."""
    best = max(
        ((len(first), group) for group, names in GROUPS.items() for first in names
         if name == first or name.startswith(first) and not name[len(first)].isalnum()),
        default=(0, ""),
    )  # fmt: skip
    if best[1]:
        return best[1]
    return "operation" if _OPERATION.match(name) else "work"


def short(name: str) -> str:
    """Return a name that fits a tile: of many instructions, the first and the number of others."""
    bare = name.removeprefix("instruction.")
    if "/" not in bare:
        return name
    first, *more = bare.split("/")
    return f"{first} or {len(more)} more"


def tiles(
    before: Mapping[str, int] | None,
    after: Mapping[str, int],
    live: Collection[str] | None = None,
) -> list[Tile]:
    """Return the fields after a layer, sorted by group; those that differ from `before` are new.

    `live` are the names of the lanes with a path to the next token; all are if it is None.
    """
    old, order = fields(before or {}), [*GROUPS, "operation", "work"]
    used = fields({lane: 1 for lane in after if live is None or lane in live})
    after_layer = [
        Tile(group_of(name), short(name), value, old.get(name) != value, name in used)
        for name, value in fields(after).items()
    ]
    return sorted(after_layer, key=lambda tile: order.index(tile.group))
