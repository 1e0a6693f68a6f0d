"""Train the adapter of `smollm2`: `python -m training.words_lm.train --gsm8k FILE --out DIR`.

The language model stays as it is; thin matrices beside its own and the rows of plan tokens are
trained to write plans. `--small` is the same in a minute on a CPU.
"""

import argparse
import json
import math
import random
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor
from torch.nn import functional as F

from training.words.dataset import PAD
from training.words_lm import dataset
from training.words_lm.measure import score
from transputer.frontends.words.embedded.network import TOKENS
from transputer.frontends.words.smollm import checkpoint
from transputer.frontends.words.smollm.network import Rank, SmolNetwork, trained
from transputer.frontends.words.smollm.prompt import EXTRA

#: Texts of about the same length go together, this many pieces in a batch.
STEP, PIECES, FEW = 8, 8_000, 512


def options() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gsm8k", type=Path, help="GSM8K's training set, jsonl")
    parser.add_argument("--svamp", type=Path, help="problems to validate on, json")
    parser.add_argument("--mawps", type=Path, help="problems to keep apart from, csv")
    parser.add_argument("--out", type=Path, required=True, help="where the results go")
    parser.add_argument("--examples", type=int, default=600_000)
    parser.add_argument("--repeat", type=int, default=10, help="how often GSM8K counts")
    parser.add_argument("--epochs", type=float, default=2.0)
    parser.add_argument("--rate", type=float, default=6e-4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1e9, help="stop training after")
    parser.add_argument("--small", action="store_true", help="little of everything, on a CPU")
    return parser.parse_args()


class Batches:
    """Problems on the device, in batches of texts of about the same length."""

    def __init__(self, data: dataset.Arrays, device: str, most: int) -> None:
        self.device, self.most = device, most
        self.ids = torch.from_numpy(data.ids.astype(np.int32)).to(device)
        self.plans = torch.from_numpy(data.plans).to(device)
        self.lengths = torch.from_numpy(data.lengths.astype(np.int64)).to(device)
        self.rows = [
            (top, np.flatnonzero((data.lengths > top - STEP) & (data.lengths <= top)))
            for top in range(STEP, dataset.LONGEST + STEP, STEP)
        ]

    def __len__(self) -> int:
        return sum(math.ceil(len(rows) * top / self.most) for top, rows in self.rows)

    def epoch(self, rng: random.Random) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
        """Every problem once, in random order."""
        places = []
        for top, rows in self.rows:
            mixed = np.random.default_rng(rng.getrandbits(32)).permutation(rows)
            size = max(1, self.most // top)
            places += [(top, mixed[at : at + size]) for at in range(0, len(mixed), size)]
        rng.shuffle(places)
        for top, chosen in places:
            index = torch.from_numpy(chosen).to(self.device)
            yield self.ids[index, :top].long(), self.lengths[index], self.plans[index].long()


def joined(ids: Tensor, lengths: Tensor, plans: Tensor, own: int) -> tuple[Tensor, Tensor]:
    """Texts with their plans behind them, and where each plan's tokens are foretold."""
    known = plans != PAD
    longest = int(known.sum(1).max())
    places = lengths[:, None] - 1 + torch.arange(longest, device=ids.device)
    whole = F.pad(ids, (0, longest))
    tokens = torch.where(known, plans, 0)[:, :longest] + own
    whole = whole.scatter(1, places + 1, torch.where(known[:, :longest], tokens, 0))
    return whole, places


def loss_of(network: SmolNetwork, ids: Tensor, lengths: Tensor, plans: Tensor) -> Tensor:
    """Cross entropy of the plans' tokens among all tokens of plans."""
    whole, places = joined(ids, lengths, plans, len(network.embedding))
    state = network.states(whole)[0][-1]
    at = state.gather(1, places[..., None].expand(-1, -1, state.shape[-1]))
    target = plans[:, : places.shape[1]]
    known = target != PAD
    scores = network.scores(at[known])[:, : len(TOKENS)]
    return F.cross_entropy(scores.float(), target[known])


def fit(
    network: SmolNetwork, data: dataset.Arrays, args: argparse.Namespace, device: str
) -> list[dict[str, float]]:
    """Trains the adapter; what the loss was on the way."""
    rng = random.Random(args.seed)
    parameters = [p for p in network.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(parameters, args.rate, weight_decay=0.0, fused=device == "cuda")
    batches = Batches(data, device, FEW if args.small else PIECES)
    steps = 4 if args.small else max(1, int(args.epochs * len(batches)))
    started = time.monotonic()

    def factor(step: int) -> float:
        done = max(step / steps, (time.monotonic() - started) / args.seconds)
        return min(1.0, (step + 1) / (0.03 * steps)) * 0.5 * (1 + math.cos(math.pi * min(1, done)))

    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, factor)
    curve: list[dict[str, float]] = []
    step, total, every = 0, torch.zeros((), device=device), max(1, steps // 40)
    while step < steps and time.monotonic() - started < args.seconds:
        for batch in batches.epoch(rng):
            with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
                loss = loss_of(network, *batch)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            schedule.step()
            total += loss.detach()
            step += 1
            over = step == steps or time.monotonic() - started >= args.seconds
            if step % every == 0 or over:
                seconds = round(time.monotonic() - started, 1)
                count = every if step % every == 0 else step % every
                curve.append({"step": step, "loss": float(total) / count, "seconds": seconds})
                print(json.dumps(curve[-1]), f"of {steps}", flush=True)
                total.zero_()
            if over:
                break
    return curve


def main() -> None:
    """Everything: problems, training, accuracies, the adapter."""
    args = options()
    if args.small:
        args.examples, args.repeat = min(args.examples, 2000), 0
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_float32_matmul_precision("high")
    torch.manual_seed(args.seed)
    args.out.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    found = checkpoint.read(checkpoint.find())
    cases, gsm8k, apart = dataset.sets(args.svamp, args.mawps, args.gsm8k)
    parts = [dataset.generate(args.examples, 2, args.workers, apart, found.tokenizer)]
    parts += [dataset.arrays(gsm8k, found.tokenizer)] * args.repeat
    data = dataset.together(parts)
    print(f"{len(data):,} problems in {time.monotonic() - started:.0f} s", flush=True)
    network = SmolNetwork(found, Rank(), EXTRA).to(device)
    curve = fit(network, data, args, device)
    weights = {n: w.half().cpu().contiguous() for n, w in trained(network).items()}
    save_file(weights, args.out / "adapter.safetensors")
    most = 5 if args.small else 10**9
    right = {
        name: score(network, found.tokenizer, rows[:most], device) for name, rows in cases.items()
    }
    options_used = {k: v for k, v in vars(args).items() if not isinstance(v, Path)}
    report = {"problems": len(data), "options": options_used, "curve": curve, "greedy": right}
    (args.out / "train.json").write_text(json.dumps(report, indent=1) + "\n")
    print(json.dumps(right), f"{time.monotonic() - started:.0f} s in all")


if __name__ == "__main__":
    main()
