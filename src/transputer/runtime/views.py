"""What a page shows of a recorded run, as JSON: steps, states, layers, searches.

All answers are plain JSON, and bounded in size. What a machine does not have is not in them.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import PurePath
from typing import Any

from transputer.debugger.cursor import Break
from transputer.debugger.debugger import Debugger, Shown
from transputer.debugger.search import Heard, Test
from transputer.errors import UsageError
from transputer.frontends.lines import SourceLine

Json = dict[str, Any]
#: Most of a thing that goes into one answer.
MOST_OUTPUT, MOST_BREAKS, MOST_VARIABLES, MOST_TEXT = 65536, 64, 100, 200


class View(ABC):
    """A debugger as a page sees it."""

    def __init__(self, debugger: Debugger) -> None:
        self.debugger = debugger

    @abstractmethod
    def step(self, number: int) -> Json:
        """One step: instruction, source line, what its heads found, what it writes."""

    @abstractmethod
    def state(self, number: int, address: int = 0, count: int = 256) -> Json:
        """What the run holds before a step; `count` of memory from an address on."""

    @abstractmethod
    def layers(self, number: int) -> Json:
        """The fields after each layer, and which are new there."""

    @abstractmethod
    def tokens(self, number: int, before: int = 24, after: int = 8) -> Json:
        """What the heads of a step can find: tokens around it, or columns."""

    @abstractmethod
    def code(self) -> Json:
        """What a page must know of the program: where it can stop, and what it has."""

    @abstractmethod
    def depth(self, number: int) -> int:
        """How many calls are open before a step."""

    def moves(self) -> dict[str, Callable[[], Test]]:
        """Movements beyond the usual ones, by name."""
        return {}

    # What all have

    def look(self, number: int, address: int = 0, count: int = 256) -> Json:
        """A step, its state, its layers and what its heads can find."""
        self.debugger.check(number)
        found = {
            "step": self.step(number),
            "state": self.state(number, address, count),
            "tokens": self.tokens(number),
        }
        return found | {"layers": self.layers(number) if not found["step"]["ended"] else None}

    def plain_step(self, number: int) -> Json:
        """What there is to say of a step on a machine without tokens, phases and functions."""
        d, ended = self.debugger, number > self.debugger.steps
        return {
            "step": number, "steps": d.steps, "ended": ended, "token": 0, "pc": d.pc(number),
            "phase": 0, "function": "", "writes": "" if ended else d.writes(number),
            "kind": "end" if ended else "slot",
        }  # fmt: skip

    def output(self, number: int) -> Json:
        """The end of what the program has put out before a step."""
        output = self.debugger.output(number)
        text = output[-MOST_OUTPUT:].decode("utf-8", "replace")
        return {"output": text, "output_bytes": len(output)}

    def variables(self, number: int) -> list[Json]:
        """Variables by name, as far as there is room."""
        found: list[Shown] = []
        with suppress(UsageError, IndexError):  # the end of a run is in no function
            for shown in self.debugger.variables(number):
                found.append(shown)
                if len(found) == MOST_VARIABLES:
                    break
        return [
            {"name": v.name, "type": v.type, "value": v.value[:MOST_TEXT], "local": v.local}
            for v in found
        ]

    def line(self, line: SourceLine | None) -> Json | None:
        """A source line by its file's name alone: where files are is nobody's business."""
        if line is None or not line.number:
            return None
        return {"file": PurePath(line.file).name, "number": line.number}

    def stops(self) -> list[int]:
        """Lines of the program itself that a run can stop at."""
        d = self.debugger
        lines = [d.line(pc) for pc in range(len(d.instructions))]
        main = PurePath(d.name).name
        return sorted({x.number for x in lines if x and x.number and PurePath(x.file).name == main})

    def place(self, number: int) -> Json:
        """Where a step begins: its line of the program itself (0: none), and its depth."""
        d = self.debugger
        line = self.line(d.line(d.pc(number)))
        own = line is not None and line["file"] == PurePath(d.name).name
        return {"line": line["number"] if line and own else 0, "depth": self.depth(number)}

    def summary(self) -> Json:
        """What the run came to, and its code."""
        d, result = self.debugger, self.debugger.result
        whole = result is not None and not result.interrupted
        return {
            "machine": d.machine,
            "steps": d.steps,
            "output": d.put,
            "result": result.as_json() if result and whole else None,
            "text": list(result.text) if result else [],
            "code": self.code(),
        }

    # Searches

    def search(self, number: int, how: str, breaks: list[Json], heard: Heard) -> Json:
        """The step that a movement leads to, and the breakpoint that stopped it, if one did."""
        d = self.debugger
        moves = [*_STEPS, *_USUAL, *self.moves()]
        if how not in moves:
            raise UsageError(f"no movement {how!r}; there are {', '.join(moves)}")
        d.go(number)
        if how in _STEPS:
            d.go(min(d.steps + 1, max(1, number + _STEPS[how])))
            return {"step": d.cursor, "stopped_at": None}
        d.breaks = list(self._breaks(breaks))
        try:
            hit = self._moved(how, heard)
        finally:
            d.breaks = []
        return {"step": d.cursor, "stopped_at": hit.name if hit else None}

    def _moved(self, how: str, heard: Heard) -> Break | None:
        d = self.debugger
        if how in self.moves():
            return d.forward(self.moves()[how](), heard)
        go = d.backward if how in _BACK else d.forward
        lines = {"next": d.other_line, "previous": d.other_line, "own": d.at_own_line}
        return go(lines[how]() if how in lines else None, heard)

    def _breaks(self, spots: Sequence[Json]) -> Iterator[Break]:
        """Breakpoints; a line that has no code stops nothing."""
        for spot in spots[:MOST_BREAKS]:
            with suppress(UsageError):
                yield self.break_at(spot)

    def break_at(self, spot: Json) -> Break:
        """A breakpoint from its JSON: a line, a place in the code or an address."""
        match spot:
            case {"line": int(number)}:
                return self.debugger.at_line(number)
            case {"pc": int(pc)}:
                return self.debugger.at_instruction(pc)
            case {"address": int(address)}:
                return self.debugger.at_write(address)
        raise UsageError("a breakpoint is a line, a function, a pc or an address")


#: Movements of one step, which no breakpoint stops.
_STEPS = {"step": 1, "back": -1}
#: Movements that every machine has.
_USUAL = ("next", "previous", "own", "continue", "reverse")
_BACK = ("previous", "reverse")
