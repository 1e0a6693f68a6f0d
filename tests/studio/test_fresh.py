"""What is generated and committed is what its sources give."""

import hashlib
import json
from pathlib import Path

from tools.studio_examples import collected
from transputer.studio.assets import assets, examples

ROOT = Path(__file__).parents[2]
WEB = ROOT / "web"
#: What the page is built of; the same list as in `vite.config.js`.
OWN = (
    *("package.json", "package-lock.json", "tsconfig.json", "shared"),
    *("studio/package.json", "studio/tsconfig.json", "studio/vite.config.js"),
    *("studio/src", "studio/public"),
)


def files(path: Path) -> list[Path]:
    return [path] if path.is_file() else [f for f in path.rglob("*") if f.is_file()]


def test_the_page_is_built_from_its_sources() -> None:
    hashed = hashlib.sha256()
    names = sorted(f.relative_to(WEB).as_posix() for part in OWN for f in files(WEB / part))
    for name in names:
        hashed.update(f"{name}\0".encode() + (WEB / name).read_bytes() + b"\0")
    built = assets()["sources.sha256"].content.decode().strip()
    assert built == hashed.hexdigest(), "the page is old; make studio-page"


def test_the_page_needs_nothing_from_elsewhere() -> None:
    page = assets()["index.html"].content.decode()
    assert "://" not in page
    style = assets()["app.css"].content.decode()
    assert "url(" not in style and "@import" not in style


def test_no_download_addresses() -> None:
    lock = json.loads((WEB / "package-lock.json").read_text())
    packages = {name: one for name, one in lock["packages"].items() if not one.get("link")}
    assert not [name for name, one in packages.items() if "resolved" in one]


def test_what_builds_the_page_is_known_on_every_system() -> None:
    """Else `npm ci` refuses: a lock file has all the optional parts that a package names."""
    packages = json.loads((WEB / "package-lock.json").read_text())["packages"]
    bundler = packages["node_modules/rolldown"]["optionalDependencies"]
    assert "@rolldown/binding-linux-arm64-gnu" in bundler
    assert not [name for name in bundler if f"node_modules/{name}" not in packages]


def test_examples_are_those_of_the_repository() -> None:
    assert examples() == collected(ROOT / "examples"), "python -m tools.studio_examples"
