"""Model: weights, vocabulary, lane names, bounds; save, load, verify. Knows no instruction."""

from transputer.model.card import card, looped_card
from transputer.model.entries import Entries, entries
from transputer.model.file import load, load_any, save, to_bytes
from transputer.model.looped import Looped, LoopedLayer, SelfHead, looped_digest, sharpness
from transputer.model.softmax import head_width, query_scale
from transputer.model.store import cached_digest, cached_model, facts
from transputer.model.tensors import EXACT, Array, Head, Layer, Model, Part, Token, digest
from transputer.model.variants import mutate, nonzeros, permute, permute_looped, renumber
from transputer.model.verify import Bounds, keep_stages, streams, verify
from transputer.model.verify_looped import verify_looped

__all__ = [
    "EXACT",
    "Array",
    "Bounds",
    "Entries",
    "Head",
    "Layer",
    "Looped",
    "LoopedLayer",
    "Model",
    "Part",
    "SelfHead",
    "Token",
    "cached_digest",
    "cached_model",
    "card",
    "digest",
    "entries",
    "facts",
    "head_width",
    "keep_stages",
    "load",
    "load_any",
    "looped_card",
    "looped_digest",
    "mutate",
    "nonzeros",
    "permute",
    "permute_looped",
    "query_scale",
    "renumber",
    "save",
    "sharpness",
    "streams",
    "to_bytes",
    "verify",
    "verify_looped",
]
