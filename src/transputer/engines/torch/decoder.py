"""The torch engine: a Model as an ordinary `nn.Module`, batched, on a CPU or a GPU.

`network.py` is the network itself, for any weights; here it is given the weights of a Model, and
sessions that the host drives. The network may do what is fast: one matrix product for all heads or
neurons of a layer, over the lanes that any of them reads, for all rows of a batch and all
positions of a prompt at once.
"""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from transputer.errors import ContextError, EngineUnavailable, Unsupported, UsageError
from transputer.model import Array, Layer, Model, Part, Token

try:  # code built on this engine imports PyTorch from here, so that one message names its absence
    import torch
    from torch import Tensor, nn

    from transputer.engines.torch.network import (
        ATTENTION,
        Exact,
        KeyValueCache,
        Network,
        TiedScores,
        latest_argmax,
    )
except ImportError as error:
    raise EngineUnavailable(
        "torch: PyTorch is not installed; pip install 'transputer[torch]'"
    ) from error

Made = TypeVar("Made")


def network_weights(model: Model) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return the shape of the `Network` of a model, and its state: arrays by name."""
    sizes = [part.size for part in model.parts]
    most = max(sizes)
    tensors: dict[str, Any] = {
        "sizes": np.array(sizes),
        "starts": np.cumsum([0, *sizes[:-1]]),
        "beyond": np.arange(most) >= np.array(sizes)[:, None],
        "bias": model.bias,
        "position": model.position,
        "embedding": np.concatenate(model.embeddings),
    }
    layers = [
        _layer_weights(f"layers.{number}", layer, tensors)
        for number, layer in enumerate(model.layers)
    ]
    outputs = np.concatenate([_padded(table, most) for table in model.outputs])
    shape = {
        "parts": [[part.name, part.size] for part in model.parts],
        "context": model.context,
        "width": model.width,
        "layers": layers,
        "output": _reads("output", outputs, tensors),
    }
    return shape, {name: np.ascontiguousarray(array) for name, array in tensors.items()}


def _layer_weights(at: str, layer: Layer, tensors: dict[str, Any]) -> dict[str, Any]:
    """Add the arrays of a layer to `tensors`; return its shape."""
    shape: dict[str, Any] = {"heads": None, "neurons": None}
    if layer.heads:
        rows = max(len(head.query) for head in layer.heads)
        values = [len(head.value) for head in layer.heads]
        matrix = np.concatenate(
            [_padded(head.query, rows) for head in layer.heads]
            + [_padded(head.key, rows) for head in layer.heads]
            + [head.value for head in layer.heads]
        )
        output = np.concatenate([head.output for head in layer.heads], axis=1)
        tensors[f"{at}.heads.owners"] = np.repeat(np.arange(len(values)), values)
        shape["heads"] = {
            "rows": rows,
            "same": all(len(head.query) == rows for head in layer.heads),
            "values": values,
            "project": _reads(f"{at}.heads.project", matrix, tensors),
            "output": _writes(f"{at}.heads.output", output, tensors),
        }
    if len(layer.gate):
        shape["neurons"] = {
            "gate": _reads(f"{at}.neurons.gate", layer.gate, tensors),
            "value": _reads(f"{at}.neurons.value", layer.value, tensors),
            "out": _writes(f"{at}.neurons.out", layer.out, tensors),
        }
    return shape


def _reads(at: str, matrix: Array, tensors: dict[str, Any]) -> list[int]:
    """Add the columns of a matrix that are not 0, and their lanes; return how many, and rows."""
    lanes = np.flatnonzero(matrix.any(axis=0))
    tensors[f"{at}.lanes"], tensors[f"{at}.weight"] = lanes, matrix[:, lanes].T
    return [len(lanes), len(matrix)]


def _writes(at: str, matrix: Array, tensors: dict[str, Any]) -> list[int]:
    """Add the rows of a matrix that are not 0, and their lanes; return columns, and how many."""
    lanes = np.flatnonzero(matrix.any(axis=1))
    tensors[f"{at}.lanes"], tensors[f"{at}.weight"] = lanes, matrix[lanes].T
    return [matrix.shape[1], len(lanes)]


def _padded(matrix: Array, rows: int) -> Array:
    return np.pad(matrix, ((0, rows - len(matrix)), (0, 0)))


class Decoder(Network):
    """A Model as a module: tokens (rows, time, parts) to logits (rows, time, parts, values).

    `attention` is `hard` (the largest score, the latest on ties) or `softmax` (PyTorch's
    `scaled_dot_product_attention`, causal); both give the same tokens, and softmax attention
    refuses broken models whose scores tie. Weights stay float64 whatever `.to()`,
    `.half()` or `.float()` ask for, because fewer bits would not be exact; the device changes.
    `load_state_dict` takes the weights of any model of the same shape, renumbered ones included.
    """

    def __init__(self, model: Model, attention: str = "hard", device: str | None = None) -> None:
        if attention not in ATTENTION:
            known = ", ".join(ATTENTION)
            raise UsageError(f"no attention of kind {attention!r}; available: {known}")
        if model.kind != "decoder":
            raise Unsupported(f"torch: runs decoders, not {model.kind} models")
        shape, tensors = network_weights(model)
        try:
            super().__init__(shape, attention)
        except ValueError as error:
            raise Unsupported(f"torch: {error}") from None
        self.parts = model.parts
        # a copy: `tensor` of a NumPy array that cannot be written to
        state = {name: torch.tensor(array) for name, array in tensors.items()}
        self.load_state_dict(state, assign=True)
        self.requires_grad_(False)
        self.to(device)

    def forward(self, tokens: Tensor, cache: KeyValueCache | None = None) -> Tensor:
        """Logits of the token after each given one; -inf beyond the values of a part.

        `tokens` is int64; with a `cache` they continue its sequences, which then include them.
        Raises `UsageError` for what are no tokens, `CapacityError` at the end of the context.
        """
        self._check(tokens)
        return self.logits(self.hidden(tokens, cache or KeyValueCache(self, tokens.size(0))))

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def hidden(
        self,
        tokens: Tensor,
        cache: KeyValueCache,
        counts: Sequence[int] | None = None,
        watch: Any = None,
    ) -> Tensor:
        """The lanes behind the last layer, as `Network.hidden`; raises in this package's words."""
        added = counts or [tokens.size(1)] * len(cache.lengths)
        if max(map(sum, zip(cache.lengths, added, strict=True))) > self.context:
            raise ContextError(self.context)
        try:
            return super().hidden(tokens, cache, counts, watch)
        except TiedScores as error:
            raise Unsupported(f"torch: {error}; use hard attention") from None

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def logits(self, x: Tensor) -> Tensor:
        """What lanes (…, lanes) predict: (…, parts, values)."""
        return super().logits(x)

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


class BatchSession:
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


def together(decoder: Decoder, tasks: Sequence[Callable[[BatchSession], Made]]) -> list[Made]:
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

    def run(self, number: int, task: Callable[[BatchSession], Made]) -> Made:
        try:
            return task(BatchSession(self, number))
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
    "Exact",
    "BatchSession",
    "Tensor",
    "Torch",
    "decode",
    "latest_argmax",
    "nn",
    "together",
    "torch",
]
