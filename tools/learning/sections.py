"""Sections of the page on learning, each from its saved results."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tools.learning.svg import columns, heat, powers

#: The pages, in a checkout.
DOCS = Path(__file__).parents[2] / "docs"
Result = dict[str, Any]


def saved(name: str) -> Any:
    """Saved results by the name of their file."""
    return json.loads((DOCS / "learning" / f"{name}.json").read_text(encoding="utf-8"))


def percent(result: Result) -> str:
    """A rate with its interval."""
    low, high = result["interval"]
    return f"{result['rate']:.0%} ({low:.0%} to {high:.0%})"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines) + "\n"


def code(program: Sequence[str]) -> str:
    """A program on one line."""
    return f"`{'; '.join(program)}`"


def listing(program: Sequence[str]) -> str:
    """A program as a block."""
    lines = (f"{place:2}  {line}" for place, line in enumerate(program))
    return "```\n" + "\n".join(lines) + "\n```\n"


def bench() -> str:
    """What `transputer bench learn` printed when it was last saved."""
    report = saved("learn")
    rows = [tuple(row.values()) for row in report["rows"]]
    held = report["machine"]
    where = f"{held['cpu']}, {held['cores']} cores, commit {held['commit']}"
    notes = " ".join(report["notes"])
    return _BENCH + table(tuple(report["rows"][0]), rows) + f"\n{where}. {notes}\n"


def _cost(result: Result) -> str:
    if not result["solved"]:
        return "-"
    successes = 1 if result.get("population") else result["solved"]  # copies are one success
    return f"{result['evaluations'] / successes:,.0f}"


def ablations() -> str:
    """One row for each technique."""
    rows = [
        (r["name"], f"{r['solved']} of {r['restarts']}", percent(r), _cost(r))
        for r in saved("ablations")
    ]
    head = ("task: what differs", "learned", "rate, 95 % interval", "evaluations for one success")
    high = [r for r in saved("ablations") if r["name"].endswith("floats, fixed high")]
    right, tried = (sum(r[name] for r in high) for name in ("solved", "restarts"))
    share = f"{right} of {tried}, {right / tried:.0%}"
    control = f"\nThe control at a fixed high temperature, all tasks: {share}.\n"
    return _ABLATIONS + table(head, rows) + control + compiled()


def compiled() -> str:
    """Programs of a plain compiler, shortened."""
    rows = [
        (r["task"], " → ".join(map(str, r["lengths"])), "yes" if r["proved"] else "no",
         code(r["program"]))
        for r in saved("compiled")
    ]  # fmt: skip
    return _COMPILED + table(("task", "length", "proved", "shortest program"), rows)


def aided() -> str:
    """Learning with help, stated."""
    rows = [
        (r["task"], r["given"], r["method"], f"{r['solved']} of {r['seeds']}",
         f"{r['mean']:,} ({r['interval'][0]:,} to {r['interval'][1]:,})")
        for r in saved("aided")
    ]  # fmt: skip
    head = ("task", "what was given", "method", "seeds solved", "evaluations, mean and 95 %")
    return _AIDED + table(head, rows)


def sums() -> str:
    """`sum_array` from one size and from several."""
    parts = [_SUMS]
    for each in saved("gallery")["sums"]:
        sizes = ", ".join(map(str, each["counts"]))
        kind = "a loop" if each["loops"] else "straight-line code"
        fate = (
            f"wrong for n = {each['wrong']}" if each["wrong"] else "right for every n from 1 to 16"
        )
        parts.append(f"n = {sizes}: {kind}, {fate} ({each['evaluations']:,} evaluations).\n\n"
                     + listing(each["program"]))  # fmt: skip
    return "\n".join(parts)


def sorting() -> str:
    """Sorting by learned loops."""
    found = saved("sorting")
    right = [r for r in found if r["right"]]
    sizes = sorted(set.intersection(*(set(r["right"]) for r in right)))
    pieces, loops = (sum(r[name] for r in found) // len(found) for name in ("piece", "loops"))
    shrinking = next(r for r in right if r["program"][-1].startswith("J"))
    return _SORTING.format(
        right=len(right), seeds=len(found), low=sizes[0], high=sizes[-1], pieces=pieces, loops=loops
    ) + listing(shrinking["program"])


def gallery() -> str:
    """Programs worth seeing."""
    rows = [
        (r["title"], code(r["program"]), f"{r['evaluations']:,}", r["facts"][-1])
        for r in saved("gallery")["rooms"]
    ]
    return _GALLERY + table(("task", "program", "evaluations", "known"), rows)


def crossover() -> str:
    """Gradient against search over the size of the machine."""
    rows = []
    for r in saved("crossover"):
        by, search = r["gradient"], r["search"]
        gradient = by["evaluations"] / by["solved"] if by["solved"] else None
        best = "gradient" if gradient is not None and gradient < search["mean"] else "search"
        rows.append((
            r["registers"], r["ops"], r["length"], f"{by['solved']} of {by['restarts']}",
            f"{gradient:,.0f}" if gradient is not None else "none",
            f"{search['mean']:,}" + ("" if search["solved"] == search["seeds"] else
                                     f" ({search['solved']} of {search['seeds']} solved)"), best,
        ))  # fmt: skip
    head = ("registers", "operations", "length", "restarts that learned it",
            "gradient: evaluations", "annealing: evaluations", "fewer")  # fmt: skip
    return _CROSSOVER + table(head, rows) + "\n![evaluations](learning/crossover.svg)\n"


def pictures() -> dict[str, str]:
    """Heat maps of selectors and of the program counter, and a column for each restart."""
    held = saved("watched")
    seen, counter = held["max"], held["counter"]
    made = {"restarts.svg": columns(seen["losses"], seen["right"], "last loss of each restart")}
    for each in seen["selectors"]:
        name = "right" if each["right"] else "wrong"
        panels = [
            (f"place {k}: ends as {line}", [moment[k] for moment in each["chances"]])
            for k, line in enumerate(each["program"])
        ]
        made[f"selectors-{name}.svg"] = heat(panels, seen["ops"])
    places = [f"place {k}" for k in range(len(counter["hard"][0]) - 1)] + ["end"]
    titles = {"hard": "temperature 0", "soft": "temperature 1, logits of 6"}
    made["crossover.svg"] = _crossed()
    made["counter.svg"] = heat([(titles[kind], rows) for kind, rows in counter.items()], places)
    return made


def _crossed() -> str:
    rows = []
    for r in saved("crossover"):
        name = f"{r['registers']} registers, {r['ops']} operations, length {r['length']}"
        by = r["gradient"]
        gradient = by["evaluations"] / by["solved"] if by["solved"] else None
        rows.append((name, gradient, float(r["search"]["mean"])))
    return powers(rows, ("gradient", "annealing"))


_BENCH = """
## What must be shown

As `transputer bench learn --output docs/learning` measured it last. What has to hold on two cores
was measured there by `python -m tools.learning.measure --found`: the last column of the next
table.

"""
_ABLATIONS = """
## One technique at a time

Two tasks that plain gradient descent learns often (`max` in 4 places) and seldom (`abs` in 8),
each with one thing added; 8 bits, 600 updates unless the row says otherwise. Evaluations for one
success count everything, local search and repair included. *Floats* is the control: values as
single floats, as in the original, at a fixed high temperature (3) or annealed from it to 0.1; those
rows have 8 places. *Five phases* are warm-up, annealing, crystallising, local search (2,000 random
changes) and extraction. Members of a population become copies of the best: all of them count as
one success, and the interval says nothing.

What helped: a line of the program; for `max` a mask; for `abs` that a result in another register
earns half. What harmed: the length curriculum, and the phases: local search makes up for them in
successes, but not in evaluations. The loss after every step seems to harm `abs`, but its interval
reaches into that of the plain row. Hard choices forward (straight-through, Gumbel) learned next to
nothing.

"""
_COMPILED = """
*Compile, then optimise*: programs as a plain compiler makes them are shortened by removing what is
not needed and by annealing with one place less, and certified again after each change
(`python -m tools.learning.compiled`).

"""
_AIDED = """
What a little help does (`python -m tools.learning.aided`). The figures count all evaluations
from the start, those of the library's piece included.

"""
_SUMS = """
## One size or several

`sum_array`, annealed from arrays of one size alone and of several
(`python -m tools.learning.gallery`). One size gives code for that size; several give a loop.
"""
_SORTING = """
## Sorting by a learned loop

`python -m tools.learning.sorting`: `sort2` is learned on registers and becomes the middle of a
compare and exchange of neighbours in memory; its loads and stores and the address of the last
word (the lines 0, 1, 3, 4 and the two stores) are given. The four instructions that make two
nested loops of it are learned from arrays of 2 to 5 words, with a mask of 10 operations.
{right} of {seeds} seeds found loops; on average {pieces:,} evaluations for the piece and {loops:,}
for the loops. Every one sorts all arrays of {low} to {high} words: data decide neither an address
nor a branch in it, so it is enough that it sorts all arrays of zeros and ones, and it was run on
all of those. (Arrays of one word are left out: the exchange would touch what is beyond them.)
Some, like this one, jump back so that the end moves down by one in each round, as a careful
bubble sort's does:

"""
_GALLERY = """
## Programs worth seeing

Found by annealing with the usual way barred: no flags for `abs`, no move and no third register for
`swap`. Each is proved.

"""
_CROSSOVER = """
## Gradient against search

The task `max` as the machine grows (`python -m tools.learning.crossover`): evaluations for one
success by gradient descent, and mean evaluations of annealing until success from ten seeds (where
some seeds were given up after 20 s, what they had spent counts, so the true mean is larger). Small
machines suit search; each register and operation more costs it a factor, and gradient descent
little. A soft evaluation takes far more time than a hard one; this table counts evaluations.

"""
