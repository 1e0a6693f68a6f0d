"""Train the embedded model: `python -m training.words.train --minilm FILE --gsm8k FILE --out DIR`.

One command makes the problems, trains one model per seed, saves the curves and exports
quantised weights. `--small` is the same in seconds on a CPU.
"""

import argparse
import json
import math
import random
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from torch import Tensor
from torch.nn import functional as F

from training.words import dataset
from training.words.cases import Case, held_cases, measuring, svamp
from training.words.dataset import PAD, Arrays
from training.words.export import export
from training.words.grams import Apart
from training.words.measure import score
from training.words.model import Planner, Shape, adopt
from transputer.frontends.words.embedded.network import START
from transputer.frontends.words.embedded.wordpiece import vocabulary

#: The seed of the held-out paraphrases that choose between models; others measure them.
CHOOSING = 98
BUCKETS = (24, 32, 40, 48, 56, 64, 80, 96, 128, 192)
SMALL = Shape(width=48, encoder_layers=1, encoder_inner=64, decoder_layers=1, decoder_inner=64)


def options() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minilm", type=Path, help="pretrained encoder, safetensors")
    parser.add_argument("--gsm8k", type=Path, help="GSM8K's training set, jsonl")
    parser.add_argument("--svamp", type=Path, help="problems to validate on, json")
    parser.add_argument("--mawps", type=Path, help="problems to keep apart from, csv")
    parser.add_argument("--out", type=Path, required=True, help="where the results go")
    parser.add_argument("--examples", type=int, default=800_000)
    parser.add_argument("--repeat", type=int, default=14, help="how often GSM8K counts")
    parser.add_argument("--epochs", type=float, default=3.0)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--rate", type=float, default=1.5e-4, help="of the encoder")
    parser.add_argument("--decoder-rate", type=float, default=6e-4)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--mask", type=float, default=0.06, help="share of pieces hidden")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1e9, help="stop one seed's training after")
    parser.add_argument("--small", action="store_true", help="a tiny model, in seconds, on a CPU")
    return parser.parse_args()


class Batches:
    """Problems on the device, in batches of texts of about the same length."""

    def __init__(self, data: Arrays, device: str, batch: int) -> None:
        lengths = (data.ids != 0).sum(1)
        self.parts: list[tuple[Tensor, Tensor, Tensor]] = []
        low = 0
        for high in BUCKETS:
            rows = np.flatnonzero((lengths > low) & (lengths <= high))
            low = high
            if len(rows):
                columns = (data.ids[rows, :high], data.slots[rows], data.plans[rows])
                self.parts.append(tuple(torch.from_numpy(c).to(device) for c in columns))  # type: ignore[arg-type]
        self.batch, self.size = batch, len(data)

    def __len__(self) -> int:
        return sum(math.ceil(len(ids) / self.batch) for ids, _, _ in self.parts)

    def epoch(self, rng: random.Random) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
        """Every problem once, in random order."""
        places = []
        for part, (ids, _, _) in enumerate(self.parts):
            order = torch.randperm(len(ids), device=ids.device)
            places += [(part, rows) for rows in order.split(self.batch)]
        rng.shuffle(places)
        for part, rows in places:
            ids, slots, plans = (column[rows] for column in self.parts[part])
            yield ids.long(), slots.long(), plans.long()


def hidden(ids: Tensor, share: float) -> Tensor:
    """The pieces with a share of the words hidden, so that no single one decides."""
    names = vocabulary()
    word = ids > names["[MASK]"]
    return torch.where(
        word & (torch.rand(ids.shape, device=ids.device) < share), names["[MASK]"], ids
    )


def loss_of(model: Planner, ids: Tensor, slots: Tensor, plans: Tensor) -> Tensor:
    """Cross entropy of the plans' tokens."""
    known = plans != PAD
    longest = int(known.sum(1).max())
    target, known = plans[:, :longest], known[:, :longest]
    before = torch.full_like(target, START)
    before[:, 1:] = torch.where(known[:, 1:], target[:, :-1], START)
    scores = model(ids, slots, before)
    return F.cross_entropy(scores[known], target[known])


class Average:
    """The exponential average of the weights, which is what is kept."""

    def __init__(self, model: Planner, decay: float) -> None:
        self.decay = decay
        self.weights = [p.detach().clone() for p in model.parameters()]

    def update(self, model: Planner, step: int) -> None:
        """One more step of training is over."""
        decay = min(self.decay, (1 + step) / (10 + step))
        torch._foreach_lerp_(self.weights, [p.detach() for p in model.parameters()], 1 - decay)

    def exchange(self, model: Planner) -> None:
        """The model gets the average, and this keeps what the model had."""
        for mine, theirs in zip(self.weights, model.parameters(), strict=True):
            kept = theirs.detach().clone()
            theirs.data.copy_(mine)
            mine.copy_(kept)


def fit(
    seed: int, data: Arrays, cases: dict[str, list[Case]], args: argparse.Namespace, device: str
) -> tuple[Planner, list[dict[str, float]]]:
    """One seed's model and its curve."""
    torch.manual_seed(seed)
    rng = random.Random(seed)
    model = Planner(SMALL if args.small else Shape(), args.dropout)
    if args.minilm and not args.small:
        adopt(model, load_file(args.minilm))
    model.to(device)
    encoder = [p for name, p in model.named_parameters() if name.startswith(_ENCODER)]
    decoder = [p for name, p in model.named_parameters() if not name.startswith(_ENCODER)]
    rate = args.rate if args.minilm and not args.small else args.decoder_rate
    groups = [{"params": encoder, "lr": rate}, {"params": decoder, "lr": args.decoder_rate}]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01, fused=device == "cuda")
    batches = Batches(data, device, args.batch)
    steps = max(1, int(args.epochs * len(batches)))
    started = time.monotonic()

    def factor(step: int) -> float:
        done = max(step / steps, (time.monotonic() - started) / args.seconds)
        return min(1.0, (step + 1) / (0.04 * steps)) * 0.5 * (1 + math.cos(math.pi * min(1, done)))

    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, factor)
    average, curve, total = Average(model, 0.999), [], torch.zeros((), device=device)
    step, last, every = 0, 0, max(1, steps // 8)
    while step < steps and time.monotonic() - started < args.seconds:
        for ids, slots, plans in batches.epoch(rng):
            model.train()
            with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
                loss = loss_of(model, hidden(ids, args.mask), slots, plans)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            average.update(model, step)
            total += loss.detach()
            step += 1
            over = step == steps or time.monotonic() - started >= args.seconds
            if step % every == 0 or over:
                average.exchange(model)
                point = {"step": step, "loss": float(total) / (step - last)}
                point["seconds"] = round(time.monotonic() - started, 1)
                point |= {name: score(model, rows, device) for name, rows in cases.items()}
                average.exchange(model)
                total.zero_()
                last = step
                curve.append(point)
                print(seed, json.dumps(point), flush=True)
            if over:
                break
    average.exchange(model)
    return model, curve


_ENCODER = ("words", "places", "entry", "enc.")


def main() -> None:
    """Everything: problems, training, export."""
    args = options()
    if args.small:
        args.examples, args.epochs, args.batch = min(args.examples, 2000), 1.0, 64
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_float32_matmul_precision("high")
    args.out.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    held_texts = measuring(args.svamp, args.mawps)
    apart = Apart.of(text for texts in held_texts.values() for text in texts)
    parts = [dataset.generate(args.examples, 1, args.workers, apart)]
    counts: Counter[str] = Counter()
    cases = held_cases(40, CHOOSING)
    if args.gsm8k:
        train, held = dataset.gsm8k_problems(args.gsm8k, counts)
        parts += dataset.repeated(dataset.arrays(train), args.repeat)
        cases["gsm8k"] = [Case.of(problem) for problem in held]
    if args.svamp:
        cases["svamp"] = svamp(args.svamp)
    data = dataset.together(parts)
    made = round(time.monotonic() - started, 1)
    print(f"{len(data):,} problems in {made} s; GSM8K: {dict(counts)}", flush=True)
    curves: dict[str, list[dict[str, float]]] = {}
    report = {"problems": len(data), "gsm8k": dict(counts), "options": _plain(args)}
    report |= {"made in seconds": made, "seeds": curves}
    for seed in args.seeds:
        model, curve = fit(seed, data, cases, args, device)
        curves[str(seed)] = curve
        report["best"] = best(curves)
        export(model.to("cpu"), args.out / f"seed{seed}")
        (args.out / "curves.json").write_text(json.dumps(report, indent=1))


def best(curves: Mapping[str, list[dict[str, float]]]) -> str:
    """The seed that ends best on GSM8K's held problems plus held-out paraphrases, not on SVAMP."""

    def merit(seed: str) -> float:
        last = curves[seed][-1]
        return last.get("gsm8k", 0.0) + sum(last[kind] for kind in dataset.kinds()) / len(
            dataset.kinds()
        )

    return max(curves, key=merit)


def _plain(args: argparse.Namespace) -> dict[str, object]:
    return {k: v for k, v in vars(args).items() if not isinstance(v, Path)}


if __name__ == "__main__":
    main()
