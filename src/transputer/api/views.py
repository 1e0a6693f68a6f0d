"""What a page shows of a recorded run, as JSON: steps, states, layers, tokens, searches."""

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import PurePath
from typing import Any

from transputer.api.debug import Break, Debugger
from transputer.api.trace import describe
from transputer.debug.fields import fields, short, tiles
from transputer.debug.lens import Found, Pass
from transputer.debug.search import Heard
from transputer.debug.state import Call, Slot, State
from transputer.errors import UsageError
from transputer.frontends.lines import Line
from transputer.machines.trace.uses import uses
from transputer.machines.trace.vocabulary import Record, Space, Status

Json = dict[str, Any]
#: Most of a thing that goes into one answer.
MOST_TOKENS, MOST_BYTES, MOST_OUTPUT, MOST_BREAKS = 400, 4096, 65536, 64
_WORD = 4
#: What a head asks for that an instruction does not need in this variant.
_NOTHING = "nothing"
#: What a space is called, and whether an address in it is told.
_PLACES = {
    Space.SLOT: "slot {at}",
    Space.GLOBAL: "global {at}",
    Space.CODE: "instruction {at}",
    Space.FUNC: "function {at}",
    Space.FRAME: "the call at depth {at}",
    Space.SIZE: "size {at}",
    Space.OUTPUT: "the output",
    Space.WORK: "work in progress {at}",
    Space.VARIABLE: "variable {at}",
}
_KINDS = {
    Space.NONE: "state", Space.SLOT: "slot", Space.GLOBAL: "global", Space.CODE: "code",
    Space.FUNC: "function", Space.FRAME: "frame", Space.SIZE: "size", Space.OUTPUT: "output",
    Space.WORK: "work", Space.SENTINEL: "sentinel", Space.VARIABLE: "slot",
}  # fmt: skip


class View:
    """A debugger as a page sees it. All answers are plain JSON, and bounded in size."""

    def __init__(self, debugger: Debugger) -> None:
        self.debugger = debugger
        self._spaces = debugger.spaces
        self._seen: tuple[int, Pass] | None = None

    def _pass(self, number: int) -> Pass:
        """The forward pass of a step; the last one is kept."""
        if self._seen is None or self._seen[0] != number:
            self._seen = number, self.debugger.look(number)
        return self._seen[1]

    # Steps

    def step(self, number: int) -> Json:
        """One step: instruction, source line, what its heads found, what it writes."""
        d = self.debugger
        state = d.state(number)
        now, instr = state.now, d.listing[state.now.pc]
        ended = number > d.steps
        after = None if ended else d.recording.window(state.position + 1).token(state.position + 1)
        return {
            "step": number,
            "steps": d.steps,
            "ended": ended,
            "token": state.position + 1,
            "pc": now.pc,
            "phase": now.phase,
            "instruction": "" if ended else str(instr),
            "source": "" if ended else d.program.written(instr),
            "function": "" if ended else self._function(state, now.pc),
            "line": None if ended else self._line(d.line(now.pc)),
            "reads": [] if ended else list(self._reads(state, number)),
            "writes": self._says(after) if after else "",
            "kind": self._kind(after) if after else "end",
            "status": after.status if after else now.status,
        }

    def _reads(self, state: State, number: int) -> Iterator[Json]:
        wanted = uses(self.debugger.listing[state.now.pc].name)
        for found in self._pass(number).found:
            token = state.window.token(found.position)
            margin = None if math.isinf(found.margin) else int(found.margin)
            yield {
                "head": found.name,
                "layer": found.layer,
                "used": found.name in wanted and self._asked(found) != _NOTHING,
                "token": found.position,
                "step": self._step_of(found.position),
                "asked": self._asked(found),
                "says": self._says(token) if token else "",
                "kind": self._kind(token) if token else "state",
                "margin": margin,
                "copied": {short(k): v for k, v in fields(found.copied).items()},
                "words": self._words(found, token, state.window.start > 0),
            }

    def _step_of(self, position: int) -> int | None:
        """The step that decoded a token; none for the host's."""
        step = self.debugger.recording.step_at(position)
        here = step >= 1 and self.debugger.recording.position(step) == position
        return step if here else None

    def _asked(self, found: Found) -> str:
        """The address that a head asked for, in words."""
        if not found.asked:
            return ""
        digits = found.asked
        if "frame" in digits:
            return f"the call at depth {_joined(digits, 'depth')}"
        space, at = digits.get("space", 0), _joined(digits, "at")
        if found.name == "stack limits":
            return "the stack limits"
        if not space:
            return _NOTHING
        return self._place(space, at)

    def _place(self, space: int, at: int) -> str:
        kind = self._spaces.get(space)
        if kind == "memory":
            return f"memory at {at * _WORD}"
        if kind is not None:
            return f"{kind} entry {at}"
        return _PLACES.get(Space(space), "address {at}").format(at=at)

    def _words(self, found: Found, token: Record | None, cut: bool) -> str:
        """What a head did, as a sentence."""
        asked = self._asked(found)
        step = self._step_of(found.position)
        whose = f", decoded in step {step:,}" if step else ", part of the prompt"
        seen = "an older token" if token is None else self._says(token) or "a state"
        if token is not None and token.space == Space.SENTINEL and asked != _NOTHING:
            got = f"found nothing written there: token {found.position} stands for 0"
        else:
            got = f"found token {found.position:,} ({seen}){whose}"
        begin = "asked for nothing and" if asked in ("", _NOTHING) else f"asked for {asked} and"
        if math.isinf(found.margin):
            return f"Head {found.name} {begin} {got}; there was no other."
        among = " that can still be found" if cut else ""
        return f"Head {found.name} {begin} {got}, ahead of the next{among} by {found.margin:,.0f}."

    def _says(self, token: Record) -> str:
        """What a token says was written."""
        if token.space in self._spaces:
            return f"{self._place(token.space, token.at)} = {token.value}"
        return describe(token)

    def _kind(self, token: Record) -> str:
        if token.space in self._spaces:
            return self._spaces[token.space]
        return _KINDS.get(Space(token.space), "state")

    # States

    def state(self, number: int, address: int = 0, count: int = 256) -> Json:
        """What the run holds before a step; `count` bytes of memory from an address on."""
        if address < 0 or not 0 <= count <= MOST_BYTES:
            raise UsageError(f"memory is shown from 0 on, at most {MOST_BYTES} bytes at once")
        d = self.debugger
        state = d.state(number)
        calls = state.calls()
        now, inner = state.now, calls[0]
        returned = number > d.steps and now.status != Status.RUN
        output = d.output(number)
        return {
            "step": number,
            "registers": {
                "pc": now.pc, "sp": now.sp, "fp": now.fp, "depth": now.depth, "phase": now.phase,
            },
            "stack": [self._slot(s) for s in self._operands(state, inner)],
            "locals": [] if returned else [
                self._slot(s, inner.fp) for s in self._locals(state, inner)[:64]
            ],
            "globals": [self._slot(s) for s in state.globals()[:32]],
            "calls": [] if returned else [self._call(call) for call in calls],
            "memory": {"address": address, "bytes": state.memory(address, count).hex()},
            "touched": self._touched(state),
            "output": output[-MOST_OUTPUT:].decode("utf-8", "replace"),
            "output_bytes": len(output),
        }  # fmt: skip

    def _operands(self, state: State, call: Call) -> list[Slot]:
        """Operands; the assembly shares them across calls."""
        shared = self.debugger.program.assembly is not None
        return state.operands(replace(call, fp=0, function=None) if shared else call, 64)

    def _locals(self, state: State, call: Call) -> list[Slot]:
        if self.debugger.program.assembly is not None:
            return state.variables(call.fp)
        return state.locals(call)

    def _slot(self, slot: Slot, first: int = 0) -> Json:
        return {
            "index": slot.index - first,
            "value": slot.value,
            "signed": slot.value - (slot.value >> 31 << 32),
            "token": slot.written,
        }

    def _call(self, call: Call) -> Json:
        return {
            "function": call.function.name if call.function else "?",
            "pc": call.pc,
            "depth": call.depth,
            "line": self._line(self.debugger.line(call.pc)),
        }

    def _function(self, state: State, pc: int) -> str:
        found = state.function(pc)
        return found.name if found else ""

    def _touched(self, state: State) -> Json | None:
        """The memory word that the last step wrote, if it wrote one."""
        now = state.now
        if self._spaces.get(now.space) != "memory":
            return None
        return {"address": now.at * _WORD, "count": _WORD}

    def _line(self, line: Line | None) -> Json | None:
        """A source line by its file's name alone: where files are is nobody's business."""
        if line is None or not line.number:
            return None
        return {"file": PurePath(line.file).name, "number": line.number}

    # Layers

    def layers(self, number: int) -> Json:
        """The fields after the embedding and after each layer, and which are new there."""
        seen = self._pass(number)
        befores = [None, seen.embedded, *seen.layers[:-1]]
        held = [seen.embedded, *seen.layers]
        names = ["token", *(f"layer {i}" for i in range(len(seen.layers)))]
        return {
            "step": number,
            "layers": [
                {"name": name, "tiles": [asdict(tile) for tile in tiles(before, after)]}
                for name, before, after in zip(names, befores, held, strict=True)
            ],
        }

    # Tokens

    def tokens(self, number: int, before: int = 24, after: int = 8) -> Json:
        """The tokens around a step, and those far away that its heads found."""
        if not (before >= 0 and after >= 0 and before + after <= MOST_TOKENS):
            raise UsageError(f"at most {MOST_TOKENS} tokens at once")
        d = self.debugger
        here = d.position(number) + 1
        last = d.recording.length - 1
        near = range(max(0, here - before), min(last, here + after) + 1)
        far = set()
        if number <= d.steps:
            wanted = uses(d.listing[d.state(number).now.pc].name)
            far = {f.position for f in self._pass(number).found if f.name in wanted} - set(near)
        window = d.recording.window(here - 1)
        places = [*sorted(far), *near]
        return {"step": number, "current": here, "last": last,
                "tokens": [self._token(p, window) for p in places]}  # fmt: skip

    def _token(self, position: int, window: Any) -> Json:
        token = window.token(position) or self.debugger.recording.window(position).token(position)
        step = self._step_of(position)
        if token is None:
            return {"position": position, "step": step, "kind": "state", "says": "", "label": ""}
        return {
            "position": position,
            "step": step,
            "kind": self._kind(token),
            "says": self._says(token),
            "label": self._label(token, position, step),
            "pc": token.pc,
        }

    def _label(self, token: Record, position: int, step: int | None) -> str:
        """The instruction that a token is of: fetched from the prompt, or executed."""
        listing = self.debugger.listing
        if step is None:
            return str(listing[token.at]) if token.space == Space.CODE else ""
        before = self.debugger.recording.window(position - 1).token(position - 1)
        return str(listing[before.pc]) if before is not None else ""

    # Everything at once

    def look(self, number: int, address: int = 0, count: int = 256) -> Json:
        """A step, its state, its layers and the tokens around it."""
        self.debugger.position(number)
        found = {
            "step": self.step(number),
            "state": self.state(number, address, count),
            "tokens": self.tokens(number),
        }
        return found | {"layers": self.layers(number) if not found["step"]["ended"] else None}

    # Searches

    def search(self, number: int, how: str, breaks: list[Json], heard: Heard) -> Json:
        """The step that a movement leads to, and the breakpoint that stopped it, if one did."""
        if how not in _MOVES:
            raise UsageError(f"no movement {how!r}; there are {', '.join(_MOVES)}")
        d = self.debugger
        d.go(number)
        d.breaks = list(self._breaks(breaks)) if how not in _SINGLE else []
        try:
            hit = _MOVES[how](d, heard)
        finally:
            d.breaks = []
        return {"step": d.cursor, "stopped_at": hit.name if hit else None}

    def _breaks(self, spots: list[Json]) -> Iterator[Break]:
        """Breakpoints; a line that has no code stops nothing."""
        for spot in spots[:MOST_BREAKS]:
            with suppress(UsageError):
                yield self.break_at(spot)

    def break_at(self, spot: Json) -> Break:
        """A breakpoint from its JSON: a line, a function, a place in the code or an address."""
        match spot:
            case {"line": int(number)}:
                return self.debugger.at_line(number)
            case {"function": str(name)}:
                return self.debugger.at_function(name)
            case {"pc": int(pc)}:
                return self.debugger.at_instruction(pc)
            case {"address": int(address)}:
                return self.debugger.at_write(address)
        raise UsageError("a breakpoint is a line, a function, a pc or an address")

    def code(self) -> Json:
        """The program as core code, with the source line of each instruction."""
        d = self.debugger
        lines = [d.line(pc) for pc in range(len(d.listing))]
        main = PurePath(d.program.name).name
        return {
            "functions": [{"name": f.name, "pc": e} for e, f in sorted(d.functions.items())],
            "stops": sorted(
                {x.number for x in lines if x and x.number and PurePath(x.file).name == main}
            ),
            "memory": "memory" in self._spaces.values(),
            "first_memory": self._first_memory(),
        }

    def summary(self) -> Json:
        """What the run came to, and its code."""
        d, result = self.debugger, self.debugger.result
        whole = result is not None and not result.interrupted
        return {
            "steps": d.steps,
            "output": d.put,
            "result": result.as_json() if result and whole else None,
            "text": list(result.text) if result else [],
            "code": self.code(),
        }

    def place(self, number: int) -> Json:
        """Where a step begins: its line of the program itself (0: none), and its depth."""
        d, now = self.debugger, self.debugger.state(number).now
        line = self._line(d.line(now.pc))
        own = line is not None and line["file"] == PurePath(d.program.name).name
        return {"line": line["number"] if line and own else 0, "depth": now.depth}

    def _first_memory(self) -> int:
        """Where memory begins to be interesting: the first word of data, or else of results."""
        d = self.debugger
        written = d.state(1).memory_words() or d.state(d.steps + 1).memory_words()
        return written[0] // 16 * 16 if written else 0


def _joined(digits: Json, name: str) -> int:
    """A number from its digits: `at0`, `at1`, ... are bytes."""
    return sum(digits[f"{name}{i}"] << 8 * i for i in range(4) if f"{name}{i}" in digits)


def _step(count: int) -> Callable[[Debugger, Heard], Break | None]:
    def move(d: Debugger, heard: Heard) -> Break | None:
        d.go(min(d.steps + 1, max(1, d.cursor + count)))
        return None

    return move


#: Movements by name.
_MOVES: dict[str, Callable[[Debugger, Heard], Break | None]] = {
    "step": _step(1),
    "back": _step(-1),
    "next": lambda d, heard: d.forward(d.other_line(), heard),
    "previous": lambda d, heard: d.backward(d.other_line(), heard),
    "over": lambda d, heard: d.forward(d.passing(), heard),
    "out": lambda d, heard: d.forward(d.leaving(), heard),
    "continue": lambda d, heard: d.forward(None, heard),
    "reverse": lambda d, heard: d.backward(None, heard),
}
#: Movements that no breakpoint stops.
_SINGLE = ("step", "back")
