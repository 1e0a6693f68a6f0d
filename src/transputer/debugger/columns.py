"""What is in which column of the loom machine's state, in words."""

from dataclasses import dataclass
from functools import cached_property

from transputer.ir.loom import LoomConfig, LoomInstr, LoomProgram
from transputer.isa.integers import signed


@dataclass(frozen=True)
class Columns:
    """The columns of a configuration with a program in it."""

    program: LoomProgram
    config: LoomConfig

    def kind(self, column: int) -> str:
        """What a column is: `work`, `scratch`, `slot` or `code`."""
        if column == 0:
            return "work"
        if column < self.config.scratch:
            return "scratch"
        return "slot" if column < self.config.scratch + self.config.memory else "code"

    def slot(self, column: int) -> int:
        """The slot that a memory column holds."""
        return column - self.config.scratch

    def of_slot(self, slot: int) -> int:
        """The column of a slot."""
        return slot + self.config.scratch

    def of_place(self, pc: int) -> int:
        """The column of a place in the code."""
        return pc + self.config.scratch + self.config.memory

    def instruction(self, column: int) -> LoomInstr | None:
        """The instruction in a column of the code; none where it is empty."""
        place = column - self.config.scratch - self.config.memory
        return self.program.code[place] if 0 <= place < len(self.program.code) else None

    @cached_property
    def names(self) -> dict[int, str]:
        """Names of slots; of a slot that several share, all of them."""
        found: dict[int, list[str]] = {}
        for symbol in self.program.symbols:
            for i in range(symbol.count):
                name = symbol.name if symbol.count == 1 else f"{symbol.name}[{i}]"
                found.setdefault(symbol.slot + i, []).append(name)
        return {slot: " or ".join(names) for slot, names in found.items()}

    def name(self, column: int) -> str:
        """A column, for people: its slot by name, its place in the code, or what it is for."""
        kind = self.kind(column)
        if kind == "slot":
            slot = self.slot(column)
            return self.names.get(slot, f"slot {slot}")
        if kind == "code":
            return f"place {column - self.config.scratch - self.config.memory}"
        return "column 0" if kind == "work" else f"scratch {column}"

    def says(self, column: int, memory: list[int]) -> str:
        """What a column holds: a word by its slot's name, or an instruction."""
        kind = self.kind(column)
        if kind == "slot":
            return f"{self.name(column)} = {self.signed(memory[self.slot(column)])}"
        if kind == "code":
            return str(self.instruction(column) or "nothing")
        return "nothing" if kind == "scratch" else ""

    def signed(self, word: int) -> int:
        """A word as a signed number."""
        return signed(self.config.bits, word)

    def written(self, pc: int) -> str:
        """An instruction with the names of its slots."""
        one = self.program.code[pc]
        operands = {"a": one.a, "b": one.b, "c": one.c}
        shown = [
            f"@{one.c}" if kind == "pc" else self.name(self.of_slot(operands[kind]))
            for kind in one.op.imm
        ]
        return f"{one.op.name} {', '.join(shown)}".rstrip()
