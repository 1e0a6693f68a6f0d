"""Read the operation off the middle of the language model: `python -m training.words_lm.lens`.

A question of two numbers ends with ` =`. At that place, the stream after every layer is read as
if it were the last one's (a logit lens): which of ` add`, ` subtract`, ` multiply` and ` divide`
scores highest? Measured on the model as it is, and after adapters of the value and output
matrices are trained for two things at once: that word at a chosen depth, and the answer's digits
at the end. Questions are canonical (`50 - 15 =`) or varied (stories and commands from templates
that are never trained on).
"""

import argparse
import json
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from training.words.dataset import held_out, synthetic
from training.words.problems import Problem
from transputer.frontends.words.evaluate import evaluate
from transputer.frontends.words.numbers import find
from transputer.frontends.words.plan import parse
from transputer.frontends.words.smollm import checkpoint
from transputer.frontends.words.smollm.network import Rank, SmolNetwork

#: The operations, as plans and as the language model's words write them.
WORDS = {"ADD": " add", "SUB": " subtract", "MUL": " multiply", "DIV": " divide"}
SIGNS = {"ADD": "+", "SUB": "-", "MUL": "*", "DIV": "/"}
#: The share of the layers after which the operation is read, as the published experiment did.
DEPTH = 0.55
LONGEST = 96


@dataclass(frozen=True, slots=True)
class Question:
    """A prompt, its operation, and the answer."""

    prompt: str
    operation: str
    answer: int


def varied(problem: Problem) -> Question | None:
    """The question of a problem of one operation on two numbers with a whole answer."""
    numbers = find(problem.text)
    if len(numbers) != 2 or len(problem.tokens) != 3 or problem.tokens[0] not in WORDS:
        return None
    if sorted(problem.tokens[1:]) != ["N0", "N1"]:
        return None
    value = evaluate(parse(problem.tokens), [number.value for number in numbers])
    if isinstance(value, bool | float) or value.denominator != 1 or not 0 <= value < 10**6:
        return None
    return Question(f"{problem.text} =", problem.tokens[0], int(value))


def canonical(rng: random.Random) -> Question:
    """`50 - 15 =`, with a whole answer that is not below zero."""
    operation = rng.choice(list(WORDS))
    a, b = rng.randint(2, 100), rng.randint(2, 100)
    if operation == "DIV":
        a = a * b
    if operation == "SUB":
        a, b = max(a, b), min(a, b)
    value = {"ADD": a + b, "SUB": a - b, "MUL": a * b, "DIV": a // b}[operation]
    return Question(f"{a} {SIGNS[operation]} {b} =", operation, value)


def balanced(make: Callable[[], Question | None], count: int) -> list[Question]:
    """As many questions of every operation."""
    found: dict[str, list[Question]] = {name: [] for name in WORDS}
    each = count // len(WORDS)
    while any(len(rows) < each for rows in found.values()):
        question = make()
        if question and len(found[question.operation]) < each:
            found[question.operation].append(question)
    return [question for rows in found.values() for question in rows]


class Batch:
    """Questions with their answers behind them, padded."""

    def __init__(self, questions: Sequence[Question], tokenizer: Any, device: str) -> None:
        asked = [tokenizer.encode(q.prompt).ids[-LONGEST:] for q in questions]
        told = [tokenizer.encode(f" {q.answer}\n").ids for q in questions]
        length = max(len(a) + len(t) for a, t in zip(asked, told, strict=True))
        self.ids = torch.zeros((len(questions), length), dtype=torch.long)
        self.answer = torch.zeros_like(self.ids, dtype=torch.bool)
        for row, (a, t) in enumerate(zip(asked, told, strict=True)):
            self.ids[row, : len(a) + len(t)] = torch.tensor(a + t)
            self.answer[row, len(a) - 1 : len(a) + len(t) - 1] = True
        words = [tokenizer.encode(word).ids for word in WORDS.values()]
        assert all(len(word) == 1 for word in words)
        self.words = torch.tensor(words)[:, 0].to(device)
        order = list(WORDS)
        self.target = torch.tensor([order.index(q.operation) for q in questions]).to(device)
        self.last = torch.tensor([len(a) - 1 for a in asked]).to(device)
        self.ids, self.answer = self.ids.to(device), self.answer.to(device)


def losses(network: SmolNetwork, batch: Batch, layer: int) -> tuple[Tensor, Tensor]:
    """Cross entropy of the operation's word after a layer, and of the answer at the end."""
    states = network.states(batch.ids)[0]
    rows = torch.arange(len(batch.ids), device=batch.ids.device)
    middle = network.lens(states[layer][rows, batch.last])
    told = batch.answer[:, :-1]
    final = network.lens(states[-1][:, :-1][told])
    return (
        F.cross_entropy(middle.float(), batch.words[batch.target]),
        F.cross_entropy(final.float(), batch.ids[:, 1:][told]),
    )


@torch.no_grad()
def accuracies(
    network: SmolNetwork, questions: Sequence[Question], tokenizer: Any, device: str
) -> dict[str, Any]:
    """After every layer, how many operations are read rightly; and how many answers are right."""
    layers = [0] * (network.shape.layers + 1)
    answers = 0
    for at in range(0, len(questions), 100):
        batch = Batch(questions[at : at + 100], tokenizer, device)
        states = network.states(batch.ids)[0]
        rows = torch.arange(len(batch.ids), device=device)
        for layer, state in enumerate(states):
            read = network.lens(state[rows, batch.last], batch.words).argmax(-1)
            layers[layer] += int((read == batch.target).sum())
        best = network.lens(states[-1][:, :-1]).argmax(-1)
        wrong = (best != batch.ids[:, 1:]) & batch.answer[:, :-1]
        answers += int((~wrong.any(1)).sum())
    count = len(questions)
    return {
        "count": count,
        "operation by layer": [round(right / count, 4) for right in layers],
        "answer": round(answers / count, 4),
    }


def fit(
    network: SmolNetwork, make: Callable[[], Sequence[Question]], tokenizer: Any,
    layer: int, steps: int, device: str,
) -> list[dict[str, float]]:  # fmt: skip
    """Trains the adapters for the word in the middle and the answer at the end."""
    parameters = [p for p in network.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(parameters, 1e-3, weight_decay=0.0)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1e-3, total_steps=steps)
    curve, started = [], time.monotonic()
    for step in range(1, steps + 1):
        batch = Batch(make(), tokenizer, device)
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            middle, final = losses(network, batch, layer)
        optimizer.zero_grad(set_to_none=True)
        (middle + final).backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        schedule.step()
        if step % max(1, steps // 10) == 0:
            point = {"step": step, "operation": float(middle), "answer": float(final)}
            curve.append(point | {"seconds": round(time.monotonic() - started, 1)})
            print(json.dumps(curve[-1]), flush=True)
    return curve


def main() -> None:
    """Measure, train, measure again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--questions", type=int, default=800, help="to measure on, of each kind")
    args = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    torch.set_float32_matmul_precision("high")
    rng = random.Random(5)
    found = checkpoint.read(checkpoint.find())
    layer = round(DEPTH * found.shape.layers)
    rank = Rank(matrices=("attn_v", "attn_output"))
    network = SmolNetwork(found, rank).to(device)
    sets = {
        "canonical": balanced(lambda: canonical(rng), args.questions),
        "varied": balanced(
            lambda: varied(held_out(rng, rng.choice(("story", "single")))), args.questions
        ),
    }
    pool = balanced(lambda: varied(synthetic(rng)), args.batch * 100)
    print(f"{len(pool)} varied questions to train on", flush=True)

    def make() -> list[Question]:
        half = args.batch // 2
        return rng.sample(pool, half) + [canonical(rng) for _ in range(half)]

    def measured() -> dict[str, Any]:
        return {n: accuracies(network, rows, found.tokenizer, device) for n, rows in sets.items()}

    report: dict[str, Any] = {"layer": layer, "layers": found.shape.layers, "before": measured()}
    report["curve"] = fit(network, make, found.tokenizer, layer, args.steps, device)
    report["after"] = measured()
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / "lens.json").write_text(json.dumps(report, indent=1) + "\n")
    print(json.dumps({k: report[k] for k in ("before", "after")}))


if __name__ == "__main__":
    main()
