"""Compile, then optimise: `python -m tools.learning.compiled --out compiled.json`.

Programs as a plain compiler makes them, every variable in a register of its own and every value
moved to where the next operation wants it. They are shortened, and proved again after each change.
"""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from transputer.ir.soft import parse, text
from transputer.learning.certificate import Certificate, certify
from transputer.learning.learner import optimise
from transputer.learning.tasks import TASKS

COMPILED = {
    "max": "MOV R2, R0\nMOV R3, R1\nCMP R2, R3\nJLT 6\nMOV R0, R2\nJMP 7\nMOV R0, R3",
    "min": "MOV R2, R0\nMOV R3, R1\nCMP R3, R2\nJLT 6\nMOV R0, R2\nJMP 7\nMOV R0, R3",
    "abs": "SET R1, 0\nMOV R2, R0\nCMP R2, R1\nJGE 6\nSUB R0, R1, R2\nJMP 7\nMOV R0, R2",
    "clamp": "CMP R0, R1\nJGE 3\nMOV R0, R1\nCMP R2, R0\nJGE 6\nMOV R0, R2",
    "average": "AND R2, R0, R1\nXOR R3, R0, R1\nSRA R3, R3, 1\nADD R2, R2, R3\nMOV R0, R2",
    "sort3": "CMP R1, R0\nJGE 5\nMOV R3, R0\nMOV R0, R1\nMOV R1, R3\n"
             "CMP R2, R1\nJGE 10\nMOV R3, R1\nMOV R1, R2\nMOV R2, R3\n"
             "CMP R1, R0\nJGE 15\nMOV R3, R0\nMOV R0, R1\nMOV R1, R3",
    "sum_array": "SET R2, 0\nSET R3, 0\nCMP R1, R3\nJEQ 9\nLD R4, R0, 0\nADD R2, R2, R4\n"
                 "ADDI R0, R0, 1\nADDI R1, R1, -1\nJMP 2\nMOV R0, R2",
}  # fmt: skip


def optimised(name: str, seconds: float) -> dict[str, Any]:
    """The lengths on the way, and the last program with what is proved about it."""
    began = time.process_time()
    task, start = TASKS[name], parse(COMPILED[name])
    kept = optimise(task, start, seconds=seconds)
    proof = certify(task, kept[-1], 32)
    assert isinstance(proof, Certificate)  # every program of `optimise` was certified
    return {
        "task": name,
        "lengths": [len(code) for code in kept],
        "compiled": text(kept[0]).split("\n"),
        "program": text(kept[-1]).split("\n"),
        "proved": proof.proved,
        "facts": list(proof.facts),
        "cpu_seconds": round(time.process_time() - began, 1),
    }


def main() -> None:
    """Optimise every program and write what came of it."""
    parser = argparse.ArgumentParser(description="Compile, then optimise.")
    parser.add_argument("--seconds", type=float, default=10, help="for each shorter program")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    results = []
    for name in COMPILED:
        results.append(optimised(name, options.seconds))
        print(f"{name}: {results[-1]['lengths']}", file=sys.stderr, flush=True)
        options.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
