"""Short trees for the rows of the universal model: make them, have them proved, ship them.

    python -m tools.short make [NAME ...]    trees and what has to be proved, in build/short
    python tools/short/solve.py build/short/files.zip build/short/verdicts.jsonl    some hours
    python -m tools.short write              those that are proved go into the package's file

`write` adds what it ships to docs/benchmarks/short.json.
"""

import argparse
import hashlib
import json
import pickle
import random
import sys
import zipfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from importlib.metadata import version
from pathlib import Path

from tools.short.catalogue import catalogue
from tools.short.prove import Claim, cases, obligations
from tools.short.rows import Rules, Shortener
from tools.short.solve import holds
from transputer.engines.lifted.decoder.lifting import lifting
from transputer.engines.lifted.decoder.proved import FOLDER, ProvedRows, write_rows
from transputer.engines.lifted.decoder.rows import Tree, leaves, size
from transputer.machines.trace.opcodes import OPCODES
from transputer.machines.trace.tape import STATUS
from transputer.machines.trace.universal import model as trace_model
from transputer.model import digest

BUILD, RECORD = Path("build/short"), Path("docs/benchmarks/short.json")


#: Rules by instruction and phase; the first that suffice count.
RULES: dict[tuple[str, int], list[Rules]] = {}
for _name, _phase, _rules in catalogue():
    RULES.setdefault((_name, _phase), []).append(_rules)


@cache
def shipped() -> ProvedRows:
    """The rows that the package has."""
    proved = lifting(trace_model(), frozenset([STATUS])).proved
    if proved is None:
        raise SystemExit("no rows are shipped for this model: python -m tools.proved")
    return proved


def longest(tree: Tree, proved: ProvedRows) -> int:
    """The size of the largest leaf that continues the run."""
    group = proved.frame.place[STATUS][0]
    return max(
        (size(leaf) for leaf in leaves(tree) if leaf.words[group].expr.value({}) == 0), default=0
    )


def made(name: str, phase: int) -> tuple[str, Tree | None, list[Claim]]:
    """What is said of a row, and its short tree and claims, if it gets one."""
    proved, said = shipped(), ""
    number = numbers(proved)[OPCODES[name], phase]
    fixed, derived = proved.chosen[number], proved.derived(number)
    for rules in RULES[name, phase]:
        shortener = Shortener(proved.frame, frozenset(proved.stops), fixed, rules, random.Random(1))
        short = shortener.tree(derived)
        if shortener.missing:
            said = "; ".join(dict.fromkeys(shortener.missing))
            continue
        said = f"{longest(derived, proved)} -> {longest(short, proved)}"
        if longest(short, proved) < longest(derived, proved):
            split = cases(proved.frame, rules.cases)
            claims = obligations(proved.frame, fixed, derived, short, split)
            return f"{said}, {len(claims)} claims", short, claims
    return said, None, []


def numbers(proved: ProvedRows) -> dict[tuple[int, int], int]:
    """The numbers of rows by opcode and phase."""
    fetched, own = proved.frame.setting.controls
    return {(f[fetched], f[own]): n for n, f in enumerate(proved.chosen)}


def make(names: list[str]) -> int:
    """Make the trees of all rows with rules, or of some instructions, that have none yet."""
    BUILD.mkdir(parents=True, exist_ok=True)
    proved, trees, missing = shipped(), {}, 0
    todo = {
        row: number
        for row in RULES
        if (number := numbers(proved).get((OPCODES[row[0]], row[1]))) is not None
        and (row[0] in names if names else number not in proved.short)
    }
    with ProcessPoolExecutor() as pool:
        results = pool.map(made, *zip(*todo, strict=True))
        for (row, number), (said, short, claims) in zip(todo.items(), results, strict=True):
            print(*row, said, flush=True)
            missing += short is None
            if short is not None:
                trees[number] = *row, short, claims
    (BUILD / "trees.pickle").write_bytes(pickle.dumps(trees))
    claims = [claim for *_, claims in trees.values() for claim in claims]
    texts = {named(text): text for claim in claims for kind in claim for text in kind}
    with zipfile.ZipFile(BUILD / "files.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("claims.json", json.dumps([by_name(claim) for claim in claims]))
        for name, text in texts.items():
            archive.writestr(name, text)
    print(f"{len(trees)} rows, {len(claims)} claims, {len(texts)} files")
    return int(missing > 0)


def named(text: str) -> str:
    """What a file is called: by its contents."""
    return hashlib.sha256(text.encode()).hexdigest()[:24] + ".smt2"


def by_name(claim: Claim) -> list[list[str]]:
    """A claim with names of files."""
    return [[named(text) for text in texts] for texts in claim]


def write() -> int:
    """Ship the trees of which all claims are proved, and those shipped before that have rules."""
    proved = shipped()
    lines = map(json.loads, (BUILD / "verdicts.jsonl").read_text().splitlines())
    spent = {line["file"]: line["CPU s"] for line in lines if line["answer"] == "unsat"}
    said = dict.fromkeys(spent, "unsat")
    ruled = {numbers(proved).get((OPCODES[name], phase)) for name, phase in RULES}
    short = {number: tree for number, tree in proved.short.items() if number in ruled}
    content = json.loads(RECORD.read_text())
    records = {line["row"]: line for line in content["rows"] if line["row"] in short}
    trees = pickle.loads((BUILD / "trees.pickle").read_bytes())
    for number, (name, phase, tree, claims) in trees.items():
        open_claims = [c for c in claims if not holds(by_name(c), said)]
        if open_claims:
            print(f"{name} {phase}: {len(open_claims)} of {len(claims)} claims are not proved")
            continue
        short[number] = tree
        over = [holds(by_name(c)[:1], said) for c in claims]
        files = {t: None for c, yes in zip(claims, over, strict=True) for t in c[not yes]}
        records[number] = {
            "row": number, "instruction": name, "phase": phase,
            "before": longest(proved.derived(number), proved), "after": longest(tree, proved),
            "claims": len(claims), "over integers": sum(over), "files": len(files),
            "CPU s": round(sum(spent[named(t)] for t in files), 1),
            "sha256": hashlib.sha256("".join(files).encode()).hexdigest(),
        }  # fmt: skip
    short, records = dict(sorted(short.items())), dict(sorted(records.items()))
    path = write_rows(
        FOLDER, digest(trace_model()), frozenset(proved.stops), proved.frame, proved.rows, short
    )
    solvers = {name: version(name) for name in ("cvc5", "z3-solver", "bitwuzla")}
    content |= {"solvers": solvers, "rows": [*records.values()]}
    RECORD.write_text(json.dumps(content, indent=1) + "\n")
    print(f"{path.name}: {path.stat().st_size:,} bytes, {len(short)} short rows")
    return 0


def command(
    description: str | None, make: Callable[[list[str]], int], write: Callable[[], int]
) -> int:
    """Run one of two commands: `make` writes files for solvers, `write` ships what they proved."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("command", choices=("make", "write"))
    parser.add_argument("names", nargs="*", help="instructions")
    options = parser.parse_args()
    return make(options.names) if options.command == "make" else write()


if __name__ == "__main__":
    sys.exit(command(__doc__, make, write))
