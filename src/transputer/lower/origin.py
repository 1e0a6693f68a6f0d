"""A lowered module with the source of each of its instructions.

Each lowering from module to module carries the origins along, so that flat core code can name the
source instruction and count exactly the instructions that the source program executes.
"""

from dataclasses import dataclass

from transputer.ir.module import ExternKind, Module


@dataclass(frozen=True, slots=True)
class Origin:
    """Source of the body of a function.

    `function` is its index in the source program, or None for a routine, whose instructions never
    count.
    """

    function: int | None

    def place(self, pc: int) -> tuple[int, int] | None:
        """Return (function, instruction) in the source program, or None in a routine."""
        return None if self.function is None else (self.function, pc)

    @property
    def implied(self) -> bool:
        """Whether its instructions do not count as those of the source program."""
        return self.function is None


@dataclass(frozen=True, slots=True)
class Lowered:
    """A module with the origin of each function that it defines."""

    module: Module
    origins: tuple[Origin, ...]


def as_written(module: Module) -> Lowered:
    """Wrap a module that has not been lowered."""
    first = len(module.imported(ExternKind.FUNC))
    return Lowered(module, tuple(Origin(first + i) for i in range(len(module.functions))))
