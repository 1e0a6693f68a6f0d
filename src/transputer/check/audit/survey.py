"""One pass over all recordings: margins, agreement, magnitudes, and the effects of changes."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from transputer.check.audit.effects import Effects
from transputer.check.audit.forward import Forward
from transputer.check.audit.play import TokenRecording
from transputer.model import Model

#: The recordings of the first round of a shared survey.
FEW = 8
#: Called with a description of the current work.
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Change:
    """A change of the weights, by name; `tried` returns the positions whose prediction changes.

    Of all changes with the same `stratum`, one that is felt is enough.
    """

    name: str
    tried: Callable[[Effects], Any] = field(compare=False)
    stratum: str = ""


def weight(name: str, index: tuple[int, ...]) -> Change:
    """Return the change that zeroes one weight."""
    at = ", ".join(map(str, index))
    return Change(
        f"{name}[{at}] = 0",
        lambda e: e.weight(name, index, -float(e.tensors[name][index])),
    )


def neurons(layer: int, first: int, count: int, name: str) -> Change:
    """Return the change that silences a group of neurons."""
    text = f"layer {layer}: {name}"
    return Change(text, lambda e: e.without_neurons(layer, first, count))


def head(layer: int, number: int, name: str) -> Change:
    """Return the change that silences a head."""
    return Change(f"layer {layer}: head {name}", lambda e: e.without_head(layer, number))


def nonzeros(model: Model) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield every nonzero weight, in the order of `mutate`."""
    for name, array in model.tensors().items():
        for index in np.argwhere(array):
            yield name, tuple(int(i) for i in index)


@dataclass(slots=True)
class Survey:
    """Measurements of a model on all recordings.

    `felt` maps a change to the (recording, position) where it first changes a decoded token of
    that recording; a change that is missing has no effect. `largest` are the largest magnitudes.
    """

    positions: int = 0
    decoded: int = 0
    wrong: list[str] = field(default_factory=list)
    lookups: int = 0
    head_margin: float = np.inf
    output_margin: float = np.inf
    largest: dict[str, float] = field(default_factory=dict)
    felt: dict[Change, tuple[int, int]] = field(default_factory=dict)

    def add(self, other: "Survey") -> None:
        """Add the measurements of other recordings, without what is felt there."""
        self.positions += other.positions
        self.decoded += other.decoded
        self.wrong += other.wrong
        self.lookups += other.lookups
        self.head_margin = min(self.head_margin, other.head_margin)
        self.output_margin = min(self.output_margin, other.output_margin)
        for kind, most in other.largest.items():
            self.largest[kind] = max(self.largest.get(kind, 0.0), most)


class Felt(NamedTuple):
    """A change, by its number, and the recording and position where it is felt."""

    change: int
    recording: int
    position: int


#: The survey of some recordings, and the changes that are felt there.
Surveyed = tuple[Survey, list[Felt]]
#: Runs jobs, here or in other processes, and returns their results.
Share = Callable[[list[Callable[[], Surveyed]]], list[Surveyed]]


def quiet(doing: str) -> None:
    """Report no progress."""


def survey(
    model: Model,
    recordings: Sequence[TokenRecording],
    changes: Iterable[Change],
    progress: Progress = quiet,
    share: Share | None = None,
) -> Survey:
    """Measure every position of every recording, and try each change until it has an effect.

    Short recordings come first, so that effects are found after few tokens. `share` runs the
    survey of both halves of some recordings, then of twice as many, so that neither half tries for
    long what the other has found. The result is the same.
    """
    tried = list(changes)
    order = sorted(range(len(recordings)), key=lambda n: len(recordings[n].tokens))
    result = Survey()
    felt: dict[int, Felt] = {}  # by change
    strata: set[str] = set()
    for some in rounds(order) if share else [order]:
        left = {
            number: change
            for number, change in enumerate(tried)
            if number not in felt and (change.stratum not in strata or not change.stratum)
        }
        halves = (some[::2], some[1::2]) if share else (some,)
        jobs: list[Callable[[], Surveyed]] = [
            partial(_surveyed, model, recordings, half, left, progress) for half in halves
        ]
        found: list[Felt] = []
        for one, places in share(jobs) if share else [job() for job in jobs]:
            result.add(one)
            found += places
        for place in sorted(found, key=lambda f: order.index(f.recording)):
            stratum = tried[place.change].stratum
            if place.change not in felt and (stratum not in strata or not stratum):
                felt[place.change] = place
                strata.add(stratum)
    for number, place in felt.items():
        result.felt.setdefault(tried[number], (place.recording, place.position))
    return result


def rounds(order: Sequence[int]) -> Iterator[Sequence[int]]:
    """Yield the first few recordings, then twice as many, and so on."""
    first, size = 0, FEW
    while first < len(order):
        yield order[first : first + size]
        first, size = first + size, 2 * size


def _surveyed(
    model: Model,
    recordings: Sequence[TokenRecording],
    numbers: Sequence[int],
    changes: Mapping[int, Change],
    progress: Progress,
) -> Surveyed:
    """Survey some of the recordings, and say which changes are felt there first."""
    result, found = Survey(), list[Felt]()
    left = dict(changes)
    strata: set[str] = set()
    for number in numbers:
        recording = recordings[number]
        progress(f"{recording.name}: {len(left):,} changes not felt yet")
        forward = Forward(model, recording.tokens)
        before_decoded = predicting(recording)
        _look(result, forward, recording, before_decoded)
        effects = Effects(forward)
        for i, change in [*left.items()]:
            if change.stratum in strata:
                del left[i]
                continue
            felt = change.tried(effects)
            felt = felt[before_decoded[felt]]
            if felt.size:
                found.append(Felt(i, number, int(felt[0])))
                strata |= {change.stratum} - {""}
                del left[i]
    return result, found


def predicting(recording: TokenRecording) -> Any:
    """Return whether the token after each position was decoded."""
    return np.array((*recording.decoded[1:], False))


def _look(result: Survey, forward: Forward, recording: TokenRecording, before_decoded: Any) -> None:
    result.positions += len(before_decoded)
    result.decoded += int(before_decoded.sum())
    predicted = forward.predicted[:-1][before_decoded[:-1]]
    if (predicted != forward.tokens[1:][before_decoded[:-1]]).any():
        result.wrong.append(recording.name)
    result.output_margin = min(
        result.output_margin, forward.lead[before_decoded].min(initial=np.inf)
    )
    for state, layer in zip(forward.passes, forward.model.layers, strict=True):
        for attended, weights in zip(state.heads, layer.heads, strict=True):
            result.lookups += len(attended.margin)
            result.head_margin = min(result.head_margin, attended.margin.min())
            _larger(result, "query", attended.query / weights.scale)
            _larger(result, "key", attended.key)
            _larger(result, "score", attended.score)
        _larger(result, "gate", state.gate)
        _larger(result, "stream", state.middle)
    _larger(result, "stream", forward.final)


def _larger(result: Survey, kind: str, numbers: Any) -> None:
    most = float(np.abs(numbers).max(initial=0.0))
    result.largest[kind] = max(result.largest.get(kind, 0.0), most)
