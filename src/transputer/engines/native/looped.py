"""The native engine of looped models: sparse C on what the tensors say, equal to the reference."""

import ctypes
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from transputer.engines.native.compile import looped_library
from transputer.engines.native.image import ImageWriter
from transputer.engines.protocol import StepForms
from transputer.engines.reference.looped import check_state
from transputer.errors import UsageError
from transputer.model import Array, Looped, LoopedLayer, SelfHead, verify_looped

Ints = NDArray[np.int64]
#: Numbers that one call of `tell` may report.
ROOM = 1 << 20
#: Steps per call of the library: well below a second.
SLICE = 1 << 15


class LoopedNative:
    """A run of a looped model from a state. It does what `LoopedReference` does.

    A state that another engine `reached` may be one that no run may start from: the bounds of a
    broken model hold although its steps leave the ranges that are declared for a start. Raises as
    `verify_looped` does for a model whose bounds do not hold, and `EngineUnavailable` where there
    is no C compiler.
    """

    def __init__(self, model: Looped, state: Array, reached: bool = False) -> None:
        if not reached:
            check_state(model, state)
        self.model = model
        most = max(number for number, _ in verify_looped(model).largest.values())
        self._library = looped_library(32 if most < 1 << 31 else 64)
        self._image = image(model)
        columns = np.ascontiguousarray(state.T, dtype=np.int64)
        self._session: int | None = self._library.looped_open(
            self._image.ctypes.data, columns.ctypes.data
        )
        if not self._session:
            raise MemoryError("native: no memory for a state")

    def __del__(self) -> None:
        if getattr(self, "_session", None):
            self._library.looped_close(self._session)
            self._session = None

    @property
    def state(self) -> Array:
        """The state now."""
        cells = np.empty((self.model.columns, self.model.width), dtype=np.int64)
        self._library.looped_state(self._session, cells.ctypes.data)
        return cells.T.astype(np.float64)

    @property
    def halted(self) -> bool:
        """Whether the model says that it has stopped."""
        return bool(self._library.looped_halted(self._session))

    @property
    def busy(self) -> int:
        """Number of columns that every step computes."""
        return int(self._library.looped_busy(self._session))

    def run(self, limit: int, pause: Array | None = None) -> int:
        """Step until the model has stopped, at most `limit` times; return the number of steps.

        Also stops after a step that leaves the form `pause` in column 0 other than 0.
        """
        form = None if pause is None else np.ascontiguousarray(pause, dtype=np.int64)
        at = None if form is None else form.ctypes.data
        done = 0
        while done < limit:
            asked = min(limit - done, SLICE)
            steps = self._checked(self._library.looped_run(self._session, asked, at))
            done += steps
            if steps < asked or (pause is not None and self.read(pause, 0)):
                break
        return done

    def read(self, form: Array, column: int) -> int:
        """Return a form of a column of the state."""
        weights = np.ascontiguousarray(form, dtype=np.int64)
        return int(self._library.looped_read(self._session, weights.ctypes.data, column))

    def step(self) -> None:
        """One step, unless it has stopped."""
        self.run(1)

    def put(self, column: int, values: Array) -> None:
        """Replace a column, between two steps; raises `UsageError` for values out of range."""
        self._check(column, values)
        cells = np.ascontiguousarray(values, dtype=np.int64)
        self._checked(self._library.looped_put(self._session, column, cells.ctypes.data))

    def restart(self, state: Array) -> None:
        """Replace the state, between two steps; raises as `check_state` does."""
        check_state(self.model, state)
        cells = np.ascontiguousarray(state.T, dtype=np.int64)
        self._checked(self._library.looped_replace(self._session, cells.ctypes.data))

    def run_all(self, states: Array, limit: int) -> tuple[Array, Ints]:
        """Run each of many states (rows of the first dimension) as `run` does.

        Returns the states that they end in, and the steps of each; raises as `check_state` does.
        """
        check_state(self.model, states)
        cells = np.ascontiguousarray(states.swapaxes(1, 2), dtype=np.int64)
        steps = np.zeros(len(cells), dtype=np.int64)
        for row, case in enumerate(cells):
            self._checked(self._library.looped_replace(self._session, case.ctypes.data))
            steps[row] = self.run(limit)
            self._library.looped_state(self._session, case.ctypes.data)
        return cells.swapaxes(1, 2).astype(np.float64), steps

    def tell(self, limit: int, first: Array, cell: Array) -> list[StepForms]:
        """Step as `run` does, and return the forms of each step.

        The forms `first` are read in column 0. `cell` is read in all columns, and reported where it
        changed.
        """
        forms, watched = (np.ascontiguousarray(f, dtype=np.int64) for f in (first, cell))
        room = max(ROOM, 4 * self.model.columns + 2 * len(forms))
        into = np.empty(room, dtype=np.int64)
        used = ctypes.c_int64()
        reports: list[StepForms] = []
        while len(reports) < limit:
            steps = self._checked(
                self._library.looped_tell(
                    *(self._session, min(limit - len(reports), SLICE)),
                    *(forms.ctypes.data, len(forms), watched.ctypes.data),
                    *(into.ctypes.data, room, ctypes.byref(used)),
                )
            )
            reports += _told(into[: used.value].tolist(), steps, len(forms))
            if not steps or self.halted:
                break
        return reports

    def each(
        self, columns: list[int], values: Array, steps: int, first: Array, cell: Array
    ) -> tuple[Ints, Ints]:
        """Many cases from one state: put `values[case]` into columns, make steps, read forms.

        Returns the forms `first` of column 0, and `cell` of the columns, per case. Other columns
        are not reset between cases.
        """
        for column, cells in zip(columns, np.swapaxes(values, 0, 1), strict=True):
            self._check(column, cells)
        forms, watched = (np.ascontiguousarray(f, dtype=np.int64) for f in (first, cell))
        given = np.ascontiguousarray(values, dtype=np.int64)
        where = np.array(columns, dtype=np.int64)
        into = np.empty((len(given), len(forms) + len(where)), dtype=np.int64)
        self._checked(
            self._library.looped_each(
                *(self._session, len(given), len(where), where.ctypes.data, given.ctypes.data),
                *(steps, forms.ctypes.data, len(forms), watched.ctypes.data, into.ctypes.data),
            )
        )
        return into[:, : len(forms)], into[:, len(forms) :]

    def _check(self, column: int, values: Array) -> None:
        """Raise `UsageError` unless a column can hold these values, or each row of them."""
        if not 0 <= column < self.model.columns:
            raise UsageError(f"there is no column {column} of {self.model.columns}")
        low, high = np.array(self.model.first if column == 0 else self.model.ranges).T
        fine = (values >= low) & (values <= high) & (values == np.rint(values))
        if values.shape[-1] != self.model.width or not fine.all():
            raise UsageError(f"column {column} cannot hold that")

    def _checked(self, done: int) -> int:
        if done < 0:
            raise MemoryError("native: no memory left")
        return done


def _told(numbers: list[int], steps: int, forms: int) -> list[StepForms]:
    """Parse reports: per step the forms of column 0, a count, and pairs of column and value."""
    reports: list[StepForms] = []
    at = 0
    for _ in range(steps):
        cells = at + forms + 1
        end = cells + 2 * numbers[cells - 1]
        pairs = tuple(zip(numbers[cells:end:2], numbers[cells + 1 : end : 2], strict=True))
        reports.append((tuple(numbers[at : cells - 1]), pairs))
        at = end
    return reports


@lru_cache(maxsize=8)
def image(model: Looped) -> Ints:
    """The model as the library reads it; raises as `verify_looped` does."""
    verify_looped(model)
    written = np.zeros(model.width, dtype=bool)
    for layer in model.layers:
        for matrix in (layer.out, *(head.output for head in layer.heads)):
            written |= matrix.any(axis=1)
    writer = ImageWriter(3)
    lanes = np.flatnonzero(model.stop)
    writer.put([len(lanes), *lanes, *_ints(model.stop[lanes])])
    writer.put(written.astype(np.int64))
    writer.put([max((len(h.value) for layer in model.layers for h in layer.heads), default=1)])
    writer.put([max((len(layer.gate) for layer in model.layers), default=1)])
    for layer in model.layers:
        writer.put([len(layer.heads)])
        for head in layer.heads:
            _put_head(writer, head, written)
        _put_neurons(writer, layer)
    return writer.words([model.width, model.columns, len(model.layers)])


def _ints(array: Array) -> Ints:
    return array.astype(np.int64)


def _put_head(writer: ImageWriter, head: SelfHead, written: NDArray[np.bool_]) -> None:
    writer.sparse(_ints(head.key))
    writer.put((~(head.key[:, written] != 0).any(axis=1)).astype(np.int64))
    writer.sparse(_ints(head.value))
    writer.sparse(_ints(head.output.T))


def _put_neurons(writer: ImageWriter, layer: LoopedLayer) -> None:
    """Neurons by gate, equal gates once; of each gate how it differs from one before it."""
    gates, owner = np.unique(_ints(layer.gate), axis=0, return_inverse=True)
    order, parents = _tree(gates)
    place = np.argsort(order)
    owner = place[owner.ravel()]
    members = np.argsort(owner, kind="stable")
    known = np.concatenate([gates[order], np.zeros((1, gates.shape[1]), dtype=np.int64)])
    apart = known[:-1] - known[parents]  # parent -1 is the row of zeros
    row, lane = np.nonzero(apart)
    writer.put([len(gates), len(row)])
    writer.put(np.cumsum([0, *np.count_nonzero(apart, axis=1)]))
    for words in (lane, apart[row, lane], parents + 1):
        writer.put(words)
    writer.put(np.cumsum([0, *np.bincount(owner, minlength=len(gates))]))
    writer.sparse(_ints(layer.value)[members])
    writer.sparse(_ints(layer.out.T)[members])


def _tree(gates: Ints) -> tuple[Ints, Ints]:
    """An order of rows, and for each in that order the place of an earlier one, or -1.

    The sum of nonzeros by which rows differ from those (-1: from nothing) is the least possible:
    a spanning tree, grown by the closest row that is not in it yet.
    """
    costs = np.count_nonzero(gates, axis=1)
    from_, left = np.full(len(gates), -1), np.ones(len(gates), dtype=bool)
    order, places = [], []
    for place in range(len(gates)):
        row = int(np.argmin(np.where(left, costs, gates.shape[1] + 1)))
        left[row] = False
        order.append(row)
        places.append(int(from_[row]))
        apart = np.count_nonzero(gates - gates[row], axis=1)
        closer = apart < costs
        costs, from_ = np.where(closer, apart, costs), np.where(closer, place, from_)
    return np.array(order, dtype=np.int64), np.array(places, dtype=np.int64)


__all__ = ["LoopedNative", "image"]
