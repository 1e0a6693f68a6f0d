"""Tasks in the form of SyGuS's PBE bit-vector track: `python -m tools.learning.pbe` measures them.

The track gives examples of a function of one word of 64 bits, and a grammar: 0, 1, not, shifts by
1, 4 and 16, and, or, xor, sum, and a choice `if0` that compares with 1. These are terms of that
grammar drawn with fixed seeds, not the track's own files. Every method has `SECONDS` processor
seconds for `SHOWN` examples; its answer is then tried on `HELD_OUT` others.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tools.learning.hackers import METHODS
from tools.learning.sections import DOCS
from transputer.ir.soft import Code
from transputer.learning.custom import from_examples
from transputer.learning.learner import learn
from transputer.learning.problem import Bound, examples, inputs_to_check, machine
from transputer.learning.sygus import Evaluation
from transputer.learning.sygus_text import Sexp, read_problem, read_sexps, written

SECONDS, SHOWN, HELD_OUT = 5.0, 10, 1000
WIDTH = 64
#: Operators of each task's term by its seed, not counting those that make a bit for `if0`.
SIZES = (3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
_UNARY = ("bvnot", "shl1", "shr1", "shr4", "shr16")
_BINARY = ("bvand", "bvor", "bvxor", "bvadd")
_SORT = f"(_ BitVec {WIDTH})"
_ONE, _ZERO = f"#x{1:016x}", f"#x{0:016x}"
_SHIFTS = "\n".join(
    f"(define-fun {name} ((x {_SORT})) {_SORT} ({shift} x #x{amount:016x}))"
    for name, shift, amount in (
        ("shl1", "bvshl", 1), ("shr1", "bvlshr", 1), ("shr4", "bvlshr", 4), ("shr16", "bvlshr", 16),
    )
)  # fmt: skip
_HEAD = f"""(set-logic BV)
{_SHIFTS}
(define-fun if0 ((x {_SORT}) (y {_SORT}) (z {_SORT})) {_SORT} (ite (= x {_ONE}) y z))
(synth-fun f ((x {_SORT})) {_SORT} ((S {_SORT})) ((S {_SORT} (x {_ZERO} {_ONE}
  {" ".join(f"({name} S)" for name in _UNARY)}
  {" ".join(f"({name} S S)" for name in _BINARY)} (if0 S S S)))))
"""
Pairs = list[tuple[int, int]]


def term(rng: random.Random, size: int) -> Sexp:
    """A random term of the grammar with `size` operators."""
    if not size:
        return rng.choice(("x", "x", "x", _ONE))
    kinds = [(name, 1) for name in _UNARY] + [(name, 2) for name in _BINARY] * 2 + [("if0", 3)]
    name, arity = rng.choice([kind for kind in kinds if kind[1] <= size + 1])
    cuts = sorted(rng.randint(0, size - 1) for _ in range(arity - 1))
    sizes = [b - a for a, b in zip([0, *cuts], [*cuts, size - 1], strict=True)]
    parts = [term(rng, part) for part in sizes]
    if name == "if0":  # on a bit, or it would be 1 on no example
        parts[0] = ["bvand", _ONE, parts[0]]
    return [name, *parts]


def evaluated(body: Sexp, evaluation: Evaluation) -> Callable[[int], int]:
    """A term as a function of x."""
    return lambda word: evaluation.evaluate(body, {"x": (word, WIDTH)})[0]


def source(pairs: Pairs) -> str:
    """A task as a SyGuS file."""
    lines = (f"(constraint (= (f #x{x:016x}) #x{y:016x}))\n" for x, y in pairs)
    return f"{_HEAD}{''.join(lines)}(check-synth)\n"


def task(seed: int, evaluation: Evaluation) -> tuple[Sexp, Pairs, Pairs]:
    """A term, examples of it, and examples that are held out.

    Terms are drawn again until no part is constant or the same as another part on the examples.
    """
    rng = random.Random(f"pbe {seed}")
    while True:
        body = term(rng, SIZES[seed])
        words = [rng.getrandbits(WIDTH) for _ in range(SHOWN + HELD_OUT)]
        parts = {written(part): part for part in (body, *_parts(body)) if part != _ONE}
        results = {tuple(evaluated(part, evaluation)(word) for word in words[:SHOWN])
                   for part in parts.values()}  # fmt: skip
        if "x" in parts and len(results) == len(parts) and all(len(set(r)) > 1 for r in results):
            pairs = [(word, evaluated(body, evaluation)(word)) for word in words]
            return body, pairs[:SHOWN], pairs[SHOWN:]


def _parts(body: Sexp) -> Iterator[Sexp]:
    """The terms below a term."""
    for part in body[1:] if isinstance(body, list) else ():
        yield part
        yield from _parts(part)


def operators(body: Sexp) -> int:
    """The number of operators of a term."""
    return sum(isinstance(part, list) for part in (body, *_parts(body)))


def right_on(code: Code, pairs: Pairs) -> int:
    """On how many examples a program is right."""
    those = from_examples([((x,), y) for x, y in pairs], width=WIDTH)
    config = replace(machine(those, WIDTH, max(1, len(code))), registers=16)
    rows = examples(those, config, list(inputs_to_check(those, WIDTH)))
    registers, _, _ = Bound(those, config, rows, elsewhere=False).results(code)
    return int((registers[:, 0] == rows.wanted[:, 0]).sum())


def learned(path: Path, members: tuple[str, ...], held_out: Pairs) -> dict[str, Any]:
    """What members of the portfolio make of a file."""
    result = learn(path, seconds=3600, cpu_seconds=SECONDS, members=members, minimal=False)
    return {
        "solved": result.solved,
        "method": result.method,
        "cpu_seconds": round(result.cpu_seconds, 1),
        "answer": "; ".join(result.program),
        "size": len(result.code),
        "held_out": right_on(result.code, held_out) if result.solved else 0,
    }


#: Gives a file to the solver and prints the answer. Its fast enumeration is the setting of the
#: portfolio's member; with the default one it solves fewer of these tasks.
_SOLVER = """
import sys, cvc5
terms = cvc5.TermManager()
solver = cvc5.Solver(terms)
solver.setOption("sygus", "true")
solver.setOption("sygus-enum", "fast")
symbols = cvc5.SymbolManager(terms)
parser = cvc5.InputParser(solver, symbols)
parser.setFileInput(cvc5.InputLanguage.SYGUS_2_1, sys.argv[1])
while not (command := parser.nextCommand()).isNull():
    print(command.invoke(solver, symbols), end="")
"""


def solved(path: Path, evaluation: Evaluation, held_out: Pairs) -> dict[str, Any]:
    """What cvc5 makes of a file, with the file's grammar."""
    before = _children()
    limit = int(SECONDS)
    run = subprocess.run(
        [sys.executable, "-c", _SOLVER, str(path)], capture_output=True, text=True, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)),
    )  # fmt: skip
    record = {"solved": False, "method": "cvc5", "cpu_seconds": round(_children() - before, 1),
              "answer": "", "size": 0, "held_out": 0}  # fmt: skip
    answers = read_sexps(run.stdout, "the solver's answer")
    if run.returncode or not answers or not isinstance(answers[0], list):
        return record
    body = answers[0][0][-1]
    function = evaluated(body, evaluation)
    right = sum(function(x) == y for x, y in held_out)
    return {**record, "solved": True, "answer": written(body), "size": operators(body),
            "held_out": right}  # fmt: skip


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measured(seed: int, methods: list[str]) -> dict[str, Any]:
    """A task by each method."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"pbe{seed}.sl"
        path.write_text(source([(0, 0)]), encoding="utf-8")
        evaluation = Evaluation(read_problem(path))
        body, shown, held_out = task(seed, evaluation)
        path.write_text(source(shown), encoding="utf-8")
        record: dict[str, Any] = {"seed": seed, "term": written(body), "operators": operators(body),
                                  "seconds": SECONDS, "shown": len(shown),
                                  "held_out": len(held_out), "methods": {}}  # fmt: skip
        for method in methods:
            record["methods"][method] = (
                solved(path, evaluation, held_out) if method == "cvc5 alone"
                else learned(path, METHODS[method], held_out)
            )  # fmt: skip
            print(seed, method, record["methods"][method], flush=True)
    return record


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="*", default=list(range(len(SIZES))))
    parser.add_argument("--out", type=Path, default=DOCS / "learning" / "pbe.json")
    options = parser.parse_args()
    records = []
    for seed in options.seeds:
        records.append(measured(seed, ["portfolio", "without cvc5", "cvc5 alone"]))
        options.out.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
