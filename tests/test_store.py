"""Models in the user's cache: built again when damaged, and never run unverified."""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from transputer import cache
from transputer.engines.native.plan import plan
from transputer.errors import CapacityError, MalformedError
from transputer.model import Head, Layer, Model, Part, cached_model, to_bytes, verify


def small(weight: float = 2.0) -> Model:
    """One part of four values; the next token is the last one times `weight`, at most 3."""
    values = np.arange(4.0)
    embedding = np.stack([np.zeros(4), values], axis=1)
    out = np.stack([-(values**2), weight * values], axis=1)
    head = Head(np.zeros((1, 2)), np.zeros((1, 2)), np.zeros((1, 2)), np.zeros((2, 1)))
    layer = Layer((head,), np.zeros((1, 2)), np.zeros((1, 2)), np.zeros((2, 1)))
    return Model(
        parts=(Part("number", 4),),
        context=8,
        bias=np.array([1.0, 0.0]),
        position=np.zeros(2),
        embeddings=(embedding,),
        layers=(layer,),
        outputs=(out,),
    )


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "transputer" / "derived"


class Maker:
    """Builds a model and counts how often."""

    def __init__(self, model: Model) -> None:
        self.model, self.times = model, 0

    def __call__(self) -> Model:
        self.times += 1
        verify(self.model)
        return self.model


def entry(folder: Path, kind: str) -> Path:
    (path,) = folder.glob(f"{kind}-*")
    return path


def exchange(contents: bytes) -> None:
    """Replace the cached model by another one, with the right seal."""
    cache.entry("derived", "model-small", cache.code(__name__)).write(contents)


def test_built_once_and_then_read(folder: Path) -> None:
    make = Maker(small())
    first, second = cached_model("small", make), cached_model("small", make)
    assert make.times == 1
    assert to_bytes(first) == to_bytes(second)


@pytest.mark.parametrize(
    "damage", [lambda b: b[:-1], lambda b: b[:40] + b"x" + b[41:], lambda b: bytes(8)]
)
def test_damaged_entries_are_built_again(folder: Path, damage: Callable[[bytes], bytes]) -> None:
    make = Maker(small())
    cached_model("small", make)
    path = entry(folder, "model")
    before = path.read_bytes()
    path.write_bytes(damage(before))
    assert to_bytes(cached_model("small", make)) == to_bytes(small())
    assert make.times == 2
    assert path.read_bytes() == before


def test_exchanged_weights_are_verified_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An entry whose seal fits is run only after its own bounds were derived."""
    make, verified = Maker(small()), []
    cached_model("small", make)
    module = sys.modules["transputer.model.verify"]
    monkeypatch.setattr(module, "verify", lambda model: verified.append(model) or verify(model))
    cached_model("small", make)
    assert not verified  # its bounds are known
    other = to_bytes(small(weight=3.0))
    exchange(other)
    model = cached_model("small", make)
    assert verified == [model]
    assert to_bytes(model) == other


@pytest.mark.parametrize(
    ("weight", "error"), [(0.5, MalformedError), (2.0**52, CapacityError)], ids=["half", "large"]
)
def test_weights_that_do_not_verify_are_built_again(
    folder: Path, weight: float, error: type[Exception]
) -> None:
    with pytest.raises(error):
        verify(small(weight))
    make = Maker(small())
    cached_model("small", make)
    exchange(to_bytes(small(weight)))
    assert to_bytes(cached_model("small", make)) == to_bytes(small())


def test_facts_are_cached_only_for_cached_models(folder: Path) -> None:
    model = cached_model("small", Maker(small()))
    image = plan(model)
    plan(small())
    assert len(list(folder.glob("native-*"))) == 1
    plan.cache_clear()
    assert plan(model).words.tobytes() == image.words.tobytes()


def test_facts_of_another_model_are_not_taken(folder: Path) -> None:
    """The file of one model's facts in the place of another's is derived again."""
    models = [cached_model(f"small{w}", Maker(small(w))) for w in (1.0, 2.0)]
    images = []
    for model in models:
        before = {*folder.glob("native-*")}
        plan(model)
        images += {*folder.glob("native-*")} - before
    images[1].write_bytes(images[0].read_bytes())
    plan.cache_clear()
    assert plan(models[1]).words.tobytes() == plan(small(2.0)).words.tobytes()
    assert plan(models[1]).words.tobytes() != plan(models[0]).words.tobytes()


def test_a_cache_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    make = Maker(small())
    assert to_bytes(cached_model("small", make)) == to_bytes(cached_model("small", make))
    assert make.times == 2


def test_old_entries_go(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("transputer.model.store.MOST", 5)
    for i in range(6):
        cached_model(f"small{i}", Maker(small()))
    assert len(list(folder.iterdir())) == 5
