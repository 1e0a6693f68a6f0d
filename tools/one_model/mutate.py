"""Break one half of the model at a time: `python -m tools.one_model.mutate FOLDER --out FILE`.

Without the machine's adder, sums must go wrong while programs and sentences stay. Without a head of
the language model, programs may change while their execution stays exact: every run must print what
Python evaluates for the program that was written. Heads are those that the healthy programs need
most (the largest loss of log-probability when the head is zeroed), and random ones.
"""

import argparse
import json
import random
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import torch

from tools.one_model.data import Nonsense, evaluate
from transputer.engines.torch.modeling_joint import TransputerJointForCausalLM
from transputer.exporters.tokenization_joint import JointTokenizer

ADDER = "neurons.add"
QUESTIONS = (
    "What is 12 plus 34?",
    "Please add 7 to 72.",
    "Which is larger, 12 or 34?",
    "What is the capital of France?",
)


@contextmanager
def zeroed(weight: torch.Tensor, index: Any) -> Iterator[None]:
    """Set a part of a matrix to 0 inside the `with`."""
    before = weight.data[index].clone()
    weight.data[index] = 0
    try:
        yield
    finally:
        weight.data[index] = before


@contextmanager
def without_group(model: TransputerJointForCausalLM, name: str) -> Iterator[None]:
    """Zero what the neurons of a group of the machine write."""
    with ExitStack() as stack:
        for place in model.probe[name]:
            neurons = model.joint.machine.get_submodule(place.hook.rsplit(".", 1)[0])
            stack.enter_context(zeroed(neurons.out.weight, list(place.columns)))
        yield


@contextmanager
def without_head(model: TransputerJointForCausalLM, layer: int, head: int) -> Iterator[None]:
    """Zero what a head of the language model writes."""
    attention = model.joint.tower.model.layers[layer].self_attn
    size = attention.head_dim
    columns = slice(head * size, (head + 1) * size)
    with zeroed(attention.o_proj.weight, (slice(None), columns)):
        yield


def heads_by_cost(
    model: TransputerJointForCausalLM, tokenizer: JointTokenizer, texts: list[tuple[str, list[int]]]
) -> list[tuple[float, int, int]]:
    """Return (loss, layer, head) of every head of the language model, the largest loss first.

    `texts` are questions and the ids of their healthy programs. The loss is what their
    log-probability loses, in nats, when the head is zeroed.
    """
    language = model.config.language
    before = _log_probability(model, tokenizer, texts)
    costs = []
    for layer in range(language["num_hidden_layers"]):
        for head in range(language["num_attention_heads"]):
            with without_head(model, layer, head):
                costs.append((before - _log_probability(model, tokenizer, texts), layer, head))
    return sorted(costs, reverse=True)


@torch.no_grad()  # type: ignore[untyped-decorator]
def _log_probability(
    model: TransputerJointForCausalLM, tokenizer: JointTokenizer, texts: list[tuple[str, list[int]]]
) -> float:
    """Return the log-probability that the language model alone gives to programs."""
    tower, total = model.joint.tower.model, 0.0
    for question, program in texts:
        prompt = [token[0] for token in tokenizer.turn(question)[len(tokenizer.library) :]]
        ids = model.joint.tower.rows[torch.tensor([prompt + program])]
        states = tower(ids).last_hidden_state[0, len(prompt) - 1 : -1]
        logits = states @ tower.get_input_embeddings().weight.T
        total += float(logits.log_softmax(-1).gather(1, ids[0, len(prompt) :, None]).sum())
    return total


def answers(
    model: TransputerJointForCausalLM, tokenizer: JointTokenizer, questions: list[str], limit: int
) -> list[dict[str, Any]]:
    """Return the answers to a batch of questions, with what Python evaluates for each program.

    `exact` says whether every run printed that, and a nonsense program trapped; None where the
    answer did not end within `limit` tokens.
    """
    prompt = tokenizer(questions)
    tokens = model.generate(**prompt, max_new_tokens=limit)
    runs = tokenizer.own + tokenizer.kinds["run"]
    rows = []
    for row in tokens[:, prompt["input_ids"].size(1) :].tolist():
        answer = tokenizer.read(row)
        expected = [_evaluated(program) for program in answer.programs]
        printed = sum(result is None for result in expected) == answer.traps and all(
            result is None or result == output
            for result, output in zip(expected, answer.outputs, strict=True)
        )
        rows.append(
            {
                "text": answer.text,
                "programs": answer.programs,
                "outputs": answer.outputs,
                "exact": printed if row[-1][0] == tokenizer.end else None,
                "ids": [token[0] for token in row if tokenizer.own <= token[0] < runs],
            }
        )
    return rows


def _evaluated(program: str) -> str | None:
    try:
        return evaluate(program)
    except Nonsense:
        return None


def measure(
    model: TransputerJointForCausalLM,
    tokenizer: JointTokenizer,
    questions: list[str],
    needed: int,
    others: int,
    limit: int,
    seed: int = 0,
) -> dict[str, Any]:
    """Return the answers of the healthy model, without the adder, and without each head.

    Heads are the `needed` ones that programs need most, and as many `others` at random.
    """
    results: dict[str, Any] = {"questions": questions}
    results["healthy"] = answers(model, tokenizer, questions, limit)
    print("healthy:", results["healthy"], flush=True)
    with without_group(model, ADDER):
        results["no adder"] = answers(model, tokenizer, questions, limit)
    print("no adder:", results["no adder"], flush=True)
    pairs = zip(questions, results["healthy"], strict=True)
    texts = [(question, row["ids"]) for question, row in pairs if row["programs"]]
    costs = heads_by_cost(model, tokenizer, texts)
    chosen = costs[:needed] + random.Random(seed).sample(costs[needed:], others)
    results["heads"] = []
    for number, (loss, layer, head) in enumerate(chosen):
        with without_head(model, layer, head):
            rows = answers(model, tokenizer, questions, limit)
        about = {"layer": layer, "head": head, "loss": round(loss, 3), "needed": number < needed}
        results["heads"].append(about | {"answers": rows})
        print(f"layer {layer}, head {head}:", [row["programs"] for row in rows], flush=True)
    return results


def table(results: dict[str, Any]) -> str:
    """Return the table of the page: what changed, and whether execution was exact."""
    healthy = results["healthy"]
    lines = [
        "| zeroed | programs changed | sentences without a program changed | runs | inexact runs |",
        "|---|--:|--:|--:|--:|",
    ]
    groups = [("nothing", healthy), ("the machine's adder (`neurons.add`)", results["no adder"])]
    for needed, name in ((True, "that programs need most"), (False, "at random")):
        heads = [one["answers"] for one in results["heads"] if one["needed"] == needed]
        title = f"a head of the language model, {len(heads)} {name}, one at a time"
        groups.append((title, [row for rows in heads for row in rows]))
    for name, rows in groups:
        pairs = list(zip(healthy * (len(rows) // len(healthy)), rows, strict=True))
        asked = [(old, new) for old, new in pairs if old["programs"]]
        plain = [(old, new) for old, new in pairs if not old["programs"]]
        programs = sum(old["programs"] != new["programs"] for old, new in asked)
        texts = sum(old["text"] != new["text"] for old, new in plain)
        runs = [row for row in rows if row["programs"]]
        wrong = sum(row["exact"] is not True for row in runs)
        lines.append(
            f"| {name} | {programs} of {len(asked)} | {texts} of {len(plain)} "
            f"| {len(runs)} | {wrong} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Measure and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--needed", type=int, default=4, help="heads that programs need most")
    parser.add_argument("--others", type=int, default=8, help="heads at random")
    parser.add_argument("--seed", type=int, default=0, help="random seed of the heads")
    parser.add_argument("--limit", type=int, default=200, help="tokens of an answer")
    args = parser.parse_args()
    torch.set_num_threads(1)
    model = TransputerJointForCausalLM.from_pretrained(args.folder)
    tokenizer = JointTokenizer.from_pretrained(args.folder)
    results = measure(
        model, tokenizer, list(QUESTIONS), args.needed, args.others, args.limit, args.seed
    )
    options = f"--needed {args.needed} --others {args.others} --seed {args.seed}"
    command = f"python -m tools.one_model.mutate FOLDER {options}"
    results |= {"command": command, "weights": model.config.transputer["digest"]}
    args.out.write_text(json.dumps(results, indent=1) + "\n")
    print(table(results))


if __name__ == "__main__":
    main()
