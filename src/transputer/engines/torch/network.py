"""The network of a decoder with integer weights, in PyTorch alone.

Weights are float64 integers and no sum reaches 2^53, so that every order of summation gives the
same number. A token has several parts; the embedding of a token is the sum of the rows of its
parts, and each part has logits of its own. A matrix is kept as the lanes (dimensions of the
residual stream) that it reads or writes and the weights there: all other weights are 0.

This file imports nothing of the package that it is part of: exports ship it as it is.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding_bag, scaled_dot_product_attention

#: Longer prompts are split so that at most this many scores are in memory at once.
MAX_SCORES = 2**22
#: What a winning score must lead by after division by the root of the width: exp(-1024) is 0.
SHARPNESS = 1024


class TiedScores(ArithmeticError):
    """A softmax would average values, because two scores are too close."""


def latest_argmax(scores: Tensor) -> Tensor:
    """Where the largest score is; the latest such position."""
    positions = torch.arange(scores.size(-1), device=scores.device)
    return torch.where(scores == scores.amax(-1, keepdim=True), positions, -1).amax(-1)


@dataclass
class Watch:
    """What a forward pass is asked to keep: the residual stream around layers, and attention."""

    hidden: list[Tensor] = field(default_factory=list)
    attentions: list[Tensor] = field(default_factory=list)
    patterns: bool = False


@dataclass(frozen=True)
class NewPositions:
    """Where new tokens go: at `positions` (rows or 1, time), from `start` on if all do.

    `total` is the number of keys that the last of them sees.
    """

    start: int | None
    positions: Tensor
    total: int

    @cached_property
    def visible(self) -> Tensor | None:
        """The causal mask, (rows or 1, 1, time, total), 1 where a key is seen; None if all are."""
        if self.start is not None and self.positions.size(1) == 1:
            return None
        every = torch.arange(self.total, device=self.positions.device)
        return every <= self.positions[:, None, :, None]


def _weight(*shape: int) -> Any:
    return nn.Parameter(torch.empty(shape, dtype=torch.float64), requires_grad=False)


class HookPoint(nn.Identity):  # type: ignore[misc]
    """A named place in the network: register a forward hook here to see or change what passes."""


class Reads(nn.Module):  # type: ignore[misc]
    """`matrix @ x` where most columns are 0: holds the others, and which lanes they read.

    Weights are (in, out), the faster layout for a few rows of x.
    """

    def __init__(self, lanes: int, rows: int) -> None:
        super().__init__()
        self.register_buffer("lanes", torch.empty(lanes, dtype=torch.int64))
        self.weight = _weight(lanes, rows)

    def forward(self, x: Tensor) -> Tensor:
        """Return the product."""
        return x.index_select(-1, self.lanes) @ self.weight


class Writes(nn.Module):  # type: ignore[misc]
    """`x + matrix @ y` where most rows are 0: holds the others, and which lanes they write."""

    def __init__(self, columns: int, lanes: int) -> None:
        super().__init__()
        self.register_buffer("lanes", torch.empty(lanes, dtype=torch.int64))
        self.weight = _weight(columns, lanes)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the sum."""
        return x.index_add(-1, self.lanes, y @ self.weight)


class AttentionHeads(nn.Module):  # type: ignore[misc]
    """The heads of a layer. Queries and keys are padded with zeros to one number of rows.

    Softmax attention divides scores by the root of that number, so there nothing is padded.
    `hook_pattern` (rows, heads, time, total) is there for softmax attention while it has hooks, or
    attention is watched; `hook_read` (rows, time, all value rows) is what the heads read, and
    `owners` says which head a value row belongs to.
    """

    def __init__(self, shape: Mapping[str, Any], attention: str, where: str) -> None:
        super().__init__()
        rows, values = shape["rows"], shape["values"]
        if attention == "softmax" and not shape["same"]:
            raise ValueError(f"softmax attention: the heads of {where} differ in width")
        self.attend, self.where = ATTENTION[attention], where
        self.project = Reads(*shape["project"])
        self.output = Writes(*shape["output"])
        self.register_buffer("owners", torch.empty(sum(values), dtype=torch.int64))
        self.shape = (len(values), rows, sum(values))
        self.hook_pattern, self.hook_read = HookPoint(), HookPoint()

    def forward(
        self,
        x: Tensor,
        cache: "KeyValueCache",
        number: int,
        span: NewPositions,
        watch: Watch | None,
    ) -> Tensor:
        """Return x with what the heads read added."""
        heads, rows, width = self.shape
        projected = self.project(x).split((heads * rows, heads * rows, width), -1)
        queries = projected[0].unflatten(-1, (heads, rows)).transpose(1, 2)
        keys, values = cache.extend(number, projected[1], projected[2], span)
        read = self.attend(self, queries, keys, values, span, watch)
        return self.output(x, self.hook_read(read))


def _scores(queries: Tensor, keys: Tensor, span: NewPositions) -> Tensor:
    scores = queries @ keys
    return scores if span.visible is None else scores.masked_fill(~span.visible, -torch.inf)


def _hard(
    heads: AttentionHeads,
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    span: NewPositions,
    watch: Watch | None,
) -> Tensor:
    """Values at the largest score, the latest position on ties."""
    best = latest_argmax(_scores(queries, keys, span))
    if watch is not None and watch.patterns:
        watch.attentions.append(nn.functional.one_hot(best, span.total).double())
    return values.gather(1, best.index_select(1, heads.owners).transpose(1, 2))


def _softmax(
    heads: AttentionHeads,
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    span: NewPositions,
    watch: Watch | None,
) -> Tensor:
    """Textbook attention: softmax of scores divided by the root of their width, causal mask.

    The scale that makes it one-hot is in the query weights. Every head mixes all values, and
    each keeps its own.
    """
    _refuse_ties(heads, queries, keys, span)
    shared = values.unsqueeze(1).expand(-1, queries.size(1), -1, -1)
    watched = watch is not None and watch.patterns
    if watched or heads.hook_pattern._forward_hooks:
        scores = _scores(queries, keys, span) / queries.size(-1) ** 0.5
        pattern = heads.hook_pattern(scores.softmax(-1))
        if watch is not None and watched:
            watch.attentions.append(pattern)
        mixed = pattern @ shared
    else:
        mixed = scaled_dot_product_attention(queries, keys.mT, shared, span.visible)
    index = heads.owners.expand(mixed.size(0), 1, mixed.size(2), -1)
    return mixed.gather(1, index).squeeze(1)


def _refuse_ties(heads: AttentionHeads, queries: Tensor, keys: Tensor, span: NewPositions) -> None:
    """Raise `TiedScores` where a softmax would average: a loser is too close to the winner.

    Only broken models have such scores.
    """
    with torch.no_grad():
        scores = _scores(queries, keys, span)
        lead = SHARPNESS * queries.size(-1) ** 0.5
        close = (scores > scores.amax(-1, keepdim=True) - lead).sum(-1) > 1
        if close.any():
            row, head, time = close.nonzero()[0].tolist()
            at = span.positions.expand(close.size(0), -1)[row, time]
            raise TiedScores(
                f"softmax attention: {heads.where}, head {head} ties at position {int(at)}, "
                "so a softmax would average values"
            )


Attend = Callable[[AttentionHeads, Tensor, Tensor, Tensor, NewPositions, Watch | None], Tensor]
#: Kinds of attention: from queries (rows, heads, time, width), keys (rows, heads, width, total)
#: and values (rows, total, all value rows) to what is read (rows, time, all value rows).
ATTENTION: dict[str, Attend] = {"hard": _hard, "softmax": _softmax}


class Neurons(nn.Module):  # type: ignore[misc]
    """The gated neurons of a layer; `hook_neurons` (rows, time, neurons) is what they say."""

    def __init__(self, shape: Mapping[str, Any]) -> None:
        super().__init__()
        self.gate = Reads(*shape["gate"])
        self.value = Reads(*shape["value"])
        self.out = Writes(*shape["out"])
        self.hook_neurons = HookPoint()

    def forward(self, x: Tensor) -> Tensor:
        """Return x with what the neurons say added."""
        return self.out(x, self.hook_neurons(self.gate(x).relu().mul(self.value(x))))


class DecoderLayer(nn.Module):  # type: ignore[misc]
    """Heads, then neurons; hooks on the residual stream before, between and after them."""

    def __init__(self, shape: Mapping[str, Any], attention: str, where: str) -> None:
        super().__init__()
        self.heads = AttentionHeads(shape["heads"], attention, where) if shape["heads"] else None
        self.neurons = Neurons(shape["neurons"]) if shape["neurons"] else None
        self.hook_pre, self.hook_mid, self.hook_post = HookPoint(), HookPoint(), HookPoint()

    def forward(
        self,
        x: Tensor,
        cache: "KeyValueCache",
        number: int,
        span: NewPositions,
        watch: Watch | None,
    ) -> Tensor:
        """Return the residual stream after the layer."""
        x = self.hook_pre(x)
        if self.heads is not None:
            x = self.heads(x, cache, number, span, watch)
        x = self.hook_mid(x)
        if self.neurons is not None:
            x = self.neurons(x)
        x = self.hook_post(x)
        return x


class KeyValueCache:
    """Keys and values of a batch of sequences, each of its own length; grows as needed."""

    def __init__(self, network: "Network", rows: int = 1) -> None:
        self.lengths = [0] * rows
        self.device = at = network.bias.device
        shapes = network.shapes
        self._keys = [_zeros((rows, heads, width, 64), at) for heads, width, _ in shapes]
        self._values = [_zeros((rows, 64, width), at) for _, _, width in shapes]

    @property
    def capacity(self) -> int:
        """Positions there is room for."""
        return self._values[0].size(1) if self._values else 0

    def get_seq_length(self, layer_idx: int = 0) -> int:
        """Return the length of the longest sequence."""
        return max(self.lengths)

    def select(self, rows: Sequence[int]) -> "KeyValueCache":
        """A copy with these rows, in this order; a row may come several times."""
        selection = object.__new__(KeyValueCache)
        selection.device = self.device
        selection.lengths = [self.lengths[row] for row in rows]
        index = torch.tensor(rows, dtype=torch.int64, device=self.device)
        selection._keys = [keys.index_select(0, index) for keys in self._keys]
        selection._values = [values.index_select(0, index) for values in self._values]
        return selection

    def reserve(self, positions: int) -> None:
        """Make room."""
        if positions > self.capacity:
            more = max(positions, 2 * self.capacity) - self.capacity
            self._keys = [_longer(keys, 3, more) for keys in self._keys]
            self._values = [_longer(values, 1, more) for values in self._values]

    def extend(
        self, layer: int, keys: Tensor, values: Tensor, span: NewPositions
    ) -> tuple[Tensor, Tensor]:
        """Store the keys and values of new tokens in a layer; return all up to the last token."""
        all_keys, all_values = self._keys[layer], self._values[layer]
        keys = keys.unflatten(-1, all_keys.shape[1:3])
        if span.start is not None:
            at = slice(span.start, span.start + keys.size(1))
            all_keys[..., at] = keys.permute(0, 2, 3, 1)
            all_values[:, at] = values
        else:
            rows = torch.arange(len(self.lengths), device=keys.device)[:, None]
            all_keys[rows, :, :, span.positions] = keys
            all_values[rows, span.positions] = values
        return all_keys[..., : span.total], all_values[:, : span.total]

    def span(self, counts: Sequence[int], time: int) -> NewPositions:
        """Where `counts` new tokens per row go, given `time` wide; makes room for them."""
        longest, device = max(self.lengths), self.device
        self.reserve(longest + time)
        same = min(self.lengths) == longest and min(counts) == time
        if same:
            positions = torch.arange(longest, longest + time, device=device)[None]
            return NewPositions(longest, positions, longest + time)
        starts = torch.tensor(self.lengths, device=device)
        positions = starts[:, None] + torch.arange(time, device=device)
        total = max(start + count for start, count in zip(self.lengths, counts, strict=True))
        return NewPositions(None, positions, total)

    def advance(self, counts: Sequence[int]) -> None:
        """Count new tokens per row."""
        self.lengths = [a + b for a, b in zip(self.lengths, counts, strict=True)]


def _zeros(shape: tuple[int, ...], device: Any) -> Tensor:
    # zeros, not garbage: what is not to be seen is multiplied by 0 and must be finite
    return torch.zeros(shape, dtype=torch.float64, device=device)


def _longer(tensor: Tensor, axis: int, more: int) -> Tensor:
    shape = list(tensor.shape)
    shape[axis] = more
    return torch.cat([tensor, tensor.new_zeros(shape)], axis)


class Exact(nn.Module):  # type: ignore[misc]
    """A module that moves between devices, but keeps its numbers as they are.

    `.to()`, `.half()` and `.float()` of the network around it do not change them: fewer bits
    would not be exact.
    """

    def _apply(self, fn: Callable[[Tensor], Tensor], *args: Any, **more: Any) -> Any:
        """Moves, but does not change what numbers are."""

        def exact(tensor: Tensor) -> Tensor:
            result = fn(tensor)
            return result if result.dtype == tensor.dtype else tensor.to(result.device)

        return super()._apply(exact, *args, **more)


class Network(Exact):
    """A decoder of a given shape, with weights that `load_state_dict` fills in.

    Tokens are (rows, time, parts), int64. `shape` is a description in JSON: parts with their
    sizes, the context, the width, and per layer the lanes and rows of its matrices.
    """

    def __init__(self, shape: Mapping[str, Any], attention: str = "softmax") -> None:
        super().__init__()
        sizes = [size for _, size in shape["parts"]]
        self.context: int = shape["context"]
        count, width = len(sizes), shape["width"]
        self.register_buffer("sizes", torch.empty(count, dtype=torch.int64))
        self.register_buffer("starts", torch.empty(count, dtype=torch.int64))
        # parts are padded to the largest
        self.register_buffer("beyond", torch.empty((count, max(sizes)), dtype=torch.bool))
        self.bias, self.position = _weight(width), _weight(width)
        self.embedding = _weight(sum(sizes), width)
        self.layers = nn.ModuleList(
            DecoderLayer(layer, attention, f"layer {number}")
            for number, layer in enumerate(shape["layers"])
        )
        self.output = Reads(*shape["output"])

    @property
    def shapes(self) -> list[tuple[int, int, int]]:
        """Heads, rows of a key and rows of all values, per layer."""
        return [(0, 0, 0) if a.heads is None else a.heads.shape for a in self.layers]

    def forward(self, tokens: Tensor, cache: KeyValueCache | None = None) -> Tensor:
        """Logits of the token after each given one; -inf beyond the values of a part.

        With a `cache` the tokens continue its sequences, which then include them.
        """
        return self.logits(self.hidden(tokens, cache or KeyValueCache(self, tokens.size(0))))

    def logits(self, x: Tensor) -> Tensor:
        """What lanes (…, lanes) predict: (…, parts, values)."""
        logits = self.output(x).unflatten(-1, self.beyond.shape)
        return logits.masked_fill(self.beyond, -torch.inf)

    def predict(
        self, tokens: Tensor, cache: KeyValueCache, counts: Sequence[int] | None = None
    ) -> Tensor:
        """The next token of each row (rows, parts), after `counts` new tokens per row."""
        return self.following(tokens, cache, counts).argmax(-1)  # the first of the largest

    def following(
        self, tokens: Tensor, cache: KeyValueCache, counts: Sequence[int] | None = None
    ) -> Tensor:
        """Logits of the next token of each row (rows, parts, values).

        Those of a row without new tokens (a count of 0) mean nothing.
        """
        x = self.hidden(tokens, cache, counts)
        if counts is None:
            last = x[:, -1]
        else:
            ends = torch.tensor(counts, device=x.device) - 1
            last = x[torch.arange(len(counts), device=x.device), ends]
        return self.logits(last)

    def hidden(
        self,
        tokens: Tensor,
        cache: KeyValueCache,
        counts: Sequence[int] | None = None,
        watch: Watch | None = None,
    ) -> Tensor:
        """The lanes (rows, time, lanes) behind the last layer.

        Row i continues its sequence with the first `counts[i]` of its tokens (all, if not
        given); what comes back for the others means nothing.
        """
        rows, time, _ = tokens.shape
        counts = [time] * rows if counts is None else counts
        used = max(a + b for a, b in zip(cache.lengths, counts, strict=True))
        if used > self.context:
            raise ValueError(f"the context of {self.context:,} positions is full")
        heads = max((heads for heads, _, _ in self.shapes), default=0)
        piece = max(1, MAX_SCORES // max(1, rows * heads * used))
        if watch is not None:
            piece = time
        chunks = []
        for first in range(0, time, piece):
            some = tokens[:, first : first + piece]
            fresh = [min(max(count - first, 0), some.size(1)) for count in counts]
            chunks.append(self._hidden(some, cache, fresh, watch))
        return chunks[0] if len(chunks) == 1 else torch.cat(chunks, 1)

    def _hidden(
        self, tokens: Tensor, cache: KeyValueCache, counts: Sequence[int], watch: Watch | None
    ) -> Tensor:
        span = cache.span(counts, tokens.size(1))
        x = embedding_bag((tokens + self.starts).flatten(0, 1), self.embedding, mode="sum")
        x = x.unflatten(0, tokens.shape[:2])
        x = x + torch.addcmul(self.bias, span.positions.double().unsqueeze(-1), self.position)
        for number, layer in enumerate(self.layers):
            if watch is not None:
                watch.hidden.append(x)
            x = layer(x, cache, number, span, watch)
        if watch is not None:
            watch.hidden.append(x)
        cache.advance(counts)
        return x
