"""Whether a torch model's plans come to the right answers, while it is trained."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from training.words.cases import Case, right
from training.words.model import Planner
from transputer.frontends.words.embedded.beam import allowed
from transputer.frontends.words.embedded.network import START, TOKENS
from transputer.frontends.words.embedded.wordpiece import Pieces, pieces
from transputer.frontends.words.grammar import SLOTS, start
from transputer.frontends.words.numbers import find

LIMIT = 32


@torch.no_grad()
def score(model: Planner, cases: Sequence[Case], device: str, batch: int = 256) -> float:
    """The share of cases whose most probable next tokens, one after another, are right."""
    model.eval()
    found = 0
    for at in range(0, len(cases), batch):
        part = cases[at : at + batch]
        found += sum(map(right, greedy(model, [_pieces(c) for c in part], device), part))
    return round(found / len(cases), 4)


def _pieces(case: Case) -> Pieces:
    return pieces(case.text, find(case.text))


@torch.no_grad()
def greedy(model: Planner, texts: Sequence[Pieces], device: str) -> list[list[str]]:
    """The plan that comes of always taking the best legal token."""
    length = max(len(t.ids) for t in texts)
    ids = torch.tensor([[*t.ids, *[0] * (length - len(t.ids))] for t in texts], device=device)
    slots = torch.tensor([[*t.slots, *[-1] * (SLOTS - len(t.slots))] for t in texts], device=device)
    text, mask = model.encode(ids)
    rows = [[START] for _ in texts]

    def scores(chosen: Sequence[int]) -> NDArray[np.float32]:
        for row, token in enumerate(chosen):
            rows[row].append(token)
        tokens = torch.tensor(rows, device=device)
        found: NDArray[np.float32] = (
            model.decode(text, mask, slots, tokens)[:, -1].float().cpu().numpy()
        )
        return found

    return written([len(t.slots) for t in texts], scores)


def written(
    numbers: Sequence[int], scores: Callable[[Sequence[int]], NDArray[np.float32]]
) -> list[list[str]]:
    """Plans over so many numbers each, always of the best legal token.

    `scores` gets the tokens that were just chosen, none at first and 0 for a plan that is
    complete, and gives the scores of the next ones.
    """
    states = [start(count, 0) for count in numbers]
    plans: list[list[str]] = [[] for _ in states]
    chosen: list[int] = []
    for position in range(LIMIT):
        found, chosen = scores(chosen), []
        for row, state in enumerate(states):
            if state.complete:
                chosen.append(0)
                continue
            legal = allowed(state, LIMIT - position)
            best = int(legal[found[row, legal].argmax()])
            chosen.append(best)
            plans[row].append(TOKENS[best])
            states[row] = state.after(TOKENS[best])
        if all(state.complete for state in states):
            break
    return plans
