"""Learn programs of the soft machine. JAX and cvc5 are imported on first use."""

import importlib.util
from collections.abc import Callable, Iterator
from typing import Any

from transputer.errors import EngineUnavailable, Unsupported
from transputer.learning.tasks import TASKS, find_task
from transputer.learning.wat import WORD, to_wat


def learn(task: Any, method: str = "auto", **options: Any) -> Any:
    """Learn a task; return a `Learned` with the program, its cost, the help it had and its proof.

    `task` and `options` are those of `api.learn`. Raises `UsageError` for an unknown task or
    method, and `EngineUnavailable` where a method's library is missing.
    """
    from transputer.learning.learner import learn as by

    return by(task, method, **options)


def learning_shown(
    quick: bool = False, hear: Callable[[str], None] = lambda _: None
) -> Iterator[Any]:
    """What must be shown about learning, measured line by line: `Claim` with claim, needed,
    measured and met (None: too little was measured). `hear` is told what is going on."""
    from transputer.learning.shown import show

    return show(quick, hear)


def learning_device() -> str:
    """Return JAX's name of the device that programs are learned on."""
    import jax

    return str(jax.devices()[0].device_kind)


def learn_tasks() -> dict[str, str]:
    """Return the names of the tasks, with a line about each."""
    return {name: task.doc for name, task in TASKS.items()}


def learned_wat(learned: Any) -> str:
    """Return a learned program as WebAssembly text, exported under the task's name.

    Raises `Unsupported` if its words are not those of the text.
    """
    if learned.width != WORD:
        words = f"{learned.task} was learned for words of {learned.width} bits"
        raise Unsupported(f"{words}; WebAssembly text is written for {WORD}")
    return to_wat(learned.code, learned.arity, learned.results, learned.task)


def cannot_learn() -> str:
    """Return why nothing can be learned here; "" if all libraries are installed."""
    missing = [name for name in ("jax", "cvc5") if importlib.util.find_spec(name) is None]
    names = " and ".join(missing)
    return f"{names} not installed; pip install 'transputer[jax]'" if missing else ""


def learn_watched(
    task: str,
    watch: Callable[[dict[str, Any]], None],
    *,
    seed: int = 0,
    seconds: float = 300.0,
    progress: Callable[[str], None] = lambda _: None,
) -> Any:
    """Learn a task by gradient descent, as `learn` does, and report progress; return a `Learned`.

    `watch` gets the loss, the hard accuracy, the selectors and the program, as JSON; it may raise
    `Interrupted` to end the search.
    """
    definition = find_task(task)
    if problem := cannot_learn():
        raise EngineUnavailable(problem)
    from transputer.learning.learner import finish
    from transputer.learning.watched import descend_watched

    progress(f"{task}: gradient")
    result = descend_watched(definition, lambda record: watch(record.as_json()), seed, seconds)
    return finish(definition, result, "gradient", progress=progress)
