"""Recordings and the lens: any step opens as it was, and its forward pass is the model's."""

from collections.abc import Iterator

import numpy as np
import pytest

from transputer import api
from transputer.debugger.lens import Lens
from transputer.debugger.recording import NativeRecording, Recording
from transputer.debugger.search import at, backward, forward, shallower, written
from transputer.engines.native.decoder import Native
from transputer.engines.reference.decoder import Reference
from transputer.errors import Unsupported
from transputer.machines.trace.tape import field
from transputer.machines.trace.universal import model as trace_model
from transputer.machines.trace.vocabulary import Space, record
from transputer.model import Layer
from transputer.runtime.trace.run import run_program
from transputer.runtime.trace.sessions import new_session

SIEVE = "examples/c/sieve.c"


@pytest.fixture(scope="module")
def tokens() -> np.ndarray:
    """All tokens of a run, kept by a session that records nothing."""
    found: list[new_session] = []  # type: ignore[valid-type]
    run_program(api.compile(SIEVE), "sieve", [300], engine="native", begin=found.append)
    return found[0].trace.tape.tokens  # type: ignore[attr-defined, no-any-return]


@pytest.fixture(scope="module")
def recording() -> Recording:
    """The same run with a checkpoint every few hundred tokens."""
    made: list[Recording] = []

    def begin(session: new_session) -> None:  # type: ignore[valid-type]
        made.append(NativeRecording(session.trace.tape.engine, interval=500))  # type: ignore[attr-defined]
        run = session.trace.tape.engine.run  # type: ignore[attr-defined]
        session.trace.tape.engine.run = lambda n, stops: run(min(n, 300), stops)  # type: ignore[attr-defined]

    run_program(
        api.compile(SIEVE), "sieve", [300], engine="native", keep=False, begin=begin,
        pulse=lambda steps: made[0].note(),
    )  # fmt: skip
    made[0].note()
    return made[0]


def some(count: int, low: int, high: int) -> Iterator[int]:
    yield from np.random.default_rng(1).integers(low, high, count).tolist()


def test_windows_hold_the_tokens_of_the_run(recording: Recording, tokens: np.ndarray) -> None:
    assert recording.length == len(tokens) and len(recording._checkpoints) > 3
    for position in [0, len(tokens) - 1, *some(20, 0, len(tokens))]:
        window = recording.window(position)
        assert window.start <= position < window.end
        assert (tokens[window.positions] == window.rows).all()
        segment = window.positions[-(window.end - window.start) :]
        assert segment.tolist() == list(range(window.start, window.end))


def test_steps_and_positions(recording: Recording, tokens: np.ndarray) -> None:
    host = set(recording._host[0].tolist())
    decoded = [p for p in range(len(tokens)) if p not in host]
    assert recording.steps == len(decoded)
    assert [recording.position(i + 1) for i in range(len(decoded))] == decoded
    assert [recording.step_at(p) for p in decoded] == list(range(1, len(decoded) + 1))


def test_latest_writes(recording: Recording, tokens: np.ndarray) -> None:
    for position in some(10, 1000, len(tokens)):
        window = recording.window(position)
        seen = tokens[: position + 1]
        slots = seen[seen[:, _SPACE] == Space.SLOT]
        for address in np.unique(field(slots, "at"))[:40].tolist():
            last = np.flatnonzero(field(slots, "at") == address)[-1]
            wanted = record(tuple(slots[last].tolist())).value
            assert window.values(Space.SLOT, range(address, address + 1), position) == [wanted]


_SPACE = 12  # of the parts of a token: pc 3, sp 3, fp 3, depth 2, phase 1 come before it


@pytest.mark.slow
def test_the_lens_sees_what_the_reference_computes(tokens: np.ndarray) -> None:
    model = trace_model()
    lens, engine = Lens(model), Reference(model, trace=True)
    for token in tokens[:900].tolist():
        engine.append(tuple(token))
    for _ in range(40):
        length = len(engine.tokens)
        seen = lens.look(tokens[:length], np.arange(length))
        assert seen.predicted == engine.step()
        for found, looked in zip(seen.lookups, engine.attention[length - 1], strict=True):
            assert (found.layer, found.head, found.position, found.margin) == (
                looked.layer, looked.head, looked.position, looked.margin)  # fmt: skip


@pytest.mark.slow
def test_a_pass_over_what_can_be_found_is_the_whole_pass(
    recording: Recording, tokens: np.ndarray
) -> None:
    lens = Lens(trace_model())
    for position in some(25, 1000, len(tokens) - 1):
        seen = lens.look(*recording.window(position).upto(position))
        whole = lens.look(tokens[: position + 1], np.arange(position + 1))
        assert seen.predicted == whole.predicted == tuple(tokens[position + 1].tolist())
        assert [f.position for f in seen.lookups] == [f.position for f in whole.lookups]
        assert seen.layers == whole.layers


def test_heads_that_attend_to_what_is_computed_are_refused() -> None:
    model = trace_model()
    first, *others = model.layers
    key = others[0].heads[0].key.copy()
    key[0, np.flatnonzero(first.out.any(axis=1))[0]] += 1
    name = "layer1.head0.key"
    with pytest.raises(Unsupported, match="layer 1"):
        Lens(model.with_tensors({**model.tensors(), name: key}))
    assert isinstance(first, Layer)


def test_searching(recording: Recording, tokens: np.ndarray) -> None:
    states = [recording.position(s) - 1 for s in range(1, recording.steps + 1)]
    pcs, depths = field(tokens, "pc")[states], field(tokens, "depth")[states]
    phases = field(tokens, "phase")[states]
    space = int(tokens[np.flatnonzero(tokens[:, _SPACE] >= Space.FIRST)[-1], _SPACE])
    flags = np.zeros(int(pcs.max()) + 2, dtype=bool)
    flags[int(pcs[len(pcs) // 2])] = True
    wanted = {
        "at": (at(flags), flags[pcs] & (phases == 0)),
        "shallower": (shallower(1), depths < 1),
        "written": (written(space, range(1 << 30)), tokens[states][:, _SPACE] == space),
    }
    for test, truth in wanted.values():
        cursors = np.flatnonzero(truth) + 1
        for cursor in [1, recording.steps + 1, *some(10, 1, recording.steps)]:
            after, before = cursors[cursors > cursor], cursors[cursors < cursor]
            first = after[0] if len(after) else None
            last = before[-1] if len(before) else None
            assert forward(recording, cursor, test, _quiet) == first
            assert backward(recording, cursor, test, _quiet) == last


def _quiet(step: int) -> None:
    pass


def test_checkpoints_are_thinned_out(monkeypatch: pytest.MonkeyPatch, tokens: np.ndarray) -> None:
    monkeypatch.setattr("transputer.debugger.recording.CHECKPOINTS", 4)
    engine = Native(trace_model())
    made = NativeRecording(engine, interval=100)
    prompt = np.flatnonzero(tokens[:, _SPACE] == Space.FRAME)[0] + 1
    engine.extend(tokens[:prompt])
    while len(engine) < 4000:
        engine.run(50, ())
        made.note()
    assert len(made._checkpoints) <= 5
    for position in some(8, 0, 4000):
        assert (made.window(position).rows == tokens[made.window(position).positions]).all()
