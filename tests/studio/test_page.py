"""The page in a real browser: Debian's chromium, through Playwright. `make test-studio` runs it.

Screenshots go to `build/studio`, or where STUDIO_SHOTS says.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from transputer import api
from transputer.errors import UsageError
from transputer.runtime.learn import cannot_learn
from transputer.runtime.trace.text import compile_confined
from transputer.studio.machines import view_of, watchable

from .conftest import Client

pytest.importorskip("uvicorn", reason="the studio is not installed: pip install '.[studio]'")

ROOT = Path(__file__).parents[2]
SHOTS = Path(os.environ.get("STUDIO_SHOTS", ROOT / "build" / "studio"))
SLOW = 60_000
Page = Any


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The studio as a person starts it."""
    command = [sys.executable, "-m", "transputer", "studio", "--no-browser"]
    paths = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONPATH": paths}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().split(": ", 1)[1].strip()
        process.terminate()


@pytest.fixture
def page(open_page: Callable[..., Page], address: str) -> Page:
    return open_page(address)


def client_of(page: Page, address: str) -> Client:
    """The same page's session, through the interface."""
    _, _, place, token, _ = address.split("/")
    name = page.evaluate("() => sessionStorage.getItem('session')")
    return Client(int(place.split(":")[1]), token, name)


def shot(page: Page, name: str) -> None:
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=str(SHOTS / f"{name}.png"))


def write(page: Page, text: str) -> None:
    page.locator(".cm-content").fill(text)


def choose(page: Page, title: str, group: str = "C") -> None:
    option = page.locator(f'.examples optgroup[label="{group}"] option', has_text=title)
    page.locator(".examples").select_option(option.first.get_attribute("value"))


def finish(page: Page, text: str) -> None:
    """Run, and wait until the note says how it ended."""
    page.locator("#run").click()
    page.locator(".transport .note", has_text=text).wait_for()
    page.locator(".now .count b").wait_for()


def step(page: Page) -> int:
    return int(page.locator(".now .count b").inner_text().replace(",", ""))


def at_step(page: Page, number: int) -> None:
    page.locator(f'.now .count b:text-is("{number:,}")').wait_for()


def go(page: Page, number: int) -> None:
    page.locator("#jump").fill(str(number))
    page.locator("#jump").press("Enter")
    page.locator("#jump").blur()
    at_step(page, number)


def arcs(page: Page) -> set[tuple[str, int]]:
    """Heads and tokens of the arcs on show."""
    found = page.locator(".arc").evaluate_all(
        "all => all.map(a => [a.dataset.head, Number(a.dataset.token)])"
    )
    return {(head, token) for head, token in found}


def test_load(page: Page) -> None:
    assert page.title() == "Transputer Studio"
    assert page.locator('[aria-label="Machine"] option').count() == len(watchable())
    assert page.locator(".examples option").count() > 10


def test_a_compile_error_is_shown_at_its_line(page: Page) -> None:
    write(page, "int f(int x) {\n    int y = 1;\n    return z;\n}\n")
    page.locator("#run").click()
    page.locator(".problems .error", has_text="undeclared identifier 'z'").wait_for()
    assert "line 3" in page.locator(".problems").inner_text()
    marker = page.locator(".cm-lint-marker-error")
    line = page.locator(".cm-lineNumbers .cm-gutterElement", has_text="3").first
    assert abs(marker.bounding_box()["y"] - line.bounding_box()["y"]) < 12
    assert page.locator(".cm-lintRange-error").inner_text() == "z"
    shot(page, "error")


def test_edit_and_run(page: Page) -> None:
    write(page, "int f(int x) {\n    return x * x + 1;\n}\n")
    page.locator(".how input").nth(0).fill("f")
    page.locator(".how input").nth(1).fill("6")
    finish(page, "returned 37")
    page.locator('[data-move="last"]').click()
    page.locator(".output .result", has_text="37").wait_for()


def test_control_enter_runs_and_leaves_the_text_alone(page: Page) -> None:
    text = page.locator(".cm-content").inner_text()
    page.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    page.locator(".transport .note", has_text="returned 12").wait_for()
    assert page.locator(".cm-content").inner_text() == text


def test_a_function_that_is_not_there(page: Page) -> None:
    write(page, "int twice(int x) {\n    return 2 * x;\n}\n")
    page.locator("#run").click()
    page.locator(".problems .note", has_text="Name the function").wait_for()
    assert "no exported func 'gcd'; available: twice" in page.locator(".problems").inner_text()
    assert page.locator(".cm-lint-marker-error").count() == 0  # no line is to blame


def test_the_next_line_is_the_programs_own(page: Page) -> None:
    choose(page, "Hello", "C with its library")
    finish(page, "exit code 0")
    page.locator(".explain", has_text="begins before your program").wait_for()
    page.locator("header.now").click()
    page.keyboard.press("n")
    page.locator(".cm-here").wait_for()
    assert page.locator(".calls .inner b").inner_text() == "main"
    assert page.locator(".hex .cell:not(.zero)").count() > 0  # its memory, not another


def test_sudoku(page: Page, address: str) -> None:
    wanted = api.run(ROOT / "examples/c/sudoku.c", engine="oracle").stdout.decode()
    choose(page, "Sudoku")
    finish(page, "exit code 0")
    page.locator('[data-move="last"]').click()
    page.locator(".now .what code", has_text="the end").wait_for()
    assert page.locator(".output pre").text_content() == wanted
    client = client_of(page, address)
    first = client.ask("search", step=300_000, how="continue", breaks=[{"line": 59}])["step"]
    number, told = next(
        (n, found)
        for n in range(first, first + 30)
        if "load" in (found := client.ask("step", step=n))["instruction"]
    )
    go(page, number)
    assert page.locator(".cm-here").count() == 1
    page.locator('.arc[data-head="P"] text').hover(force=True)
    page.locator(".explain", has_text="Head P looked up memory at").wait_for()
    said = page.locator(".explain").inner_text()
    assert said == next(read["words"] for read in told["reads"] if read["head"] == "P")
    shot(page, "sudoku")


def test_step_back(page: Page, address: str) -> None:
    choose(page, "Greatest common divisor")
    finish(page, "returned 12")
    client = client_of(page, address)
    go(page, 20)
    for move, number in (("back", 19), ("back", 18), ("step", 19)):
        page.locator(f'[data-move="{move}"]').click()
        at_step(page, number)
        shown = page.locator(".now .what code").inner_text()
        assert shown == client.ask("step", step=number)["instruction"]
    page.locator("header.now").click()
    for key, number in (("ArrowLeft", 18), ("ArrowRight", 19), ("Home", 1), ("End", 24)):
        page.keyboard.press(key)
        at_step(page, number)


def test_breakpoints(page: Page, address: str) -> None:
    choose(page, "Greatest common divisor")
    page.locator('.cm-lineNumbers .cm-gutterElement:text-is("9")').click()
    page.locator(".cm-editor .dot").last.wait_for()
    finish(page, "returned 12")
    page.locator('[data-move="continue"]').click()
    page.locator(".transport .note", has_text="stopped at line 9").wait_for()
    first = step(page)
    assert client_of(page, address).ask("step", step=first)["line"]["number"] == 9
    here = page.locator(".cm-here")
    assert "a % b" in here.inner_text()
    page.locator('[data-move="continue"]').click()
    page.locator(".transport .note", has_text="stopped at line 9").wait_for()
    second = step(page)
    assert second > first
    page.locator('[data-move="reverse"]').click()
    at_step(page, first)


def test_arcs_are_the_attention(page: Page, address: str) -> None:
    """What is drawn, what the interface says, and what the reference engine attends to."""
    choose(page, "Greatest common divisor")
    finish(page, "returned 12")
    client = client_of(page, address)
    program = compile_confined((ROOT / "examples/c/gcd.c").read_text(), "c")
    for true in api.trace(program, "gcd", [48, 36], limit=30)[:30:3]:
        go(page, true.number)
        told = client.ask("step", step=true.number)["reads"]
        used = {(r["head"], r["token"]) for r in told if r["used"]}
        assert arcs(page) == used <= {(r.head, r.position) for r in true.reads}


def test_memory(page: Page, address: str) -> None:
    choose(page, "Bubble sort")
    finish(page, "returned")
    client = client_of(page, address)
    number, held = next(
        (n, s) for n in range(5, 400) if (s := client.ask("state", step=n))["touched"] is not None
    )
    go(page, number)
    page.locator(".memory .link").click()
    page.locator(".hex .lit").first.wait_for()
    lit = "".join(page.locator(".hex .lit").all_inner_texts())
    where = held["touched"]["address"]
    assert lit == client.ask("state", step=number, address=where, count=4)["memory"]["bytes"]


def machine(page: Page, name: str) -> None:
    page.locator('[aria-label="Machine"]').select_option(name)


def test_loom(page: Page, address: str) -> None:
    """Small C on the loom machine: arcs are whom column 0 meets, and variables have names."""
    machine(page, "loom")
    assert page.locator(".language option").all_inner_texts() == ["Small C", "Loom assembly"]
    choose(page, "Bubble sort", "Small C")
    finish(page, "exit code 255")
    assert page.locator(".calls").count() == page.locator('[data-move="out"]').count() == 0
    client = client_of(page, address)
    made = api.debug(ROOT / "examples/loom/bubble.c", machine="loom")
    number = next(n for n in range(60, made.steps) if "STORE" in str(made.instr(n)))
    go(page, number)
    told = client.ask("step", step=number)["reads"]
    used = {(r["head"], r["token"]) for r in told if r["used"]}
    assert arcs(page) == used == {(r.head, r.position) for r in made.reads(number)}
    shown = dict(zip(*(page.locator(f".variables li {part}").all_inner_texts()
                       for part in ("span", "b")), strict=True))  # fmt: skip
    assert shown == {v.name: v.value for v in made.variables(number)}
    assert page.locator(".cm-here").count() == 1
    page.locator('.arc[data-head="write b"] text').hover(force=True)
    page.locator(".explain", has_text="which takes the result").wait_for()
    page.mouse.move(5, 5)  # the sentence stays, the other arcs come back
    shot(page, "loom")
    page.locator('[data-move="next"]').click()
    page.locator(f'.now .count b:not(:text-is("{number}"))').wait_for()
    page.locator('[data-move="back"]').click()


def test_engines(page: Page) -> None:
    """The dense engine makes the same steps, and the page says which one did."""
    choose(page, "Sum", "Assembly")
    engines = page.locator('[aria-label="Engine"]')
    assert engines.locator("option").all_inner_texts() == ["native", "reference"]
    shown = []
    for name in ("native", "reference"):
        engines.select_option(name)
        finish(page, name)
        go(page, 20)
        shown.append((arcs(page), page.locator("header.now").inner_text()))
    assert shown[0] == shown[1]
    machine(page, "loom")
    assert engines.input_value() == "native"
    assert engines.locator("option").all_inner_texts() == ["native", "reference", "softmax"]


def test_loom_assembly_and_its_errors(page: Page) -> None:
    machine(page, "loom")
    choose(page, "Greatest common divisor", "Loom assembly")
    finish(page, "returned 12")
    write(page, ".word x 1\nHALT\nNONSENSE x\n")
    page.locator("#run").click()
    page.locator(".problems .error", has_text="line 3").wait_for()


def test_loom_in_the_light(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(address, "light")
    machine(page, "loom")
    choose(page, "Queens", "Small C")
    finish(page, "exit code")
    go(page, 300)
    shot(page, "loom-light")


def test_words(page: Page) -> None:
    choose(page, "Squares", "Words")
    finish(page, "answer 338350")
    assert "squares" in page.locator(".plan .line").inner_text()
    go(page, 60)
    here = page.locator(".plan .wat li.here")
    here.wait_for()
    assert "i64" in here.inner_text() or "local" in here.inner_text() or "call" in here.inner_text()
    shot(page, "words")
    page.locator('[data-move="last"]').click()
    page.locator(".plan .answer", has_text="338350").wait_for()
    assert page.locator(".output .result").inner_text() == "338350"
    write(page, "what colour is the sky?")
    page.locator("#run").click()
    page.locator(".problems .error", has_text="no plan").wait_for()


def test_variables_by_name(page: Page) -> None:
    choose(page, "Bubble sort")
    page.locator(".how .check input").check()
    finish(page, "returned")
    page.locator('.cm-lineNumbers .cm-gutterElement:text-is("31")').click()
    page.locator('[data-move="continue"]').click()
    page.locator(".transport .note", has_text="stopped at line 31").wait_for()
    shown = dict(zip(*(page.locator(f".variables li {part}").all_inner_texts()
                       for part in ("span", "b")), strict=True))  # fmt: skip
    assert (shown["place"], shown["end"], shown["i"], shown["larger"]) == ("3", "9", "0", "42")
    assert shown["numbers"].startswith("{8, 8, 70, 15")  # half of the exchange is done


HELD = """static volatile int held[3] = {10, 20, 30};
int sum(void) { return held[0] + held[1] + held[2]; }
"""


def test_memory_edited_and_run_again(page: Page) -> None:
    write(page, HELD)
    page.locator(".how input").nth(0).fill("sum")
    page.locator(".how input").nth(1).fill("")
    finish(page, "returned 60")
    first = page.locator("button.cell", has_text="0a").first
    where = int(first.get_attribute("data-address"))
    first.click()
    page.locator(".cell.typing").fill("0b")
    page.locator(".cell.typing").press("Enter")
    page.locator(f'.cell.edited[data-address="{where}"]', has_text="0b").wait_for()
    assert page.locator(".edited-run").count() == 0
    page.locator(".edits .again").click()
    page.locator(".transport .note", has_text="returned 61").wait_for()
    page.locator(".edited-run").wait_for()
    shot(page, "edited")
    go(page, 2)
    assert page.locator("button.cell").count() == 0  # only what a run begins with
    page.locator(".edits .forget").click()
    page.locator(".transport .note", has_text="returned 60").wait_for()
    assert page.locator(".edited-run").count() == 0


def test_words_of_memory_edited(page: Page) -> None:
    machine(page, "loom")
    choose(page, "Greatest common divisor", "Small C")
    finish(page, "exit code 12")
    page.locator('.words button.cell[data-address="1"]').click()
    page.locator(".cell.typing").fill("many")
    page.locator(".cell.typing").press("Enter")
    assert page.locator(".cell.edited").count() == 0  # no number, no edit
    page.locator('.words button.cell[data-address="1"]').click()
    page.locator(".cell.typing").fill("18")
    page.locator(".cell.typing").press("Enter")
    page.locator(".edits .again").click()
    page.locator(".transport .note", has_text="exit code 18").wait_for()


def test_soft(page: Page) -> None:
    machine(page, "soft")
    pytest.importorskip("jax", reason="pip install 'transputer[jax]'")
    choose(page, "Fibonacci", "Soft assembly")
    page.locator('[aria-label="Temperature"]').fill("0.25")
    page.locator('[aria-label="Temperature"]').press("Tab")
    page.locator("#run").click()
    page.locator(".now .count b").wait_for(timeout=4 * SLOW)
    page.locator(".layers .row .name", has_text="operation").wait_for()
    page.locator('[data-move="last"]').click()
    page.locator(".output pre", has_text="89").wait_for()
    assert page.locator(".arc").count() == 0


def test_nothing_jumps(page: Page) -> None:
    choose(page, "Greatest common divisor")
    finish(page, "returned 12")
    places = ".source .pass .timeline .layers .output .hex .play".split()

    def boxes() -> list[Any]:
        return [page.locator(place).bounding_box() for place in places]

    before = boxes()
    for number in (2, 9, 20):
        go(page, number)
        assert boxes() == before
    page.locator('[data-move="last"]').click()
    page.locator(".explain", has_text="24 forward passes for 21 instructions").wait_for()
    assert boxes() == before
    wide = page.evaluate("() => document.documentElement.scrollWidth")
    assert wide <= 1280


def test_a_page_that_was_away_goes_on(page: Page) -> None:
    choose(page, "Greatest common divisor")
    finish(page, "returned 12")
    page.reload()
    page.locator(".transport .note", has_text="returned 12").wait_for()
    at_step(page, 1)
    assert "int gcd" in page.locator(".cm-content").inner_text()


def test_play_and_stop(page: Page) -> None:
    choose(page, "Sudoku")  # which has no arguments
    write(page, "int main(void) { for (;;); }\n")
    page.locator("#run").click()
    page.locator(".now .count b").wait_for()
    page.locator(".primary.stop").click()
    page.locator(".transport .note", has_text="cancelled").wait_for()
    page.locator('[data-move="play"]').click()
    page.locator('[aria-label="Pause"]').wait_for()
    page.wait_for_timeout(1500)
    page.locator('[data-move="play"]').click()
    assert step(page) > 2


def test_tour(page: Page, open_page: Callable[..., Page], address: str) -> None:
    page.get_by_role("button", name="Tour", exact=True).click()
    for title in ("Four instructions", "The sequence is everything", "Fetching is attention"):
        page.locator(".tour h2", has_text=title).wait_for()
        page.locator(".tour .primary").click()
    page.locator(".tour h2", has_text="Step 1").wait_for()
    shot(page, "tour")
    for title in ("Step 2", "Step 3", "Step 4", "42", "Break it yourself"):
        page.locator(".tour .primary").click()
        page.locator(".tour h2", has_text=title).wait_for()
    page.locator(".tour .primary").click()
    assert page.locator(".tour").count() == 0


def test_light(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(address, "light")
    choose(page, "Towers of Hanoi", "Assembly")
    finish(page, "returned 63")
    go(page, 200)
    shot(page, "light")


def test_learn(page: Page) -> None:
    page.get_by_role("button", name="Learn", exact=True).first.click()
    if missing := cannot_learn():
        page.locator(".notice", has_text=missing).wait_for()
        return
    page.locator(".lesson .bar select").select_option("add")
    page.locator(".lesson .primary").click()
    page.locator(".chart path.loss").wait_for(state="attached")
    page.locator(".lesson .state", has_text="learned and proved").wait_for(timeout=8 * SLOW)
    assert page.locator(".facts", has_text="proved on every input").count() == 1
    shot(page, "learn")


def test_an_export_opens_from_the_disk(open_page: Callable[..., Page], tmp_path: Path) -> None:
    from transputer.studio import export_site

    where = export_site(tmp_path / "site")
    assert not any("http://127" in f.read_text() for f in where.parent.glob("*.js"))
    page = open_page(where.as_uri())
    page.locator(".badge", has_text="recording").wait_for()
    at_step(page, 1)
    page.locator('[data-move="next"]').click()
    page.locator(".cm-here", has_text="a % b").wait_for()
    view = view_of(
        api.debug(
            compile_confined((ROOT / "examples/c/gcd.c").read_text(), "c"), "gcd", ["48", "36"]
        )
    )
    number = step(page)
    told = {(r["head"], r["token"]) for r in view.step(number)["reads"] if r["used"]}
    assert number > 2 and arcs(page) == told
    page.get_by_role("button", name="Tour", exact=True).click()
    page.locator(".tour h2", has_text="Four instructions").wait_for()


def test_an_export_of_the_loom_machine(open_page: Callable[..., Page], tmp_path: Path) -> None:
    from transputer.studio import export_site

    source = ROOT / "examples/loom/gcd.c"
    page = open_page(export_site(tmp_path / "site", str(source), machine="loom").as_uri())
    at_step(page, 1)
    go(page, 6)
    made = api.debug(source, machine="loom")
    assert arcs(page) == {(r.head, r.position) for r in made.reads(6)}
    with pytest.raises(UsageError, match="programs end in"):
        export_site(tmp_path / "other", str(ROOT / "examples/soft/gcd.soft"), machine="loom")


def test_a_wrong_token_is_refused(chromium: Any, address: str) -> None:
    page = chromium.new_page()
    answer = page.goto(address.rstrip("/") + "x/")
    assert answer.status == 403
    assert "token" in page.inner_text("body")
    page.close()


SUM = '(module (func (export "f") (param i32) (result i32) local.get 0 i32.const 7 i32.add))\n'


def test_break_a_head_and_mend_it(page: Page) -> None:
    """Head S reads the second operand: without it, 35 + 7 is 0 + 7, from the addition on."""
    page.locator('[aria-label="Language"]').select_option("wat")
    write(page, SUM)
    boxes = page.locator(".how input")
    boxes.nth(0).fill("f")
    boxes.nth(1).fill("35")
    finish(page, "returned 42")
    go(page, 3)
    assert "head S fetched 35" in page.locator(".explain").inner_text()
    page.locator('.layers .head b:text-is("S")').click()
    page.set_default_timeout(5 * SLOW)  # the bounds of the broken weights are derived first
    page.locator(".breaker button", has_text="Zero it").click()
    page.locator(".compared", has_text="the first step that differs is 3").wait_for()
    at_step(page, 3)
    healthy, broken = (
        page.locator(f".compared .{name}").inner_text() for name in ("healthy", "broken")
    )
    assert "slot 1 = 42" in healthy and "42 after 4 steps" in healthy
    assert "slot 1 = 7" in broken and "7 after 4 steps" in broken
    shot(page, "broken")
    page.locator(".compared button", has_text="Mend it").click()
    page.locator(".transport .note", has_text="returned 42").wait_for()
    assert page.locator(".compared").count() == 0
