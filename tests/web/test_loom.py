"""The page of the loom machine in a real browser: `make test-loom-page` builds and drives it.

The site is in `build/pages`; screenshots and what was measured go to `build/loom-shots`, or where
LOOM_SHOTS says.
"""

import json
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import PATIENCE
from tests.frontends.smallc.cases import CASES, golden
from transputer.engines.reference.looped import LoopedReference
from transputer.exporters.loom_page import CONFIGS
from transputer.frontends.smallc import compile
from transputer.frontends.smallc.loom.plain import SMALL_STACK, plain
from transputer.ir.loom import LoomProgram, configuration
from transputer.isa.integers import signed
from transputer.machines.loom.circuit import model
from transputer.machines.loom.host import initial
from transputer.oracle.loom import Loom

ROOT = Path(__file__).parents[2]
SITE = ROOT / "build" / "pages"
SHOTS = Path(os.environ.get("LOOM_SHOTS", ROOT / "build" / "loom-shots"))
FIBONACCI = """int calls;
int f(int n) {
    calls++;
    return n < 2 ? n : f(n - 1) + f(n - 2);
}
int main(void) {
    putchar('o');
    putchar('k');
    return f(8);
}
"""
WIDE = """int big[3] = {30000, -5, 7};
int main(void) {
    big[1] *= big[2];
    return big[0] - big[1];
}
"""
Page = Any

pytestmark = pytest.mark.skipif(
    not (SITE / "loom" / "data" / "programs.json").exists(),
    reason="the page is not built: make pages",
)


class Quiet(SimpleHTTPRequestHandler):
    """Any web server will do; this one says nothing."""

    def log_message(self, *args: Any) -> None:
        pass


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on a free port; yield its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served(SITE) as root:
        yield f"{root}loom/"


@pytest.fixture
def show(open_page: Callable[..., Page], address: str) -> Callable[..., Page]:
    """Opens the page on an example, ready to run."""

    def opened(name: str, scheme: str = "dark") -> Page:
        page = open_page(f"{address}#{name}", scheme)
        ready(page)
        return page

    return opened


@pytest.fixture(scope="module")
def desk(chromium: Any, address: str) -> Iterator[Page]:
    """One page for everything that is compiled: Python takes seconds to start."""
    wrong: list[str] = []
    page = chromium.new_page(viewport={"width": 1280, "height": 800})
    page.set_default_timeout(3 * PATIENCE)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(f"{address}#hello")
    ready(page)
    yield page
    page.close()
    assert not wrong


def ready(page: Page) -> None:
    page.wait_for_function("() => loom.session.value && loom.layers.value.length")


def write(page: Page, text: str, bits: int = 0) -> None:
    """Put a program into the editor and let Python compile it; 0 bits: leave the width alone."""
    page.evaluate("() => (window.before = loom.session.value)")
    page.locator(".cm-content").fill(text)
    if bits:
        page.locator('[aria-label="Word size"]').select_option(str(bits))
    page.locator("#steps").select_option(label="as fast as it can")
    page.locator("#compile").click()


def finished(page: Page) -> dict[str, Any]:
    """What the page shows at the end of a program."""
    page.wait_for_function(
        """() => loom.session.value !== window.before
            && loom.seen.value.halted && loom.seen.value.steps > 0"""
    )
    page.locator(".transport .note", has_text="halted").wait_for()
    found: dict[str, Any] = page.evaluate("() => ({...loom.seen.value, state: null})")
    return found


def states(page: Page) -> Any:
    """The state on show, rows by columns."""
    held = page.evaluate("() => Array.from(loom.seen.value.state)")
    columns = page.evaluate("() => loom.session.value.config.columns")
    return np.array(held, dtype=np.float64).reshape(columns, -1).T


def interpreted(program: LoomProgram, config: str, limit: int = 10**6) -> Loom:
    """The oracle's run to the end."""
    found = Loom(program, configuration(config))
    found.run(limit)
    return found


def shot(page: Page, name: str) -> None:
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=str(SHOTS / f"{name}.png"))


def slots(program: LoomProgram, name: str, words: list[int]) -> list[int]:
    """A global, signed."""
    one = next(s for s in program.symbols if s.name == name)
    return [signed(program.bits, word) for word in words[one.slot : one.slot + one.count]]


def ticks(page: Page, keys: list[int]) -> list[list[int]]:
    """The words after each run of main, made by the page's engine from these keys."""
    found: list[list[int]] = page.evaluate(
        """async (keys) => {
            const session = loom.session.value, found = [];
            session.write("key", 0, keys[0]);
            for (const [i, key] of keys.entries()) {
                if (i) session.tick(key);
                while (!session.halted) await session.run(100000, 1e9);
                found.push(session.words);
            }
            return found;
        }""",
        keys,
    )
    return found


def test_the_examples_are_what_the_compiler_makes_of_them() -> None:
    kept = json.loads((SITE / "loom" / "data" / "programs.json").read_text())
    for name in ("snake.c", "sudoku.c"):
        text = (ROOT / "examples" / "loom" / name).read_text()
        assert kept[name] == json.loads(
            json.dumps({"text": text, "bits": 8, **plain(text, 8, CONFIGS)})
        )


def test_load(show: Callable[..., Page]) -> None:
    page = show("snake")
    assert page.title() == "Transputer Loom"
    held = model(configuration("146x512"))
    nonzeros = sum(int(np.count_nonzero(tensor)) for tensor in held.tensors().values())
    assert f"{nonzeros:,} nonzero weights" in page.locator(".about").inner_text()
    offered = page.locator(".examples option").count()
    assert offered == len(list((ROOT / "examples" / "loom").glob("*.c")))


def test_a_program_is_compiled_and_run(desk: Page) -> None:
    """By Python in the page and the weights; compared with the oracle."""
    write(desk, FIBONACCI)
    found = finished(desk)
    made = desk.evaluate("() => loom.session.value.program")
    assert made == json.loads(json.dumps(plain(FIBONACCI, 32, CONFIGS)))
    program = compile(FIBONACCI, stack=SMALL_STACK)
    oracle = interpreted(program, "1024x32,m=256")
    assert found["words"] == oracle.memory
    assert (found["steps"], found["output"]) == (oracle.steps, "ok")
    assert desk.locator(".stage .end").inner_text() == "returned 21"
    assert desk.locator(".output pre").inner_text() == "ok"
    row = desk.locator(".variables li", has_text="calls")
    assert row.locator("b").inner_text() == str(slots(program, "calls", oracle.memory)[0])


@pytest.mark.parametrize("bits, config", [(16, "1024x16,m=256"), (32, "1024x32,m=256")])
def test_wider_words(desk: Page, bits: int, config: str) -> None:
    write(desk, WIDE, bits)
    desk.locator(".config", has_text=config).wait_for()
    found = finished(desk)
    oracle = interpreted(compile(WIDE, bits=bits), config)
    assert found["words"] == oracle.memory and found["steps"] == oracle.steps
    assert desk.locator(".stage .end").inner_text() == "returned 30035"


def test_mistakes_are_shown_at_their_lines(desk: Page) -> None:
    page = desk
    write(page, "int main(void) {\n    int x = 1;\n    return x + unknown;\n}\n")
    page.locator(".problems .error", has_text="'unknown' is not declared").wait_for()
    assert "line 3" in page.locator(".problems").inner_text()
    marker = page.locator(".cm-lint-marker-error").bounding_box()
    line = page.locator(".cm-lineNumbers .cm-gutterElement", has_text="3").first.bounding_box()
    assert abs(marker["y"] - line["y"]) < 12
    write(page, "int a[240];\nint main(void) { a[1] = 2; return a[3]; }\n", 8)
    page.locator(".problems .error", has_text="164x2048 has 224").wait_for()
    write(page, "int main(void) { return 7; }\n")
    page.locator(".stage .end", has_text="returned 7").wait_for()
    assert page.locator(".problems .error").count() == 0


def test_a_trap(desk: Page) -> None:
    write(desk, "int zero;\nint main(void) { return 5 / zero; }\n")
    desk.locator(".stage .trap", has_text="integer divide by zero").wait_for()


def test_every_engine_has_the_states_of_the_reference(show: Callable[..., Page]) -> None:
    """The C as wasm, the ONNX file, the reference, and the interpreter, step by step."""
    text = (ROOT / "examples" / "loom" / "bubble.c").read_text()
    program, config = compile(text, bits=8), configuration("146x512")
    page = show("bubble")
    for steps in (6, 2):
        true = LoopedReference(model(config), initial(program, config))
        oracle = Loom(program, config)
        for number in range(1, steps + 1):
            assert page.evaluate("() => loom.seen.value.place") == oracle.pc
            page.locator("#step").click()
            page.wait_for_function(f"() => loom.seen.value.steps === {number}")
            true.step()
            oracle.step()
            assert np.array_equal(states(page), true.state)
            assert page.evaluate("() => loom.seen.value.words") == oracle.memory
        page.locator("#engine").select_option("wasm")
        page.locator(".transport .note", has_text="ready").wait_for()


def test_the_layers_are_those_of_the_reference(show: Callable[..., Page]) -> None:
    text = (ROOT / "examples" / "loom" / "shell.c").read_text()
    config = configuration("146x512")
    held = model(config)
    page = show("shell")
    true = LoopedReference(held, initial(compile(text, bits=8), config))
    page.locator("#step").click()
    page.wait_for_function("() => loom.seen.value.steps === 1")
    true.step()
    shown = page.evaluate("() => loom.layers.value.map((state) => Array.from(state))")
    for count, state in enumerate(shown):
        part = LoopedReference(held, true.state)
        part.model = replace(held, layers=held.layers[:count])
        part.step()
        assert np.array_equal(np.array(state).reshape(config.columns, -1).T, part.state)
    assert len(shown) == 1 + len(held.layers)
    assert page.locator(".layers .row").count() == len(held.layers)


@pytest.mark.parametrize("name, count", [("snake", 29), ("raycaster", 14)])
def test_games_play_as_gcc_says(show: Callable[..., Page], name: str, count: int) -> None:
    case = next(one for one in CASES if one.name == name)
    page = show(name)
    keys = [tick["key"] for tick in case.ticks[:count]]
    program = compile(case.text, bits=8)
    for words, wanted in zip(ticks(page, keys), golden()[name], strict=False):
        for held, values in wanted.globals.items():
            assert slots(program, held, words) == values


def test_snake_obeys_the_keyboard(show: Callable[..., Page]) -> None:
    page = show("snake")
    page.locator("#ticks").select_option(label="1 ticks/s")
    page.locator("#play").click()
    page.keyboard.press("ArrowUp")
    page.wait_for_function("() => loom.seen.value.ticks >= 3")
    page.keyboard.press("p")
    page.locator(".transport .note", has_text="paused").or_(
        page.locator(".transport .note", has_text="halted")
    ).wait_for()
    program = compile((ROOT / "examples" / "loom" / "snake.c").read_text(), bits=8)
    words = page.evaluate("() => loom.seen.value.words")
    cells = {i for i, cell in enumerate(slots(program, "board", words)) if cell == 1}
    assert any(cell - 8 in cells for cell in cells), "it goes upwards"


def test_how_fast_snake_is(show: Callable[..., Page]) -> None:
    """Measured and written down, not judged: a snake in circles, with everything on show."""
    page = show("snake")
    page.evaluate(
        """() => {
            const session = loom.session.value, tick = session.tick.bind(session);
            session.tick = () => tick([1, 4, 3, 2][(session.ticks - 1) % 4]);
        }"""
    )
    page.locator("#ticks").select_option(label="as fast as it can")
    page.locator("#play").click()
    found = page.evaluate(
        """() => new Promise((done) => {
            const session = loom.session.value, { ticks, steps } = session;
            const from = performance.now();
            setTimeout(() => {
                const each = 1000 / (performance.now() - from);
                const more = [session.ticks - ticks, session.steps - steps];
                done({ ticks: more[0] * each, steps: more[1] * each });
            }, 5000);
        })"""
    )
    program = compile((ROOT / "examples" / "loom" / "snake.c").read_text(), bits=8)
    assert slots(program, "alive", page.evaluate("() => loom.session.value.words")) == [1]
    print(json.dumps(found))
    SHOTS.mkdir(parents=True, exist_ok=True)
    (SHOTS / "snake.json").write_text(json.dumps(found) + "\n")


def test_a_long_run_is_the_oracles(show: Callable[..., Page]) -> None:
    """The sudoku, 60,000 steps into it."""
    page = show("sudoku")
    page.locator("#play").click()
    page.wait_for_function("() => loom.seen.value.steps > 60000")
    shot(page, "sudoku")
    page.locator("#play").click()
    page.locator(".transport .note", has_text="paused").wait_for()
    found = page.evaluate("() => ({...loom.seen.value, state: null})")
    program = compile((ROOT / "examples" / "loom" / "sudoku.c").read_text(), bits=8)
    oracle = Loom(program, configuration("146x512"))
    for _ in range(found["steps"]):
        oracle.step()
    assert (found["words"], found["place"]) == (oracle.memory, oracle.pc)


def test_step_run_pause_reset(show: Callable[..., Page]) -> None:
    page = show("bubble")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => loom.seen.value.steps === 1")
    assert page.locator(".listing .here i").inner_text() == "1"
    assert page.locator(".cm-here").count() == 1
    page.locator("#steps").select_option(label="16 steps/s")
    page.keyboard.press("p")
    page.wait_for_function("() => loom.seen.value.steps > 4")
    page.keyboard.press("p")
    page.locator(".transport .note", has_text="paused").wait_for()
    assert page.evaluate("() => loom.seen.value.steps") < 400
    page.keyboard.press("r")
    page.locator(".transport .note", has_text="ready").wait_for()
    assert page.evaluate("() => loom.seen.value.steps") == 0
    page.locator("#steps").select_option(label="as fast as it can")
    page.locator("#play").click()
    assert finished(page)["steps"] == 404
    page.keyboard.press("?")
    page.locator(".help", has_text="one step").wait_for()
    page.keyboard.press("Escape")
    assert page.locator(".help").count() == 0


def test_cells_can_be_painted(show: Callable[..., Page]) -> None:
    page = show("life")
    box = page.locator(".stage canvas").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2 + 4, box["y"] + box["height"] / 2 + 4)
    program = compile((ROOT / "examples" / "loom" / "life.c").read_text(), bits=8)
    page.wait_for_function("() => loom.seen.value.words.filter((word) => word === 1).length > 5")
    board = slots(program, "board", page.evaluate("() => loom.seen.value.words"))
    assert [i for i, cell in enumerate(board) if cell] == [1, 10, 16, 17, 18, 36]


def test_nothing_jumps(show: Callable[..., Page]) -> None:
    page = show("shell")
    places = ".source .listing .screen .heat .layers .variables .memory .output #count".split()

    def boxes() -> list[Any]:
        return [page.locator(place).bounding_box() for place in places]

    before = boxes()
    for number in range(1, 25):
        page.locator("#step").click()
        page.wait_for_function(f"() => loom.seen.value.steps === {number}")
        assert boxes() == before
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 1280


def test_pictures(show: Callable[..., Page]) -> None:
    """What the documentation shows."""
    page = show("raycaster")
    ticks(page, [4, 4])
    for _ in range(30):
        page.keyboard.press("ArrowRight")
    page.wait_for_function("() => loom.layers.value.length && loom.seen.value.place > 0")
    shot(page, "raycaster")
    page = show("shell", "light")
    page.locator("#play").click()
    page.wait_for_function("() => loom.seen.value.steps > 700")
    page.locator("#play").click()
    page.locator(".transport .note", has_text="paused").wait_for()
    shot(page, "sorting")
