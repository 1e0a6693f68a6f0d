"""Check that heads are dictionaries: the premises of the lemma in proofs/dictionary.v."""

from math import gcd

import numpy as np
from network import RefusedError


class Key:
    """A head as a dictionary: digits (part: query row), scale, recency, sentinel.

    The score of a token with digits a at position t is shown to be, up to a term that all tokens
    share, scale * sum(2 q_d a_d - a_d^2) + recency * t, plus an extra row for the sentinel.
    """

    def __init__(self, network, h, claim, groups):
        query, keys, model = network.heads[h].query, network.heads[h].keys, network.model
        varying = (query[:, ~network.constant] != 0).any(axis=1)
        force = query @ np.where(network.constant, model.bias, 0)

        def require(holds, problem):
            if not holds:
                raise RefusedError(f"head {h}: {problem}")

        def values(row):
            constant = int(keys.constant[row])
            return {p: [constant + v for v in table] for p, table in keys.by_row[row].items()}

        self.index = groups[claim["group"]][: claim["digits"]]
        self.tags, self.sentinel = dict(claim["tags"]), claim["sentinel"]
        claimed = {p: list(range(model.sizes[p])) for p in self.index} | self.tags
        rows = [row for row in range(len(query)) if varying[row] or force[row]]
        lowest = [row for row in rows if values(row) == {p: claimed[p] for p in self.index[:1]}]
        require(lowest, "the lowest digit of the index is not a key")
        self.scale = gcd(*query[lowest[0]].astype(int).tolist()) // 2  # its query is 2 scale q
        self.digits, rest, extras = {}, [], []
        for row in rows:
            whole = not (query[row] % (2 * self.scale)).any() and not keys.position[row]
            if whole and len(values(row)) == 1:
                (part,) = values(row)
                require(values(row)[part] == claimed.get(part), "a key is not what is claimed")
                require(part not in self.digits, "it looks at a part twice")
                self.digits[part] = row
            else:
                (extras if varying[row] else rest).append(row)
        require(self.digits.keys() == claimed.keys(), "a part that is claimed is not a key")
        # the rows with a constant query must add up to - scale * sum of a_d^2 + recency * t
        sums = {p: self.scale * np.array(claimed[p]) ** 2 for p in claimed}
        for row in rest:
            for p, table in keys.by_row[row].items():
                sums[p] = sums.get(p, 0) + int(force[row]) * np.array(table)
        require(not any(np.ptp(total) for total in sums.values()), "keys are not parabolas")
        recency = sum(int(force[row] * keys.position[row]) for row in rest)
        enough = 0 < recency * (model.context - 1) < self.scale
        require(enough, "recency may outweigh an address")
        require(len(extras) <= 1, "it tells more than addresses apart")
        self.extra = extras[0] if extras else None
        special = dict([self.sentinel] if self.sentinel else [])
        require((values(self.extra) if extras else {}) == special, "other special tokens")
        require(not any(keys.position[row] for row in extras), "special tokens have an order")
        ones = {v for table in special.values() for v in table}
        require(ones <= {0, 1}, "special tokens differ among themselves")


def check_fixed(network, h):
    """A head with a constant query attends to the token of the largest fixed score."""
    if (network.heads[h].query[:, ~network.constant] != 0).any():
        raise RefusedError(f"head {h}: its query is not constant")
