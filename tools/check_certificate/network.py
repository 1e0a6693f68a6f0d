"""The forward pass of one step as exact functions, derived from the tensors alone.

A *source* is a token that a step reads: -1 is the last token itself, h >= 0 the token that head h
attends to (heads are numbered over all layers). A lane that heads copy from another token must hold
what the embedding put there, so what is read is a sum of tables over the parts of that token.
"""

import json

import numpy as np
from algebra import frozen, linear, number, plus, scaled

OWN = -1
EXACT = 2**53  # integers below it are exact in float64


class RefusedError(Exception):
    """The tensors are not of a shape that this checker knows, or a claim is wrong."""


class Model:
    """The tensors of a safetensors file."""

    def __init__(self, contents):
        start = 8 + int.from_bytes(contents[:8], "little")
        header = json.loads(contents[8:start])
        about = json.loads(header["__metadata__"]["transputer"])
        self.context, width = about["context"], about["width"]
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

        self.bias, self.position = load("bias", width), load("position", width)
        self.embedding = [load(f"embedding.{n}", size, width) for n, size in about["parts"]]
        self.output = [load(f"output.{n}", size, width) for n, size in about["parts"]]
        self.layers = []
        for i, layer in enumerate(about["layers"]):
            heads = []
            for h, (rows, values) in enumerate(layer["heads"]):
                shapes = {"query": (rows, width), "key": (rows, width), "value": (values, width),
                          "output": (width, values)}  # fmt: skip
                heads.append({n: load(f"layer{i}.head{h}.{n}", *s) for n, s in shapes.items()})
            n = layer["neurons"]
            gate, value = load(f"layer{i}.gate", n, width), load(f"layer{i}.value", n, width)
            self.layers.append((heads, gate, value, load(f"layer{i}.out", width, n)))


class Sparse:
    """A matrix by its nonzero weights; `terms` lists those of each row."""

    def __init__(self, matrix):
        self.row, self.column = np.nonzero(matrix)
        self.weight, self.height = matrix[self.row, self.column], len(matrix)
        self.terms = [[] for _ in matrix]
        places = zip(self.row.tolist(), self.column.tolist(), self.weight.tolist(), strict=True)
        for row, column, weight in places:
            self.terms[row].append((column, int(weight)))

    def bounds(self, low, high):
        """The lowest and the highest value of each row, over intervals of lanes."""
        ends = [self.weight * end[self.column] for end in (low, high)]
        if self._sums(np.maximum(*np.abs(ends))).max(initial=0) >= EXACT:
            raise RefusedError("a sum may round")
        return self._sums(np.minimum(*ends)), self._sums(np.maximum(*ends))

    def _sums(self, terms):
        return np.bincount(self.row, terms, self.height)

    def columns(self, rows):
        """The columns in which one of the rows (a mask) is not 0."""
        return self.column[rows[self.row]]


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

    def poly(self, i, source, algebra):
        """Row i as a function of the parts of a source."""
        if self.position[i]:
            raise RefusedError("a lane that matters holds the position")
        tables = [algebra.part(source, p, values) for p, values in self.by_row[i].items()]
        return linear((1, term) for term in [number(int(self.constant[i])), *tables])


class Head:
    """A head whose keys and values are functions of the attended token."""

    def __init__(self, model, layer, tensors, written):
        used = (tensors["key"] != 0).any(axis=0) | (tensors["value"] != 0).any(axis=0)
        if (used & written).any():
            raise RefusedError(f"layer {layer}: a head reads a lane that a layer wrote")
        self.lanes = np.flatnonzero(tensors["output"].any(axis=1))
        self.reads = Reading(model, tensors["output"][self.lanes] @ tensors["value"])
        self.query, self.rows = tensors["query"], Sparse(tensors["query"]).terms
        self.keys = Reading(model, tensors["key"])


class Layer:
    """The heads (their numbers) and the neurons of a layer."""

    def __init__(self, heads, gate, value, out, constants):
        self.heads, self.dense = heads, (gate, value, out)
        self.gate, self.value, self.out = Sparse(gate), Sparse(value), Sparse(out.T)
        # a gate is sign * z + offset; neurons of one z and one value are one function of z
        varying, self.offset = np.where(constants == 0, gate, 0), gate @ constants
        first = np.take_along_axis(varying, (varying != 0).argmax(axis=1)[:, None], 1)[:, 0]
        self.sign, groups = np.where(first < 0, -1, 1), {}
        for n, form in enumerate(varying * self.sign[:, None] + 0.0):
            groups.setdefault((form.tobytes(), (value[n] + 0.0).tobytes()), []).append(n)
        self.groups = [np.array(members) for members in groups.values()]
        self.group = np.empty(len(gate), dtype=int)
        for g, members in enumerate(self.groups):
            self.group[members] = g

    def live(self, low, high):
        """Neurons that may be open, lanes that are erased (a neuron adds -x), ranges after it."""
        gates, values = self.gate.bounds(low, high), self.value.bounds(low, high)
        active = (gates[1] > 0) & ((values[0] != 0) | (values[1] != 0))
        erased = np.zeros(len(low), dtype=bool)
        for n in np.flatnonzero(active & (gates[0] == gates[1])):
            for lane, weight in self.out.terms[n] if len(self.out.terms[n]) == 1 else ():
                copies = gates[0][n] * weight == -1 and self.value.terms[n] == [(lane, 1)]
                if copies and not erased[lane]:
                    erased[lane], active[n] = True, False
        low, high = np.where(erased, 0, low), np.where(erased, 0, high)
        for g in np.unique(self.group[active]):
            group = self.groups[g][active[self.groups[g]]]
            n, sign, offset = group[0], self.sign[group], self.offset[group]
            # piecewise linear in z, so extreme at an end or at a corner
            ends = sorted(self.sign[n] * (gate[n] - self.offset[n]) for gate in gates)
            corners = -sign * offset
            z = np.array([*ends, *corners[(corners > ends[0]) & (corners < ends[1])]])
            out = self.dense[2][:, group]
            lanes = np.flatnonzero(out.any(axis=1))
            sums = np.maximum(np.outer(z, sign) + offset, 0) @ out[lanes].T
            products = np.concatenate([sums * value[n] for value in values])
            low[lanes] += products.min(axis=0)
            high[lanes] += products.max(axis=0)
        return active, erased, (low, high)

    def needs(self, active, needed):
        """Which neurons of `active` write to needed lanes, and which lanes these read."""
        writing = np.zeros(len(active), dtype=bool)
        writing[self.out.row[needed[self.out.column]]] = True
        used, lanes = active & writing, np.zeros(len(needed), dtype=bool)
        lanes[self.gate.columns(used)] = lanes[self.value.columns(used)] = True
        return used, lanes


class Network:
    """A model as functions; `RefusedError` for one of another shape."""

    def __init__(self, model):
        self.model, self.heads, self.layers = model, [], []
        self.own = Reading(model, np.eye(len(model.bias)))
        written = model.bias != model.bias
        useful = [[h for h in heads if h["output"].any()] for heads, *_ in model.layers]
        for i, (heads, (*_, out)) in enumerate(zip(useful, model.layers, strict=True)):
            self.heads += [Head(model, i, h, written) for h in heads]
            for tensor in (*(h["output"] for h in heads), out):
                written = written | tensor.any(axis=1)
        varies = written | (model.position != 0)
        for table in model.embedding:
            varies |= table.any(axis=0)
        self.constant, constants = ~varies, np.where(varies, 0, model.bias)
        first = 0
        for heads, (_, *neurons) in zip(useful, model.layers, strict=True):
            numbers = range(first, first := first + len(heads))
            self.layers.append(Layer(numbers, *neurons, constants))
        self.outputs = [self._output(p, t, constants) for p, t in enumerate(model.output)]
        self.ranges = [ranges for _, _, ranges in self.live({})[0]]  # whatever the row

    def _output(self, part, table, constants):
        """Forms x, d, c such that the logit of v exceeds that of v - 1 by 2 (x - v d - v^2 c) + 1.

        Odd and, for d, c >= 0, falling in v: the argmax is the largest v that it is positive for.
        """
        increments = np.diff(table, axis=0)
        v = np.arange(1, len(table))[:, None]
        shape = np.hstack([2 + 0 * v, -2 * v, -2 * v * v])
        lanes = np.flatnonzero(increments.any(axis=0) & ~self.constant)
        columns = np.column_stack([increments[:, lanes], increments @ constants - 1])
        fit = np.rint(np.linalg.lstsq(shape.astype(float), columns, rcond=None)[0] * 2) / 2
        if (shape @ fit != columns).any():
            raise RefusedError(f"output {self.model.parts[part]}: not a parabola")
        if (fit != np.rint(fit)).any():
            raise RefusedError(f"output {self.model.parts[part]}: ties are possible")
        if len(table) != 256 and (fit[1:] != [[0] * len(lanes) + [n] for n in (1, 0)]).any():
            raise RefusedError(f"output {self.model.parts[part]}: a quotient's digit is no byte")
        return [
            ([(int(lane), int(w)) for lane, w in zip(lanes, row, strict=False) if w], int(row[-1]))
            for row in fit
        ]

    def live(self, fixed):
        """Per layer: neurons that matter, lanes that are erased, ranges of lanes after it."""
        last, stages, live, heads = self.model.context - 1, [], [], set()
        low, high = self.own.ends(OWN, fixed, last)
        for layer in self.layers:
            for h in layer.heads:
                ends = self.heads[h].reads.ends(h, fixed, last)
                low[self.heads[h].lanes] += ends[0]
                high[self.heads[h].lanes] += ends[1]
            stages.append(layer.live(low, high))
            low, high = (end.copy() for end in stages[-1][2])
        needed = low != low
        for forms in self.outputs:
            needed[[lane for terms, _ in forms for lane, _ in terms]] = True
        for layer, (active, erased, ranges) in zip(self.layers[::-1], stages[::-1], strict=True):
            used, lanes = layer.needs(active, needed)
            live.append((np.flatnonzero(used), erased, ranges))
            needed = (needed & ~erased) | lanes
            here = [h for h in layer.heads if needed[self.heads[h].lanes].any()]
            heads.update(here)
            for h in here:
                needed |= (self.heads[h].query != 0).any(axis=0)
        return live[::-1], np.flatnonzero(needed), heads

    # The step as functions

    def evaluate(self, fixed, algebra):
        """Forms x, d, c of every output, and the forms of the queries of the heads that matter."""
        live, lanes, heads = self.live(fixed)
        now = {lane: self.own.poly(lane, OWN, algebra) for lane in lanes.tolist()}
        queries = {}
        for layer, (neurons, erased, _), ranges in zip(self.layers, live, self.ranges, strict=True):
            here = [h for h in layer.heads if h in heads]
            for h in here:
                queries[h] = [form(row, now) for row in self.heads[h].rows]
            for h in here:
                head = self.heads[h]
                for i, lane in enumerate(head.lanes.tolist()):
                    now[lane] = plus(now.get(lane, {}), head.reads.poly(i, h, algebra))
            added = self._neurons(layer, neurons.tolist(), now, algebra)
            now = {lane: {} if erased[lane] else poly for lane, poly in now.items()}
            for lane, poly in added.items():
                now[lane] = plus(now.get(lane, {}), poly)
            for lane, poly in now.items():
                now[lane] = algebra.short(poly, [int(end[lane]) for end in ranges])
        low, high = live[-1][2]
        for forms in self.outputs:
            for terms, offset in forms[1:]:  # d >= 0 and c >= 0
                if offset + sum(w * (low if w > 0 else high)[lane] for lane, w in terms) < 0:
                    raise RefusedError("logits may be convex")
        outputs = [
            [plus(form(terms, now), number(offset)) for terms, offset in forms]
            for forms in self.outputs
        ]
        return outputs, queries

    @staticmethod
    def _neurons(layer, neurons, now, algebra):
        """What neurons add to each lane."""
        added, groups = {}, {}
        for n in neurons:
            gate, value = form(layer.gate.terms[n], now), form(layer.value.terms[n], now)
            low, high = algebra.bounds(gate)
            if high <= 0 or not value:  # relu(gate) is 0
                continue
            algebra.spend(len(gate) + len(value))
            if low >= 0:  # relu(gate) is the gate
                total = algebra.product(number(low) if low == high else gate, value)
                for lane, weight in layer.out.terms[n]:
                    added[lane] = plus(added.get(lane, {}), total, weight)
                continue
            z = {m: c for m, c in gate.items() if m}
            first = algebra.opened(z) if algebra.table.open else z  # from its first atom on
            sign = 1 if first[min(first)] > 0 else -1
            by_lane = groups.setdefault((frozen(scaled(z, sign)), frozen(value)), {})
            for lane, weight in layer.out.terms[n]:
                by_lane.setdefault(lane, []).append((sign, gate.get((), 0), weight))
        for (z, value), by_lane in sorted(groups.items(), key=lambda item: item[0]):
            bends = {}
            for lane, corners in by_lane.items():
                same = tuple(corners)
                if same not in bends:
                    bends[same] = algebra.product(algebra.bend(dict(z), same), dict(value))
                algebra.spend(len(bends[same]))
                added[lane] = plus(added.get(lane, {}), bends[same])
        return added


def form(terms, now):
    """A weighted sum of lanes."""
    return linear((weight, now.get(lane, {})) for lane, weight in terms)
