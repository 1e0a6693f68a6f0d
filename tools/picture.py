"""The moving picture of the README: `python -m tools.picture` writes docs/img/steps.svg.

It shows a recorded run on the reference engine, one step after another: the token that goes in, the
tokens that the heads attend to, and the token that comes out. Nothing in it is drawn by hand.
"""

from collections.abc import Iterator
from html import escape
from pathlib import Path

from tools.walkthrough import Run, run
from transputer.machines.trace.uses import uses
from transputer.machines.trace.vocabulary import Record, Space

PICTURE = Path(__file__).parents[1] / "docs" / "img" / "steps.svg"
PROGRAM = """(module (func (export "sum") (param i32) (result i32) (local i32)
  (loop
    (local.set 1 (i32.add (local.get 1) (local.get 0)))
    (br_if 0 (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))
  (local.get 1)))"""
ARGUMENT = 3
SECONDS = 0.9  # for each step
COLUMNS, BOX, GAP = 7, (82, 34), (10, 16)
ROW, TOP, LEFT, RIGHT = 24, 70, 20, 250
WIDTH = RIGHT + COLUMNS * (BOX[0] + GAP[0]) + 10
#: One colour per head, the fetching head first.
COLOURS = {"instruction": "#d9822b", "S": "#2b7bd9", "T": "#2a9d5c", "R": "#9b4dca"}
STYLE = """
  text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #24292f }
  .title { font-weight: bold } .dim { fill: #6e7781 } .box { fill: #f6f8fa; stroke: #d0d7de }
  .now { fill: none; stroke: #cf222e; stroke-width: 2 } .row { fill: #fff1e0 }
  path { fill: none; stroke-width: 2 }
"""


def written(token: Record) -> str:
    """What a token writes, in a few characters."""
    if token.status:
        return f"result {token.value}"
    if token.space == Space.SLOT:
        return f"slot {token.at} = {token.value}"
    return f"pc = {token.pc}"


class Picture:
    """Places and times of one run."""

    def __init__(self, walk: Run) -> None:
        self.walk = walk
        first = walk.record(walk.steps[0]).pc
        tokens = range(walk.steps[0] + 1)
        self.code = [
            position
            for position in tokens
            if walk.record(position).space == Space.CODE and walk.record(position).at >= first
        ]
        start = [position for position in tokens if walk.record(position).space == Space.SLOT]
        self.boxes = [*start, *range(walk.steps[0], walk.steps[-1] + 2)]
        self.total = SECONDS * (len(walk.steps) + 2)
        rows = -(-len(self.boxes) // COLUMNS)
        self.height = max(TOP + ROW * len(self.code) + 30, TOP + rows * (BOX[1] + GAP[1]) + 60)

    def box(self, position: int) -> tuple[int, int]:
        """The upper left corner of a token of the sequence."""
        row, column = divmod(self.boxes.index(position), COLUMNS)
        return RIGHT + column * (BOX[0] + GAP[0]), TOP + row * (BOX[1] + GAP[1])

    def line(self, position: int) -> int:
        """The middle of an instruction's row."""
        return TOP + ROW * self.code.index(position) + ROW // 2

    def between(self, first: float, last: float | None, content: str) -> str:
        """A group that is visible from one step to another."""
        times = [round(step * SECONDS / self.total, 4) for step in (first, last or 0)]
        ends = [0, times[0], *([times[1]] if last else [])]
        values = ["hidden", "visible", *(["hidden"] if last else [])]
        if not first:
            ends, values = ends[1:], values[1:]
        return (
            f'<g visibility="{"hidden" if last else "visible"}"><animate attributeName="visibility"'
            f' values="{";".join(values)}" keyTimes="{";".join(f"{e:g}" for e in ends)}"'
            f' calcMode="discrete" dur="{self.total:g}s" repeatCount="indefinite"/>{content}</g>'
        )

    def parts(self) -> Iterator[str]:
        """Everything that is drawn."""
        yield f'<rect width="{WIDTH}" height="{self.height}" rx="8" fill="#ffffff"/>'
        yield f'<text class="title" x="{LEFT}" y="28">sum({ARGUMENT}) = {self.walk.result}: '
        yield "every step is one forward pass of a transformer</text>"
        yield f'<text class="dim" x="{LEFT}" y="{TOP - 14}">program (prompt tokens)</text>'
        yield f'<text class="dim" x="{RIGHT}" y="{TOP - 14}">sequence (decoded tokens)</text>'
        yield from (self.between(n, n + 1, self.highlight(n)) for n in range(len(self.walk.steps)))
        for position in self.code:
            text = escape(self.walk.code[self.walk.record(position).at])
            yield f'<text x="{LEFT + 6}" y="{self.line(position) + 5}">{text}</text>'
        for position in self.boxes:
            first = position - self.walk.steps[0]
            yield self.between(max(0, first), None, self.drawn(position))
        yield from (self.between(n, n + 1, self.step(n)) for n in range(len(self.walk.steps)))
        end = f"done after {len(self.walk.steps)} steps: sum({ARGUMENT}) = {self.walk.result}"
        yield self.between(len(self.walk.steps), None, self.caption(end))

    def drawn(self, position: int) -> str:
        """One token of the sequence."""
        x, y = self.box(position)
        token = self.walk.record(position)
        text = "start" if token.space == Space.FRAME else written(token)
        return (
            f'<rect class="box" x="{x}" y="{y}" width="{BOX[0]}" height="{BOX[1]}" rx="4"/>'
            f'<text x="{x + BOX[0] / 2:g}" y="{y + 22}" text-anchor="middle" '
            f'style="font-size:11px">{text}</text>'
        )

    def highlight(self, number: int) -> str:
        """The row of the instruction that a step executes."""
        fetched = self.read(number)["instruction"]
        y = self.line(fetched) - ROW // 2
        return f'<rect class="row" x="{LEFT}" y="{y}" width="170" height="{ROW}" rx="4"/>'

    def read(self, number: int) -> dict[str, int]:
        """The positions that the heads of use to a step's instruction attend to, by head."""
        position = self.walk.steps[number]
        op = self.walk.code[self.walk.record(position).pc].split()[0]
        wanted = {"instruction", *uses(op)}
        looks = self.walk.inside.looks(position)
        return {look.name: look.position for look in looks if look.name in wanted}

    def step(self, number: int) -> str:
        """Arcs of attention from the current token, and the line of text below."""
        position = self.walk.steps[number]
        x, y = self.box(position)
        current = f'<rect class="now" x="{x}" y="{y}" width="{BOX[0]}" height="{BOX[1]}" rx="4"/>'
        arcs, words = [], []
        for name, target in self.read(number).items():
            if name not in COLOURS:
                continue
            arcs.append(self.arc(position, target, COLOURS[name]))
            if target in self.boxes:
                words.append(f"{name} reads {written(self.walk.record(target))}")
        op = self.walk.code[self.walk.record(position).pc]
        out = written(self.walk.record(position + 1))
        text = f"step {number + 1}: {op}   {', '.join(words)}   → {out}"
        return current + "".join(arcs) + self.caption(text)

    def arc(self, source: int, target: int, colour: str) -> str:
        """A curve between two tokens."""
        x, y = self.box(source)
        if target in self.code:
            return (
                f'<path stroke="{colour}" d="M{x} {y + BOX[1] // 2} C{x - 40} {y + BOX[1] // 2} '
                f'{RIGHT - 20} {self.line(target)} {LEFT + 172} {self.line(target)}"/>'
            )
        to, down = self.box(target)
        middle = BOX[0] // 2
        if target == source:
            return (
                f'<path stroke="{colour}" d="M{x + middle - 12} {y} C{x + middle - 16} {y - 16} '
                f'{x + middle + 16} {y - 16} {x + middle + 12} {y}"/>'
            )
        return (
            f'<path stroke="{colour}" d="M{x + middle} {y} C{x + middle} {y - 26} '
            f'{to + middle} {down - 26} {to + middle} {down}"/>'
        )

    def caption(self, text: str) -> str:
        """The line of text below everything."""
        return f'<text x="{LEFT}" y="{self.height - 16}" xml:space="preserve">{escape(text)}</text>'


def render() -> str:
    """The picture as SVG."""
    picture = Picture(run(PROGRAM, "sum", ARGUMENT))
    size = f'width="{WIDTH}" height="{picture.height}" viewBox="0 0 {WIDTH} {picture.height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">'
    title = f"<title>sum({ARGUMENT}), step by step</title>"
    return "\n".join([head, title, f"<style>{STYLE}</style>", *picture.parts(), "</svg>"]) + "\n"


if __name__ == "__main__":
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(render(), encoding="utf-8")
