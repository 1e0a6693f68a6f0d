"""The JSON that a page shows of a recorded run: steps, states, layers, searches.

All answers are plain JSON of bounded size. They leave out what a machine does not have.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from transputer.debugger.cursor import Breakpoint
from transputer.debugger.debugger import Debugger, NamedValue
from transputer.debugger.search import Test
from transputer.errors import UsageError
from transputer.frontends.lines import SourceLine
from transputer.host.outcome import Pulse
from transputer.host.result import Result

Json = dict[str, Any]
#: Limits of one answer.
MOST_OUTPUT, MOST_BREAKS, MOST_VARIABLES, MOST_TEXT = 65536, 64, 100, 200


def _with_place(result: Result) -> Json:
    """Return the JSON form of a result; the message of a trap says where it happened."""
    content = result.as_json()
    known = [call for call in result.where if call.line]
    if known:
        place = replace(known[0], file=PurePath(known[0].file).name)
        content["trap"] = f"{content['trap']} at {place}"
    return content


class View(ABC):
    """The JSON view of a debugger."""

    def __init__(self, debugger: Debugger) -> None:
        self.debugger = debugger

    @abstractmethod
    def step(self, number: int) -> Json:
        """Return one step: instruction, source line, lookups of its heads, writes."""

    @abstractmethod
    def state(self, number: int, address: int = 0, count: int = 256) -> Json:
        """Return the state before a step, with `count` units of memory from `address`."""

    @abstractmethod
    def layers(self, number: int) -> Json:
        """Return the fields after each layer, and which are new there."""

    @abstractmethod
    def tokens(self, number: int, before: int = 24, after: int = 8) -> Json:
        """Return what the heads of a step can attend to: tokens around it, or columns."""

    @abstractmethod
    def code(self) -> Json:
        """Return what a page needs to know of the program: where it can stop, what it has."""

    @abstractmethod
    def depth(self, number: int) -> int:
        """Return the number of open calls before a step."""

    def moves(self) -> dict[str, Callable[[], Test]]:
        """Return the machine's own moves, by name."""
        return {}

    # The same on all machines

    def look(self, number: int, address: int = 0, count: int = 256) -> Json:
        """Return a step, its state, its layers and what its heads can attend to."""
        self.debugger.check(number)
        step = self.step(number)
        return {
            "step": step,
            "state": self.state(number, address, count),
            "tokens": self.tokens(number),
            "layers": None if step["ended"] else self.layers(number),
        }

    def plain_step(self, number: int) -> Json:
        """Return a step of a machine without tokens, phases and functions."""
        d, ended = self.debugger, number > self.debugger.steps
        return {
            "step": number, "steps": d.steps, "ended": ended, "token": 0, "pc": d.pc(number),
            "phase": 0, "function": "", "writes": "" if ended else d.writes(number),
            "sentence": "" if ended else d.sentence(number),
            "kind": "end" if ended else "slot",
        }  # fmt: skip

    def output(self, number: int) -> Json:
        """Return the end of the program's output before a step."""
        output = self.debugger.output(number)
        text = output[-MOST_OUTPUT:].decode("utf-8", "replace")
        return {"output": text, "output_bytes": len(output)}

    def variables(self, number: int) -> list[Json]:
        """Return the first MOST_VARIABLES variables."""
        variables: list[NamedValue] = []
        with suppress(UsageError, IndexError):  # the end of a run is in no function
            for variable in self.debugger.variables(number):
                variables.append(variable)
                if len(variables) == MOST_VARIABLES:
                    break
        return [
            {"name": v.name, "type": v.type, "value": v.value[:MOST_TEXT], "local": v.local}
            for v in variables
        ]

    def line(self, line: SourceLine | None) -> Json | None:
        """Return a source line with its file's name; the folder is private."""
        if line is None or not line.number:
            return None
        return {"file": PurePath(line.file).name, "number": line.number}

    def stops(self) -> list[int]:
        """Return the lines of the program's own file at which a run can stop."""
        d = self.debugger
        lines = [d.line(pc) for pc in range(len(d.instructions))]
        main = PurePath(d.name).name
        return sorted({x.number for x in lines if x and x.number and PurePath(x.file).name == main})

    def place(self, number: int) -> Json:
        """Return the line of a step in the program's own file (0: none), and its call depth."""
        d = self.debugger
        line = self.line(d.line(d.pc(number)))
        own = line is not None and line["file"] == PurePath(d.name).name
        return {"line": line["number"] if line and own else 0, "depth": self.depth(number)}

    def summary(self) -> Json:
        """Return the result of the run, and facts about its code."""
        d, result = self.debugger, self.debugger.result
        whole = result is not None and not result.interrupted
        return {
            "machine": d.machine,
            "steps": d.steps,
            "output": d.output_length,
            "result": _with_place(result) if result and whole else None,
            "text": list(result.text) if result else [],
            "code": self.code(),
        }

    # Searches

    def search(self, number: int, how: str, breaks: list[Json], pulse: Pulse) -> Json:
        """Return the step that a move leads to, and the breakpoint that stopped it, if one did."""
        d = self.debugger
        moves = [*_STEPS, *_USUAL, *self.moves()]
        if how not in moves:
            raise UsageError(f"no move {how!r}; there are {', '.join(moves)}")
        d.go(number)
        if how in _STEPS:
            d.go(min(d.steps + 1, max(1, number + _STEPS[how])))
            return {"step": d.cursor, "stopped_at": None}
        d.breaks = list(self._breaks(breaks))
        try:
            hit = self._move(how, pulse)
        finally:
            d.breaks = []
        return {"step": d.cursor, "stopped_at": hit.name if hit else None}

    def _move(self, how: str, pulse: Pulse) -> Breakpoint | None:
        d = self.debugger
        if how in self.moves():
            return d.forward(self.moves()[how](), pulse)
        go = d.backward if how in _BACK else d.forward
        lines = {"next": d.other_line, "previous": d.other_line, "own": d.at_own_line}
        return go(lines[how]() if how in lines else None, pulse)

    def _breaks(self, spots: Sequence[Json]) -> Iterator[Breakpoint]:
        """Yield breakpoints; a line without code has none."""
        for spot in spots[:MOST_BREAKS]:
            with suppress(UsageError):
                yield self.break_at(spot)

    def break_at(self, spot: Json) -> Breakpoint:
        """Return a breakpoint from its JSON: a line, a pc or an address."""
        match spot:
            case {"line": int(number)}:
                return self.debugger.at_line(number)
            case {"pc": int(pc)}:
                return self.debugger.at_instruction(pc)
            case {"address": int(address)}:
                return self.debugger.at_write(address)
        raise UsageError("a breakpoint is a line, a function, a pc or an address")


#: Moves by one step, which no breakpoint stops.
_STEPS = {"step": 1, "back": -1}
#: Moves that every machine has.
_USUAL = ("next", "previous", "own", "continue", "reverse")
_BACK = ("previous", "reverse")
