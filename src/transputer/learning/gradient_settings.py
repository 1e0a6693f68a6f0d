"""The settings of gradient descent for any task, without JAX."""

from typing import Any

from transputer.learning.tasks import Task


def standard(task: Task) -> dict[str, Any]:
    """One recipe for all tasks: spare places and registers, and noise on the logits."""
    return {
        "length": max(16, task.length), "registers": 8, "scale": 1.5, "noise": 1.0,
        "updates": 1000, "shaped": 0.5,
    }  # fmt: skip


def horizon(task: Task, length: int) -> int:
    """Steps of a soft run: the program's length, and for a loop a few rounds more."""
    return 3 * length if task.size or task.sketch else length
