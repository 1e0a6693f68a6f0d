"""A small language to write transformers in: lanes, heads, neurons, gadgets, weights.

Knows no instruction. Make a `Graph`, say what each part of the next token is, `build` a Model.
"""

from transputer.circuit.bounds import Interval
from transputer.circuit.evaluate import BrokenAssumption, Session, values
from transputer.circuit.form import Form
from transputer.circuit.graph import Field, Graph, Head, Part
from transputer.circuit.weights import build

__all__ = [
    "BrokenAssumption",
    "Field",
    "Form",
    "Graph",
    "Head",
    "Interval",
    "Part",
    "Session",
    "build",
    "values",
]
