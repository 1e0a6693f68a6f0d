"""True circuits of small programs: which heads and neuron groups compute a result.

`python -m tools.interpretability.circuits --out docs/interpretability/circuits.json`

A program is one instruction on its arguments. The circuit is that of the forward pass that executes
it, and of the bytes of its result. A node is a head, or the neurons of one group in one layer. The
truth is a dynamic slice of the weights: a node belongs to the circuit if some column of it differs
between runs on different arguments, and writes to a lane that is needed further on; the lanes that
it reads and that differ are then needed before it. Numbers are integers, so that nothing here is a
matter of thresholds.
"""

import argparse
import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

import transputer as tp
from transputer.engines.torch.decoder import network_weights
from transputer.engines.torch.network import KeyValueCache, Network
from transputer.engines.torch.probe import Probe
from transputer.exporters.hf import group_tables
from transputer.machines.trace.packed import NAMES
from transputer.machines.trace.universal import model as trace_model
from transputer.runtime.trace.pack import ProgramPrompt

#: Instruction, its parameters and its result.
PROGRAMS = {
    "i32.add": "i32 i32:i32", "i32.sub": "i32 i32:i32", "i32.mul": "i32 i32:i32",
    "i32.and": "i32 i32:i32", "i32.or": "i32 i32:i32", "i32.xor": "i32 i32:i32",
    "i32.shl": "i32 i32:i32", "i32.shr_u": "i32 i32:i32", "i32.rotl": "i32 i32:i32",
    "i32.lt_s": "i32 i32:i32", "i32.ge_u": "i32 i32:i32", "i32.clz": "i32:i32",
    "i32.ctz": "i32:i32", "i32.popcnt": "i32:i32", "i32.extend8_s": "i32:i32",
    "i64.add": "i64 i64:i64", "i64.sub": "i64 i64:i64", "i64.mul": "i64 i64:i64",
    "i64.shl": "i64 i64:i64", "select": "i32 i32 i32:i32",
}  # fmt: skip
PAIRS = 8
VALUE = [NAMES.index(f"value{i}") for i in range(8)]


@dataclass(frozen=True)
class Node:
    """Columns of one hook point: a head, or the neurons of a group in a layer."""

    name: str
    layer: int
    heads: bool
    columns: tuple[int, ...]

    @property
    def hook(self) -> str:
        """The module of the hook point."""
        inner = "heads.hook_read" if self.heads else "neurons.hook_neurons"
        return f"layers.{self.layer}.{inner}"


def network() -> tuple[Network, Probe]:
    """Return the trace machine as a network, with the names of its groups."""
    model = trace_model()
    shape, tensors = network_weights(model)
    module = Network(shape, "softmax")
    module.load_state_dict({name: torch.tensor(a) for name, a in tensors.items()}, assign=True)
    module.requires_grad_(False)
    return module, Probe(module, group_tables(model))


def nodes(probe: Probe) -> list[Node]:
    """Return every node, in the order of the layers."""
    merged: dict[tuple[int, bool, str], list[int]] = {}
    for name, places in probe.places.items():
        for place in places:
            layer, heads = int(place.hook.split(".")[1]), ".heads." in place.hook
            label = f"layer {layer} {'head' if heads else 'neurons'} {name.split('.', 1)[1]}"
            merged.setdefault((layer, not heads, label), []).extend(place.columns)
    return [
        Node(label, layer, not neurons, tuple(columns))
        for (layer, neurons, label), columns in sorted(merged.items())
    ]


def text_of(name: str, types: str) -> str:
    """Return the module whose function `f` applies one instruction."""
    params, result = types.split(":")
    gets = " ".join(f"local.get {i}" for i in range(len(params.split())))
    return f'(module (func (export "f") (param {params}) (result {result}) {gets} {name}))'


@dataclass(frozen=True)
class Case:
    """A run up to the token whose forward pass executes the instruction."""

    tokens: Tensor  # (time, parts)

    @property
    def last(self) -> Tensor:
        """The token that executes the instruction, as a batch of one."""
        return self.tokens[None, -1:]


def cases(net: Network, name: str, types: str, count: int, seed: int) -> list[Case]:
    """Return runs on random arguments."""
    rng = random.Random(f"{seed} {name}")
    params = types.split(":")[0].split()
    program = tp.compile(source=text_of(name, types), kind="wat")
    start = ProgramPrompt(program, "f", len(params)).start()  # type: ignore[arg-type]
    runs = []
    for _ in range(count):
        args = [rng.getrandbits(64 if kind == "i64" else 32) for kind in params]
        if name == "select":
            args[2] = rng.getrandbits(1)
        tokens = torch.tensor(start.tokens(args))
        cache = KeyValueCache(net)
        with torch.no_grad():
            following = net.predict(tokens[None], cache)
            steps = [following[0]]
            for _ in range(len(params) - 1):
                following = net.predict(following[:, None], cache)
                steps.append(following[0])
        runs.append(Case(torch.cat([tokens, torch.stack(steps)])))
    return runs


def before(net: Network, case: Case) -> KeyValueCache:
    """Return the keys and values of all tokens but the last."""
    cache = KeyValueCache(net)
    with torch.no_grad():
        net.hidden(case.tokens[None, :-1], cache)
    return cache


def activations(net: Network, probe: Probe, case: Case) -> tuple[dict[str, Tensor], Tensor]:
    """Return what passes each hook point at the last token, and the logits after it."""
    cache = before(net, case)
    with torch.no_grad(), probe.cache() as seen:
        logits = net.logits(net.hidden(case.last, cache))[0, -1]
    return {name: tensor[0, -1] for name, tensor in seen.items()}, logits


def true_circuit(net: Network, probe: Probe, runs: list[Case]) -> list[str]:
    """Return the names of the nodes of the dynamic slice over all runs."""
    records = [activations(net, probe, case)[0] for case in runs]
    first = records[0]
    differs = {
        name: torch.stack([(r[name] != first[name]) for r in records]).any(0) for name in first
    }
    output = net.output
    used = torch.zeros(output.weight.size(1), dtype=torch.bool)
    most = net.beyond.size(1)
    for part in VALUE:
        used[part * most : (part + 1) * most] = True
    needed = torch.zeros(net.bias.size(0), dtype=torch.bool)
    needed[output.lanes[(output.weight[:, used] != 0).any(1)]] = True
    needed &= differs[f"layers.{len(net.layers) - 1}.hook_post"]
    members: list[str] = []
    for layer in reversed(range(len(net.layers))):
        for heads in (False, True):
            block = net.layers[layer].heads if heads else net.layers[layer].neurons
            if block is None:
                continue
            source = differs[f"layers.{layer}.{'hook_pre' if heads else 'hook_mid'}"]
            here = [n for n in nodes(probe) if n.layer == layer and n.heads == heads]
            before_block = needed & source
            writes = block.output if heads else block.out
            for node in here:
                columns = torch.tensor(node.columns)
                active = columns[differs[node.hook][columns]]
                if not len(active):
                    continue
                lanes = writes.lanes[(writes.weight[active] != 0).any(0)]
                if not needed[lanes].any():
                    continue
                members.append(node.name)
                hits = active[(writes.weight[active][:, needed[writes.lanes]] != 0).any(1)]
                before_block = before_block | (_read_by(block, node, hits, len(needed)) & source)
            needed = before_block
    return sorted(members)


def _read_by(block: Any, node: Node, columns: Tensor, width: int) -> Tensor:
    """Return the lanes that columns of a node are computed from, at this position."""
    read = torch.zeros(width, dtype=torch.bool)
    if node.heads:
        heads, rows, _ = block.shape
        numbers = block.owners[columns].unique()
        at = torch.cat([torch.arange(h * rows, (h + 1) * rows) for h in numbers.tolist()])
        matrices = [(block.project, at), (block.project, 2 * heads * rows + columns)]
    else:
        matrices = [(block.gate, columns), (block.value, columns)]
    for matrix, at in matrices:
        read[matrix.lanes[(matrix.weight[:, at] != 0).any(1)]] = True
    return read


def main() -> None:
    """Write the circuits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.set_num_threads(1)
    net, probe = network()
    circuits = {}
    for name, types in PROGRAMS.items():
        runs = cases(net, name, types, 2 * PAIRS, args.seed)
        circuits[name] = {"types": types, "circuit": true_circuit(net, probe, runs)}
        print(name, len(circuits[name]["circuit"]), flush=True)
    data = {
        "command": f"python -m tools.interpretability.circuits --seed {args.seed}",
        "nodes": [node.name for node in nodes(probe)],
        "programs": circuits,
    }
    args.out.write_text(json.dumps(data, indent=1) + "\n")


if __name__ == "__main__":
    main()
