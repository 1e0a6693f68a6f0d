"""The tokens of the trace machine: what a step says, in parts of one byte.

Every token has the same parts, whether the host appends it or the machine decodes it:

* `pc`, `sp`, `fp`, `depth`, `phase`: the state after the token; the next step starts here.
* `space`, `at`, `value`: what the token writes: `value` at address `at` of a space. Heads read
  the latest write of an address. Space 0 is no write.
* `work`, `digit`: what an instruction of several steps remembers besides `at` and `value`.
  `digit` is the digit of a quotient or a root, chosen by its logits alone.
* `status`: 0 while the program runs; otherwise why it stopped.
* `op`: the instruction, in tokens of space CODE. Their other parts hold its immediates.
"""

from collections.abc import Iterator, Sequence
from dataclasses import fields
from enum import IntEnum
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transputer.errors import CapacityError, Trap
from transputer.isa.core import CAUSES
from transputer.values import dataclass

#: The fields of a token and how many bytes each has, least significant first.
LAYOUT = (
    ("pc", 3),
    ("sp", 3),
    ("fp", 3),
    ("depth", 2),
    ("phase", 1),
    ("space", 1),
    ("at", 4),
    ("value", 8),
    ("work", 4),
    ("digit", 1),
    ("status", 1),
    ("op", 1),
)
BYTE = 256
_BEFORE = sum(count for _, count in LAYOUT[: [name for name, _ in LAYOUT].index("at")])
#: The parts of a token that say an address.
AT = slice(_BEFORE, _BEFORE + dict(LAYOUT)["at"])
#: Bytes of a word of memory.
WORD = 8
#: The stack limits token counts slots in units of this.
SLOTS = 64


class Space(IntEnum):
    """What an address means. Memories and tables get numbers of their own from FIRST on."""

    NONE = 0
    SLOT = 1  # operands and locals
    GLOBAL = 2
    CODE = 3  # instructions, by pc; only the host writes these
    FUNC = 4  # what an indirect call has to know, by reference
    FRAME = 5  # open calls, by depth
    SIZE = 6  # pages of a memory, elements of a table; address 0: the stack limits
    OUTPUT = 7  # a byte for the outside
    WORK = 8  # no write: an instruction of several steps keeps numbers in `at`, `value`, `work`
    SENTINEL = 9  # the first token: what is read where nothing was written
    VARIABLE = 10  # locals of the assembly
    FIRST = 16


class Status(IntEnum):
    """Why a program does not go on. Traps follow from TRAPS on, in the order of `Trap`."""

    RUN = 0
    DONE = 1  # the invoked function returned
    EXIT = 2  # `value` is the exit code
    INPUT = 3  # waits for the host to append an input byte
    HOST = 4  # waits for the host to do function number `value`
    TRAPS = 8


TRAPS = CAUSES
#: Values of `status` and `phase`; the other parts are whole bytes.
SIZES = {"status": 32, "phase": 128}


def trap_status(trap: Trap) -> int:
    """The status that says this trap."""
    return Status.TRAPS + TRAPS.index(trap)


@dataclass(frozen=True, slots=True)
class Record:
    """One token with its fields as numbers."""

    pc: int = 0
    sp: int = 0
    fp: int = 0
    depth: int = 0
    phase: int = 0
    space: int = 0
    at: int = 0
    value: int = 0
    work: int = 0
    digit: int = 0
    status: int = 0
    op: int = 0

    def token(self) -> tuple[int, ...]:
        """The token; `CapacityError` if a number is too large for its field."""
        return tuple(self._bytes())

    def _bytes(self) -> Iterator[int]:
        for name, count in LAYOUT:
            number = getattr(self, name)
            if not 0 <= number < SIZES.get(name, BYTE**count):
                raise CapacityError(f"{name} {number:,} does not fit {count} bytes of a token")
            yield from number.to_bytes(count, "little")

    @property
    def trap(self) -> Trap | None:
        """The trap that it says, if any."""
        return TRAPS[self.status - Status.TRAPS] if self.status >= Status.TRAPS else None


def record(token: tuple[int, ...]) -> Record:
    """The record of a token."""
    numbers, at = [], 0
    for _, count in LAYOUT:
        numbers.append(int.from_bytes(bytes(token[at : at + count]), "little"))
        at += count
    return Record(*numbers)


_NUMBERS = attrgetter(*(name for name, _ in LAYOUT))
_LIMITS = tuple(SIZES.get(name, BYTE**count) for name, count in LAYOUT)


def token_rows(items: Sequence[Record]) -> NDArray[np.uint8]:
    """The tokens of many records, one row each; raises as `Record.token` does."""
    for item in items:
        if not all(0 <= n < limit for n, limit in zip(_NUMBERS(item), _LIMITS, strict=True)):
            item.token()
    numbers = np.array([_NUMBERS(item) for item in items], dtype=np.uint64)
    columns = numbers.reshape(-1, len(LAYOUT)).T.astype("<u8")
    parts = [
        column.copy().view(np.uint8).reshape(-1, 8)[:, :count]
        for column, (_, count) in zip(columns, LAYOUT, strict=True)
    ]
    return np.concatenate(parts, axis=1)


def written_rows(space: int, at: NDArray[Any], values: NDArray[Any]) -> NDArray[np.uint8]:
    """Tokens that each write a value at an address of a space, and do nothing else."""
    rows = np.zeros((len(at), sum(count for _, count in LAYOUT)), dtype=np.uint8)
    place = 0
    for name, count in LAYOUT:
        numbers = {"space": space, "at": at, "value": values}.get(name, 0)
        column = np.broadcast_to(np.asarray(numbers, dtype="<u8"), (len(at),)).copy()
        rows[:, place : place + count] = column.view(np.uint8).reshape(-1, 8)[:, :count]
        place += count
    return rows


assert [name for name, _ in LAYOUT] == [f.name for f in fields(Record)]
