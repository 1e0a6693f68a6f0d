"""What notebooks show: HTML that says the right things, and pictures of them."""

from html.parser import HTMLParser
from pathlib import Path

import pytest

from transputer import api
from transputer.errors import UsageError
from transputer.runtime.plots import plot_attention, plot_lanes, plot_speed
from transputer.runtime.trace.program import TraceProgram
from transputer.runtime.trace.text import compile_confined

ROOT = Path(__file__).parents[2]
ADD = '(module (func (export "f<b>") (param i32) (result i32) local.get 0 i32.const 7 i32.add))'


class Cells(HTMLParser):
    """The texts of a page, and that every tag is closed in its turn."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._open: list[str] = []
        self.feed(page)
        assert not self._open

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@pytest.fixture(scope="module")
def program() -> TraceProgram:
    return compile_confined(ADD, "wat")


def test_results(program: TraceProgram) -> None:
    texts = Cells(api.run(program, "f<b>", [35])._repr_html_()).texts
    assert "42" in texts and "4 for 3 instructions" in texts
    trapped = api.run(compile_confined("TRAP\n", "asm"))
    assert "trap: unreachable" in Cells(trapped._repr_html_()).texts


def test_output_is_escaped() -> None:
    source = '#include "transputer.h"\nint main(void) { tp_write(60); tp_write(98); return 0; }'
    page = api.run(compile_confined(source, "c"))._repr_html_()
    assert "&lt;b" in page and "<b" not in page


def test_programs_name_their_functions(program: TraceProgram) -> None:
    page = program._repr_html_()
    assert "f&lt;b&gt;" in page
    assert any("i32.add" in text for text in Cells(page).texts)


def test_traces_and_debuggers(program: TraceProgram) -> None:
    texts = Cells(api.trace(program, "f<b>", [35])._repr_html_()).texts
    assert "4 steps" in texts and "slot 1 = 42" in texts
    made = api.debug(program, "f<b>", [35])
    made.go(3)
    assert "f<b>+2  i32.add" in Cells(made._repr_html_()).texts
    made.go(5)
    assert "the end, after 4" in Cells(made._repr_html_()).texts


def test_models() -> None:
    model = api.build()
    texts = Cells(model._repr_html_()).texts
    assert "S, T, R" in texts and texts[0].startswith("decoder: 1000 lanes")
    assert Cells(model.anonymous()._repr_html_()).texts


def test_plots(program: TraceProgram) -> None:
    matplotlib = pytest.importorskip("matplotlib", reason="pip install 'transputer[plots]'")
    matplotlib.use("agg")
    made = api.debug(program, "f<b>", [35])
    axes = plot_attention(made, 3).axes[0]
    names = {text.get_text() for text in axes.texts}
    assert names == {r.head for r in made.step(3).reads}
    here, found = made.state(3).position, {r.position for r in made.step(3).reads}
    ticks = [int(t.get_text().replace(",", "")) for t in axes.get_xticklabels()]
    assert found | {here} <= set(ticks) and ticks == sorted(ticks)
    with pytest.raises(UsageError):
        plot_attention(made, 5)
    model = api.build()
    bars = plot_lanes(model).axes[0].patches
    assert len(bars) == len(model.hints["lanes"])
    with pytest.raises(UsageError):
        plot_lanes(model.anonymous())


def test_speed_versus_length(program: TraceProgram) -> None:
    matplotlib = pytest.importorskip("matplotlib", reason="pip install 'transputer[plots]'")
    matplotlib.use("agg")
    sudoku = api.compile("examples/c/sudoku.c")
    (line,) = plot_speed(sudoku, max_steps=300_000).axes[0].lines
    lengths, rates = line.get_xydata().T
    assert lengths[-1] > 200_000 and len(lengths) >= 3
    assert (lengths[1:] > lengths[:-1]).all() and (rates > 0).all()
    with pytest.raises(UsageError, match="too short"):
        plot_speed(program, "f<b>", [35])
