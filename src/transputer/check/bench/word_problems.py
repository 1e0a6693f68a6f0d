"""Published word problems, from a folder that TRANSPUTER_WORDS names.

SVAMP (`svamp*.json`), MAWPS and ASDiv-A (`mawps_asdiv_a.csv`) and GSM8K (`gsm8k*.jsonl`), each in
its published form. Answers are exact rationals: the value of the equation if the file has one and
it rounds to the published answer, otherwise the published answer.
"""

import csv
import json
import operator
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from transputer.errors import UsageError

#: Number of MAWPS problems in the file of MAWPS and ASDiv-A; those of ASDiv-A follow.
_MAWPS = 1921
#: Every HELD-th of GSM8K's training problems was held out from training; only these are measured.
HELD = 20
_SIGNS: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


@dataclass(frozen=True, slots=True)
class WordProblem:
    """A question and its exact answer; `kind` is its category in the collection."""

    question: str
    answer: Fraction | bool
    kind: str = ""


def find_problems(folder: str | Path | None = None) -> dict[str, list[WordProblem]]:
    """Return every collection in a folder, by name; raise `UsageError` if there is no folder."""
    place = Path(folder or os.environ.get("TRANSPUTER_WORDS", "../shared/word-problems"))
    if not place.is_dir():
        raise UsageError(f"{place}: no folder of word problems; set TRANSPUTER_WORDS")
    collections: dict[str, list[WordProblem]] = {}
    for path in sorted(place.iterdir()):
        reader = next((r for start, r in _READERS.items() if path.name.startswith(start)), None)
        if reader is not None:
            try:
                collections.update(reader(path))
            except (ValueError, LookupError, TypeError, UnicodeError) as problem:
                raise UsageError(f"{path}: not in the form of its collection: {problem}") from None
    return collections


def _svamp(path: Path) -> dict[str, list[WordProblem]]:
    return {f"SVAMP ({path.stem})": [_svamp_problem(row) for row in _json(path)]}


def _json(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return rows


def _svamp_problem(row: dict[str, Any]) -> WordProblem:
    body = row["Body"].strip()
    question = f"{body}{'' if body[-1:] in '.?!,' else ','} {row['Question'].strip()}"
    published = Fraction(str(row["Answer"]))
    return WordProblem(
        question, _exact(_infix(row.get("Equation", "")), published), row.get("Type", "")
    )


def _mawps(path: Path) -> dict[str, list[WordProblem]]:
    with path.open(encoding="utf-8", newline="") as stream:
        problems = [_mawps_problem(row) for row in csv.DictReader(stream)]
    return {"MAWPS": problems[:_MAWPS], "ASDiv-A": problems[_MAWPS:]}


def _mawps_problem(row: dict[str, str]) -> WordProblem:
    numbers = [Fraction(text) for text in row["Numbers"].split()]
    texts = [_written(text) for text in row["Numbers"].split()]
    question = re.sub(r"number(\d+)", lambda m: texts[int(m[1])], row["Question"])
    words = [
        str(numbers[int(word[6:])]) if word.startswith("number") else word
        for word in row["Equation"].split()
    ]
    return WordProblem(question, _exact(_prefix(words), Fraction(row["Answer"])))


def _written(text: str) -> str:
    return text.removesuffix(".0")


def _gsm8k(path: Path) -> dict[str, list[WordProblem]]:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    problems = [WordProblem(row["question"], _last(row["answer"])) for row in rows]
    if path.stem.endswith("train"):
        return {f"GSM8K ({path.stem}, held)": problems[::HELD]}
    return {f"GSM8K ({path.stem})": problems}


def _last(steps: str) -> Fraction:
    """Return the number after the marks at the end of the steps."""
    return Fraction(steps.rpartition("####")[2].strip().replace(",", ""))


_READERS: dict[str, Callable[[Path], dict[str, list[WordProblem]]]] = {
    "svamp": _svamp,
    "mawps_asdiv": _mawps,
    "gsm8k": _gsm8k,
}


def _exact(value: Fraction | None, published: Fraction) -> Fraction:
    """Return an equation's value if it rounds to the published answer, else that answer."""
    if value is not None and abs(value - published) <= Fraction(1, 200):
        return value
    return published


def _infix(text: str) -> Fraction | None:
    """Return the value of `( ( 4.0 + 13.0 ) * 15.0 )`; None if the text has another form."""
    stack: list[Any] = []
    for word in text.split():
        if word != ")":
            stack.append(word)
            continue
        if len(stack) < 4 or stack[-4] != "(" or stack[-2] not in _SIGNS:
            return None
        _, left, sign, right = stack[-4:]
        value = _applied(sign, left, right)
        if value is None:
            return None
        stack[-4:] = [value]
    return stack[0] if len(stack) == 1 and isinstance(stack[0], Fraction) else None


def _prefix(words: Iterable[str]) -> Fraction | None:
    """Return the value of `- + 4 5 6`; None if the words have another form."""
    stack: list[Any] = []
    for word in reversed(list(words)):
        if word not in _SIGNS:
            stack.append(word)
            continue
        value = _applied(word, stack.pop(), stack.pop()) if len(stack) > 1 else None
        if value is None:
            return None
        stack.append(value)
    return stack[0] if len(stack) == 1 and isinstance(stack[0], Fraction) else None


def _applied(sign: str, left: Any, right: Any) -> Fraction | None:
    try:
        return _SIGNS[sign](Fraction(left), Fraction(right))
    except (ValueError, TypeError, ZeroDivisionError):
        return None
