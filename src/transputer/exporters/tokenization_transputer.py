"""Programs to prompts and decoded tokens to results, for a Transputer in the transformers library.

The tables come from `tokenizer_config.json`: the fields of a token and their bytes, the numbers of
spaces and the names of statuses. This file imports nothing of the package that it is part of:
exports ship it as it is.
"""

import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from transformers import BatchEncoding

from .number_tokenizer import NumberTokenizer

_FLOATS = {"f32": ("<f", 4), "f64": ("<d", 8)}


class TransputerTokenizer(NumberTokenizer):
    """`tokenizer(program, args)` is a prompt; `decode` returns text, `results` numbers.

    A program is what `transputer export FILE --to prompt` or `--to hf` writes: a path of the JSON
    file, a folder with a `program.json`, or the JSON as a dictionary.
    """

    values = 256
    call = "a prompt is a program and arguments: tokenizer(program, args)"
    vocab_files_names = {"program_file": "program.json"}
    model_input_names = ["input_ids", "attention_mask"]

    def __init__(
        self,
        fields: Any = (),
        spaces: Any = None,
        statuses: Any = None,
        program_file: str | None = None,
        **more: Any,
    ) -> None:
        self.fields = [(name, int(count)) for name, count in fields]
        self.spaces: dict[str, int] = dict(spaces or {})
        self.statuses: dict[str, int] = dict(statuses or {})
        self.program_file = program_file
        at, self.places = 0, {}
        for name, count in self.fields:
            self.places[name] = slice(at, at + count)
            at += count
        self.parts = at
        super().__init__(fields=fields, spaces=spaces, statuses=statuses, **more)

    def program(self, source: Any = None) -> dict[str, Any]:
        """Return a program from a path, a folder or a dictionary; the folder's own by default."""
        if isinstance(source, dict):
            return source
        path = Path(source if source is not None else self.program_file or "program.json")
        path = path / "program.json" if path.is_dir() else path
        loaded: dict[str, Any] = json.loads(path.read_text())
        return loaded

    def prompt(self, program: Any = None, args: Sequence[Any] | None = None) -> list[list[int]]:
        """Return the tokens that start a program on arguments (its defaults, if not given)."""
        start = self.program(program)
        if args is None:
            bits = start["defaults"]
            if bits is None:
                raise ValueError(f"{start['invoke']} takes {len(start['params'])} arguments")
        else:
            if len(args) != len(start["arguments"]):
                count = len(start["arguments"])
                raise ValueError(f"{start['invoke']} takes {count} arguments, {len(args)} given")
            types = start["params"] or ["i32"] * len(args)
            bits = [_bits(type_, arg) for type_, arg in zip(types, args, strict=True)]
        tokens = [list(token) for token in start["arguments"]]
        for token, number in zip(tokens, bits, strict=True):
            token[self.places["value"]] = number.to_bytes(8, "little")
        return [*map(list, start["before"]), *tokens, *map(list, start["after"])]

    def __call__(self, program: Any = None, args: Any = None, **more: Any) -> BatchEncoding:
        """Return `input_ids` (batch, time, parts) and `attention_mask`, padded on the left.

        For a batch, `program` is a list and `args` a list of lists, or None.
        """
        batch = program if isinstance(program, list) else [program]
        rows = args if isinstance(program, list) else [args]
        prompts = [
            self.prompt(one, given)
            for one, given in zip(batch, rows or [None] * len(batch), strict=True)
        ]
        return self.pad_prompts(prompts)

    def pad_prompts(self, prompts: Sequence[Sequence[Sequence[int]]]) -> BatchEncoding:
        """Return prompts of different lengths as one batch, padded on the left."""
        longest = max(map(len, prompts))
        blank = [0] * self.parts
        ids = [[blank] * (longest - len(p)) + [list(token) for token in p] for p in prompts]
        mask = [[0] * (longest - len(p)) + [1] * len(p) for p in prompts]
        return BatchEncoding({"input_ids": torch.tensor(ids), "attention_mask": torch.tensor(mask)})

    def field(self, token: Any, name: str) -> int:
        """Return a field of a token as a number."""
        return int.from_bytes(bytes(int(v) for v in token[self.places[name]]), "little")

    def answer(self, token: Any, byte: int | None) -> list[int]:
        """Return the token to append when `token` waits for input: a byte, None at its end."""
        reply = [int(v) for v in token]
        value = 0xFFFFFFFF if byte is None else byte
        reply[self.places["value"]] = value.to_bytes(8, "little")
        reply[self.places["status"]] = [0]
        return reply

    def status(self, tokens: Any) -> str:
        """Return the name of the first status that is not RUN, or RUN."""
        names = {number: name for name, number in self.statuses.items()}
        for token in tokens:
            status = self.field(token, "status")
            if status:
                return names[status]
        return names[0]

    def results(self, tokens: Any, program: Any = None) -> list[Any]:
        """Return the results of a run whose prompt and decoded tokens are given.

        Raises `ValueError` if the run has not returned.
        """
        status = self.status(tokens)
        if status != "DONE":
            raise ValueError(f"the run has no results: {status}")
        types = self.program(program)["results"]
        slots = {
            self.field(token, "at"): self.field(token, "value")
            for token in tokens
            if self.field(token, "space") == self.spaces["SLOT"]
        }
        return [_number(type_, slots.get(slot, 0)) for slot, type_ in enumerate(types)]

    def decode(self, token_ids: Tensor | Sequence[Any], **more: Any) -> Any:
        """Return the text that decoded tokens write; a list of texts for a batch."""
        rows = token_ids.tolist() if isinstance(token_ids, Tensor) else token_ids
        if rows and not isinstance(rows[0][0], int):
            return [self.decode(row) for row in rows]
        output = self.spaces["OUTPUT"]
        text = bytes(
            self.field(token, "value") & 0xFF
            for token in rows
            if self.field(token, "space") == output
        )
        return text.decode(errors="replace")

    def batch_decode(self, sequences: Any, **more: Any) -> list[str]:
        """Return the text of each row."""
        return [self.decode(row) for row in sequences]


def _bits(type_: str, value: Any) -> int:
    """Return the bits of an argument, as an unsigned number."""
    if type_ in _FLOATS:
        return int.from_bytes(struct.pack(_FLOATS[type_][0], float(value)), "little")
    width = 64 if type_ == "i64" else 32
    number = int(value)
    if not -(1 << width - 1) <= number < 1 << width:
        raise ValueError(f"{number} does not fit an {type_}")
    return number % (1 << width)


def _number(type_: str, bits: int) -> Any:
    """Return a result from its bits; integers are signed."""
    if type_ in _FLOATS:
        form, count = _FLOATS[type_]
        return struct.unpack(form, (bits % (1 << 8 * count)).to_bytes(count, "little"))[0]
    width = 64 if type_ == "i64" else 32
    bits %= 1 << width
    return bits - (1 << width) if bits >> width - 1 else bits
