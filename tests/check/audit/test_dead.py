"""Dead weights are found, counted and named."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from transputer.check.audit import dead as module
from transputer.check.audit.dead import dead, group
from transputer.check.audit.play import TokenRecorder, TokenRecording
from transputer.circuit import Graph, build
from transputer.engines.reference.decoder import Reference
from transputer.errors import UsageError
from transputer.model import Layer, Model


def counting() -> Model:
    """Counts 0 1 .. 9 0 1 .. with one neuron that matters."""
    g = Graph(context=100)
    digit = g.part("digit", 10)
    x = digit.number()
    with g.group("wrap"):
        wraps = g.signal("wraps", g.neuron(x - 8))
    g.output(digit, x + 1 - 10 * wraps)
    return build(g)


def with_a_dead_neuron(model: Model) -> Model:
    (*before, last) = model.layers
    closed = np.zeros((1, model.width))
    closed[0, 0] = -1.0
    out = np.zeros((model.width, 1))
    out[0] = 1.0
    more = Layer(
        last.heads,
        np.concatenate([last.gate, closed]),
        np.concatenate([last.value, -closed]),
        np.concatenate([last.out, out], axis=1),
    )
    about = {"layer": len(before), "first": len(last.gate), "count": 1, "group": "useless"}
    hints = {**model.hints, "neurons": [*model.hints["neurons"], about]}
    return replace(model, layers=(*before, more), hints=hints)


def recorded(model: Model) -> TokenRecording:
    recorder = TokenRecorder(Reference(model))
    recorder.append((3,))
    for _ in range(20):
        recorder.step()
    return recorder.recording("counting")


def test_a_model_without_dead_weights() -> None:
    model = counting()
    found = dead(model, [recorded(model)])
    assert found.tried > 0
    assert (found.decoded, found.weights, found.share) == (20, (), 0.0)


def test_a_dead_neuron_is_found_and_named() -> None:
    model = with_a_dead_neuron(counting())
    found = dead(model, [recorded(model)])
    at = len(model.layers) - 1
    assert found.groups == {
        f"layer {at}, useless: gate": 1,
        f"layer {at}, useless: out": 1,
        f"layer {at}, useless: value": 1,
    }
    assert found.share == 3 / found.tried
    first = found.weights[0]
    assert group(model.anonymous(), first.tensor, first.index) == f"layer {at}, neurons: gate"


def test_a_weight_that_is_never_asked_for_is_dead() -> None:
    """What no token of the corpus needs cannot be told from what nobody needs."""
    model = counting()
    recorder = TokenRecorder(Reference(model))
    recorder.append((3,))
    recorder.step()
    assert dead(model, [recorder.recording("short")]).share > 0


def test_the_shipped_model_is_tried_on_the_corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    """`dead_weights` looks at the model and the scenes that it is asked for."""
    monkeypatch.setattr(module, "corpus_scenes", lambda: [])
    monkeypatch.setattr(module, "trace_model", lambda: with_a_dead_neuron(counting()))
    recordings = property(lambda self: [recorded(self.model)])
    monkeypatch.setattr(module.Evidence, "recordings", recordings)
    result = module.dead_weights(scenes=0)
    assert not result.passed
    assert any(name.endswith("useless: gate") for name in result.groups)


def test_only_dead_weights_are_tried_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A weight that was felt once is not dead, even on a corpus that does not feel it."""
    model, file, tokens = with_a_dead_neuron(counting()), tmp_path / "dead.json", [1, 20]

    def recordings(self: module.Evidence) -> list[TokenRecording]:
        recorder = TokenRecorder(Reference(model))
        recorder.append((3,))
        for _ in range(tokens[0]):
            recorder.step()
        return [recorder.recording("counting")]

    monkeypatch.setattr(module, "corpus_scenes", lambda: [])
    monkeypatch.setattr(module, "trace_model", lambda: model)
    monkeypatch.setattr(module.Evidence, "recordings", property(recordings))
    short = module.dead_weights(scenes=0, resume=file)
    tokens.reverse()
    long = module.dead_weights(scenes=0, resume=file)
    assert {*long.weights} < {*short.weights}
    assert (long.tried, len(long.weights)) == (short.tried, 3)
    tokens.reverse()
    assert module.dead_weights(scenes=0, resume=file).weights == long.weights


def test_a_list_of_other_weights_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "dead.json"
    file.write_text('{"model": "0", "dead": {}}')
    monkeypatch.setattr(module, "trace_model", counting)
    with pytest.raises(UsageError, match="other weights; delete it"):
        module.dead_weights(scenes=0, resume=file)


def test_a_recording_of_another_model_is_refused() -> None:
    model = counting()
    recording = recorded(model)
    tokens = (*recording.tokens[:-1], (int(recording.tokens[-1][0] == 0),))
    with pytest.raises(RuntimeError, match="do not predict"):
        dead(model, [replace(recording, tokens=tokens)])


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"model": "x", "dead": 3}', "\x00"])
def test_a_file_that_lists_no_dead_weights_is_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "dead.json"
    file.write_text(content)
    with pytest.raises(UsageError, match="no list of dead weights"):
        module.dead_weights(resume=file)
    assert file.read_text() == content
