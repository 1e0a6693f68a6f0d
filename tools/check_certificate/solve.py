"""Give SMT-LIB files to cvc5 and Bitwuzla: `python solve.py FILE... [--seconds S]`.

Prints one line per file and solver: unsat (proved), sat (refuted), or unknown (out of time). Both
are the solvers' Python packages, `pip install cvc5 bitwuzla`. Each file is given to a process of
its own, which may take that many seconds of CPU time, however busy the machine is.
"""

import argparse
import json
import os
import resource
import sys
from pathlib import Path


def cvc5_verdict(path):
    import cvc5

    solver = cvc5.Solver()
    parser = cvc5.InputParser(solver)
    parser.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, str(path))
    symbols, answers = parser.getSymbolManager(), []
    while not (command := parser.nextCommand()).isNull():
        answers.append(command.invoke(solver, symbols).strip())
    return next((a for a in reversed(answers) if a), "unknown")


def bitwuzla_verdict(path):
    import bitwuzla

    parser = bitwuzla.Parser(bitwuzla.TermManager(), bitwuzla.Options())
    parser.parse(str(path), parse_only=True)
    return str(parser.bitwuzla().check_sat()).split(".")[-1].lower()


SOLVERS = {"bitwuzla": bitwuzla_verdict, "cvc5": cvc5_verdict}


def limited(name, path, seconds):
    """The verdict of a solver within `seconds` of CPU time, and the time it took."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            os.write(writer, SOLVERS[name](path).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        answer = pipe.read() or "unknown"
    _, _, usage = os.wait4(child, 0)
    return answer, round(usage.ru_utime + usage.ru_stime, 2)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--solver", choices=SOLVERS, action="append")
    parser.add_argument("--json", metavar="FILE", type=Path)
    options = parser.parse_args()
    results, refuted = {}, False
    for path in options.files:
        for name in options.solver or SOLVERS:
            answer, spent = limited(name, path, options.seconds)
            results.setdefault(path.stem, {})[name] = [answer, spent]
            refuted |= answer == "sat"
            print(path.stem, name, answer, spent, flush=True)
            if options.json:
                options.json.write_text(json.dumps(results, indent=0))
    return int(refuted)


if __name__ == "__main__":
    sys.exit(main())
