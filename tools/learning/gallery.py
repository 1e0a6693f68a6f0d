"""Programs worth seeing: `python -m tools.learning.gallery --out gallery.json`.

What annealing finds when the usual way is barred, and what comes of arrays of one size alone. The
masks bar ways; they do not give one. Everything kept is certified, or said to be wrong and where.
"""

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from transputer.ir.soft import Code, text
from transputer.isa.soft import SOFT
from transputer.learning.certificate import Certificate, certify
from transputer.learning.problem import at_width, counterexample
from transputer.learning.search import AnnealingSchedule, anneal
from transputer.learning.shorten import shorten
from transputer.learning.tasks import TASKS, Task, sum_of

_NO_FLAGS = ("MOV", "SET", "ADD", "ADDI", "SUB", "AND", "OR", "XOR", "SHL", "SHR", "SRA")
_NO_MOVES = ("ADD", "SUB", "AND", "OR", "XOR")


@dataclass(frozen=True, slots=True)
class Room:
    """A task with something barred, in words; seeds to try."""

    title: str
    task: Task
    seeds: int = 4


ROOMS = (
    Room("abs without comparing", replace(TASKS["abs"], ops=_NO_FLAGS)),
    Room("swap with two registers and no move",
         replace(TASKS["swap"], ops=_NO_MOVES, registers=2)),
    Room("average without overflow", TASKS["average"], 2),
    Room("sign", TASKS["sign"], 3),
)  # fmt: skip


def shown(room: Room) -> Iterator[dict[str, Any]]:
    """Different programs for one room, shortened and certified."""
    seen: set[str] = set()
    for seed in range(room.seeds):
        found = anneal(room.task, seed, 60, AnnealingSchedule(changes=50_000))
        if found.code is None:
            continue
        code = shorten(room.task, at_width(found.code, 8, 32))
        proof = certify(TASKS[room.task.name], code, 32)
        if isinstance(proof, Certificate) and text(code) not in seen:
            seen.add(text(code))
            yield {"title": room.title, "task": room.task.name, "seed": seed,
                   "evaluations": found.evaluations, "program": text(code).split("\n"),
                   "facts": list(proof.facts)}  # fmt: skip


def trained_on(counts: tuple[int, ...], length: int, seed: int = 0) -> dict[str, Any]:
    """`sum_array` from arrays of some sizes alone, and the first other size it gets wrong."""
    task = sum_of(counts, length)
    found = anneal(task, seed, 170, AnnealingSchedule(changes=100_000))
    code = shorten(task, at_width(found.code, 8, 32)) if found.code else ()
    return {
        "counts": list(counts),
        "evaluations": found.evaluations,
        "program": text(code).split("\n") if code else [],
        "loops": any(i.n <= at for at, i in enumerate(code) if "pc" in SOFT[i.op].imm),
        "wrong": fails_at(code) if code else None,
    }


def fails_at(code: Code) -> int | None:
    """The least size of an array, up to 16, that a program does not sum; None if it sums all."""
    for count in range(1, 17):
        if counterexample(sum_of((count,), len(code)), code, 32) is not None:
            return count
    return None


def main() -> None:
    """Find everything and write it."""
    parser = argparse.ArgumentParser(description="Programs worth seeing.")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    found: dict[str, Any] = {"rooms": [each for room in ROOMS for each in shown(room)]}
    sizes = (((2,), 4), ((3,), 6), ((1, 2, 3, 5, 8), 4))
    found["sums"] = [trained_on(counts, length) for counts, length in sizes]
    options.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
