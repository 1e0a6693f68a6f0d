"""`transputer prove`: what is wrong with its files is said at once, not after minutes."""

from collections.abc import Callable
from pathlib import Path

import pytest

from transputer import api

Cli = Callable[..., "tuple[int, str, str]"]


@pytest.fixture(autouse=True)
def unproved(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object) -> None:
        raise AssertionError("files are looked at first")

    monkeypatch.setattr(api, "prove", refuse)


def test_a_certificate_that_is_not_there(cli: Cli, tmp_path: Path) -> None:
    missing = tmp_path / "none.json"
    code, out, err = cli("prove", "--check", str(missing))
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert f"{missing}: No such file" in err and "-o FILE" in err


@pytest.mark.parametrize("text", ["[1", "[]", "{}", "\xff"])
def test_a_file_that_is_no_certificate(cli: Cli, tmp_path: Path, text: str) -> None:
    path = tmp_path / "other.json"
    path.write_bytes(text.encode("latin-1"))
    code, out, err = cli("prove", "--check", str(path))
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert f"{path}: not a certificate" in err


def test_a_folder_that_is_not_there(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "none" / "certificate.json"
    code, _, err = cli("prove", "-o", str(path))
    assert code == 2 and f"{path}: its folder does not exist" in err
