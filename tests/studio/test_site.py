"""An exported page: the weights executed in the browser, from a folder on the disk."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from transputer import api
from transputer.errors import Unsupported
from transputer.studio.machines import view_of

ROOT = Path(__file__).parents[2]
Page = Any
GCD = """(module
  (func (export "gcd") (param i32 i32) (result i32)
    (local i32)
    (block
      (loop
        (br_if 1 (i32.eqz (local.get 1)))
        (local.set 2 (i32.rem_u (local.get 0) (local.get 1)))
        (local.set 0 (local.get 1))
        (local.set 1 (local.get 2))
        (br 0)))
    (local.get 0)))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("site")


@pytest.fixture(scope="module")
def gcd(folder: Path) -> Path:
    source = folder / "gcd.wat"
    source.write_text(GCD)
    return source


@pytest.fixture(scope="module")
def site(gcd: Path) -> str:
    (page,) = api.compile(gcd).export("site", gcd.parent / "gcd", invoke="gcd", args=["48", "36"])
    return page.as_uri()


@pytest.fixture(scope="module")
def snake(folder: Path) -> str:
    program = api.compile(ROOT / "examples/demo/snake.c")
    (page,) = program.export("site", folder / "snake")
    return page.as_uri()


def done(page: Page) -> str:
    page.locator(".transport .note", has_text="native, as WebAssembly").wait_for()
    page.locator(".now .count b").wait_for()
    return str(page.locator(".transport .note").inner_text())


def test_every_step_is_what_the_studio_shows(
    open_page: Callable[..., Page], site: str, gcd: Path
) -> None:
    page = open_page(site)
    assert done(page).startswith("returned 12 · 28 instructions")
    view = view_of(api.debug(api.compile(gcd), "gcd", [48, 36]))
    for step in range(1, view.debugger.steps + 2):
        shown = page.evaluate("step => transputer.look(step, 0)", step)
        assert shown == expected(view.look(step, 0)), step


def expected(look: dict[str, Any]) -> dict[str, Any]:
    """What a page gets of a look: its own file's name, and nothing that it does not use."""
    same: dict[str, Any] = json.loads(json.dumps(look).replace('"gcd.wat"', '"program.wat"'))
    del same["step"]["status"]
    for read in same["step"]["reads"]:
        del read["copied"]
    for token in same["tokens"]["tokens"]:
        token.pop("pc", None)
    return same


def test_a_link_opens_at_the_same_step_elsewhere(open_page: Callable[..., Page], site: str) -> None:
    first = open_page(site)
    done(first)
    first.locator("#jump").fill("7")
    first.locator("#jump").press("Enter")
    first.locator('.now .count b:text-is("7")').wait_for()
    sentence = first.locator(".explain").inner_text()
    assert "neurons of division" in sentence and "compute 12, written to slot 3" in sentence
    first.locator(".share").click()
    first.wait_for_url("**#run=*")
    second = open_page(first.url)
    second.locator('.now .count b:text-is("7")').wait_for()
    assert second.locator(".explain").inner_text() == sentence


def test_another_program_is_refused_with_advice(open_page: Callable[..., Page], site: str) -> None:
    page = open_page(site)
    done(page)
    page.locator(".cm-content").fill("int main(void) { return 1; }")
    page.locator("#run").click()
    page.locator(".note", has_text="transputer export FILE --to site").wait_for()


def test_snake_is_played_by_keys(open_page: Callable[..., Page], snake: str) -> None:
    page = open_page(snake)
    page.locator("nav button", has_text="Play").click()
    screen = page.locator(".screen")
    page.locator(".screen", has_text="score 0").wait_for()
    row = rows(screen)
    screen.focus()
    page.keyboard.press("ArrowDown")
    wait_below(page, screen, row)
    page.keyboard.press("q")
    page.locator(".tally button", has_text="Play again").wait_for()
    page.locator(".tally button", has_text="Look inside").click()
    page.locator(".now .count b").wait_for()


def rows(screen: Any) -> int:
    """The row of the snake's head."""
    lines = screen.inner_text().splitlines()
    return next((i for i, line in enumerate(lines) if "@" in line), -1)


def wait_below(page: Page, screen: Any, row: int) -> None:
    for _ in range(200):
        if rows(screen) > row:
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"the snake did not go down: {screen.inner_text()}")


@pytest.mark.parametrize("name", ["site", "snake"])
def test_a_phone_has_no_sideways_scrolling(
    open_page: Callable[..., Page], name: str, request: pytest.FixtureRequest
) -> None:
    page = open_page(request.getfixturevalue(name), width=390, height=844)
    page.locator(".now .count b").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for part in (".source", ".timeline", ".layers", ".output", ".transport"):
        box = page.locator(part).first.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 390, part


def test_what_a_page_cannot_run_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "start.wat"
    source.write_text('(module (func $f) (start $f) (func (export "g")))')
    with pytest.raises(Unsupported, match="a start"):
        api.compile(source).export("site", tmp_path / "out", invoke="g")
