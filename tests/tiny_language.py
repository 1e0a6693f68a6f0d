"""Small language models of Llama's kind: one with random weights, one that follows a table."""

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from transputer.embed.one_model.export import LanguageModel
from transputer.embed.one_model.module import EXTRA
from transputer.embed.one_model.vocabulary import KINDS
from transputer.frontends.words.smollm.checkpoint import SmolCheckpoint, SmolShape
from transputer.frontends.words.smollm.network import MATRICES

BEGIN, END, OWN = 1, 2, 259


def byte_tokenizer() -> Tokenizer:
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    pieces = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", *alphabet]
    tokenizer = Tokenizer(models.BPE({piece: i for i, piece in enumerate(pieces)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def tiny(seed: int = 0) -> SmolCheckpoint:
    """A language model with random weights, on bytes."""
    rng = np.random.default_rng(seed)
    shape = SmolShape(2, 32, 4, 2, 48, 10_000.0, 1e-5)
    sizes = {
        "attn_q": (32, 32), "attn_k": (16, 32), "attn_v": (16, 32), "attn_output": (32, 32),
        "ffn_gate": (48, 32), "ffn_up": (48, 32), "ffn_down": (32, 48),
    }  # fmt: skip
    weights = {"token_embd.weight": rng.normal(size=(OWN, 32)), "output_norm.weight": np.ones(32)}
    for layer in range(2):
        for name in MATRICES:
            weights[f"blk.{layer}.{name}.weight"] = 0.1 * rng.normal(size=sizes[name])
        for name in ("attn_norm", "ffn_norm"):
            weights[f"blk.{layer}.{name}.weight"] = np.ones(32)
    return SmolCheckpoint(
        shape, {k: v.astype(np.float32) for k, v in weights.items()}, byte_tokenizer()
    )


def characters(tokenizer: Tokenizer) -> list[int]:
    """The rows of the output bytes."""
    return [tokenizer.encode(chr(byte)).ids[0] if byte < 128 else 0 for byte in range(256)]


def follower(*chains: str) -> LanguageModel:
    """A language model in which every token has one successor, whatever stands before.

    A chain is words: `'x` is a character (`'\\n` a newline), `<end>` the end of an answer, others
    are names of kinds. The one layer adds the successor's row to the stream; rows are one-hot.
    """
    tokenizer = byte_tokenizer()
    kinds = {"code": KINDS.code, **KINDS.routines, "run": KINDS.run, "done": KINDS.run + 1,
             "trap": KINDS.run + 2}  # fmt: skip

    def row(word: str) -> int:
        if word == "<end>":
            return END
        if word[0] == "'":
            return int(tokenizer.encode(word[1:].replace("\\n", "\n")).ids[0])
        return OWN + kinds[word] - 1

    successors: Mapping[int, int] = {
        row(word): row(after) for chain in chains for word, after in pairwise(chain.split())
    }
    width = OWN + EXTRA + 1  # 292, in 2 heads of an even size
    eye = np.eye(width, dtype=np.float32)
    following = np.zeros((width, width), dtype=np.float32)
    for before, after in successors.items():
        following[after, before] = 1
    zeros = {name: np.zeros((width, width), np.float32) for name in MATRICES[:4]}
    weights = {f"blk.0.{name}.weight": array for name, array in zeros.items()}
    weights |= {
        "output_norm.weight": np.ones(width),
        "blk.0.attn_norm.weight": np.ones(width),
        "blk.0.ffn_norm.weight": np.ones(width),
        "blk.0.ffn_gate.weight": eye,
        "blk.0.ffn_up.weight": eye,
        "blk.0.ffn_down.weight": following,
    }
    shape = SmolShape(1, width, 2, 2, width, 10_000.0, 1e-5)
    return LanguageModel("a table of successors", shape, weights, eye[: OWN + EXTRA],
                         tokenizer.to_str(), BEGIN, END, characters(tokenizer))  # fmt: skip
