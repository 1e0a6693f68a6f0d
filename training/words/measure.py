"""Whether a torch model's plans come to the right answers, while it is trained."""

from collections.abc import Sequence

import torch

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
    tokens = torch.full((len(texts), 1), START, device=device)
    states = [start(len(t.slots), 0) for t in texts]
    plans: list[list[str]] = [[] for _ in texts]
    for position in range(LIMIT):
        scores = model.decode(text, mask, slots, tokens)[:, -1].float().cpu().numpy()
        chosen = []
        for row, state in enumerate(states):
            if state.complete:
                chosen.append(0)
                continue
            legal = allowed(state, LIMIT - position)
            best = int(legal[scores[row, legal].argmax()])
            chosen.append(best)
            plans[row].append(TOKENS[best])
            states[row] = state.after(TOKENS[best])
        if all(state.complete for state in states):
            break
        tokens = torch.cat([tokens, torch.tensor(chosen, device=device)[:, None]], 1)
    return plans
