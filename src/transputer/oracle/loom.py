"""The interpreter of loom code: the loom machine without weights, to check the weights.

Every instruction becomes a closure once; a run is then `pc = step[pc]()`. The host may read and
write the memory, a list, between steps.
"""

import hashlib
from collections.abc import Callable, Iterator

from transputer.errors import StepLimitError, Trap, TrapError
from transputer.ir.loom import OUTPUT, LoomConfig, LoomInstr, LoomProgram, words
from transputer.isa.integers import mask, sub
from transputer.isa.loom import LOOM, NOT_FOUND, not_greater
from transputer.isa.op import Pure, Registry
from transputer.values import dataclass

#: The program counter of a halted machine.
HALTED = -1
#: Bits of a word that are output.
_BYTE = 0xFF

Step = Callable[[], int]
Maker = Callable[["Loom", LoomInstr, int], Step]
MAKERS: Registry[Maker] = Registry(LOOM)


@dataclass(frozen=True, slots=True)
class LoomRecord:
    """One step: its instruction, the changed slots with their new words, the output, the trap."""

    pc: int
    changes: tuple[tuple[int, int], ...] = ()
    output: int | None = None
    trap: Trap | None = None

    def __str__(self) -> str:
        changed = ",".join(f"{slot}={word}" for slot, word in self.changes)
        trap = self.trap.value if self.trap else "-"
        return f"{self.pc}|{changed}|{'-' if self.output is None else self.output}|{trap}"


def digest(records: Iterator[LoomRecord]) -> str:
    """SHA-256 of step records; equal for engines that make the same steps."""
    sha256 = hashlib.sha256()
    for record in records:
        sha256.update(f"{record}\n".encode())
    return sha256.hexdigest()


class Loom:
    """One run of a program; `memory`, `pc`, `output` and `trap` are its state."""

    def __init__(self, program: LoomProgram, config: LoomConfig) -> None:
        program.check(config)
        self.bits = config.bits
        self.memory = words(program, config)
        self.output = bytearray()
        self.pc = 0
        self.trap: Trap | None = None
        self.steps = 0
        makers = [MAKERS.rules[one.op.name] for one in program.code]
        code = zip(makers, program.code, strict=True)
        self._code = [make(self, one, at) for at, (make, one) in enumerate(code)]
        self._code += [_invalid] * (config.slots - len(self._code))

    @property
    def halted(self) -> bool:
        """Whether the program has ended or trapped."""
        return self.pc == HALTED

    def run(self, limit: int) -> None:
        """Run until the program ends; `StepLimitError` after `limit` steps."""
        code, pc, steps = self._code, self.pc, 0
        try:
            while pc != HALTED and steps < limit:
                steps += 1
                pc = code[pc]()
        except TrapError as error:
            self.trap, pc = error.trap, HALTED
        self.pc, self.steps = pc, self.steps + steps
        if pc != HALTED:
            raise StepLimitError(limit)

    def records(self, limit: int) -> Iterator[LoomRecord]:
        """Yield a record per step; `StepLimitError` after `limit` steps."""
        for _ in range(limit):
            if self.halted:
                return
            yield self.step()
        if not self.halted:
            raise StepLimitError(limit)

    def step(self) -> LoomRecord:
        """Execute one step."""
        at, before, put = self.pc, list(self.memory), len(self.output)
        try:
            self.pc = self._code[at]()
        except TrapError as error:
            self.trap, self.pc = error.trap, HALTED
        self.steps += 1
        pairs = enumerate(zip(before, self.memory, strict=True))
        changes = tuple((slot, new) for slot, (old, new) in pairs if old != new)
        return LoomRecord(
            at, changes, self.output[-1] if len(self.output) > put else None, self.trap
        )

    def write(self, slot: int, word: int) -> None:
        """Write a word to a slot; a write to the output slot is also output."""
        self.memory[slot] = word
        if slot == OUTPUT:
            self.output.append(word & _BYTE)

    def pointed(self, word: int) -> int:
        """The slot that a word points to; traps if there is none."""
        if word >= len(self.memory):
            raise TrapError(Trap.MEMORY_OUT_OF_BOUNDS, f"pointer {word}")
        return word


def _invalid() -> int:
    raise TrapError(Trap.INVALID_INSTRUCTION)


@MAKERS.on("HALT")
def _halt(loom: Loom, one: LoomInstr, at: int) -> Step:
    return lambda: HALTED


@MAKERS.on("JMP")
def _jump(loom: Loom, one: LoomInstr, at: int) -> Step:
    return lambda: one.c


@MAKERS.on("JZ", "JNZ", "CMP")
def _jump_if(loom: Loom, one: LoomInstr, at: int) -> Step:
    memory, taken, n, b, c = loom.memory, one.op.pure, loom.bits, one.b, one.c
    return lambda: c if taken(n, memory[b]) else at + 1


@MAKERS.on("INC", "DEC")
def _in_place(loom: Loom, one: LoomInstr, at: int) -> Step:
    memory, fn, n, b = loom.memory, one.op.pure, loom.bits, one.b
    return _writing(loom, b, at, lambda: fn(n, memory[b]))


@MAKERS.on("MOV", "ADD", "SUB", "SHL", "SHR", "AND", "OR", "XOR", "CMOV", "MULACC")
def _both(loom: Loom, one: LoomInstr, at: int) -> Step:
    memory, fn, n, b, c = loom.memory, one.op.pure, loom.bits, one.b, one.c
    return _writing(loom, b, at, lambda: fn(n, memory[b], memory[c]))


def _writing(loom: Loom, slot: int, at: int, value: Step) -> Step:
    memory, after = loom.memory, at + 1

    def plain() -> int:
        memory[slot] = value()
        return after

    def shown() -> int:
        loom.write(slot, value())
        return after

    return shown if slot == OUTPUT else plain


@MAKERS.on("LOAD")
def _load(loom: Loom, one: LoomInstr, at: int) -> Step:
    memory, c = loom.memory, one.c
    return _writing(loom, one.b, at, lambda: memory[loom.pointed(memory[c])])


@MAKERS.on("STORE")
def _store(loom: Loom, one: LoomInstr, at: int) -> Step:
    memory = loom.memory

    def store() -> int:
        loom.write(loom.pointed(memory[one.c]), memory[one.b])
        return at + 1

    return store


@MAKERS.on("FIND")
def _find(loom: Loom, one: LoomInstr, at: int) -> Step:
    memory, nothing = loom.memory, NOT_FOUND & mask(loom.bits)

    def first() -> int:
        try:
            return memory.index(memory[one.c], memory[one.b])
        except ValueError:
            return nothing

    return _writing(loom, one.b, at, first)


@MAKERS.on("SWAP")
def _swap(loom: Loom, one: LoomInstr, at: int) -> Step:
    memory = loom.memory

    def swap() -> int:
        b, c = memory[one.b], memory[one.c]
        loom.write(one.b, c)
        loom.write(one.c, b)
        return at + 1

    return swap


@MAKERS.on("SUBLEQ")
def _subleq(loom: Loom, one: LoomInstr, at: int) -> Step:
    memory, n = loom.memory, loom.bits
    taken: Pure = not_greater

    def subleq() -> int:
        b, a = memory[one.b], memory[one.a]
        loom.write(one.b, sub(n, b, a))
        return one.c if taken(n, b, a) else at + 1

    return subleq
