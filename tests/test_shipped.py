"""Models that come with the package: what the circuit builds, and refused once edited."""

import lzma
from pathlib import Path

import pytest

from tools.weights import packed
from transputer import cache
from transputer.machines.trace import universal
from transputer.machines.trace.addressing import DIGITS
from transputer.machines.trace.circuit import built
from transputer.model.shipped import Shipped, ShippedFact, shipped, write_shipped

MODULE = "transputer.model.shipped"
FACT = ShippedFact(MODULE, cache.texts(MODULE), b"a fact")
STALE = FACT._replace(texts="0" * 64)
ONE, OTHER = Shipped(b"weights", {"one": FACT}), Shipped(b"other weights", {})


def test_the_shipped_weights_are_what_the_circuit_builds() -> None:
    name, module = universal.name(DIGITS), universal.__name__
    model = shipped(universal.FOLDER, name, module)
    assert model is not None, "a source changed; run: python -m tools.weights"
    assert model == packed(built(DIGITS)), "run: python -m tools.weights"
    assert len(list(universal.FOLDER.iterdir())) == 1


def test_a_file_is_replaced_and_read(tmp_path: Path) -> None:
    first = write_shipped(tmp_path, "m", MODULE, ONE)
    assert shipped(tmp_path, "m", MODULE) == ONE
    second = write_shipped(tmp_path, "m", MODULE, OTHER)
    assert shipped(tmp_path, "m", MODULE) == OTHER
    assert list(tmp_path.iterdir()) == [second] and first != second
    assert shipped(tmp_path, "n", MODULE) is None


def test_an_edited_file_is_refused(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = write_shipped(tmp_path, "m", MODULE, ONE)
    path.write_bytes(b"{}\n" + lzma.compress(b"other weights"))
    assert shipped(tmp_path, "m", MODULE) is None
    assert "other contents than its name says" in caplog.text


def test_a_file_of_other_sources_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_shipped(tmp_path, "m", MODULE, ONE)
    monkeypatch.setattr(cache, "texts", lambda module: "0" * 64)
    assert shipped(tmp_path, "m", MODULE) is None


def test_a_fact_of_other_sources_is_not_used(tmp_path: Path) -> None:
    write_shipped(tmp_path, "m", MODULE, Shipped(b"weights", {**ONE.facts, "two": STALE}))
    assert shipped(tmp_path, "m", MODULE) == ONE
