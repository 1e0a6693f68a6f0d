"""Which weights share a broken model, and what a survey in rounds finds."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.check.audit.test_dead import counting, recorded, with_a_dead_neuron
from transputer.check.audit.breakages import Breakage, FeltBreakage, Stratum, allowed, depth
from transputer.check.audit.play import TokenRecording
from transputer.check.audit.survey import FEW, nonzeros, rounds, survey, weight
from transputer.errors import CapacityError
from transputer.model import Model


def zeroed(model: Model, count: int) -> list[FeltBreakage]:
    """Some of the weights, each zeroed, as if it were felt at once."""
    tensors, places = model.tensors(), list(nonzeros(model))[:count]
    strata = [Stratum(str(i), "tables", (name,)) for i, (name, _) in enumerate(places)]
    return [
        (Breakage(stratum, name, index, float(tensors[name][index]), 0.0), 0, 0)
        for stratum, (name, index) in zip(strata, places, strict=True)
    ]


def refusing(culprits: list[FeltBreakage], most: int = 99) -> Callable[[Model], None]:
    """A `verify` that refuses models with one of these broken weights, or with too many zeros."""
    shipped = sum(1 for _ in nonzeros(counting()))

    def verify(model: Model) -> None:
        tensors = model.tensors()
        bad = any(not tensors[b.tensor][b.index] for b, *_ in culprits)
        if bad or shipped - sum(1 for _ in nonzeros(model)) > most:
            raise CapacityError("too large")

    return verify


@pytest.mark.parametrize("bad", [(), (3,), (0, 11), (4, 5, 6)])
def test_only_those_that_are_refused_are_left_out(
    bad: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = counting()
    batch = zeroed(model, 12)
    culprits = [batch[i] for i in bad]
    monkeypatch.setattr("transputer.check.audit.breakages.verify", refusing(culprits))
    ((broken, part),) = allowed(model, batch, 1)
    assert part == [f for f in batch if f not in culprits]
    tensors = broken.tensors()
    assert [bool(tensors[b.tensor][b.index]) for b, *_ in batch] == [f in culprits for f in batch]


def test_weights_that_are_refused_together_are_broken_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = counting()
    batch = zeroed(model, 8)
    monkeypatch.setattr("transputer.check.audit.breakages.verify", refusing([], most=5))
    parts = [part for _, part in allowed(model, batch, 1)]
    assert parts == [batch[:4], batch[4:]]


def test_few_weights_are_left_out_together(monkeypatch: pytest.MonkeyPatch) -> None:
    model = counting()
    batch = zeroed(model, 12)
    monkeypatch.setattr("transputer.check.audit.breakages.verify", refusing([batch[7]]))
    ((_, part),) = allowed(model, batch, 3)
    assert part == batch[:6] + batch[9:]


def test_broken_neurons_are_sorted_by_layer() -> None:
    names = ("layer3.out", "layer0.gate", "output.digit", "layer2.head1.key")
    kinds = ("neurons", "neurons", "tables", "heads")
    breakages = [
        Breakage(Stratum("", kind, (name,)), name, (0, 0), 1.0, 0.0)
        for name, kind in zip(names, kinds, strict=True)
    ]
    assert [depth(breakage) for breakage in breakages] == [3, 0, 0, 0]


def prefix(recording: TokenRecording, count: int) -> TokenRecording:
    name = f"{recording.name} {count}"
    return TokenRecording(name, recording.tokens[:count], recording.decoded[:count])


def test_a_survey_in_rounds_finds_the_same() -> None:
    model = with_a_dead_neuron(counting())
    recordings = [prefix(recorded(model), 2 + number % 19) for number in range(3 * FEW)]
    changes = [weight(*place) for place in nonzeros(model)]
    whole = survey(model, recordings, changes)
    jobs: list[int] = []

    def share(some: list[Callable[[], Any]]) -> list[Any]:
        jobs.append(len(some))
        return [job() for job in some]

    assert survey(model, recordings, changes, share=share) == whole
    assert jobs == [2, 2]
    assert 0 < len(whole.felt) < len(changes)


def test_rounds_double() -> None:
    assert [len(some) for some in rounds(range(5 * FEW))] == [FEW, 2 * FEW, 2 * FEW]
    assert [n for some in rounds(range(50)) for n in some] == [*range(50)]
