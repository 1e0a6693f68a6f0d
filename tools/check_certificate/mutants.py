"""Break weights one at a time; the checker must reject the certificate, or prove it all the same.

    python tools/check_certificate/mutants.py MODEL CERTIFICATE [--count 50] [--json FILE]

A weight is set to 0, or negated. Rows are checked in random order, those first that the weight can
matter for, until one is not proved; `--rows` bounds their number, and a mutant that passes them
all is reported as such, not as rejected.
"""

import argparse
import json
import lzma
import random
from collections import Counter
from pathlib import Path

import numpy as np
from certificate import Certificate
from network import Model, Network, RefusedError
from rows import NotProvedError, check_row
from sampled import refuted


def tensors(model):
    """Every tensor of a model, by name."""
    named = {"bias": model.bias, "position": model.position}
    for name, embedding, output in zip(model.parts, model.embedding, model.output, strict=True):
        named[f"embedding.{name}"], named[f"output.{name}"] = embedding, output
    for i, (heads, gate, value, out) in enumerate(model.layers):
        for h, head in enumerate(heads):
            named |= {f"layer{i}.head{h}.{name}": tensor for name, tensor in head.items()}
        named |= {f"layer{i}.gate": gate, f"layer{i}.value": value, f"layer{i}.out": out}
    return named


def broken(contents, rng):
    """A model with one broken weight, where it is, and the layer and neuron if it has one."""
    model = Model(contents)
    named = tensors(model)
    sizes = {name: np.count_nonzero(tensor) for name, tensor in named.items()}
    name = rng.choices([*sizes], [*sizes.values()])[0]
    tensor = named[name]
    place = tuple(int(i) for i in rng.choice(np.argwhere(tensor)))
    how = rng.choice(("zero", "negate"))
    tensor[place] = 0 if how == "zero" else -tensor[place]
    neuron = None
    layer, _, kind = name.partition(".")
    if kind in ("gate", "value", "out"):
        neuron = int(layer.removeprefix("layer")), place[1 if kind == "out" else 0]
    return model, f"{name}{list(place)} {how}", neuron


def proved(network, certificate, entry):
    """Why a row is not proved; None if it is."""
    try:
        check_row(network, certificate, entry)
    except (NotProvedError, RefusedError) as problem:
        return str(problem)
    return None


def verdict(contents, content, rng, most):
    """What the checker says of a broken model; rows that are not proved unbroken do not count."""
    model, where, neuron = broken(contents, rng)
    whole = Network(Model(contents))
    try:
        network = Network(model)
        certificate = Certificate(content, network)
    except RefusedError as problem:
        return where, "refused", str(problem)
    rows, checked = rng.sample(certificate.rows, len(certificate.rows)), 0
    for entry in rows:
        fixed = {(source, part): value for source, part, value in entry["fixed"]}
        if neuron and neuron[1] not in network.live(fixed)[0][neuron[0]][0]:
            continue
        checked += 1
        problem = refuted(network, certificate, entry, rng, 2)
        if problem:
            return where, "refuted", f"{entry['fixed']}: {problem}"
        problem = proved(network, certificate, entry)
        if problem and proved(whole, Certificate(content, whole), entry) is None:
            return where, "not proved", f"{entry['fixed']}: {problem}"
        if checked == most:
            break
    return where, "passed", f"{checked} rows that the weight can matter for"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("certificate")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--rows", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    contents = Path(options.model).read_bytes()
    content = json.loads(lzma.decompress(Path(options.certificate).read_bytes()))
    results = []
    for number in range(options.count):
        rng = random.Random(f"{options.seed} {number}")
        results.append(verdict(contents, content, rng, options.rows))
        print(number, *results[-1], flush=True)
        if options.json:
            options.json.write_text(json.dumps(results, indent=0))
    print(dict(Counter(result[1] for result in results)))


if __name__ == "__main__":
    main()
