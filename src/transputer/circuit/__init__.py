"""A small language to write transformers in: lanes, heads, neurons, gadgets, weights.

Knows no instruction. Make a `Graph`, say what each part of the next token is, `build` a Model.
"""

from transputer.circuit.bounds import Interval
from transputer.circuit.evaluate import BrokenAssumption, CircuitSession, values
from transputer.circuit.form import Form
from transputer.circuit.graph import Field, Graph, GraphHead, GraphPart
from transputer.circuit.weights import build

__all__ = [
    "BrokenAssumption",
    "Field",
    "Form",
    "Graph",
    "GraphHead",
    "Interval",
    "GraphPart",
    "CircuitSession",
    "build",
    "values",
]
