"""Rules of the trace machine on a bench: operands in the token itself, many cases at once.

`RuleBench` is a trace circuit without heads. Its token has two more fields, S and T, and its own
`op`, so that `circuit.evaluate.values` can execute an instruction on arrays of operands.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transputer.circuit import Form, Graph, build
from transputer.circuit.evaluate import values
from transputer.engines.reference.decoder import Reference
from transputer.machines.trace.addressing import DIGITS
from transputer.machines.trace.machine import TraceCircuit
from transputer.machines.trace.opcodes import OPCODES, SEVERAL
from transputer.machines.trace.vocabulary import LAYOUT, SIZES, Space
from transputer.model import Model

Numbers = NDArray[np.uint64]
#: Steps after which an instruction should have ended.
MOST = 40
#: The addresses of T and S.
_TOP, _SECOND = 2, 1
#: Pairs of operands evaluated at once; more leave the cache.
_BATCH = 8192


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
        self.top, self.second = ([Form.of(slot), Form(), Form()] for slot in (_TOP, _SECOND))
        for name in ("S", "T"):
            self.parts[name] = [self.g.part(f"{name}{i}", 256) for i in range(8)]
        self.S, self.T = self._word("S"), self._word("T")
        for rule in dict.fromkeys(rules):
            with self.g.group(rule.__name__):
                rule(self)

    def model(self) -> Model:
        """The weights, verified; they copy the operands and the opcode to the next token."""
        for name, forms in self.output.items():
            for part, form in zip(self.parts[name], forms, strict=True):
                if name != "op":
                    self.g.output(part, self.g.signal(f"next {part.name}", form))
        for part in (*self.parts["S"], *self.parts["T"], *self.parts["op"]):
            self.g.output(part, part.number())
        numbers = (self.dividend, self.divisor, self.square)
        lanes = [self.g.neuron(self.g.signal(f"digit {i}", f)) for i, f in enumerate(numbers)]
        self.g.output_quotient(self.parts["digit"][0], *lanes)
        return build(self.g)


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
    batches = [
        _execute(bench, op, s[i : i + _BATCH], t[i : i + _BATCH]) for i in range(0, len(s), _BATCH)
    ]
    return Executed(
        np.concatenate([batch.values for batch in batches]),
        np.concatenate([batch.steps for batch in batches]),
        np.concatenate([batch.status for batch in batches]),
    )


def _execute(bench: RuleBench, op: str, s: Numbers, t: Numbers) -> Executed:
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
        says |= _new_top(state, says, ~ended)
        state = {
            name: (says[name] if name in says and name != "op" else column)[~ended]
            for name, column in state.items()
        }
        rows = rows[~ended]
    raise AssertionError(f"{op} goes on for {MOST} steps and more")


def _new_top(state: dict[str, Any], says: dict[str, Any], stays: Any) -> dict[str, Any]:
    """T as the next step reads it: an instruction may write to its slot before it ends."""
    written = stays & (says["space"] == Space.SLOT)
    assert (says["at0"][written] == _TOP).all()
    return {f"T{i}": np.where(written, says[f"value{i}"], state[f"T{i}"]) for i in range(8)}


def _step(bench: RuleBench, state: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """What each next token says, and whether the instruction goes on."""
    size = len(state["op"])
    names = [n.name for name, _ in LAYOUT if name not in ("digit", "op") for n in bench.parts[name]]
    forms = [f for name, _ in LAYOUT if name not in ("digit", "op") for f in bench.output[name]]
    extra = [bench.stay, bench.dividend, bench.divisor, bench.square]
    computed = [np.broadcast_to(x, (size,)) for x in values([*forms, *extra], state)]
    says = dict(zip(names, computed, strict=False))
    stays, x, d, c = computed[len(names) :]
    for name, _ in LAYOUT:
        for part in bench.parts[name] if name not in ("digit", "op") else ():
            low, high = says[part.name].min(), says[part.name].max()
            limit = SIZES.get(name, 256)
            assert low >= 0 and high < limit, f"{part.name} is in [{low}, {high}]"
    says["digit"] = _digits(np.maximum(x, 0), d, c)
    return says, stays


def _digits(x: Any, d: Any, c: Any) -> Any:
    """The largest v below 256 with x >= v d + v^2 c, where the concave logits are largest."""
    digit = np.zeros(len(x), np.int64)
    for bit in (128, 64, 32, 16, 8, 4, 2, 1):
        v = digit + bit
        digit = np.where(x >= v * d + v * v * c, v, digit)
    return digit


def _check_end(op: str, token: dict[str, int]) -> None:
    """The last token writes once, or traps, and says nothing else but where.

    Instructions of one step write by their shape, which the bench does not have.
    """
    writes = op in SEVERAL and not token["status"]
    assert token["space"] == (Space.SLOT if writes else Space.NONE)
    rest = [value for name, value in token.items() if name.startswith(("work", "phase"))]
    assert not any(rest), f"{op} ends with {token}"


def decode(model: Model, op: str, s: int, t: int) -> tuple[int, int]:
    """Value and status of an instruction: the reference engine decodes `RuleBench.model`."""
    parts = [part.name for part in model.parts]
    token = dict.fromkeys(parts, 0) | {"op": OPCODES[op]}
    token |= {f"S{i}": s >> 8 * i & 255 for i in range(8)}
    token |= {f"T{i}": t >> 8 * i & 255 for i in range(8)}
    for _ in range(MOST):
        session = Reference(model)
        session.append(tuple(token[name] for name in parts))
        token = dict(zip(parts, session.next(), strict=True))
        if token["space"] == Space.SLOT and token["phase"]:
            token |= {f"T{i}": token[f"value{i}"] for i in range(8)}
        elif token["space"] != Space.WORK:
            _check_end(op, token)
            return sum(token[f"value{i}"] << 8 * i for i in range(8)), token["status"]
    raise AssertionError(f"{op} goes on for {MOST} steps and more")
