"""A lowered module with the source of each of its instructions.

Each lowering from module to module carries the origins along, so that flat core code can name the
source instruction and count exactly the instructions that the source program executes.
"""

from dataclasses import dataclass

from transputer.errors import Trap
from transputer.ir.module import ExternKind, Module


@dataclass(frozen=True, slots=True)
class Origin:
    """Source of the body of a function.

    `function` is its index in the source program, or None for a routine, whose instructions never
    count. `places` has the source address of each instruction, and `counted` whether it is the
    one step that counts for that source; both are None for a body as written. `trap` is the trap
    that `unreachable` stands for.
    """

    function: int | None
    places: tuple[int, ...] | None = None
    counted: tuple[bool, ...] | None = None
    trap: Trap = Trap.UNREACHABLE

    def place(self, pc: int) -> tuple[int, int] | None:
        """Return (function, instruction) in the source program, or None in a routine."""
        if self.function is None:
            return None
        return self.function, pc if self.places is None else self.places[pc]

    def implied(self, pc: int) -> bool:
        """Whether the instruction at `pc` does not count as one of the source program."""
        if self.function is None:
            return True
        return self.counted is not None and not self.counted[pc]


@dataclass(frozen=True, slots=True)
class Lowered:
    """A module with the origin of each function that it defines."""

    module: Module
    origins: tuple[Origin, ...]


def as_written(module: Module) -> Lowered:
    """Wrap a module that has not been lowered."""
    first = len(module.imported(ExternKind.FUNC))
    return Lowered(module, tuple(Origin(first + i) for i in range(len(module.functions))))
