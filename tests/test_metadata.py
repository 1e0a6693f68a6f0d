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


def test_the_models_are_a_distribution_of_their_own():
    """What `transputer[words]` asks for is what `models` builds, and the core is small."""
    core, models = (
        tomllib.loads((ROOT / folder / "pyproject.toml").read_text()) for folder in (".", "models")
    )
    name, version = (models["project"][key] for key in ("name", "version"))
    release = [int(part) for part in version.split(".")]
    bounds = f"{name}>={release[0]}.{release[1]},<{release[0]}.{release[1] + 1}"
    assert core["project"]["optional-dependencies"]["words"] == [bounds]
    wheel = core["tool"]["hatch"]["build"]["targets"]["wheel"]
    files = [
        path
        for folder in (*wheel["packages"], *wheel["force-include"])
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    ]
    assert sum(path.stat().st_size for path in files) < 25_000_000  # the wheel is compressed


def test_the_map_has_the_rooms_in_their_order():
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    table = page.partition("| room |")[2].partition("\n\n")[0]
    first = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    assert re.findall(r"`(\w+)/?`", " ".join(first)) == ROOMS
