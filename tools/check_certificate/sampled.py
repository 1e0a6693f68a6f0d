"""Compare formulas with the dense weights on random tokens: refutes, and never proves."""

import numpy as np
from algebra import Algebra, Atoms
from formulas import Claims
from network import OWN

EDGES = (0, 1, 2, 3, 4, 255, 256, 0xFFFF, 2**24 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**32,
         2**52, 2**63 - 1, 2**63, 2**64 - 1)  # fmt: skip


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


def random_tokens(network, certificate, entry, rng):
    """A token for each source, with the parts that a row fixes."""
    fixed = {(source, part): value for source, part, value in entry["fixed"]}
    sizes, tokens = certificate.sizes, {}
    for source in range(OWN, len(network.heads)):
        token = tokens[source] = [0] * len(sizes)
        for group in certificate.groups:
            number = rng.choice(EDGES) if rng.random() < 0.6 else rng.getrandbits(64)
            for d, p in enumerate(group):
                token[p] = fixed.get((source, p), (number >> 8 * d & 255) % sizes[p])
    return tokens


def refuted(network, certificate, entry, rng, samples):
    """A random token for which a formula is wrong, in words; None if there was none."""
    for _ in range(samples if entry["tree"] else 0):
        tokens, table = random_tokens(network, certificate, entry, rng), Atoms()
        parts = {(s, p): v for s, token in tokens.items() for p, v in enumerate(token)}
        claims = Claims(certificate, Algebra(table, certificate.decided(table, parts)))
        tree, decoded = entry["tree"], dense(network, tokens)
        while len(tree) == 4:
            tree = tree[2] if claims.poly(tree[0]) else tree[3]
        for g, (expr, guard, _) in enumerate(tree[0]):
            right = sum(decoded[p] << 8 * d for d, p in enumerate(certificate.groups[g]))
            if (guard < 0 or claims.poly(guard)) and claims.poly(expr).get((), 0) != right:
                return f"word {g} is {right}, not {claims.poly(expr).get((), 0)}"
    return None
