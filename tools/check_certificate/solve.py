"""Give SMT-LIB files to cvc5 and Bitwuzla: `python solve.py FILE... [--seconds S]`.

Prints one line per file and solver: unsat (proved), sat (refuted), or unknown (out of time). Both
are the solvers' Python packages, `pip install cvc5 bitwuzla`.
"""

import argparse
import json
import sys
import time
from pathlib import Path


def cvc5_verdict(path, seconds):
    import cvc5

    solver = cvc5.Solver()
    solver.setOption("tlimit-per", str(int(1000 * seconds)))
    parser = cvc5.InputParser(solver)
    parser.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, str(path))
    symbols, answers = parser.getSymbolManager(), []
    while not (command := parser.nextCommand()).isNull():
        answers.append(command.invoke(solver, symbols).strip())
    return next((a for a in reversed(answers) if a), "unknown")


def bitwuzla_verdict(path, seconds):
    import bitwuzla

    options = bitwuzla.Options()
    options.set(bitwuzla.Option.TIME_LIMIT_PER, int(1000 * seconds))
    parser = bitwuzla.Parser(bitwuzla.TermManager(), options)
    parser.parse(str(path), parse_only=True)
    return str(parser.bitwuzla().check_sat()).split(".")[-1].lower()


SOLVERS = {"bitwuzla": bitwuzla_verdict, "cvc5": cvc5_verdict}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--solver", choices=SOLVERS, action="append")
    parser.add_argument("--json", metavar="FILE", type=Path)
    options = parser.parse_args()
    results, refuted = {}, False
    for path in options.files:
        for name in options.solver or SOLVERS:
            start = time.process_time()
            answer = SOLVERS[name](path, options.seconds)
            spent = round(time.process_time() - start, 2)
            results.setdefault(path.stem, {})[name] = [answer, spent]
            refuted |= answer == "sat"
            print(path.stem, name, answer, spent, flush=True)
            if options.json:
                options.json.write_text(json.dumps(results, indent=0))
    return int(refuted)


if __name__ == "__main__":
    sys.exit(main())
