"""Looped models in PyTorch: one step as an `nn.Module`, and runs of many programs at once.

Needs the `torch` extra. States are (…, rows, columns) in the float type in which the model is
exact; every sum of integers is below its limit, so that the order of summation does not matter on
any device. A halted state is a fixed point, so a batch continues until all its runs have halted.
"""

from typing import Any

import numpy as np

from transputer.engines.protocol import StepForms
from transputer.engines.reference.looped import ATTENTIONS, check_state
from transputer.engines.torch.decoder import torch
from transputer.engines.torch.looped_network import LoopedNetwork
from transputer.errors import UsageError
from transputer.model import Array, Looped, sharpness, verify_looped


def looped_weights(model: Looped) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return the shape of the `LoopedNetwork` of a model, and its state: arrays by name."""
    tensors: dict[str, Array] = {"stop": model.stop}
    layers = []
    for number, layer in enumerate(model.layers):
        for name in ("gate", "value", "out"):
            tensors[f"layers.{number}.{name}"] = getattr(layer, name)
        for h, head in enumerate(layer.heads):
            for name in ("key", "value", "output"):
                tensors[f"layers.{number}.heads.{h}.{name}"] = getattr(head, name)
        heads = [[len(head.key), len(head.value)] for head in layer.heads]
        layers.append({"heads": heads, "neurons": len(layer.gate)})
    shape = {
        "exact": model.exact,
        "sharpness": sharpness(model.exact),
        "width": model.width,
        "layers": layers,
    }
    return shape, {name: array.astype(model.exact) for name, array in tensors.items()}


class LoopedModule(LoopedNetwork):
    """One step of a looped model: states (…, rows, columns) to the next ones.

    Its weights keep the float type in which the model is exact.
    """

    def __init__(self, model: Looped, attention: str = "hard") -> None:
        if attention not in ATTENTIONS:
            raise UsageError(f"attention is {' or '.join(ATTENTIONS)}, not {attention!r}")
        verify_looped(model)
        shape, tensors = looped_weights(model)
        super().__init__(shape, attention)
        self.load_state_dict({name: torch.tensor(array) for name, array in tensors.items()})


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
