"""A valid module, as the verifier hands it on."""

from dataclasses import field

from transputer.ir.module import Module
from transputer.values import dataclass


@dataclass(frozen=True, slots=True)
class FrameLayout:
    """Slots and operand heights of one function, as validation derives them.

    `heights[i]` is the number of operands before instruction i, or -1 if the instruction is
    unreachable; `operands` is the largest height.
    """

    params: int
    locals: int  # parameters included
    operands: int
    heights: tuple[int, ...]

    @property
    def size(self) -> int:
        """Slots of the frame: locals and operands."""
        return self.locals + self.operands


@dataclass(frozen=True, slots=True)
class Verified:
    """A valid module and the frame layouts of its defined functions.

    `digest` is the SHA-256 of the binary that the module was read from, if it was.
    """

    module: Module
    frames: tuple[FrameLayout, ...]
    digest: str = field(default="", compare=False)
