"""What tokenizers of machines share in the transformers library: a vocabulary of numbers, no text.

This file imports nothing of the package that it is part of: exports ship it as it is.
"""

from typing import Any

from transformers import PreTrainedTokenizer


class NumberTokenizer(PreTrainedTokenizer):  # type: ignore[misc]
    """Its vocabulary are the numbers below `values`; `call` says how a prompt is made."""

    values: int
    call: str

    @property
    def vocab_size(self) -> int:
        """Return how many numbers there are."""
        return self.values

    def get_vocab(self) -> dict[str, int]:
        """Return the numbers, as text."""
        return {str(value): value for value in range(self.values)}

    def _tokenize(self, text: str, **more: Any) -> list[str]:
        raise ValueError(self.call)

    def _convert_token_to_id(self, token: str) -> int:
        return int(token)

    def _convert_id_to_token(self, index: int) -> str:
        return str(index)

    def save_vocabulary(self, save_directory: str, filename_prefix: str | None = None) -> tuple[()]:
        """Write nothing: the tables are in the configuration, programs in files of their own."""
        return ()
