"""Proofs against exhaustive runs: mutants of right programs at 8 bits. Needs cvc5."""

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("cvc5", reason="cvc5 is not installed; pip install 'transputer[jax]'")

from transputer.errors import Unsupported  # noqa: E402
from transputer.ir.soft import Code, parse  # noqa: E402
from transputer.isa.soft import SOFT  # noqa: E402
from transputer.learning.problem import at_width, counterexample  # noqa: E402
from transputer.learning.proof import refute  # noqa: E402
from transputer.learning.tasks import TASKS  # noqa: E402

SAVED = json.loads(
    (Path(__file__).parents[2] / "docs" / "learning" / "solved.json").read_text(encoding="utf-8")
)
PROGRAMS = {
    r["task"]: at_width(parse("\n".join(r["program"])), 32, 8)
    for r in SAVED if r["solved"] and TASKS[r["task"]].every is not None
}  # fmt: skip
_SAME_SHAPE = [op.name for op in SOFT if op.imm == ("to", "a", "b")]


def mutant(code: Code, rng: random.Random) -> Code:
    """The program with one field of one instruction changed."""
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
        changed = replace(i, **{field: rng.randrange(5)})
    return (*code[:at], changed, *code[at + 1 :])


def check(name: str, count: int) -> None:
    """Every mutant is refuted exactly if some input of 8 bits shows that it is wrong."""
    rng, task, decided = random.Random(name), TASKS[name], 0
    for _ in range(count):
        code = mutant(PROGRAMS[name], rng)
        wrong = counterexample(task, code, 8)
        try:
            refutation = refute(task, code, 8)
        except Unsupported:
            continue  # no claim
        decided += 1
        assert (refutation is None) == (wrong is None), (code, wrong, refutation)
    assert decided > count // 4


@pytest.mark.parametrize("name", ["max", "sign", "average"])
def test_some_mutants(name: str) -> None:
    check(name, 40)


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in PROGRAMS if n not in ("gcd", "fibonacci", "multiply")])
def test_200_mutants_of_each_task(name: str) -> None:
    check(name, 200)
