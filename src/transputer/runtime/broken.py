"""A run on broken weights beside the healthy run: the first step that differs, and the outcome."""

from collections.abc import Callable
from html import escape
from typing import Any

from transputer.debugger.damage import DONE, Damage, break_part, part_title
from transputer.debugger.debugger import BreakableDebugger, Debugger
from transputer.host.outcome import Pulse, quiet
from transputer.registry import machine
from transputer.runtime.views import Json, View
from transputer.values import dataclass

#: A broken program may loop: it gets this many times the healthy run's steps, and more steps.
TIMES, MORE = 2, 10_000


@dataclass(frozen=True, slots=True)
class BrokenRun:
    """Two runs of a program: with healthy weights, and with a part of the weights broken.

    `first` is the first step that differs; None if all are equal.
    """

    part: str
    how: Damage
    title: str
    healthy: BreakableDebugger
    broken: BreakableDebugger
    first: int | None

    def __str__(self) -> str:
        """What was broken, the first step that differs, and what both runs came to."""
        lines = [f"{self.title} {DONE[self.how]}"]
        if self.first is None:
            lines.append("no step differs: this run does not use it")
        else:
            step = min(self.first, self.broken.steps)
            lines.append(f"first difference at step {self.first:,}, {self.broken.place(step)}")
            for name, run in (("healthy", self.healthy), ("broken", self.broken)):
                lines.append(f"  {name + ':':9}{run.written(self.first)}")
        lines.append("outcome")
        for name, run in (("healthy", self.healthy), ("broken", self.broken)):
            lines.append(f"  {name + ':':9}{outcome(run)}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def as_json(self) -> Json:
        """Return the form that the studio shows."""
        return {
            "part": self.part,
            "how": self.how,
            "title": f"{self.title} {DONE[self.how]}",
            "first": self.first,
            "healthy": outcome(self.healthy),
            "broken": outcome(self.broken),
        }


def break_weight(
    healthy: BreakableDebugger,
    part: str,
    how: Damage = "zero",
    *,
    pulse: Pulse = quiet,
    started: Callable[[Debugger], None] | None = None,
) -> BrokenRun:
    """Run the program of a debugger again with a part of the weights broken.

    `part` is as in `break_part`, which raises `UsageError` for an unknown one. Raises
    `CapacityError` if the broken model's sums could round: it is refused, not approximated.
    """
    model = healthy.weights
    most = max(TIMES * healthy.steps, healthy.steps + MORE)
    broken = healthy.again(
        model=break_part(model, part, how), max_steps=most, pulse=pulse, started=started
    )
    broken.healthy = healthy
    first = healthy.first_difference(broken)
    return BrokenRun(part, how, part_title(model, part), healthy, broken, first)


def outcome(run: Debugger) -> str:
    """Return the result of a run, its last output and its number of steps, as text."""
    result = run.result
    if result is None:
        return run.stopped or "no result"
    value = f"trap: {result.cause}" if result.trap else " ".join(result.text)
    value = value or f"exit code {result.exit_code}"
    return f"{value} after {run.steps:,} steps"


def _view_of(run: Debugger) -> View:
    view: View = machine(run.machine).ability("view").call(run)
    return view


class BrokenView:
    """The view of a broken run; every step has the healthy run's beside it."""

    def __init__(self, pair: BrokenRun) -> None:
        self.pair = pair
        self._view, self._healthy = _view_of(pair.broken), _view_of(pair.healthy)

    def __getattr__(self, name: str) -> Any:
        """Return what the view of the broken run has."""
        return getattr(self._view, name)

    def look(self, number: int, address: int = 0, count: int = 256) -> Json:
        """Return a step as every view does, and the same step of the healthy run."""
        step = min(number, self.pair.healthy.steps + 1)
        beside = self._healthy.step(step)
        return {
            **self._view.look(number, address, count),
            "beside": {
                **{name: beside[name] for name in ("step", "ended", "instruction", "writes")},
                **self._healthy.output(step),
            },
        }

    def summary(self) -> Json:
        """Return the result of the broken run, and the comparison."""
        return {**self._view.summary(), "broken": self.pair.as_json()}
