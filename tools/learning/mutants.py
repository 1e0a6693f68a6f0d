"""Mutants of learned programs against the proofs: `python -m tools.learning.mutants`.

One field of one instruction is changed at random. At 8 bits a mutant is run on every input of a
task on words, on thousands of inputs of other tasks. A proof of a mutant that a run shows to be
wrong is a mistake of the prover, and so is a refutation of one that is right on every input.
"""

import argparse
import json
import random
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tools.learning.sections import DOCS
from transputer.errors import Unsupported
from transputer.ir.soft import Code, parse
from transputer.isa.soft import SOFT
from transputer.learning.problem import at_width, counterexample
from transputer.learning.proof import refute
from transputer.learning.tasks import TASKS

_SAME_SHAPE = [op.name for op in SOFT if op.imm == ("to", "a", "b")]
#: Lengths of arrays for which mutants are proved.
_COUNTS = (1, 2, 3)


@dataclass
class MutantCount:
    """What became of the mutants of one program."""

    task: str
    mutants: int = 0
    wrong: int = 0
    refuted: int = 0
    proved: int = 0
    undecided: int = 0
    mistakes: int = 0


def learned_programs() -> dict[str, Code]:
    """Return the learned program of each task that was solved, at 8 bits."""
    saved = json.loads((DOCS / "learning" / "solved.json").read_text(encoding="utf-8"))
    return {
        each["task"]: at_width(parse("\n".join(each["program"])), 32, 8)
        for each in saved if each["solved"]
    }  # fmt: skip


def mutant(code: Code, rng: random.Random) -> Code:
    """Return the program with one field of one instruction changed."""
    at = rng.randrange(len(code))
    i = code[at]
    field = rng.choice(sorted(i.uses))
    if i.op in _SAME_SHAPE and rng.random() < 0.4:
        changed = replace(i, op=rng.choice(_SAME_SHAPE))
    elif field == "n" and "pc" in SOFT[i.op].imm:
        changed = replace(i, n=rng.randrange(len(code) + 1))
    elif field == "n":
        changed = replace(i, n=rng.choice((0, 1, 2, 7, 0xFFFFFFFF)))
    else:
        changed = replace(i, **{field: rng.randrange(5)})  # type: ignore[arg-type]
    return (*code[:at], changed, *code[at + 1 :])


def counted(name: str, program: Code, count: int) -> MutantCount:
    """Return what became of `count` mutants of a program."""
    rng, task, totals = random.Random(name), TASKS[name], MutantCount(name)
    for _ in range(count):
        code = mutant(program, rng)
        totals.mutants += 1
        wrong = counterexample(task, code, 8)
        totals.wrong += wrong is not None
        lengths = _COUNTS if task.size else (0,)
        try:
            refuted = any(refute(task, code, 8, length, False) is not None for length in lengths)
        except Unsupported:
            totals.undecided += 1
            continue
        totals.refuted += refuted
        totals.proved += not refuted
        covered = wrong is not None and (not task.size or wrong.registers[1] in _COUNTS)
        totals.mistakes += (covered and not refuted) or (
            task.every is not None and refuted and wrong is None
        )
    return totals


def main() -> None:
    """Count and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", nargs="*")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--out", type=Path, default=DOCS / "learning" / "mutants.json")
    options = parser.parse_args()
    results: list[dict[str, Any]] = []
    for name, program in learned_programs().items():
        if name not in (options.tasks or [name]):
            continue
        totals = counted(name, program, options.count)
        print(totals, flush=True)
        results.append(vars(totals))
        options.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
