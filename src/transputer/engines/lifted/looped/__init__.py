"""The lifted engine of looped models: steps as integer operations that were proved equal to layers.

`columns` shows which columns a step can leave alone, `step` derives what one from a known first
column does, `program` follows all that a state leads to, `emit` prints C. It sees the tensors and a
state, nothing else. Steps that are not proved are left to the native engine, with a warning.
"""

import ctypes
import logging
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transputer.engines.lifted.decoder.code import load
from transputer.engines.lifted.looped.emit import StepEmitter
from transputer.engines.lifted.looped.program import LoopedNode, LoopedProgram, gaps
from transputer.engines.native.looped import LoopedNative
from transputer.engines.protocol import StepForms
from transputer.engines.reference.looped import check_state
from transputer.errors import Unsupported
from transputer.model import Array, Looped, verify_looped

_log = logging.getLogger("transputer")
#: Steps that the native engine takes for lifted code before it takes over.
PATIENCE = 4
#: Steps per call: well below a second.
SLICE = 1 << 26


class _State(ctypes.Structure):
    _fields_ = (("node", ctypes.c_int64), ("data", ctypes.c_void_p))


class LoopedLifted:
    """A run of a looped model from a state. It does what `LoopedReference` does.

    `why` says why the native engine is in charge, where it is. Raises as `verify_looped` does for
    a model whose bounds do not hold, and `EngineUnavailable` where there is no C compiler.
    """

    def __init__(self, model: Looped, state: Array) -> None:
        verify_looped(model)
        check_state(model, state)
        self.model = model
        self.why = ""
        self._native: LoopedNative | None = None
        self._codes: dict[bytes, ctypes.CDLL] = {}
        self._numbered: list[LoopedNode] = []
        self._patience = PATIENCE
        try:
            self.program = LoopedProgram(model, state)
            self._node = self.program.reach(_numbers(state[:, 0]))
        except Unsupported as problem:
            self._go_native(str(problem), state)
            return
        kind = f"uint{StepEmitter(self.program, ()).width}"
        self._data: NDArray[Any] = self.program.columns.packed(state).astype(kind)
        self._held = _State(0, self._data.ctypes.data)

    @property
    def state(self) -> Array:
        """The state now."""
        if self._native is not None:
            return self._native.state
        first = np.array(self._node.first, dtype=np.float64)
        return self.program.columns.unpacked(self._data.astype(np.int64), first)

    @property
    def halted(self) -> bool:
        """Whether the model says that it has stopped."""
        return self._native.halted if self._native is not None else self._node.halted

    def run(self, limit: int, pause: Array | None = None) -> int:
        """Step until the model has stopped, at most `limit` times; return the number of steps.

        Also stops after a step that leaves the form `pause` in column 0 other than 0.
        """
        done = 0
        if self._native is None:
            self._code(pause)  # in time, even where no step is wanted yet
        while done < limit and not self.halted:
            if self._native is not None:
                return done + self._native.run(limit - done, pause)
            steps = self._sprint(min(limit - done, SLICE), pause)
            if not steps:
                steps = self._borrow()
            done += steps
            if steps and pause is not None and self.read(pause, 0):
                break
        return done

    def read(self, form: Array, column: int) -> int:
        """Return a form of a column of the state."""
        if self._native is not None:
            return self._native.read(form, column)
        if column == 0:
            return int(form @ np.array(self._node.first, dtype=np.float64))
        return int(form @ self._column(column))

    def step(self) -> None:
        """One step, unless it has stopped."""
        self.run(1)

    def restart(self, state: Array) -> None:
        """Replace the state, between two steps; raises as `check_state` does."""
        check_state(self.model, state)
        if self._native is not None:
            self._native.restart(state)
        else:
            self._enter(state, "lifted: a state that this code was not made for")

    def tell(self, limit: int, first: Array, cell: Array) -> list[StepForms]:
        """Step as `run` does, and return the forms of each step.

        The forms `first` are read in column 0. `cell` is read in all columns, and reported where it
        changed.
        """
        reports: list[StepForms] = []
        said: dict[int, tuple[tuple[int, ...], int]] = {}

        def forms(node: LoopedNode) -> tuple[tuple[int, ...], int]:
            """The report of a first column: the forms, and its cell."""
            if id(node) not in said:
                column = np.array(node.first, dtype=np.float64)
                said[id(node)] = tuple(int(v) for v in first @ column), int(cell @ column)
            return said[id(node)]

        while len(reports) < limit and not self.halted and self._native is None:
            data, own = self._data.copy(), forms(self._node)[1]
            if not self._sprint(1, None):
                self._go_native(self._gap(), self.state)
                break
            told, now = forms(self._node)
            changed = np.flatnonzero(self._data != data).tolist()
            cells = tuple((c, int(cell @ self._column(c))) for c in changed)
            reports.append((told, ((0, now), *cells) if now != own else cells))
        if self._native is not None:
            reports += self._native.tell(limit - len(reports), first, cell)
        return reports

    def _column(self, column: int) -> Array:
        columns = self.program.columns
        values: Array = columns.fixed[:, column].copy()
        bits = int(self._data[column]) >> np.arange(len(columns.data)) & 1
        values[list(columns.data)] = 2 * bits - 1
        return values

    # Lifted code

    def _sprint(self, limit: int, pause: Array | None) -> int:
        """Steps in C, until there is no code for the next one."""
        code = self._code(pause)
        self._held.node = self._node.number
        left: int = code.lifted_run(ctypes.byref(self._held), limit)
        self._node = self._numbered[self._held.node]
        return limit - left

    def _code(self, pause: Array | None) -> ctypes.CDLL:
        """The code that comes back where `pause` is not 0; without one, any that there is."""
        if pause is None and self._codes:
            return next(iter(self._codes.values()))
        key = b"" if pause is None else pause.tobytes()
        if key not in self._codes:
            nodes = self.program.nodes.values()
            for number, node in enumerate(nodes):
                node.number = number
            self._numbered = list(nodes)
            stops = [] if pause is None else [n.number for n in nodes if pause @ n.first]
            self._codes[key] = load(StepEmitter(self.program, stops).text(), "looped")
        return self._codes[key]

    # The native engine

    def _borrow(self) -> int:
        """Take one step that is not lifted on the native engine; code continues from its result."""
        why, state = self._gap(), self.state
        self._patience -= 1
        if not self._patience:
            self._go_native(why, state)
            return 0
        native = LoopedNative(self.model, state, reached=True)
        native.run(1)
        self._enter(native.state, why)
        return 1

    def _gap(self) -> str:
        """Why there is no code for the next step: a gap, or else a tie as it ran."""
        return next(gaps(self._node.tree), "lifted: two columns of a crowd are as good")

    def _enter(self, state: Array, why: str) -> None:
        """Continue from another state, in lifted code if it has the same constants."""
        columns, data = self.program.columns, list(self.program.columns.data)
        others = np.setdiff1d(np.arange(self.model.width), data)
        fixed = np.array_equal(columns.fixed[others, 1:], state[others, 1:])
        if not fixed or not np.isin(state[data, 1:], (-1, 1)).all():
            self._go_native(why, state)
            return
        words = columns.packed(state)
        changed = set(np.flatnonzero(words != self._data).tolist()) - self.program.stepper.variable
        self._data[:] = words
        first = _numbers(state[:, 0])
        if changed or first not in self.program.nodes:
            self._codes = {}
            for again in (*self.program.vary(changed), first):
                self.program.reach(again)
        self._node = self.program.nodes[first]

    def _go_native(self, why: str, state: Array) -> None:
        self.why = why
        _log.warning("%s; continuing on the native engine, which is slower", why)
        self._native = LoopedNative(self.model, state, reached=True)


def _numbers(column: Array) -> tuple[int, ...]:
    return tuple(int(value) for value in column)


__all__ = ["LoopedLifted", "LoopedNode"]
