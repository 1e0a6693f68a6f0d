"""The JSON that a page shows of a run of the soft machine: the hard path, and probabilities."""

from typing import Any

from transputer.errors import UsageError
from transputer.runtime.soft.debug import SoftDebugger
from transputer.runtime.views import Json, View

#: The group of each choice, which gives its tiles a colour.
_GROUPS = {"place": "where", "operation": "operation", "to": "address", "a": "value", "b": "value"}


class SoftView(View):
    """The view of a debugger of the soft machine."""

    debugger: SoftDebugger

    def step(self, number: int) -> Json:
        """Return one step: instruction, line and changes; there are no heads."""
        d = self.debugger
        pc, ended = d.pc(number), number > d.steps
        return self.plain_step(number) | {
            "instruction": "" if ended else str(d.program.image.code[pc]),
            "source": "",
            "line": None if ended else self.line(d.line(pc)),
            "reads": [],
        }

    def state(self, number: int, address: int = 0, count: int = 256) -> Json:
        """Return registers, flags and memory before a step."""
        d = self.debugger
        if not 0 <= address <= d.memory or count < 0:
            raise UsageError(f"memory has words 0 to {d.memory - 1}")
        words = [d.signed(word) for word in d.state(number).memory[address : address + count]]
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
        """Return the distribution of each choice in the step, at a temperature above 0."""
        choices = self.debugger.probabilities(number)
        return {
            "step": number,
            "layers": [
                {"name": name, "tiles": [_tile(name, *pair) for pair in distribution]}
                for name, distribution in choices.items()
            ],
        }

    def tokens(self, number: int, before: int = 24, after: int = 8) -> Json:
        """Return the code around a step; there are no tokens and no heads."""
        d = self.debugger
        pc = d.pc(number)
        here = pc if pc >= 0 else len(d.program.image.code)
        places = range(max(0, here - 6), min(len(d.program.image.code), here + 7))
        tokens = [
            {"position": at, "step": None, "kind": "code", "says": str(d.program.image.code[at]),
             "label": str(d.program.image.code[at]), "short": d.program.image.code[at].op}
            for at in places
        ]  # fmt: skip
        return {
            "step": number,
            "current": here,
            "last": len(d.program.image.code),
            "tokens": tokens,
        }

    def depth(self, number: int) -> int:
        """Return 0: there are no calls."""
        return 0

    def code(self) -> Json:
        """Return the lines where a run can stop, and facts about the memory."""
        return {"functions": [], "stops": self.stops(), "memory": True, "first_memory": 0}


def _tile(row: str, name: str, probability: float) -> dict[str, Any]:
    value = f"{100 * probability:.1f} %"
    return {"group": _GROUPS[row], "name": name, "value": value, "new": True}
