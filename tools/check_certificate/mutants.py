"""Break weights and formulas one at a time: the checker must reject each, or prove what it is.

    python tools/check_certificate/mutants.py MODEL CERTIFICATE [--count 50] [--json FILE]
      [--report FILE]

A mutant is made for a row that is proved unbroken. Odd ones break a weight of a neuron that
matters for the row (it is set to 0 or negated) or, every eighth, any other weight; even ones change
a number of a formula of the row by one, or swap an operation for another. The row is checked, and,
as long as rows are proved, up to `OTHERS` more that the mutant touches: rows whose formulas use the
node, that compute with the neuron, or that read the weight from a token. Rows that it does not
touch compute what they compute in the unbroken model.
A row that is proved is compared with the dense weights on random tokens as well. Verdicts:

    refused      the model or the certificate does not load
    not proved   a row is not proved any more
    refuted      a row is not proved, and a random token shows that it is wrong
    proved       every row is proved: the mutant computes what its formulas say
    unsound      a row is proved, and a random token shows that it is wrong
"""

import argparse
import itertools
import json
import lzma
import random
import sys
from collections import Counter
from pathlib import Path

import numpy as np
from certificate import Certificate
from network import OWN, Model, Network, RefusedError
from rows import NotProvedError, check_row, leaves
from sampled import refuted

CYCLES = (
    ("and", "or", "xor"),
    ("shl", "shr", "sar", "rotl", "rotr"),
    ("ge", "eq"),
    ("floor", "mod"),
)
OTHERS = 4  # rows that are checked if those before are proved
SECONDS = 2  # of CPU time for each attempt at a row
SAMPLES = 4  # random tokens for each row
SWAPS = {a: b for kinds in CYCLES for a, b in zip(kinds, kinds[1:] + kinds[:1], strict=True)}


def tensors(model):
    """Every tensor of a model that is not of neurons, by name."""
    named = {"bias": model.bias, "position": model.position}
    for name, embedding, output in zip(model.parts, model.embedding, model.output, strict=True):
        named[f"embedding.{name}"], named[f"output.{name}"] = embedding, output
    for i, (heads, *_) in enumerate(model.layers):
        for h, head in enumerate(heads):
            named |= {f"layer{i}.head{h}.{name}": tensor for name, tensor in head.items()}
    return named


def break_weight(model, rng, live):
    """Break a weight of a live neuron (any other weight without `live`).

    Returns what was done, and the layer and the neuron or None.
    """
    neuron = None
    if live is None:
        named = tensors(model)
        name = rng.choices([*named], [np.count_nonzero(t) for t in named.values()])[0]
        tensor = named[name]
        place = tuple(rng.choice(np.argwhere(tensor)).tolist())
    else:
        layer, n = rng.choice([(i, n) for i, (ns, *_) in enumerate(live) for n in ns.tolist()])
        neuron, kind = (layer, n), rng.choice((1, 2, 3))
        tensor = model.layers[layer][kind]
        name = f"layer{layer}.{('gate', 'value', 'out')[kind - 1]}"
        lane = int(rng.choice(np.flatnonzero(tensor[:, n] if kind == 3 else tensor[n])))
        place = (lane, n) if kind == 3 else (n, lane)
    how = rng.choice(("zero", "negate"))
    tensor[place] = 0 if how == "zero" else -tensor[place]
    return f"{name}{list(place)} {how}", neuron


def nodes_of(nodes, entry):
    """The nodes that the words of a row need."""
    todo, used = [word[0] for words in leaves(entry["tree"]) for word in words], set()
    while todo:
        n = todo.pop()
        if n not in used:
            used.add(n)
            todo += nodes[n][1]
    return used


def break_formula(content, entry, rng):
    """Break a node that a word of a row needs; return what was done, and the node."""
    nodes = content["nodes"]
    n = rng.choice(sorted(n for n in nodes_of(nodes, entry) if nodes[n][0] in SWAPS or nodes[n][2]))
    kind, parts, data = nodes[n]
    if kind in SWAPS and rng.random() < 0.5:
        nodes[n] = [SWAPS[kind], parts, data]
    else:
        k = rng.randrange(len(data))
        nodes[n] = [kind, parts, [*data[:k], data[k] + rng.choice((-1, 1)), *data[k + 1 :]]]
    return f"node {n}: {kind} becomes {nodes[n][0]} {nodes[n][2] if len(data) < 9 else ''}", n


def inputs(network, fixed):
    """What a row reads of tokens and asks heads for, lane by lane, and the forms of outputs."""

    def read(reading, i, source):
        tables = reading.by_row[i].items()
        known = {p: t[fixed[source, p]] if (source, p) in fixed else t for p, t in tables}
        return int(reading.constant[i]), int(reading.position[i]), known

    _, lanes, heads = network.live(fixed)
    own = [read(network.own, lane, OWN) for lane in lanes.tolist()]
    others = [
        ([read(head.reads, i, h) for i in range(len(head.lanes))], head.rows)
        for h, head in enumerate(network.heads) if h in heads
    ]  # fmt: skip
    return own, others, network.outputs


def check(network, content, number, rng):
    """What the checker says of a row, and why."""
    try:
        certificate = Certificate(content, network)
        entry = certificate.rows[number]
        check_row(network, certificate, entry, SECONDS)
        answer, why = "proved", ""
    except NotProvedError as problem:
        answer, why = "not proved", str(problem)
    except (RefusedError, LookupError, ValueError, TypeError) as problem:
        return "refused", str(problem)
    try:
        token = refuted(network, certificate, entry, rng, SAMPLES)
    except (LookupError, ValueError, ArithmeticError):
        token = None  # the formula has no value
    if token:
        return ("unsound" if answer == "proved" else "refuted"), token
    return answer, why


def verdict(contents, original, number, whole, unbroken):
    """A broken model or certificate: what was done, the rows checked, the verdict, and why."""
    rng, content = random.Random(number), original

    def proved(n):
        if n not in unbroken:
            unbroken[n] = check(whole, original, n, rng)[0] == "proved"
        return unbroken[n]

    row = rng.randrange(len(content["rows"]))
    while not proved(row):
        row = rng.randrange(len(content["rows"]))
    fixed = [{(s, p): v for s, p, v in entry["fixed"]} for entry in content["rows"]]
    network = whole
    if number % 2:
        model = Model(contents)
        live = None if number % 8 == 1 else whole.live(fixed[row])[0]
        where, neuron = break_weight(model, rng, live)
        try:
            network = Network(model)
        except RefusedError as problem:
            return where, [row], "refused", str(problem)

        def touched(other):
            layer, n = neuron or (0, None)
            nets = (whole, network)
            if n is None:
                return inputs(whole, fixed[other]) != inputs(network, fixed[other])
            return any(n in net.live(fixed[other])[0][layer][0] for net in nets)
    else:
        content = {**original, "nodes": [*original["nodes"]]}
        where, node = break_formula(content, content["rows"][row], rng)

        def touched(other):
            return node in nodes_of(content["nodes"], content["rows"][other])

    others = (n for n in rng.sample(range(len(fixed)), len(fixed)) if n != row and touched(n))
    rows = []
    for n in itertools.chain([row], itertools.islice(others, OTHERS)):
        answer, why = check(network, content, n, rng)
        rows.append(n)
        if answer != "proved" and proved(n):
            return where, rows, answer, why
    return where, rows, "proved", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("certificate")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--report", type=Path, help="the checker's report on the unbroken rows")
    options = parser.parse_args()
    report = json.loads(options.report.read_text())["rows"] if options.report else []
    unbroken = {row["number"]: row["verdict"] in ("formulas", "points") for row in report}
    contents = Path(options.model).read_bytes()
    content = json.loads(lzma.decompress(Path(options.certificate).read_bytes()))
    results, whole = [], Network(Model(contents))
    for number in range(options.count):
        where, rows, answer, why = verdict(contents, content, number, whole, unbroken)
        results.append({"mutant": where, "rows": rows, "verdict": answer, "why": why})
        print(number, where, rows, answer, why, flush=True)
        if options.json:
            options.json.write_text(json.dumps(results, indent=0))
    counts = Counter(result["verdict"] for result in results)
    print(dict(counts))
    return int(bool(counts["unsound"]))


if __name__ == "__main__":
    sys.exit(main())
