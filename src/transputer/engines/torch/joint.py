"""A language model with a machine inside: one network, one sequence, one decode loop.

A token is an id and the parts of the machine. Ids below `own` are text; the others are kinds. The
id alone decides, by table, which weights a token goes through: text those of the language model,
machine steps those of the machine, instructions and output bytes both. The next id is the argmax of
the sum of both towers' logits. While the machine runs its logits are so large, and while it does
not run so negative, that nothing is left to a host.

This file imports nothing of the package that it is part of: exports ship it as it is.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from .network import KeyValueCache, Network


@dataclass
class JointCache:
    """Keys and values of both towers, for a batch; a row has lengths of its own in each."""

    machine: KeyValueCache
    language: Any


def packed(values: Tensor, chosen: Tensor) -> tuple[Tensor, Tensor]:
    """Move the `chosen` (rows, time) of `values` (rows, time, …) to the front of each row.

    Returns them, as wide as the longest row, and how many each row has.
    """
    counts = chosen.sum(1)
    order = (~chosen).long().argsort(dim=1, stable=True)[:, : int(counts.max())]
    return values.take_along_dim(order[..., None], 1), counts


class JointNetwork(nn.Module):  # type: ignore[misc]
    """Tokens (rows, time, 1 + parts) to the next token of each row (rows, 1 + parts).

    `tower` is the language model: `tower(ids, counts, cache)` returns the logits of all ids after
    the first `counts` ids of each row, and `tower.cache(rows)` an empty cache. The first part of
    the machine is the kind of a token. Three tables of kinds are part of the weights: `reads` and
    `acts` say which tower a token goes through, and `idle` are the machine's logits while it does
    not run.
    """

    def __init__(self, machine: Network, tower: Any, own: int, kinds: int) -> None:
        super().__init__()
        self.machine, self.tower, self.own = machine, tower, own
        self.register_buffer("idle", torch.zeros(kinds, dtype=torch.float64))
        self.register_buffer("reads", torch.zeros(kinds, dtype=torch.bool))
        self.register_buffer("acts", torch.zeros(kinds, dtype=torch.bool))

    def logits(
        self, tokens: Tensor, cache: JointCache, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Return the logits of the next id (rows, ids) and of its parts (rows, parts, values).

        `cache` then includes the tokens where `mask` (rows, time) is true.
        """
        ids, last = tokens[..., 0], tokens[:, -1, 0]
        kinds, kind = (ids - self.own + 1).clamp(min=0), (last - self.own + 1).clamp(min=0)
        given = torch.ones_like(ids, dtype=torch.bool) if mask is None else mask
        reads, acts = self.reads[kinds] & given, self.acts[kinds] & given
        machine = self.idle.expand(len(ids), -1)
        logits = machine.new_zeros(len(ids), self.own + len(self.idle) - 1)
        parts = machine.new_zeros(len(ids), tokens.size(2) - 1, 1)
        if reads.any():
            text, counts = packed(ids[..., None], reads)
            language = self.tower(text[..., 0], counts, cache.language)
            logits = torch.where(self.reads[kind][:, None], language, logits)
        if acts.any():
            steps, counts = packed(torch.cat([kinds[..., None], tokens[..., 1:]], 2), acts)
            after = self.machine.following(steps, cache.machine, counts.tolist())
            runs = self.acts[kind][:, None]
            machine = torch.where(runs, after[:, 0, : len(self.idle)], machine)
            parts = torch.where(runs[..., None], after[:, 1:], parts)
        return logits + torch.cat([machine[:, :1].expand(-1, self.own), machine[:, 1:]], 1), parts

    def forward(self, tokens: Tensor, cache: JointCache, mask: Tensor | None = None) -> Tensor:
        """Return the token after these: of its id and of each part, the largest logit."""
        ids, parts = self.logits(tokens, cache, mask)
        return torch.cat([ids.argmax(-1, keepdim=True), parts.argmax(-1)], 1)

    def cache(self, rows: int = 1) -> JointCache:
        """Return empty caches."""
        return JointCache(KeyValueCache(self.machine, rows), self.tower.cache(rows))


@torch.no_grad()  # type: ignore[untyped-decorator]
def decode(
    model: JointNetwork,
    tokens: Tensor,
    end: int,
    limit: int = 20_000,
    cache: JointCache | None = None,
    mask: Tensor | None = None,
    streamer: Any = None,
) -> Tensor:
    """The decode loop, all of it: forward, append, until the id `end` in every row."""
    cache = cache or model.cache(len(tokens))
    mask = torch.ones_like(tokens[..., 0], dtype=torch.bool) if mask is None else mask
    stop = torch.tensor([end] + [0] * (tokens.size(2) - 1), device=tokens.device)
    sequence: list[Tensor] = []
    while len(sequence) < limit and mask.any():
        running = mask[:, -1:]
        tokens = torch.where(running[..., None], model(tokens, cache, mask)[:, None], stop)
        mask = running & (tokens[..., 0] != end)
        sequence.append(tokens)
        if streamer is not None:
            streamer.put(tokens[:, 0].cpu())
    return torch.cat(sequence, 1)
