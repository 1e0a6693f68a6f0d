"""What was proved of a model: every row it can be in, word by word, and the heads.

A certificate is derived from the tensors alone. It uses rows of the user's cache only on request.
It is checked in two ways: derived once more, it must be the same; and its formulas must give what
the dense weights give, for random words of the token itself and of whatever the heads attend to.
"""

import hashlib
import random
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from transputer.engines.lifted.decoder.circuit import OWN, LiftedCircuit
from transputer.engines.lifted.decoder.lifting import Chosen, Lifting, lifting
from transputer.engines.lifted.decoder.rows import Lifter, RowLeaf, Tree, leaves
from transputer.engines.lifted.decoder.store import dumped
from transputer.model import Model, Token, digest

Progress = Callable[[int], None]
#: Words that are tried more often than others.
EDGES = (
    *(0, 1, 2, 3, 4, 255, 256, 257, 0xFFFF, 0x10000, 2**24 - 1, 2**31 - 1, 2**31, 2**32 - 1),
    *(2**32, 2**48 - 1, 2**52, 2**63 - 1, 2**63, 2**64 - 1),
)


@dataclass(frozen=True)
class RowProof:
    """A row: its controls, how many leaves its tree has, and how its words are known.

    `words` are formulas proved for all inputs, `guarded` ones proved where a check at run time
    holds, `digits` words that are computed digit by digit, exactly but not as one formula.
    Leaves that end a run are not counted. `sha256` is that of all formulas.
    """

    controls: Chosen
    leaves: int
    words: int
    guarded: int
    digits: int
    sha256: str


@dataclass(frozen=True)
class DecoderCertificate:
    """What was proved of a model, and what was not."""

    model: str
    rows: list[RowProof]
    heads: int
    lookups: int
    neurons: int
    used: int
    proved: int
    open_rows: list[str] = field(default_factory=list)
    open_neurons: list[str] = field(default_factory=list)

    @property
    def words(self) -> int:
        """Formulas proved."""
        return sum(row.words for row in self.rows)

    def as_json(self) -> dict[str, Any]:
        """For a file."""
        return asdict(self)


def certify(
    model: Model, stops: frozenset[int], progress: Progress | None = None, fresh: bool = True
) -> DecoderCertificate:
    """Lifts every row that can be reached; `Unsupported` where heads or outputs are not lifted.

    A row that takes too many terms is an open one, and so is what only it leads to. Without
    `fresh`, rows may come from the package and from the user's cache.
    """
    lifted = lifting(model, stops, fresh=fresh)
    circuit, lifter = lifted.lifter.circuit, lifted.lifter
    rows: list[RowProof] = []
    open_rows: list[str] = []
    used: dict[tuple[int, int], bool] = {}
    for number, (fixed, tree) in enumerate(lifted.reachable()):
        proved = False
        if tree is not None:
            rows.append(row_proof(lifter, stops, fixed, tree))
            proved = rows[-1].digits == 0
        if not proved:
            open_rows.append(_named(fixed))
        live, _, _ = circuit._live(circuit.open(dict(fixed)))
        for layer, neurons in enumerate(live):
            for n in neurons.tolist():
                used[layer, n] = used.get((layer, n), True) and proved
        if progress is not None:
            progress(number + 1)
    names = _groups(model)
    return DecoderCertificate(
        digest(model),
        rows,
        len(circuit.heads),
        len(lifter.keys),
        sum(len(layer.gate) for layer in model.layers),
        len(used),
        sum(used.values()),
        open_rows,
        sorted({names(*place) for place, whole in used.items() if not whole}),
    )


def _named(controls: Chosen) -> str:
    return " ".join(f"{source}.{part}={value}" for (source, part), value in controls)


def _groups(model: Model) -> Callable[[int, int], str]:
    """What a neuron is called: the hints' name of its group, if there is one."""
    hints: list[dict[str, Any]] = list(model.hints.get("neurons", []))

    def name(layer: int, neuron: int) -> str:
        for group in hints:
            first = group["first"]
            if group["layer"] == layer and first <= neuron < first + group["count"]:
                return f"layer {layer}: {group['group']}"
        return f"layer {layer}: neuron {neuron}"

    return name


def row_proof(lifter: Lifter, stops: frozenset[int], fixed: Chosen, tree: Tree) -> RowProof:
    """How the words of a row are known."""
    ends = [leaf for leaf in leaves(tree) if not _ends(lifter, stops, leaf)]
    words = [word for leaf in ends for word in leaf.words]
    return RowProof(
        fixed,
        sum(1 for _ in leaves(tree)),
        sum(word.lifted and word.guard is None for word in words),
        sum(word.lifted and word.guard is not None for word in words),
        sum(not word.lifted for word in words),
        hashlib.sha256(dumped(tree).encode()).hexdigest(),
    )


def _ends(lifter: Lifter, stops: frozenset[int], leaf: RowLeaf) -> bool:
    return any(leaf.words[lifter.words.place[p][0]].expr.value({}) for p in stops)


# Checking against the dense weights


def disagreement(lifted: Lifting, fixed: Chosen, tree: Tree, rng: random.Random) -> str | None:
    """How the formulas of a row and the weights differ on random tokens; None if they agree."""
    circuit, lifter = lifted.lifter.circuit, lifted.lifter
    tokens = {
        source: _token(circuit, lifter, source, dict(fixed), rng)
        for source in range(OWN, len(circuit.heads))
    }
    wanted = _dense(circuit, tokens)
    known = {
        (source, g): sum(token[p] << 8 * d for d, p in enumerate(parts))
        for source, token in tokens.items()
        for g, parts in enumerate(lifter.groups)
    }
    while not isinstance(tree, RowLeaf):
        tree = tree.yes if tree.condition.value(known) else tree.no
    for g, (word, parts) in enumerate(zip(tree.words, lifter.groups, strict=True)):
        if word.guard is not None and not word.guard.value(known):
            continue
        right = sum(wanted[p] << 8 * d for d, p in enumerate(parts))
        if word.expr.value(known) != right:
            return f"{_named(fixed)}: word {g} is {right}, not {word.expr.value(known)}"
    return None


def _token(
    circuit: LiftedCircuit,
    lifter: Lifter,
    source: int,
    fixed: dict[tuple[int, int], int],
    rng: random.Random,
) -> Token:
    values = [0] * len(circuit.model.parts)
    for parts in lifter.groups:
        number = (
            rng.choice(EDGES)
            if rng.random() < 0.6
            else rng.getrandbits(64) >> rng.choice((0, 0, 32))
        )
        for d, p in enumerate(parts):
            values[p] = (number >> 8 * d & 255) % circuit.model.parts[p].size
            values[p] = fixed.get((source, p), values[p])
    return tuple(values)


def _dense(circuit: LiftedCircuit, tokens: dict[int, Token]) -> Token:
    """The next token by the weights themselves, if heads attend to these tokens."""
    model = circuit.model
    x = model.bias + sum(t[v] for t, v in zip(model.embeddings, tokens[OWN], strict=True))
    for number, layer in enumerate(model.layers):
        for h in circuit.by_layer[number]:
            user, token = circuit.heads[h], tokens[h]
            for lane, read in zip(user.lanes.tolist(), user.reads, strict=True):
                x[lane] += read.constant + sum(int(t[token[p]]) for p, t in read.tables.items())
        x = x + layer.out @ (np.maximum(layer.gate @ x, 0.0) * (layer.value @ x))
    return tuple(int(np.argmax(table @ x)) for table in model.outputs)


def check(
    model: Model, stops: frozenset[int], samples: int = 12, seed: int = 1, fresh: bool = True
) -> list[str]:
    """Where formulas and weights differ, over random tokens for every row; nothing if nowhere."""
    lifted, rng = lifting(model, stops, fresh=fresh), random.Random(seed)
    problems = []
    for fixed, tree in lifted.reachable():
        for _ in range(samples if tree is not None else 0):
            assert tree is not None
            if problem := disagreement(lifted, fixed, tree, rng):
                problems.append(problem)
                break
    return problems
