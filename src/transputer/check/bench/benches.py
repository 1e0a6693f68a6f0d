"""The benchmarks by name. A new one is a function and a line here."""

from collections.abc import Callable
from dataclasses import dataclass

from transputer.check.bench import commands, frames, gpu, loom, programs, streams
from transputer.check.bench.costs import lookup_costs, op_costs
from transputer.check.bench.report import Cell, Report, machine
from transputer.runtime.learn import learning_device, learning_shown


@dataclass(frozen=True, slots=True)
class Bench:
    """A benchmark: a description, and the function that runs it (with `quick` and `progress`)."""

    about: str
    measure: Callable[..., Report]


def lookup(*, quick: bool = False, progress: programs.Progress = lambda text: None) -> Report:
    """Measure a lookup among t keys: by table, nearest in a tree, by scanning."""
    rows, here = [], machine()
    for cost in lookup_costs(10**4 if quick else 10**7, 0.02 if quick else 0.3):
        progress(f"{cost.kind} among {cost.keys:,} keys")
        rows.append((cost.kind, cost.keys, cost.lookups, 1e6 * cost.seconds))
    columns = ("lookup", "keys", "timed", "µs per step")
    title = "One step with one lookup among t keys, native"
    return Report("lookup", title, columns, list(rows), [], here)


def ops(*, quick: bool = False, progress: programs.Progress = lambda text: None) -> Report:
    """Measure every instruction of WebAssembly."""
    rows, here = [], machine()
    for cost in op_costs(times=20 if quick else 2000):
        progress(cost.name)
        accepted = not cost.refused
        rows.append(
            (cost.name, *((cost.fewest, cost.steps, cost.most, cost.nanoseconds) if accepted
                          else (None,) * 4), cost.refused)
        )  # fmt: skip
    columns = ("instruction", "fewest steps", "steps", "most steps", "ns per step", "refused")
    return Report("ops", "Every instruction, native", columns, list(rows), [], here)


_MET = {True: "yes", False: "NO", None: "not shown here"}


def learn(*, quick: bool = False, progress: programs.Progress = lambda text: None) -> Report:
    """Measure the claims about learning: what each needs, what was measured, whether it holds."""
    here = machine()
    rows: list[tuple[Cell, ...]] = [
        (each.claim, each.needed, each.measured, _MET[each.met])
        for each in learning_shown(quick, progress)
    ]
    notes = ["Seeds are fixed; in brackets are 95 % intervals. An evaluation is one program run on "
             "all examples, softly with its gradient or hard.",
             f"Programs were learned on {learning_device()}."]  # fmt: skip
    if quick:
        notes.append("A quick look: few restarts, few seeds, short searches.")
    columns = ("claim", "needed", "measured", "met")
    return Report("learn", "Learning programs of the soft machine", columns, rows, notes, here)


BENCHES = {
    "programs": Bench(
        "Time the same programs on every engine; this is the default.", programs.measure
    ),
    "commands": Bench("Time whole commands, start-up included.", commands.measure),
    "streams": Bench("Time programs that read and write, and each byte.", streams.measure),
    "frames": Bench("Count the frames that games draw in a second.", frames.measure),
    "lookup": Bench("Time a lookup among 10^2 to 10^7 keys.", lookup),
    "ops": Bench("Count the steps of every instruction and time them.", ops),
    "loom": Bench("Time the loom machine's programs on its engines.", loom.measure),
    "gpu": Bench("Show what a CUDA device was measured to do.", gpu.measure),
    "learn": Bench("Measure what the soft machine learns (extra: jax).", learn),
}
