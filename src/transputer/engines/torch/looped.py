"""Looped models in PyTorch: one step as an `nn.Module`, and runs of many programs at once.

Needs the `torch` extra. States are (…, rows, columns) in the float type in which the model is
exact; every sum of integers is below its limit, so that the order of summation does not matter on
any device. A halted state is a fixed point, so a batch continues until all its runs have halted.
"""

from typing import Any

import numpy as np

from transputer.engines.protocol import StepForms
from transputer.engines.reference.looped import ATTENTIONS, check_state
from transputer.engines.torch.decoder import Exact, Tensor, nn, torch
from transputer.errors import UsageError
from transputer.model import Array, Looped, LoopedLayer, SelfHead, sharpness, verify_looped


class _Head(nn.Module):  # type: ignore[misc]
    """What one head adds: hard attention with ties shared, or a true softmax."""

    def __init__(self, head: SelfHead, kind: Any, sharp: int, attention: str) -> None:
        super().__init__()
        self.sharp, self.hard = sharp, attention == "hard"
        for name in ("key", "value", "output"):
            weights = torch.tensor(getattr(head, name).copy(), dtype=kind)
            self.register_buffer(name, weights)

    def forward(self, x: Tensor) -> Tensor:
        keys, values = self.key @ x, self.value @ x
        if not self.hard:
            # scores are symmetric: their rows are their columns, and rows are quicker to sum
            shares = torch.softmax(keys.mT @ (keys * self.sharp), dim=-1)
            return self.output @ (values @ shares.mT)
        scores = keys.mT @ keys
        chosen = (scores == scores.amax(dim=-2, keepdim=True)).to(x.dtype)
        mean = (values @ chosen) / chosen.sum(dim=-2, keepdim=True)
        return self.output @ torch.round(mean)  # halves to the even one


class _Layer(nn.Module):  # type: ignore[misc]
    def __init__(self, layer: LoopedLayer, kind: Any, sharp: int, attention: str) -> None:
        super().__init__()
        self.heads = nn.ModuleList(_Head(head, kind, sharp, attention) for head in layer.heads)
        for name in ("gate", "value", "out"):
            self.register_buffer(name, torch.tensor(getattr(layer, name).copy(), dtype=kind))

    def forward(self, x: Tensor) -> Tensor:
        x = x + sum(head(x) for head in self.heads) if len(self.heads) else x
        return x + self.out @ (torch.relu(self.gate @ x) * (self.value @ x))


class LoopedModule(Exact):
    """One step of a looped model: states (…, rows, columns) to the next ones.

    Its weights keep the float type in which the model is exact.
    """

    def __init__(self, model: Looped, attention: str = "hard") -> None:
        super().__init__()
        if attention not in ATTENTIONS:
            raise UsageError(f"attention is {' or '.join(ATTENTIONS)}, not {attention!r}")
        verify_looped(model)
        kind, sharp = getattr(torch, model.exact), sharpness(model.exact)
        self.layers = nn.ModuleList(_Layer(one, kind, sharp, attention) for one in model.layers)
        self.register_buffer("stop", torch.tensor(model.stop.copy(), dtype=kind))

    def forward(self, x: Tensor) -> Tensor:
        """The next state."""
        for layer in self.layers:
            x = layer(x)
        return x

    def halted(self, x: Tensor) -> Tensor:
        """Whether each state has stopped."""
        return x[..., 0] @ self.stop >= 1


class LoopedTorch:
    """A run of a looped model from a state, or of many states at once."""

    def __init__(
        self, model: Looped, state: Array, attention: str = "hard", device: str | None = None
    ) -> None:
        self.model = model
        self.module = LoopedModule(model, attention).to(device)
        self.restart(state)

    def restart(self, state: Array) -> None:
        """Replace the state, between two steps; raises as `check_state` does."""
        check_state(self.model, state)
        stop = self.module.stop
        self._state = torch.tensor(state, dtype=stop.dtype, device=stop.device)

    @property
    def state(self) -> Array:
        """The state now."""
        state: Array = self._state.cpu().numpy().astype(np.float64)
        return state

    @property
    def halted(self) -> bool:
        """Whether the model says that it has stopped; of many states, whether all have."""
        return bool(self.module.halted(self._state).all())

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def step(self) -> None:
        """One step."""
        self._state = self.module(self._state)

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

    def run_each(self, limit: int) -> list[int]:
        """Step until every state has stopped, at most `limit` times; return the steps of each."""
        steps = torch.zeros(self._state.shape[:-2], dtype=torch.int64, device=self._state.device)
        for _ in range(limit):
            going = ~self.module.halted(self._state)
            if not going.any():
                break
            steps += going
            self.step()
        counts: list[int] = steps.flatten().tolist()
        return counts

    def read(self, form: Array, column: int) -> int:
        """Return a form of a column of the state."""
        weights = torch.tensor(form, dtype=torch.float64)
        return int(weights @ self._state[:, column].cpu().to(torch.float64))

    def tell(self, limit: int, first: Array, cell: Array) -> list[StepForms]:
        """Step as `run` does, and return the forms of each step."""
        reports: list[StepForms] = []
        before = cell @ self.state
        while len(reports) < limit and not self.halted:
            self.step()
            state = self.state
            after = cell @ state
            cells = tuple((int(c), int(after[c])) for c in np.flatnonzero(before != after))
            reports.append((tuple(int(v) for v in first @ state[:, 0]), cells))
            before = after
        return reports
