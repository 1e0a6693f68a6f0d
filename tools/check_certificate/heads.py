"""Check that heads are dictionaries: the premises of the lemma in proofs/dictionary.v."""

import numpy as np
from network import RefusedError


class Key:
    """A head as a dictionary: digits (part: query row, values), scale, recency, sentinel.

    The score of a token with digits a at position t is shown to be, up to a term that all tokens
    share, scale * sum(2 q_d a_d - a_d^2) + recency * t, plus an extra row for the sentinel.
    """

    def __init__(self, network, h, claim, groups):
        head, model = network.heads[h], network.model
        varying = (head.query[:, ~network.constant] != 0).any(axis=1)
        force = head.query @ np.where(network.constant, model.bias, 0)
        reading = head.keys
        problem = "no scale"
        for scale in sorted({int(f) for f in force[~varying] if f > 0}, reverse=True):
            digits, rest, extras = {}, [], []
            for row in range(len(head.query)):
                tables = reading.by_row[row]
                whole = not (head.query[row] % (2 * scale)).any() and not reading.position[row]
                used = varying[row] or force[row]
                if used and whole and len(tables) == 1:
                    ((part, table),) = tables.items()
                    if part in digits:
                        raise RefusedError(f"head {h} looks at a part twice")
                    digits[part] = row, [v + int(reading.constant[row]) for v in table]
                elif varying[row]:
                    extras.append(row)
                elif used:
                    rest.append(row)
            if any(reading.position[row] for row in extras):
                continue
            # the rows with a constant query must add up to - scale * sum of a_d^2 + recency * t
            recency = sum(int(force[row] * reading.position[row]) for row in rest)
            sums = {p: scale * np.array(values) ** 2 for p, (_, values) in digits.items()}
            for row in rest:
                for p, table in reading.by_row[row].items():
                    sums[p] = sums.get(p, 0) + int(force[row]) * np.array(table)
            if any(np.ptp(total) for total in sums.values()) or not digits:
                problem = "keys are not parabolas"
                continue
            if not 0 < recency * (model.context - 1) < scale:
                problem = "recency may outweigh an address"
                continue
            break
        else:
            raise RefusedError(f"head {h}: {problem}")
        self.scale, self.recency, self.digits = scale, recency, digits
        self.index = groups[claim["group"]][: claim["digits"]]
        self.tags = [(p, values) for p, values in claim["tags"]]
        for p in self.index:
            if digits[p][1] != list(range(model.sizes[p])):
                raise RefusedError(f"head {h}: a digit is not the number of its part")
        if {p: values for p, (_, values) in digits.items() if p not in self.index} != dict(
            self.tags
        ):
            raise RefusedError(f"head {h}: other tags than the certificate says")
        self.sentinel, self.extra = claim["sentinel"], extras[0] if extras else None
        if len(extras) > 1:
            raise RefusedError(f"head {h} tells more than addresses apart")
        if self.sentinel is not None:
            part, values = self.sentinel
            table = reading.by_row[self.extra]
            constant = int(reading.constant[self.extra])
            if {part: values} != {p: [v + constant for v in t] for p, t in table.items()}:
                raise RefusedError(f"head {h}: other special tokens than the certificate says")
            if not set(values) <= {0, 1}:
                raise RefusedError(f"head {h}: special tokens differ among themselves")
        elif extras and reading.by_row[self.extra]:
            raise RefusedError(f"head {h} has special tokens")


def check_fixed(network, h):
    """A head with a constant query attends to the token of the largest fixed score."""
    head = network.heads[h]
    if (head.query[:, ~network.constant] != 0).any():
        raise RefusedError(f"head {h}: its query is not constant")
