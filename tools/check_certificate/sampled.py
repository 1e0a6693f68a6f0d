"""Compare formulas with the dense weights on random tokens: refutes, and never proves."""

import numpy as np
from formulas import WEIGHTS
from network import OWN

EDGES = (0, 1, 2, 3, 4, 255, 256, 0xFFFF, 2**24 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**32,
         2**52, 2**63 - 1, 2**63, 2**64 - 1)  # fmt: skip


def digit(x, d, c):
    return max((v for v in range(256) if v == 0 or x >= v * d + v * v * c), default=0)


def shifted(kind, value, amount, width):
    k = amount % width
    return sum(WEIGHTS[kind](width, i, k) for i in range(width) if value >> i & 1)


VALUE = {
    "num": lambda p, d: d[0],
    "sum": lambda p, d: sum(p),
    "scale": lambda p, d: p[0] * d[0],
    "product": lambda p, d: p[0] * p[1],
    "square": lambda p, d: max(p[0], 0) * p[0],
    "and": lambda p, d: p[0] & p[1],
    "or": lambda p, d: p[0] | p[1],
    "xor": lambda p, d: p[0] ^ p[1],
    "field": lambda p, d: p[0] >> d[0] & (1 << d[1]) - 1,
    "signed": lambda p, d: p[0] - ((p[0] >> d[0] - 1 & 1) << d[0]),
    "ones": lambda p, d: bin(p[0]).count("1"),
    "ge": lambda p, d: int(p[0] >= d[0]),
    "eq": lambda p, d: int(p[0] == d[0]),
    "not": lambda p, d: 1 - p[0],
    "matches": lambda p, d: int(
        all(x & m == v for x, m, v in zip(p, d[::2], d[1::2], strict=True))
    ),
    "floor": lambda p, d: p[0] // d[0],
    "mod": lambda p, d: p[0] % d[0],
    "clamp": lambda p, d: min(max(p[0], 0), d[0] - 1),
    "table": lambda p, d: d[p[0]],
    "digit": lambda p, d: digit(*p),
    **{k: lambda p, d, k=k: shifted(k, p[0], p[1], d[0]) for k in WEIGHTS},
}


def evaluated(nodes, n, words, memo):
    """The number that an expression is."""
    if n not in memo:
        kind, parts, data = nodes[n]
        if kind == "word":
            memo[n] = words[data[0], data[1]]
        else:
            memo[n] = VALUE[kind]([evaluated(nodes, p, words, memo) for p in parts], data)
    return memo[n]


def dense(network, tokens):
    """The next token by the weights, if heads attend to these tokens."""
    model = network.model
    x = model.bias + sum(e[v] for e, v in zip(model.embedding, tokens[OWN], strict=True))
    for layer in network.layers:
        gate, value, out = layer.dense
        for h in layer.heads:
            reads = network.heads[h].reads
            x[network.heads[h].lanes] += reads.constant + sum(
                table[tokens[h][p]] for p, table in reads.tables.items()
            )
        x = x + out @ (np.maximum(gate @ x, 0) * (value @ x))
    return [int(np.argmax(table @ x)) for table in model.output]


def refuted(network, certificate, entry, rng, samples):
    """A random token for which a formula is wrong, in words; None if there was none."""
    sizes, groups, nodes = network.model.sizes, certificate.groups, certificate.formulas.nodes
    fixed = {(source, part): value for source, part, value in entry["fixed"]}
    for _ in range(samples if entry["tree"] else 0):
        tokens, words = {}, {}
        for source in range(OWN, len(network.heads)):
            token = tokens[source] = [0] * len(sizes)
            for group in groups:
                number = rng.choice(EDGES) if rng.random() < 0.6 else rng.getrandbits(64)
                for d, p in enumerate(group):
                    token[p] = fixed.get((source, p), (number >> 8 * d & 255) % sizes[p])
            for g, group in enumerate(groups):
                words[source, g] = sum(token[p] << 8 * d for d, p in enumerate(group))
        tree, memo, decoded = entry["tree"], {}, dense(network, tokens)
        while len(tree) == 4:
            tree = tree[2] if evaluated(nodes, tree[0], words, memo) else tree[3]
        for g, (expr, guard, _) in enumerate(tree[0]):
            if guard >= 0 and not evaluated(nodes, guard, words, memo):
                continue
            right = sum(decoded[p] << 8 * d for d, p in enumerate(groups[g]))
            if evaluated(nodes, expr, words, memo) != right:
                return f"word {g} is {right}, not {evaluated(nodes, expr, words, memo)}"
    return None
