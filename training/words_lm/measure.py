"""Whether the plans that the language model writes come to the right answers."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from training.words.cases import Case, right
from training.words.measure import LIMIT, written
from transputer.frontends.words.embedded.wordpiece import Pieces
from transputer.frontends.words.grammar import SLOTS
from transputer.frontends.words.numbers import find
from transputer.frontends.words.smollm.network import SmolNetwork
from transputer.frontends.words.smollm.prompt import pieces


@torch.no_grad()
def score(
    network: SmolNetwork, tokenizer: Any, cases: Sequence[Case], device: str, batch: int = 192
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
def greedy(network: SmolNetwork, texts: Sequence[Pieces], device: str) -> list[list[str]]:
    """The plan that comes of always taking the best legal token, read anew for every token."""
    own, longest = len(network.embedding), max(len(text.ids) for text in texts)
    ids = torch.zeros((len(texts), longest + LIMIT), dtype=torch.long, device=device)
    ends = [len(text.ids) for text in texts]
    for row, text in enumerate(texts):
        ids[row, : ends[row]] = torch.tensor(text.ids)

    def scores(chosen: Sequence[int]) -> NDArray[np.float32]:
        for row, token in enumerate(chosen):
            ids[row, ends[row]] = own + token
            ends[row] += 1
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            stream = network.states(ids[:, : max(ends)])[0][-1]
            last = stream[range(len(texts)), [end - 1 for end in ends]]
            found: NDArray[np.float32] = network.scores(last).float().cpu().numpy()
        return found

    return written([len(text.slots) for text in texts], scores)
