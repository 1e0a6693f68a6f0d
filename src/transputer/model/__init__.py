"""Model: weights, vocabulary, lane names, bounds; save, load, verify. Knows no instruction."""

from transputer.model.card import card
from transputer.model.file import load, save, to_bytes
from transputer.model.tensors import EXACT, Array, Head, Layer, Model, Part, Token, digest
from transputer.model.variants import mutate, nonzeros, permute
from transputer.model.verify import Bounds, streams, verify

__all__ = [
    "EXACT",
    "Array",
    "Bounds",
    "Head",
    "Layer",
    "Model",
    "Part",
    "Token",
    "card",
    "digest",
    "load",
    "mutate",
    "nonzeros",
    "permute",
    "save",
    "streams",
    "to_bytes",
    "verify",
]
