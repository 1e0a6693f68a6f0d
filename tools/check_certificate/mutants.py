"""Break weights and formulas one at a time: the checker must reject each, or prove what it is.

    python tools/check_certificate/mutants.py MODEL CERTIFICATE [--count 50] [--json FILE]

A mutant is made for a row that is proved unbroken. Odd ones break a weight of a neuron that
matters for the row (it is set to 0 or negated) or, every eighth, any other weight; even ones change
a number of a formula of the row by one, or swap an operation for another. Verdicts:

    refused      the model or the certificate does not load
    not proved   the row is not proved any more
    refuted      the row is not proved, and a random token shows that it is wrong
    proved       the row is proved: the mutant computes what its formulas say
"""

import argparse
import copy
import json
import lzma
import random
from collections import Counter
from pathlib import Path

import numpy as np
from certificate import Certificate
from network import Model, Network, RefusedError
from rows import NotProvedError, check_row, leaves
from sampled import refuted

CYCLES = (
    ("and", "or", "xor"),
    ("shl", "shr", "sar", "rotl", "rotr"),
    ("ge", "eq"),
    ("floor", "mod"),
)
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
    """Break a weight of a live neuron (any other weight without `live`); return where it is."""
    if live is None:
        named = tensors(model)
        name = rng.choices([*named], [np.count_nonzero(t) for t in named.values()])[0]
        tensor = named[name]
        place = tuple(rng.choice(np.argwhere(tensor)).tolist())
    else:
        layer, neuron = rng.choice([(i, n) for i, (ns, *_) in enumerate(live) for n in ns.tolist()])
        kind = rng.choice((1, 2, 3))
        tensor, name = (
            model.layers[layer][kind],
            f"layer{layer}.{('gate', 'value', 'out')[kind - 1]}",
        )
        lanes = np.flatnonzero(tensor[:, neuron] if kind == 3 else tensor[neuron])
        lane = int(rng.choice(lanes))
        place = (lane, neuron) if kind == 3 else (neuron, lane)
    how = rng.choice(("zero", "negate"))
    tensor[place] = 0 if how == "zero" else -tensor[place]
    return f"{name}{list(place)} {how}"


def break_formula(content, entry, rng):
    """Break a node that a word of a row needs; return what was done."""
    nodes, todo, used = content["nodes"], [w[0] for ws in leaves(entry["tree"]) for w in ws], set()
    while todo:
        n = todo.pop()
        if n not in used:
            used.add(n)
            todo += nodes[n][1]
    n = rng.choice(sorted(n for n in used if nodes[n][0] in SWAPS or nodes[n][2]))
    kind, parts, data = nodes[n]
    if kind in SWAPS and rng.random() < 0.5:
        nodes[n] = [SWAPS[kind], parts, data]
    else:
        k = rng.randrange(len(data))
        data[k] += rng.choice((-1, 1))
    return f"node {n}: {kind} becomes {nodes[n][0]} {nodes[n][2] if len(data) < 9 else ''}"


def check(network, content, number, rng):
    """What the checker says of a row, and why."""
    try:
        certificate = Certificate(content, network)
        entry = certificate.rows[number]
        check_row(network, certificate, entry)
        return "proved", ""
    except NotProvedError as problem:
        why = str(problem)
    except (RefusedError, LookupError, ValueError, TypeError) as problem:
        return "refused", str(problem)
    try:
        token = refuted(network, certificate, entry, rng, 4)
    except (LookupError, ValueError, ArithmeticError):
        token = None  # the formula has no value
    return ("refuted", token) if token else ("not proved", why)


def verdict(contents, content, number, whole):
    """A broken model or certificate: where, the row, the verdict, and why."""
    rng = random.Random(number)
    while True:
        row = rng.randrange(len(content["rows"]))
        if check(whole, content, row, rng)[0] == "proved":
            break
    entry, network = content["rows"][row], whole
    fixed = {(source, part): value for source, part, value in entry["fixed"]}
    if number % 2:
        model = Model(contents)
        where = break_weight(model, rng, None if number % 8 == 1 else whole.live(fixed)[0])
        try:
            network = Network(model)
        except RefusedError as problem:
            return where, entry["fixed"], "refused", str(problem)
    else:
        content = {**content, "nodes": copy.deepcopy(content["nodes"])}
        where = break_formula(content, entry, rng)
    return where, entry["fixed"], *check(network, content, row, rng)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("certificate")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    contents = Path(options.model).read_bytes()
    content = json.loads(lzma.decompress(Path(options.certificate).read_bytes()))
    results, whole = [], Network(Model(contents))
    for number in range(options.count):
        results.append(verdict(contents, content, number, whole))
        print(number, *results[-1], flush=True)
        if options.json:
            options.json.write_text(json.dumps(results, indent=0))
    print(dict(Counter(result[2] for result in results)))


if __name__ == "__main__":
    main()
