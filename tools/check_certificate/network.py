"""The forward pass of one step as exact functions, derived from the tensors alone.

A *source* is a token that a step reads: -1 is the last token itself, h >= 0 the token that head h
attends to (heads are numbered over all layers). A lane that heads copy from another token must hold
what the embedding put there, so what is read is a sum of tables over the parts of that token.
"""

import json

import numpy as np
from algebra import frozen, is_number, number, plus, scaled

OWN = -1


class RefusedError(Exception):
    """The tensors are not of a shape that this checker knows, or a claim is wrong."""


class Model:
    """The tensors of a safetensors file."""

    def __init__(self, contents):
        start = 8 + int.from_bytes(contents[:8], "little")
        header = json.loads(contents[8:start])
        about = json.loads(header["__metadata__"]["transputer"])
        self.width, self.context = about["width"], about["context"]
        self.parts = [name for name, _ in about["parts"]]
        self.sizes = [size for _, size in about["parts"]]

        def load(name, *shape):
            dense, data = np.zeros(int(np.prod(shape))), []
            for what, kind in (("index", "<u4"), ("weight", "<f8")):
                first, last = header[f"{name}.{what}"]["data_offsets"]
                data.append(np.frombuffer(contents[start + first : start + last], kind))
            dense[data[0]] = data[1]
            if (dense != np.rint(dense)).any():
                raise RefusedError(f"{name} holds a weight that is not an integer")
            return dense.reshape(shape)

        width = self.width
        self.bias, self.position = load("bias", width), load("position", width)
        self.embedding = [load(f"embedding.{n}", size, width) for n, size in about["parts"]]
        self.output = [load(f"output.{n}", size, width) for n, size in about["parts"]]
        self.layers = []
        for i, layer in enumerate(about["layers"]):
            heads = [
                {
                    "query": load(f"layer{i}.head{h}.query", rows, width),
                    "key": load(f"layer{i}.head{h}.key", rows, width),
                    "value": load(f"layer{i}.head{h}.value", values, width),
                    "output": load(f"layer{i}.head{h}.output", width, values),
                }
                for h, (rows, values) in enumerate(layer["heads"])
            ]
            n = layer["neurons"]
            gate, value = load(f"layer{i}.gate", n, width), load(f"layer{i}.value", n, width)
            self.layers.append((heads, gate, value, load(f"layer{i}.out", width, n)))


class Reading:
    """What rows of weights read of a token: constants, and a table of values per part."""

    def __init__(self, model, rows):
        self.constant, self.position = rows @ model.bias, rows @ model.position
        tables = {p: table @ rows.T for p, table in enumerate(model.embedding)}
        self.tables = {p: t for p, t in tables.items() if t.any()}
        self.by_row = [
            {p: t[:, i].astype(int).tolist() for p, t in self.tables.items() if t[:, i].any()}
            for i in range(len(rows))
        ]

    def ends(self, source, fixed, last):
        """The lowest and the highest value of each row."""
        low = self.constant + np.minimum(0, self.position * last)
        high = self.constant + np.maximum(0, self.position * last)
        for p, table in self.tables.items():
            value = fixed.get((source, p))
            low = low + (table.min(axis=0) if value is None else table[value])
            high = high + (table.max(axis=0) if value is None else table[value])
        return low, high

    def poly(self, i, source, fixed, algebra):
        """Row i as a function of the parts of a source."""
        if self.position[i]:
            raise RefusedError("a lane that matters holds the position")
        total = number(int(self.constant[i]))
        for p, values in self.by_row[i].items():
            value = fixed.get((source, p))
            added = algebra.part(source, p, values) if value is None else number(values[value])
            total = plus(total, added)
        return total


class Head:
    """A head whose keys and values are functions of the attended token."""

    def __init__(self, model, layer, tensors, written):
        used = (tensors["key"] != 0).any(axis=0) | (tensors["value"] != 0).any(axis=0)
        if (used & written).any():
            raise RefusedError(f"layer {layer}: a head reads a lane that a layer wrote")
        self.layer = layer
        self.lanes = np.flatnonzero(tensors["output"].any(axis=1))
        self.reads = Reading(model, tensors["output"][self.lanes] @ tensors["value"])
        whole = tensors["query"][tensors["query"] != 0].astype(int)
        power = min((int(w) & -int(w) for w in whole), default=1)  # scales all scores alike
        self.query = tensors["query"] / power
        self.rows = sparse(self.query)
        self.keys = Reading(model, tensors["key"])


def sparse(matrix):
    return [[(j, int(row[j])) for j in np.flatnonzero(row).tolist()] for row in matrix]


class Interval:
    """Bounds of rows of weights over intervals of lanes."""

    def __init__(self, rows):
        self.above, self.below = np.maximum(rows, 0), np.minimum(rows, 0)

    def __call__(self, low, high):
        return self.above @ low + self.below @ high, self.above @ high + self.below @ low


class Network:
    """A model as functions; `RefusedError` for one of another shape."""

    def __init__(self, model):
        self.model, self.heads, self.by_layer = model, [], []
        self.own = Reading(model, np.eye(model.width))
        written = np.zeros(model.width, dtype=bool)
        self.layers = []
        for number_, (heads, gate, value, out) in enumerate(model.layers):
            first = len(self.heads)
            useful = [h for h in heads if h["output"].any()]
            self.heads += [Head(model, number_, h, written) for h in useful]
            self.by_layer.append(range(first, len(self.heads)))
            for h in useful:
                written |= h["output"].any(axis=1)
            written |= out.any(axis=1)
            self.layers.append((gate, value, out, sparse(gate), sparse(value), sparse(out.T)))
        varies = written | (model.position != 0)
        for table in model.embedding:
            varies |= table.any(axis=0)
        self.constant = ~varies
        self.groups = [self._grouped(*layer[:2]) for layer in self.layers]
        self.intervals = [[Interval(rows) for rows in layer[:2]] for layer in self.layers]
        self.outputs = [self._output(p, table) for p, table in enumerate(model.output)]
        self.ranges = [ranges for _, _, ranges in self.live({})[0]]  # whatever the row

    def _grouped(self, gate, value):
        """Neurons that are functions of one form, sign * z + offset, times one value."""
        varying = np.where(self.constant, 0, gate)
        offset = gate @ np.where(self.constant, self.model.bias, 0)
        first = np.take_along_axis(varying, (varying != 0).argmax(axis=1)[:, None], 1)[:, 0]
        sign = np.where(first < 0, -1, 1)
        keys = {}
        for n in range(len(gate)):
            form = varying[n] * sign[n] + 0.0
            keys.setdefault(form.tobytes() + (value[n] + 0.0).tobytes(), []).append(n)
        return sign, offset, [np.array(members) for members in keys.values()]

    def _output(self, part, table):
        """Forms x, d, c such that the logit of v exceeds that of v - 1 by 2 (x - v d - v^2 c) + 1.

        Odd and, for d, c >= 0, falling in v: the argmax is the largest v that it is positive for.
        """
        increments = np.diff(table, axis=0)
        v = np.arange(1, len(table))[:, None]
        shape = np.hstack([2 + 0 * v, -2 * v, -2 * v * v])
        constant = np.where(self.constant, self.model.bias, 0)
        lanes = np.flatnonzero(increments.any(axis=0) & ~self.constant)
        columns = np.column_stack([increments[:, lanes], increments @ constant - 1])
        fit = np.rint(np.linalg.lstsq(shape.astype(float), columns, rcond=None)[0] * 2) / 2
        if (shape @ fit != columns).any():
            raise RefusedError(f"output {self.model.parts[part]}: not a parabola")
        forms = []
        for row in fit:
            if (row != np.rint(row)).any():
                raise RefusedError(f"output {self.model.parts[part]}: ties are possible")
            terms = [(int(lane), int(w)) for lane, w in zip(lanes, row[:-1], strict=True) if w]
            forms.append((terms, int(row[-1])))
        return forms

    # Which neurons can be open, and which of them matter

    def live(self, fixed):
        """Per layer: neurons that matter, lanes that are erased, ranges of lanes after it."""
        low, high = self.own.ends(OWN, fixed, self.model.context - 1)
        stages = []
        for number_, (_, value, out, *_) in enumerate(self.layers):
            for h in self.by_layer[number_]:
                head = self.heads[h]
                ends = head.reads.ends(h, fixed, self.model.context - 1)
                low, high = low.copy(), high.copy()
                low[head.lanes] += ends[0]
                high[head.lanes] += ends[1]
            gates, values = (ends(low, high) for ends in self.intervals[number_])
            active = (gates[1] > 0) & ((values[0] != 0) | (values[1] != 0))
            steady = np.flatnonzero(active & (gates[0] == gates[1]))
            erased = np.zeros(len(low), dtype=bool)
            for n in steady:
                lanes = np.flatnonzero(out[:, n])
                if len(lanes) == 1 and gates[0][n] * out[lanes[0], n] == -1:
                    lane = lanes[0]
                    copies = value[n, lane] == 1 and np.count_nonzero(value[n]) == 1
                    if copies and not erased[lane]:  # x - x
                        erased[lane], active[n] = True, False
            low, high = np.where(erased, 0, low), np.where(erased, 0, high)
            low, high = self._after(number_, active, low, high, gates, values)
            stages.append((active, erased, (low, high)))
        needed = np.zeros(self.model.width, dtype=bool)
        for forms in self.outputs:
            for terms, _ in forms:
                needed[[lane for lane, _ in terms]] = True
        live, heads = [], set()
        for number_ in reversed(range(len(self.layers))):
            gate, value, out = self.layers[number_][:3]
            active, erased, ranges = stages[number_]
            used = active & out[needed].any(axis=0)
            live.append((np.flatnonzero(used), erased, ranges))
            needed = (needed & ~erased) | (gate[used] != 0).any(axis=0)
            needed |= (value[used] != 0).any(axis=0)
            here = {h for h in self.by_layer[number_] if needed[self.heads[h].lanes].any()}
            heads |= here
            for h in here:
                needed = needed | (self.heads[h].query != 0).any(axis=0)
        return live[::-1], np.flatnonzero(needed), heads

    def _after(self, number_, active, low, high, gates, values):
        """Ranges of lanes after neurons: a group is piecewise linear, extreme at its corners."""
        sign, offset, members = self.groups[number_]
        out = self.layers[number_][2]
        for group in members:
            group = group[active[group]]
            if not len(group):
                continue
            n = group[0]  # z from the gate's own interval: gate == sign * z + offset
            z = sorted(sign[n] * (gates[k][n] - offset[n]) for k in (0, 1))
            corners = -sign[group] * offset[group]
            z = np.array([*z, *corners[(corners > z[0]) & (corners < z[1])]])
            relu = np.maximum(np.outer(z, sign[group]) + offset[group], 0)
            lanes = np.flatnonzero(out[:, group].any(axis=1))
            sums = relu @ out[np.ix_(lanes, group)].T
            products = np.concatenate([sums * values[0][n], sums * values[1][n]])
            low[lanes] += products.min(axis=0)
            high[lanes] += products.max(axis=0)
        return low, high

    # The step as functions

    def evaluate(self, fixed, algebra, most=None):
        """Forms x, d, c of every output, and the forms of the queries of the heads that matter.

        With `most`, lanes and factors of more terms than that get names.
        """
        live, lanes, heads = self.live(fixed)
        now = {lane: self.own.poly(lane, OWN, fixed, algebra) for lane in lanes.tolist()}
        queries, cases = {}, {"closed": 0, "open": 0, "bent": 0}
        for number_, (neurons, erased, _) in enumerate(live):
            here = [h for h in self.by_layer[number_] if h in heads]
            for h in here:
                queries[h] = [form(row, now) for row in self.heads[h].rows]
            for h in here:
                head = self.heads[h]
                for i, lane in enumerate(head.lanes.tolist()):
                    now[lane] = plus(now.get(lane, {}), head.reads.poly(i, h, fixed, algebra))
            added = self._neurons(number_, neurons.tolist(), now, algebra, most, cases)
            now = {lane: {} if erased[lane] else poly for lane, poly in now.items()}
            for lane, poly in added.items():
                now[lane] = plus(now.get(lane, {}), poly)
            if most is not None:
                for lane, poly in now.items():
                    if len(poly) > most:
                        low, high = self.ranges[number_]
                        reach = int(low[lane]), int(high[lane])
                        now[lane] = algebra.named(poly, reach)
        outputs = [
            [plus(form(terms, now), number(offset)) for terms, offset in forms]
            for forms in self.outputs
        ]
        self._concave(*live[-1][2])
        return outputs, queries, cases

    def _concave(self, low, high):
        """Raise unless d >= 0 and c >= 0 for every output, by the ranges of lanes."""
        for part, (_, *bends) in enumerate(self.outputs):
            for terms, offset in bends:
                if offset + sum(w * (low if w > 0 else high)[lane] for lane, w in terms) < 0:
                    raise RefusedError(f"output {self.model.parts[part]}: logits may be convex")

    def _neurons(self, number_, neurons, now, algebra, most, cases):
        """What neurons add to each lane."""
        _, _, _, gates, values, outs = self.layers[number_]
        added, groups = {}, {}

        def product(a, b):
            if most is not None and len(a) * len(b) > most:
                a, b = (p if len(p) <= 1 else algebra.named(p) for p in (a, b))
            return algebra.times(a, b)

        for n in neurons:
            gate, value = form(gates[n], now), form(values[n], now)
            if not value:
                continue
            algebra.spend(len(gate) + len(value))
            low, high = algebra.bounds(gate)
            if high <= 0:  # relu(gate) is 0
                cases["closed"] += 1
                continue
            if low == high:
                gate = number(low)
            if low >= 0 or gate == value:  # relu(gate) is the gate; relu(z) * z
                cases["open"] += 1
                same = gate == value and not is_number(gate)
                total = algebra.square(gate) if same else product(gate, value)
                for lane, weight in outs[n]:
                    added[lane] = plus(added.get(lane, {}), total, weight)
                continue
            cases["bent"] += 1
            z = {m: c for m, c in gate.items() if m}
            sign = 1 if z[min(z)] > 0 else -1
            z = scaled(z, sign)
            key = frozen(z), frozen(value)
            by_lane = groups.setdefault(key, {})
            for lane, weight in outs[n]:
                by_lane.setdefault(lane, []).append((sign, gate.get((), 0), weight))
        for (z, value), by_lane in sorted(groups.items(), key=lambda item: item[0]):
            bends = {}
            for lane, corners in by_lane.items():
                same = tuple(corners)
                if same not in bends:
                    bends[same] = product(algebra.bend(dict(z), same), dict(value))
                algebra.spend(len(bends[same]))
                added[lane] = plus(added.get(lane, {}), bends[same])
        return added


def form(terms, now):
    """A weighted sum of lanes."""
    total = {}
    for lane, weight in terms:
        for monomial, c in now.get(lane, {}).items():
            total[monomial] = total.get(monomial, 0) + weight * c
    return {m: c for m, c in total.items() if c}
