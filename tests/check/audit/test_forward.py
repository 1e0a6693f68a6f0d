"""All positions at once, and the effects of changes, against the engine that defines both."""

import numpy as np
import pytest

from transputer.check.audit.corpus import CorpusProgram
from transputer.check.audit.effects import Effects
from transputer.check.audit.forward import Forward
from transputer.check.audit.play import TokenRecording, play
from transputer.check.audit.survey import nonzeros
from transputer.engines.reference.decoder import Reference
from transputer.machines.trace.universal import model
from transputer.model import Model, entries, mutate

SHORT = CorpusProgram(
    "short",
    """(module (memory 1)
      (func (export "f") (param i32 i32) (result i32)
        (i32.store offset=2 (i32.const 5) (i32.mul (local.get 0) (local.get 1)))
        (if (result i32) (i32.lt_s (local.get 0) (i32.const 3))
          (then (i32.load (i32.const 7)))
          (else (i32.div_u (local.get 1) (i32.const 0))))))""",
    (("f", (2, 0x12345)), ("f", (7, 9))),
)


@pytest.fixture(scope="module")
def traced() -> tuple[Reference, TokenRecording]:
    engine = Reference(model(), trace=True)
    return engine, play(SHORT, engine).recording


@pytest.fixture(scope="module")
def forward(traced: tuple[Reference, TokenRecording]) -> Forward:
    return Forward(model(), traced[1].tokens)


def test_predictions_are_those_of_the_engine(
    traced: tuple[Reference, TokenRecording], forward: Forward
) -> None:
    recording = traced[1]
    assert recording.steps > 10
    for position, decoded in enumerate(recording.decoded):
        if decoded:
            assert tuple(forward.predicted[position - 1]) == recording.tokens[position]


def test_attention_is_that_of_the_engine(
    traced: tuple[Reference, TokenRecording], forward: Forward
) -> None:
    for position, seen in enumerate(traced[0].attention):
        for found in seen:
            ours = forward.passes[found.layer].heads[found.head]
            assert (ours.at[position], ours.score[position], ours.margin[position]) == (
                found.position,
                found.score,
                found.margin,
            )


def changed(forward: Forward, other: Model) -> list[int]:
    """The positions at which another model predicts another token."""
    theirs = Forward(other, [tuple(t) for t in forward.tokens.tolist()]).predicted
    return np.flatnonzero((theirs != forward.predicted).any(axis=1)).tolist()


KINDS = (
    "bias position embedding.op embedding.value0 output.pc0 output.value1 "
    "layer0.head1.query layer0.head1.key layer0.head1.value layer0.head1.output "
    "layer1.head1.query layer1.head1.key layer1.head2.value layer3.head1.key layer3.head1.output "
    "layer0.gate layer0.value layer0.out layer1.gate layer1.value layer1.out "
    "layer2.gate layer2.value layer2.out layer3.gate layer4.value layer6.out"
).split()


@pytest.fixture(scope="module")
def places() -> list[tuple[str, tuple[int, ...]]]:
    return list(nonzeros(model()))


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("how", ["zero", "negate"])
def test_the_effect_of_a_weight_is_exact(
    forward: Forward, places: list[tuple[str, tuple[int, ...]]], name: str, how: str
) -> None:
    """Following a change and running the broken model find the same positions."""
    mine = [i for i, (tensor, _) in enumerate(places) if tensor == name]
    rng = np.random.default_rng([len(name), len(how)])
    which = int(rng.choice(mine))
    broken = mutate(model(), which, how)  # type: ignore[arg-type]
    value = float(model().tensors()[name][places[which][1]])
    found = Effects(forward).weight(*places[which], -value if how == "zero" else -2 * value)
    assert found.tolist() == changed(forward, broken)


def test_the_effect_of_silence_is_exact(forward: Forward) -> None:
    effects, tensors = Effects(forward), model().tensors()
    out = tensors["layer1.out"].copy()
    out[:, 100:140] = 0
    quiet = model().with_tensors({**tensors, "layer1.out": out})
    assert effects.without_neurons(1, 100, 40).tolist() == changed(forward, quiet)
    output = np.zeros_like(tensors["layer1.head1.output"])
    blind = model().with_tensors({**tensors, "layer1.head1.output": output})
    found = effects.without_head(1, 1).tolist()
    assert found == changed(forward, blind)
    assert found


def test_the_effect_of_a_token_is_exact(forward: Forward) -> None:
    part = [p.name for p in model().parts].index("op")
    code = np.flatnonzero(forward.tokens[:, part])
    for position in code[:: max(1, len(code) // 6)]:
        other = forward.tokens.copy()
        other[position, part] = 1 + other[position, part] % 5
        theirs = Forward(model(), [tuple(t) for t in other.tolist()]).predicted
        differ = np.flatnonzero((theirs != forward.predicted).any(axis=1))
        found = Effects(forward).token(int(position), part, int(other[position, part]))
        assert found.tolist() == differ.tolist()


def test_nonzero_weights_give_the_same_products() -> None:
    rng = np.random.default_rng(0)
    for rows, columns, share in ((7, 5, 0.5), (40, 30, 0.1), (3, 4, 0.0), (1, 9, 1.0)):
        matrix = rng.integers(-9, 10, (rows, columns)) * (rng.random((rows, columns)) < share)
        x = rng.integers(-99, 100, (6, columns)).astype(np.float64)
        assert (entries(matrix.astype(np.float64)).over(x) == x @ matrix.T).all()
