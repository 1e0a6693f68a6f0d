"""What the project says about itself is complete and agrees."""

import re
import tomllib
from pathlib import Path

from tests.test_layering import ROOMS
from transputer.version import __version__

ROOT = Path(__file__).parents[1]
RELEASE = re.match(r"[0-9.]+[0-9]", __version__)[0]


def test_the_version_is_the_same_everywhere():
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest[1] == RELEASE
    assert f"\nversion: {RELEASE}\n" in (ROOT / "CITATION.cff").read_text()


def test_the_metadata_is_complete():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for key in ("description", "readme", "license", "authors", "keywords", "classifiers"):
        assert project[key], key


def test_the_map_has_the_rooms_in_their_order():
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    table = page.partition("| room |")[2].partition("\n\n")[0]
    first = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    assert re.findall(r"`(\w+)/?`", " ".join(first)) == ROOMS
