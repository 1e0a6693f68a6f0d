"""Programs without the instructions that they do not need."""

from collections.abc import Sequence
from dataclasses import replace

from transputer.ir.soft import Code, Instruction
from transputer.isa.soft import SOFT
from transputer.learning.problem import counterexample, for_width, unfinished
from transputer.learning.tasks import Task


def shorten(task: Task, code: Code, learned: int = 32) -> Code:
    """The program without instructions that the tests do not need.

    Re-checked after each removal at every width of the task. Lines of a sketch stay.
    """
    if task.sketch:
        return code
    at, slow = 0, _slow(task, code, learned)
    while at < len(code):
        less = without(code, at)
        if less and _right(task, less, learned, slow):
            code, at = less, 0
        else:
            at += 1
    return code


def _right(task: Task, code: Code, learned: int, slow: int) -> bool:
    """Whether no test shows that a program is wrong, or slow more often than it was."""
    forms = ((for_width(task, code, learned, width), width) for width in task.widths)
    right = all(counterexample(task, form, width) is None for form, width in forms)
    return right and _slow(task, code, learned) <= slow


def _slow(task: Task, code: Code, learned: int) -> int:
    """How many tests take too many steps."""
    return sum(
        unfinished(task, for_width(task, code, learned, width), width) for width in task.widths
    )


def without(code: Sequence[Instruction], at: int) -> Code:
    """The program with one instruction removed, jumps over it drawn in."""
    rest = [i for k, i in enumerate(code) if k != at]
    return tuple(
        replace(i, n=i.n - 1) if "pc" in SOFT[i.op].imm and at < i.n <= len(code) else i
        for i in rest
    )
