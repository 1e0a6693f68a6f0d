"""The network of a looped model with integer weights, in PyTorch alone.

A state is a matrix (…, rows, columns), and a step is one application of all layers to it. Query and
key of a head are the same projection; every column attends to all columns, and equal scores share.
The float type is one in which every sum of integers is exact, so that the order of summation does
not matter on any device.

This file imports nothing of the package that it is part of: exports ship it as it is.
"""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from .network import Exact


class LoopedHead(nn.Module):  # type: ignore[misc]
    """What one head adds: hard attention with ties shared, or a true softmax."""

    def __init__(self, rows: list[int], shape: Mapping[str, Any], hard: bool) -> None:
        super().__init__()
        self.sharp, self.hard = shape["sharpness"], hard
        keys, values = rows
        width, kind = shape["width"], getattr(torch, shape["exact"])
        self.register_buffer("key", torch.empty(keys, width, dtype=kind))
        self.register_buffer("value", torch.empty(values, width, dtype=kind))
        self.register_buffer("output", torch.empty(width, values, dtype=kind))

    def forward(self, x: Tensor) -> Tensor:
        """Return what the head reads, as rows of the state."""
        keys, values = self.key @ x, self.value @ x
        if not self.hard:
            # scores are symmetric: their rows are their columns, and rows are quicker to sum
            shares = torch.softmax(keys.mT @ (keys * self.sharp), dim=-1)
            return self.output @ (values @ shares.mT)
        scores = keys.mT @ keys
        chosen = (scores == scores.amax(dim=-2, keepdim=True)).to(x.dtype)
        mean = (values @ chosen) / chosen.sum(dim=-2, keepdim=True)
        return self.output @ torch.round(mean)  # halves to the even one


class LoopedBlock(nn.Module):  # type: ignore[misc]
    """Heads, which all read the same state, then gated neurons."""

    def __init__(self, layer: Mapping[str, Any], shape: Mapping[str, Any], hard: bool) -> None:
        super().__init__()
        self.heads = nn.ModuleList(LoopedHead(rows, shape, hard) for rows in layer["heads"])
        width, neurons = shape["width"], layer["neurons"]
        kind = getattr(torch, shape["exact"])
        self.register_buffer("gate", torch.empty(neurons, width, dtype=kind))
        self.register_buffer("value", torch.empty(neurons, width, dtype=kind))
        self.register_buffer("out", torch.empty(width, neurons, dtype=kind))

    def forward(self, x: Tensor) -> Tensor:
        """Return the state after the layer."""
        x = x + sum(head(x) for head in self.heads) if len(self.heads) else x
        return x + self.out @ (torch.relu(self.gate @ x) * (self.value @ x))


class LoopedNetwork(Exact):
    """One step of a looped model: states (…, rows, columns) to the next ones.

    `shape` is a description in JSON: the float type, the factor of scores before a softmax, the
    width, and per layer the rows of its heads and the number of its neurons. `load_state_dict`
    fills in the weights, which keep their float type.
    """

    def __init__(self, shape: Mapping[str, Any], attention: str = "softmax") -> None:
        super().__init__()
        hard = attention == "hard"
        self.layers = nn.ModuleList(LoopedBlock(one, shape, hard) for one in shape["layers"])
        kind = getattr(torch, shape["exact"])
        self.register_buffer("stop", torch.empty(shape["width"], dtype=kind))

    def forward(self, x: Tensor) -> Tensor:
        """The next state."""
        for layer in self.layers:
            x = layer(x)
        return x

    def halted(self, x: Tensor) -> Tensor:
        """Whether each state has stopped."""
        return x[..., 0] @ self.stop >= 1
