"""Questions to prompts and decoded tokens to text, for a language model with a Transputer inside.

The tables come from `tokenizer_config.json` (ids and kinds) and `library.json` (the routines that a
sequence begins with). This file imports nothing of the package that it is part of: exports ship it
as it is.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from shutil import copy
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor
from transformers import BatchEncoding, PreTrainedTokenizer

from .decoded import DecodedText, JointVocabulary, SequenceEvent


class JointTokenizer(PreTrainedTokenizer):  # type: ignore[misc]
    """`tokenizer(question)` is a prompt; `decode` returns text, `read` programs as well."""

    vocab_files_names = {"pieces_file": "tokenizer.json", "library_file": "library.json"}
    model_input_names = ["input_ids", "attention_mask"]

    def __init__(
        self,
        own: int = 1,
        parts: int = 0,
        kinds: Any = None,
        begin: int = 0,
        end: int = 0,
        pieces_file: str | None = None,
        library_file: str | None = None,
        **more: Any,
    ) -> None:
        self.own, self.parts, self.begin, self.end = own, parts, begin, end
        self.pieces_file, self.library_file = pieces_file, library_file
        self.kinds: dict[str, Any] = dict(kinds or {})
        self.pieces = Tokenizer.from_file(pieces_file) if pieces_file else None
        self.library: list[list[int]] = []
        if library_file is not None:
            with open(library_file) as file:
                self.library = json.load(file)
        super().__init__(own=own, parts=parts, kinds=kinds, begin=begin, end=end, **more)

    @property
    def vocab_size(self) -> int:
        """Return the number of ids of text."""
        return self.own

    def get_vocab(self) -> dict[str, int]:
        """Return the pieces of text."""
        return dict(self.pieces.get_vocab()) if self.pieces is not None else {}

    def _tokenize(self, text: str, **more: Any) -> list[str]:
        return list(self.pieces.encode(text).tokens) if self.pieces is not None else []

    def _convert_token_to_id(self, token: str) -> int:
        return int(self.get_vocab()[token])

    def _convert_id_to_token(self, index: int) -> str:
        return str(self.pieces.id_to_token(index)) if self.pieces is not None else ""

    def save_vocabulary(
        self, save_directory: str, filename_prefix: str | None = None
    ) -> tuple[str, ...]:
        """Copy the pieces and the library; return their paths."""
        paths = [self.pieces_file, self.library_file]
        return tuple(str(copy(path, save_directory)) for path in paths if path)

    def ids(self, text: str) -> list[int]:
        """Return the pieces of a text."""
        if self.pieces is None:
            raise ValueError("tokenizer.json is missing")
        return list(self.pieces.encode(text).ids)

    def turn(self, question: str, first: bool = True) -> list[list[int]]:
        """Return a question as tokens; the first of a conversation stands behind the library.

        A later one continues what `generate` returned, with the end of the last answer.
        """
        if not self.library:
            raise ValueError("library.json is missing")
        step = self.own + self.kinds["step"] - 1
        rows = [[step, *token] for token in self.library] if first else []
        ids = [] if first else [self.end, *self.ids("\n")]
        ids += [self.begin, *self.ids("user\n"), *self.ids(question), self.end, *self.ids("\n")]
        ids += [self.begin, *self.ids("assistant\n")]
        return rows + [[number] + [0] * self.parts for number in ids]

    def __call__(self, question: Any = None, **more: Any) -> BatchEncoding:
        """Return `input_ids` (batch, time, 1 + parts) and `attention_mask`, padded on the left.

        For a batch, `question` is a list.
        """
        questions = question if isinstance(question, list) else [question]
        return self.pad_prompts([self.turn(one) for one in questions])

    def pad_prompts(self, prompts: Sequence[Sequence[Sequence[int]]]) -> BatchEncoding:
        """Return prompts of different lengths as one batch, padded on the left."""
        longest = max(map(len, prompts))
        blank = [self.end] + [0] * self.parts
        ids = [[blank] * (longest - len(p)) + [list(token) for token in p] for p in prompts]
        mask = [[0] * (longest - len(p)) + [1] * len(p) for p in prompts]
        return BatchEncoding({"input_ids": torch.tensor(ids), "attention_mask": torch.tensor(mask)})

    @property
    def vocabulary(self) -> JointVocabulary:
        """Return what reads tokens."""
        return JointVocabulary(self.own, self.kinds, self._text)

    def _text(self, pieces: list[int]) -> str:
        assert self.pieces is not None
        marks = (self.begin, self.end)
        return str(self.pieces.decode([p for p in pieces if p not in marks]))

    def events(self, tokens: Iterable[Sequence[int]]) -> Iterator[SequenceEvent]:
        """Yield what each token says, while they come."""
        return self.vocabulary.events(tokens)

    def read(self, tokens: Any) -> DecodedText:
        """Return what decoded tokens say, and what was computed for it."""
        return self.vocabulary.read(tokens.tolist() if isinstance(tokens, Tensor) else tokens)

    def decode(self, token_ids: Any, **more: Any) -> Any:
        """Return the text of decoded tokens; a list of texts for a batch."""
        rows = token_ids.tolist() if isinstance(token_ids, Tensor) else token_ids
        if rows and not isinstance(rows[0][0], int):
            return [self.decode(row) for row in rows]
        return self.read(rows).text

    def batch_decode(self, sequences: Any, **more: Any) -> list[str]:
        """Return the text of each row."""
        return [self.decode(row) for row in sequences]
