"""The whole circuit of the trace machine, and the Model built from it."""

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
from transputer.machines.trace.addressing import DIGITS, Addressing
from transputer.machines.trace.machine import TraceCircuit, trace
from transputer.machines.trace.opcodes import claimed
from transputer.model import Model

#: Where the rules are, in the order in which they are applied, whatever was imported first.
RULES = tuple(
    module.__name__
    for module in (
        compares,
        floats,
        conversions,
        roundings,
        roots,
        division,
        arithmetic,
        control,
        memory,
    )
)


def circuit(addressing: Addressing = DIGITS) -> Graph:
    """The circuit, every rule applied once; `Unsupported` if a row of the machine has none."""
    trace.require(claimed(trace.table), "the trace machine")
    machine = TraceCircuit(addressing)
    machine.usual()
    rules = dict.fromkeys(trace.rules.values())
    for rule in sorted(rules, key=lambda rule: RULES.index(rule.__module__)):
        with machine.g.group(rule.__name__.strip("_")):
            rule(machine)
    return machine.finish()


def built(addressing: Addressing) -> Model:
    """The Model of the circuit."""
    return build(circuit(addressing))
