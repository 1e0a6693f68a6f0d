"""The JSON that a page shows of a run of the trace machine."""

import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from typing import Any

from transputer.debugger.cursor import Breakpoint
from transputer.debugger.fields import fields, short, tiles
from transputer.debugger.lens import ForwardPass, HeadLookup
from transputer.debugger.search import Test
from transputer.debugger.state import Call, SlotValue, State
from transputer.debugger.tokens import describe
from transputer.errors import UsageError
from transputer.machines.trace.uses import uses
from transputer.machines.trace.vocabulary import Record, Space, Status
from transputer.runtime.trace.debug import TraceDebugger
from transputer.runtime.trace.program import editable
from transputer.runtime.views import Json, View

#: Limits of one answer.
MOST_TOKENS, MOST_BYTES = 400, 4096
_WORD = 4
#: The target of a head that the instruction does not need in this variant.
_NOTHING = "nothing"
#: The name of an address in a space.
PLACES: dict[int, str] = {
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
KINDS: dict[int, str] = {
    Space.NONE: "state", Space.SLOT: "slot", Space.GLOBAL: "global", Space.CODE: "code",
    Space.FUNC: "function", Space.FRAME: "frame", Space.SIZE: "size", Space.OUTPUT: "output",
    Space.WORK: "work", Space.SENTINEL: "sentinel", Space.VARIABLE: "slot",
}  # fmt: skip


class TraceView(View):
    """The view of a debugger of the trace machine."""

    debugger: TraceDebugger

    def __init__(self, debugger: TraceDebugger) -> None:
        super().__init__(debugger)
        self._spaces = debugger.spaces

    def _pass(self, number: int) -> ForwardPass:
        """Return the forward pass of a step."""
        return self.debugger.look(number)

    # Steps

    def step(self, number: int) -> Json:
        """Return one step: instruction, source line, lookups of its heads, writes."""
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
            "sentence": "" if ended else d.sentence(number),
            "kind": self._kind(after) if after else "end",
            "status": after.status if after else now.status,
        }

    def _reads(self, state: State, number: int) -> Iterator[Json]:
        used = uses(self.debugger.listing[state.now.pc].name)
        for lookup in self._pass(number).lookups:
            token = state.window.token(lookup.position)
            margin = None if math.isinf(lookup.margin) else int(lookup.margin)
            yield {
                "head": lookup.name,
                "layer": lookup.layer,
                "used": lookup.name in used and self._target(lookup) != _NOTHING,
                "token": lookup.position,
                "step": self._step_of(lookup.position),
                "asked": self._target(lookup),
                "says": self._says(token) if token else "",
                "kind": self._kind(token) if token else "state",
                "margin": margin,
                "copied": {short(k): v for k, v in fields(lookup.copied).items()},
                "words": self._words(lookup, token, state.window.start > 0),
            }

    def _step_of(self, position: int) -> int | None:
        """Return the step that decoded a token; None for the host's tokens."""
        step = self.debugger.recording.step_at(position)
        here = step >= 1 and self.debugger.recording.position(step) == position
        return step if here else None

    def _target(self, lookup: HeadLookup) -> str:
        """Return the address that a head looked up, as text; "" if it looks up no address."""
        if not lookup.target:
            return ""
        digits = lookup.target
        if "frame" in digits:
            return f"the call at depth {_joined(digits, 'depth')}"
        space, at = digits.get("space", 0), _joined(digits, "at")
        if lookup.name == "stack limits":
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
        return PLACES.get(space, f"address {{at}} of space {space}").format(at=at)

    def _words(self, lookup: HeadLookup, token: Record | None, cut: bool) -> str:
        """Return a sentence about what a head did."""
        target = self._target(lookup)
        step = self._step_of(lookup.position)
        origin = f"decoded in step {step:,}" if step else "part of the prompt"
        content = "an older token" if token is None else self._says(token) or "a state"
        if token is not None and token.space == Space.SENTINEL and target != _NOTHING:
            content, origin = "the sentinel", "since nothing was written there: the value is 0"
        goal = "" if target in ("", _NOTHING) else f" looked up {target} and"
        text = (
            f"Head {lookup.name}{goal} attended to token {lookup.position:,} ({content}), {origin}"
        )
        if math.isinf(lookup.margin):
            return f"{text}; there was no other token."
        among = " among the tokens that it can still reach" if cut else ""
        return f"{text}; score margin {lookup.margin:,.0f}{among}."

    def _says(self, token: Record) -> str:
        """Return what a token wrote, as text."""
        if token.space in self._spaces:
            return f"{self._place(token.space, token.at)} = {token.value}"
        return describe(token)

    def _kind(self, token: Record) -> str:
        if token.space in self._spaces:
            return self._spaces[token.space]
        return KINDS.get(token.space, "state")

    # States

    def state(self, number: int, address: int = 0, count: int = 256) -> Json:
        """Return the state before a step, with `count` bytes of memory from `address`."""
        if address < 0 or not 0 <= count <= MOST_BYTES:
            raise UsageError(
                f"a memory view begins at 0 or above and has at most {MOST_BYTES} bytes"
            )
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

    def _operands(self, state: State, call: Call) -> list[SlotValue]:
        """Return the operands of a call; in assembly, calls share one operand stack."""
        shared = self.debugger.program.assembly is not None
        return state.operands(replace(call, fp=0, function=None) if shared else call, 64)

    def _locals(self, state: State, call: Call) -> list[SlotValue]:
        if self.debugger.program.assembly is not None:
            return state.variables(call.fp)
        return state.locals(call)

    def _slot(self, slot: SlotValue, first: int = 0) -> Json:
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
        function = state.function(pc)
        return function.name if function else ""

    def _touched(self, state: State) -> Json | None:
        """Return the memory word that the last step wrote, if it wrote one."""
        now = state.now
        if self._spaces.get(now.space) != "memory":
            return None
        return {"address": now.at * _WORD, "count": _WORD}

    # Layers

    def layers(self, number: int) -> Json:
        """Return the fields after the embedding and after each layer, and which are new there."""
        forward = self._pass(number)
        befores = [None, forward.embedded, *forward.layers[:-1]]
        afters = [forward.embedded, *forward.layers]
        names = ["token", *(f"layer {i}" for i in range(len(forward.layers)))]
        lives, groups = self.debugger.live_lanes(number), self.debugger.groups(number)
        return {
            "step": number,
            "layers": [
                {
                    "name": name,
                    "tiles": [asdict(tile) for tile in tiles(before, after, live)],
                    "groups": firing,
                }
                for name, before, after, live, firing in zip(
                    names, befores, afters, lives, [{}, *groups], strict=True
                )
            ],
        }

    # Tokens

    def tokens(self, number: int, before: int = 24, after: int = 8) -> Json:
        """Return the tokens around a step, and distant ones that its heads attended to."""
        if not (before >= 0 and after >= 0 and before + after <= MOST_TOKENS):
            raise UsageError(f"at most {MOST_TOKENS} tokens at once")
        d = self.debugger
        here = d.position(number) + 1
        last = d.recording.length - 1
        near = range(max(0, here - before), min(last, here + after) + 1)
        far = set()
        if number <= d.steps:
            used = uses(d.listing[d.state(number).now.pc].name)
            far = {f.position for f in self._pass(number).lookups if f.name in used} - set(near)
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
        """Return the instruction of a token: fetched from the prompt, or executed."""
        listing = self.debugger.listing
        if step is None:
            return str(listing[token.at]) if token.space == Space.CODE else ""
        before = self.debugger.recording.window(position - 1).token(position - 1)
        return str(listing[before.pc]) if before is not None else ""

    # Moving, and the program

    def moves(self) -> dict[str, Callable[[], Test]]:
        """Return the moves over and out of calls."""
        return {"over": self.debugger.step_over, "out": self.debugger.step_out}

    def break_at(self, spot: Json) -> Breakpoint:
        """Return a breakpoint from its JSON; also at the beginning of a function."""
        name = spot.get("function")
        return self.debugger.at_function(name) if isinstance(name, str) else super().break_at(spot)

    def depth(self, number: int) -> int:
        """Return the number of open calls before a step."""
        return self.debugger.state(number).now.depth

    def code(self) -> Json:
        """Return the functions, the lines where a run can stop, and facts about the memory."""
        d = self.debugger
        return {
            "functions": [{"name": f.name, "pc": e} for e, f in sorted(d.functions.items())],
            "stops": self.stops(),
            "memory": "memory" in self._spaces.values(),
            "first_memory": self._first_memory(),
            "editable": editable(d.program),
        }

    def _first_memory(self) -> int:
        """Return the address, rounded down, of the first nonzero word at the start or the end."""
        d = self.debugger
        written = d.state(1).memory_words() or d.state(d.steps + 1).memory_words()
        return written[0] // 16 * 16 if written else 0


def _joined(digits: Json, name: str) -> int:
    """Return a number from its digits: `at0`, `at1`, ... are bytes."""
    return sum(digits[f"{name}{i}"] << 8 * i for i in range(4) if f"{name}{i}" in digits)
