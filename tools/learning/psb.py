"""Integer tasks of PSB1: `python -m tools.learning.psb` writes their result file.

Helmuth and Spector, *General program synthesis benchmark suite*, 2015. These are the tasks whose
inputs are integers and at most one vector of them, and whose result is an integer or the vector.
A string is the vector of its characters; words that a task prints are numbers here, as each doc
says. Every method has the same processor time on the same cores.
"""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tools.learning.hackers import METHODS, SECONDS
from tools.learning.sections import DOCS
from transputer.learning.learner import learn


def small_or_large(n: int) -> int:
    """1 (small) below 1000, 2 (large) from 2000 on, otherwise 0."""
    return 1 if n < 1000 else 2 if n >= 2000 else 0


def collatz_numbers(n: int) -> int:
    """Terms of the Collatz sequence of a positive number, down to 1."""
    assert n > 0
    count = 1
    while n != 1:
        n = 3 * n + 1 if n % 2 else n // 2
        count += 1
    return count


def last_index_of_zero(a: list[int]) -> int:
    """The last index of 0 in a vector; -1 where there is none, which PSB1 leaves open."""
    last = -1
    for index, word in enumerate(a):
        if word == 0:
            last = index
    return last


def count_odds(a: list[int]) -> int:
    """The number of odd words of a vector."""
    return sum(word % 2 for word in a)


def sum_of_squares(n: int) -> int:
    """The sum of the squares from 1 to a positive number."""
    assert n > 0
    total = 0
    for k in range(1, n + 1):
        total += k * k
    return total


def negative_to_zero(a: list[int]) -> list[int]:
    """The vector with 0 in place of negative words."""
    return [max(word, 0) for word in a]


def grade(a: int, b: int, c: int, d: int, score: int) -> int:
    """4 to 1 for the grades A to D with these least scores, 0 for F."""
    return (score >= a) + (score >= b) + (score >= c) + (score >= d)


def median(a: int, b: int, c: int) -> int:
    """The median of three."""
    return sorted((a, b, c))[1]


def smallest(a: int, b: int, c: int, d: int) -> int:
    """The smallest of four."""
    return min(a, b, c, d)


def checksum(a: list[int]) -> int:
    """The sum of the characters modulo 64, plus 32."""
    return sum(a) % 64 + 32


TASKS: tuple[Callable[..., Any], ...] = (
    small_or_large, collatz_numbers, last_index_of_zero, count_odds, sum_of_squares,
    negative_to_zero, grade, median, smallest, checksum,
)  # fmt: skip


def measured(function: Callable[..., Any], members: tuple[str, ...], seed: int) -> dict[str, Any]:
    """What some members of the portfolio make of a task within the budget."""
    learned = learn(function, seed=seed, seconds=3600, cpu_seconds=SECONDS, members=members,
                    minimal=False)  # fmt: skip
    return {
        "seed": seed,
        "solved": learned.solved,
        "proved": bool(learned.proof and learned.proof.proved),
        "method": learned.method,
        "cpu_seconds": round(learned.cpu_seconds, 1),
        "program": learned.program,
        "facts": list(learned.proof.facts) if learned.proof else [],
        "detail": learned.detail,
    }


def main() -> None:
    """Measure and write."""
    names = [function.__name__ for function in TASKS]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", nargs="*", default=names)
    parser.add_argument("--methods", nargs="*", default=list(METHODS))
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--out", type=Path, default=DOCS / "learning" / "psb.json")
    options = parser.parse_args()
    target = options.out
    saved = json.loads(target.read_text(encoding="utf-8")) if target.exists() else {}
    for method in options.methods:
        for function in TASKS:
            if function.__name__ not in options.tasks:
                continue
            runs = saved.setdefault(method, {})[function.__name__] = []
            for seed in range(options.seeds):
                runs.append(measured(function, METHODS[method], seed))
                target.write_text(json.dumps(saved, indent=1) + "\n", encoding="utf-8")
                print(method, function.__name__, runs[-1]["solved"], runs[-1]["proved"], flush=True)


if __name__ == "__main__":
    main()
