"""Problems with known answers, which were not trained on."""

import csv
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from training.words.constructs import BLIND
from training.words.dataset import blind, held_out, kinds
from training.words.problems import Problem
from transputer.frontends.words.evaluate import Undefined, Value, evaluate
from transputer.frontends.words.numbers import find
from transputer.frontends.words.plan import parse


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


def mawps_asdiv(path: Path) -> dict[str, list[Case]]:
    """MAWPS and ASDiv-A apart: the file's `number0` filled with its numbers.

    The file does not say which set a row is of, but what it took from ASDiv-A, the 1,217 rows
    at its end, is in lower case, and none of MAWPS's 1,921 rows before them is.
    """
    sets: dict[str, list[Case]] = {"mawps": [], "asdiv-a": []}
    with path.open() as lines:
        for row in csv.DictReader(lines):
            numbers = row["Numbers"].split()
            text = row["Question"]
            for index, number in reversed(list(enumerate(numbers))):
                text = text.replace(f"number{index}", number.removesuffix(".0"))
            name = "asdiv-a" if row["Question"].islower() else "mawps"
            sets[name].append(Case(text, _stated(row, numbers)))
    return sets


def measuring(svamp_file: Path | None, mawps_file: Path | None) -> dict[str, list[str]]:
    """The texts of the published problems that measure, by set; those whose files are given."""
    sets = {"svamp": svamp(svamp_file)} if svamp_file else {}
    sets |= mawps_asdiv(mawps_file) if mawps_file else {}
    return {name: [case.text for case in cases] for name, cases in sets.items()}


def _stated(row: dict[str, str], numbers: Sequence[str]) -> Fraction:
    """The row's answer, exactly: its own is rounded where the equation does not come out even."""
    values = {f"number{i}": Fraction(number) for i, number in enumerate(numbers)}
    exact = _prefix(iter(row["Equation"].split()), values)
    given = Fraction(row["Answer"])
    return exact if abs(exact - given) < Fraction(1, 1000) else given


def _prefix(tokens: Iterator[str], values: dict[str, Fraction]) -> Fraction:
    token = next(tokens)
    if token not in ("+", "-", "*", "/"):
        return values[token] if token in values else Fraction(token)
    left, right = _prefix(tokens, values), _prefix(tokens, values)
    if token == "/":
        return left / right
    return {"+": left + right, "-": left - right, "*": left * right}[token]


def held_cases(each: int, seed: int = 99) -> dict[str, list[Case]]:
    """Held-out paraphrases of every construct."""
    rng = random.Random(seed)
    return {kind: [Case.of(held_out(rng, kind)) for _ in range(each)] for kind in kinds()}


def blind_cases(each: int, seed: int = 97) -> dict[str, list[Case]]:
    """Paraphrases from the templates that were written before they were measured."""
    return {
        f"{kind}, {name}": [Case.of(one) for one in of]
        for name in BLIND
        for kind, of in blind(random.Random(seed), name, each).items()
    }


def right(tokens: Sequence[str], case: Case) -> bool:
    """Whether a plan's value is the answer, exactly."""
    numbers = [number.value for number in find(case.text)]
    try:
        value = evaluate(parse(tokens), numbers)
    except Undefined:
        return False
    return value == case.answer and isinstance(value, bool) == isinstance(case.answer, bool)
