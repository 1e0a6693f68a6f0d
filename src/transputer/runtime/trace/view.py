"""What a page shows of a run of the trace machine."""

import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from typing import Any

from transputer.debugger.cursor import Break
from transputer.debugger.fields import fields, short, tiles
from transputer.debugger.lens import Found, Pass
from transputer.debugger.search import Test
from transputer.debugger.state import Call, Slot, State
from transputer.debugger.tokens import describe
from transputer.errors import UsageError
from transputer.machines.trace.uses import uses
from transputer.machines.trace.vocabulary import Record, Space, Status
from transputer.runtime.trace.debug import TraceDebugger
from transputer.runtime.trace.program import editable
from transputer.runtime.views import Json, View

#: Most of a thing that goes into one answer.
MOST_TOKENS, MOST_BYTES = 400, 4096
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


class TraceView(View):
    """A debugger of the trace machine as a page sees it."""

    debugger: TraceDebugger

    def __init__(self, debugger: TraceDebugger) -> None:
        super().__init__(debugger)
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
        now, ended = state.now, number > d.steps
        instr = None if ended else d.listing[now.pc]
        after = None if ended else d.recording.window(state.position + 1).token(state.position + 1)
        return {
            "step": number,
            "steps": d.steps,
            "ended": ended,
            "token": state.position + 1,
            "pc": now.pc,
            "phase": now.phase,
            "instruction": str(instr or ""),
            "source": d.program.written(instr) if instr else "",
            "function": "" if ended else self._function(state, now.pc),
            "line": None if ended else self.line(d.line(now.pc)),
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
            "variables": [] if returned else self.variables(number),
            **self.output(number),
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
            "signed": slot.signed,
            "token": slot.written,
        }

    def _call(self, call: Call) -> Json:
        return {
            "function": call.function.name if call.function else "?",
            "pc": call.pc,
            "depth": call.depth,
            "line": self.line(self.debugger.line(call.pc)),
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

    # Moving and the whole

    def moves(self) -> dict[str, Callable[[], Test]]:
        """Calls can be passed over and left."""
        return {"over": self.debugger.passing, "out": self.debugger.leaving}

    def break_at(self, spot: Json) -> Break:
        """A breakpoint from its JSON; also the beginning of a function."""
        name = spot.get("function")
        return self.debugger.at_function(name) if isinstance(name, str) else super().break_at(spot)

    def depth(self, number: int) -> int:
        """How many calls are open before a step."""
        return self.debugger.state(number).now.depth

    def code(self) -> Json:
        """The program as core code, with the source line of each instruction."""
        d = self.debugger
        return {
            "functions": [{"name": f.name, "pc": e} for e, f in sorted(d.functions.items())],
            "stops": self.stops(),
            "memory": "memory" in self._spaces.values(),
            "first_memory": self._first_memory(),
            "editable": editable(d.program),
        }

    def _first_memory(self) -> int:
        """Where memory begins to be interesting: the first word of data, or else of results."""
        d = self.debugger
        written = d.state(1).memory_words() or d.state(d.steps + 1).memory_words()
        return written[0] // 16 * 16 if written else 0


def _joined(digits: Json, name: str) -> int:
    """A number from its digits: `at0`, `at1`, ... are bytes."""
    return sum(digits[f"{name}{i}"] << 8 * i for i in range(4) if f"{name}{i}" in digits)
