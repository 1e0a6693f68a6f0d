"""The most probable plans of a text, by beam search under the plan grammar."""

from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from transputer.frontends.words.embedded.network import INDEX, START, TOKENS
from transputer.frontends.words.embedded.wordpiece import Pieces
from transputer.frontends.words.grammar import GrammarState, start
from transputer.values import dataclass

#: The most tokens of a plan, and how many plans are kept at every step.
LIMIT, WIDTH = 40, 6


class Scorer(Protocol):
    """What scores a plan's next token: the embedded network, or another one.

    A past holds what is known of every beam's tokens, and has `chosen` to keep some beams.
    """

    def encode(self, pieces: Pieces) -> Any:
        """What it needs to know of a text."""

    def start(self) -> Any:
        """The past of one beam without tokens."""

    def step(
        self, tokens: NDArray[np.intp], past: Any, memory: Any
    ) -> tuple[NDArray[np.float32], Any]:
        """Log probabilities of the next token for every beam, and the past with this one."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A complete plan's tokens and their log probability."""

    tokens: tuple[str, ...]
    score: float


@dataclass(frozen=True, slots=True)
class _Beam:
    tokens: tuple[str, ...]
    score: float
    state: GrammarState


@lru_cache(maxsize=4096)
def _indices(legal: frozenset[str]) -> NDArray[np.intp]:
    return np.array(sorted(INDEX[token] for token in legal), np.intp)


def allowed(state: GrammarState, budget: int) -> NDArray[np.intp]:
    """The numbers of the tokens that may come next and leave room to finish."""
    tight = state.least + 4 > budget
    return _indices(state.legal(budget if tight else None))


def search(
    network: Scorer, pieces: Pieces, width: int = WIDTH, limit: int = LIMIT
) -> tuple[Candidate, ...]:
    """Complete plans, most probable first; none where no plan can be written."""
    memory, past = network.encode(pieces), network.start()
    beams = [_Beam((), 0.0, start(len(pieces.slots), 0))]
    last = np.array([START], np.intp)
    done: list[Candidate] = []
    for position in range(limit):
        scores, past = network.step(last, past, memory)
        grown = _grown(beams, scores, limit - position, width)
        open_beams: list[tuple[int, _Beam]] = []
        for row, beam in grown:
            if beam.state.complete:
                done.append(Candidate(beam.tokens, beam.score))
            else:
                open_beams.append((row, beam))
        done = sorted(done, key=lambda c: -c.score)[:width]
        if not open_beams or (len(done) == width and done[-1].score >= open_beams[0][1].score):
            break
        beams = [beam for _, beam in open_beams]
        past = past.chosen(np.array([row for row, _ in open_beams], np.intp))
        last = np.array([INDEX[beam.tokens[-1]] for beam in beams], np.intp)
    return tuple(done)


def _grown(
    beams: list[_Beam], scores: NDArray[np.float32], budget: int, width: int
) -> list[tuple[int, _Beam]]:
    """The best continuations of all beams, best first, with the beam each comes from."""
    extensions: list[tuple[float, int, int]] = []
    for row, beam in enumerate(beams):
        legal = allowed(beam.state, budget)
        values = scores[row, legal]
        best = np.argsort(-values, kind="stable")[:width]
        extensions += [(beam.score + float(values[i]), row, int(legal[i])) for i in best]
    extensions.sort(key=lambda item: (-item[0], item[1], item[2]))
    grown = []
    for score, row, token in extensions[:width]:
        if score > -np.inf:
            name = TOKENS[token]
            beam = beams[row]
            grown.append((row, _Beam((*beam.tokens, name), score, beam.state.after(name))))
    return grown
