"""Sections of the page on learning: tasks of others, and one recipe for gradient descent."""

from collections.abc import Iterable, Sequence

from tools.learning.sections import Result, code, flow, percent, saved, table
from transputer.learning.measure import interval

_UNSEEN = """
## Tasks that no search was tuned on

`python -m tools.learning.unseen`: Python functions, SyGuS problems and CSV files with the default
settings, one seed, on two busy cores. {counts}
"""
_HACKERS = """
## Hacker's Delight

P1 to P25, the published benchmark of Gulwani and others, as SyGuS problems over words of 32 bits
(`python -m tools.learning.hackers`), {seconds} processor seconds for each method and problem. A
cell has the processor seconds, proof included, and the length of the program; *unproved* means
right on all tests. Problems that seed 0 solved in less than {cheap} s were measured with other
seeds, too: a cell then has how many succeeded, and the least and the greatest of each figure. The
shares over seeds are of these problems alone, which seed 0 chose. {counts}
"""
_PSB = """
## Integer tasks of PSB1

Ten tasks of Helmuth and Spector's *General program synthesis benchmark suite* (2015), those on
integers and at most one vector of them, written as Python functions from the published
descriptions (`python -m tools.learning.psb`), {seconds} processor seconds for each method and task,
{seeds}. A cell has the processor seconds and the length of the program; *unproved* means right on
all tests. cvc5's SyGuS solver has no memory, so tasks on vectors are not for it. {counts}
"""
_KERNELS = """
## Sorting kernels

Kernels on words in registers, learned from a Python function (`python -m tools.learning.kernels`)
with two sets of instructions. *Portfolio*: {seconds} processor seconds. *Exchange*: a
compare-and-exchange is learned first, then a sequence of as many of it as the smallest sorting
network has comparators (Knuth, volume 3), under the same budget. Both are then shortened, with
{shorter} processor seconds for each instruction less; a cell has the processor seconds of the
search, the length found and, if it became shorter, the last length. *Unproved* means right on all
tests.

AlphaDev's kernels (Mankowitz and others, *Nature* 618, 2023) are counted in the released code,
without the loads and stores, since our words stay in registers. They are x86 code: CMP sets flags
for several conditional moves (less, less or equal, greater, greater or equal), while CMOV here
moves only if less, and both change an operand in place. MOV CMP CMOV is thus the set to compare
with, with fewer kinds of conditional moves; MIN and MAX have three operands and no counterpart in
those kernels.
"""
_PBE = """
## Examples only: tasks in the form of the PBE bit-vector track

SyGuS's track gives examples of a function of one word of 64 bits and a grammar of 0, 1, not,
shifts by 1, 4 and 16, and, or, xor, sum, and a choice that compares with 1. These {count} tasks
are random terms of that grammar with fixed seeds (`python -m tools.learning.pbe`), not the
track's files. Each method has {shown} examples and {seconds} processor seconds. Answers agree
with the examples, which is no proof; *held out* is the share of {held_out:,} other inputs on which
they are right. The portfolio uses the machine's instructions instead of the grammar and reports
their number; cvc5 alone has the file as it is, with fast enumeration, and reports operators of its
term. {counts}
"""
_SHOWN = """
## The figures in one table

From the results in this page's sections; each command writes the one in its row again.
"""
_DRIVERS = """
## Through devices

The keyboard, the serial line and the screen have a differentiable meaning at their ports
(`machines/soft/devices/wired.py`): an access goes to each port with the probability that its
address is the one accessed. Programs that drive them are learned by gradient descent alone from
what the serial line sent or the screen shows (`python -m tools.learning.drivers`). The addresses of
the ports are given in registers; the screen has {side} by {side} points. A restart succeeded if its
program is right on the board, the hard path, on inputs that it was not trained on. Operations:
{operations}.
"""
_MUTANTS = """
## Wrong programs and the proofs

`python -m tools.learning.mutants` changes one field of one instruction of each learned program at
random. Mutants are run at 8 bits: on every input of a task on words, on thousands of inputs of
other tasks. A *mistake* is a proof of a mutant that a run shows to be wrong, or a refutation of one
that is right on every input. {total:,} mutants, {wrong:,} of them wrong, {mistakes} mistakes.
"""
_UNIFORM = """
One recipe for all tasks, and loops by gradient descent alone: the horizon is the number of soft
steps, which goes beyond the program's length. `transputer learn --method gradient` uses this
recipe, with partial credit for a result in another register (*shaped*).
"""


def unseen() -> str:
    """Tasks of others, by how they were specified."""
    results = saved("unseen")
    names = {"function": "Python function", "sygus": "SyGuS", "csv": "CSV"}
    counts = []
    for kind, title in names.items():
        part = [r for r in results if r["kind"] == kind]
        right = [r for r in part if r["solved"]]
        proved = sum(bool(r["proof"] and r["proof"]["proved"]) for r in right)
        counts.append(f"{title}: {len(right)} of {len(part)} learned, {proved} proved.")
    rows = [
        (r["name"], names[r["kind"]], "yes" if r["solved"] else "no",
         _known(r), r["method"] if r["solved"] else "", r["help"]["skeleton"],
         f"{r['evaluations']:,}", r["cpu_seconds"], code(r["program"]) if r["solved"] else "")
        for r in results
    ]  # fmt: skip
    head = ("task", "from", "learned", "known", "method", "skeleton", "evaluations", "CPU seconds",
            "program")  # fmt: skip
    return flow(_UNSEEN.format(counts=" ".join(counts))) + "\n" + table(head, rows)


def _known(result: dict) -> str:  # type: ignore[type-arg]
    proof = result["proof"]
    if not proof:
        return ""
    return "proved" if proof["proved"] else proof["facts"][-1]


def _cell(runs: Sequence[Result]) -> str:
    """Runs of one problem by one method: how many succeeded, seconds, and length."""
    if not runs:
        return "not measured"
    right = [r for r in runs if r["solved"]]
    if not right:
        return "no"
    share = "" if len(runs) == 1 else f"{len(right)} of {len(runs)}: "
    unproved = sum(not r["proved"] for r in right)
    known = f", {unproved if len(right) > 1 else ''} unproved".replace("  ", " ") * bool(unproved)
    seconds = _span([r["cpu_seconds"] for r in right])
    return f"{share}{seconds} s, {_span([len(r['program']) for r in right])}{known}"


def _span(values: Sequence[float]) -> str:
    """The least and the greatest of some values."""
    low, high = min(values), max(values)
    return str(low) if low == high else f"{low} to {high}"


def _repeated(problems: Iterable[Sequence[Result]]) -> str:
    """How many runs of problems with several seeds were proved, with the 95 % interval."""
    runs = [run for one in problems if len(one) > 1 for run in one]
    proved = sum(run["proved"] for run in runs)
    if not runs:
        return "no problem with several seeds"
    low, high = interval(proved, len(runs))
    return f"with several seeds {proved} of {len(runs)} runs ({low:.0%} to {high:.0%})"


def hackers() -> str:
    """Hacker's Delight by method."""
    from tools.learning.hackers import CHEAP, PROBLEMS, SECONDS

    results = saved("hackers")
    counts = [
        f"{method}: {sum(runs[0]['proved'] for runs in by.values())} of {len(by)} proved with "
        f"seed 0; {_repeated(by.values())}."
        for method, by in results.items()
    ]
    rows = [(f"P{k}", PROBLEMS[k][0], *(_cell(by.get(str(k), [])) for by in results.values()))
            for k in PROBLEMS]  # fmt: skip
    text = flow(_HACKERS.format(seconds=int(SECONDS), cheap=int(CHEAP), counts=" ".join(counts)))
    return text + "\n" + table(("problem", "what it is", *results), rows)


def psb() -> str:
    """PSB1 by method."""
    from tools.learning.hackers import SECONDS
    from tools.learning.psb import TASKS

    results = saved("psb")
    every = [run for by in results.values() for runs in by.values() for run in runs]
    seeds = max(run["seed"] for run in every) + 1
    counts = " ".join(
        f"{method}: {sum(any(r['solved'] for r in runs) for runs in by.values())} of {len(by)} "
        f"learned, {sum(any(r['proved'] for r in runs) for runs in by.values())} proved."
        for method, by in results.items()
    )

    rows = []
    for function in TASKS:
        name = function.__name__
        methods = [results[m].get(name, []) for m in results]
        right = [r for runs in methods for r in runs if r["solved"]]
        rows.append((name, function.__doc__, *(_cell(runs) for runs in methods),
                     right[0]["method"] if right else "",
                     code(right[0]["program"]) if right else ""))  # fmt: skip
    text = flow(_PSB.format(
        seconds=int(SECONDS), seeds="one seed" if seeds == 1 else f"{seeds} seeds", counts=counts
    ))  # fmt: skip
    return text + "\n" + table(("task", "what it is", *results, "method", "program"), rows)


#: Instructions of AlphaDev's released kernels by the number of words, and the loads and stores
#: among them.
_PUBLISHED = {3: (17, 6), 4: (28, 8), 5: (43, 10)}


def kernels() -> str:
    """Sorting kernels by the set of instructions, beside published counts."""
    from tools.learning.hackers import SECONDS
    from tools.learning.kernels import COMPARATORS, INSTRUCTIONS, SHORTER

    results = saved("kernels")

    def cell(way: str, name: str, count: int) -> str:
        one = results.get(way, {}).get(name, {}).get(str(count))
        if one is None:
            return "not measured"
        if not one["first"]:
            return f"not found in {one['cpu_seconds']} s"
        last = "" if one["length"] == one["first"] else f", then {one['length']}"
        known = "proved" if one["proved"] else "unproved"
        return f"{one['cpu_seconds']} s, {one['first']}{last}, {known}"

    rows = []
    for name in INSTRUCTIONS:
        for count, (instructions, moves) in _PUBLISHED.items():
            rows.append(
                (
                    name,
                    count,
                    cell("portfolio", name, count),
                    cell("library", name, count),
                    COMPARATORS[count],
                    f"{instructions - moves} ({instructions})",
                )
            )
    head = ("instructions", "words", "portfolio", "exchange", "comparators",
            "AlphaDev without loads and stores (with)")  # fmt: skip
    text = flow(_KERNELS.format(seconds=int(SECONDS), shorter=int(SHORTER)))
    return text + "\n" + table(head, rows)


def pbe() -> str:
    """Tasks in the form of the PBE bit-vector track, by method."""
    records = saved("pbe")
    first = records[0]

    def cell(one: Result) -> str:
        if not one["solved"]:
            return "no"
        share = one["held_out"] / first["held_out"]
        return f"{one['cpu_seconds']} s, {one['size']}, held out {share:.1%}"

    counts = []
    for method in first["methods"]:
        answers = [r["methods"][method] for r in records]
        right = sum(a["solved"] for a in answers)
        whole = sum(a["held_out"] == first["held_out"] for a in answers)
        counts.append(f"{method}: {right} of {len(answers)} agree with the examples, {whole} with "
                      "all that were held out.")  # fmt: skip
    rows = [
        (r["seed"], r["operators"], f"`{_short(r['term'])}`",
         *(cell(r["methods"][method]) for method in first["methods"]))
        for r in records
    ]  # fmt: skip
    text = _PBE.format(count=len(records), shown=first["shown"], seconds=int(first["seconds"]),
                       held_out=first["held_out"], counts=" ".join(counts))  # fmt: skip
    return flow(text) + "\n" + table(("seed", "operators", "term", *first["methods"]), rows)


def _short(term: str) -> str:
    """A term with its 1 written short."""
    return term.replace(f"#x{1:016x}", "1")


def mutants() -> str:
    """Mutants by task."""
    results = saved("mutants")
    total, wrong, mistakes = (sum(r[k] for r in results) for k in ("mutants", "wrong", "mistakes"))
    rows = [(r["task"], r["mutants"], r["wrong"], r["refuted"], r["proved"], r["undecided"],
             r["mistakes"]) for r in results]  # fmt: skip
    head = ("task", "mutants", "wrong by a run", "refuted", "proved", "undecided", "mistakes")
    text = flow(_MUTANTS.format(total=total, wrong=wrong, mistakes=mistakes))
    return text + "\n" + table(head, rows)


def drivers() -> str:
    """Programs that drive devices."""
    results = saved("drivers")
    first = next(iter(results.values()))
    rows = [
        (name, r["doc"], r["settings"]["length"], f"{r['solved']} of {r['restarts']}", percent(r),
         code(r["program"]) if r["program"] else "none")
        for name, r in results.items()
    ]  # fmt: skip
    head = ("task", "what it does", "length", "restarts that succeeded", "rate, 95 % interval",
            "first program")  # fmt: skip
    text = _DRIVERS.format(side=first["side"], operations=" ".join(first["operations"]))
    return flow(text) + "\n" + table(head, rows)


def uniform() -> str:
    """Rates of the one recipe."""
    rows = [
        (r["name"], r["settings"]["length"], r["steps"] or r["settings"]["length"],
         "yes" if r["settings"]["shaped"] else "no", f"{r['solved']} of {r['restarts']}",
         percent(r))
        for r in saved("uniform")
    ]  # fmt: skip
    head = ("task", "length", "horizon", "shaped", "restarts that succeeded", "rate, 95 % interval")
    return flow(_UNIFORM) + "\n" + table(head, rows)


def figures() -> str:
    """What the results come to, with the command that measures each."""
    module = "`python -m tools.learning.{}`".format
    by = {kind: {r["name"]: r for r in saved("unseen") if r["kind"] == kind and r["solved"]}
          for kind in ("function", "sygus", "csv")}  # fmt: skip
    proved = [{name for name, r in by[kind].items() if r["proof"]["proved"]}
              for kind in ("function", "sygus")]  # fmt: skip
    tried = sum(r["kind"] == "function" for r in saved("unseen"))
    rows = [
        ("the same task proved from a Python function and a SyGuS file, learned from a CSV file",
         len(set.intersection(*proved) & set(by["csv"])), module("unseen")),
        ("unseen Python functions, default settings", f"{len(by['function'])} of {tried} learned",
         module("unseen")),
    ]  # fmt: skip
    rows += [
        (f"Hacker's Delight, {method}, seed 0",
         f"{sum(runs[0]['proved'] for runs in results.values())} of {len(results)} proved",
         module("hackers"))
        for method, results in saved("hackers").items()
    ]  # fmt: skip
    mutants = saved("mutants")
    wrong, mistakes = (sum(r[key] for r in mutants) for key in ("wrong", "mistakes"))
    rows.append(("mistakes of the proofs, on mutants that a run shows to be wrong",
                 f"{mistakes} of {wrong:,}", module("mutants")))  # fmt: skip
    rows += [
        (f"{r['name']}, gradient descent alone", f"{r['solved']} of {r['restarts']} restarts",
         module("measure uniform"))
        for r in saved("uniform")
    ]  # fmt: skip
    rows += [
        (f"the driver `{name}`, by gradient descent through its devices",
         f"{r['solved']} of {r['restarts']} restarts", module("drivers"))
        for name, r in saved("drivers").items()
    ]  # fmt: skip
    rows += [
        (f"processor seconds of `{r['command']}`: first run, then with warm caches",
         f"{r['first']}, then {', '.join(map(str, r['others']))}", module("warm"))
        for r in saved("warm")
    ]  # fmt: skip
    return flow(_SHOWN) + "\n" + table(("what", "figure", "command"), rows)
