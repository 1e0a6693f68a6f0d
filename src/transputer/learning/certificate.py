"""What is known about a program: tests, proofs, and the certificates that say so.

The tests need no solver. Where cvc5 is not installed, a certificate says that nothing was proved.
"""

import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from transputer.errors import EngineUnavailable, Unsupported
from transputer.ir.soft import Code, text
from transputer.isa.integers import mask
from transputer.learning.problem import (
    at_width,
    counterexample,
    explain,
    for_width,
    inputs_to_check,
    unfinished,
)
from transputer.learning.refutation import Refutation
from transputer.learning.specification import OutsideDomain
from transputer.learning.tasks import Given, Task
from transputer.values import dataclass

#: The share of the tests that a slow program must finish within the step limit.
FINISHED = 0.25


@dataclass(frozen=True, slots=True)
class Certificate:
    """What is known about a program. `proved` is False where a part was only tried."""

    task: str
    program: tuple[str, ...]
    proved: bool
    facts: tuple[str, ...]
    seconds: float
    sha256: str = ""

    def signed(self) -> "Certificate":
        """The same with the hash of task, program and facts."""
        body = json.dumps([self.task, self.program, self.proved, self.facts])
        return replace(self, sha256=hashlib.sha256(body.encode()).hexdigest())

    def as_json(self) -> dict[str, Any]:
        """The form that is saved."""
        return asdict(self)


def certify(
    task: Task, code: Code, learned: int = 8, prove: bool = True
) -> Certificate | Refutation:
    """Everything that can be shown about a program, or an input on which it is wrong."""
    began = time.monotonic()
    final = for_width(task, code, learned, task.target)
    if not task.certain:
        return _on_examples(task, final, began)
    facts: list[str] = []
    exhausted = False
    for width in task.widths:
        moved = for_width(task, code, learned, width)
        wrong = counterexample(task, moved, width)
        if wrong is not None:
            reason = explain(task, moved, width, wrong)
            return Refutation(width, wrong.registers, task.array(wrong), reason)
        every = width == 8 and task.every is not None
        exhausted = exhausted or every
        tried, open_ = sum(1 for _ in inputs_to_check(task, width)), unfinished(task, moved, width)
        if open_ and tried - open_ < FINISHED * tried:
            return Refutation(width, (), (), f"{open_:,} of {tried:,} inputs take too many steps")
        rest = f" ({open_:,} more take more than {task.limit(width, task.size):,} steps)"
        facts.append(f"right on {'all ' if every else ''}{tried - open_:,} inputs at {width} bits"
                     + rest * bool(open_))  # fmt: skip
    proved, slow = True, any("more take more" in fact for fact in facts)
    for width in task.widths if prove else ():
        if width == 8 and task.every is not None:
            continue
        outcome = _proved(task, for_width(task, code, learned, width), width)
        if isinstance(outcome, Refutation):
            return outcome
        proved = proved and outcome[0]
        facts.append(outcome[1])
    if not prove:
        proved = False
        facts.append("not proved: proofs were switched off")
    if not proved and not exhausted and task.every is not None:
        small = at_width(final, task.target, 8)
        wrong = counterexample(task, small, 8)
        if wrong is None and not unfinished(task, small, 8):
            facts.append(f"right on all {sum(1 for _ in task.every()):,} inputs at 8 bits")
            slow = False
    if slow:
        return Refutation(task.target, (), (), "it takes too many steps on some inputs, and it is "
                          "not right on every input at 8 bits")  # fmt: skip
    return _done(task, final, proved, facts, began)


def _on_examples(task: Task, code: Code, began: float) -> Certificate | Refutation:
    width = task.target
    wrong = counterexample(task, code, width)
    if wrong is not None or unfinished(task, code, width):
        given = wrong or next(inputs_to_check(task, width))
        reason = explain(task, code, width, given) if wrong else "it takes too many steps"
        return Refutation(width, given.registers, task.array(given), reason)
    count = len(task.edges(width))
    return _done(task, code, False, [f"agrees with your {count} examples; not a proof"], began)


def _proved(task: Task, code: Code, width: int) -> tuple[bool, str] | Refutation:
    """Whether a program was proved at a width, and the fact that says so."""
    if task.spec is None:
        return False, f"not proved at {width} bits: the task has no specification to prove against"
    try:
        from transputer.learning import proof
    except EngineUnavailable:
        return False, f"not proved at {width} bits: cvc5 is not installed"
    try:
        outcome = proof.prove(task, code, width)
    except Unsupported as problem:
        return False, f"not proved at {width} bits: {problem}"
    if isinstance(outcome, Refutation):
        return _confirmed(task, code, width, outcome)
    return True, outcome


def _confirmed(
    task: Task, code: Code, width: int, refutation: Refutation
) -> tuple[bool, str] | Refutation:
    """A refutation, unless the specification itself says nothing about its input."""
    if not task.size:
        try:
            task.solve(width, Given(tuple(x & mask(width) for x in refutation.registers)))
        except OutsideDomain:
            return False, f"not proved at {width} bits: {refutation}, where the function is slow"
    return refutation


def _done(task: Task, code: Code, proved: bool, facts: Sequence[str], began: float) -> Certificate:
    program = tuple(text(code).split("\n"))
    seconds = round(time.monotonic() - began, 3)
    return Certificate(task.name, program, proved, tuple(facts), seconds).signed()
