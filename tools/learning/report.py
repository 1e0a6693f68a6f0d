"""`python -m tools.learning.report` writes `docs/learning.md` from saved results."""

from collections.abc import Iterable
from typing import Any

from tools.learning import sections
from tools.learning.sections import DOCS, Result, flow, percent, table
from tools.learning.svg import bars, curves
from transputer.isa.soft import SOFT
from transputer.learning.problem import BOUND, CHECKS
from transputer.learning.search import EXAMPLES
from transputer.learning.tasks import EPISODES, TASKS


def names(tasks: Iterable[str], conjunction: str = "and") -> str:
    """Tasks as a list in prose."""
    *most, last = (f"`{task}`" for task in dict.fromkeys(tasks))
    return f"{', '.join(most)} {conjunction} {last}" if most else last


def results(name: str) -> list[Result]:
    """Saved results as a list, by the name of their file."""
    found = sections.saved(name)
    return found if isinstance(found, list) else [found]


def render() -> str:
    """The whole page as Markdown."""
    facts = _facts()
    parts = (
        flow(_INTRODUCTION.format(**facts)), sections.bench(), flow(_ALONE.format(**facts)),
        _shown(), _fresh(), flow(_RATES.format(**facts)), _rates(), sections.ablations(),
        sections.crossover(),
        flow(_WATCHED.format(**facts)), _SOLVED, _solved(), _against(facts), sections.aided(),
        sections.sums(), sections.sorting(), sections.gallery(), flow(_LIMITS.format(**facts)),
        "## The operations\n", _operations(),
    )  # fmt: skip
    return "\n".join(parts)


def _shown() -> str:
    expected = {r["task"]: r for r in results("found")}
    rows = [
        (r["task"], r["settings"]["length"], f"{r['solved']} of {r['restarts']}", percent(r),
         round(r["settings"]["updates"] / r["rate"]), f"{expected[r['task']]['seconds']} s")
        for r in results("shown")
    ]  # fmt: skip
    head = ("task", "length", "restarts that succeeded", "rate, 95 % interval",
            "evaluations per success", "first program at 32 bits")  # fmt: skip
    return table(head, rows)


def _fresh() -> str:
    rows = [(r["task"], f"{r['solved']} of {r['restarts']}", percent(r)) for r in results("fresh")]
    head = ("the same settings on another seed", "restarts that succeeded", "rate, 95 % interval")
    return table(head, rows)


def _rates() -> str:
    rows = [(r["name"], f"{r['solved']} of {r['restarts']}", percent(r)) for r in results("rates")]
    return table(
        ("task and settings that differ", "restarts that succeeded", "rate, 95 % interval"), rows
    )


def _solved() -> str:
    found = results("solved")
    rows = []
    for name, task in TASKS.items():
        runs = [r for r in found if r["task"] == name]
        right = [r for r in runs if r["solved"]]
        if not right:
            rows.append((name, f"0 of {len(runs)}", "", "", "", "", "none"))
            continue
        one = right[0]
        mean = sum(r["evaluations"] for r in right) // len(right)
        slowest = max(r["seconds"] for r in runs)
        minimal = {True: "yes", False: "no", None: ""}[one["minimal"]]
        given = "yes" if task.sketch else ""
        rows.append((name, f"{len(right)} of {len(runs)}", f"{mean:,}", f"{slowest:.1f}", minimal,
                     given, f"`{'; '.join(one['program'])}`"))  # fmt: skip
    head = ("task", "seeds solved", "evaluations (mean)", "slowest seed, s", "minimal", "sketch",
            "program")  # fmt: skip
    return table(head, rows) + "\n" + _proofs(found)


def _proofs(found: list[Result]) -> str:
    lines = ["What is known about the first program of each task:\n"]
    for name in TASKS:
        proofs = [r["proof"] for r in found if r["task"] == name and r["proof"]]
        if proofs:
            lines.append(f"* `{name}`: {'; '.join(proofs[0]['facts'])}.")
    return "\n".join(lines) + "\n"


def _against(facts: dict[str, Any]) -> str:
    shown = {r["task"]: r for r in results("shown")}
    solved = results("solved")

    def annealing(task: str) -> str:
        counts = [r["evaluations"] for r in solved if r["task"] == task and r["solved"]]
        return f"{sum(counts) // len(counts):,}" if counts else "not solved"

    def gradient(task: str) -> str:
        if task not in shown:
            return "not measured"
        rate = shown[task]["rate"]
        return f"{shown[task]['settings']['updates'] / rate:,.0f}" if rate else "not learned"

    titles = {"sort4": "bubble_sort, n = 4 (here sort4)"}
    rows = [
        (titles.get(task, task), f"{count:,}", gradient(task), annealing(task))
        for task, count in EPISODES.items()
    ]
    head = ("task", "episodes of the original", "gradient: evaluations", "annealing: evaluations")
    return flow(_AGAINST.format(**facts)) + table(head, rows)


def _operations() -> str:
    rows = [(op.code, op.name, ", ".join(op.imm), op.doc) for op in SOFT]
    return table(("number", "name", "fields", "what it does"), rows)


_INTRODUCTION = """\
# Learning programs

After this page you can let the soft machine learn a program from examples, read what the result
claims, and judge how well each method works. `python -m tools.learning.report` writes the page
from the results in `docs/learning/`.

The soft machine is a computer in which every choice is a probability distribution: the operation,
the registers, the place in the program. A value is a vector of bits, each a probability. At
temperature zero it is an ordinary computer: on {pairs:,} random programs and states the soft step
and the hard step differed in {different} (`python -m transputer.machines.soft.check`). It is not a
transformer.

`transputer learn max` learns a program from examples, shortens it and proves it. An *evaluation*
is one program run on all examples: softly and with its gradient for gradient descent, hard for
searches. A program counts as learned when it is right on *every* input at 8 bits (with more than
two arguments or an array: on edge cases and {checks:,} random inputs). The inputs of an array task
hold random words outside the array; a program that depends on them or changes them is wrong.
"""
_ALONE = """
## Gradient descent alone

Adam on the logits, from random examples, with no warm start, no annealing and no discrete search.
The tasks `max` and `abs` do without MIN and MAX, which leaves {ops} operations. There are
{examples} examples, and every restart has its own random logits. The first program at 32 bits was
timed on two CPU cores of a server, compilation included.

The settings of `add` were not tuned. For `max` only the length was tuned. The settings of `abs` are
the best of many, tuned on the same seed and so on the same examples as the first table; its rate
there may be too high. The second table checks it on a seed that was not used for tuning.
"""
_RATES = """
![share of restarts that learned the task](learning/slack.svg)

![mean loss over updates](learning/training.svg)

## What helps and what does not

Spare length matters most: with two places {two:.0%} of the restarts learn `max`, with eight
{eight:.0%}. Annealing the temperature did not help. Allowing HALT at every place costs a little
(the row `without ()`). For `abs`, larger initial logits, spare registers and noise on the logits
help, one after the other.
"""
_WATCHED = """
## What happens during training

The plots show {restarts} restarts of `max` in {length} places
(`python -m tools.learning.watch`). First, the final loss of each restart, green where the program
is right. Then the probability of each operation at each place over the first {shown} of {updates}
updates, for a restart that succeeded and for one that failed. Last, the program counter of
`sum_array` on four words, step by step, at temperature 0 and at temperature 1, where probability
leaks to the end.

![final loss of each restart](learning/restarts.svg)

![operation probabilities of a restart that succeeded](learning/selectors-right.svg)

![operation probabilities of a restart that failed](learning/selectors-wrong.svg)

![program counter](learning/counter.svg)
"""
_SOLVED = """
## Every task

Simulated annealing at 8 bits (`transputer learn TASK --method mcmc`). A right value in the wrong
register earns part of the score. Every program was then checked at 32 bits, and proved where the
list below says so. A task marked *sketch* was given its loop or its last lines. Every task allows
only some operations; `transputer/learning/tasks.py` lists them. Programs without a sketch are
shortened.
"""
_AGAINST = """
## Against the original

The page that this machine goes back to counts *episodes* without defining them. Here an evaluation
is one program run on all examples: {examples} for gradient descent (softly, with its gradient),
{searched} or more for annealing (hard, and stopped as soon as a program is clearly worse). No task
has any help in this table except its set of operations.

"""
_LIMITS = """
## Limits

* Gradient descent learns short straight-line programs. No restart learned {never}. Loops come from
  annealing.
* With straight-through and Gumbel estimators, untuned, {hard} of {hard_restarts} restarts
  succeeded.
* Not proved at 32 bits: {unproved}. In `gcd`, `fibonacci` and `binary_search` the data decide the
  addresses or the number of rounds; they are checked on every input at 8 bits or on thousands of
  inputs.
* Array programs are proved for lengths up to {bound}, at fixed addresses, and tried up to {tried};
  a test runs the learned `sum_array` on 1,000 words.
* Some tasks need a sketch: {sketched}.
* A library reached by CALL did not help gradient descent with `clamp`: {library} of
  {library_restarts} restarts learned it with the library, {alone} of {alone_restarts} without.
* Loops that sort were learned only around a given compare and exchange.
"""


def _facts() -> dict[str, Any]:
    """Figures that the text mentions, from the saved results."""
    rates = {r["name"]: r for r in results("rates")}
    ablations = {r["name"]: r for r in results("ablations")}
    watched = sections.saved("watched")["max"]
    estimators = [
        r for name, r in ablations.items() if name.endswith(("straight-through", "Gumbel"))
    ]
    library = ablations["clamp: library of max and min"]
    alone = ablations["clamp without MIN and MAX, no library"]
    best: dict[str, float] = {}
    for r in results("rates"):
        best[r["task"]] = max(best.get(r["task"], 0.0), r["rate"])
    proofs = {r["task"]: r["proof"]["proved"] for r in results("solved") if r["proof"]}
    updates, moments = watched["settings"]["updates"], watched["selectors"][0]["chances"]
    return {
        **results("agreement")[0],
        "checks": CHECKS,
        "ops": len([op for op in TASKS["max"].ops if op != "HALT"]),
        "examples": results("shown")[0]["settings"]["examples"],
        "searched": EXAMPLES,
        "two": rates["max, length 2"]["rate"],
        "eight": rates["max, length 8"]["rate"],
        "restarts": len(watched["losses"]),
        "length": watched["settings"]["length"],
        "updates": updates,
        "shown": len(moments) * updates // sections.MOMENTS,
        "never": names((task for task, rate in best.items() if not rate), "or"),
        "hard": sum(r["solved"] for r in estimators),
        "hard_restarts": sum(r["restarts"] for r in estimators),
        "unproved": names(task for task, proved in proofs.items() if not proved),
        "bound": BOUND,
        "tried": TASKS["sum_array"].size,
        "sketched": names(task.name for task in TASKS.values() if task.sketch),
        "library": library["solved"],
        "library_restarts": library["restarts"],
        "alone": alone["solved"],
        "alone_restarts": alone["restarts"],
    }


def main() -> None:
    """Write the page and its pictures."""
    (DOCS / "learning.md").write_text(render(), encoding="utf-8")
    rates, shown = results("rates"), results("shown")
    slack = [r for r in rates if r["name"].count(",") == 1 and r["task"] in ("add", "max", "abs")]
    (DOCS / "learning" / "slack.svg").write_text(
        bars([(r["name"], r["rate"], *r["interval"]) for r in shown + slack]), encoding="utf-8"
    )
    for name, picture in sections.pictures().items():
        (DOCS / "learning" / name).write_text(picture, encoding="utf-8")
    (DOCS / "learning" / "training.svg").write_text(
        curves([(r["task"], r["mean_loss"]) for r in shown], "updates", "mean loss"),
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
