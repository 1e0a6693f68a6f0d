"""The reference engine of looped models: NumPy, dense; what a looped Model means.

Attention is hard (the largest score, ties shared) or a true softmax over all columns, whose
sharpness makes every loser's weight exactly 0. States may have further dimensions in front: many
are then stepped at once.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transputer.engines.protocol import StepForms
from transputer.errors import CapacityError, UsageError
from transputer.model import Array, Looped, SelfHead, sharpness, verify_looped

ATTENTIONS = ("hard", "softmax")


@dataclass(slots=True)
class Margins:
    """How clearly heads decided: the least gap to a loser, the largest tie, means not whole."""

    gap: float = np.inf
    tie: int = 0
    rounded: int = 0


def check_state(model: Looped, state: Array) -> None:
    """Raises `UsageError` for a state of another shape, `CapacityError` for one out of range."""
    if state.shape[-2:] != (model.width, model.columns):
        size = f"{model.width} rows and {model.columns} columns"
        raise UsageError(f"a state of this model has {size}, not {state.shape[-2:]}")
    fine = _within(state, model.ranges)
    fine[..., :1] = _within(state[..., :1], model.first)
    if not fine.all():
        row = int(np.argwhere(~fine)[0][-2])
        raise CapacityError(f"row {row} of the state holds what it is not declared for")


def _within(state: Array, ranges: tuple[tuple[int, int], ...]) -> NDArray[np.bool_]:
    """Which cells are integers within the range of their row."""
    low, high = np.array(ranges).T[..., None]
    within: NDArray[np.bool_] = (state >= low) & (state <= high) & (state == np.rint(state))
    return within


class LoopedReference:
    """A run of a looped model from a state; `margins` say how its heads decided so far."""

    def __init__(self, model: Looped, state: Array, attention: str = "hard") -> None:
        if attention not in ATTENTIONS:
            raise UsageError(f"attention is {' or '.join(ATTENTIONS)}, not {attention!r}")
        verify_looped(model)
        check_state(model, state)
        self.model = model
        self.margins = Margins()
        self._attend = self._hard if attention == "hard" else self._softmax
        self._kind: Any = np.dtype(model.exact if attention == "softmax" else "float64")
        self._sharpness = sharpness(model.exact)
        self._state = state.astype(self._kind)

    @property
    def state(self) -> Array:
        """The state now."""
        state: Array = self._state.astype(np.float64)
        return state

    @property
    def halted(self) -> bool:
        """Whether the model says that it has stopped; of many states, whether all have."""
        return bool((self._state[..., :, 0] @ self.model.stop >= 1).all())

    def step(self) -> None:
        """One step."""
        x = self._state
        for layer in self.model.layers:
            met = [self._attend(head, x) for head in layer.heads]
            x = x + sum(met, np.zeros_like(x))
            gate, value, out = (w.astype(self._kind) for w in (layer.gate, layer.value, layer.out))
            x = x + out @ (np.maximum(gate @ x, 0) * (value @ x))
        self._state = x

    def run(self, limit: int, pause: Array | None = None) -> int:
        """Step until the model has stopped, at most `limit` times; return the number of steps.

        Also stops after a step that leaves the form `pause` in column 0 other than 0.
        """
        done = 0
        while done < limit and not self.halted:
            self.step()
            done += 1
            if pause is not None and self.read(pause, 0):
                break
        return done

    def restart(self, state: Array) -> None:
        """Replace the state, between two steps; raises as `check_state` does."""
        check_state(self.model, state)
        self._state = state.astype(self._kind)

    def read(self, form: Array, column: int) -> int:
        """Return a form of a column of the state."""
        return int(form @ self._state[:, column])

    def tell(self, limit: int, first: Array, cell: Array) -> list[StepForms]:
        """Step as `run` does, and return the forms of each step.

        The forms `first` are read in column 0. `cell` is read in all columns, and reported where it
        changed.
        """
        reports: list[StepForms] = []
        while len(reports) < limit and not self.halted:
            before = cell @ self._state
            self.step()
            after = cell @ self._state
            changed = np.flatnonzero(before != after)
            cells = tuple((int(c), int(after[c])) for c in changed)
            reports.append((tuple(int(v) for v in first @ self._state[:, 0]), cells))
        return reports

    def _hard(self, head: SelfHead, x: Array) -> Array:
        """Equal shares of all columns of the largest score; whole, or rounded."""
        keys, values = head.key @ x, head.value @ x
        scores = np.swapaxes(keys, -1, -2) @ keys
        chosen = scores == scores.max(axis=-2, keepdims=True)
        count = chosen.sum(axis=-2, keepdims=True)
        mean = (values @ chosen) / count
        whole = np.rint(mean)
        self._note(scores, chosen, count, int((mean != whole).sum()))
        met: Array = head.output @ whole
        return met

    def _note(self, scores: Array, chosen: Any, count: Any, rounded: int) -> None:
        best = scores.max(axis=-2, keepdims=True)
        gaps = np.where(chosen, np.inf, best - scores)
        self.margins.gap = min(self.margins.gap, float(gaps.min()))
        self.margins.tie = max(self.margins.tie, int(count.max()))
        self.margins.rounded += rounded

    def _softmax(self, head: SelfHead, x: Array) -> Array:
        """exp(sharpness * score) over its sum, per column; nothing is rounded."""
        key, value, output = (w.astype(self._kind) for w in (head.key, head.value, head.output))
        keys = key @ x
        scores = (np.swapaxes(keys, -1, -2) @ keys) * self._kind.type(self._sharpness)
        with np.errstate(under="ignore"):
            weights = np.exp(scores - scores.max(axis=-2, keepdims=True))
        met: Array = output @ ((value @ x) @ (weights / weights.sum(axis=-2, keepdims=True)))
        return met
