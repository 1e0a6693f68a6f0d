"""Tables for notebooks: plain HTML, everything escaped."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

_CELL = "padding:2px 10px 2px 0;text-align:left;vertical-align:top;border:0"
_CODE = "font-family:ui-monospace,monospace;font-size:92%"


def html_table(rows: Iterable[Sequence[Any]], head: Sequence[str] = (), caption: str = "") -> str:
    """Return rows of cells as an HTML table."""
    lines = [f"<caption style='text-align:left;font-weight:600'>{escape(caption)}</caption>"]
    if head:
        lines.append(_row("th", head))
    lines += [_row("td", row) for row in rows]
    return f"<table style='border-collapse:collapse;{_CODE}'>{''.join(lines)}</table>"


def _row(kind: str, cells: Sequence[Any]) -> str:
    text = "".join(f"<{kind} style='{_CELL}'>{escape(str(c))}</{kind}>" for c in cells)
    return f"<tr>{text}</tr>"


def code(text: str, caption: str = "") -> str:
    """Return preformatted text with a caption, as HTML."""
    return f"<div style='font-weight:600'>{escape(caption)}</div><pre>{escape(text)}</pre>"
