"""`python -m tools.learning.report` writes `docs/learning.md` from saved results."""

from collections.abc import Iterable
from typing import Any

from tools.learning import sections, yardsticks
from tools.learning.sections import DOCS, Result, flow, percent, table
from tools.learning.svg import bars, curves
from transputer.isa.soft import SOFT
from transputer.learning.problem import BOUND, CHECKS
from transputer.learning.search import EXAMPLES, LONGEST_EXAMINED
from transputer.learning.tasks import EPISODES, TASKS


def names(tasks: Iterable[str], conjunction: str = "and") -> str:
    """Tasks as a list in prose."""
    *most, last = [f"`{task}`" for task in dict.fromkeys(tasks)] or ["none"]
    return f"{', '.join(most)} {conjunction} {last}" if most else last


def results(name: str) -> list[Result]:
    """Saved results as a list, by the name of their file."""
    records = sections.saved(name)
    return records if isinstance(records, list) else [records]


def render() -> str:
    """The whole page as Markdown."""
    facts = _facts()
    parts = (
        flow(_INTRODUCTION.format(**facts)), _OWN.format(**facts), yardsticks.figures(),
        yardsticks.unseen(),
        yardsticks.hackers(), yardsticks.psb(), yardsticks.pbe(),
        yardsticks.kernels(), yardsticks.mutants(),
        sections.bench(), flow(_ALONE.format(**facts)), _shown(), _fresh(), yardsticks.uniform(),
        flow(_RATES.format(**facts)), _rates(), sections.ablations(),
        sections.crossover(), yardsticks.drivers(),
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
    records = results("solved")
    rows = []
    for name in TASKS:
        runs = [r for r in records if r["task"] == name]
        right = [r for r in runs if r["solved"]]
        if not right:
            spent = max((r["seconds"] for r in runs), default=0.0)
            rows.append((name, f"0 of {len(runs)}", "", f"{spent:.1f}", "", "", "none"))
            continue
        one = right[0]
        mean = sum(r["evaluations"] for r in right) // len(right)
        slowest = max(r["seconds"] for r in runs)
        minimal = {True: "yes", False: "no", None: ""}[one["minimal"]]
        given = one["help"]["skeleton"] or one["method"]
        rows.append((name, f"{len(right)} of {len(runs)}", f"{mean:,}", f"{slowest:.1f}", minimal,
                     given, f"`{'; '.join(one['program'])}`"))  # fmt: skip
    head = ("task", "seeds solved", "evaluations (mean)", "slowest seed, s", "minimal",
            "skeleton or method", "program")  # fmt: skip
    return table(head, rows) + "\n" + _proofs(records)


def _proofs(records: list[Result]) -> str:
    lines = ["What is known about the first program of each task:\n"]
    for name in TASKS:
        proofs = [r["proof"] for r in records if r["task"] == name and r["proof"]]
        if proofs:
            lines.append(f"* `{name}`: {'; '.join(proofs[0]['facts'])}.")
    return "\n".join(lines) + "\n"


def _against(facts: dict[str, Any]) -> str:
    shown = {r["task"]: r for r in results("shown")}
    solved = results("solved")

    def annealing(task: str) -> str:
        counts = [r["evaluations"] for r in solved if r["task"] == task and r["solved"]]
        return f"{sum(counts) // len(counts):,}" if counts else "not solved"

    alone = [r for r in results("uniform") if not r["given"]]

    def gradient(task: str) -> str:
        runs = [shown[task]] if task in shown else [r for r in alone if r["task"] == task]
        if not runs:
            return "not measured"
        best = max(runs, key=lambda r: r["rate"])
        tried = f"none of {sum(r['restarts'] for r in runs)} restarts"
        return f"{best['settings']['updates'] / best['rate']:,.0f}" if best["rate"] else tried

    titles = {"sort4": "bubble_sort, n = 4 (here sort4)"}
    rows = [
        (titles.get(task, task), f"{count:,}", gradient(task), annealing(task))
        for task, count in EPISODES.items()
    ]
    head = ("task", "episodes of the original", "gradient: evaluations", "portfolio: evaluations")
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

`transputer learn` takes a Python function, a SyGuS file, a file of examples, or the name of a
task. It searches with several methods in parallel, shortens what it has found and proves it. An
*evaluation* is one program run on all examples: softly and with its gradient for gradient descent,
hard for searches; for the enumeration of terms it is one operation on all examples. A program
counts as learned when it is right on edge cases and {checks:,} random inputs (named tasks with up
to two arguments: also on *every* input at 8 bits). The inputs of an array task hold random words
outside the array; a program that depends on them or changes them is wrong.
"""
_OWN = """
## Your own task

<!-- not run: the files are yours; tests learn such tasks from all four -->

```console
$ transputer learn spec.py:median            # a Python function: learned, then proved
$ transputer learn task.sl                   # a SyGuS problem over bit vectors: likewise
$ transputer learn examples.csv              # examples: learned; "not a proof", and it says so
$ transputer learn max                       # a task by name
```

In Python, `tp.learn(function)` and `tp.learn([((1, 2), 3), ((5, 7), 12)])` do the same.

A function takes integers and at most one list, the array. It may raise: inputs on which it raises
are outside its domain, so `assert x > 0` is a precondition. What it returns is left in R0 (a
tuple: R0, R1 and so on); a list that it returns or changes is the array as it must become.
Negative numbers are used unless the function counts bits or does not end on them; `--inputs`
decides otherwise. In a CSV file the last column is the result, or those named `result`, `out1`,
`out2` and so on; an array is written in one cell, `[3 1 2]`. In JSON an example is
`[[inputs…], result]` or an object.

Nothing else has to be set. `--operations`, `--constants`, `--registers`, `--length` and `--sketch`
restrict or help the search, `--method` picks one member, `--no-prove` skips the proof. Words have
32 bits, or 8, 16 or 64 with `--width`; a SyGuS file says it itself. The number of an instruction
has 32 bits and is sign-extended to 64; other constants take three instructions.

Every result says which method had the program, how many evaluations there were, and all the help
the search had: operations, constants (those that stand in the specification come first), the
sketch, the skeleton of a loop. Where two short programs agree with the examples, the result has an
input on which they differ: add the right answer to the examples.

A Python function is run on unknown integers for the proof: its terms are wide enough that nothing
wraps. Where that cannot be done (an unknown index, a division by an unknown number), the result
says why there is no proof, and the program is checked on every input at 8 bits if it has up to two
arguments. Array programs are proved for arrays of 1 to {bound} words at any address, or at every
address where the array does not cross the largest signed word; the fact says which.
Memory outside the array holds anything and must not change. *Minimal* is claimed for straight-line
programs of up to {short} instructions, for the operations and constants that the result names: a
breadth-first search that merges programs which agree on the examples finds no shorter program that
is right on them, so there is none.

The members of the portfolio: enumeration of terms (bottom-up, one term for each behaviour on the
examples, then decision lists over terms), enumeration of loops (skeletons with small blocks),
annealing, cvc5's SyGuS solver, and gradient descent. They work in slices under one budget; a
member that makes progress gets more. They share examples: every wrong program adds an input on
which it is wrong. Compiled JAX steps are cached on disk, and JAX uses a GPU where it has one.
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

The whole portfolio (`transputer learn TASK`), with no sketch and no setting by the name of the
task. Every program was checked at 8 and 32 bits, and proved where the list below says so. Every
task allows only some operations; `transputer/learning/tasks.py` lists them.
"""
_AGAINST = """
## Against the original

The page that this machine goes back to counts *episodes* without defining them. Here an evaluation
is one program run on all examples: {examples} for gradient descent (softly, with its gradient),
{searched} or more for the portfolio (hard, and stopped as soon as a program is clearly worse). No
task has any help in this table except its set of operations and the portfolio's skeletons.

"""
_LIMITS = """
## Limits

* Gradient descent learns short straight-line programs. No restart learned {never}. Loops come from
  enumeration and annealing.
* With straight-through and Gumbel estimators, untuned, {hard} of {hard_restarts} restarts
  succeeded.
* Named tasks that are not proved at 32 bits: {unproved}; the list above gives the reasons. They are
  checked on every input at 8 bits or on thousands of inputs.
* Named tasks that the portfolio did not solve: {unsolved}.
* Array programs are proved for lengths up to {bound}, and tried up to {tried}; a test runs the
  learned `sum_array` on 1,000 words. There is no proof for all lengths.
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
        "short": LONGEST_EXAMINED,
        "tried": TASKS["sum_array"].size,
        "unsolved": names(r["task"] for r in results("solved") if not r["solved"]),
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
