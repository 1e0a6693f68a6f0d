"""A lowered module and what each of its instructions comes from.

Lowerings from module to module keep this beside the module, so that flat core code can name the
instruction as written, and count exactly the instructions that the program as written executes.
"""

from dataclasses import dataclass

from transputer.errors import Trap
from transputer.ir.module import ExternKind, Module


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the body of a function comes from.

    `function` is its index in the program as written; None makes it a routine, of which nothing
    counts as executed. `places` gives the source of each instruction, and `counted` whether it
    stands for the one step in which that source is counted; both are None for a body that is as
    written. `trap` is what `unreachable` means in a routine.
    """

    function: int | None
    places: tuple[int, ...] | None = None
    counted: tuple[bool, ...] | None = None
    trap: Trap = Trap.UNREACHABLE

    def place(self, pc: int) -> tuple[int, int] | None:
        """Function and instruction as written, or None in a routine."""
        if self.function is None:
            return None
        return self.function, pc if self.places is None else self.places[pc]

    def implied(self, pc: int) -> bool:
        """Whether the program as written has no such instruction."""
        if self.function is None:
            return True
        return self.counted is not None and not self.counted[pc]


@dataclass(frozen=True, slots=True)
class Lowered:
    """A module with the origin of each function that it defines."""

    module: Module
    origins: tuple[Origin, ...]


def as_written(module: Module) -> Lowered:
    """A module that nothing has been done to."""
    first = len(module.imported(ExternKind.FUNC))
    return Lowered(module, tuple(Origin(first + i) for i in range(len(module.functions))))
