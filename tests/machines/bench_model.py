"""The Model of a bench: bounds derived from its tensors, and `reference` run on it."""

from collections.abc import Iterable
from functools import cache

from tests.machines.rules import RuleBench
from transputer.circuit import build
from transputer.engines.reference.decoder import Reference
from transputer.machines.trace.machine import trace
from transputer.machines.trace.opcodes import OPCODES, SEVERAL
from transputer.machines.trace.vocabulary import Space
from transputer.model import Model


@cache
def bench_model(names: tuple[str, ...]) -> Model:
    """The verified Model of the rules of these rows; operands and opcode predict themselves."""
    bench = RuleBench([trace.rules[name] for name in names])
    g = bench.g
    for name, forms in bench.output.items():
        for part, form in zip(bench.parts[name], forms, strict=True):
            if name != "op":
                g.output(part, g.signal(f"next {part.name}", form))
    for name in ("op", "S", "T"):
        for part in bench.parts[name]:
            g.output(part, part.number())
    digit = (bench.dividend, bench.divisor, bench.square)
    g.output_quotient(bench.parts["digit"][0], *(g.signal("quotient", f) for f in digit))
    return build(g)


def execute_model(
    model: Model, op: str, pairs: Iterable[tuple[int, int]]
) -> list[tuple[int, int, int]]:
    """The value, the status and the number of steps of an instruction on `reference`."""
    session = Reference(model)
    names = [part.name for part in model.parts]
    return [_run(session, names, op, s, t) for s, t in pairs]


def _run(session: Reference, names: list[str], op: str, s: int, t: int) -> tuple[int, int, int]:
    numbers = {"op": OPCODES[op], **_bytes("S", s), **_bytes("T", t)}
    session.append(tuple(numbers.get(name, 0) for name in names))
    for steps in range(1, 41):
        token = session.next()
        said = dict(zip(names, token, strict=True))
        if said["space"] != Space.WORK:
            _check_end(op, said)
            value = sum(said[f"value{i}"] << 8 * i for i in range(8))
            return value, said["status"], steps
        session.append(token)
    raise AssertionError(f"{op} goes on for 40 steps and more")


def _check_end(op: str, said: dict[str, int]) -> None:
    """The last token writes once, unless it traps, and remembers nothing; the top slot is 0."""
    writes = op in SEVERAL and not said["status"]
    assert said["space"] == (Space.SLOT if writes else Space.NONE)
    rest = [value for name, value in said.items() if name.startswith(("at", "work", "phase"))]
    assert not any(rest), f"{op} says {said}"


def _bytes(name: str, number: int) -> dict[str, int]:
    return {f"{name}{i}": number >> 8 * i & 255 for i in range(8)}


def size(model: Model) -> str:
    """Layers, neurons, nonzeros outside the tables, lanes."""
    neurons = sum(len(layer.gate) for layer in model.layers)
    nonzeros = sum(int((t != 0).sum()) for x in model.layers for t in (x.gate, x.value, x.out))
    return (
        f"{len(model.layers)} layers, {neurons} neurons, {nonzeros} nonzeros, {model.width} lanes"
    )
