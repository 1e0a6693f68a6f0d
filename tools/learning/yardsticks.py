"""Sections of the page on learning: tasks of others, and one recipe for gradient descent."""

from tools.learning.sections import code, flow, percent, saved, table

_UNSEEN = """
## Tasks that no search was tuned on

`python -m tools.learning.unseen`: Python functions, SyGuS problems and CSV files with the default
settings, one seed, on two busy cores. {counts}
"""
_HACKERS = """
## Hacker's Delight

P1 to P25, the published benchmark of Gulwani and others, as SyGuS problems over words of 32 bits
(`python -m tools.learning.hackers`), {seconds} processor seconds for each method and problem, one
seed. A cell has the processor seconds, proof included, and the length of the program; *unproved*
means right on all tests. {counts}
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

The shortest proved program of each kind in this page's results, on words in registers, beside
published figures: the comparators of the smallest sorting networks (Knuth, volume 3) and the
instructions of AlphaDev's kernels (Mankowitz and others, *Nature* 618, 2023), which are x86 code
with CMOV and also load and store each word. MIN and MAX exchange two words in two or three
instructions here, so the counts cannot be compared one to one.
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


def hackers() -> str:
    """Hacker's Delight by method."""
    from tools.learning.hackers import PROBLEMS, SECONDS

    results = saved("hackers")
    counts = [
        f"{method}: {sum(r['proved'] for r in by.values())} of {len(by)} proved."
        for method, by in results.items()
    ]

    def cell(method: str, number: int) -> str:
        one = results[method].get(str(number))
        if one is None:
            return "not measured"
        if not one["solved"]:
            return "no"
        return f"{one['cpu_seconds']} s, {one['length']}" + ", unproved" * (not one["proved"])

    rows = [(f"P{k}", PROBLEMS[k][0], *(cell(method, k) for method in results)) for k in PROBLEMS]
    text = flow(_HACKERS.format(seconds=int(SECONDS), counts=" ".join(counts)))
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

    def cell(method: str, name: str) -> str:
        runs = results[method].get(name, [])
        right = [r for r in runs if r["solved"]]
        if not right:
            return "no" if runs else "not measured"
        first = right[0]
        share = "" if len(runs) == 1 else f"{len(right)} of {len(runs)}: "
        known = "" if first["proved"] else ", unproved"
        return f"{share}{first['cpu_seconds']} s, {len(first['program'])}{known}"

    rows = []
    for function in TASKS:
        name = function.__name__
        methods = [results[m].get(name, []) for m in results]
        right = [r for runs in methods for r in runs if r["solved"]]
        rows.append((name, function.__doc__, *(cell(m, name) for m in results),
                     right[0]["method"] if right else "",
                     code(right[0]["program"]) if right else ""))  # fmt: skip
    text = flow(_PSB.format(
        seconds=int(SECONDS), seeds="one seed" if seeds == 1 else f"{seeds} seeds", counts=counts
    ))  # fmt: skip
    return text + "\n" + table(("task", "what it is", *results, "method", "program"), rows)


#: By the number of words: comparators of the smallest network, AlphaDev's instructions, its loads
#: and stores.
_PUBLISHED = {3: (3, 17, 6), 4: (5, 28, 8), 5: (9, 42, 10)}


def kernels() -> str:
    """Sorting kernels from all results, beside published counts."""
    sources = (
        ("portfolio", [(r, bool(r["proof"] and r["proof"]["proved"])) for r in saved("solved")]),
        ("a library of `sort2`",
         [(r, bool(r["proof"] and r["proof"]["proved"])) for r in saved("aided")]),
        ("compiled, then optimised", [(r, r["proved"]) for r in saved("compiled")]),
    )  # fmt: skip
    rows = []
    for count, (comparators, instructions, moves) in _PUBLISHED.items():
        best = []
        for _, results in sources:
            lengths = [len(r["program"]) for r, proved in results
                       if r["task"] == f"sort{count}" and proved and r["program"]]  # fmt: skip
            best.append(min(lengths) if lengths else "not measured")
        rows.append((count, *best, comparators, f"{instructions}, {moves} of them"))
    head = ("words", *(title for title, _ in sources), "comparators of the smallest network",
            "AlphaDev, loads and stores")  # fmt: skip
    return flow(_KERNELS) + "\n" + table(head, rows)


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
        (f"Hacker's Delight, {method}",
         f"{sum(r['proved'] for r in results.values())} of {len(results)} proved",
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
