"""Prove the words of a certificate's rows with cvc5 and Bitwuzla, `pip install cvc5 bitwuzla`.

    python tools/check_certificate/solve.py MODEL CERTIFICATE --json FILE [--seconds S]
      [--rows A:B] [--solver NAME] [--report FILE]

FILE gets a line for each row and solver as it is known; what is in it already is not tried again
unless it ran out of time and may have more now, or the model, the certificate or `obligations.py`
has changed. Each solver gets the obligations of a row
(`obligations.py`) one by one, in a process of its own that may take S seconds of CPU time. Its
verdict on the row:

    unsat   every obligation is unsat: the words of the next token are the formulas, for all tokens
    sat     some token refutes a formula
    open    sat, but with digits of quotients that are an unknown function: nothing is shown
    time    out of time, or of memory

Exits with 1 if a formula is refuted. `--report`, the checker's report, counts who proved what.
"""

import argparse
import hashlib
import itertools
import json
import lzma
import os
import resource
import sys
from collections import Counter
from pathlib import Path

from certificate import Certificate
from network import Model, Network
from obligations import obligations

MEMORY = 4 * 2**30


def cvc5_verdict(text):
    import cvc5

    solver = cvc5.Solver()
    if "(set-logic QF_BV)" in text:
        solver.setOption("bitblast", "eager")
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "row")
    symbols, answers = parser.getSymbolManager(), []
    while not (command := parser.nextCommand()).isNull():
        answers.append(command.invoke(solver, symbols).strip())
    return next((a for a in reversed(answers) if a), "unknown")


def bitwuzla_verdict(text):
    import bitwuzla

    parser = bitwuzla.Parser(bitwuzla.TermManager(), bitwuzla.Options())
    parser.parse(text, parse_only=True, parse_file=False)
    return str(parser.bitwuzla().check_sat()).split(".")[-1].lower()


SOLVERS = {"bitwuzla": bitwuzla_verdict, "cvc5": cvc5_verdict}


def verdict(name, files, seconds):
    """What a solver says of a row within `seconds` of CPU time, and the time it took."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            for text in files:
                os.write(writer, SOLVERS[name](text).encode() + b"\n")
        except Exception as problem:
            out = isinstance(problem, MemoryError) or "bad_alloc" in str(problem)
            os.write(writer, b"" if out else f"{name}: {problem}".encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        answers = pipe.read().splitlines()
    _, _, usage = os.wait4(child, 0)
    if not {*answers} <= {"sat", "unsat", "unknown"}:
        raise ValueError(answers[-1])
    logics = ["QF_UFBV" in text for text in files]
    sat = [digits for answer, digits in zip(answers, logics, strict=False) if answer == "sat"]
    if sat:
        answer = "open" if all(sat) else "sat"
    else:
        answer = "unsat" if answers == ["unsat"] * len(files) else "time"
    return answer, answers.count("unsat"), round(usage.ru_utime + usage.ru_stime, 2)


def known(path, of):
    """The lines of a file that are about what has the digest `of`, the last of each row, solver."""
    lines = map(json.loads, path.read_text().splitlines() if path.exists() else [])
    return {(line["row"], line["solver"]): line for line in lines if line["of"] == of}


def summary(numbers, lines, report):
    """How many rows each solver proved; with the checker's report, what the checker adds."""
    checked = {row["number"]: row["verdict"] in ("formulas", "points") for row in report}
    counts = {name: Counter() for name in (*SOLVERS, "together")}
    for n in numbers:
        verdicts = {name: lines[n, name]["verdict"] for name in SOLVERS if (n, name) in lines}
        for name in SOLVERS:
            counts[name][verdicts.get(name, "not tried")] += 1
        by = [name for name in verdicts if verdicts[name] == "unsat"]
        who = "neither" if not by else "both" if len(by) > 1 else f"{by[0]} alone"
        counts["together"][who] += 1
        if report and not checked[n]:
            counts["together"]["a solver, not the checker" if by else "nothing"] += 1
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("certificate")
    parser.add_argument("--json", metavar="FILE", type=Path, required=True)
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--rows", metavar="A:B", default=":")
    parser.add_argument("--solver", choices=SOLVERS, action="append")
    parser.add_argument("--report", metavar="FILE", type=Path)
    options = parser.parse_args()
    model, packed = Path(options.model).read_bytes(), Path(options.certificate).read_bytes()
    encoder = Path(__file__).with_name("obligations.py").read_bytes()
    of = hashlib.sha256(b"".join(hashlib.sha256(b).digest() for b in (model, packed, encoder)))
    network = Network(Model(model))
    certificate = Certificate(json.loads(lzma.decompress(packed)), network)
    chosen = slice(*(int(n) if n else None for n in options.rows.split(":")))
    numbers, lines = range(len(certificate.rows))[chosen], known(options.json, of.hexdigest()[:16])
    for name, number in itertools.product(options.solver or SOLVERS, numbers):
        before = lines.get((number, name), {"verdict": "time", "seconds": 0})
        if before["verdict"] != "time" or before["seconds"] >= options.seconds:
            continue
        files = obligations(network, certificate, certificate.rows[number])
        answer, proved, spent = verdict(name, files, options.seconds)
        lines[number, name] = {
            "row": number, "solver": name, "verdict": answer, "obligations": len(files),
            "proved": proved, "CPU s": spent, "seconds": options.seconds,
            "of": of.hexdigest()[:16],
        }  # fmt: skip
        with options.json.open("a") as file:
            file.write(json.dumps(lines[number, name]) + "\n")
    report = json.loads(options.report.read_text())["rows"] if options.report else []
    counts = summary(numbers, lines, report)
    for name, count in counts.items():
        print(name, dict(count))
    return int(any(counts[name]["sat"] for name in SOLVERS))


if __name__ == "__main__":
    sys.exit(main())
