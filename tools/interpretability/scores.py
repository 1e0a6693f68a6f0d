"""Score methods of circuit discovery against the true circuits.

`python -m tools.interpretability.scores --circuits docs/interpretability/circuits.json --out
docs/interpretability/scores.json`

Both methods score every node by its effect on the logit difference between a clean and a corrupted
result, at the forward pass that executes the instruction: activation patching puts the corrupted
activation of a node into the clean run; attribution patching estimates that from one backward pass
(gradient times difference). A node's score is the mean of absolute effects over pairs. AUROC and
precision, recall and F1 at the threshold `score > 0` are per program.
"""

import argparse
import json
from contextlib import ExitStack
from pathlib import Path
from statistics import mean
from typing import Any

import torch
from torch import Tensor

from tools.interpretability.circuits import (
    PAIRS,
    PROGRAMS,
    VALUE,
    Case,
    Node,
    activations,
    before,
    cases,
    network,
    nodes,
)
from transputer.engines.torch.network import Network
from transputer.engines.torch.probe import Probe


def difference(logits: Tensor, clean: Tensor, corrupt: Tensor) -> Tensor:
    """The logits (…, parts, values) of the clean bytes minus those of the corrupted bytes."""
    picked = logits[..., VALUE, :]
    gap = picked.gather(-1, clean.expand(*picked.shape[:-1])[..., None]) - picked.gather(
        -1, corrupt.expand(*picked.shape[:-1])[..., None]
    )
    return gap.sum((-1, -2))


def patching(
    net: Network, probe: Probe, table: list[Node], clean: Case, corrupt: Case
) -> list[float]:
    """Effects of putting the corrupted activation of each node into the clean run, in one batch."""
    _, logits = activations(net, probe, clean)
    other, wrong = activations(net, probe, corrupt)
    right, bad = logits.argmax(-1)[VALUE], wrong.argmax(-1)[VALUE]
    rows: dict[str, list[tuple[int, Node]]] = {}
    for row, node in enumerate(table):
        rows.setdefault(node.hook, []).append((row, node))

    def hook_for(name: str) -> Any:
        def hook(module: Any, inputs: Any, output: Tensor) -> Tensor:
            output = output.clone()
            for row, node in rows[name]:
                output[row, -1, list(node.columns)] = other[name][list(node.columns)]
            return output

        return hook

    cache = before(net, clean).select([0] * len(table))
    handles = [net.get_submodule(name).register_forward_hook(hook_for(name)) for name in rows]
    try:
        with torch.no_grad():
            x = net.hidden(clean.last.expand(len(table), -1, -1), cache)
            patched = net.logits(x)[:, -1]
    finally:
        for handle in handles:
            handle.remove()
    base = difference(logits, right, bad)
    effects: list[float] = (difference(patched, right, bad) - base).abs().tolist()
    return effects


def attribution(
    net: Network, probe: Probe, table: list[Node], clean: Case, corrupt: Case
) -> list[float]:
    """Gradient times difference of activations, for each node, from one backward pass."""
    here, logits = activations(net, probe, clean)
    other, wrong = activations(net, probe, corrupt)
    right, bad = logits.argmax(-1)[VALUE], wrong.argmax(-1)[VALUE]
    cache = before(net, clean)
    deltas: dict[str, Tensor] = {}
    with ExitStack() as stack:
        for name in {node.hook for node in table}:
            delta = torch.zeros_like(here[name]).requires_grad_()
            deltas[name] = delta
            module = net.get_submodule(name)
            handle = module.register_forward_hook(lambda m, i, out, d=delta: out + d)
            stack.callback(handle.remove)
        with torch.enable_grad():
            after = net.logits(net.hidden(clean.last, cache))[0, -1]
            difference(after, right, bad).backward()
    effects = []
    for node in table:
        columns = list(node.columns)
        gradient = deltas[node.hook].grad
        assert gradient is not None
        change = (other[node.hook] - here[node.hook])[columns]
        effects.append(float((gradient[columns] * change).sum().abs()))
    return effects


MEASURES = ("auroc", "precision", "recall", "f1")
METHODS = {"activation patching": patching, "attribution patching": attribution}


def auroc(scores: list[float], truth: list[bool]) -> float:
    """The probability that a member scores higher than another node; ties count half."""
    inside = [s for s, t in zip(scores, truth, strict=True) if t]
    outside = [s for s, t in zip(scores, truth, strict=True) if not t]
    wins = sum((a > b) + 0.5 * (a == b) for a in inside for b in outside)
    return wins / (len(inside) * len(outside))


def at_zero(scores: list[float], truth: list[bool]) -> dict[str, float]:
    """Precision, recall and F1 of `score > 0`."""
    hits = sum(s > 0 and t for s, t in zip(scores, truth, strict=True))
    chosen, members = sum(s > 0 for s in scores), sum(truth)
    precision, recall = hits / max(1, chosen), hits / members
    f1 = 2 * hits / (chosen + members)
    return {"precision": precision, "recall": recall, "f1": f1}


def main() -> None:
    """Write the scores of both methods."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--circuits", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--pairs", type=int, default=PAIRS)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.set_num_threads(1)
    truth = json.loads(args.circuits.read_text())["programs"]
    net, probe = network()
    table = nodes(probe)
    results: dict[str, dict[str, dict[str, Any]]] = {name: {} for name in METHODS}
    for program, types in PROGRAMS.items():
        runs = cases(net, program, types, 2 * args.pairs, args.seed)
        members = [node.name in truth[program]["circuit"] for node in table]
        for method, function in METHODS.items():
            effects = [
                function(net, probe, table, runs[2 * i], runs[2 * i + 1]) for i in range(args.pairs)
            ]
            scores = [mean(column) for column in zip(*effects, strict=True)]
            results[method][program] = {
                "auroc": round(auroc(scores, members), 4),
                **{k: round(v, 4) for k, v in at_zero(scores, members).items()},
            }
            outside = zip(table, scores, members, strict=True)
            names = [node.name for node, score, member in outside if score > 0 and not member]
            results[method][program]["outside"] = names
            print(program, method, results[method][program], flush=True)
    means = {
        method: {k: round(mean(row[k] for row in rows.values()), 4) for k in MEASURES}
        for method, rows in results.items()
    }
    command = f"python -m tools.interpretability.scores --pairs {args.pairs} --seed {args.seed}"
    data = {"command": command, "means": means, "programs": results}
    args.out.write_text(json.dumps(data, indent=1) + "\n")


if __name__ == "__main__":
    main()
