"""The baseline: the language model as it is, shown a few examples, writes an expression.

`python -m training.words_lm.fewshot --svamp FILE --out DIR`. What it writes is held to a grammar:
the numbers of the text, four signs and brackets. The best legal piece is taken every time.
"""

import argparse
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from training.words.cases import Case, mawps_asdiv, right, svamp
from training.words.evaluate import interval
from transputer.frontends.words import text as lines
from transputer.frontends.words.numbers import find
from transputer.frontends.words.smollm import checkpoint
from transputer.frontends.words.smollm.network import SmolNetwork

SHOTS = (
    ("What is 5 times 3?", "5 * 3"),
    ("Nora had 20 stamps. She gave away 7. How many has she now?", "20 - 7"),
    ("A shelf holds 12 jars. How many jars do 4 shelves hold?", "12 * 4"),
    ("Ben ran 6 miles on Monday and 9 on Tuesday. How far did he run?", "6 + 9"),
    ("Share 48 nuts among 6 children. How many does each get?", "48 / 6"),
    ("3 bags hold 8 pens each, and 5 pens are lost. How many are left?", "( 3 * 8 ) - 5"),
)
#: The most pieces of an expression, and brackets inside brackets.
LIMIT, DEEPEST = 40, 2
END = "\n"


@dataclass(frozen=True, slots=True)
class Infix:
    """Where an expression has got to: for every open bracket, how many of its parts are there."""

    stages: tuple[int, ...] = (0,)
    written: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether the end has been written."""
        return not self.stages

    def legal(self, numbers: Sequence[str]) -> Iterable[str]:
        """What may be written next: an operand, a sign, a bracket or the end."""
        stage, outside = self.stages[-1], len(self.stages) == 1
        if stage in (0, 2):
            yield from dict.fromkeys(numbers)
            if len(self.stages) <= DEEPEST:
                yield "("
        elif stage == 1:
            yield from "+-*/"
        if stage == 3 or (stage == 1 and outside):
            yield END if outside else ")"

    def after(self, token: str) -> "Infix":
        """The state after one more."""
        *outer, stage = self.stages
        if token == "(":
            stages = (*outer, stage, 0)
        elif token == ")":
            stages = (*outer[:-1], outer[-1] + 1)
        elif token == END:
            stages = ()
        else:
            stages = (*outer, stage + 1)
        return Infix(stages, (*self.written, token))


Guess = tuple[Infix, tuple[int, ...]]


class Writer:
    """All readings of the pieces so far: `5` may be a number, or the beginning of `50`."""

    def __init__(self, numbers: Sequence[str], tokenizer: Any) -> None:
        self.numbers, self.tokenizer = numbers, tokenizer
        self.guesses: list[Guess] = [(Infix(), ())]

    def _pieces(self, token: str) -> tuple[int, ...]:
        return tuple(self.tokenizer.encode(token if token == END else f" {token}").ids)

    def _open(self) -> list[Guess]:
        """Guesses with something still to write."""
        found: list[Guess] = []
        for state, rest in self.guesses:
            if rest:
                found.append((state, rest))
            elif not state.complete:
                tokens = state.legal(self.numbers)
                found += [(state.after(token), self._pieces(token)) for token in tokens]
        return found

    def legal(self) -> set[int]:
        """The pieces that may come next."""
        return {rest[0] for _, rest in self._open()}

    def write(self, piece: int) -> None:
        """One more piece."""
        self.guesses = [(state, rest[1:]) for state, rest in self._open() if rest[0] == piece]

    @property
    def done(self) -> tuple[str, ...] | None:
        """The whole expression, once it is there."""
        for state, rest in self.guesses:
            if state.complete and not rest:
                return state.written[:-1]
        return None


def prompt(text: str) -> str:
    """The examples, then the question."""
    shown = "".join(f"Problem: {asked}\nExpression: {told}\n\n" for asked, told in SHOTS)
    return f"{shown}Problem: {text}\nExpression:"


@torch.no_grad()
def written(
    network: SmolNetwork, tokenizer: Any, texts: Sequence[str], device: str
) -> list[tuple[str, ...] | None]:
    """The expression for every text."""
    asked = [tokenizer.encode(prompt(text)).ids for text in texts]
    writers = [Writer([number.text for number in find(text)], tokenizer) for text in texts]
    ids = torch.zeros((len(texts), max(map(len, asked)) + LIMIT), dtype=torch.long, device=device)
    for row, pieces in enumerate(asked):
        ids[row, : len(pieces)] = torch.tensor(pieces)
    for step in range(LIMIT):
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            stream = network.states(ids[:, : max(map(len, asked)) + step])[0][-1]
            last = stream[range(len(texts)), [len(pieces) - 1 + step for pieces in asked]]
            scores = network.lens(last).float().cpu()
        for row, writer in enumerate(writers):
            if writer.done is None:
                legal = sorted(writer.legal())
                best = legal[int(scores[row, legal].argmax())]
                writer.write(best)
                ids[row, len(asked[row]) + step] = best
        if all(writer.done is not None for writer in writers):
            break
    return [writer.done for writer in writers]


def tokens(expression: Sequence[str], numbers: Sequence[str]) -> tuple[str, ...]:
    """The plan of an expression."""
    names = {number: f"N{index}" for index, number in reversed(list(enumerate(numbers)))}
    line = " ".join(names.get(token, token) for token in expression)
    line = line.replace("( ", "(").replace(" )", ")")
    return lines.read(f"({line})" if len(expression) > 1 else line).tokens


def score(
    network: SmolNetwork, tokenizer: Any, cases: Sequence[Case], device: str
) -> dict[str, Any]:
    """How many of the cases come out right."""
    good = 0
    for at in range(0, len(cases), 32):
        part = [case for case in cases[at : at + 32] if find(case.text)]
        made = written(network, tokenizer, [case.text for case in part], device)
        for case, expression in zip(part, made, strict=True):
            if expression:
                names = [number.text for number in find(case.text)]
                good += right(tokens(expression, names), case)
    count = len(cases)
    return {"count": count, "accuracy": good / count, "interval": interval(good, count)}


def main() -> None:
    """Measure on what is given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--svamp", type=Path, required=True)
    parser.add_argument("--mawps", type=Path)
    parser.add_argument("--most", type=int, help="the most problems of a set")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    found = checkpoint.read(checkpoint.find())
    network = SmolNetwork(found).to(device)
    sets = {"svamp": svamp(args.svamp)} | (mawps_asdiv(args.mawps) if args.mawps else {})
    report = {
        name: score(network, found.tokenizer, cases[: args.most], device)
        for name, cases in sets.items()
    }
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / "fewshot.json").write_text(json.dumps(report, indent=1) + "\n")
    print(json.dumps(report))


if __name__ == "__main__":
    main()
