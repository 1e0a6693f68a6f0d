"""Solve SMT-LIB files, several at a time: `python tools/short/solve.py FILES.zip VERDICTS.jsonl`.

Needs Bitwuzla (`pip install bitwuzla`) and nothing of this project. A line for each file says its
name, the answer (`unsat`, `sat`, `time`, `memory`) and the CPU seconds; files that have an answer
are not tried again, unless there is more time than before.
"""

import argparse
import json
import os
import resource
import sys
import time
import zipfile
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


SOLVERS = {"bitwuzla": bitwuzla_says, "cvc5": cvc5_says}


def answer(text: str, seconds: int, solver: str = "bitwuzla") -> tuple[str, float]:
    """What a solver says of a file, in a process of its own, and the CPU seconds it took."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            os.write(writer, SOLVERS[solver](text).encode())
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
    return said or "time", round(usage.ru_utime + usage.ru_stime, 2)


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
    todo = []
    for name in archive.namelist():
        before = known.get(name)
        if before is None or (before["answer"] == "time" and before["seconds"] < options.seconds):
            todo.append(name)
    texts = {name: archive.read(name).decode() for name in todo}
    counts: dict[str, int] = {}

    def solve(name: str) -> None:
        if options.within and time.monotonic() - begun > options.within:
            return
        said, spent = answer(texts[name], options.seconds)
        line = {"file": name, "answer": said, "CPU s": spent, "seconds": options.seconds}
        counts[said] = counts.get(said, 0) + 1
        with options.verdicts.open("a") as file:
            file.write(json.dumps(line) + "\n")

    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(solve, todo))
    print(f"{len(todo)} of {len(archive.namelist())} files tried: {counts}")
    return int("sat" in counts)


if __name__ == "__main__":
    sys.exit(main())
