"""A lowered module with the source of each of its instructions.

Each lowering from module to module carries the origins along, so that flat core code can name the
source instruction and count exactly the instructions that the source program executes.
"""

from transputer.ir.module import ExternKind, Module
from transputer.values import dataclass


@dataclass(frozen=True, slots=True)
class Origin:
    """Source of the body of a function.

    `function` is its index in the source program, or None for a routine, whose instructions never
    count. `sources` has the source of each instruction, where one became several; the first of
    them counts.
    """

    function: int | None
    sources: tuple[int, ...] = ()

    def place(self, pc: int) -> tuple[int, int] | None:
        """Return (function, instruction) in the source program, or None in a routine."""
        if self.function is None:
            return None
        return self.function, self.sources[pc] if self.sources else pc

    def rewritten(self, sources: tuple[int, ...]) -> "Origin":
        """Return the origin after a rewrite; `sources` are places in the body before it."""
        before = self.sources
        return Origin(self.function, tuple(before[i] for i in sources) if before else sources)

    @property
    def implied(self) -> bool:
        """Whether its instructions do not count as those of the source program."""
        return self.function is None

    def hides(self, pc: int) -> bool:
        """Return whether this instruction does not count as one of the source program."""
        repeated = bool(self.sources) and pc > 0 and self.sources[pc] == self.sources[pc - 1]
        return self.implied or repeated


@dataclass(frozen=True, slots=True)
class Lowered:
    """A module with the origin of each function that it defines."""

    module: Module
    origins: tuple[Origin, ...]


def as_written(module: Module) -> Lowered:
    """Wrap a module that has not been lowered."""
    first = len(module.imported(ExternKind.FUNC))
    return Lowered(module, tuple(Origin(first + i) for i in range(len(module.functions))))
