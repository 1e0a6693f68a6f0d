"""Scenes: prompts that no small program needs but a large one would.

A host may append any token. Scenes put code, frames, slots, tables and memory words at far
addresses, set the state before one instruction, run it, and set up the next one in the same
session. This exercises high digits, carries and limits in a few hundred tokens.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from transputer.ir.core import CoreInstr
from transputer.isa.integers import mask
from transputer.isa.op import LETTERS, Op
from transputer.machines.trace.prompt import Places, encode
from transputer.machines.trace.vocabulary import SLOTS, Record, Space

#: Bytes at which carries happen and signs change.
EDGES = (0, 1, 2, 0x7F, 0x80, 0xFE, 0xFF)
#: The largest slot limit that a token can hold.
MOST_SLOTS = 0xFFFF * SLOTS
#: More steps than any instruction takes.
LONGEST = 48
#: For code that refers to nothing.
NOWHERE = Places({}, {}, {}, [], [])


@dataclass(frozen=True, slots=True)
class Scene:
    """Tokens of the host; a number runs one instruction, in at most that many steps.

    The first `prelude` items are all that the instructions after them share, if it is not 0.
    """

    name: str
    items: tuple[Record | int, ...]
    prelude: int = 0

    def parts(self, most: int) -> "list[Scene]":
        """Split into scenes of about `most` items if the instructions share a prelude.

        The cost of attention grows with the square of a scene's length.
        """
        if not self.prelude:
            return [self]
        groups: list[list[Record | int]] = [[]]
        for item in self.items[self.prelude :]:
            groups[-1].append(item)
            if isinstance(item, int) and len(groups[-1]) >= most:
                groups.append([])
        shared = self.items[: self.prelude]
        return [
            Scene(f"{self.name}, {i}", (*shared, *group), self.prelude)
            for i, group in enumerate(filter(None, groups), 1)
        ]


@dataclass(frozen=True, slots=True)
class StageState:
    """The state of the machine before a step."""

    pc: int = 0x010203
    sp: int = 0x040506
    fp: int = 0x030405
    depth: int = 0x0708
    phase: int = 0


HERE = StageState()


class SceneBuilder:
    """Builds a scene, one instruction after another."""

    def __init__(self, seed: int = 0, frames: int = 1 << 16, slots: int = MOST_SLOTS) -> None:
        self.rng, self._coin = (np.random.default_rng(s) for s in (seed, (seed, 1)))
        self.items: list[Record | int] = [Record(space=Space.SENTINEL)]
        self.limits(frames, slots)

    def limits(self, frames: int, slots: int) -> None:
        """Set the limits of open calls and of slots."""
        self.write(Space.SIZE, 0, frames - 1 | slots // SLOTS << 16)

    def write(self, space: int, at: int, value: int, **parts: int) -> None:
        """Write a value to an address of a space."""
        self.items.append(Record(space=space, at=at, value=value, **parts))

    def code(self, pc: int, *code: CoreInstr, places: Places = NOWHERE) -> None:
        """Place instructions from `pc` on."""
        self.items += encode(code, pc, places)

    def go(
        self, here: StageState, /, operands: Sequence[int] = (), steps: int = LONGEST, **work: int
    ) -> None:
        """Run the instruction at the state's pc on these operands, the top one last.

        `work` are fields of the token before, where the instruction continues. Otherwise that token
        writes the top operand in half of the cases, as the instruction before would, and in half
        of the others it has words that say nothing, because it writes nowhere.
        """
        written = list(enumerate(operands, here.sp - len(operands)))
        if written and self._coin.integers(2):
            top, value = written.pop()
            work |= {"space": Space.SLOT, "at": top, "value": value}
        elif not work and self._coin.integers(2):
            work = {"space": Space.WORK, "at": mask(32), "value": mask(64), "work": mask(32)}
        for i, value in written:
            self.write(Space.SLOT, i, value)
        state = Record(
            pc=here.pc, sp=here.sp, fp=here.fp, depth=here.depth, phase=here.phase, **work
        )
        self.items += [state, steps]

    def scene(self, name: str) -> Scene:
        """Return the scene."""
        return Scene(name, tuple(self.items))

    # Random numbers

    def below(self, limit: int) -> int:
        """Return a random number below a limit."""
        return int(self.rng.integers(limit))

    def number(self, size: int, below: int = 1 << 64) -> int:
        """Return a random number of at most `size` bytes, most of them edges."""
        number = int.from_bytes(bytes(self._byte() for _ in range(size)), "little")
        return number if number < below else self.number(max(1, size - self.below(2)), below)

    def numbers(self, count: int) -> list[int]:
        """Return `count` random values of 64 bits."""
        return [self.number(8) for _ in range(count)]

    def operands(self, row: Op) -> list[int]:
        """Return random operands of an instruction; those without a type have 64 bits."""
        letters = row.sig.partition(":")[0]
        return [self.number(LETTERS[c].bits // 8 if c in LETTERS else 8) for c in letters]

    def state(self, operands: int) -> StageState:
        """Return a random state with room for `operands` operands above the frame."""
        fp = self.number(3, MOST_SLOTS // 2)
        sp = fp + operands + self.number(3, MOST_SLOTS // 4)
        return StageState(self.number(3), sp, fp, self.number(2, (1 << 16) - 1))

    def _byte(self) -> int:
        choice = self.below(len(EDGES) + 3)
        return EDGES[choice] if choice < len(EDGES) else self.below(256)
