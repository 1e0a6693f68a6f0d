"""Names and contents of the columns of the loom machine's state, as text."""

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
        """Return the kind of a column: `work`, `scratch`, `slot` or `code`."""
        if column == 0:
            return "work"
        if column < self.config.scratch:
            return "scratch"
        return "slot" if column < self.config.scratch + self.config.memory else "code"

    def slot(self, column: int) -> int:
        """Return the slot that a memory column holds."""
        return column - self.config.scratch

    def of_slot(self, slot: int) -> int:
        """Return the column of a slot."""
        return slot + self.config.scratch

    def of_place(self, pc: int) -> int:
        """Return the column of the instruction at `pc`."""
        return pc + self.config.scratch + self.config.memory

    def instruction(self, column: int) -> LoomInstr | None:
        """Return the instruction in a column of the code; None if the column is empty."""
        place = column - self.config.scratch - self.config.memory
        return self.program.code[place] if 0 <= place < len(self.program.code) else None

    @cached_property
    def names(self) -> dict[int, str]:
        """The names of each slot; variables that share a slot are joined with "or"."""
        shared: dict[int, list[str]] = {}
        for symbol in self.program.symbols:
            for i in range(symbol.count):
                name = symbol.name if symbol.count == 1 else f"{symbol.name}[{i}]"
                shared.setdefault(symbol.slot + i, []).append(name)
        return {slot: " or ".join(names) for slot, names in shared.items()}

    def name(self, column: int) -> str:
        """Return a name for a column: its slot's name, its place in the code, or its purpose."""
        kind = self.kind(column)
        if kind == "slot":
            slot = self.slot(column)
            return self.names.get(slot, f"slot {slot}")
        if kind == "code":
            return f"place {column - self.config.scratch - self.config.memory}"
        return "column 0" if kind == "work" else f"scratch {column}"

    def says(self, column: int, memory: list[int]) -> str:
        """Return a column's content as text: a word with its slot's name, or an instruction."""
        kind = self.kind(column)
        if kind == "slot":
            return f"{self.name(column)} = {self.signed(memory[self.slot(column)])}"
        if kind == "code":
            return str(self.instruction(column) or "nothing")
        return "nothing" if kind == "scratch" else ""

    def signed(self, word: int) -> int:
        """Return a word as a signed number."""
        return signed(self.config.bits, word)

    def text(self, pc: int) -> str:
        """Return the instruction at `pc` with the names of its slots."""
        instr = self.program.code[pc]
        operands = {"a": instr.a, "b": instr.b, "c": instr.c}
        names = [
            f"@{instr.c}" if kind == "pc" else self.name(self.of_slot(operands[kind]))
            for kind in instr.op.imm
        ]
        return f"{instr.op.name} {', '.join(names)}".rstrip()
