"""One pass over all recordings: margins, agreement, magnitudes, and who feels which change."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from transputer.check.audit.effects import Effects
from transputer.check.audit.forward import Forward, SparseModel
from transputer.check.audit.play import TokenRecording
from transputer.model import Model

#: Told what is being done.
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Change:
    """A change of the weights, by name; `tried` gives the positions whose prediction changes."""

    name: str
    tried: Callable[[Effects], Any] = field(compare=False)


def weight(name: str, index: tuple[int, ...], factor: float = 0.0) -> Change:
    """One weight times a factor."""
    at = ", ".join(map(str, index))
    return Change(f"{name}[{at}] * {factor:g}", lambda e: e.weight(name, index, factor))


def neurons(layer: int, first: int, count: int, name: str) -> Change:
    """A group of neurons silent."""
    text = f"layer {layer}: {name}"
    return Change(text, lambda e: e.without_neurons(layer, first, count))


def head(layer: int, number: int, name: str) -> Change:
    """A head silent."""
    return Change(f"layer {layer}: head {name}", lambda e: e.without_head(layer, number))


def nonzeros(model: Model) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Every weight that is not zero, in the order in which `mutate` counts them."""
    for name, array in model.tensors().items():
        for index in np.argwhere(array):
            yield name, tuple(int(i) for i in index)


@dataclass(slots=True)
class Survey:
    """What a model did on all recordings.

    `felt` maps a change to a (recording, position): where it first changes a decoded token of
    that recording. What is not in it changes nothing at all. `largest` are magnitudes that
    occurred.
    """

    positions: int = 0
    decoded: int = 0
    wrong: list[str] = field(default_factory=list)
    lookups: int = 0
    head_margin: float = np.inf
    output_margin: float = np.inf
    largest: dict[str, float] = field(default_factory=dict)
    felt: dict[Change, tuple[int, int]] = field(default_factory=dict)


def quiet(doing: str) -> None:
    """Report no progress."""


def survey(
    model: Model,
    recordings: Sequence[TokenRecording],
    changes: Iterable[Change],
    progress: Progress = quiet,
    earliest: Sequence[Change] = (),
) -> Survey:
    """Look at every position of every recording, and try the changes until they are felt.

    Those of `earliest` are tried on all, to find the shortest way to where they are felt.
    """
    result = Survey()
    left = [change for change in changes if change not in earliest]
    sparse = SparseModel(model)
    for number, recording in enumerate(recordings):
        progress(f"{recording.name}: {len(left):,} changes not felt yet")
        forward = Forward(model, recording.tokens, sparse)
        asked = predicting(recording)
        _look(result, forward, recording, asked)
        effects = Effects(forward)
        for change in (*left, *earliest):
            felt = change.tried(effects)
            felt = felt[asked[felt]]
            _, before = result.felt.get(change, (0, len(asked)))
            if felt.size and felt[0] < before:
                result.felt[change] = number, int(felt[0])
        left = [change for change in left if change not in result.felt]
    return result


def predicting(recording: TokenRecording) -> Any:
    """Whether the token after each position was decoded."""
    return np.array((*recording.decoded[1:], False))


def _look(result: Survey, forward: Forward, recording: TokenRecording, asked: Any) -> None:
    result.positions += len(asked)
    result.decoded += int(asked.sum())
    said = forward.predicted[:-1][asked[:-1]]
    if (said != forward.tokens[1:][asked[:-1]]).any():
        result.wrong.append(recording.name)
    result.output_margin = min(result.output_margin, forward.lead[asked].min(initial=np.inf))
    for seen, layer in zip(forward.passes, forward.model.layers, strict=True):
        for attended, weights in zip(seen.heads, layer.heads, strict=True):
            result.lookups += len(attended.margin)
            result.head_margin = min(result.head_margin, attended.margin.min())
            _larger(result, "query", attended.query / weights.scale)
            _larger(result, "key", attended.key)
            _larger(result, "score", attended.score)
        _larger(result, "gate", seen.gate)
        _larger(result, "stream", seen.middle)
    _larger(result, "stream", forward.final)


def _larger(result: Survey, kind: str, numbers: Any) -> None:
    most = float(np.abs(numbers).max(initial=0.0))
    result.largest[kind] = max(result.largest.get(kind, 0.0), most)
