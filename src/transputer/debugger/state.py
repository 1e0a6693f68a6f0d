"""The state of a run of the trace machine before a step: stack, locals, calls, memory."""

from collections.abc import Callable, Mapping

from transputer.debugger.recording import Recording, TraceWindow
from transputer.host.outcome import MOST_CALLS
from transputer.ir.core import CoreFunction
from transputer.machines.trace.vocabulary import WORD, Record, Space
from transputer.values import dataclass


@dataclass(frozen=True, slots=True)
class SlotValue:
    """One word of a space, and the position of the token that wrote it (None: never written)."""

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
    """One open call: its function, its pc, and where its locals begin.

    The pc of a caller is where the callee returns to; `instruction` is the place that each call
    executes: the call instruction in a caller.
    """

    function: CoreFunction | None
    pc: int
    fp: int
    sp: int
    depth: int
    innermost: bool = False

    @property
    def instruction(self) -> int:
        """The place of the instruction that this call executes."""
        return self.pc if self.innermost else max(0, self.pc - 1)


def open_calls(
    now: Record,
    frame_at: Callable[[int], Record | None],
    functions: Mapping[int, CoreFunction],
    most: int = MOST_CALLS,
) -> list[Call]:
    """Return the open calls after a token, innermost first, at most `most`.

    `frame_at` returns the latest call token of a depth; `functions` are keyed by their first pc.
    """
    calls: list[Call] = []
    pc, fp, sp = now.pc, now.fp, now.sp
    for depth in range(now.depth, -1, -1):
        calls.append(Call(_function(functions, pc), pc, fp, sp, depth, not calls))
        frame = frame_at(depth)
        if frame is None or depth == 0 or len(calls) == most:
            break
        pc, fp, sp = frame.value, frame.at, fp
    return calls


def _function(functions: Mapping[int, CoreFunction], pc: int) -> CoreFunction | None:
    """Return the function that contains `pc`."""
    starts = [entry for entry in functions if entry <= pc]
    return functions[max(starts)] if starts else None


class State:
    """The state after the token at `position`; `functions` are keyed by their first pc."""

    def __init__(
        self,
        recording: Recording,
        position: int,
        functions: Mapping[int, CoreFunction],
        memory: int | None,
    ) -> None:
        self.window: TraceWindow = recording.window(position)
        self.position = position
        self._functions = functions
        self._memory = memory
        now = self.window.token(position)
        assert now is not None, "a window holds its whole segment"
        self.now: Record = now

    def function(self, pc: int) -> CoreFunction | None:
        """Return the function that contains `pc`."""
        return _function(self._functions, pc)

    def slot(self, index: int, space: int = Space.SLOT) -> SlotValue:
        """Return the word at `index` of a space."""
        write = self.window.latest(space, index, self.position)
        return SlotValue(index, write[0].value, write[1]) if write else SlotValue(index, 0, None)

    def calls(self, most: int = MOST_CALLS) -> list[Call]:
        """Return the open calls, innermost first, at most `most`."""
        return open_calls(self.now, self._frame, self._functions, most)

    def _frame(self, depth: int) -> Record | None:
        """Return the latest call token of a depth."""
        frame = self.window.latest(Space.FRAME, depth, self.position)
        return frame[0] if frame else None

    def locals(self, call: Call) -> list[SlotValue]:
        """Return the locals of a call, parameters first."""
        count = call.function.locals if call.function else 0
        return [self.slot(call.fp + i) for i in range(count)]

    def operands(self, call: Call, most: int = 256) -> list[SlotValue]:
        """Return the operands of a call, topmost first."""
        bottom = call.fp + (call.function.locals if call.function else 0)
        return [self.slot(i) for i in range(call.sp - 1, max(bottom, call.sp - most) - 1, -1)]

    def variables(self, first: int) -> list[SlotValue]:
        """Return the assembly's variables from `first` on that were ever written."""
        written = self._written(Space.VARIABLE)
        return [self.slot(at, Space.VARIABLE) for at, _ in written if at >= first]

    def globals(self) -> list[SlotValue]:
        """Return the globals that were ever written."""
        return [self.slot(at, Space.GLOBAL) for at, _ in self._written(Space.GLOBAL)]

    def memory(self, address: int, count: int) -> bytes:
        """Return bytes of the program's memory; zeros where nothing was written."""
        if self._memory is None:
            return b""
        words = range(address // WORD, -(-(address + count) // WORD))
        data = self.window.values(self._memory, words, self.position).astype("<u8").tobytes()
        return data[address % WORD : address % WORD + count]

    def memory_words(self) -> list[int]:
        """Return the addresses of the nonzero words of memory."""
        if self._memory is None:
            return []
        return [WORD * at for at, value in self._written(self._memory) if value]

    def _written(self, space: int) -> list[tuple[int, int]]:
        return self.window.written(space, self.position)
