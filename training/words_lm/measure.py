"""Whether the plans that the language model writes come to the right answers."""

from collections.abc import Sequence
from typing import Any

import torch

from training.words.cases import Case, right
from transputer.frontends.words.embedded.beam import allowed
from transputer.frontends.words.embedded.network import TOKENS
from transputer.frontends.words.embedded.wordpiece import Pieces
from transputer.frontends.words.grammar import SLOTS, start
from transputer.frontends.words.numbers import find
from transputer.frontends.words.smollm.network import Network
from transputer.frontends.words.smollm.prompt import pieces

LIMIT = 32


@torch.no_grad()
def score(
    network: Network, tokenizer: Any, cases: Sequence[Case], device: str, batch: int = 192
) -> float:
    """The share of cases whose most probable next tokens, one after another, are right."""
    network.eval()
    found = 0
    readable = [(case, find(case.text)) for case in cases]
    kept = [(case, pieces(tokenizer, case.text, n)) for case, n in readable if 0 < len(n) <= SLOTS]
    kept.sort(key=lambda pair: len(pair[1].ids))
    for at in range(0, len(kept), batch):
        part = kept[at : at + batch]
        plans = greedy(network, [read for _, read in part], device)
        found += sum(right(plan, case) for plan, (case, _) in zip(plans, part, strict=True))
    return round(found / len(cases), 4)


@torch.no_grad()
def greedy(network: Network, texts: Sequence[Pieces], device: str) -> list[list[str]]:
    """The plan that comes of always taking the best legal token, read anew for every token."""
    own, longest = len(network.embedding), max(len(text.ids) for text in texts)
    ids = torch.zeros((len(texts), longest + LIMIT), dtype=torch.long, device=device)
    ends = [len(text.ids) for text in texts]
    for row, text in enumerate(texts):
        ids[row, : ends[row]] = torch.tensor(text.ids)
    states = [start(len(text.slots), 0) for text in texts]
    plans: list[list[str]] = [[] for _ in texts]
    for position in range(LIMIT):
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            stream = network.states(ids[:, : longest + position])[0][-1]
            last = stream[range(len(texts)), [end + position - 1 for end in ends]]
            scores = network.scores(last).float().cpu().numpy()
        for row, state in enumerate(states):
            if state.complete:
                continue
            legal = allowed(state, LIMIT - position)
            best = int(legal[scores[row, legal].argmax()])
            plans[row].append(TOKENS[best])
            states[row] = state.after(TOKENS[best])
            ids[row, ends[row] + position] = own + best
        if all(state.complete for state in states):
            break
    return plans
