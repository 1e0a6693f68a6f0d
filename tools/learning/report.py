"""`python -m tools.learning.report` writes `docs/learning.md` from saved results."""

from tools.learning import sections
from tools.learning.sections import DOCS, Result, percent, table
from tools.learning.svg import bars, curves
from transputer.isa.soft import SOFT
from transputer.learning.tasks import TASKS


def results(name: str) -> list[Result]:
    """Saved results as a list, by the name of their file."""
    found = sections.saved(name)
    return found if isinstance(found, list) else [found]


def render() -> str:
    """The whole page as Markdown."""
    (agreed,) = results("agreement")
    return "\n".join((
        _INTRODUCTION.format(**agreed), sections.bench(), _ALONE, _shown(), _fresh(), _RATES,
        _rates(), sections.ablations(), sections.crossover(), _WATCHED, _SOLVED, _solved(),
        _seed(), sections.aided(), sections.sums(), sections.sorting(), sections.gallery(), _LIMITS,
        "## The operations\n", _operations(),
    ))  # fmt: skip


def _shown() -> str:
    expected = {r["task"]: r for r in results("found")}
    rows = [
        (r["task"], r["settings"]["length"], f"{r['solved']} of {r['restarts']}", percent(r),
         round(r["settings"]["updates"] / r["rate"]), f"{expected[r['task']]['seconds']} s")
        for r in results("shown")
    ]  # fmt: skip
    head = ("task", "length", "restarts that learned it", "rate, 95 % interval",
            "evaluations for one success", "first program at 32 bits")  # fmt: skip
    return table(head, rows)


def _fresh() -> str:
    rows = [(r["task"], f"{r['solved']} of {r['restarts']}", percent(r)) for r in results("fresh")]
    head = ("the same settings on a seed that chose nothing (1)", "learned", "rate, 95 % interval")
    return table(head, rows)


def _rates() -> str:
    rows = [(r["name"], f"{r['solved']} of {r['restarts']}", percent(r)) for r in results("rates")]
    return table(("task and what differs", "learned", "rate, 95 % interval"), rows)


def _solved() -> str:
    found = results("solved")
    rows = []
    for name, task in TASKS.items():
        runs = [r for r in found if r["task"] == name]
        right = [r for r in runs if r["solved"]]
        if not right:
            rows.append((name, f"0 of {len(runs)}", "", "", "", "", "not found"))
            continue
        one = right[0]
        mean = sum(r["evaluations"] for r in right) // len(right)
        slowest = max(r["seconds"] for r in runs)
        minimal = {True: "yes", False: "no", None: ""}[one["minimal"]]
        given = "yes" if task.sketch else ""
        rows.append((name, f"{len(right)} of {len(runs)}", f"{mean:,}", f"{slowest:.1f}", minimal,
                     given, f"`{'; '.join(one['program'])}`"))  # fmt: skip
    head = ("task", "seeds solved", "evaluations (mean)", "slowest, s", "minimal", "sketch",
            "program")  # fmt: skip
    return table(head, rows) + "\n" + _proofs(found)


def _proofs(found: list[Result]) -> str:
    lines = ["What is proved about the first program of each task:\n"]
    for name in TASKS:
        proofs = [r["proof"] for r in found if r["task"] == name and r["proof"]]
        if proofs:
            lines.append(f"* `{name}`: {'; '.join(proofs[0]['facts'])}.")
    return "\n".join(lines) + "\n"


def _seed() -> str:
    shown = {r["task"]: r for r in results("shown")}
    solved = results("solved")

    def mean(task: str) -> str:
        counts = [r["evaluations"] for r in solved if r["task"] == task and r["solved"]]
        return f"{sum(counts) // len(counts):,}" if counts else "not solved"

    def gradient(task: str) -> str:
        return f"{shown[task]['settings']['updates'] / shown[task]['rate']:,.0f}"

    rows = [
        ("add", "847", gradient("add"), mean("add")),
        ("max", "2,341", gradient("max"), mean("max")),
        ("sum_array", "15,000", "not learned", mean("sum_array")),
        ("bubble_sort, n = 4 (here sort4)", "50,000 (98.5 % right)", "not learned", mean("sort4")),
    ]
    head = ("task", "episodes of the original", "gradient: evaluations", "annealing: evaluations")
    return _AGAINST + table(head, rows)


def _operations() -> str:
    rows = [(op.code, op.name, ", ".join(op.imm), op.doc) for op in SOFT]
    return table(("number", "name", "fields", "what it does"), rows)


_INTRODUCTION = """\
# Learning programs

Written by `python -m tools.learning.report` from the results in `docs/learning/`.

The soft machine is a computer whose every choice is a distribution: the operation, the registers,
the place in the program. Values are vectors of bits, so that a blend of two words is a word of
chances, and at temperature zero it is an ordinary computer: on {pairs:,} random programs and
states the soft step and the hard step were equal in every bit, {different} differed
(`python -m transputer.machines.soft.check`). It is not a transformer.

`transputer learn max` learns a program from examples, shortens it, and proves it. An
*evaluation* is one program run on all examples: softly and with its gradient for gradient
descent, hard for searches. A program counts as learned when it is right on *every* input at
8 bits (where there are at most two arguments; otherwise on edge cases and 3,000 by chance).
"""
_ALONE = """
## Gradient descent alone

Adam on the logits, from random examples, no warm start, no annealing, no discrete search. The
tasks `max` and `abs` must do without MIN and MAX: 13 operations are left. 24 examples; every
restart starts from its own random logits. The first program at 32 bits was timed on two CPU cores
of a server, compiling included.

How the settings were chosen: `add` needed no choice; for `max` the length is the best of five
tried; the setting of `abs` is the best of about forty tried, on the same seed (0), and so on the
same examples, as the first table. Its rate there may be flattered; the second table is a check.
"""
_RATES = """
![restarts that learned the task](learning/slack.svg)

![training](learning/training.svg)

## What helps and what does not

Slack length matters most: `max` needs 2 instructions and is learned rarely with 2, nearly always
with 8. Annealing the temperature did not help. A chance to HALT at every place costs a little
(`without ()` allows it). For `abs`, larger first logits, more registers than it needs and noise on
the logits help, one after the other.
"""
_WATCHED = """
## While learning

`max` in 4 places, 32 restarts (`python -m tools.learning.watch`): the last loss of each
restart, green where the program is right; then the chances of the operations at each place over the
first 200 of 600 updates, for a restart that was right and for one that was not; then the program
counter of the learned `sum_array` on four words, step by step, at temperature 0 and softly: chance
leaks to the end.

![restarts](learning/restarts.svg)

![selectors of a right one](learning/selectors-right.svg)

![selectors of a wrong one](learning/selectors-wrong.svg)

![program counter](learning/counter.svg)
"""
_SOLVED = """
## Every task

Annealed random changes at 8 bits (`transputer learn TASK --method mcmc`), a right value in the
wrong register earning part of the points; every program found was then checked at 32 bits, and
proved where the list below says so. Tasks marked *sketch* were given the loop or the last lines,
as `learn/tasks.py` shows; every task has a mask of operations there. Programs found without a
sketch are shortened.
"""
_AGAINST = """
## Against the original

The page that this machine goes back to counts *episodes* and does not define them. Here an
evaluation is one program run on all examples: 24 for gradient descent (softly, with its gradient),
16 and more for annealing (hard, and stopped as soon as it is clearly worse). The first columns
have no help but each task's mask.

"""
_LIMITS = """
## Where it falls short

* Gradient descent learns short straight-line programs. It never learned `average` or `blsr` here.
  Loops come from annealing, which takes more evaluations than the original took episodes.
* Straight-through and Gumbel choices, hard forward and soft backward, learned next to nothing,
  untuned.
* `gcd`, `fibonacci` and `binary_search` are checked on every input at 8 bits or on thousands of
  inputs, not proved at 32 bits: data decide their addresses or rounds. For `multiply` the solver
  gave up.
* Array programs are proved for lengths up to 5 and tried up to 8; a test runs the learned
  `sum_array` on 1,000 words.
* Sketches are a help: without one, 40 seconds of annealing found none of `count`, `linear_search`
  and `gcd`.
* Gradient descent did not learn `sum_array` even with the loop's last line and a mask of five
  operations given (0 of 16 restarts, arrays of up to 3 words). Help of that kind makes annealing
  need fewer evaluations than the original's episodes; without any it needs far more.
* A library reached by CALL did not help gradient descent with `clamp`: no restart learned it with
  it or without. Libraries help annealing, as pieces whose registers are renamed.
* Loops that sort were learned only around a given compare and exchange. With both loops given
  instead, 2.7 million evaluations did not find the six instructions of the exchange.
"""


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
