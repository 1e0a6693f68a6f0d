"""What a page shows of a run of the loom machine: columns in place of tokens."""

import math
from collections.abc import Iterator

from transputer.debugger.looped import Met, fields
from transputer.errors import UsageError
from transputer.runtime.loom.debug import MOST, Changed, LoomDebugger
from transputer.runtime.views import Json, View

#: Slots that go into one answer, and instructions shown on either side of the current one.
MOST_SLOTS, AROUND = 4096, 4
#: What a field is about, for the colour of its tile.
_GROUPS = {
    **dict.fromkeys(("pc",), "where"),
    **dict.fromkeys(("a", "b", "c", "target", "position"), "address"),
    **dict.fromkeys(
        ("memory", "minuend", "subtrahend", "left", "right", "second", "needle"), "value"
    ),
    **dict.fromkeys(("command_a", "command_b", "command_c"), "operation"),
}
#: What a head is for, at the end of a sentence.
_PURPOSE = {
    "pc": "which holds the instruction",
    "write b": "which takes the result",
    "write c": "which takes the second word",
}


class LoomView(View):
    """A debugger of the loom machine as a page sees it."""

    debugger: LoomDebugger

    # Steps

    def step(self, number: int) -> Json:
        """One step: instruction, line, whom the first column met, what changed."""
        d = self.debugger
        pc, ended = d.pc(number), number > d.steps
        instr = None if ended else d.instr(number)
        return self.plain_step(number) | {
            "instruction": d.columns.written(pc) if instr else "",
            "source": str(instr or ""),
            "line": self.line(d.line(pc)) if instr else None,
            "reads": [] if ended else list(self._reads(number)),
        }

    def _reads(self, number: int) -> Iterator[Json]:
        d = self.debugger
        used, memory = d.used(number), d.memory(number)
        for met in d.look(number).met:
            column = met.others[0] if met.others else 0
            yield {
                "head": met.name,
                "layer": met.layer,
                "used": met.name in used and bool(met.others),
                "token": column,
                "step": None,
                "asked": d.columns.name(column) if met.others else "",
                "says": d.met_text(met, memory),
                "kind": d.columns.kind(column),
                "margin": None if math.isinf(met.margin) else int(met.margin),
                "words": self._words(met, memory),
            }

    def _words(self, met: Met, memory: list[int]) -> str:
        """What a head did, as a sentence."""
        if not met.others:
            return f"Head {met.name}: column 0 met no other column."
        ahead = "" if math.isinf(met.margin) else f", ahead of the next by {met.margin:,.0f}"
        if len(met.others) > 1:
            return f"Head {met.name}: column 0 met {len(met.others)} columns{ahead}."
        column, said = met.others[0], self.debugger.met_text(met, memory)
        purpose = f", {_PURPOSE[met.name]}" if met.name in _PURPOSE else ""
        return f"Head {met.name}: column 0 met column {column} ({said}){purpose}{ahead}."

    # States

    def state(self, number: int, address: int = 0, count: int = 256) -> Json:
        """Registers, variables and slots before a step; `address` is a slot."""
        if address < 0 or not 0 <= count <= MOST_SLOTS:
            raise UsageError(f"memory is shown from 0 on, at most {MOST_SLOTS} slots at once")
        d = self.debugger
        memory, names = d.memory(number), d.columns.names
        shown = range(min(address, len(memory)), min(len(memory), address + count))
        touched = d.changes(number - 1) if number > 1 else []
        return {
            "step": number,
            "registers": d.registers(number),
            "variables": self.variables(number),
            "words": {
                "first": address,
                "values": [d.columns.signed(memory[slot]) for slot in shown],
                "names": [names.get(slot, "") for slot in shown],
                "touched": [slot for slot, _ in touched],
                "bits": d.recording.config.bits,
                "editable": len(d.program.memory),
            },
            **self.output(number),
        }

    # Layers

    def layers(self, number: int) -> Json:
        """The fields of the first column before the step, then what each layer changed."""
        d = self.debugger
        held = fields(tuple(d.model.names), d.look(number).states[0][:, 0])
        first = Changed(0, {name: value for name, value in held.items() if name == "pc"})
        rows = [("state", [first]), *d.layer_changes(number)]
        return {
            "step": number,
            "layers": [
                {"name": name, "tiles": [tile for c in told for tile in self._tiles(c)],
                 "more": len(told) == MOST}
                for name, told in rows
            ],
        }  # fmt: skip

    def _tiles(self, changed: Changed) -> Iterator[Json]:
        d = self.debugger
        whose = "" if changed.column == 0 else f"{d.columns.name(changed.column)}: "
        for name, value in changed.fields.items():
            yield {
                "group": _GROUPS.get(name, "work"),
                "name": f"{whose}{name}",
                "value": d.value_text(name, value),
                "new": True,
            }

    # Columns

    def tokens(self, number: int, before: int = 24, after: int = 8) -> Json:
        """The columns that matter: the first, code around the place, those that heads met."""
        d = self.debugger
        memory = d.memory(number)
        ended = number > d.steps
        pc = d.pc(number)
        here = d.columns.of_place(pc) if pc >= 0 else 0
        code = range(max(0, pc - AROUND), min(len(d.program.code), pc + AROUND + 1))
        chosen = {0, *(d.columns.of_place(place) for place in (code if pc >= 0 else ()))}
        if not ended:
            used = d.used(number)
            chosen |= {c for m in d.look(number).met if m.name in used for c in m.others[:MOST]}
        named = [d.columns.of_slot(slot) for slot in sorted(d.columns.names)]
        chosen |= set(named[: max(0, before - sum(d.columns.kind(c) == "slot" for c in chosen))])
        return {
            "step": number,
            "current": here,
            "last": d.recording.config.columns - 1,
            "tokens": [self._column(column, memory) for column in sorted(chosen)],
        }

    def _column(self, column: int, memory: list[int]) -> Json:
        columns = self.debugger.columns
        kind = columns.kind(column)
        code = columns.instruction(column) if kind == "code" else None
        word = columns.signed(memory[columns.slot(column)]) if kind == "slot" else None
        return {
            "position": column,
            "step": None,
            "kind": kind,
            "says": columns.says(column, memory),
            "label": columns.name(column),
            "short": str(word) if word is not None else code.op.name if code else "",
        }

    # The whole

    def depth(self, number: int) -> int:
        """There are no calls to be in."""
        return 0

    def code(self) -> Json:
        """Where a run can stop; memory is in slots."""
        d = self.debugger
        return {
            "functions": [],
            "stops": self.stops(),
            "memory": True,
            "first_memory": 0,
            "config": d.recording.config.name,
        }
