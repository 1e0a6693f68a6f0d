"""The JSON that a page shows of a run of the loom machine, with columns in place of tokens."""

import math
from collections.abc import Iterator

from transputer.debugger.looped import ColumnLookup, fields
from transputer.errors import UsageError
from transputer.runtime.loom.debug import MOST, ColumnChange, LoomDebugger
from transputer.runtime.views import Json, View

#: Most slots in one answer, and instructions shown on either side of the current one.
MOST_SLOTS, AROUND = 4096, 4
#: The group of a field, which gives its tile a colour.
_GROUPS = {
    **dict.fromkeys(("pc",), "where"),
    **dict.fromkeys(("a", "b", "c", "target", "position"), "address"),
    **dict.fromkeys(
        ("memory", "minuend", "subtrahend", "left", "right", "second", "needle"), "value"
    ),
    **dict.fromkeys(("command_a", "command_b", "command_c"), "operation"),
}
#: The purpose of a head, for the end of a sentence.
_PURPOSE = {
    "pc": "which holds the instruction",
    "write b": "which takes the result",
    "write c": "which takes the second word",
}


class LoomView(View):
    """The view of a debugger of the loom machine."""

    debugger: LoomDebugger

    # Steps

    def step(self, number: int) -> Json:
        """Return one step: instruction, line, what column 0 attends to, writes."""
        d = self.debugger
        pc, ended = d.pc(number), number > d.steps
        instr = None if ended else d.instr(number)
        return self.plain_step(number) | {
            "instruction": d.columns.text(pc) if instr else "",
            "source": str(instr or ""),
            "line": self.line(d.line(pc)) if instr else None,
            "reads": [] if ended else list(self._reads(number)),
        }

    def _reads(self, number: int) -> Iterator[Json]:
        d = self.debugger
        used, memory = d.used(number), d.memory(number)
        for lookup in d.look(number).lookups:
            column = lookup.others[0] if lookup.others else 0
            yield {
                "head": lookup.name,
                "layer": lookup.layer,
                "used": lookup.name in used and bool(lookup.others),
                "token": column,
                "step": None,
                "asked": d.columns.name(column) if lookup.others else "",
                "says": d.lookup_text(lookup, memory),
                "kind": d.columns.kind(column),
                "margin": None if math.isinf(lookup.margin) else int(lookup.margin),
                "words": self._words(lookup, memory),
            }

    def _words(self, lookup: ColumnLookup, memory: list[int]) -> str:
        """Return a sentence about what a head did."""
        start, count = f"Head {lookup.name}: column 0 attended", len(lookup.others)
        if not lookup.others:
            return f"{start} only to itself."
        margin = "" if math.isinf(lookup.margin) else f"; score margin {lookup.margin:,.0f}"
        if count > 1:
            return f"{start} to {count} columns{margin}."
        column, content = lookup.others[0], self.debugger.lookup_text(lookup, memory)
        purpose = f", {_PURPOSE[lookup.name]}" if lookup.name in _PURPOSE else ""
        return f"{start} to column {column} ({content}){purpose}{margin}."

    # States

    def state(self, number: int, address: int = 0, count: int = 256) -> Json:
        """Return registers, variables and slots before a step; `address` is a slot."""
        if address < 0 or not 0 <= count <= MOST_SLOTS:
            raise UsageError(
                f"a memory view begins at 0 or above and has at most {MOST_SLOTS} slots"
            )
        d = self.debugger
        memory, names = d.memory(number), d.columns.names
        slots = range(min(address, len(memory)), min(len(memory), address + count))
        touched = d.changes(number - 1) if number > 1 else []
        return {
            "step": number,
            "registers": d.registers(number),
            "variables": self.variables(number),
            "words": {
                "first": address,
                "values": [d.columns.signed(memory[slot]) for slot in slots],
                "names": [names.get(slot, "") for slot in slots],
                "touched": [slot for slot, _ in touched],
                "bits": d.recording.config.bits,
                "editable": len(d.program.memory),
            },
            **self.output(number),
        }

    # Layers

    def layers(self, number: int) -> Json:
        """Return the pc in column 0 before the step, then the changes of each layer."""
        d = self.debugger
        before = fields(tuple(d.model.names), d.look(number).states[0][:, 0])
        first = ColumnChange(0, {name: value for name, value in before.items() if name == "pc"})
        rows = [("state", [first]), *d.layer_changes(number)]
        return {
            "step": number,
            "layers": [
                {"name": name, "tiles": [tile for c in changes for tile in self._tiles(c)],
                 "more": len(changes) == MOST}
                for name, changes in rows
            ],
        }  # fmt: skip

    def _tiles(self, change: ColumnChange) -> Iterator[Json]:
        d = self.debugger
        whose = "" if change.column == 0 else f"{d.columns.name(change.column)}: "
        for name, value in change.fields.items():
            yield {
                "group": _GROUPS.get(name, "work"),
                "name": f"{whose}{name}",
                "value": d.value_text(name, value),
                "new": True,
            }

    # Columns

    def tokens(self, number: int, before: int = 24, after: int = 8) -> Json:
        """Return column 0, the code around the pc, and the columns that heads attend to."""
        d = self.debugger
        memory = d.memory(number)
        ended = number > d.steps
        pc = d.pc(number)
        here = d.columns.of_place(pc) if pc >= 0 else 0
        code = range(max(0, pc - AROUND), min(len(d.program.code), pc + AROUND + 1))
        columns = {0, *(d.columns.of_place(place) for place in (code if pc >= 0 else ()))}
        if not ended:
            used = d.used(number)
            columns |= {
                c for m in d.look(number).lookups if m.name in used for c in m.others[:MOST]
            }
        named = [d.columns.of_slot(slot) for slot in sorted(d.columns.names)]
        columns |= set(named[: max(0, before - sum(d.columns.kind(c) == "slot" for c in columns))])
        return {
            "step": number,
            "current": here,
            "last": d.recording.config.columns - 1,
            "tokens": [self._column(column, memory) for column in sorted(columns)],
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

    # The program

    def depth(self, number: int) -> int:
        """Return 0: there are no calls."""
        return 0

    def code(self) -> Json:
        """Return the lines where a run can stop, and facts about the memory."""
        d = self.debugger
        return {
            "functions": [],
            "stops": self.stops(),
            "memory": True,
            "first_memory": 0,
            "config": d.recording.config.name,
        }
