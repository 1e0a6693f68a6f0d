"""Programs to states and states to results, for a looped Transputer in the transformers library.

The folder's program is its first state, `program.safetensors`; the tables in
`tokenizer_config.json` say where words and variables are. This file imports nothing of the package
that it is part of: exports ship it as it is.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor
from transformers import BatchEncoding

from .number_tokenizer import NumberTokenizer


class LoopedTokenizer(NumberTokenizer):
    """`tokenizer(variables)` is a first state; `results` and `variables` read the last one."""

    values = 2
    call = "a state is a program and its variables: tokenizer({name: value})"
    vocab_files_names = {"program_file": "program.safetensors"}
    model_input_names = ["state"]

    def __init__(
        self, layout: Mapping[str, Any] | None = None, program_file: str | None = None, **more: Any
    ) -> None:
        self.layout = dict(layout or {})
        self.first = load_file(program_file)["state"] if program_file else None
        super().__init__(layout=layout, **more)

    def __call__(self, variables: Any = None, **more: Any) -> BatchEncoding:
        """Return `state` (batch, rows, columns): the program, with these values of variables.

        `variables` has a number, or a list for an array, by name. For a batch it is a list.
        """
        batch = variables if isinstance(variables, list) else [variables]
        return BatchEncoding({"state": torch.stack([self.state(one or {}) for one in batch])})

    def state(self, variables: Mapping[str, Any]) -> Tensor:
        """Return the program's first state with other values of variables."""
        assert self.first is not None
        state = self.first.clone()
        for name, value in variables.items():
            numbers = value if isinstance(value, list | tuple) else [value]
            column, count = self._place(name)
            if len(numbers) > count:
                raise ValueError(f"{name} has {count} words, {len(numbers)} given")
            for at, number in enumerate(numbers, column):
                self._put(state, at, int(number), name)
        return state

    def _place(self, name: str) -> tuple[int, int]:
        symbols = self.layout["symbols"]
        if name not in symbols:
            raise ValueError(f"no variable {name!r}; known: {', '.join(symbols)}")
        slot, count = symbols[name]
        return self.layout["scratch"] + slot, count

    def _put(self, state: Tensor, column: int, number: int, name: str) -> None:
        bits, rows = self.layout["bits"], self.layout["rows"]["memory"]
        if not -(1 << bits - 1) <= number < 1 << bits:
            raise ValueError(f"{name}: {number} does not fit {bits} bits")
        for i, row in enumerate(rows):
            state[row, column] = 1 if number >> i & 1 else -1

    def word(self, state: Tensor, column: int) -> int:
        """Return the signed word in a column."""
        bits = self.layout["bits"]
        rows = self.layout["rows"]["memory"]
        number = sum(1 << i for i, row in enumerate(rows) if state[row, column] > 0)
        return number - (1 << bits) if number >> bits - 1 else number

    def status(self, state: Tensor) -> str:
        """Return the trap of a last state, or DONE."""
        for name, row in (("TRAP_INVALID_INSTRUCTION", "invalid"), ("TRAP_OUTSIDE", "outside")):
            if state[self.layout["rows"][row][0], 0] > 0:
                return name
        return "DONE"

    def results(self, state: Tensor) -> list[int]:
        """Return the result of a last state; raises `ValueError` after a trap."""
        if (status := self.status(state)) != "DONE":
            raise ValueError(f"the run has no results: {status}")
        slot = self.layout["result"]
        return [] if slot is None else [self.word(state, self.layout["scratch"] + slot)]

    def variables(self, state: Tensor) -> dict[str, list[int]]:
        """Return the words of every variable."""
        symbols: Mapping[str, Sequence[int]] = self.layout["symbols"]
        first = self.layout["scratch"]
        return {
            name: [self.word(state, first + slot + i) for i in range(count)]
            for name, (slot, count) in symbols.items()
        }
