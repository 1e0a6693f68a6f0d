"""Assign slots and build the program."""

from transputer.frontends.smallc.loom.code import OUTPUT, Cell, CodePart, Operand
from transputer.frontends.smallc.loom.layout import PlacedInstr, layout
from transputer.frontends.smallc.passes.flatten import STACK
from transputer.frontends.smallc.tac import Addr, MemoryObject, Reg, TacUnit
from transputer.ir.loom import STACK_POINTER, LoomInstr, LoomProgram, Symbol
from transputer.isa.integers import mask
from transputer.isa.loom import LOOM


class SlotLayout:
    """Slots of the output, globals, objects, constants, registers and the stack."""

    def __init__(self, unit: TacUnit, stack: MemoryObject | None, start: int) -> None:
        self.unit, self.stack = unit, stack
        self.words: list[int | Addr] = [0]
        self.bases: dict[MemoryObject, int] = {OUTPUT.object: 0}
        if stack:
            self.bases[stack] = start
        self.slots: dict[Reg, int] = {}
        self.constants: dict[int | Addr, int] = {}
        self.symbols: list[Symbol] = []

    def place_globals(self, objects: list[MemoryObject]) -> None:
        """Assign slots to globals and objects; the stack comes last."""
        for reg in self.unit.globals:
            self.slots[reg] = len(self.words)
            self.words.append(reg.initial)
            if reg.visible:
                self.symbols.append(Symbol(self._name(reg), self.slots[reg]))
        for one in objects:
            self.bases[one] = len(self.words)
            self.words += [*one.initial, *[0] * (one.size - len(one.initial))]
            name = f"{one.scope}.{one.name}" if one.scope else one.name
            self.symbols.append(Symbol(name, self.bases[one], one.size))

    def _name(self, reg: Reg) -> str:
        """The symbol of a global: main's value is `main` where the program has its own `result`."""
        if reg is not self.unit.result:
            return reg.name
        names = [one.name for one in self.unit.globals] + [one.name for one in self.unit.objects]
        return "main" if names.count(reg.name) > 1 else reg.name

    def value(self, constant: int | Addr) -> int:
        """The word of a constant, unsigned."""
        if isinstance(constant, Addr):
            constant = self.bases[constant.object] + constant.offset
        return constant & mask(self.unit.bits)

    def share_constants(self, objects: list[MemoryObject]) -> None:
        """Use words of constant objects as constants."""
        for one in objects:
            for offset, word in enumerate(one.initial if one.constant else ()):
                self.constants.setdefault(self.value(word), self.bases[one] + offset)

    def slot(self, operand: Operand) -> int:
        """The slot of an operand; a new one for a register or constant not yet seen."""
        if isinstance(operand, Reg):
            if operand not in self.slots:
                self.slots[operand] = len(self.words)
                self.words.append(operand.initial if not operand.scope else 0)
            return self.slots[operand]
        if isinstance(operand, Cell):
            return self.bases[operand.object] + operand.offset
        moving = isinstance(operand, Addr) and operand.object is self.stack
        key = operand if moving else self.value(operand)  # not shared while its value is not final
        if key not in self.constants:
            self.constants[key] = len(self.words)
            self.words.append(operand)
        return self.constants[key]


def emit(unit: TacUnit, parts: list[CodePart], homes: dict[Reg, Reg]) -> LoomProgram:
    """The program, its memory and its symbols."""
    placed, starts = layout(parts)
    used = _objects(unit, placed)
    stack = next((one for one in used if one.name == STACK), None)
    fixed = [one for one in used if one is not stack]
    start = 0
    for _ in range(2):  # the first round finds where the stack starts
        memory = SlotLayout(unit, stack, start)
        memory.place_globals(fixed)
        memory.share_constants(fixed)
        code = tuple(_instr(one, memory, starts) for one in placed)
        start = len(memory.words)
    if stack:
        memory.symbols.append(Symbol(STACK, start, stack.size))
        memory.words += [0] * stack.size
        memory.symbols += _stack_pointer(unit, stack, memory)
    words = tuple(memory.value(word) for word in memory.words)
    assert unit.result
    symbols = tuple(memory.symbols + _locals(homes, memory))
    return LoomProgram(code, words, symbols, unit.bits, memory.slots[unit.result])


def _stack_pointer(unit: TacUnit, stack: MemoryObject, memory: SlotLayout) -> list[Symbol]:
    for reg in unit.globals:
        if isinstance(reg.initial, Addr) and reg.initial.object is stack:
            return [Symbol(STACK_POINTER, memory.slots[reg])]
    return []


def _objects(unit: TacUnit, placed: list[PlacedInstr]) -> list[MemoryObject]:
    """Objects that the host may read, or that the code or another object refers to."""
    every = unit.objects + unit.functions["main"].objects
    named = {one for one in every if one.visible}
    for one in placed:
        for operand in (one.a, one.b, one.c):
            if isinstance(operand, Addr | Cell):
                named.add(operand.object)
    words: list[object] = [reg.initial for reg in unit.globals]
    named |= {word.object for word in words if isinstance(word, Addr)}
    while True:
        words = [word for one in named for word in one.initial]
        more = {word.object for word in words if isinstance(word, Addr)} - named
        if not more:
            return [one for one in every if one in named]
        named |= more


def _instr(one: PlacedInstr, memory: SlotLayout, starts: dict[CodePart, int]) -> LoomInstr:
    op = LOOM[one.name]
    fields = {}
    for kind in op.imm:
        if kind == "pc":
            assert one.to
            fields["c"] = starts[one.to]
        else:
            fields[kind] = memory.slot(getattr(one, kind))
    return LoomInstr(op, line=one.line, **fields)


def _locals(homes: dict[Reg, Reg], memory: SlotLayout) -> list[Symbol]:
    """Symbols of local variables, which may share their slots with others."""
    symbols: dict[str, Symbol] = {}
    for reg, home in homes.items():
        plain = reg.scope and reg.name.isidentifier()
        if plain and home in memory.slots and not reg.scope.startswith("__"):
            name = f"{reg.scope}.{reg.name}"
            symbols.setdefault(name, Symbol(name, memory.slots[home]))
    return sorted(symbols.values(), key=lambda s: (s.slot, s.name))
