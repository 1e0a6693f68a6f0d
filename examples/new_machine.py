"""A machine of your own, added from outside the package: `run`, `trace` and `debug` know it.

python examples/new_machine.py run examples/countdown.toy 3 --machine toy
python examples/new_machine.py trace examples/countdown.toy 3 --machine toy
python examples/new_machine.py debug examples/countdown.toy 3 --machine toy
"""

import transputer as tp
from transputer.frontends.source import read_text
from transputer.runtime.stepped import SteppedProgram


class ToyProgram(SteppedProgram):
    machine = "toy"


def compile_toy(source, *more):
    """One instruction per line: `dec`, `out`, or `jnz PLACE`."""
    text = read_text(source.name) if source.contents is None else source.contents.decode()
    lines = {n: tuple(line.split()) for n, line in enumerate(text.splitlines(), 1) if line.strip()}
    return ToyProgram(source.name, tuple(lines.values()), tuple(lines))


class Counter:
    def __init__(self, program, settings):
        self.code, self.pc = program.instructions, 0
        self.value = int(settings.args[0]) if settings.args else 0

    halted = property(lambda self: self.pc >= len(self.code))
    results = property(lambda self: [self.value])

    def step(self):
        op, *place = self.code[self.pc]
        self.pc = int(place[0]) if op == "jnz" and self.value else self.pc + 1
        self.value -= op == "dec"
        writes = {"counter": self.value} if op == "dec" else {}
        return tp.StepRecord(writes, f"{self.value}\n".encode() if op == "out" else b"")


tp.register(tp.stepped_machine("toy", "a counter", {".toy": "Toy assembly"}, compile_toy, Counter))

if __name__ == "__main__":
    from transputer.cli import main

    main()
