"""Run programs that others wrote through the weights, and compare them with wasmtime.

`python -m tools.gallery [NAME...]` (`make gallery`) fetches the sources by package name into
`build/gallery`, compiles them with one platform file of ours, runs our script through the weights
and in wasmtime, and writes `docs/outside/gallery.json`. It exits with 1 if anything differs.
"""

import argparse
import json
import os
import shlex
import sys
from dataclasses import replace
from pathlib import Path

from tools.gallery.programs import PROGRAMS, GalleryProgram
from tools.outside.suite import (
    RESULTS,
    ROOT,
    SuiteRow,
    save,
    through_the_weights,
)
from tools.sources import fetch
from transputer.frontends.c import compile_c
from transputer.frontends.project import read_project
from transputer.oracle.command import run_command

BUILD = Path("build/gallery")
#: Limits: seconds per file for the compiler, and steps of a run.
COMPILER_SECONDS, MAX_STEPS = 900.0, 4_000_000_000


def compiled(program: GalleryProgram) -> bytes:
    """Return the program as WebAssembly, through a response file as a user would write it."""
    words = program.response(fetch(program.package, BUILD))
    response = BUILD / f"{program.name}.txt"
    response.write_text("\n".join(map(shlex.quote, words)) + "\n", encoding="utf-8")
    project = read_project(f"@{response}")
    assert project is not None
    return compile_c(*project.files, flags=project.flags, seconds=COMPILER_SECONDS)


def compare(program: GalleryProgram, binary: bytes) -> SuiteRow:
    """Run a program's script through the weights and under wasmtime."""
    script = (program.home / program.script).read_bytes()
    arguments = program.arguments
    expected = run_command(binary, ("program.wasm", *arguments), script, fuel=None)
    print(expected.stdout.decode(), end="", flush=True)
    row = through_the_weights(program.title, binary, expected, script, MAX_STEPS, arguments)
    package = program.package
    made_of = f"{package.name} {package.version} on PyPI ({program.author}, {program.license})"
    return replace(row, detail=made_of)


def rows_before() -> dict[str, SuiteRow]:
    """Return the rows of the last result file, by program."""
    path = RESULTS / "gallery.json"
    rows = json.loads(path.read_text(encoding="utf-8"))["rows"] if path.is_file() else []
    return {row["program"]: SuiteRow(**row) for row in rows}


def main() -> None:
    """Run the named programs, or all; exit with 1 if one is not right."""
    parser = argparse.ArgumentParser(description="Run programs that others wrote.")
    parser.add_argument("names", nargs="*", choices=[[], *PROGRAMS], metavar="NAME")
    options = parser.parse_args()
    os.chdir(ROOT)
    names = options.names or list(PROGRAMS)
    rows = rows_before()
    for name in names:
        row = compare(PROGRAMS[name], compiled(PROGRAMS[name]))
        print(row, flush=True)
        rows[row.program] = row
        save("gallery", "Gallery", "python -m tools.gallery", rows.values(), {})
    sys.exit(any(rows[PROGRAMS[name].title].verdict != "right" for name in names))


if __name__ == "__main__":
    main()
