"""Bars, curves, heat maps and columns as plain SVG."""

from collections.abc import Sequence
from html import escape
from math import log10

_COLOURS = ("#1b6ca8", "#c8553d", "#3a7d44", "#7d4fa0")
_HEAD = '<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" font-family="sans-serif" '
_REST = 'font-size="12"><rect width="100%" height="100%" fill="white"/>'


def _open(width: int, height: int) -> str:
    return (_HEAD + _REST).format(w=width, h=height)


def bars(rows: Sequence[tuple[str, float, float, float]]) -> str:
    """A bar for each rate, with its name and interval."""
    left, width, line = 420, 300, 20
    parts = [_open(left + width + 60, line * len(rows) + 20)]
    for k, (name, rate, low, high) in enumerate(rows):
        y = 10 + line * k
        parts += [
            f'<text x="{left - 8}" y="{y + 13}" text-anchor="end">{escape(name)}</text>',
            f'<rect x="{left}" y="{y + 3}" width="{width * rate:.1f}" height="13" fill="#9cc3e0"/>',
            f'<line x1="{left + width * low:.1f}" x2="{left + width * high:.1f}" y1="{y + 9}" '
            f'y2="{y + 9}" stroke="black"/>',
            f'<text x="{left + width + 8}" y="{y + 13}">{rate:.0%}</text>',
        ]
    return "\n".join((*parts, "</svg>", ""))


def curves(rows: Sequence[tuple[str, Sequence[float]]], across: str, up: str) -> str:
    """A line for each series, all from left to right over their whole length."""
    left, top, width, height = 60, 20, 560, 260
    highest = max(max(series) for _, series in rows)
    parts = [
        _open(left + width + 80, top + height + 50),
        f'<path d="M{left},{top} V{top + height} H{left + width}" fill="none" stroke="black"/>',
        f'<text x="{left + width / 2}" y="{top + height + 30}" text-anchor="middle">'
        f"{across}</text>",
        f'<text x="{left - 8}" y="{top + 5}" text-anchor="end">{highest:.2f}</text>',
        f'<text x="{left - 8}" y="{top + height}" text-anchor="end">0</text>',
        f'<text x="{left + 6}" y="{top - 6}">{up}</text>',
    ]
    for k, (name, series) in enumerate(rows):
        colour, last = _COLOURS[k % len(_COLOURS)], max(1, len(series) - 1)
        points = " ".join(
            f"{left + width * i / last:.1f},{top + height * (1 - value / highest):.1f}"
            for i, value in enumerate(series)
        )
        end = top + height * (1 - series[-1] / highest)
        parts += [
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>',
            f'<text x="{left + width + 6}" y="{end:.1f}" fill="{colour}">{escape(name)}</text>',
        ]
    return "\n".join((*parts, "</svg>", ""))


def heat(panels: Sequence[tuple[str, Sequence[Sequence[float]]]], names: Sequence[str]) -> str:
    """A panel for each title: time from left to right, a row for each name, dark where likely."""
    left, cell, line, gap = 60, 8, 12, 26
    most = max(len(columns) for _, columns in panels)
    tall = gap + line * len(names)
    parts = [_open(max(300, left + cell * most + 20), tall * len(panels) + 20)]
    for k, (title, columns) in enumerate(panels):
        top = k * tall + gap
        parts.append(f'<text x="{left}" y="{top - 6}">{escape(title)}</text>')
        for row, name in enumerate(names):
            y = top + line * row
            parts.append(f'<text x="{left - 6}" y="{y + 10}" text-anchor="end" font-size="10">'
                         f"{escape(name)}</text>")  # fmt: skip
            parts += [
                f'<rect x="{left + cell * i}" y="{y}" width="{cell}" height="{line - 1}" '
                f'fill="{_shade(column[row])}"/>'
                for i, column in enumerate(columns)
            ]
    return "\n".join((*parts, "</svg>", ""))


def _shade(probability: float) -> str:
    """White at 0, dark blue at 1."""
    red, green, blue = (round(255 - probability * (255 - full)) for full in (20, 60, 120))
    return f"#{red:02x}{green:02x}{blue:02x}"


def columns(values: Sequence[float], marked: Sequence[bool], up: str) -> str:
    """A column for each value, tallest last; marked ones are green, others red."""
    left, top, step, height = 50, 20, 14, 160
    highest = max(values) or 1.0
    order = sorted(range(len(values)), key=lambda i: values[i])
    parts = [
        _open(left + step * len(values) + 20, top + height + 20),
        f'<text x="{left}" y="{top - 6}">{escape(up)}</text>',
        f'<text x="{left - 6}" y="{top + 8}" text-anchor="end">{highest:.2f}</text>',
    ]
    for k, i in enumerate(order):
        tall = max(1.0, height * values[i] / highest)
        colour = "#3a7d44" if marked[i] else "#c8553d"
        parts.append(f'<rect x="{left + step * k}" y="{top + height - tall:.1f}" '
                     f'width="{step - 3}" height="{tall:.1f}" fill="{colour}"/>')  # fmt: skip
    return "\n".join((*parts, "</svg>", ""))


def powers(rows: Sequence[tuple[str, float | None, float | None]], names: tuple[str, str]) -> str:
    """Two bars for each row on a scale of powers of ten; None has no bar."""
    left, line, decade = 300, 30, 60
    most = max(value for _, *pair in rows for value in pair if value is not None)
    end = left + decade * (int(log10(most)) + 1)
    parts = [_open(end + 60, line * len(rows) + 50)]
    for k, name in enumerate(names):
        x = left + 110 * k
        parts.append(f'<text x="{x}" y="14" fill="{_COLOURS[k]}">{escape(name)}</text>')
    for power in range(int(log10(most)) + 2):
        x = left + decade * power
        parts.append(f'<line x1="{x}" x2="{x}" y1="20" y2="{line * len(rows) + 24}" '
                     f'stroke="#dddddd"/><text x="{x}" y="{line * len(rows) + 40}" '
                     f'text-anchor="middle">10^{power}</text>')  # fmt: skip
    for row, (name, *pair) in enumerate(rows):
        y = 24 + line * row
        parts.append(f'<text x="{left - 8}" y="{y + 16}" text-anchor="end">{escape(name)}</text>')
        parts += [
            f'<rect x="{left}" y="{y + 11 * k}" width="{decade * log10(max(1, value)):.1f}" '
            f'height="9" fill="{_COLOURS[k]}"/>'
            for k, value in enumerate(pair) if value is not None
        ]  # fmt: skip
    return "\n".join((*parts, "</svg>", ""))
