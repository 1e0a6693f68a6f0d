import io
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests import sampling
from transputer.check.spec import find_folder
from transputer.cli import main

ROOT = Path(__file__).parents[1]
CHROMIUM_FLAGS = """--headless --no-sandbox --disable-gpu --disable-background-networking
--disable-component-update --disable-sync --no-first-run""".split()
#: Milliseconds in which a page must do what it is asked for.
PATIENCE = 60_000


class Ran(NamedTuple):
    code: int
    out: str
    err: str


def pytest_configure(config: pytest.Config) -> None:
    """Make the quick suite cheaper: fewer random cases, and JAX functions that compile faster."""
    sampling.quick = config.option.markexpr == "not slow"
    if sampling.quick:
        os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests in a real browser slow; the quick suite runs a few cases of each test."""
    for item in items:
        if "chromium" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)
    if sampling.quick and not config.option.keyword and "::" not in "".join(config.args):
        chosen = sampling.some_of_each(items, sampling.function)
        config.hook.pytest_deselected(items=[i for i in items if i not in chosen])
        items[:] = [item for item in items if item in chosen]


@pytest.fixture
def cli(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Runs `transputer ARGS` in this process, from the root of the checkout."""

    def run(*args: str, stdin: bytes = b"") -> Ran:
        capfd.readouterr()
        monkeypatch.chdir(ROOT)
        monkeypatch.setattr(sys, "argv", ["transputer", *map(str, args)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as stop:
            main()
        sys.stdout.flush()
        sys.stderr.flush()
        captured = capfd.readouterr()
        return Ran(int(stop.value.code or 0), captured.out, captured.err)

    return run


@pytest.fixture
def unoptimised() -> Iterator[None]:
    """JAX compiles without most of its optimisations, which takes half the time.

    For tests of slopes and short trainings, and of what others check with all optimisations:
    what is compiled runs ten times slower.
    """
    config = pytest.importorskip("jax").config
    before = config.read("jax_disable_most_optimizations")
    config.update("jax_disable_most_optimizations", True)
    yield
    config.update("jax_disable_most_optimizations", before)


@pytest.fixture(scope="session")
def suite() -> Path:
    """The folder of the official tests; tests that need it skip where it is missing."""
    folder = find_folder(ROOT)
    if folder is None:
        pytest.skip("the official WebAssembly tests are not here; set TRANSPUTER_SPEC")
    return folder


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """Debian's chromium, through Playwright."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="Playwright is not installed: make test-studio"
    )
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("no chromium: apt-get install chromium")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium: Any) -> Iterator[Callable[..., Any]]:
    """Opens pages with an editor that must not complain, and closes them."""
    made, wrong = [], []

    def opened(url: str, scheme: str = "dark", width: int = 1280, height: int = 800) -> Any:
        size = {"width": width, "height": height}
        context = chromium.new_context(viewport=size, color_scheme=scheme)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda m: wrong.append(m.text) if m.type == "error" else None)
        page.goto(url)
        page.locator(".cm-content").wait_for()
        made.append(context)
        return page

    yield opened
    for context in made:
        context.close()
    assert not wrong
