"""How large the devices are."""

from transputer.errors import UsageError
from transputer.values import dataclass


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes of all devices; the defaults are full size.

    `sectors` of `sector` words make a disk of which `resident` can hold something. An address
    has `table` bits of the first level, as many of the second, and `offset` bits.
    """

    ram: int = 65536
    lines: int = 256
    sectors: int = 16384
    sector: int = 1024
    resident: int = 256
    table: int = 10
    offset: int = 12
    entries: int = 16
    gpu: int = 65536
    side: int = 256
    height: int = 480
    width: int = 640
    ring: int = 64

    def __post_init__(self) -> None:
        for name in ("ram", "sectors", "sector", "gpu"):
            size = getattr(self, name)
            if size < 1 or size & (size - 1):
                raise UsageError(f"{name} must be a power of two, not {size}")
        if 2 * self.table + self.offset > 32:
            raise UsageError("an address has 32 bits; make table or offset smaller")
        if self.side * self.side > self.gpu:
            raise UsageError(f"a {self.side} by {self.side} matrix does not fit the GPU's memory")
