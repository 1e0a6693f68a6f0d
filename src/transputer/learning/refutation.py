"""Inputs on which a program is wrong."""

from transputer.learning.specification import Words
from transputer.values import dataclass


@dataclass(frozen=True, slots=True)
class Refutation:
    """An input on which a program is wrong, and what is wrong with it there."""

    width: int
    registers: Words
    array: Words
    reason: str

    def __str__(self) -> str:
        registers = ", ".join(f"R{k} = {word}" for k, word in enumerate(self.registers))
        array = f" and the array {list(self.array)}" if self.array else ""
        return f"wrong at {self.width} bits for {registers}{array}: {self.reason}"
