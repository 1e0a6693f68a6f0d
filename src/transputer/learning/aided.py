"""Loops and sorting with help.

What is given is said in words beside each figure, and the cost of what was learned before is
counted in. Every program found is certified.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import Any

from transputer.ir.soft import Code, text
from transputer.learning.certificate import Certificate, certify
from transputer.learning.library import assemble, learn_piece
from transputer.learning.search import AnnealingSchedule, anneal
from transputer.learning.tasks import ORDER, TASKS
from transputer.values import dataclass

#: Student's t by the number of values: the 95 % interval of a mean, in standard errors.
STUDENT = {10: 2.262157, 5: 2.776445, 2: 12.706205}
#: A program or None, and what it cost, from a seed.
Attempt = Callable[[int], tuple[Code | None, int]]


@dataclass(frozen=True, slots=True)
class Aid:
    """A task, what was given, how it was then learned, and what does it.

    `claimed` are those that are enough to stay below the original's episodes.
    """

    task: str
    given: str
    method: str
    attempt: Attempt
    claimed: bool = False


def _annealed(task: str, changes: int, **given: Any) -> Attempt:
    helped = replace(TASKS[task], **given)

    def attempt(seed: int) -> tuple[Code | None, int]:
        result = anneal(helped, seed, 120, AnnealingSchedule(changes=changes))
        return result.code, result.evaluations

    return attempt


def _sorted(seed: int) -> tuple[Code | None, int]:
    piece, spent = learn_piece(TASKS["sort2"], ORDER, seed)
    if piece is None:
        return None, spent
    result = assemble(TASKS["sort4"], [piece], 5, seed)
    return result.code, spent + result.evaluations


_LINE, STUDENTWO = "?\n?\nDJNZ R1, 0\n?", "LDP R2, R0\n?\nDJNZ R1, 0\n?"
_MASK = ("MOV", "ADD", "SUB", "LDP", "DJNZ")
AIDS = (
    Aid("sum_array", "the loop's last line, `DJNZ R1, 0`", "annealing",
        _annealed("sum_array", 2000, sketch=_LINE)),
    Aid("sum_array", "the line `DJNZ R1, 0` and a mask of 5 operations (MOV, ADD, SUB, LDP, DJNZ)",
        "annealing", _annealed("sum_array", 2000, sketch=_LINE, ops=_MASK), claimed=True),
    Aid("sum_array", "the lines `LDP R2, R0` and `DJNZ R1, 0`", "annealing",
        _annealed("sum_array", 2000, sketch=STUDENTWO)),
    Aid("sum_array", "the mask alone", "annealing", _annealed("sum_array", 5000, ops=_MASK)),
    Aid("sort4", "its mask alone; `sort2` is learned first, then a sequence of five of it",
        "annealing with a library", _sorted, claimed=True),
)  # fmt: skip


def mean_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """The mean and its 95 % interval, by Student's distribution."""
    count = len(values)
    mean = sum(values) / count
    spread = math.sqrt(sum((x - mean) ** 2 for x in values) / (count - 1) / count)
    return mean, max(0.0, mean - STUDENT[count] * spread), mean + STUDENT[count] * spread


def aided(aid: Aid, seeds: int = 10) -> dict[str, Any]:
    """What an aid came to from seeds 0, 1 and so on."""
    attempts = [aid.attempt(seed) for seed in range(seeds)]
    codes = [code for code, _ in attempts if code is not None]
    mean, low, high = mean_interval([float(cost) for _, cost in attempts])
    proofs = [certify(TASKS[aid.task], code, 8) for code in codes]
    right = [proof for proof in proofs if isinstance(proof, Certificate)]
    return {
        "task": aid.task,
        "given": aid.given,
        "method": aid.method,
        "seeds": seeds,
        "solved": len(right),
        "evaluations": [cost for _, cost in attempts],
        "mean": round(mean),
        "interval": [round(low), round(high)],
        "program": text(codes[0]).split("\n") if codes else [],
        "proof": asdict(right[0]) if right else None,
    }
