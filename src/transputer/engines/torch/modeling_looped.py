"""A looped Transputer as a model of the transformers library.

The model maps states (batch, rows, columns) to the next ones; `run` steps until every state has
halted. `looped_network.py` is the network, and this file only speaks the library's language.
Exports ship both as they are.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from transformers import PretrainedConfig, PreTrainedModel
from transformers.utils import ModelOutput

from .looped_network import LoopedNetwork


class LoopedConfig(PretrainedConfig):  # type: ignore[misc]
    """The shape of the network, and where a state holds what a step writes out.

    After a step, row `written` of column 0 says how often the step wrote the word in column
    `output`, whose bits are in rows `word`, least significant first; 1 is a one, -1 a zero.
    """

    model_type = "transputer_looped"

    def __init__(
        self,
        network: dict[str, Any] | None = None,
        columns: int = 2,
        word: list[int] | None = None,
        written: int = 0,
        output: int = 0,
        names: list[str] | None = None,
        **more: Any,
    ) -> None:
        self.network = network or {"exact": "float32", "sharpness": 1, "width": 1, "layers": []}
        self.columns, self.word = columns, word or []
        self.written, self.output = written, output
        self.names = names or []
        # what the library asks of every model
        self.hidden_size = self.network["width"]
        self.num_hidden_layers = len(self.network["layers"])
        more.setdefault("tie_word_embeddings", False)
        super().__init__(**more)


@dataclass
class LoopedOutput(ModelOutput):  # type: ignore[misc]
    """States after a step, whether each has halted, and the states around the layers."""

    state: Tensor | None = None
    halted: Tensor | None = None
    hidden_states: tuple[Tensor, ...] | None = None


@dataclass
class LoopedRun(ModelOutput):  # type: ignore[misc]
    """The last states, whether each has halted, the steps of each, and the bytes it wrote."""

    state: Tensor | None = None
    halted: Tensor | None = None
    steps: Tensor | None = None
    output: list[bytes] | None = None


class TransputerLoopedModel(PreTrainedModel):  # type: ignore[misc]
    """The network with the library's `forward`; weights keep their float type."""

    config_class = LoopedConfig
    base_model_prefix = "network"
    main_input_name = "state"
    _no_split_modules = ["LoopedNetwork"]

    def __init__(self, config: LoopedConfig) -> None:
        super().__init__(config)
        self.network = LoopedNetwork(config.network, "softmax")
        self.post_init()

    def _init_weights(self, module: Any) -> None:
        """Weights are loaded, never drawn."""

    @property
    def dtype(self) -> torch.dtype:
        """Return the type in which the model is exact, whatever the library was asked for."""
        kind: torch.dtype = self.network.stop.dtype
        return kind

    @property
    def device(self) -> torch.device:
        """Return where the weights are."""
        where: torch.device = self.network.stop.device
        return where

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def forward(
        self, state: Tensor, output_hidden_states: bool = False, return_dict: bool = True
    ) -> Any:
        """One step of states (batch, rows, columns)."""
        x = state.to(self.device, self.dtype)
        hidden = [x]
        for layer in self.network.layers:
            x = layer(x)
            hidden.append(x)
        output = LoopedOutput(
            state=x,
            halted=self.network.halted(x),
            hidden_states=tuple(hidden) if output_hidden_states else None,
        )
        return output if return_dict else output.to_tuple()

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def run(self, state: Tensor, max_steps: int = 1_000_000, streamer: Any = None) -> LoopedRun:
        """Step until every state has halted, at most `max_steps` times.

        `halted` says which have. `streamer.put` gets the states after every step.
        """
        state = state.to(self.device, self.dtype)
        steps = torch.zeros(len(state), dtype=torch.int64, device=self.device)
        output = [bytearray() for _ in state]
        for _ in range(max_steps):
            running = ~self.network.halted(state)
            if not running.any():
                break
            state = torch.where(running[:, None, None], self.network(state), state)
            steps += running
            self._collect(state, running, output)
            if streamer is not None:
                streamer.put(state.cpu())
        if streamer is not None:
            streamer.end()
        halted = self.network.halted(state)
        return LoopedRun(state=state, halted=halted, steps=steps, output=[bytes(o) for o in output])

    def _collect(self, state: Tensor, running: Tensor, output: list[bytearray]) -> None:
        """Append the bytes that the last step wrote."""
        written = state[:, self.config.written, 0].long() * running
        for row in written.nonzero()[:, 0].tolist():
            bits = state[row, self.config.word, self.config.output].tolist()
            byte = sum(1 << i for i, bit in enumerate(bits[:8]) if bit > 0)
            output[row] += bytes([byte]) * int(written[row])
