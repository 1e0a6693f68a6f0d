"""Words: numbers given as bytes and as bits, both least significant first."""

from collections.abc import Callable, Iterable, Sequence

from transputer.circuit.form import Form
from transputer.circuit.graph import GraphPart
from transputer.values import dataclass


@dataclass(frozen=True, slots=True)
class Word:
    """A number of `len(bytes)` bytes; bit i of the number is `bits[i]`."""

    bytes: tuple[Form, ...]
    bits: tuple[Form, ...]

    @staticmethod
    def of_parts(parts: Iterable[GraphPart]) -> "Word":
        """The word whose bytes are the values of these parts of 256 values."""
        digits = list(parts)
        bits = [part.bit(i) for part in digits for i in range(8)]
        return Word(tuple(part.number() for part in digits), tuple(bits))

    @staticmethod
    def of_bits(bits: Sequence[Form]) -> "Word":
        """The word with these bits, a multiple of 8 of them; its bytes are sums of bits."""
        groups = [bits[i : i + 8] for i in range(0, len(bits), 8)]
        return Word(tuple(weighted(group, 2) for group in groups), tuple(bits))

    def map(self, change: Callable[[Form], Form]) -> "Word":
        """The word with every form changed: `word.map(head.read)` is the word read elsewhere."""
        return Word(tuple(map(change, self.bytes)), tuple(map(change, self.bits)))

    def low(self, size: int) -> "Word":
        """The word of the lowest `size` bytes."""
        return Word(self.bytes[:size], self.bits[: 8 * size])

    def high(self, size: int) -> "Word":
        """The word of the highest `size` bytes."""
        return Word(self.bytes[-size:], self.bits[-8 * size :])

    def number(self) -> Form:
        """The unsigned number."""
        return weighted(self.bytes, 256)

    def signed(self) -> Form:
        """The number in two's complement: the top bit counts negative."""
        return self.number() - (1 << len(self.bits)) * self.bits[-1]


def weighted(digits: Sequence[Form], base: int) -> Form:
    """The number with these digits, least significant first."""
    return sum((base**i * digit for i, digit in enumerate(digits)), Form())
