"""The Model: bounds from the tensors, files that round-trip, files that are refused."""

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from math import gcd
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load as unpack
from safetensors.numpy import save as pack

from tests.sampling import random_cases
from transputer.circuit import Graph, build
from transputer.circuit.arithmetic import carry
from transputer.circuit.logic import choose
from transputer.circuit.lookup import KeySpace, digit_parabolic
from transputer.errors import CapacityError, MalformedError, TransputerError, UsageError
from transputer.machines.trace.universal import model as universal
from transputer.model import (
    Head,
    Layer,
    Model,
    Part,
    card,
    digest,
    head_width,
    keep_stages,
    load,
    mutate,
    nonzeros,
    permute,
    query_scale,
    save,
    to_bytes,
    verify,
)
from transputer.model.softmax import power_of_two


def adder() -> Model:
    """Adds the digit to the one last seen with the same tag, modulo 10."""
    g = Graph(context=1000)
    tag, digit = g.part("tag", 8), g.part("digit", 10)
    space = KeySpace((tag.number(),), tag.square())
    seen = digit_parabolic(g, "same tag", [tag.number()], space).read(digit.number())
    total = carry(g, [digit.number() + seen], bases=10).digits[0]
    g.output(digit, g.signal("total", total))
    g.output(tag, tag.number())
    return build(g, width=0)


@pytest.fixture(scope="module")
def model() -> Model:
    return adder()


# Files


def test_the_round_trip_is_bit_identical(model: Model, tmp_path: Path) -> None:
    first, second = tmp_path / "a.safetensors", tmp_path / "b.safetensors"
    save(model, first)
    again = load(first)
    save(again, second)
    assert first.read_bytes() == second.read_bytes() == to_bytes(model)
    assert digest(again) == digest(model)
    assert (again.names, again.hints, again.parts) == (model.names, dict(model.hints), model.parts)
    assert all(
        np.array_equal(again.tensors()[name], array) for name, array in model.tensors().items()
    )


def test_weights_are_frozen(model: Model) -> None:
    with pytest.raises(ValueError, match="read-only"):
        model.bias[0] = 5.0
    assert repr(model) == "Model(decoder, 1 layers, 6 lanes, 2 parts, 1000 positions)"


def broken(model: Model, change: Callable[[dict[str, Any], dict[str, Any]], Any]) -> bytes:
    """The model's file with its tensors and record changed."""
    data = to_bytes(model)
    size = int.from_bytes(data[:8], "little")
    record = json.loads(json.loads(data[8 : 8 + size])["__metadata__"]["transputer"])
    tensors = unpack(data)
    text = change(tensors, record)
    return pack(tensors, {"transputer": text if isinstance(text, str) else json.dumps(record)})


def index(values: list[int]) -> np.ndarray:
    return np.array(values, dtype=np.uint32)


HOSTILE: dict[str, tuple[Callable[[dict[str, Any], dict[str, Any]], Any], str]] = {
    "no record": (lambda t, r: " ", "not JSON"),
    "deep record": (lambda t, r: "[" * 100_000, "not JSON"),
    "list record": (lambda t, r: "[]", "not an object"),
    "other format": (lambda t, r: r.update(format=1), "its format is 1, not 2; another version"),
    "other kind": (lambda t, r: r.update(kind="recurrent"), "kind 'recurrent'"),
    "no kind": (lambda t, r: r.pop("kind") and None, "kind or hints"),
    "true width": (lambda t, r: r.update(width=True), "width"),
    "huge width": (lambda t, r: r.update(width=10**12), "width"),
    "wide": (lambda t, r: r.update(width=2**17), "width"),
    "negative width": (lambda t, r: r.update(width=-1), "width"),
    "no width": (lambda t, r: r.pop("width") and None, "width"),
    "other width": (lambda t, r: r.update(width=7), "lane names"),
    "many neurons": (lambda t, r: r["layers"][0].update(neurons=2**24), "layers is not"),
    "wide layers": (
        lambda t, r: r["layers"].extend([{"heads": [], "neurons": 2**20}] * 20),
        "weights declared",
    ),
    "layers text": (lambda t, r: r.update(layers="many"), "layers is not"),
    "head text": (lambda t, r: r["layers"][0].update(heads=[["a", 1]]), "layers is not"),
    "no context": (lambda t, r: r.update(context=0), "context"),
    "float context": (lambda t, r: r.update(context=1.5), "context"),
    "huge context": (lambda t, r: r.update(context=2**80), "context"),
    "huge limit": (lambda t, r: r.update(limit=2**60), "limit"),
    "no parts": (lambda t, r: r.update(parts=[]), "vocabulary is empty|unexpected"),
    "odd part": (lambda t, r: r["parts"][0].__setitem__(0, "a/b\n"), "plain name"),
    "same parts": (lambda t, r: r["parts"][0].__setitem__(0, "digit"), "the same name"),
    "large part": (lambda t, r: r["parts"][0].__setitem__(1, 10**9), "parts is not"),
    "empty part": (lambda t, r: r["parts"][0].__setitem__(1, 0), "0 values"),
    "few names": (lambda t, r: r.update(names=["one"]), "lane names"),
    "odd names": (lambda t, r: r.update(names=[1]), "names"),
    "odd hints": (lambda t, r: r.update(hints={"neurons": 5}), "hints"),
    "odd hint": (lambda t, r: r["hints"]["heads"][0].update(layer="x"), "hints"),
    "missing": (lambda t, r: t.pop("layer0.gate.index") is None, "layer0.gate.index"),
    "unexpected": (lambda t, r: t.update(virus=index([1])), "virus"),
    "wrong type": (lambda t, r: t.update({"bias.weight": np.ones(1, np.float32)}), "bias.weight"),
    "wrong shape": (lambda t, r: t.update({"bias.weight": np.ones((1, 1))}), "bias.weight"),
    "too many": (lambda t, r: t.update({"bias.index": index([0] * 99)}), "at most 6"),
    "out of range": (lambda t, r: t.update({"bias.index": index([6])}), "out of range"),
    "unsorted": (
        lambda t, r: t.update({"bias.index": index([1, 1]), "bias.weight": np.ones(2)}),
        "out of order",
    ),
    "lengths": (lambda t, r: t.update({"bias.index": index([0, 1])}), "2 indices and 1 weights"),
    "nan": (lambda t, r: t.update({"bias.weight": np.array([np.nan])}), "NaN"),
    "infinite": (lambda t, r: t.update({"bias.weight": np.array([np.inf])}), "infinity"),
    "zero": (lambda t, r: t.update({"bias.weight": np.array([0.0])}), "stores a zero"),
    "half": (lambda t, r: t.update({"bias.weight": np.array([0.5])}), "not an integer"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused(model: Model, tmp_path: Path, name: str) -> None:
    change, why = HOSTILE[name]
    path = tmp_path / "hostile.safetensors"
    path.write_bytes(broken(model, change))
    with pytest.raises(MalformedError, match=why) as caught:
        load(path)
    assert "\n" not in str(caught.value)


def test_broken_bounds_are_refused_with_the_number(model: Model, tmp_path: Path) -> None:
    path = tmp_path / "large.safetensors"
    path.write_bytes(broken(model, lambda t, r: t.update({"bias.weight": np.array([2.0**50])})))
    with pytest.raises(CapacityError, match="must stay below 9007199254740992"):
        load(path)
    path.write_bytes(broken(model, lambda t, r: t.update({"bias.weight": np.array([2.0**60])})))
    with pytest.raises(CapacityError, match="a weight is 1152921504606846976"):
        load(path)


@pytest.mark.parametrize("data", [b"", b"\0" * 8, b"\xff" * 64, b"PK\3\4 no model", b"{}" * 50])
def test_other_files_are_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "odd"
    path.write_bytes(data)
    with pytest.raises(MalformedError, match="odd: not a model"):
        load(path)
    with pytest.raises(UsageError, match="no such file"):
        load(tmp_path / "absent")
    with pytest.raises(UsageError, match="no such file"):
        load(tmp_path)


def test_files_without_a_record_are_refused(tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(pack({"weight": np.ones(3)}))
    with pytest.raises(MalformedError, match="no transputer record"):
        load(tmp_path / "plain")


def test_damaged_files_never_crash(model: Model, tmp_path: Path) -> None:
    whole, path = to_bytes(model), tmp_path / "damaged"
    rng = np.random.default_rng(29)
    for round_ in range(300):
        data = bytearray(whole[: int(rng.integers(1, len(whole)))] if round_ % 3 == 0 else whole)
        for _ in range(int(rng.integers(1, 4))):
            data[int(rng.integers(0, len(data)))] = int(rng.integers(0, 256))
        path.write_bytes(bytes(data))
        try:
            load(path)
        except TransputerError as error:
            assert "\n" not in str(error)


def test_a_name_with_a_line_break_is_shown_in_one_line(model: Model, tmp_path: Path) -> None:
    path = tmp_path / "broken"
    path.write_bytes(to_bytes(model).replace(b"bias.index", b"bias.\\ndex", 1))
    with pytest.raises(MalformedError, match=r"unexpected tensor 'bias\.\\ndex'"):
        load(path)


# Bounds


def test_shapes_that_disagree_are_refused(model: Model) -> None:
    with pytest.raises(MalformedError, match="position is"):
        replace(model, position=np.zeros(3))
    with pytest.raises(MalformedError, match="embeddings, outputs and parts"):
        replace(model, outputs=model.outputs[:1])
    with pytest.raises(MalformedError, match="layer0.out is"):
        tensors = model.tensors()
        model.with_tensors({**tensors, "layer0.out": tensors["layer0.out"].T})


def test_a_tighter_limit_is_held(model: Model) -> None:
    assert verify(replace(model, limit=2**24)).limit == 2**24
    worst = max(number for number, _ in verify(model).largest.values())
    with pytest.raises(CapacityError, match=str(worst)):
        verify(replace(model, limit=worst))
    verify(replace(model, limit=worst + 1))


def test_messages_name_the_group() -> None:
    g = Graph()
    x = g.part("x", 9)
    with g.group("the gate"):
        g.output(x, g.neuron(1000 * x.number() - 7999))
    model = build(g)
    assert verify(model).largest["gate"][0] == 15999
    with pytest.raises(CapacityError, match=r"gate 0 \(the gate\): terms may add up to 15999"):
        verify(replace(model, limit=15999))


def test_messages_name_the_head(model: Model) -> None:
    with pytest.raises(CapacityError, match=r"layer 0, head 0, score 0 \(same tag\)"):
        verify(replace(model, limit=verify(model).largest["score"][0]))


# The scale of a softmax


@pytest.mark.parametrize(("rows", "width"), [(0, 1), (1, 1), (2, 16), (16, 16), (17, 256)])
def test_widths_have_fourth_roots_that_are_powers_of_two(rows: int, width: int) -> None:
    assert head_width(rows) == width
    assert query_scale(width) == 1024 * width**0.5
    assert np.log2(width) % 4 == 0
    with pytest.raises(ValueError, match="17"):
        query_scale(17)


@given(st.lists(st.integers(-(2**53), 2**53)), st.integers(0, 60))
def test_the_common_power_of_two(numbers: list[int], shift: int) -> None:
    factor = power_of_two(np.array([float(n << shift) for n in numbers]))
    together = gcd(*numbers) << shift
    assert factor == (together & -together if together else 1)


def with_query(model: Model, query: np.ndarray) -> Model:
    return model.with_tensors({**model.tensors(), "layer0.head0.query": query})


def test_a_power_of_two_in_all_queries_costs_no_bits(model: Model) -> None:
    head, proven = model.layers[0].heads[0], verify(model)
    assert head.query.shape == (16, model.width)
    assert head.scale == query_scale(16) == 4096
    for factor in (1 / 4096, 2.0**40):
        assert verify(with_query(model, head.query * factor)).largest == proven.largest
    for broken in (head.query + 1.0, head.query * 3.0**28):
        with pytest.raises(CapacityError, match="layer"):
            verify(replace(with_query(model, broken), limit=proven.largest["score"][0] + 1))
    with pytest.raises(MalformedError, match="not an integer"):
        verify(with_query(model, head.query / 8192))


def random_model(rng: np.random.Generator) -> Model:
    """Small, with all that the bounds know about: constants, parallel gates, erased lanes."""
    width = 7
    parts = (Part("a", 3), Part("b", 4))
    position = np.eye(width)[int(rng.integers(1, width))] * rng.choice([1, 1, 2])

    def sparse(*shape: int) -> np.ndarray:
        return rng.integers(-2, 3, shape) * (rng.random(shape) < 0.4).astype(float)

    def layer() -> Layer:
        heads = [
            Head(sparse(2, width), sparse(2, width), sparse(2, width), sparse(width, 2))
            for _ in range(int(rng.integers(0, 3)))
        ]
        gate, value, out = sparse(6, width), sparse(6, width), sparse(width, 6)
        if rng.random() < 0.5:
            gate[0] = 3 * position  # a corner in the middle of the positions
        gate[1:3] = gate[0] * rng.choice([-1, 1])
        value[1:3] = value[0]
        gate[:, 0] = rng.integers(-15, 4, 6)  # lane 0 is constant unless something writes it
        lane = int(rng.integers(1, width))
        gate[5], value[5], out[:, 5] = np.eye(width)[0], np.eye(width)[lane], -np.eye(width)[lane]
        out[0] = 0
        for head in heads:
            head.output[0] = 0
        return Layer(tuple(heads), gate, value, out)

    tables = [sparse(part.size, width) for part in parts]
    for table in tables:
        table[:, 0] = 0
    bias = sparse(width)
    bias[0] = 1
    return Model(
        parts=parts,
        context=9,
        bias=bias,
        position=position,
        embeddings=tuple(tables),
        layers=(layer(), layer()),
        outputs=tuple(sparse(part.size, width) for part in parts),
    )


def streams(model: Model, tokens: np.ndarray) -> list[np.ndarray]:
    """x of every position before each layer and at the end, written again from the definition."""
    rows = [table[tokens[:, p]] for p, table in enumerate(model.embeddings)]
    x = model.bias + sum(rows) + np.outer(np.arange(len(tokens)), model.position)
    found = [x]
    for layer in model.layers:
        added = np.zeros_like(x)
        for head in layer.heads:
            scores = (x @ head.query.T) @ (x @ head.key.T).T
            for t in range(len(x)):
                best = max(range(t + 1), key=lambda s, t=t, scores=scores: (scores[t, s], s))
                added[t] += head.output @ (head.value @ x[best])
        x = x + added
        x = x + (np.maximum(x @ layer.gate.T, 0) * (x @ layer.value.T)) @ layer.out.T
        found.append(x)
    return found


@random_cases(150)
@given(st.integers(0, 2**32))
def test_bounds_hold_for_random_models(seed: int) -> None:
    rng = np.random.default_rng(seed)
    model = random_model(rng)
    bounds = verify(model)
    for _ in range(5):
        tokens = np.stack([rng.integers(0, part.size, 9) for part in model.parts], axis=1)
        for x, (lo, hi) in zip(streams(model, tokens), bounds.ranges, strict=True):
            assert (x >= lo).all() and (x <= hi).all()
            assert np.abs(x).max() <= bounds.largest["stream"][0]
        for table in model.outputs:
            assert (np.abs(x) @ np.abs(table).T).max() <= bounds.largest["logit"][0]


def test_an_erased_lane_holds_nothing_and_a_staircase_its_steps() -> None:
    """x in [0, 1020] on lane 1; lane 2 counts fours; lane 1 is erased."""
    eye = np.eye(3)
    table = np.outer(np.arange(1021.0), eye[1])
    steps = [4.0 * k for k in range(1, 256)]
    gate = np.array([[1 - t + up, 1, 0] for t in steps for up in (0, -1)] + [[1, 0, 0]])
    value = np.concatenate([np.tile(eye[0], (510, 1)), eye[1:2]])
    out = np.zeros((3, 511))
    out[2, :510] = np.tile([1, -1], 255)
    out[1, 510] = -1
    staircase = Layer((), gate, value, out)
    part = (Part("x", 1021),)
    model = Model(part, 1, eye[0], 0 * eye[0], (table,), (staircase,), (0 * table,))
    lo, hi = verify(model).ranges[-1]
    assert lo.tolist() == [1, 0, 0] and hi.tolist() == [1, 0, 255]


def test_functions_of_the_position_have_corners() -> None:
    """relu(p) - 2 relu(p - 5) is 0 at both ends of [0, 10], and 5 in between."""
    eye = np.eye(3)
    gate = np.array([[0.0, 1, 0], [-5, 1, 0]])
    layer = Layer((), gate, eye[[0, 0]], np.outer(eye[2], [1, -2]))
    none = np.zeros((1, 3))
    model = Model((Part("x", 1),), 11, eye[0], eye[1], (none,), (layer,), (none,))
    lo, hi = verify(model).ranges[-1]
    assert (lo[2], hi[2]) == (0, 5)
    squared = Layer((), np.array([[0.0, 1, 0]]), np.array([[10.0, -1, 0]]), eye[:, 2:])
    lo, hi = verify(replace(model, layers=(squared,))).ranges[-1]
    assert hi[2] >= 25  # p (10 - p)


def test_what_one_part_chooses_is_never_chosen_at_once() -> None:
    """Also where the part is another token's: six alternatives reach as far as the largest."""
    g = Graph()
    op, x = g.part("op", 6), g.part("x", 100)
    last = g.attend("last", [1], [g.position])
    cases = [(last.read(op.one_hot(i)), last.read(x.number()) + i) for i in range(6)]
    form = g.signal("chosen", choose(g, cases))
    g.output(op, 0)
    g.output(x, form)
    assert (form.lo, form.hi) == (0, 104)
    model = build(g)
    lane = next(i for i, name in enumerate(model.names) if "chosen" in name)
    lo, hi = verify(model).ranges[-1]
    assert (lo[lane], hi[lane]) == (0, 104)


# Bounds of models that differ in a few tensors


@pytest.fixture
def no_stages(monkeypatch: pytest.MonkeyPatch) -> None:
    """No kept stages, before and after."""
    monkeypatch.setattr(sys.modules["transputer.model.verify"], "_kept", [])


def derived(model: Model) -> Any:
    """Everything that `verify` says of a model, derived now."""
    try:
        bounds = verify.__wrapped__(model)
    except CapacityError as error:
        return str(error)
    return bounds.limit, bounds.largest, [[end.tolist() for end in ends] for ends in bounds.ranges]


def one_weight_changed(model: Model, rng: np.random.Generator) -> Iterator[Model]:
    """For each tensor with weights, the model with one of them changed, or far too large."""
    tensors = model.tensors()
    for name, array in tensors.items():
        for factor in (0.0, -3.0, 2.0**60) if array.any() else ():
            other = array.copy()
            at = tuple(rng.choice(np.argwhere(array)))
            other[at] *= factor
            yield model.with_tensors({**tensors, name: other})


@pytest.mark.usefixtures("no_stages")
@pytest.mark.parametrize("seed", range(5))
def test_kept_stages_change_no_bounds(model: Model, seed: int) -> None:
    rng = np.random.default_rng(seed)
    original = model if not seed else random_model(rng)
    models = [original, *one_weight_changed(original, rng), model, replace(original, limit=1 << 40)]
    fresh = [derived(each) for each in models]
    keep_stages(original)
    assert [derived(each) for each in models] == fresh
    if not seed:
        assert {type(about) for about in fresh} == {tuple, str}  # some are refused


@pytest.mark.slow
@pytest.mark.usefixtures("no_stages")
def test_kept_stages_change_no_bounds_of_the_universal_model() -> None:
    rng, original = np.random.default_rng(7), universal()
    models = [*islice(one_weight_changed(original, rng), 0, None, 37)]
    assert len(models) > 10
    fresh = [derived(each) for each in models]
    keep_stages(original)
    assert [derived(each) for each in models] == fresh


@pytest.mark.usefixtures("no_stages")
def test_only_stages_that_differ_are_derived(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules["transputer.model.verify"]
    keep_stages(model)
    stages: list[int] = []
    stage = module._stage  # type: ignore[attr-defined]
    monkeypatch.setattr(module, "_stage", lambda m, n, *how: stages.append(n) or stage(m, n, *how))
    tensors, last = model.tensors(), len(model.layers) - 1
    verify.__wrapped__(model)
    assert stages == []
    table = tensors[f"layer{last}.out"].copy()
    verify.__wrapped__(model.with_tensors({**tensors, f"layer{last}.out": table}))
    assert stages == [2 * last + 2]
    verify.__wrapped__(model.with_tensors({**tensors, "bias": tensors["bias"].copy()}))
    assert stages[1:] == [*range(2 * last + 3)]


# Variants


def test_permuted_models_have_the_same_bounds(model: Model) -> None:
    other = permute(model, np.random.default_rng(31))
    assert digest(other) != digest(model)
    assert {k: n for k, (n, _) in verify(other).largest.items()} == {
        k: n for k, (n, _) in verify(model).largest.items()
    }


def test_mutants_differ_in_one_weight(model: Model) -> None:
    for which in range(nonzeros(model)):
        for how, factor in (("zero", 0), ("negate", -1)):
            other = mutate(model, which, how)
            changed = [
                (a[a != b], b[a != b])
                for a, b in zip(model.tensors().values(), other.tensors().values(), strict=True)
                if not np.array_equal(a, b)
            ]
            ((before, after),) = changed
            assert len(before) == 1 and after[0] == factor * before[0]


def test_card(model: Model) -> None:
    about = json.loads(json.dumps(card(model)))
    assert (about["layers"], about["heads"], about["lanes"]) == (1, 1, model.width)
    counted = about["parameters"]
    assert counted["tables"]["nonzero"] + counted["layers"]["nonzero"] == nonzeros(model)
    assert about["vocabulary"] == [{"part": "tag", "size": 8}, {"part": "digit", "size": 10}]
    assert about["head_table"][0]["name"] == "same tag"
    assert about["bounds"]["largest"]["score"]["magnitude"] < about["bounds"]["limit"]
    assert sum(row["count"] for row in about["neuron_table"]) == about["neurons"]
