"""Two kinds of pictures as plain SVG."""

from collections.abc import Sequence
from html import escape

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
