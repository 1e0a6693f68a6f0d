"""Sections of the page on learning, each from its saved results."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

from tools.learning.svg import columns, heat, powers
from transputer.learning.sorting import CONTROL

#: The pages, in a checkout.
DOCS = Path(__file__).parents[2] / "docs"
Result = dict[str, Any]
#: Times at which the operation probabilities of a restart are recorded; a third is shown.
MOMENTS = 120


def saved(name: str) -> Any:
    """Saved results by the name of their file."""
    return json.loads((DOCS / "learning" / f"{name}.json").read_text(encoding="utf-8"))


def percent(result: Result) -> str:
    """A rate with its interval."""
    low, high = result["interval"]
    return f"{result['rate']:.0%} ({low:.0%} to {high:.0%})"


def flow(text: str) -> str:
    """Paragraphs and lists filled to lines of 100; headings and pictures as they are."""
    return "\n\n".join(map(_filled, text.split("\n\n")))


def _filled(block: str) -> str:
    before = block[: len(block) - len(block.lstrip("\n"))]
    after = block[len(block.rstrip("\n")) :]
    body = block.strip("\n")
    if body[:1] in ("", "#", "!"):
        return block
    mark = "* " if body.startswith("* ") else ""
    items = body[len(mark) :].split("\n* ") if mark else [body]
    lines = (
        fill(" ".join(item.split()), 100, initial_indent=mark, subsequent_indent=" " * len(mark),
             break_long_words=False, break_on_hyphens=False)
        for item in items
    )  # fmt: skip
    return before + "\n".join(lines) + after


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
    head = (
        "task: technique",
        "restarts that succeeded",
        "rate, 95 % interval",
        "evaluations per success",
    )
    high = [r for r in saved("ablations") if r["name"].endswith("floats, fixed high")]
    right, tried = (sum(r[name] for r in high) for name in ("solved", "restarts"))
    share = f"{right} of {tried}, {right / tried:.0%}"
    control = f"\nThe control at a fixed high temperature, all tasks: {share}.\n"
    return flow(_ABLATIONS.format(**_settings())) + table(head, rows) + control + compiled()


def _settings() -> dict[str, Any]:
    """Settings of the ablations that the text mentions."""
    by = {r["name"]: r for r in saved("ablations")}
    floats = by["max: floats, annealed"]["settings"]
    return {
        "max_length": by["max: plain"]["settings"]["length"],
        "abs_length": by["abs: plain"]["settings"]["length"],
        "updates": by["max: plain"]["settings"]["updates"],
        "warm": floats["warm"],
        "cold": floats["cold"],
        "floats_length": floats["length"],
        "changes": by["max: five phases"]["repair"],
    }


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
    text = _SORTING.format(
        right=len(right),
        seeds=len(found),
        low=sizes[0],
        high=sizes[-1],
        pieces=pieces,
        loops=loops,
        control=len(CONTROL),
    )
    return flow(text) + listing(shrinking["program"])


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
    head = ("registers", "operations", "length", "restarts that succeeded",
            "gradient: evaluations", "annealing: evaluations", "cheaper")  # fmt: skip
    seeds = saved("crossover")[0]["search"]["seeds"]
    return (
        flow(_CROSSOVER.format(seeds=seeds))
        + table(head, rows)
        + "\n![evaluations](learning/crossover.svg)\n"
    )


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
## Claims and measurements

The last run of `transputer bench learn --output docs/learning`, at the commit below the table.
Times on two cores were measured apart, with `python -m tools.learning.measure --found`: see the
last column of the next table.

"""
_ABLATIONS = """
## One technique at a time

Plain gradient descent learns `max` in {max_length} places often and `abs` in {abs_length} places
seldom. Each row adds one technique to one of them, at 8 bits and with {updates} updates unless the
row says otherwise. Evaluations per success include local search and repair. *Floats* is the
control: each value is one float, as in the original, at a fixed high temperature ({warm:g}) or
annealed from it to {cold:g}; those rows have {floats_length} places. *Five phases* are warm-up,
annealing, crystallisation, local search ({changes:,} random changes) and extraction. The members of
a population become copies of the best, so all of them count as one success, and the interval has
no meaning there.

What helped: one line of the program; for `max` fewer operations; for `abs` partial credit for a
result in another register. What harmed: the length curriculum, and the five phases, where local
search restores the success rate but not the cost. The loss after every step seems to harm `abs`,
but its interval overlaps that of the plain row. Straight-through and Gumbel estimators learned
next to nothing.

"""
_COMPILED = """
*Compile, then optimise* (`python -m tools.learning.compiled`): start from the output of a plain
compiler, remove what is not needed, then anneal with one place less. Every program on the way is
certified.

"""
_AIDED = """
With a little help (`python -m tools.learning.aided`). The counts include the evaluations that
learned the library's subroutine.

"""
_SUMS = """
## One size or several

`sum_array` learned from arrays of one size and from several sizes
(`python -m tools.learning.gallery`).
"""
_SORTING = """
## Sorting by a learned loop

`python -m tools.learning.sorting` first learns `sort2` on registers. It becomes the middle of a
compare and exchange of neighbours in memory. The loads and stores and the address of the last word
are given (lines 0, 1, 3, 4 and the two stores). The four instructions that make two nested loops of
it are learned from arrays of 2 to 5 words, with a set of {control} operations. {right} of {seeds}
seeds succeeded, with {pieces:,} evaluations for `sort2` and {loops:,} for the loops on average.

Every one of these programs sorts all arrays of {low} to {high} words. The data decide neither an
address nor a branch, and no access leaves the array, so by the 0-1 principle it is enough to sort
all arrays of zeros and ones; each program was run on all of them, with random words around the
array. Arrays of one word are left out: the exchange would touch the word after them. In some
programs, like this one, the end moves down by one in each round, as in a careful bubble sort:

"""
_GALLERY = """
## Programs worth seeing

Annealing with the usual solution ruled out: no flags for `abs`, no move and no third register for
`swap`. Each program is proved.

"""
_CROSSOVER = """
## Gradient against search

How the cost of `max` grows with the machine (`python -m tools.learning.crossover`): evaluations per
success for gradient descent, and mean evaluations of annealing over {seeds} seeds. Seeds that hit
the time limit count with what they had spent, so the true mean is larger there. Search wins on
small machines. More registers and operations multiply its cost and change that of gradient descent
little. The table counts evaluations; a soft evaluation takes far longer than a hard one.

"""
