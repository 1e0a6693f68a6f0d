"""The network's forward pass in NumPy: encoder, then the decoder one token at a time.

A BERT encoder (post-norm, tanh GELU) reads the pieces. The decoder (pre-norm, attention over
its own past and over the encoder) scores the plan's next token; a slot's score is the product
of the decoder's state with the encoder's state at that number, so that a slot points at the
text. Weights are float32 matrices with one row per output.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from transputer.frontends.words.embedded.wordpiece import Pieces
from transputer.frontends.words.grammar import SLOTS, vocabulary
from transputer.values import dataclass

Array = NDArray[np.float32]

TOKENS = vocabulary()
INDEX = {token: index for index, token in enumerate(TOKENS)}
#: Where the slots begin among the tokens; the input that comes before the first token.
FIRST_SLOT, START = INDEX["N0"], len(TOKENS)
ENCODER_HEADS, DECODER_HEADS = 12, 6
EPSILON = 1e-5


@dataclass(frozen=True, slots=True)
class TextMemory:
    """What the encoder made of a text: keys and values per decoder layer, and the slots' states."""

    keys: tuple[Array, ...]
    values: tuple[Array, ...]
    pointers: Array
    inputs: Array
    known: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class DecoderPast:
    """The decoder's keys and values of the tokens so far, for every beam, per layer."""

    keys: tuple[Array, ...]
    values: tuple[Array, ...]
    length: int

    def chosen(self, beams: NDArray[np.intp]) -> "DecoderPast":
        """The past of these beams, in this order."""
        return DecoderPast(
            tuple(key[beams] for key in self.keys),
            tuple(value[beams] for value in self.values),
            self.length,
        )


@dataclass(frozen=True, slots=True)
class WordRows:
    """The embeddings of the pieces, which stay int8 with a scale per row: few are ever read."""

    rows: NDArray[np.int8]
    scale: Array

    def __getitem__(self, ids: list[int]) -> Array:
        return np.asarray(self.rows[ids] * self.scale[ids, None])


class PlannerNetwork:
    """Weights by name, and what is computed with them."""

    def __init__(self, words: WordRows, weights: Mapping[str, Array]) -> None:
        self.words, self.weights = words, weights
        self.encoder_layers = sum(name.endswith("up.weight") for name in weights if "enc." in name)
        self.decoder_layers = sum(name.endswith("up.weight") for name in weights if "dec." in name)

    def _linear(self, x: Array, name: str) -> Array:
        return np.asarray(x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"])

    def _norm(self, x: Array, name: str) -> Array:
        centred = x - x.mean(-1, keepdims=True)
        scale = np.sqrt((centred * centred).mean(-1, keepdims=True) + np.float32(EPSILON))
        return np.asarray(
            centred / scale * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]
        )

    def _feed(self, x: Array, name: str) -> Array:
        return self._linear(_gelu(self._linear(x, f"{name}.up")), f"{name}.down")

    def encode(self, pieces: Pieces) -> TextMemory:
        """What the decoder needs to know of a text."""
        x = self.words[list(pieces.ids)]
        x = self._norm(x + self.weights["places.weight"][: len(pieces.ids)], "entry")
        for layer in range(self.encoder_layers):
            name = f"enc.{layer}"
            query, key, value = np.split(self._linear(x, f"{name}.self"), 3, -1)
            mixed = _attend(query[None], key[None], value[None], ENCODER_HEADS)[0]
            x = self._norm(x + self._linear(mixed, f"{name}.out"), f"{name}.norm1")
            x = self._norm(x + self._feed(x, name), f"{name}.norm2")
        return self._memory(x, pieces)

    def _memory(self, x: Array, pieces: Pieces) -> TextMemory:
        cross = [
            np.split(self._linear(x, f"dec.{layer}.memory"), 2, -1)
            for layer in range(self.decoder_layers)
        ]
        known = np.zeros(SLOTS, np.bool_)
        states = np.zeros((SLOTS, x.shape[1]), np.float32)
        for slot, place in enumerate(pieces.slots):
            if place >= 0:
                known[slot], states[slot] = True, x[place]
        return TextMemory(
            tuple(key for key, _ in cross),
            tuple(value for _, value in cross),
            self._linear(states, "pointer"),
            self._linear(states, "slots"),
            known,
        )

    def start(self) -> DecoderPast:
        """No tokens yet, one beam."""
        width = self.weights["places.weight"].shape[1]
        empty = np.zeros((1, 0, width), np.float32)
        return DecoderPast((empty,) * self.decoder_layers, (empty,) * self.decoder_layers, 0)

    def step(
        self, tokens: NDArray[np.intp], past: DecoderPast, memory: TextMemory
    ) -> tuple[Array, DecoderPast]:
        """Log probabilities of the next token for every beam, and the past with this one."""
        x = self.weights["tokens.weight"][tokens] + self.weights["steps.weight"][past.length]
        for beam, token in enumerate(tokens):
            if 0 <= token - FIRST_SLOT < SLOTS:
                x[beam] += memory.inputs[token - FIRST_SLOT]
        x = x[:, None]
        keys: list[Array] = []
        values: list[Array] = []
        for layer in range(self.decoder_layers):
            name = f"dec.{layer}"
            query, key, value = np.split(
                self._linear(self._norm(x, f"{name}.norm1"), f"{name}.self"), 3, -1
            )
            keys.append(np.concatenate([past.keys[layer], key], 1))
            values.append(np.concatenate([past.values[layer], value], 1))
            mixed = _attend(query, keys[-1], values[-1], DECODER_HEADS)
            x = x + self._linear(mixed, f"{name}.out")
            query = self._linear(self._norm(x, f"{name}.norm2"), f"{name}.ask")
            mixed = _attend(
                query, memory.keys[layer][None], memory.values[layer][None], DECODER_HEADS
            )
            x = x + self._linear(mixed, f"{name}.told")
            x = x + self._feed(self._norm(x, f"{name}.norm3"), name)
        state = self._norm(x[:, 0], "final")
        return self._scores(state, memory), DecoderPast(tuple(keys), tuple(values), past.length + 1)

    def _scores(self, state: Array, memory: TextMemory) -> Array:
        scores = self._linear(state, "output")
        pointed = state @ memory.pointers.T / np.float32(np.sqrt(state.shape[1]))
        scores[:, FIRST_SLOT : FIRST_SLOT + SLOTS] = np.where(memory.known, pointed, -np.inf)
        top = scores.max(-1, keepdims=True)
        return np.asarray(scores - top - np.log(np.exp(scores - top).sum(-1, keepdims=True)))


def _attend(query: Array, key: Array, value: Array, heads: int) -> Array:
    """Softmax attention of several heads; keys of one text may serve all beams."""
    q, k, v = (_heads(x, heads) for x in (query, key, value))
    scores = q @ k.swapaxes(-1, -2) / np.float32(np.sqrt(q.shape[-1]))
    scores = np.exp(scores - scores.max(-1, keepdims=True))
    mixed = scores / scores.sum(-1, keepdims=True) @ v
    return np.asarray(mixed.swapaxes(1, 2).reshape(query.shape))


def _heads(x: Array, heads: int) -> Array:
    batch, length, width = x.shape
    return x.reshape(batch, length, heads, width // heads).swapaxes(1, 2)


def _gelu(x: Array) -> Array:
    inner = np.float32(0.7978845608028654) * (x + np.float32(0.044715) * x * x * x)
    return np.asarray(np.float32(0.5) * x * (1 + np.tanh(inner)))
