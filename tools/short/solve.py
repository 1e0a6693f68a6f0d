"""Prove claims, several at a time: `python tools/short/solve.py FILES.zip VERDICTS.jsonl`.

Needs solvers (`pip install cvc5 z3-solver bitwuzla`) and nothing of this project. A line for each
file says its name, the answer (`unsat`, `sat`, `time`, `memory`) and the CPU seconds; files that
have an answer are not tried again, unless there is more time than before. cvc5 is asked for files
over integers, then Z3; Bitwuzla for those over bit-vectors, of claims that are not proved by then.
"""

import argparse
import json
import os
import resource
import sys
import time
import zipfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

MEMORY = 6 * 2**30


def bitwuzla_says(text: str) -> str:
    """What Bitwuzla says of a file."""
    import bitwuzla

    parser = bitwuzla.Parser(bitwuzla.TermManager(), bitwuzla.Options())
    parser.parse(text, parse_only=True, parse_file=False)
    return str(parser.bitwuzla().check_sat()).split(".")[-1].lower()


def cvc5_says(text: str) -> str:
    """What cvc5 says of a file."""
    import cvc5

    solver = cvc5.Solver()
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "file")
    symbols, said = parser.getSymbolManager(), "unknown"
    while not (command := parser.nextCommand()).isNull():
        said = command.invoke(solver, symbols).strip() or said
    return said


def z3_says(text: str) -> str:
    """What Z3 says of a file."""
    import z3

    solver = z3.Solver()
    solver.from_string(text.replace("(check-sat)", ""))
    return str(solver.check())


#: Who is asked, in turn, for which kind of a claim's files.
SOLVERS = (cvc5_says, z3_says), (bitwuzla_says,)
#: Answers that end the asking.
SURE = "unsat", "sat"


def holds(claim: Sequence[list[str] | None], said: dict[str, str]) -> bool:
    """Whether all files of one kind are `unsat`; None stands for no files of a kind."""
    return any(
        names is not None and all(said.get(name) == "unsat" for name in names) for names in claim
    )


def answer(text: str, seconds: int, kind: int) -> tuple[str, float]:
    """What solvers say of a file, and the CPU seconds it took."""
    said, spent = "", 0.0
    for solver in SOLVERS[kind]:
        said, more = _says(solver, text, seconds)
        spent += more
        if said in SURE:
            break
    return said, round(spent, 2)


def _says(solver: Callable[[str], str], text: str, seconds: int) -> tuple[str, float]:
    """What one says, in a process of its own."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            os.write(writer, solver(text).encode())
        except MemoryError:
            os.write(writer, b"memory")
        except Exception as problem:
            os.write(writer, f"error: {problem}"[:4000].encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        said = pipe.read().decode()
    _, _, usage = os.wait4(child, 0)
    return said or "time", usage.ru_utime + usage.ru_stime


def main() -> int:
    """Solve all files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path)
    parser.add_argument("verdicts", type=Path)
    parser.add_argument("--seconds", type=int, default=120, help="of CPU time for each file")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--within", type=int, default=0, help="seconds after which none is begun")
    options = parser.parse_args()
    begun, known = time.monotonic(), {}
    if options.verdicts.exists():
        for line in map(json.loads, options.verdicts.read_text().splitlines()):
            known[line["file"]] = line
    archive = zipfile.ZipFile(options.files)
    claims = json.loads(archive.read("claims.json"))
    said = {name: line["answer"] for name, line in known.items()}

    def solve(name: str, kind: int) -> None:
        before = known.get(name)
        if before and (before["answer"] != "time" or before["seconds"] >= options.seconds):
            return
        if options.within and time.monotonic() - begun > options.within:
            return
        said[name], spent = answer(texts[name], options.seconds, kind)
        line = {"file": name, "answer": said[name], "CPU s": spent, "seconds": options.seconds}
        with options.verdicts.open("a") as file:
            file.write(json.dumps(line) + "\n")

    for kind in range(len(SOLVERS)):
        open_claims = [claim for claim in claims if not holds(claim, said)]
        names = [*dict.fromkeys(name for claim in open_claims for name in claim[kind] or ())]
        texts = {name: archive.read(name).decode() for name in names}
        with ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(solve, names, [kind] * len(names)))
        print(
            f"{sum(holds(c, said) for c in claims)} of {len(claims)} claims are proved", flush=True
        )
    return int(not all(holds(claim, said) for claim in claims))


if __name__ == "__main__":
    sys.exit(main())
