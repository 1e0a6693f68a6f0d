"""The language model as the beam search sees it: log probabilities of a plan's next token."""

import numpy as np
import torch
from numpy.typing import NDArray

from transputer.frontends.words.embedded.network import START, TOKENS
from transputer.frontends.words.embedded.wordpiece import Pieces
from transputer.frontends.words.smollm.network import KeysAndValues, SmolNetwork
from transputer.values import dataclass


@dataclass(frozen=True, slots=True)
class SmolPast:
    """Keys and values of every beam; none before the text is read."""

    cache: KeysAndValues = ()

    def chosen(self, beams: NDArray[np.intp]) -> "SmolPast":
        """The past of these beams, in this order."""
        rows = torch.from_numpy(beams)
        return SmolPast(tuple((key[rows], value[rows]) for key, value in self.cache))


@dataclass(frozen=True, slots=True)
class SmolMemory:
    """What reading a text gave: the scores of the first token, and keys and values."""

    first: NDArray[np.float32]
    past: SmolPast


class SmolDecoder:
    """A network whose extra rows are the tokens of plans."""

    def __init__(self, network: SmolNetwork) -> None:
        self.network = network.eval()
        self.own = len(network.embedding)

    def encode(self, pieces: Pieces) -> SmolMemory:
        """Reads the text; its last piece says that the plan begins."""
        return SmolMemory(*self._scored(torch.tensor([pieces.ids]), SmolPast()))

    def start(self) -> SmolPast:
        """Nothing yet: the first step takes what reading the text gave."""
        return SmolPast()

    def step(
        self, tokens: NDArray[np.intp], past: SmolPast, memory: SmolMemory
    ) -> tuple[NDArray[np.float32], SmolPast]:
        """Log probabilities of the next token for every beam, and the past with this one."""
        if tokens[0] == START:
            return memory.first, memory.past
        return self._scored(self.own + torch.from_numpy(tokens)[:, None], past)

    def _scored(self, ids: torch.Tensor, past: SmolPast) -> tuple[NDArray[np.float32], SmolPast]:
        with torch.no_grad():
            states, cache = self.network.states(ids, past.cache or None)
            scores = self.network.scores(states[-1][:, -1])[:, : len(TOKENS)]
        return scores.float().log_softmax(-1).numpy(), SmolPast(cache)
