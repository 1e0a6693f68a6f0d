"""The whole circuit of the trace machine, and the Model built from it."""

from functools import cache

from transputer.circuit import Graph, build
from transputer.machines.trace import (
    arithmetic,
    compares,
    control,
    conversions,
    division,
    floats,
    memory,
    roots,
    roundings,
)
from transputer.machines.trace.machine import DIGITS, Addressing, TraceCircuit, trace
from transputer.machines.trace.opcodes import claimed
from transputer.model import Model, cached_model

#: Where the rules are; importing them registers them.
RULES = (
    arithmetic,
    compares,
    control,
    conversions,
    division,
    floats,
    memory,
    roots,
    roundings,
)


def circuit(addressing: Addressing = DIGITS) -> Graph:
    """The circuit, every rule applied once; `Unsupported` if a row of the machine has none."""
    trace.require(claimed(trace.table), "the trace machine")
    machine = TraceCircuit(addressing)
    machine.usual()
    for rule in dict.fromkeys(trace.rules.values()):
        with machine.g.group(rule.__name__.strip("_")):
            rule(machine)
    return machine.finish()


def model(addressing: Addressing = DIGITS) -> Model:
    """The universal model: the same weights for every program. Built once, then cached."""
    return _model(addressing)


@cache
def _model(addressing: Addressing) -> Model:
    name = f"trace-{addressing.name}-{addressing.context}"
    return cached_model(name, lambda: build(circuit(addressing)))
