"""What machines ask of an engine, and the engines by name.

A decoder engine runs a `Model`: a sequence of tokens that grows by appending and by decoding. A
looped engine runs a `Looped` model: a state that changes step by step. The protocols beyond
`DecoderEngine` are what some engines can do faster, or at all.
"""

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from transputer.errors import EngineUnavailable
from transputer.model import Array, Looped, Model, Token
from transputer.values import dataclass

# Decoders


@runtime_checkable
class DecoderEngine(Protocol):
    """A run of a decoder."""

    def append(self, token: Token) -> None:
        """Append a token of the host's."""

    def step(self) -> Token:
        """Decode one token: predict it, append it, return it."""


@runtime_checkable
class Runner(Protocol):
    """An engine that decodes many tokens in one call."""

    def run(self, limit: int, stops: Sequence[tuple[int, Any]]) -> NDArray[np.uint16]:
        """Decode up to `limit` tokens, one per row, ending with the first that a stop names."""


@runtime_checkable
class Extender(Protocol):
    """An engine that appends many tokens in one call."""

    def extend(self, tokens: NDArray[Any]) -> None:
        """Append tokens, one per row."""


@runtime_checkable
class Restorable(Protocol):
    """An engine that can be checkpointed without the tokens of its run."""

    model: Model

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Return all that later steps depend on."""

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from a snapshot."""


@dataclass(frozen=True, slots=True)
class Counted:
    """Which steps count: those where a part is 0 and the number that parts say is marked."""

    address: tuple[int, ...]
    zero: int
    marks: Callable[[], NDArray[np.uint8]]

    def of(self, parts: Mapping[int, int]) -> int:
        """1 for a step from a token with these parts that counts, else 0."""
        at, marks = sum(parts[p] << 8 * d for d, p in enumerate(self.address)), self.marks()
        return int(not parts[self.zero] and at < len(marks) and bool(marks[at]))

    def addresses(self, tokens: NDArray[np.uint16]) -> NDArray[np.int64]:
        """By token, the number that the parts of the address say."""
        weights = np.array([256**d for d in range(len(self.address))])
        addresses: NDArray[np.int64] = tokens[:, list(self.address)].astype(np.int64) @ weights
        return addresses

    def keys(self, tokens: NDArray[np.uint16]) -> NDArray[np.int64]:
        """By token, a number that tells the steps from different places apart."""
        return self.addresses(tokens) + (
            tokens[:, self.zero].astype(np.int64) << 8 * len(self.address)
        )

    def total(self, tokens: NDArray[np.uint16]) -> int:
        """How many of the steps from these tokens count."""
        at, marks = self.addresses(tokens), self.marks()
        inside = at < len(marks)
        return int(np.count_nonzero(marks[at[inside]] & (tokens[inside, self.zero] == 0)))


@dataclass(frozen=True, slots=True)
class Feed:
    """When the host appends its next number: after a token that stops with a value of a part.

    It appends the same token with 0 in that part, and the number in the digits from `into` on.
    """

    part: int
    value: int
    into: int


@runtime_checkable
class Sprinter(Protocol):
    """An engine that decodes without handing out every token.

    It reports what it was told to expect: the number of steps and their weight, the tokens to be
    seen, the last one. It knows what was written, and can decode everything once more. `lifting`
    are the seconds in which decoding waited for code.
    """

    lifting: float

    def expect(
        self,
        *,
        stops: Sequence[int],
        watch: Sequence[tuple[int, Iterable[int]]],
        counted: Counted | None,
        kept: Sequence[int],
        unread: Sequence[tuple[int, Iterable[int]]],
        address: Sequence[int],
        feed: Feed | None = None,
        shown: Sequence[Sequence[int]] = (),
    ) -> None:
        """Say what the host wants to know, and by which parts it looks tokens up.

        `shown` are the parts of each number that is told of a token to be seen, lowest first.
        """

    def supply(self, numbers: NDArray[np.uint64]) -> None:
        """Numbers that the engine may append itself, when `Feed` says so, in the next sprint."""

    def sprint(self, limit: int) -> Any:
        """Decode up to `limit` tokens; returns `steps`, `tally`, `seen`, `last` and `fed`."""

    def latest(self, address: Sequence[int], parts: Sequence[int]) -> tuple[int, ...] | None:
        """Return these parts of the latest token with this address."""

    def replay(self) -> Iterator[NDArray[np.uint16]]:
        """Decode all tokens once more."""


# Looped models

#: The forms of column 0 after a step, and the cells that it changed: column and form.
StepForms = tuple[tuple[int, ...], tuple[tuple[int, int], ...]]


@runtime_checkable
class LoopedEngine(Protocol):
    """A run of a looped model from a state. A form is a weight for each row of a column."""

    @property
    def state(self) -> Array:
        """The state now."""

    @property
    def halted(self) -> bool:
        """Whether the model says that it has stopped."""

    def run(self, limit: int, pause: Array | None = None) -> int:
        """Step until it has stopped, at most `limit` times; returns the number of steps.

        Also stops after a step that leaves the form `pause` in column 0 other than 0.
        """

    def restart(self, state: Array) -> None:
        """Replace the state, between two steps."""

    def read(self, form: Array, column: int) -> int:
        """Return a form of a column."""

    def tell(self, limit: int, first: Array, cell: Array) -> Sequence[StepForms]:
        """Step as `run` does, and return the forms `first` and the changed `cell`s of each step."""


# Engines by name

DecoderMaker = Callable[[Model], DecoderEngine]
LoopedMaker = Callable[[Looped, Array], LoopedEngine]


def _lazy(name: str, place: str, *options: Any) -> Callable[..., Any]:
    """A maker of the engine at `module:class` of this package, which is imported when it is used.

    It raises `EngineUnavailable` if the engine or a library that it needs cannot be imported.
    """
    module, _, kind = place.partition(":")

    def make(*args: Any) -> Any:
        try:
            engine = getattr(importlib.import_module(f"transputer.engines.{module}"), kind)
        except ImportError as error:
            raise EngineUnavailable(f"{name}: {error}; reinstall transputer") from None
        return engine(*args, *options)

    return make


#: Engines of decoders.
DECODERS: Mapping[str, DecoderMaker] = {
    "native": _lazy("native", "native.decoder:Native"),
    "lifted": _lazy("lifted", "lifted.decoder:Lifted"),
    "torch": _lazy("torch", "torch.decoder:Torch"),
    "reference": _lazy("reference", "reference.decoder:Reference"),
}

#: The native engine first, then lifted code where it pays; `EngineUnavailable` without either.
tiered_engine: DecoderMaker = _lazy("tiered", "lifted.decoder:Tiered")


def looped_engines(step_graph: Callable[[Looped], bytes]) -> dict[str, LoopedMaker]:
    """Engines of looped models; `softmax` is the reference with a true softmax.

    The onnx engine runs an ONNX file with one step of the model, which `step_graph` writes.
    """
    onnx = _lazy("onnx", "onnx.looped:LoopedOnnx")
    return {
        "native": _lazy("native", "native.looped:LoopedNative"),
        "lifted": _lazy("lifted", "lifted.looped:LoopedLifted"),
        "torch": _lazy("torch", "torch.looped:LoopedTorch"),
        "onnx": lambda model, state: onnx(model, state, step_graph(model)),
        "reference": _lazy("reference", "reference.looped:LoopedReference"),
        "softmax": _lazy("softmax", "reference.looped:LoopedReference", "softmax"),
    }
