"""What a page shows of a run of the soft machine: the hard path, and chances beside it."""

from typing import Any

from transputer.errors import UsageError
from transputer.runtime.soft.debug import SoftDebugger
from transputer.runtime.views import Json, View

#: What each choice is about, for the colour of its tiles.
_GROUPS = {"place": "where", "operation": "operation", "to": "address", "a": "value", "b": "value"}


class SoftView(View):
    """A debugger of the soft machine as a page sees it."""

    debugger: SoftDebugger

    def step(self, number: int) -> Json:
        """One step: instruction, line and what it changes; there are no heads."""
        d = self.debugger
        pc, ended = d.pc(number), number > d.steps
        return self.plain_step(number) | {
            "instruction": "" if ended else str(d.program.image.code[pc]),
            "source": "",
            "line": None if ended else self.line(d.line(pc)),
            "reads": [],
        }

    def state(self, number: int, address: int = 0, count: int = 256) -> Json:
        """Registers, flags and memory before a step."""
        d = self.debugger
        if not 0 <= address <= d.memory or count < 0:
            raise UsageError(f"memory has words 0 to {d.memory - 1}")
        words = [d.signed(word) for word in d.held(number).memory[address : address + count]]
        changed = [name for name, _ in d.changes(number - 1)] if number > 1 else []
        touched = [int(name[5:]) for name in changed if name.startswith("word ")]
        return {
            "step": number,
            "registers": d.registers(number),
            "variables": self.variables(number),
            "words": {
                "first": address, "values": words, "names": [""] * len(words), "touched": touched,
                "bits": d.program.config.width, "editable": d.memory,
            },
            **self.output(number),
        }  # fmt: skip

    def layers(self, number: int) -> Json:
        """What each choice of the step is spread over, at a temperature above 0."""
        told = self.debugger.chances(number)
        return {
            "step": number,
            "layers": [
                {"name": name, "tiles": [_tile(name, *one) for one in chances]}
                for name, chances in told.items()
            ],
        }

    def tokens(self, number: int, before: int = 24, after: int = 8) -> Json:
        """The code around a step: there is nothing that heads could find."""
        d = self.debugger
        pc = d.pc(number)
        here = pc if pc >= 0 else len(d.program.image.code)
        shown = range(max(0, here - 6), min(len(d.program.image.code), here + 7))
        tokens = [
            {"position": at, "step": None, "kind": "code", "says": str(d.program.image.code[at]),
             "label": str(d.program.image.code[at]), "short": d.program.image.code[at].op}
            for at in shown
        ]  # fmt: skip
        return {
            "step": number,
            "current": here,
            "last": len(d.program.image.code),
            "tokens": tokens,
        }

    def depth(self, number: int) -> int:
        """There are no calls to be in."""
        return 0

    def code(self) -> Json:
        """Where a run can stop; memory is in words."""
        return {"functions": [], "stops": self.stops(), "memory": True, "first_memory": 0}


def _tile(row: str, name: str, chance: float) -> dict[str, Any]:
    return {"group": _GROUPS[row], "name": name, "value": f"{100 * chance:.1f} %", "new": True}
