"""The language model in torch: Llama's layers over frozen weights, with adapters of low rank.

The embedding has rows behind the vocabulary's own for the tokens of plans; they are read and
scored like any other piece. `states` gives what every layer leaves in the residual stream, and
`lens` reads any of them as if it were the last.
"""

from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from transputer.frontends.words.smollm.checkpoint import SmolCheckpoint, SmolShape
from transputer.values import dataclass

#: The matrices of a layer, by their names in the file.
MATRICES = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")


@dataclass(frozen=True, slots=True)
class Rank:
    """Which matrices have an adapter, its rank, and the factor of what it adds."""

    size: int = 16
    scale: float = 2.0
    matrices: tuple[str, ...] = MATRICES


class Adapted(nn.Module):  # type: ignore[misc]
    """A frozen matrix plus a product of two thin ones that are trained."""

    weight: Tensor

    def __init__(self, weight: Tensor, rank: Rank | None) -> None:
        super().__init__()
        self.register_buffer("weight", weight, persistent=False)
        self.scale = rank.scale if rank else 0.0
        self.down = self.up = None
        if rank:
            self.down = nn.Parameter(torch.randn(rank.size, weight.shape[1]) / rank.size)
            self.up = nn.Parameter(torch.zeros(weight.shape[0], rank.size))

    def forward(self, x: Tensor) -> Tensor:
        """The product with the sum of both."""
        weight = self.weight
        if self.down is not None and self.up is not None:
            weight = weight + self.scale * (self.up @ self.down)
        return F.linear(x, weight.to(x.dtype))

    def merge(self) -> None:
        """The adapter becomes a part of the frozen matrix."""
        if self.down is not None and self.up is not None:
            self.weight = self.weight + self.scale * (self.up.data @ self.down.data)
            self.down = self.up = None


class Norm(nn.Module):  # type: ignore[misc]
    """Root-mean-square normalisation, frozen."""

    def __init__(self, weight: Tensor, epsilon: float) -> None:
        super().__init__()
        self.register_buffer("weight", weight, persistent=False)
        self.epsilon = epsilon

    def forward(self, x: Tensor) -> Tensor:
        """The normalised vectors."""
        wide = x.float()
        scale = torch.rsqrt(wide.square().mean(-1, keepdim=True) + self.epsilon)
        return (wide * scale * self.weight).to(x.dtype)


#: Keys and values of every layer for the pieces so far.
KeysAndValues = tuple[tuple[Tensor, Tensor], ...]


class SmolLayer(nn.Module):  # type: ignore[misc]
    """Attention with shared keys and values, then a gated feed-forward network."""

    def __init__(self, shape: SmolShape, weights: Mapping[str, Tensor], rank: Rank | None) -> None:
        super().__init__()
        self.shape = shape
        for name in MATRICES:
            chosen = rank if rank and name in rank.matrices else None
            setattr(self, name, Adapted(weights[f"{name}.weight"], chosen))
        self.attn_norm = Norm(weights["attn_norm.weight"], shape.epsilon)
        self.ffn_norm = Norm(weights["ffn_norm.weight"], shape.epsilon)

    def forward(
        self, x: Tensor, turn: Tensor, past: tuple[Tensor, Tensor] | None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """The stream after this layer, and the keys and values up to here."""
        y = self.attn_norm(x)
        query, key, value = (
            self._heads(matrix(y)) for matrix in (self.attn_q, self.attn_k, self.attn_v)
        )
        query, key = _turned(query, turn), _turned(key, turn)
        if past is not None:
            key, value = torch.cat([past[0], key], 2), torch.cat([past[1], value], 2)
        count, total = query.size(2), key.size(2)
        seen = None  # of one new piece, everything
        if past is not None and count > 1:
            every = torch.ones(count, total, dtype=torch.bool, device=x.device)
            seen = every.tril(total - count)
        mixed = F.scaled_dot_product_attention(
            query, key, value, seen, is_causal=past is None, enable_gqa=True
        )
        x = x + self.attn_output(mixed.transpose(1, 2).flatten(2))
        y = self.ffn_norm(x)
        x = x + self.ffn_down(F.silu(self.ffn_gate(y)) * self.ffn_up(y))
        return x, (key, value)

    def _heads(self, x: Tensor) -> Tensor:
        size = self.shape.width // self.shape.heads
        return x.unflatten(-1, (-1, size)).transpose(1, 2)


class SmolNetwork(nn.Module):  # type: ignore[misc]
    """All layers. `extra` rows of the embedding are trained with the adapters."""

    def __init__(
        self, checkpoint: SmolCheckpoint, rank: Rank | None = None, extra: int = 0
    ) -> None:
        super().__init__()
        self.shape = shape = checkpoint.shape
        weights = {name: torch.tensor(value) for name, value in checkpoint.weights.items()}
        embedding = weights["token_embd.weight"]
        self.register_buffer("embedding", embedding, persistent=False)
        self.extra = nn.Parameter(embedding.mean(0) + 0.02 * torch.randn(extra, shape.width))
        self.layers = nn.ModuleList(
            SmolLayer(
                shape,
                {n.removeprefix(f"blk.{i}."): w for n, w in weights.items() if f"blk.{i}." in n},
                rank,
            )
            for i in range(shape.layers)
        )
        self.norm = Norm(weights["output_norm.weight"], shape.epsilon)

    def states(
        self, ids: Tensor, past: KeysAndValues | None = None
    ) -> tuple[list[Tensor], KeysAndValues]:
        """The stream before the first layer and after every one, and keys and values."""
        x = self._embedded(ids)
        begin = past[0][0].shape[2] if past else 0
        turn = _angles(self.shape, begin, ids.shape[1], ids.device)
        states, cache = [x], []
        for index, layer in enumerate(self.layers):
            x, pair = layer(x, turn, past[index] if past else None)
            states.append(x)
            cache.append(pair)
        return states, tuple(cache)

    def _embedded(self, ids: Tensor) -> Tensor:
        own = len(self.embedding)
        x = self.embedding[ids.clamp(max=own - 1)]
        if len(self.extra):
            x = torch.where((ids >= own)[..., None], self.extra[(ids - own).clamp(min=0)], x)
        kind = ids.device.type
        return x.to(torch.get_autocast_dtype(kind)) if torch.is_autocast_enabled(kind) else x

    def lens(self, state: Tensor, pieces: Tensor | None = None) -> Tensor:
        """Scores of the vocabulary's pieces, all or these, read off a state."""
        table = self.embedding if pieces is None else self.embedding[pieces]
        return F.linear(self.norm(state), table.to(state.dtype))

    def scores(self, state: Tensor) -> Tensor:
        """Scores of the extra rows."""
        return F.linear(self.norm(state), self.extra.to(state.dtype))

    def merge(self) -> None:
        """All adapters become a part of the frozen matrices."""
        for module in self.modules():
            if isinstance(module, Adapted):
                module.merge()


def _angles(shape: SmolShape, begin: int, count: int, device: torch.device) -> Tensor:
    size = shape.width // shape.heads
    speed = shape.rope ** (-torch.arange(0, size, 2, device=device) / size)
    return torch.arange(begin, begin + count, device=device)[:, None] * speed


def _turned(x: Tensor, turn: Tensor) -> Tensor:
    """Pairs of neighbouring lanes, turned by the angles of their positions."""
    even, odd = x.float().unflatten(-1, (-1, 2)).unbind(-1)
    cosine, sine = turn.cos(), turn.sin()
    pairs = torch.stack([even * cosine - odd * sine, even * sine + odd * cosine], -1)
    return pairs.flatten(-2).to(x.dtype)


def trained(network: SmolNetwork) -> dict[str, Tensor]:
    """The parameters that are not the language model's own."""
    return {name: value.detach() for name, value in network.named_parameters()}
