"""What lowered instructions cost: forward passes for each, measured on the weights.

`python -m tools.costs` writes the table in `docs/lowering.md` again.
"""

import random
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from transputer.engines.native.decoder import Native
from transputer.engines.protocol import DecoderEngine
from transputer.frontends.binary import decode
from transputer.frontends.wat import to_wasm
from transputer.ir.verify import verify
from transputer.isa.op import Op, ValType
from transputer.isa.wasm import WASM
from transputer.lower.pipeline import in_words
from transputer.machines.trace.circuit import model
from transputer.machines.trace.session import TraceSession

PAGE = Path(__file__).parents[1] / "docs" / "lowering.md"
START, END = "<!-- costs: measured, do not edit -->", "<!-- end of costs -->"
#: Operands that each instruction is measured on.
SAMPLES = 12
_ADDRESS = 64
_TYPES = (ValType.I32, ValType.I64, ValType.F32, ValType.F64)


@dataclass(frozen=True, slots=True)
class Cost:
    """Steps of one instruction, operands already on the stack: on average, and the most."""

    name: str
    usual: float
    most: int

    def __str__(self) -> str:
        """As `37`, or as `37 to 40` where it depends on the operands."""
        low = round(self.usual)
        return f"{low}" if low == self.most else f"{low}, at most {self.most}"


def lowered() -> list[Op]:
    """The instructions that the machine does not have and that take operands."""
    wide = set(_TYPES[1:])
    return [op for op in WASM if op.fn and set(op.params + op.results) & wide]


def _integer(r: random.Random, bits: int) -> int:
    """Of some length, so that divisions are long and short."""
    return r.getrandbits(r.randrange(bits) + 1)


def _float(r: random.Random, code: str, raw: str) -> int:
    bits: int = struct.unpack(raw, struct.pack(code, r.uniform(-1000, 1000)))[0]
    return bits


_DRAW: dict[ValType, Callable[[random.Random], int]] = {
    ValType.I32: lambda r: _integer(r, 32),
    ValType.I64: lambda r: _integer(r, 64),
    ValType.F32: lambda r: _float(r, "<f", "<I"),
    ValType.F64: lambda r: _float(r, "<d", "<Q"),
}


def _module() -> str:
    """A function per instruction on operands in globals, which have to be pushed in time."""
    cells = [f"{t.value}.{i}" for t in _TYPES for i in (0, 1)]
    globals_ = " ".join(f"(global ${c} (mut {c[:3]}) ({c[:3]}.const 0))" for c in cells)
    setters = " ".join(
        f'(func (export "{c}") (param {c[:3]}) (global.set ${c} (local.get 0)))' for c in cells
    )
    bodies = " ".join(map(_function, lowered()))
    return f"(module (memory 1) {globals_} {setters} {bodies})"


def _function(op: Op) -> str:
    pushes = " ".join(f"(global.get ${t.value}.{i})" for i, t in enumerate(op.params))
    result = f"(result {op.results[0].value})" if op.results else ""
    return f'(func (export "{op.name}") {result} ({op.name} {pushes}))'


def measure(engine: DecoderEngine) -> list[Cost]:
    """Run every lowered instruction on sample operands."""
    session = TraceSession(engine)
    instance, _ = session.load(in_words(verify(decode(to_wasm(_module())))))
    costs = []
    for op in lowered():
        r = random.Random(op.name)
        taken: list[int] = []
        while len(taken) < SAMPLES:
            for i, t in enumerate(op.params):
                value = _ADDRESS if op.width and i == 0 else _DRAW[t](r)
                session.invoke(instance, f"{t.value}.{i}", [value])
            outcome = session.invoke(instance, op.name)
            if outcome.trap is None:
                taken.append(outcome.steps - _frame(op))
        costs.append(Cost(op.name, mean(taken), max(taken)))
    return costs


def _frame(op: Op) -> int:
    """Steps that push the operands, and that return: one for each value, or one for none."""
    return len(op.params) + max(1, len(op.results))


def render(costs: Iterable[Cost]) -> str:
    """The table."""
    rows = "\n".join(f"| `{cost.name}` | {cost} |" for cost in costs)
    return f"{START}\n\n| instruction | steps |\n|---|---|\n{rows}\n\n{END}"


def page(costs: Iterable[Cost]) -> str:
    """The page with the table measured again."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
    return before + render(costs) + rest.partition(END)[2]


if __name__ == "__main__":
    PAGE.write_text(page(measure(Native(model()))), encoding="utf-8")
