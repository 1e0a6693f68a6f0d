"""A certificate: what it claims, with its heads checked."""

from heads import Key, check_fixed
from network import OWN, RefusedError

FORMAT = "transputer certificate 1"


class Certificate:
    """What a certificate claims, with its heads checked."""

    def __init__(self, content, network):
        if content.get("format") != FORMAT:
            raise RefusedError("not a certificate of this format")
        self.groups, self.rows, self.nodes = content["groups"], content["rows"], content["nodes"]
        self.stops, self.controls = content["stops"], [tuple(c) for c in content["controls"]]
        self.chosen = {tuple(sorted(map(tuple, row["fixed"]))) for row in self.rows}
        self.sizes = network.model.sizes
        if sorted(p for g in self.groups for p in g) != list(range(len(self.sizes))):
            raise RefusedError("groups do not cover the parts")
        if any(self.sizes[p] != 256 for g in self.groups for p in g if len(g) > 1):
            raise RefusedError("a digit of a word is not a byte")
        if len(content["heads"]) != len(network.heads):
            raise RefusedError("other heads than the model's")
        self.order = [OWN, *content["order"]]  # a hint: how atoms were numbered
        if sorted(self.order) != [OWN, *range(len(network.heads))]:
            raise RefusedError("the order is not one of all sources")
        self.keys, self.fetch = {}, content["fetch"]
        kind, _, data = self.nodes[content["fetched"][0][2][0]]
        if kind != "word" or data[0] != OWN:
            raise RefusedError("what is fetched is not found by a word of the token")
        self.place = data[1]  # the group that says where the instruction is
        for h, claim in enumerate(content["heads"]):
            if claim["kind"] == "fixed":
                check_fixed(network, h)
            else:
                self.keys[h] = Key(network, h, claim, self.groups)
        self._begins()

    def _begins(self):
        """Raise unless there is a row for everything that can be fetched, in phase 0.

        That rows lead to rows is part of the proof of each (`Row._continues`).
        """
        fetched = [c for c in self.controls if c[0] != OWN]
        own = [c for c in self.controls if c[0] == OWN]
        if len(fetched) != 1 or fetched[0][0] != self.fetch:
            raise RefusedError("rows are not chosen by what is fetched")
        for value in range(self.sizes[fetched[0][1]]):
            start = [(*fetched[0], value), *((*c, 0) for c in own)]
            if tuple(sorted(start)) not in self.chosen:
                raise RefusedError(f"no row for {start}")

    def decided(self, table, fixed):
        """The bits of fixed parts, by their atoms; numbers all bits, so that forms begin alike."""
        decided = {}
        for source in self.order:
            for part, size in enumerate(self.sizes):
                for i in range((size - 1).bit_length()):
                    atom = table.get(("bit", source, part, i), 0, 1)
                    if (source, part) in fixed:
                        decided[atom] = fixed[source, part] >> i & 1
        return decided
