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
from pathlib import Path
from typing import Any

from tools.short.catalogue import catalogue
from tools.short.prove import cases, obligations
from tools.short.rows import Shortener
from transputer.engines.lifted.decoder.lifting import lifting
from transputer.engines.lifted.decoder.proved import FOLDER, ProvedRows, write_rows
from transputer.engines.lifted.decoder.rows import Tree, leaves, size
from transputer.machines.trace.opcodes import OPCODES
from transputer.machines.trace.tape import STATUS
from transputer.machines.trace.universal import model as trace_model
from transputer.model import digest

BUILD, RECORD = Path("build/short"), Path("docs/benchmarks/short.json")


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


def make(names: list[str]) -> int:
    """Make the trees of all rows with rules, or of some instructions."""
    proved = shipped()
    fetched, own = proved.frame.setting.controls
    numbers = {(f[fetched], f[own]): n for n, f in enumerate(proved.chosen)}
    BUILD.mkdir(parents=True, exist_ok=True)
    kept = BUILD / "trees.pickle"
    trees: dict[int, Any] = pickle.loads(kept.read_bytes()) if kept.exists() else {}
    done, missing = set(), 0
    for name, phase, rules in catalogue():
        number = numbers.get((OPCODES[name], phase))
        if number is None or number in done or (names and name not in names):
            continue
        fixed, tree = proved.chosen[number], proved.derived(number)
        shortener = Shortener(proved.frame, frozenset(proved.stops), fixed, rules, random.Random(1))
        short = shortener.tree(tree)
        trees.pop(number, None)
        if shortener.missing:
            missing += 1
            print(f"{name} {phase}: {'; '.join(dict.fromkeys(shortener.missing))}", flush=True)
            continue
        done.add(number)
        if longest(short, proved) < longest(tree, proved):
            split = cases(proved.frame, rules.cases)
            files, claims = obligations(proved.frame, fixed, tree, short, split)
            trees[number] = name, phase, short, files, claims
            sizes = longest(tree, proved), longest(short, proved)
            print(
                f"{name} {phase}: {sizes[0]} -> {sizes[1]}, {claims} claims proved over integers, "
                f"{len(files)} files",
                flush=True,
            )
    kept.write_bytes(pickle.dumps(trees))
    texts = {named(text): text for *_, files, _ in trees.values() for text in files}
    with zipfile.ZipFile(BUILD / "files.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in texts.items():
            archive.writestr(name, text)
    print(f"{len(trees)} rows, {len(texts)} files")
    return int(missing > 0)


def named(text: str) -> str:
    """What a file is called: by its contents."""
    return hashlib.sha256(text.encode()).hexdigest()[:24] + ".smt2"


def write() -> int:
    """Ship the trees of which all obligations are proved."""
    proved = shipped()
    verdicts: dict[str, Any] = {}
    for line in map(json.loads, (BUILD / "verdicts.jsonl").read_text().splitlines()):
        if verdicts.get(line["file"], {}).get("answer") != "unsat":
            verdicts[line["file"]] = line
    trees = pickle.loads((BUILD / "trees.pickle").read_bytes())
    short: dict[int, Tree] = {}
    record = []
    for number, (name, phase, tree, files, claims) in sorted(trees.items()):
        lines = [verdicts.get(named(text)) for text in files]
        if all(line and line["answer"] == "unsat" for line in lines):
            short[number] = tree
            spent = sum(line["CPU s"] for line in lines if line)
            whole = hashlib.sha256("".join(files).encode()).hexdigest()
            record.append({
                "row": number, "instruction": name, "phase": phase,
                "before": longest(proved.derived(number), proved),
                "after": longest(tree, proved), "over integers": claims, "files": len(files),
                "CPU s": round(spent, 1), "sha256": whole,
            })  # fmt: skip
        else:
            answers = [line["answer"] if line else "not tried" for line in lines]
            counts = {answer: answers.count(answer) for answer in {*answers}}
            print(f"{name} {phase}: not proved: {counts}")
    rows = proved.rows
    path = write_rows(
        FOLDER, digest(trace_model()), frozenset(proved.stops), proved.frame, rows, short
    )
    RECORD.write_text(json.dumps({"solver": "Bitwuzla 0.9.1", "rows": record}, indent=1) + "\n")
    print(f"{path.name}: {path.stat().st_size:,} bytes, {len(short)} short rows")
    return 0


def main() -> int:
    """Run a command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=("make", "write"))
    parser.add_argument("names", nargs="*", help="instructions")
    options = parser.parse_args()
    return make(options.names) if options.command == "make" else write()


if __name__ == "__main__":
    sys.exit(main())
