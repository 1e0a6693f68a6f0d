"""The whole circuit of the trace machine, and the Model built from it."""

from functools import cache

from transputer.circuit import Graph, build
from transputer.machines.trace import arithmetic, control, memory
from transputer.machines.trace.machine import Machine, trace
from transputer.model import Model

#: Positions of the shipped model: tokens of prompts and steps together.
CONTEXT = 1 << 30
#: Where the rules are; importing them registers them.
RULES = (arithmetic, control, memory)


def circuit(context: int = CONTEXT) -> Graph:
    """The circuit, every rule applied once."""
    machine = Machine(context)
    machine.usual()
    for rule in dict.fromkeys(trace.rules.values()):
        with machine.g.group(rule.__name__.strip("_")):
            rule(machine)
    return machine.finish()


@cache
def model(context: int = CONTEXT) -> Model:
    """The universal model; the same weights for every program."""
    return build(circuit(context))
