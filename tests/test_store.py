"""The user's cache: what is kept is made again when it is damaged, and never run unverified."""

import hashlib
from pathlib import Path

import numpy as np
import pytest

import transputer.model.store as store
from transputer.engines.native.plan import plan
from transputer.errors import CapacityError, MalformedError
from transputer.model import Head, Layer, Model, Part, kept_model, to_bytes, verify


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
    (found,) = folder.glob(f"{kind}-*")
    return found


def test_built_once_and_then_read(folder: Path) -> None:
    make = Maker(small())
    first, second = kept_model("small", make), kept_model("small", make)
    assert make.times == 1
    assert to_bytes(first) == to_bytes(second)


@pytest.mark.parametrize("damage", [lambda b: b[:-1], lambda b: b[:40] + b"x" + b[41:], len])
def test_damaged_entries_are_made_again(folder: Path, damage: object) -> None:
    make = Maker(small())
    kept_model("small", make)
    path = entry(folder, "model")
    held = path.read_bytes()
    path.write_bytes(bytes(8) if damage is len else damage(held))  # type: ignore[operator]
    assert to_bytes(kept_model("small", make)) == to_bytes(small())
    assert make.times == 2
    assert path.read_bytes() == held


def test_exchanged_weights_are_verified_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An entry whose checksum fits is run only after its own bounds were derived."""
    make, verified = Maker(small()), []
    kept_model("small", make)
    monkeypatch.setattr(store, "verify", lambda model: verified.append(model) or verify(model))
    kept_model("small", make)
    assert not verified  # its bounds are known
    other = to_bytes(small(weight=3.0))
    entry(folder, "model").write_bytes(hashlib.sha256(other).digest() + other)
    found = kept_model("small", make)
    assert verified == [found]
    assert to_bytes(found) == other


@pytest.mark.parametrize(
    ("weight", "error"), [(0.5, MalformedError), (2.0**52, CapacityError)], ids=["half", "large"]
)
def test_weights_that_do_not_verify_are_built_again(
    folder: Path, weight: float, error: type[Exception]
) -> None:
    with pytest.raises(error):
        verify(small(weight))
    make = Maker(small())
    kept_model("small", make)
    other = to_bytes(small(weight))
    entry(folder, "model").write_bytes(hashlib.sha256(other).digest() + other)
    assert to_bytes(kept_model("small", make)) == to_bytes(small())


def test_facts_are_kept_only_for_models_of_the_store(folder: Path) -> None:
    kept = kept_model("small", Maker(small()))
    image = plan(kept)
    plan(small())
    assert len(list(folder.glob("native-*"))) == 1
    plan.cache_clear()
    assert plan(kept).words.tobytes() == image.words.tobytes()


def test_a_cache_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    make = Maker(small())
    assert to_bytes(kept_model("small", make)) == to_bytes(kept_model("small", make))
    assert make.times == 2


def test_old_entries_go(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MOST", 5)
    for i in range(6):
        kept_model(f"small{i}", Maker(small()))
    assert len(list(folder.iterdir())) == 5
