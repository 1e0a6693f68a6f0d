"""Named places of a network: read, ablate and patch heads, groups of neurons and lanes.

A group is a name for some heads or neurons. `groups` has three tables: `heads` (layer, head,
name), `neurons` (layer, first, count, group) and `lanes` (one name per lane). A name such as
`neurons.add` means every neuron of the group `add`, `heads.fetch instruction` one head,
`lanes.pc0` a lane of the residual stream. This file imports nothing of the package that it is part
of: exports ship it as it is.
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from .network import Network

#: A number, a tensor, or a function of what is there.
Change = Any


@dataclass(frozen=True)
class HookColumns:
    """Columns of what passes a hook point: `hook` is the module's name in the network."""

    hook: str
    columns: tuple[int, ...]


class Probe:
    """Finds places of a network by name, and hooks them."""

    def __init__(self, network: Network, groups: Mapping[str, Any]) -> None:
        self.network = network
        self.lanes: list[str] = list(groups.get("lanes", ()))
        self.places: dict[str, tuple[HookColumns, ...]] = {}
        for row in groups.get("heads", ()):
            heads = network.layers[row["layer"]].heads
            first = sum(row["widths"][: row["head"]])
            columns = range(first, first + row["widths"][row["head"]])
            assert heads is not None and columns.stop <= heads.shape[2]
            self._add(f"heads.{row['name']}", f"layers.{row['layer']}.heads.hook_read", columns)
        for row in groups.get("neurons", ()):
            columns = range(row["first"], row["first"] + row["count"])
            hook = f"layers.{row['layer']}.neurons.hook_neurons"
            self._add(f"neurons.{row['group']}", hook, columns)

    def _add(self, name: str, hook: str, columns: range) -> None:
        self.places[name] = (*self.places.get(name, ()), HookColumns(hook, tuple(columns)))

    def __getitem__(self, name: str) -> tuple[HookColumns, ...]:
        """Return the places of a name; raises `KeyError` that lists similar ones."""
        if name not in self.places:
            similar = [known for known in self.places if name.split(".")[-1] in known][:8]
            raise KeyError(f"no group {name!r}; similar: {similar or list(self.places)[:8]}")
        return self.places[name]

    def lane(self, name: str) -> int:
        """Return the number of the lane that a name belongs to (a lane may serve several)."""
        for number, names in enumerate(self.lanes):
            if name in names.split(" | "):
                return number
        raise KeyError(f"no lane {name!r}")

    @contextmanager
    def cache(self, *names: str) -> Iterator[dict[str, Tensor]]:
        """Collect what passes the hook points `names` (modules or groups), by name.

        Without names, every hook point of the residual stream, the heads and the neurons. What
        comes back is (rows, time, columns) of the last forward pass inside the `with`.
        """
        activations: dict[str, Tensor] = {}
        points = names or tuple(
            name for name, _ in self.network.named_modules()
            if name.endswith(("hook_pre", "hook_mid", "hook_post", "hook_read", "hook_neurons"))
        )  # fmt: skip
        with ExitStack() as stack:
            for name in points:
                places = self.places.get(name) or (HookColumns(name, ()),)
                for number, place in enumerate(places):
                    key = name if len(places) == 1 else f"{name}@{number}"
                    stack.enter_context(self._hooked(place, _reader(activations, key, place)))
            yield activations

    @contextmanager
    def patch(
        self, changes: Mapping[str, Change], position: int | slice | None = None
    ) -> Iterator[None]:
        """Change groups in every forward pass inside the `with`.

        A change is a number, a tensor that is put there, or a function of what is there.
        `position` limits it to some tokens of the pass.
        """
        with ExitStack() as stack:
            for name, change in changes.items():
                for place in self[name]:
                    stack.enter_context(self._hooked(place, _writer(change, place, position)))
            yield

    def ablate(self, *names: str) -> Any:
        """Set groups to 0 inside a `with`."""
        return self.patch(dict.fromkeys(names, 0.0))

    @contextmanager
    def _hooked(self, place: HookColumns, hook: Any) -> Iterator[None]:
        handle = self.network.get_submodule(place.hook).register_forward_hook(hook)
        try:
            yield
        finally:
            handle.remove()


def _reader(activations: dict[str, Tensor], key: str, place: HookColumns) -> Any:
    def hook(module: Any, inputs: Any, output: Tensor) -> None:
        activations[key] = output[..., list(place.columns)] if place.columns else output

    return hook


def _writer(change: Change, place: HookColumns, position: int | slice | None) -> Any:
    columns = list(place.columns)
    where = slice(None) if position is None else position
    if isinstance(where, int):
        where = slice(where, where + 1 or None)

    def hook(module: Any, inputs: Any, output: Tensor) -> Tensor:
        output = output.clone()
        part = output[:, where][..., columns]
        if callable(change):
            part = change(part)
        else:
            part = torch.as_tensor(change, dtype=output.dtype, device=output.device)
        index = torch.tensor(columns, device=output.device)
        window = output[:, where]
        window[..., index] = part
        return output

    return hook
