"""Rules of the trace machine on a bench: operands in the token itself, many cases at once.

`RuleBench` is a trace circuit without heads. Its token has two more fields, S and T, and its own
`op`, so that `circuit.evaluate.values` can execute an instruction on arrays of operands.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transputer.circuit import Form, Graph
from transputer.circuit.evaluate import values
from transputer.machines.trace.machine import DIGITS, TraceCircuit
from transputer.machines.trace.opcodes import OPCODES
from transputer.machines.trace.vocabulary import LAYOUT, SIZES

Numbers = NDArray[np.uint64]
#: Steps after which an instruction should have ended.
MOST = 40


class _Own:
    """Reads the token itself, where the machine reads through a head."""

    def read(self, form: Form) -> Form:
        """The form."""
        return form


class RuleBench(TraceCircuit):
    """A trace circuit to which rules can be applied, and nothing else."""

    def __init__(self, rules: Iterable[Callable[[TraceCircuit], None]]) -> None:
        self.g = Graph(DIGITS.context)
        self.addressing = DIGITS
        self.parts = {name: self._parts(name, count) for name, count in LAYOUT}
        self.phase = self.parts["phase"][0]
        self.at, self.value, self.work = map(self._word, ("at", "value", "work"))
        self.digit = self.parts["digit"][0].number()
        self.output = {name: [Form()] * count for name, count in LAYOUT if name != "digit"}
        self.dividend, self.divisor, self.square = Form(), Form.of(1), Form()
        self.trap = self.stay = self.taken = Form()
        self.code: Any = _Own()
        self.top = self.second = [Form()] * 3
        for name in ("S", "T"):
            self.parts[name] = [self.g.part(f"{name}{i}", 256) for i in range(8)]
        self.S, self.T = self._word("S"), self._word("T")
        for rule in dict.fromkeys(rules):
            with self.g.group(rule.__name__):
                rule(self)


@dataclass(frozen=True)
class Executed:
    """What an instruction did with each pair of operands."""

    values: Numbers
    steps: NDArray[np.int64]
    status: NDArray[np.int64]


def _split(name: str, count: int, numbers: Numbers) -> dict[str, Any]:
    names = [name] if count == 1 else [f"{name}{i}" for i in range(count)]
    return {
        n: ((numbers >> np.uint64(8 * i)) & np.uint64(255)).astype(np.int64)
        for i, n in enumerate(names)
    }


def execute(bench: RuleBench, op: str, s: Numbers, t: Numbers) -> Executed:
    """Execute an instruction on pairs of operands, step by step; the last operand is T."""
    size = len(s)
    result = np.zeros(size, np.uint64)
    steps, status = np.zeros(size, np.int64), np.zeros(size, np.int64)
    state = {name: np.zeros(size, np.int64) for name in bench.g.parts}
    state["op"] = np.full(size, OPCODES[op])
    state |= _split("S", 8, s) | _split("T", 8, t)
    rows = np.arange(size)
    for _ in range(MOST):
        if not len(rows):
            return Executed(result, steps, status)
        says, stays = _step(bench, state)
        steps[rows] += 1
        ended = stays == 0
        result[rows[ended]] = sum(
            (says[f"value{i}"][ended].astype(np.uint64) << np.uint64(8 * i) for i in range(8)),
            np.zeros(ended.sum(), np.uint64),
        )
        status[rows[ended]] = says["status"][ended]
        state = {
            name: (says[name] if name in says and name != "op" else column)[~ended]
            for name, column in state.items()
        }
        rows = rows[~ended]
    raise AssertionError(f"{op} goes on for {MOST} steps and more")


def _step(bench: RuleBench, state: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """What each next token says, and whether the instruction goes on."""
    size = len(state["op"])
    names = [
        n.name for name, _ in LAYOUT if name not in ("digit", "op") for n in bench.parts[name]
    ]
    forms = [
        f for name, _ in LAYOUT if name not in ("digit", "op") for f in bench.output[name]
    ]
    extra = [bench.stay, bench.dividend, bench.divisor, bench.square]
    computed = [np.broadcast_to(x, (size,)) for x in values([*forms, *extra], state)]
    says = dict(zip(names, computed, strict=False))
    stays, x, d, c = computed[len(names) :]
    for name, _ in LAYOUT:
        for part in bench.parts[name] if name not in ("digit", "op") else ():
            low, high = says[part.name].min(), says[part.name].max()
            limit = SIZES.get(name, 256)
            assert 0 <= low and high < limit, f"{part.name} is in [{low}, {high}]"
    v = np.arange(256)
    says["digit"] = np.array(
        [
            int(np.argmax(2 * v * a - v * (v + 1) * b - v * (v + 1) * (2 * v + 1) // 3 * e + v))
            if a
            else 0
            for a, b, e in zip(x, d, c, strict=True)
        ]
    )
    return says, stays



