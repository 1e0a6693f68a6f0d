"""Teach the language model to write programs, and measure it: `python -m tools.one_model.train`.

The base model stays as it is; adapters of low rank and the rows of the new kinds are trained. What
the machine would say is computed by Python and masked from the loss. On texts that need no
computation, and on plain prose, the adapted model is held to the base model by KL divergence.
"""

import argparse
import json
import math
import random
import time
from collections import defaultdict
from collections.abc import Iterator
from os.path import commonprefix
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn import functional as F

from tools.one_model.base import load
from tools.one_model.data import (
    OPERATIONS,
    Nonsense,
    Question,
    draw,
    evaluate,
    plain,
    question,
    word_problems,
)
from transputer.embed.one_model.vocabulary import DIGITS, KINDS
from transputer.frontends.words.smollm.checkpoint import find, read
from transputer.frontends.words.smollm.network import (
    Adapted,
    KeysAndValues,
    Rank,
    SmolNetwork,
    trained,
)

START, END = 1, 2  # <|im_start|>, <|im_end|>
MASKED = -100
EXTRA = KINDS.run + 2
#: Pieces whose rows a new row starts from.
LIKE = {
    "code": " [", "run": "]", "done": "", "trap": "!", "push": " ", "add": "+", "sub": "-",
    "mul": "*", "div": "/", "rem": "%", "max": " max", "min": " min", "gcd": " common",
    "powmod": "^", "sum": " sum", "less": "<", "greater": ">", "prime": " prime", "item": ",",
    "list": " list", "show": "=", "divrem": " remainder",
} | {name: name[1:] for name in DIGITS}  # fmt: skip


class Reader:
    """Texts and programs as rows of the language model."""

    def __init__(self, tokenizer: Any, own: int) -> None:
        self.tokenizer, self.own = tokenizer, own
        self._short: dict[str, list[int]] = {}

    def text(self, text: str) -> list[int]:
        """Return the pieces of a text."""
        if text not in self._short:
            ids: list[int] = self.tokenizer.encode(text).ids
            if len(text) > 20:
                return ids
            self._short[text] = ids
        return self._short[text]

    def row(self, kind: int) -> int:
        """Return the row of a kind that the language model writes or reads."""
        return self.own + kind - 1

    @property
    def done(self) -> int:
        """The row of the end of a run."""
        return self.own + KINDS.run

    def prompt(self, text: str) -> list[int]:
        """Return a question as the base model's chat format has it."""
        begin = [START, *self.text("user\n"), *self.text(text), END, *self.text("\n")]
        return [*begin, START, *self.text("assistant\n")]

    def example(self, one: Question) -> tuple[list[int], list[int]]:
        """Return ids and targets (the id after each; masked where the machine speaks)."""
        prompt = self.prompt(one.text)
        program = [self.row(kind) for kind in KINDS.program(one.program)]
        output = [i for c in one.result for i in self.text(c)] + [self.done]
        close = [*self.text(one.closing), END]
        ids = [*prompt, *self.text(one.opening), *program, *output, *close]
        first = len(prompt) - 1
        speaks = len(ids) - len(output) - len(close)
        targets = [
            ids[i + 1] if i >= first and not speaks <= i + 1 < speaks + len(output) else MASKED
            for i in range(len(ids) - 1)
        ]
        return ids, [*targets, MASKED]


def new_rows(network: SmolNetwork, reader: Reader) -> None:
    """Start the rows of kinds from those of similar pieces."""
    names = ["code", *KINDS.routines, "run", "done", "trap"]
    with torch.no_grad():
        for row, name in enumerate(names):
            if LIKE[name]:
                like = network.embedding[reader.text(LIKE[name])].mean(0)
                network.extra[row] = like + 0.01 * torch.randn_like(like)


def all_logits(network: SmolNetwork, state: Tensor) -> Tensor:
    """Return the logits of pieces and new rows."""
    return torch.cat([network.lens(state), network.scores(state)], -1)


class Unadapted:
    """Inside a `with`, the network is the base model."""

    def __init__(self, network: SmolNetwork) -> None:
        self.modules = [m for m in network.modules() if isinstance(m, Adapted)]

    def __enter__(self) -> None:
        self.scales = [module.scale for module in self.modules]
        for module in self.modules:
            module.scale = 0.0

    def __exit__(self, *error: object) -> None:
        for module, scale in zip(self.modules, self.scales, strict=True):
            module.scale = scale


def padded(rows: list[list[int]], fill: int, device: str) -> Tensor:
    """Return rows of different lengths as one tensor."""
    longest = -(-max(map(len, rows)) // 8) * 8
    return torch.tensor([row + [fill] * (longest - len(row)) for row in rows], device=device)


def program_batches(reader: Reader, rng: random.Random, size: int, device: str) -> Iterator[Any]:
    """Yield batches of questions of similar length, forever."""
    while True:
        pool = sorted(
            (reader.example(draw(rng)) for _ in range(32 * size)), key=lambda e: len(e[0])
        )
        order = list(range(0, len(pool), size))
        rng.shuffle(order)
        for at in order:
            chunk = pool[at : at + size]
            yield (
                padded([ids for ids, _ in chunk], END, device),
                padded([targets for _, targets in chunk], MASKED, device),
            )


def answers_of(
    network: SmolNetwork,
    prompts: list[list[int]],
    steps: int,
    device: str,
    base: bool,
    stop: int = END,
) -> list[list[int]]:
    """Continue prompts greedily to the end of the answer, `stop` or `run`; weights only forbid.

    What all prompts begin with is read once. With `base`, by the base model alone. The grammar is
    the machine's: instructions only in a program, nothing but instructions there.
    """
    own = len(network.embedding)
    run = own + KINDS.run - 1
    results: list[list[int]] = [[] for _ in prompts]
    groups: dict[int, list[int]] = defaultdict(list)
    for i, prompt in enumerate(prompts):
        groups[len(prompt)].append(i)
    shared = commonprefix(prompts)[: min(map(len, prompts)) - 1]
    first = network.states(torch.tensor([shared], device=device))[1] if shared else None
    for rows in groups.values():
        ids = torch.tensor([prompts[i][len(shared) :] for i in rows], device=device)
        inside = torch.zeros(len(rows), dtype=torch.bool, device=device)
        open_rows = torch.ones_like(inside)
        past, sequence = _repeated(first, len(rows)), []
        for _ in range(steps):
            states, past = network.states(ids, past)
            logits = all_logits(network, states[-1][:, -1]).float()
            logits[:, own + KINDS.run :] = -torch.inf
            if base:
                logits[:, own:] = -torch.inf
            logits[:, :own].masked_fill_(inside[:, None], -torch.inf)
            logits[:, own].masked_fill_(inside, -torch.inf)
            logits[:, own + 1 :].masked_fill_(~inside[:, None], -torch.inf)
            following = logits.argmax(-1)
            sequence.append(torch.where(open_rows, following, END))
            inside = (inside | (following == own)) & (following != run)
            open_rows &= (following != run) & (following != END) & (following != stop)
            ids = following[:, None]
            if not open_rows.any():
                break
        for i, row in zip(rows, torch.stack(sequence, 1).tolist(), strict=True):
            results[i] = row[: row.index(END)] if END in row else row
    return results


def _repeated(past: KeysAndValues | None, rows: int) -> KeysAndValues | None:
    """Return keys and values of one row as those of several."""
    if past is None:
        return None
    return tuple((k.expand(rows, -1, -1, -1), v.expand(rows, -1, -1, -1)) for k, v in past)


def program_of(ids: list[int], own: int) -> str | None:
    """Return the first program in an answer, spelled, or None."""
    names = {own + number - 1: name for name, number in KINDS.routines.items()}
    if own not in ids:
        return None
    words: list[str] = []
    number = False
    for i in ids[ids.index(own) + 1 :]:
        name = names.get(i)
        if name is None:
            break
        digit = name in DIGITS
        if digit and number:
            words[-1] += name[1:]
        else:
            words.append("" if name == "push" else name)
        number = name == "push" or (digit and number)
    return " ".join(word or "0" for word in words)


def fit(
    network: SmolNetwork, reader: Reader, texts: list[str], args: argparse.Namespace, device: str
) -> list[dict[str, float]]:
    """Train; return the losses on the way."""
    rng = random.Random(args.seed)
    parameters = [p for p in network.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(parameters, args.rate, weight_decay=0.0, fused=device == "cuda")
    batches = program_batches(reader, rng, args.batch, device)
    prose = [reader.text(text)[:96] for text in texts]
    with torch.no_grad(), Unadapted(network):
        chats = [reader.prompt(plain(rng)) for _ in range(args.chats)]
        kept = answers_of(network, chats, args.words, device, base=True)
    chats = [a + b + [END] for a, b in zip(chats, kept, strict=True)]
    pool = prose + chats
    started, curve = time.monotonic(), list[dict[str, float]]()
    total = torch.zeros(2, device=device)
    step = 0
    while step < args.steps and time.monotonic() - started < args.seconds:
        done = max(step / args.steps, (time.monotonic() - started) / args.seconds)
        for group in optimizer.param_groups:
            group["lr"] = (
                args.rate * min(1, (step + 1) / 100) * 0.5 * (1 + math.cos(math.pi * done))
            )
        ids, targets = next(batches)
        quiet = padded(rng.sample(pool, min(len(pool), args.batch // 4)), END, device)
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            state = network.states(ids)[0][-1]
            known = targets != MASKED
            loss = F.cross_entropy(all_logits(network, state[known]).float(), targets[known])
            with torch.no_grad(), Unadapted(network):
                base = network.lens(network.states(quiet)[0][-1]).float().log_softmax(-1)
            after = all_logits(network, network.states(quiet)[0][-1]).float().log_softmax(-1)
            drift = (base.exp() * (base - after[..., : base.size(-1)])).sum(-1).mean()
        optimizer.zero_grad(set_to_none=True)
        (loss + args.keep * drift).backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        total += torch.stack([loss.detach(), drift.detach()])
        step += 1
        if step % args.every == 0:
            mean = [round(value / args.every, 5) for value in total.tolist()]
            seconds = round(time.monotonic() - started, 1)
            curve.append({"step": step, "loss": mean[0], "kl": mean[1], "seconds": seconds})
            print(json.dumps(curve[-1]), flush=True)
            total.zero_()
    return curve


@torch.no_grad()  # type: ignore[untyped-decorator]
def perplexity(network: SmolNetwork, ids: list[int], device: str, base: bool) -> float:
    """Return the perplexity of a text in windows of 512 pieces."""
    losses, count = 0.0, 0
    for at in range(0, len(ids) - 512, 512):
        window = torch.tensor([ids[at : at + 513]], device=device)
        state = network.states(window[:, :-1])[0][-1]
        logits = (network.lens(state) if base else all_logits(network, state)).float()
        losses += float(F.cross_entropy(logits[0], window[0, 1:], reduction="sum"))
        count += 512
    return math.exp(losses / max(1, count))


SHOTS = (
    ("What is 12 times 34?", "408"), ("Is 7 greater than 12?", "no"),
    ("Divide 17 by 5 with remainder.", "3 r 2"), ("Sort 5, 3, 9.", "3, 5, 9"),
    ("What is 905 plus 77?", "982"), ("Is 13 prime?", "yes"),
)  # fmt: skip


@torch.no_grad()  # type: ignore[untyped-decorator]
def answered(
    network: SmolNetwork, reader: Reader, questions: list[Question], device: str
) -> list[dict[str, Any]]:
    """Return what is written for each question, with the computer and by the bare model."""
    prompts = [reader.prompt(one.text) for one in questions]
    answers = answers_of(network, prompts, 96, device, base=False)
    shots = "".join(f"Q: {q}\nA: {a}\n" for q, a in SHOTS)
    bare_prompts = [reader.text(f"{shots}Q: {one.text}\nA:") for one in questions]
    with Unadapted(network):
        (line,) = reader.text("\n")
        bare = answers_of(network, bare_prompts, 24, device, base=True, stop=line)
    rows = []
    for one, ids, plainly in zip(questions, answers, bare, strict=True):
        program = program_of(ids, reader.own)
        try:
            value = None if program is None else evaluate(program)
        except (Nonsense, OverflowError):
            value = None
        text = reader.tokenizer.decode(plainly).split("\n")[0].strip().rstrip(".")
        rows.append(
            {
                "operation": one.operation, "digits": one.digits, "question": one.text,
                "result": one.result, "program": program, "value": value,
                "right": value == one.result, "bare": text, "bare_right": text == one.result,
            }
        )  # fmt: skip
    return rows


@torch.no_grad()  # type: ignore[untyped-decorator]
def measure(
    network: SmolNetwork, reader: Reader, texts: list[str], args: argparse.Namespace, device: str
) -> dict[str, Any]:
    """Return exact matches by operation and digits, with the computer and bare, and the rest."""
    rng = random.Random(args.seed + 1)
    questions = [
        question(rng, name, digits, held_out=True)
        for name, how in OPERATIONS.items()
        for digits in sorted({min(d, how.most_digits) for d in (2, 4, 8, 12, 16)})
        for _ in range(args.questions)
    ]
    rows = answered(network, reader, questions, device)
    quiet = [reader.prompt(plain(rng, held_out=True)) for _ in range(args.plain)]
    ran = sum(reader.own in ids for ids in answers_of(network, quiet, 48, device, base=False))
    text = reader.text(texts[0])
    with Unadapted(network):
        before = perplexity(network, text, device, base=True)
    after = perplexity(network, text, device, base=False)
    return {
        "questions": rows,
        "plain": {"asked": args.plain, "ran": ran},
        "perplexity": {"base": before, "adapted": after},
    }


def main() -> None:
    """Train, measure, write the adapter."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--base", type=Path, help="folder of tools.one_model.base, not the installed GGUF file"
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--adapter", type=Path, help="measure this adapter; train nothing")
    parser.add_argument(
        "--problems", type=Path, help="SVAMP's file: answer its word problems, and nothing else"
    )
    parser.add_argument("--sample", type=int, default=1000, help="problems, evenly spaced")
    parser.add_argument("--seconds", type=float, default=270.0, help="training time")
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--rate", type=float, default=8e-4)
    parser.add_argument("--keep", type=float, default=2.0, help="weight of the KL divergence")
    parser.add_argument("--chats", type=int, default=3000)
    parser.add_argument("--words", type=int, default=40, help="pieces of a chat's answer")
    parser.add_argument("--questions", type=int, default=40, help="per operation and digits")
    parser.add_argument("--plain", type=int, default=300)
    parser.add_argument("--every", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    if args.base is None and (args.adapter is None or args.problems is None):
        parser.error("without --base, there are no texts: give --adapter and --problems")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_float32_matmul_precision("high")
    torch.manual_seed(args.seed)
    checkpoint, texts = load(args.base) if args.base else (read(find()), {})
    network = SmolNetwork(checkpoint, Rank(), EXTRA)
    reader = Reader(checkpoint.tokenizer, len(network.embedding))
    new_rows(network, reader)
    network = network.to(device)
    args.out.mkdir(parents=True, exist_ok=True)
    curve: list[dict[str, float]] = []
    if args.adapter:
        network.load_state_dict(load_file(args.adapter), strict=False)
    else:
        curve = fit(network, reader, texts["train"], args, device)
        state = {n: t.bfloat16().contiguous().cpu() for n, t in trained(network).items()}
        save_file(state, args.out / "adapter.safetensors")
        network.load_state_dict({n: t.float() for n, t in state.items()}, strict=False)
    if args.problems:
        problems = word_problems(args.problems)
        sample = problems[:: max(1, len(problems) // args.sample)][: args.sample]
        results: dict[str, Any] = {"questions": answered(network, reader, sample, device)}
    else:
        results = measure(network, reader, texts["measure"], args, device)
    settings = {name: str(value) for name, value in vars(args).items()}
    data = {"settings": settings, "device": device, "curve": curve, **results}
    (args.out / "results.json").write_text(json.dumps(data) + "\n")
    right = sum(row["right"] for row in results["questions"])
    bare = sum(row["bare_right"] for row in results["questions"])
    rest = {name: value for name, value in results.items() if name != "questions"}
    print(f"right {right}, bare {bare}, of {len(results['questions'])}", rest or "", flush=True)


if __name__ == "__main__":
    main()
