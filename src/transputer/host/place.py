"""Where a program trapped: the open calls, with their places in the source."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from transputer.errors import Place
from transputer.values import dataclass

#: Number of open calls that are shown as text.
_SHOWN = 16


@dataclass(frozen=True, slots=True)
class CallPlace:
    """One open call: the function, and the place in the source that it has reached.

    `line` and `column` count from 1 and are 0 if they are unknown; `text` is the source line.
    """

    function: str
    file: str = ""
    line: int = 0
    column: int = 0
    text: str = ""

    def __str__(self) -> str:
        where = str(Place(self.file, self.line, self.column)) if self.line else self.file
        return f"{where} in {self.function}" if where else f"in {self.function}"

    def as_json(self) -> dict[str, Any]:
        """Return the form that `run --json` prints."""
        return asdict(self)

    def caret(self) -> str:
        """Return the source line with a caret under the column; nothing if it is unknown."""
        return Place(line=self.line, column=self.column, text=self.text).caret()


def describe(calls: Sequence[CallPlace]) -> str:
    """Return the open calls as text, a line each, with a caret under the innermost known line."""
    lines, shown = [], False
    for call in calls[:_SHOWN]:
        caret = "" if shown else call.caret().replace("\n", "\n  ")
        shown = shown or bool(caret)
        lines.append(f"  {call}{caret}")
    if len(calls) > _SHOWN:
        lines.append(f"  and {len(calls) - _SHOWN} or more callers")
    return "\n".join(lines)
