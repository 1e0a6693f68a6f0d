"""Plots for notebooks, with matplotlib: attention, lanes, and speed as a run grows."""

import itertools
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from transputer.debugger.fields import group_of
from transputer.errors import EngineUnavailable, StepLimitError, UsageError
from transputer.ir.values import Value
from transputer.machines.trace.uses import uses
from transputer.model import Model
from transputer.runtime.trace.debug import TraceDebugger
from transputer.runtime.trace.program import TraceProgram
from transputer.runtime.trace.run import run_program

_COLOURS = {
    "where": "#4c5bd8", "stack": "#2269c4", "address": "#7d49c9", "value": "#0b8f6f",
    "token": "#6b7284", "operation": "#b97509", "work": "#c93f62",
}  # fmt: skip
#: The least number of steps to time, and the factor between two lengths.
_SHORTEST, _GROWTH = 64, 1.4
_HEADS = ("#4c5bd8", "#b97509", "#0b8f6f", "#c93f62", "#7d49c9", "#0d84a8", "#5c8413")


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as pyplot
    except ImportError:
        raise EngineUnavailable("plots need matplotlib; pip install 'transputer[plots]'") from None
    return pyplot


def plot_attention(
    debugger: TraceDebugger, step: int | None = None, *, all_heads: bool = False
) -> Any:
    """Return a matplotlib figure of the tokens that the heads of a step attend to, as arcs.

    `step` is by default the cursor's; without `all_heads`, only the heads that its instruction
    uses are shown. Positions are in order; ranges that no head attends to are left out.
    """
    number = debugger.cursor if step is None else step
    if number > debugger.steps:
        raise UsageError(f"the run has {debugger.steps} steps")
    state = debugger.state(number)
    instr = debugger.listing[state.now.pc]
    lookups = [f for f in debugger.look(number).lookups if all_heads or f.name in uses(instr.name)]
    near = range(max(0, state.position - 5), state.position + 1)
    places = sorted({f.position for f in lookups} | set(near))
    at = {position: x for x, position in enumerate(places)}
    figure, axes = _pyplot().subplots(figsize=(max(6.0, 0.7 * len(places)), 3.0))
    here = at[state.position]
    for i, lookup in enumerate(lookups):
        x = np.linspace(0, np.pi, 60)
        middle, reach = (here + at[lookup.position]) / 2, (here - at[lookup.position]) / 2
        height = 0.5 + abs(reach) * 0.5 + 0.12 * i
        colour = _HEADS[i % len(_HEADS)]
        axes.plot(middle - reach * np.cos(x), height * np.sin(x), color=colour, lw=1.8)
        axes.text(middle, height, lookup.name, color=colour, ha="center", va="bottom", fontsize=9)
    axes.scatter(range(len(places)), [0] * len(places), s=60, color="#1c2030", zorder=3)
    axes.scatter([here], [0], s=90, color="#f5b454", zorder=4)
    axes.set_xticks(range(len(places)), [f"{p:,}" for p in places], rotation=45, fontsize=8)
    axes.set_yticks([])
    axes.set_title(f"step {number:,}: {instr}", loc="left", fontsize=11)
    axes.set_xlabel("token")
    axes.spines[["left", "right", "top"]].set_visible(False)
    figure.tight_layout()
    return figure


def plot_lanes(model: Model) -> Any:
    """Return a matplotlib figure of the layers in which each lane is live, coloured by group.

    Raises `UsageError` for a model without lane names.
    """
    lanes = model.hints.get("lanes")
    if not lanes:
        raise UsageError("the model has no names for its lanes")
    pyplot = _pyplot()
    figure, axes = pyplot.subplots(figsize=(8.0, 6.0))
    depth = len(model.layers)
    for group, colour in _COLOURS.items():
        members = [lane for lane in lanes if group_of(lane["name"]) == group]
        starts = [(lane["from"] + 1) / 2 for lane in members]  # hints count in half layers
        ends = [min(depth, lane["to"]) + 0.5 for lane in members]
        rows = [lane["lane"] for lane in members]
        widths = [end - start for start, end in zip(starts, ends, strict=True)]
        axes.barh(rows, widths, left=starts, height=1.0, color=colour, label=group)
    axes.set_xlabel("layer")
    axes.set_ylabel("lane")
    axes.set_xlim(0, depth + 0.5)
    axes.set_ylim(-1, model.width)
    axes.legend(ncols=len(_COLOURS), fontsize=8, frameon=False, loc="upper center",
                bbox_to_anchor=(0.5, 1.07))  # fmt: skip
    figure.tight_layout()
    return figure


def plot_speed(
    program: TraceProgram,
    invoke: str | None = None,
    args: Sequence[Value | str] = (),
    *,
    engines: Sequence[str] = ("native",),
    max_steps: int = 1_000_000,
) -> Any:
    """Return a matplotlib figure of steps per second of CPU time over the length, by engine.

    The program runs once on each engine. If a head compared every token, speed would fall as
    1 / length.
    """
    figure, axes = _pyplot().subplots(figsize=(7.0, 4.0))
    for engine, colour in zip(engines, itertools.cycle(_HEADS), strict=False):
        lengths, rates = speeds(program, invoke, args, engine=engine, max_steps=max_steps)
        axes.plot(lengths, rates, "o-", color=colour, lw=1.6, ms=4, label=engine)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("steps so far")
    axes.set_ylabel("steps per second of CPU time")
    axes.grid(True, which="major", lw=0.4, color="#c9ccd6")
    axes.spines[["right", "top"]].set_visible(False)
    axes.legend(frameon=False)
    figure.tight_layout()
    return figure


def speeds(
    program: TraceProgram,
    invoke: str | None = None,
    args: Sequence[Value | str] = (),
    *,
    engine: str = "native",
    max_steps: int = 1_000_000,
) -> tuple[list[int], list[float]]:
    """Return increasing lengths of a run, and the steps per second between each and the last.

    Raises `UsageError` for a run that is too short to time.
    """
    times = [(0, time.process_time())]

    def note(steps: int) -> None:
        if steps >= max(_SHORTEST, _GROWTH * times[-1][0]):
            times.append((steps, time.process_time()))

    with suppress(StepLimitError):  # the times up to the limit count
        run_program(program, invoke, args, engine=engine, max_steps=max_steps, pulse=note)
    pairs = list(itertools.pairwise(times))[1:]  # the first includes the prompt
    if not pairs:
        raise UsageError(f"{engine}: the run is too short to measure its speed")
    return (
        [after for _, (after, _) in pairs],
        [(after - before) / max(end - start, 1e-9) for (before, start), (after, end) in pairs],
    )
