"""The language model as the beam search sees it: log probabilities of a plan's next token."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from transputer.frontends.words.embedded.network import START, TOKENS
from transputer.frontends.words.embedded.wordpiece import Pieces
from transputer.frontends.words.smollm.network import Network
from transputer.frontends.words.smollm.network import Past as Kept


@dataclass(frozen=True, slots=True)
class Past:
    """Keys and values of every beam; none before the text is read."""

    kept: Kept = ()

    def chosen(self, beams: NDArray[np.intp]) -> "Past":
        """The past of these beams, in this order."""
        rows = torch.from_numpy(beams)
        return Past(tuple((key[rows], value[rows]) for key, value in self.kept))


@dataclass(frozen=True, slots=True)
class Memory:
    """What reading a text gave: the scores of the first token, and keys and values."""

    first: NDArray[np.float32]
    past: Past


class Decoder:
    """A network whose extra rows are the tokens of plans."""

    def __init__(self, network: Network) -> None:
        self.network = network.eval()
        self.own = len(network.embedding)

    def encode(self, pieces: Pieces) -> Memory:
        """Reads the text; its last piece says that the plan begins."""
        return Memory(*self._scored(torch.tensor([pieces.ids]), Past()))

    def start(self) -> Past:
        """Nothing yet: the first step takes what reading the text gave."""
        return Past()

    def step(
        self, tokens: NDArray[np.intp], past: Past, memory: Memory
    ) -> tuple[NDArray[np.float32], Past]:
        """Log probabilities of the next token for every beam, and the past with this one."""
        if tokens[0] == START:
            return memory.first, memory.past
        return self._scored(self.own + torch.from_numpy(tokens)[:, None], past)

    def _scored(self, ids: torch.Tensor, past: Past) -> tuple[NDArray[np.float32], Past]:
        with torch.no_grad():
            states, kept = self.network.states(ids, past.kept or None)
            scores = self.network.scores(states[-1][:, -1])[:, : len(TOKENS)]
        return scores.float().log_softmax(-1).numpy(), Past(kept)
