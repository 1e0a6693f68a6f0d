"""Model: weights, vocabulary, lane names, bounds; save, load, verify. Knows no instruction."""

from transputer.model.card import card
from transputer.model.file import load, save, to_bytes
from transputer.model.store import cache_folder, derived, kept_model
from transputer.model.tensors import EXACT, Array, Head, Layer, Model, Part, Token, digest
from transputer.model.variants import mutate, nonzeros, permute, renumber
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
    "cache_folder",
    "card",
    "derived",
    "digest",
    "kept_model",
    "load",
    "mutate",
    "nonzeros",
    "permute",
    "renumber",
    "save",
    "streams",
    "to_bytes",
    "verify",
]
