"""The torch engine: a Model as an ordinary `nn.Module`, batched, on a CPU or a GPU.

Weights are float64 integers and no sum reaches 2^53 (`verify` shows it), so that every order of
summation gives the same number, and this engine the same tokens as `reference`. It may
therefore do what is fast: one matrix product for all heads or neurons of a layer, over the
lanes that any of them reads, for all rows of a batch and all positions of a prompt at once.
"""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, TypeVar

import numpy as np

from transputer.errors import ContextError, EngineUnavailable, Unsupported, UsageError
from transputer.model import Array, Head, Layer, Model, Part, Token
from transputer.model.softmax import SHARPNESS

try:  # code built on this engine imports PyTorch from here, so that one message names its absence
    import torch
    from torch import Tensor, nn
    from torch.nn.functional import embedding_bag, scaled_dot_product_attention
except ImportError as error:
    raise EngineUnavailable(
        "torch: PyTorch is not installed; pip install 'transputer[torch]'"
    ) from error

#: Longer prompts are split so that at most this many scores are in memory at once.
MAX_SCORES = 2**22
Made = TypeVar("Made")


def latest_argmax(scores: Tensor) -> Tensor:
    """Where the largest score is; the latest such position."""
    positions = torch.arange(scores.size(-1), device=scores.device)
    return torch.where(scores == scores.amax(-1, keepdim=True), positions, -1).amax(-1)


@dataclass(frozen=True)
class _Span:
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


def _weight(array: Array) -> Any:
    return nn.Parameter(torch.tensor(np.ascontiguousarray(array)), requires_grad=False)


class _Reads(nn.Module):  # type: ignore[misc]
    """`matrix @ x` where most columns are 0: holds the others, and which lanes they read.

    Weights are (in, out), the faster layout for a few rows of x.
    """

    def __init__(self, matrix: Array) -> None:
        super().__init__()
        lanes = np.flatnonzero(matrix.any(axis=0))
        self.register_buffer("lanes", torch.tensor(lanes))
        self.weight = _weight(matrix[:, lanes].T)

    def forward(self, x: Tensor) -> Tensor:
        return x.index_select(-1, self.lanes) @ self.weight


class _Writes(nn.Module):  # type: ignore[misc]
    """`x += matrix @ y` where most rows are 0: holds the others, and which lanes they write."""

    def __init__(self, matrix: Array) -> None:
        super().__init__()
        lanes = np.flatnonzero(matrix.any(axis=1))
        self.register_buffer("lanes", torch.tensor(lanes))
        self.weight = _weight(matrix[lanes].T)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return x.index_add_(-1, self.lanes, y @ self.weight)


class _Heads(nn.Module):  # type: ignore[misc]
    """The heads of a layer. Queries and keys are padded with zeros to one number of rows.

    Softmax attention divides scores by the root of that number, so there nothing is padded.
    """

    def __init__(self, heads: Sequence[Head], attention: str, where: str) -> None:
        super().__init__()
        rows = max(len(head.query) for head in heads)
        if attention == "softmax" and any(len(head.query) != rows for head in heads):
            raise Unsupported(f"torch: softmax attention: the heads of {where} differ in width")
        self.attend, self.where = ATTENTION[attention], where
        queries = [_padded(head.query, rows) for head in heads]
        keys = [_padded(head.key, rows) for head in heads]
        values = [head.value for head in heads]
        self.project = _Reads(np.concatenate([*queries, *keys, *values]))
        self.output = _Writes(np.concatenate([head.output for head in heads], axis=1))
        owners = np.repeat(np.arange(len(heads)), [len(head.value) for head in heads])
        self.register_buffer("owners", torch.tensor(owners))  # the head of each value row
        self.shape = (len(heads), rows, len(owners))

    def forward(self, x: Tensor, cache: "KeyValueCache", number: int, span: _Span) -> Tensor:
        heads, rows, width = self.shape
        projected = self.project(x).split((heads * rows, heads * rows, width), -1)
        queries = projected[0].unflatten(-1, (heads, rows)).transpose(1, 2)
        keys, values = cache.extend(number, projected[1], projected[2], span)
        return self.output(x, self.attend(self, queries, keys, values, span))


def _padded(matrix: Array, rows: int) -> Array:
    return np.pad(matrix, ((0, rows - len(matrix)), (0, 0)))


def _scores(queries: Tensor, keys: Tensor, span: _Span) -> Tensor:
    scores = queries @ keys
    return scores if span.visible is None else scores.masked_fill_(~span.visible, -torch.inf)


def _hard(heads: _Heads, queries: Tensor, keys: Tensor, values: Tensor, span: _Span) -> Tensor:
    """Values at the largest score, the latest position on ties."""
    best = latest_argmax(_scores(queries, keys, span)).index_select(1, heads.owners)
    return values.gather(1, best.transpose(1, 2))


def _softmax(heads: _Heads, queries: Tensor, keys: Tensor, values: Tensor, span: _Span) -> Tensor:
    """Textbook attention: softmax of scores divided by the root of their width, causal mask.

    The scale that makes it one-hot is in the query weights. Every head mixes all values, and
    each keeps its own.
    """
    _refuse_ties(heads, queries, keys, span)
    shared = values.unsqueeze(1).expand(-1, queries.size(1), -1, -1)
    mixed = scaled_dot_product_attention(queries, keys.mT, shared, span.visible)
    index = heads.owners.expand(mixed.size(0), 1, mixed.size(2), -1)
    return mixed.gather(1, index).squeeze(1)


def _refuse_ties(heads: _Heads, queries: Tensor, keys: Tensor, span: _Span) -> None:
    """Raise `Unsupported` where a softmax would average: a loser is too close to the winner.

    Only broken models have such scores. `reference` takes the latest of the largest there.
    """
    scores = _scores(queries, keys, span)
    lead = SHARPNESS * queries.size(-1) ** 0.5
    close = (scores > scores.amax(-1, keepdim=True) - lead).sum(-1) > 1
    if close.any():
        row, head, time = close.nonzero()[0].tolist()
        at = span.positions.expand(close.size(0), -1)[row, time]
        raise Unsupported(
            f"torch: softmax attention: {heads.where}, head {head} ties at position {int(at)}, "
            "so a softmax would average values; use hard attention"
        )


Attend = Callable[[_Heads, Tensor, Tensor, Tensor, _Span], Tensor]
#: Kinds of attention: from queries (rows, heads, time, width), keys (rows, heads, width, total)
#: and values (rows, total, all value rows) to what is read (rows, time, all value rows).
ATTENTION: dict[str, Attend] = {"hard": _hard, "softmax": _softmax}


class _Neurons(nn.Module):  # type: ignore[misc]
    def __init__(self, layer: Layer) -> None:
        super().__init__()
        self.gate = _Reads(layer.gate)
        self.value = _Reads(layer.value)
        self.out = _Writes(layer.out)

    def forward(self, x: Tensor) -> Tensor:
        return self.out(x, self.gate(x).relu_().mul_(self.value(x)))


class _Layer(nn.Module):  # type: ignore[misc]
    def __init__(self, layer: Layer, attention: str, where: str) -> None:
        super().__init__()
        self.heads = _Heads(layer.heads, attention, where) if layer.heads else None
        self.neurons = _Neurons(layer) if len(layer.gate) else None

    def forward(self, x: Tensor, cache: "KeyValueCache", number: int, span: _Span) -> Tensor:
        if self.heads is not None:
            x = self.heads(x, cache, number, span)
        return x if self.neurons is None else self.neurons(x)


class KeyValueCache:
    """Keys and values of a batch of sequences, each of its own length; grows as needed."""

    def __init__(self, decoder: "Decoder", rows: int = 1) -> None:
        self.lengths = [0] * rows
        self.device = at = decoder.bias.device
        shapes = decoder.shapes
        self._keys = [_zeros((rows, heads, width, 64), at) for heads, width, _ in shapes]
        self._values = [_zeros((rows, 64, width), at) for _, _, width in shapes]

    @property
    def capacity(self) -> int:
        """Positions there is room for."""
        return self._values[0].size(1) if self._values else 0

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
        self, layer: int, keys: Tensor, values: Tensor, span: _Span
    ) -> tuple[Tensor, Tensor]:
        """Store the keys and values of new tokens in a layer; return all up to the last token."""
        held_keys, held_values = self._keys[layer], self._values[layer]
        keys = keys.unflatten(-1, held_keys.shape[1:3])
        if span.start is not None:
            at = slice(span.start, span.start + keys.size(1))
            held_keys[..., at] = keys.permute(0, 2, 3, 1)
            held_values[:, at] = values
        else:
            rows = torch.arange(len(self.lengths), device=keys.device)[:, None]
            held_keys[rows, :, :, span.positions] = keys
            held_values[rows, span.positions] = values
        return held_keys[..., : span.total], held_values[:, : span.total]

    def span(self, counts: Sequence[int], time: int) -> _Span:
        """Where `counts` new tokens per row go, given `time` wide; makes room for them."""
        longest, device = max(self.lengths), self.device
        self.reserve(longest + time)
        same = min(self.lengths) == longest and min(counts) == time
        if same:
            positions = torch.arange(longest, longest + time, device=device)[None]
            return _Span(longest, positions, longest + time)
        starts = torch.tensor(self.lengths, device=device)
        positions = starts[:, None] + torch.arange(time, device=device)
        total = max(start + count for start, count in zip(self.lengths, counts, strict=True))
        return _Span(None, positions, total)

    def advance(self, counts: Sequence[int]) -> None:
        """Count new tokens per row."""
        self.lengths = [a + b for a, b in zip(self.lengths, counts, strict=True)]


def _zeros(shape: tuple[int, ...], device: str) -> Tensor:
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


class Decoder(Exact):
    """A Model as a module: tokens (rows, time, parts) to logits (rows, time, parts, values).

    `attention` is `hard` (the largest score, the latest on ties) or `softmax` (PyTorch's
    `scaled_dot_product_attention`, causal); both give the same tokens, and softmax attention
    refuses broken models whose scores tie. Weights stay float64 whatever `.to()`,
    `.half()` or `.float()` ask for, because fewer bits would not be exact; the device changes.
    `load_state_dict` takes the weights of any model of the same shape, renumbered ones included.
    """

    def __init__(self, model: Model, attention: str = "hard", device: str | None = None) -> None:
        super().__init__()
        if attention not in ATTENTION:
            known = ", ".join(ATTENTION)
            raise UsageError(f"no attention of kind {attention!r}; available: {known}")
        if model.kind != "decoder":
            raise Unsupported(f"torch: runs decoders, not {model.kind} models")
        self.parts, self.context = model.parts, model.context
        sizes = torch.tensor([part.size for part in model.parts])
        self.register_buffer("sizes", sizes, persistent=False)
        self.register_buffer("starts", sizes.cumsum(0) - sizes, persistent=False)
        self.bias, self.position = _weight(model.bias), _weight(model.position)
        self.embedding = _weight(np.concatenate(model.embeddings))
        self.layers = nn.ModuleList(
            _Layer(layer, attention, f"layer {number}") for number, layer in enumerate(model.layers)
        )
        most = int(sizes.max())
        self.output = _Reads(np.concatenate([_padded(table, most) for table in model.outputs]))
        beyond = torch.arange(most) >= sizes[:, None]  # parts are padded to the largest
        self.register_buffer("beyond", beyond, persistent=False)
        self.to(device)

    @property
    def shapes(self) -> list[tuple[int, int, int]]:
        """Heads, rows of a key and rows of all values, per layer."""
        return [(0, 0, 0) if a.heads is None else a.heads.shape for a in self.layers]

    def forward(self, tokens: Tensor, cache: KeyValueCache | None = None) -> Tensor:
        """Logits of the token after each given one; -inf beyond the values of a part.

        `tokens` is int64; with a `cache` they continue its sequences, which then include them.
        Raises `UsageError` for what are no tokens, `CapacityError` at the end of the context.
        """
        self._check(tokens)
        return self.logits(self.hidden(tokens, cache or KeyValueCache(self, tokens.size(0))))

    def logits(self, x: Tensor) -> Tensor:
        """What lanes (…, lanes) predict: (…, parts, values)."""
        with torch.no_grad():
            logits = self.output(x).unflatten(-1, (len(self.parts), -1))
            return logits.masked_fill_(self.beyond, -torch.inf)

    def predict(
        self, tokens: Tensor, cache: KeyValueCache, counts: Sequence[int] | None = None
    ) -> Tensor:
        """The next token of each row (rows, parts), after `counts` new tokens per row."""
        x = self.hidden(tokens, cache, counts)
        if counts is None:
            last = x[:, -1]
        else:
            ends = torch.tensor(counts, device=x.device) - 1
            last = x[torch.arange(len(counts), device=x.device), ends]
        return self.logits(last).argmax(-1)  # the first of the largest

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def hidden(
        self, tokens: Tensor, cache: KeyValueCache, counts: Sequence[int] | None = None
    ) -> Tensor:
        """The lanes (rows, time, lanes) behind the last layer.

        Row i continues its sequence with the first `counts[i]` of its tokens (all, if not
        given); what comes back for the others means nothing.
        """
        rows, time, _ = tokens.shape
        counts = [time] * rows if counts is None else counts
        used = max(a + b for a, b in zip(cache.lengths, counts, strict=True))
        if used > self.context:
            raise ContextError(self.context)
        heads = max((heads for heads, _, _ in self.shapes), default=0)
        piece = max(1, MAX_SCORES // max(1, rows * heads * used))
        chunks = []
        for first in range(0, time, piece):
            some = tokens[:, first : first + piece]
            fresh = [min(max(count - first, 0), some.size(1)) for count in counts]
            chunks.append(self._hidden(some, cache, fresh))
        return chunks[0] if len(chunks) == 1 else torch.cat(chunks, 1)

    def _hidden(self, tokens: Tensor, cache: KeyValueCache, counts: Sequence[int]) -> Tensor:
        span = cache.span(counts, tokens.size(1))
        x = embedding_bag((tokens + self.starts).flatten(0, 1), self.embedding, mode="sum")
        x = x.unflatten(0, tokens.shape[:2])
        x += torch.addcmul(self.bias, span.positions.double().unsqueeze(-1), self.position)
        for number, layer in enumerate(self.layers):
            x = layer(x, cache, number, span)
        cache.advance(counts)
        return x

    def _check(self, tokens: Tensor) -> None:
        if tokens.dtype != torch.int64 or tokens.dim() != 3 or not tokens.numel():
            what = f"{tokens.dtype} {tuple(tokens.shape)}"
            raise UsageError(f"tokens are int64 (rows, time, {len(self.parts)} parts), not {what}")
        if tokens.size(2) != len(self.parts):
            raise UsageError(f"a token has {len(self.parts)} parts, not {tokens.size(2)}")
        wrong = ((tokens < 0) | (tokens >= self.sizes)).nonzero()
        if len(wrong):
            row, time, part = wrong[0].tolist()
            check_part(self.parts[part], int(tokens[row, time, part]))


def check_part(part: Part, value: int) -> None:
    """Raise `UsageError` for a number that the part does not have."""
    if not 0 <= value < part.size:
        raise UsageError(f"part {part.name} is below {part.size}, not {value}")


def decode(
    decoder: Decoder, tokens: Tensor, steps: int, cache: KeyValueCache | None = None
) -> Tensor:
    """Greedy decoding: the next tokens (rows, steps, parts) after `tokens`.

    A `cache` given along then has all of them but the last, which was only predicted.
    """
    decoder._check(tokens)
    cache = cache or KeyValueCache(decoder, tokens.size(0))
    outputs = [decoder.predict(tokens, cache)]
    for _ in range(steps - 1):
        outputs.append(decoder.predict(outputs[-1][:, None], cache))
    return torch.stack(outputs, 1)


class Batch:
    """Several sessions that advance together: sequences of their own in one cache.

    `tokens[i]` is the sequence of session i. What is appended waits until a next token is
    asked for; then everything that waits goes through the model in one pass.
    """

    def __init__(self, decoder: Decoder, sessions: int) -> None:
        self.decoder = decoder
        self.tokens: list[list[Token]] = [[] for _ in range(sessions)]
        self._waiting: list[list[Token]] = [[] for _ in range(sessions)]
        self._next: list[Token] = [()] * sessions
        self._rows = list(range(sessions))  # the session of each row of the cache
        self._open = set(self._rows)
        self._cache = KeyValueCache(decoder, sessions)

    def append(self, session: int, token: Token) -> None:
        """Add a token to a session; raises as `Reference.append` does."""
        parts = self.decoder.parts
        if len(token) != len(parts):
            raise UsageError(f"a token has {len(parts)} parts, not {len(token)}")
        for part, value in zip(parts, token, strict=True):
            check_part(part, value)
        if len(self.tokens[session]) >= self.decoder.context:
            raise ContextError(self.decoder.context)
        self.tokens[session].append(tuple(token))
        self._waiting[session].append(tuple(token))

    def next(self, session: int) -> Token:
        """The token that a session predicts; raises `UsageError` if it is empty."""
        if not self.tokens[session]:
            raise UsageError("an empty session predicts nothing; append a token first")
        if self._waiting[session]:
            self._forward()
        return self._next[session]

    def close(self, session: int) -> None:
        """Forget a session that has ended; its tokens stay."""
        self._open.discard(session)
        self._waiting[session].clear()
        if self._open and 2 * len(self._open) <= len(self._rows):
            rows = [row for row, session in enumerate(self._rows) if session in self._open]
            self._rows = [self._rows[row] for row in rows]
            self._cache = self._cache.select(rows)

    def _forward(self) -> None:
        """Everything that waits, in one pass."""
        waiting = [self._waiting[session] for session in self._rows]
        counts = [len(tokens) for tokens in waiting]
        time = max(counts)
        blank = (0,) * len(self.decoder.parts)
        padded = [tokens + [blank] * (time - len(tokens)) for tokens in waiting]
        tensor = torch.tensor(padded, device=self.decoder.bias.device)
        ragged = None if min(counts) == time else counts
        predictions = self.decoder.predict(tensor, self._cache, ragged).tolist()
        for session, count, token in zip(self._rows, counts, predictions, strict=True):
            if count:
                self._next[session] = tuple(token)
                self._waiting[session].clear()


@lru_cache(maxsize=4)
def _shared(model: Model, attention: str, device: str) -> Decoder:
    return Decoder(model, attention, device)


class Torch:
    """A session like `Reference`; what the host appends goes through the model in one pass."""

    def __init__(
        self, model: Model | Decoder, attention: str = "hard", device: str = "cpu"
    ) -> None:
        decoder = model if isinstance(model, Decoder) else _shared(model, attention, device)
        self._batch = Batch(decoder, 1)
        self.tokens = self._batch.tokens[0]

    def append(self, token: Token) -> None:
        """Append a token; raises as `Reference.append` does."""
        self._batch.append(0, token)

    def next(self) -> Token:
        """The token that the last position predicts; raises `UsageError` in an empty session."""
        return self._batch.next(0)

    def step(self) -> Token:
        """Take one step of greedy decoding: predict the next token, append it and return it."""
        token = self.next()
        self.append(token)
        return token


class Member:
    """The session of one task among those that `together` runs; an engine like `Torch`."""

    def __init__(self, meeting: "_Meeting", number: int) -> None:
        self._meeting, self._number = meeting, number
        self.tokens = meeting.batch.tokens[number]

    def append(self, token: Token) -> None:
        """Append a token; raises as `Reference.append` does."""
        self._meeting.batch.append(self._number, token)

    def next(self) -> Token:
        """The token that the last position predicts, once all tasks ask for one."""
        return self._meeting.next(self._number)

    def step(self) -> Token:
        """Take one step of greedy decoding: predict the next token, append it and return it."""
        token = self.next()
        self.append(token)
        return token


def together(decoder: Decoder, tasks: Sequence[Callable[[Member], Made]]) -> list[Made]:
    """Runs tasks at once, each with a session of its own, in one batch; what each returns.

    A task is code of the host, in a thread: it appends and steps as on an engine of its own, and
    sees the same tokens. Tasks end when they like. Raises what the first that fails raised,
    after all have ended.
    """
    meeting = _Meeting(Batch(decoder, len(tasks)))
    with ThreadPoolExecutor(max(1, len(tasks))) as pool:
        ends = [pool.submit(meeting.run, number, task) for number, task in enumerate(tasks)]
    return [end.result() for end in ends]


class _Meeting:
    """Lets threads wait for each other: a step is taken when all that are left ask for one."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self._present = set(range(len(batch.tokens)))
        self._waiting: set[int] = set()
        self._turn = threading.Condition()
        self._rounds = 0
        self._failure: Exception | None = None

    def run(self, number: int, task: Callable[[Member], Made]) -> Made:
        try:
            return task(Member(self, number))
        finally:
            with self._turn:
                self._present.discard(number)
                self.batch.close(number)
                self._go()

    def next(self, number: int) -> Token:
        with self._turn:
            now = self._rounds
            self._waiting.add(number)
            self._go()
            self._turn.wait_for(lambda: self._rounds != now)
            if self._failure is not None:
                raise self._failure
            return self.batch.next(number)

    def _go(self) -> None:
        if not self._waiting or self._waiting != self._present:
            return
        try:
            self.batch.next(min(self._waiting))
        except Exception as error:  # every waiting task must see it, not only the last
            self._failure = error
        self._waiting.clear()
        self._rounds += 1
        self._turn.notify_all()


__all__ = [
    "ATTENTION",
    "Batch",
    "KeyValueCache",
    "Decoder",
    "Member",
    "Tensor",
    "Torch",
    "decode",
    "latest_argmax",
    "nn",
    "together",
    "torch",
]
