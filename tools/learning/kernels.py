"""Sorting kernels of 3 to 5 words: `python -m tools.learning.kernels` writes their result file.

Each kernel is learned from a Python function, once with the instructions of AlphaDev's kernels (a
comparison, a move, a conditional move) and once with minima and maxima. The portfolio has
`SECONDS` processor seconds. Beside it, compare-and-exchange is learned first and the kernel is
searched for as a sequence of it, under the same budget. Both programs are then shortened.
"""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tools.learning.hackers import METHODS, SECONDS
from tools.learning.sections import DOCS
from transputer.ir.soft import Code, text
from transputer.learning.certificate import Certificate, certify
from transputer.learning.custom import from_function
from transputer.learning.learner import learn, optimise
from transputer.learning.library import assemble, learn_piece
from transputer.learning.tasks import Task

#: Processor seconds of annealing for each program that is one instruction shorter.
SHORTER = 10.0


def sort2(a: int, b: int) -> tuple[int, ...]:
    """Two words in order."""
    return tuple(sorted((a, b)))


def sort3(a: int, b: int, c: int) -> tuple[int, ...]:
    """Three words in order."""
    return tuple(sorted((a, b, c)))


def sort4(a: int, b: int, c: int, d: int) -> tuple[int, ...]:
    """Four words in order."""
    return tuple(sorted((a, b, c, d)))


def sort5(a: int, b: int, c: int, d: int, e: int) -> tuple[int, ...]:
    """Five words in order."""
    return tuple(sorted((a, b, c, d, e)))


#: Functions by the number of words, and comparators of the smallest networks.
KERNELS: dict[int, Callable[..., tuple[int, ...]]] = {3: sort3, 4: sort4, 5: sort5}
COMPARATORS = {3: 3, 4: 5, 5: 9}
INSTRUCTIONS = {
    "MOV CMP CMOV": ("MOV", "CMP", "CMOV"),
    "MOV MIN MAX": ("MOV", "MIN", "MAX"),
}


def searched(count: int, ops: tuple[str, ...], seed: int) -> dict[str, Any]:
    """What the portfolio makes of a kernel, and how far annealing shortens it."""
    given: dict[str, Any] = {"ops": ops, "registers": count + 1, "length": 4 * COMPARATORS[count]}
    learned = learn(KERNELS[count], seed=seed, seconds=3600, cpu_seconds=SECONDS,
                    members=METHODS["portfolio"], minimal=False, **given)  # fmt: skip
    task = from_function(KERNELS[count], **given)
    return _record(task, learned.code, learned.method, learned.cpu_seconds, seed)


def assembled(count: int, ops: tuple[str, ...], seed: int) -> dict[str, Any]:
    """A kernel as a sequence of compare-and-exchange, which is learned first."""
    began = time.process_time()
    task = from_function(KERNELS[count], ops=ops, registers=count + 1)
    pair = from_function(sort2, ops=ops, length=4)
    piece, _ = learn_piece(pair, ops, seed, SECONDS, clock=time.process_time)
    code: Code = ()
    left = SECONDS - (time.process_time() - began)
    if piece is not None and left > 0:
        uses = COMPARATORS[count]
        code = assemble(task, [piece], uses, seed, left, clock=time.process_time).code or ()
    method = f"{COMPARATORS[count]} times a learned exchange"
    return _record(task, code, method, time.process_time() - began, seed)


def _record(task: Task, code: Code, method: str, spent: float, seed: int) -> dict[str, Any]:
    record: dict[str, Any] = {"seed": seed, "method": method, "cpu_seconds": round(spent, 1),
                              "first": len(code), "length": 0, "proved": False, "facts": [],
                              "program": []}  # fmt: skip
    if not code:
        return record
    best = optimise(task, code, seed, SHORTER, clock=time.process_time)[-1]
    proof = certify(task, best, task.target)
    assert isinstance(proof, Certificate)  # every program of `optimise` was certified
    return {**record, "length": len(best), "proved": proof.proved, "facts": list(proof.facts),
            "program": text(best).split("\n")}  # fmt: skip


WAYS = {"portfolio": searched, "library": assembled}


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=int, nargs="*", default=list(KERNELS))
    parser.add_argument("--instructions", nargs="*", default=list(INSTRUCTIONS))
    parser.add_argument("--ways", nargs="*", default=list(WAYS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=DOCS / "learning" / "kernels.json")
    options = parser.parse_args()
    target = options.out
    saved = json.loads(target.read_text(encoding="utf-8")) if target.exists() else {}
    for way in options.ways:
        for name in options.instructions:
            for count in options.words:
                record = WAYS[way](count, INSTRUCTIONS[name], options.seed)
                saved.setdefault(way, {}).setdefault(name, {})[str(count)] = record
                target.write_text(json.dumps(saved, indent=1) + "\n", encoding="utf-8")
                print(way, name, count, record["first"], record["length"], record["proved"],
                      record["cpu_seconds"], flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
