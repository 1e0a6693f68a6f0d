"""The network for training, in torch; its weights have the names that the NumPy one reads."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from transputer.frontends.words.embedded.beam import LIMIT
from transputer.frontends.words.embedded.network import (
    DECODER_HEADS,
    ENCODER_HEADS,
    EPSILON,
    FIRST_SLOT,
    START,
    TOKENS,
)
from transputer.frontends.words.embedded.wordpiece import LONGEST, slot_piece, vocabulary
from transputer.frontends.words.grammar import SLOTS


@dataclass(frozen=True, slots=True)
class Shape:
    """How large the network is. The encoder's part is that of the pretrained weights."""

    width: int = 384
    encoder_layers: int = 6
    encoder_inner: int = 1536
    decoder_layers: int = 2
    decoder_inner: int = 768


class Block(nn.Module):
    """One encoder layer: attention, then feed-forward, each followed by its norm."""

    def __init__(self, shape: Shape, dropout: float) -> None:
        super().__init__()
        width = shape.width
        self.self = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm1 = nn.LayerNorm(width, EPSILON)
        self.up = nn.Linear(width, shape.encoder_inner)
        self.down = nn.Linear(shape.encoder_inner, width)
        self.norm2 = nn.LayerNorm(width, EPSILON)
        self.dropout = dropout

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """The states after this layer; `mask` says which keys may be seen."""
        query, key, value = (heads(part, ENCODER_HEADS) for part in self.self(x).chunk(3, -1))
        drop = self.dropout if self.training else 0.0
        mixed = joined(F.scaled_dot_product_attention(query, key, value, mask, drop))
        x = self.norm1(x + F.dropout(self.out(mixed), self.dropout, self.training))
        fed = self.down(F.gelu(self.up(x), approximate="tanh"))
        return self.norm2(x + F.dropout(fed, self.dropout, self.training))


class Step(nn.Module):
    """One decoder layer: its own past, the text, feed-forward, each behind its norm."""

    def __init__(self, shape: Shape, dropout: float) -> None:
        super().__init__()
        width = shape.width
        self.norm1 = nn.LayerNorm(width, EPSILON)
        self.self = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm2 = nn.LayerNorm(width, EPSILON)
        self.ask = nn.Linear(width, width)
        self.memory = nn.Linear(width, 2 * width)
        self.told = nn.Linear(width, width)
        self.norm3 = nn.LayerNorm(width, EPSILON)
        self.up = nn.Linear(width, shape.decoder_inner)
        self.down = nn.Linear(shape.decoder_inner, width)
        self.dropout = dropout

    def forward(self, x: Tensor, text: Tensor, mask: Tensor) -> Tensor:
        """The states of the tokens after this layer."""
        drop = self.dropout
        parts = self.self(self.norm1(x)).chunk(3, -1)
        query, key, value = (heads(part, DECODER_HEADS) for part in parts)
        mixed = joined(F.scaled_dot_product_attention(query, key, value, is_causal=True))
        x = x + F.dropout(self.out(mixed), drop, self.training)
        query = heads(self.ask(self.norm2(x)), DECODER_HEADS)
        key, value = (heads(part, DECODER_HEADS) for part in self.memory(text).chunk(2, -1))
        mixed = joined(F.scaled_dot_product_attention(query, key, value, mask))
        x = x + F.dropout(self.told(mixed), drop, self.training)
        fed = self.down(F.gelu(self.up(self.norm3(x)), approximate="tanh"))
        return x + F.dropout(fed, drop, self.training)


class Planner(nn.Module):
    """Encoder, decoder and pointer."""

    def __init__(self, shape: Shape, dropout: float = 0.1) -> None:
        super().__init__()
        width = shape.width
        self.words = nn.Embedding(len(vocabulary()), width)
        self.places = nn.Embedding(LONGEST, width)
        self.entry = nn.LayerNorm(width, EPSILON)
        self.enc = nn.ModuleList([Block(shape, dropout) for _ in range(shape.encoder_layers)])
        self.tokens = nn.Embedding(START + 1, width)
        self.steps = nn.Embedding(LIMIT + 1, width)
        self.dec = nn.ModuleList([Step(shape, dropout) for _ in range(shape.decoder_layers)])
        self.final = nn.LayerNorm(width, EPSILON)
        self.output = nn.Linear(width, len(TOKENS))
        self.pointer = nn.Linear(width, width)
        self.slots = nn.Linear(width, width)
        self.dropout = dropout
        for table in (self.words, self.places, self.tokens, self.steps):
            nn.init.normal_(table.weight, std=0.02)

    def encode(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        """The states of the pieces, and the mask of those that are not padding."""
        mask = (ids != 0)[:, None, None]
        x = self.entry(self.words(ids) + self.places.weight[: ids.shape[1]])
        x = F.dropout(x, self.dropout, self.training)
        for block in self.enc:
            x = block(x, mask)
        return x, mask

    def decode(self, text: Tensor, mask: Tensor, slots: Tensor, tokens: Tensor) -> Tensor:
        """Scores of the token after each of `tokens`; the first of them is START."""
        known = slots >= 0
        place = slots.clamp(min=0)[..., None].expand(-1, -1, text.shape[2])
        states = text.gather(1, place) * known[..., None]
        x = self.tokens(tokens) + self.steps.weight[: tokens.shape[1]]
        index = tokens - FIRST_SLOT
        is_slot = (index >= 0) & (index < SLOTS)
        given = self.slots(states).gather(
            1, index.clamp(0, SLOTS - 1)[..., None].expand(-1, -1, text.shape[2])
        )
        x = F.dropout(x + given * is_slot[..., None], self.dropout, self.training)
        for step in self.dec:
            x = step(x, text, mask)
        state = self.final(x)
        scores = self.output(state).float()
        pointed = state @ self.pointer(states).transpose(1, 2) / math.sqrt(state.shape[2])
        pointed = pointed.float().masked_fill(~known[:, None], -1e4)
        return torch.cat([scores[..., :FIRST_SLOT], pointed, scores[..., FIRST_SLOT + SLOTS :]], -1)

    def forward(self, ids: Tensor, slots: Tensor, tokens: Tensor) -> Tensor:
        """Scores for every position of `tokens`."""
        text, mask = self.encode(ids)
        return self.decode(text, mask, slots, tokens)


def heads(x: Tensor, count: int) -> Tensor:
    """(batch, length, width) as (batch, heads, length, width of a head)."""
    return x.unflatten(-1, (count, -1)).transpose(1, 2)


def joined(x: Tensor) -> Tensor:
    """The inverse of `heads`."""
    return x.transpose(1, 2).flatten(2)


def adopt(model: Planner, bert: Mapping[str, Tensor]) -> None:
    """Take the encoder's weights from a pretrained BERT's.

    The slots' pieces, which no text ever had, begin near the mean of some number words.
    """
    bert = {name: tensor.float() for name, tensor in bert.items()}
    with torch.no_grad():
        words = bert["embeddings.word_embeddings.weight"]
        model.words.weight.copy_(words)
        model.places.weight.copy_(
            bert["embeddings.position_embeddings.weight"][:LONGEST]
            + bert["embeddings.token_type_embeddings.weight"][0]
        )
        _norm(model.entry, bert, "embeddings.LayerNorm")
        for index, block in enumerate(model.enc):
            name = f"encoder.layer.{index}"
            assert isinstance(block, Block)
            for kind in ("weight", "bias"):
                parts = [bert[f"{name}.attention.self.{p}.{kind}"] for p in _PARTS]
                getattr(block.self, kind).copy_(torch.cat(parts))
                for mine, theirs in _LINEAR:
                    getattr(getattr(block, mine), kind).copy_(bert[f"{name}.{theirs}.{kind}"])
            _norm(block.norm1, bert, f"{name}.attention.output.LayerNorm")
            _norm(block.norm2, bert, f"{name}.output.LayerNorm")
        numbers = [vocabulary()[word] for word in "two three five seven eight ten 12 25".split()]
        mean = words[numbers].mean(0)
        for index in range(SLOTS):
            model.words.weight[slot_piece(index)] = mean + 0.03 * torch.randn(len(mean))


_PARTS = ("query", "key", "value")
_LINEAR = (
    ("out", "attention.output.dense"),
    ("up", "intermediate.dense"),
    ("down", "output.dense"),
)


def _norm(norm: nn.Module, bert: Mapping[str, Tensor], name: str) -> None:
    for kind in ("weight", "bias"):
        getattr(norm, kind).copy_(bert[f"{name}.{kind}"])
