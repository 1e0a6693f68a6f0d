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


def mutants() -> str:
    """Mutants by task."""
    results = saved("mutants")
    total, wrong, mistakes = (sum(r[k] for r in results) for k in ("mutants", "wrong", "mistakes"))
    rows = [(r["task"], r["mutants"], r["wrong"], r["refuted"], r["proved"], r["undecided"],
             r["mistakes"]) for r in results]  # fmt: skip
    head = ("task", "mutants", "wrong by a run", "refuted", "proved", "undecided", "mistakes")
    text = flow(_MUTANTS.format(total=total, wrong=wrong, mistakes=mistakes))
    return text + "\n" + table(head, rows)


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
