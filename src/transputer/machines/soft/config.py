"""How large a soft machine is."""

from transputer.errors import UsageError
from transputer.ir.soft import NUMBER
from transputer.isa.soft import NAMES, SOFT
from transputer.values import dataclass

#: Bits that a word may have.
WIDTHS = (8, 16, 32, 64)


@dataclass(frozen=True, slots=True)
class Config:
    """Sizes of a machine, and the operations that its programs may use.

    `length` is the number of instructions; `memory`, `inputs` and `outputs` count words.
    """

    width: int = 32
    registers: int = 16
    length: int = 16
    memory: int = 256
    inputs: int = 16
    outputs: int = 16
    ops: tuple[str, ...] = NAMES

    def __post_init__(self) -> None:
        require_width(self.width)
        for name in ("memory",):
            size = getattr(self, name)
            if size < 1 or size & (size - 1):
                raise UsageError(f"{name} must be a power of two, not {size}")
        if min(self.registers, self.length, self.inputs, self.outputs) < 1:
            raise UsageError("registers, length, inputs and outputs must be at least 1")
        if self.length >= 1 << self.width:
            raise UsageError(f"{self.length} places do not fit in {self.width} bits")
        unknown = [name for name in self.ops if name not in SOFT]
        if unknown or not self.ops:
            raise UsageError(f"no such operation: {', '.join(unknown) or 'none given'}")

    @property
    def parameters(self) -> int:
        """Numbers that describe one instruction; 116 at full size."""
        return len(SOFT) + 3 * self.registers + self.number

    @property
    def number(self) -> int:
        """Bits of an instruction's number; in wider words it is sign-extended."""
        return min(self.width, NUMBER)


def require_width(width: int) -> None:
    """`UsageError` unless words may have this many bits."""
    if width not in WIDTHS:
        *most, last = map(str, WIDTHS)
        raise UsageError(f"a word has {', '.join(most)} or {last} bits, not {width}")
