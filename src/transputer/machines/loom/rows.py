"""The rows of the loom machine's state, and those beyond the published machine."""

from transputer.circuit.looped import Loop, StateRow
from transputer.ir.loom import LoomConfig
from transputer.values import dataclass

Word = tuple[StateRow, ...]  # bits, least significant first
Ends = tuple[int, int]  # least and greatest
#: A bit or none, nothing, and the bits of column 0's own command: HALT, read where no other is.
BIT, EMPTY, HALT = (-1, 1), (0, 0), (-1, -1)


@dataclass(frozen=True, slots=True)
class LoomRows:
    """Every row of the state by its content.

    Column 0 does the work; instruction columns hold commands, memory columns a word, all columns
    but column 0 their position. The rows from `subtrahend` on, and `find` to `flag`, are empty
    between steps.
    """

    command_a: Word
    command_b: Word
    command_c: Word
    memory: Word
    subtrahend: Word
    minuend: Word
    a: Word
    b: Word
    c: Word
    pc: Word
    position: Word
    second: Word  # the word of the second write
    left: Word  # the word of b; then the word that a pointer points to
    right: Word  # the word of c, which is the pointer
    needle: Word  # what FIND searches for
    target: Word  # where a pointer points
    tag: Word  # the slot of a memory column
    indicator: StateRow  # 1 in column 0
    one: StateRow  # 1 in every column
    slot: StateRow  # 1 in memory columns
    order: StateRow  # 1 and the slot in memory columns: earlier ones are found first
    find: StateRow  # 1 in column 0 of a step that searches
    reach: StateRow  # where FIND starts; then 1 in columns that are not before it
    flag: StateRow  # 1 where a step writes nothing; then 1 where it jumps
    output: StateRow  # how often the step wrote the output slot
    invalid: StateRow  # 1 after a trap: no such operation
    outside: StateRow  # 1 after a trap: no such slot


#: Rows beyond the published ones, by purpose.
ADDED = {
    "constant": ("one",),
    "FIND from a start, first match": ("slot", "order", "find", "reach"),
    "branch and write flag": ("flag",),
    "output": ("output",),
    "traps": ("invalid", "outside"),
}


def rows(loop: Loop, config: LoomConfig) -> LoomRows:
    """All rows, in the published order, the added ones last."""
    n, address = config.bits, config.address

    def word(name: str, size: int, first: Ends = EMPTY, others: Ends = EMPTY) -> Word:
        bits = [loop.row(f"{name}.{i}", first, others) for i in reversed(range(size))]
        return tuple(reversed(bits))

    return LoomRows(
        command_a=word("command_a", address, HALT, BIT),
        command_b=word("command_b", address, HALT, BIT),
        command_c=word("command_c", address, HALT, BIT),
        memory=word("memory", n, BIT, BIT),
        subtrahend=word("subtrahend", n),
        minuend=word("minuend", n),
        a=word("a", address),
        b=word("b", address),
        c=word("c", address),
        pc=word("pc", address, BIT),
        position=word("position", address, EMPTY, BIT),
        second=word("second", n),
        left=word("left", n),
        right=word("right", n),
        needle=word("needle", n),
        target=word("target", address),
        tag=word("tag", n, EMPTY, BIT),
        indicator=loop.row("indicator", first=(1, 1)),
        one=loop.one,
        slot=loop.row("slot", others=(0, 1)),
        order=loop.row("order", others=(0, config.memory)),
        find=loop.row("find"),
        reach=loop.row("reach"),
        flag=loop.row("flag"),
        output=loop.row("output", first=(0, 2)),
        invalid=loop.row("invalid", first=(0, 1)),
        outside=loop.row("outside", first=(0, 1)),
    )


def described(config: LoomConfig) -> list[dict[str, object]]:
    """Groups of rows with their counts, for the model card; `added` ones are not in the paper."""
    n, address = config.bits, config.address
    published = {
        "commands": 3 * address,
        "memory": n,
        "scratchpad": 2 * n + 3 * address,
        "program counter": address,
        "position": address,
        "buffer": 4 * n + address,
        "tag": n,
        "indicator": 1,
    }
    groups: list[dict[str, object]] = [
        {"group": name, "rows": count, "added": False} for name, count in published.items()
    ]
    return groups + [
        {"group": name, "rows": len(names), "added": True} for name, names in ADDED.items()
    ]
