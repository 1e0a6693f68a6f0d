"""`transputer cache`."""

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def root(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = tmp_path / "transputer"
    (folder / "rows" / "deep").mkdir(parents=True)
    (folder / "rows" / "deep" / "one").write_bytes(b"x" * 1500)
    (folder / "c").mkdir()
    (folder / "c" / "two").write_bytes(b"y" * 500)
    (folder / "c" / "link").symlink_to(tmp_path)
    return folder


def test_what_it_holds(cli: Any, root: Path) -> None:
    ran = cli("cache")
    assert ran.code == 0
    assert ran.out.splitlines()[0].split()[:4] == ["0.0", "MB", "1", "files"]
    assert str(root) in ran.out.splitlines()[-1]
    rooms = json.loads(cli("cache", "rows", "--json").out)["rooms"]
    assert rooms == {"rows": {"files": 1, "bytes": 1500}}


def test_clearing(cli: Any, root: Path) -> None:
    assert cli("cache", "c", "--clear").code == 0
    assert [path.name for path in root.iterdir()] == ["rows"]
    assert root.parent.is_dir()  # the link's target
    assert cli("cache", "--clear").code == 0
    assert not list(root.iterdir())
    assert cli("cache").out.split()[:2] == ["0.0", "MB"]


def test_a_folder_that_is_not_there(cli: Any, root: Path) -> None:
    ran = cli("cache", "cc", "--clear")
    assert ran.code == 2 and "no folder 'cc' in the cache; it has c, rows" in ran.err
    assert (root / "c" / "two").exists()
