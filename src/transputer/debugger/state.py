"""What a run holds before a step: registers, stack, locals, calls, memory, output."""

from collections.abc import Mapping
from dataclasses import dataclass

from transputer.debugger.recording import Recording, Window
from transputer.ir.core import CoreFunction
from transputer.machines.trace.vocabulary import WORD, Record, Space


@dataclass(frozen=True, slots=True)
class Slot:
    """One word that the program holds, and the position of the token that wrote it."""

    index: int
    value: int
    written: int | None

    @property
    def signed(self) -> int:
        """The value in two's complement, of 32 bits where it fits them."""
        bits = 32 if self.value < 1 << 32 else 64
        return self.value - (self.value >> bits - 1 << bits)


@dataclass(frozen=True, slots=True)
class Call:
    """One open call: its function, where it is, and where its locals begin."""

    function: CoreFunction | None
    pc: int
    fp: int
    sp: int
    depth: int


class State:
    """The run after the token at `position`; `functions` are by their first place."""

    def __init__(
        self,
        recording: Recording,
        position: int,
        functions: Mapping[int, CoreFunction],
        memory: int | None,
    ) -> None:
        self.window: Window = recording.window(position)
        self.position = position
        self._functions = functions
        self._memory = memory
        now = self.window.token(position)
        assert now is not None, "a window holds its whole stretch"
        self.now: Record = now

    def function(self, pc: int) -> CoreFunction | None:
        """The function that a place belongs to."""
        starts = [entry for entry in self._functions if entry <= pc]
        return self._functions[max(starts)] if starts else None

    def slot(self, index: int, space: int = Space.SLOT) -> Slot:
        """One slot."""
        found = self.window.latest(space, index, self.position)
        return Slot(index, found[0].value, found[1]) if found else Slot(index, 0, None)

    def calls(self, most: int = 64) -> list[Call]:
        """Open calls, innermost first."""
        found = []
        pc, fp, sp = self.now.pc, self.now.fp, self.now.sp
        for depth in range(self.now.depth, -1, -1):
            found.append(Call(self.function(pc), pc, fp, sp, depth))
            opened = self.window.latest(Space.FRAME, depth, self.position)
            if opened is None or depth == 0 or len(found) == most:
                break
            pc, fp, sp = opened[0].value, opened[0].at, fp
        return found

    def locals(self, call: Call) -> list[Slot]:
        """The locals of a call, parameters first."""
        count = call.function.locals if call.function else 0
        return [self.slot(call.fp + i) for i in range(count)]

    def operands(self, call: Call, most: int = 256) -> list[Slot]:
        """The operands of a call, topmost first."""
        bottom = call.fp + (call.function.locals if call.function else 0)
        return [self.slot(i) for i in range(call.sp - 1, max(bottom, call.sp - most) - 1, -1)]

    def variables(self, first: int) -> list[Slot]:
        """Variables of the assembly from one on: those that were ever written."""
        written = self._written(Space.VARIABLE)
        return [self.slot(at, Space.VARIABLE) for at, _ in written if at >= first]

    def globals(self) -> list[Slot]:
        """All globals that were ever written."""
        return [self.slot(at, Space.GLOBAL) for at, _ in self._written(Space.GLOBAL)]

    def memory(self, address: int, count: int) -> bytes:
        """Bytes of the program's memory; zeros where nothing was written."""
        if self._memory is None:
            return b""
        words = range(address // WORD, -(-(address + count) // WORD))
        held = self.window.values(self._memory, words, self.position).astype("<u8").tobytes()
        return held[address % WORD : address % WORD + count]

    def memory_words(self) -> list[int]:
        """Addresses of the words of memory that were written and are not 0."""
        if self._memory is None:
            return []
        return [WORD * at for at, value in self._written(self._memory) if value]

    def _written(self, space: int) -> list[tuple[int, int]]:
        return self.window.written(space, self.position)
