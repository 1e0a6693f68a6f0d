"""Whether a model's plans come to the right answers, on problems it was not trained on."""

import csv
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import torch

from training.words.dataset import held_out, kinds
from training.words.model import Planner
from training.words.problems import Problem
from transputer.frontends.words.embedded.beam import allowed
from transputer.frontends.words.embedded.network import START, TOKENS
from transputer.frontends.words.embedded.wordpiece import Pieces, pieces
from transputer.frontends.words.evaluate import Undefined, Value, evaluate
from transputer.frontends.words.grammar import SLOTS, start
from transputer.frontends.words.numbers import find
from transputer.frontends.words.plan import parse

LIMIT = 32


@dataclass(frozen=True, slots=True)
class Case:
    """A text and its answer."""

    text: str
    answer: Value

    @staticmethod
    def of(problem: Problem) -> "Case":
        """The case of a problem whose plan is known."""
        numbers = [number.value for number in find(problem.text)]
        return Case(problem.text, evaluate(parse(problem.tokens), numbers))


def svamp(path: Path) -> list[Case]:
    """SVAMP's problems: body and question in one text."""
    return [
        Case(f"{row['Body']} {row['Question']}", Fraction(str(row["Answer"])))
        for row in json.loads(path.read_text())
    ]


def mawps_asdiv(path: Path) -> list[Case]:
    """MAWPS and ASDiv-A: the file's `number0` filled with its numbers."""
    cases = []
    with path.open() as lines:
        for row in csv.DictReader(lines):
            text = row["Question"]
            for index, number in reversed(list(enumerate(row["Numbers"].split()))):
                text = text.replace(f"number{index}", number.removesuffix(".0"))
            cases.append(Case(text, Fraction(row["Answer"])))
    return cases


def held_cases(each: int, seed: int = 99) -> dict[str, list[Case]]:
    """Held-out paraphrases of every construct."""
    rng = random.Random(seed)
    return {kind: [Case.of(held_out(rng, kind)) for _ in range(each)] for kind in kinds()}


def right(tokens: Sequence[str], case: Case) -> bool:
    """Whether a plan's value is the answer, exactly."""
    numbers = [number.value for number in find(case.text)]
    try:
        value = evaluate(parse(tokens), numbers)
    except Undefined:
        return False
    return value == case.answer and isinstance(value, bool) == isinstance(case.answer, bool)


@torch.no_grad()
def score(model: Planner, cases: Sequence[Case], device: str, batch: int = 256) -> float:
    """The share of cases whose most probable next tokens, one after another, are right."""
    model.eval()
    found = 0
    for at in range(0, len(cases), batch):
        part = cases[at : at + batch]
        found += sum(map(right, greedy(model, [_pieces(c) for c in part], device), part))
    return round(found / len(cases), 4)


def _pieces(case: Case) -> Pieces:
    return pieces(case.text, find(case.text))


@torch.no_grad()
def greedy(model: Planner, texts: Sequence[Pieces], device: str) -> list[list[str]]:
    """The plan that comes of always taking the best legal token."""
    length = max(len(t.ids) for t in texts)
    ids = torch.tensor([[*t.ids, *[0] * (length - len(t.ids))] for t in texts], device=device)
    slots = torch.tensor([[*t.slots, *[-1] * (SLOTS - len(t.slots))] for t in texts], device=device)
    text, mask = model.encode(ids)
    tokens = torch.full((len(texts), 1), START, device=device)
    states = [start(len(t.slots), 0) for t in texts]
    plans: list[list[str]] = [[] for _ in texts]
    for position in range(LIMIT):
        scores = model.decode(text, mask, slots, tokens)[:, -1].float().cpu().numpy()
        chosen = []
        for row, state in enumerate(states):
            if state.complete:
                chosen.append(0)
                continue
            legal = allowed(state, LIMIT - position)
            best = int(legal[scores[row, legal].argmax()])
            chosen.append(best)
            plans[row].append(TOKENS[best])
            states[row] = state.after(TOKENS[best])
        if all(state.complete for state in states):
            break
        tokens = torch.cat([tokens, torch.tensor(chosen, device=device)[:, None]], 1)
    return plans
