"""An exported page: the weights executed in the browser, from a folder on the disk."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from transputer import api
from transputer.errors import Unsupported
from transputer.runtime.broken import break_weight
from transputer.studio.machines import view_of

ROOT = Path(__file__).parents[2]
Page = Any
NATIVE, LIFTED = "native, as WebAssembly", "lifted, as WebAssembly"
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


def ended(page: Page, engine: str) -> dict[str, Any]:
    """Run the program on an engine; return the result."""
    page.locator("select[aria-label=Engine]").select_option(engine)
    page.locator("#run").click()
    page.locator(".transport .note", has_text=f"instructions, {engine}").wait_for()
    page.wait_for_function("transputer.status.result.trace_sha256 || transputer.status.message")
    result: dict[str, Any] = page.evaluate("transputer.status.result")
    return result


@pytest.fixture(scope="module")
def queens(folder: Path) -> Any:
    return api.compile(ROOT / "examples/c/queens.c")


@pytest.fixture(scope="module")
def queens_site(queens: Any, folder: Path) -> str:
    (page,) = queens.export("site", folder / "queens", invoke="queens", args=["5"])
    return page.as_uri()


def test_lifted_code_decodes_the_tokens_of_the_weights(
    open_page: Callable[..., Page], site: str, gcd: Path, queens_site: str, queens: Any
) -> None:
    for url, program, invoke, args in (
        (site, api.compile(gcd), "gcd", [48, 36]),
        (queens_site, queens, "queens", [5]),
    ):
        expected = api.run(program, invoke=invoke, args=args, engine="native")
        page = open_page(url)
        done(page)
        for engine in (LIFTED, NATIVE):
            result = ended(page, engine)
            assert result["engine"] == engine
            assert result["trace_sha256"] == expected.trace_sha256
            assert result["results"] == [str(value) for value in expected.results]
            assert result["steps"] == expected.steps
            assert result["instructions"] == expected.instructions
            note = page.locator(".transport .note")
            assert "steps/s" in note.inner_text()
            assert note.get_attribute("title").endswith(result["trace_sha256"])


def test_lifted_code_runs_on_beyond_what_is_recorded(
    open_page: Callable[..., Page], folder: Path
) -> None:
    source = folder / "mix.c"
    source.write_text(
        "int mix(int n) { int s = 0; for (int i = 0; i < n; i++) s += i ^ (s >> 3); return s; }"
    )
    program = api.compile(source)
    (site,) = program.export("site", folder / "mix", invoke="mix", args=["200000"])
    expected = program.run("mix", [200_000])
    page = open_page(site.as_uri())
    results = [ended(page, engine) for engine in (LIFTED, NATIVE)]
    assert expected.steps > 2_000_000
    for result in results:
        assert result["results"] == [str(expected.results[0])]
        assert result["steps"] == expected.steps
        assert result["instructions"] == expected.instructions
    assert "recorded up to step 1,9" in page.locator(".transport .note").inner_text()
    assert results[0]["seconds"] < results[1]["seconds"]


def test_what_lifted_code_does_not_cover_goes_on_on_the_weights(
    open_page: Callable[..., Page], folder: Path
) -> None:
    source = folder / "trap.wat"
    source.write_text(
        """(module (func (export "f") (param i32) (result i32)
          (i32.div_u (i32.const 7) (local.get 0))))"""
    )
    program = api.compile(source)
    (site,) = program.export("site", folder / "trap", invoke="f", args=["0"])
    expected = api.run(program, invoke="f", args=[0], engine="native")
    page = open_page(site.as_uri())
    done(page)
    page.locator("select[aria-label=Engine]").select_option(LIFTED)
    page.locator("#run").click()
    page.locator(".transport .note", has_text=f"lifted up to step 2, then {NATIVE}").wait_for()
    page.wait_for_function("transputer.status.result.trace_sha256")
    result = page.evaluate("transputer.status.result")
    assert result["trap"] == "integer divide by zero"
    assert result["trace_sha256"] == expected.trace_sha256


def test_lifted_code_is_of_the_exported_program_only(
    open_page: Callable[..., Page], site: str
) -> None:
    page = open_page(site)
    done(page)
    page.locator("select[aria-label=Engine]").select_option(LIFTED)
    page.locator(".how label", has_text="arguments").locator("input").fill("48 32")
    page.locator("#run").click()
    page.locator(".transport .note", has_text="lifted code comes with exported").wait_for()


@pytest.mark.parametrize(
    ("part", "how", "click"),
    [
        ("S", "zero", '.layers .head b:text-is("S")'),
        ("division", "negate", '.layers .neurons b:text-is("division")'),
    ],
)
def test_a_broken_weight_and_the_first_token_that_differs(
    open_page: Callable[..., Page], site: str, gcd: Path, part: str, how: Any, click: str
) -> None:
    pair = break_weight(api.debug(api.compile(gcd), "gcd", [48, 36]), part, how)
    page = open_page(site)
    done(page)
    page.locator("#jump").fill("7")
    page.locator("#jump").press("Enter")
    page.locator('.now .count b:text-is("7")').wait_for()
    page.locator(click).first.click()
    page.locator(".breaker button", has_text=f"{how.capitalize()} it").click()
    assert pair.first is not None
    text = f"the first step that differs is {pair.first}"
    page.locator(".compared", has_text=text).wait_for()
    page.locator(f'.now .count b:text-is("{pair.first}")').wait_for()
    page.wait_for_function("transputer.status.phase === 'done'")
    shown, expected = page.evaluate("transputer.status.broken"), pair.as_json()
    if pair.broken.result is None:  # the page ends a run that does not end after fewer steps
        expected["broken"] = "still running after 2,031 steps"
    assert shown == expected
    for name, run in (("healthy", pair.healthy), ("broken", pair.broken)):
        row = page.locator(f".compared .{name}").inner_text()
        assert run.step(pair.first).writes in row and expected[name] in row
    tokens = page.evaluate(
        "(tape => [...tape.rows.subarray(0, tape.length * tape.width)])(transputer.current.tape)"
    )
    same = pair.broken.recording.window(0).segment.ravel()  # type: ignore[attr-defined]
    assert len(tokens) == len(same) or pair.broken.result is None
    assert tokens == same[: len(tokens)].tolist()
    page.locator(".compared button", has_text="Mend it").click()
    page.locator(".transport .note", has_text="returned 12").wait_for()
    assert page.locator(".compared").count() == 0


def test_c_is_refused_with_advice(open_page: Callable[..., Page], site: str) -> None:
    page = open_page(site)
    done(page)
    page.locator(".cm-content").fill("int main(void) { return 1; }")
    page.locator("#run").click()
    page.locator(".problems", has_text="transputer export FILE.c --to site").wait_for()


@pytest.mark.parametrize("engine", [NATIVE, LIFTED])
def test_snake_is_played_by_keys(open_page: Callable[..., Page], snake: str, engine: str) -> None:
    page = open_page(snake)
    page.locator("select[aria-label=Engine]").select_option(engine)
    page.locator("nav button", has_text="Play").click()
    screen = page.locator(".screen")
    page.locator(".screen", has_text="score 0").wait_for()
    row = rows(screen)
    screen.focus()
    page.keyboard.press("ArrowDown")
    wait_below(page, screen, row)
    page.keyboard.press("q")
    page.locator(".tally button", has_text="Play again").wait_for()
    means = "steps by lifted code" if engine == LIFTED else "forward passes of the transformer"
    assert means in page.locator(".tally").inner_text()
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
