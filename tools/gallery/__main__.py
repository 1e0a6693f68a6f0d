"""Run programs that others wrote through the weights, and compare them with wasmtime.

`python -m tools.gallery [NAME...]` (`make gallery`) fetches the sources by package name into
`build/gallery`, compiles them with one platform file of ours, runs our script through the weights
and in wasmtime, and writes `docs/gallery/NAME.json`. It exits with 1 if anything differs.
"""

import argparse
import hashlib
import json
import os
import shlex
import sys
from pathlib import Path
from typing import Any

import transputer as tp
from tools.figures import DOCS, ROOT
from tools.gallery.programs import PROGRAMS, GalleryProgram
from tools.gallery.sources import fetch
from transputer.check.bench.report import machine
from transputer.frontends.c import compile_c
from transputer.frontends.project import read_project
from transputer.oracle.command import CommandResult, run_command

BUILD = Path("build/gallery")
#: Limits: seconds per file for the compiler, and steps and wasmtime's instructions of a run.
COMPILER_SECONDS, LIMIT = 900.0, 4_000_000_000


def compiled(program: GalleryProgram) -> bytes:
    """Return the program as WebAssembly, through a response file as a user would write it."""
    words = program.response(fetch(program, BUILD))
    response = BUILD / f"{program.name}.txt"
    response.write_text("\n".join(map(shlex.quote, words)) + "\n", encoding="utf-8")
    project = read_project(f"@{response}")
    assert project is not None
    return compile_c(*project.files, flags=project.flags, seconds=COMPILER_SECONDS)


def cpu_seconds() -> float:
    """CPU seconds of this process and its children so far."""
    return sum(os.times()[:4])


def compare(program: GalleryProgram, binary: bytes, engine: str = "auto") -> dict[str, Any]:
    """Run a program through the weights and in wasmtime; return the measured values."""
    script = (program.home / program.script).read_bytes()
    theirs = run_command(binary, (program.name, *program.arguments), script, fuel=LIMIT)
    before = cpu_seconds()
    module = tp.compile(source=binary, kind="wasm")
    ours = module.run(
        args=program.arguments, stdin=script, engine=engine, max_steps=LIMIT, keep=False
    )
    seconds = cpu_seconds() - before
    return {
        "equal": equal(ours, theirs),
        "exit code": theirs.exit_code,
        "stdout bytes": len(theirs.stdout),
        "stdout sha256": hashlib.sha256(theirs.stdout).hexdigest(),
        "instructions": ours.instructions,
        "steps": ours.steps,
        "cpu s": round(seconds, 1),
        "engine": engine,
        "module bytes": len(binary),
        "stdout": theirs.stdout.decode(),
    }


def equal(ours: tp.Result, theirs: CommandResult) -> bool:
    """Whether output, exit code and trap are the same, byte for byte."""
    mine = ours.stdout, ours.exit_code, ours.trap
    return mine == (theirs.stdout, theirs.exit_code, theirs.trap)


def save(program: GalleryProgram, values: dict[str, Any]) -> Path:
    """Write `docs/gallery/NAME.json`."""
    about = machine()
    content = {
        "command": f"python -m tools.gallery {program.name}",
        "commit": about.pop("commit"),
        "machine": about,
        "package": {"name": program.package, "version": program.version, "sha256": program.sha256},
        "program": program.title,
        "license": program.license,
        "author": program.author,
        "values": values,
    }
    path = DOCS / "gallery" / f"{program.name}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def main() -> None:
    """Run the named programs, or all."""
    parser = argparse.ArgumentParser(description="Run programs that others wrote.")
    parser.add_argument("names", nargs="*", choices=[[], *PROGRAMS], metavar="NAME")
    parser.add_argument("--engine", default="auto", help="Engine that runs the weights.")
    options = parser.parse_args()
    os.chdir(ROOT)
    different = []
    for name in options.names or PROGRAMS:
        program = PROGRAMS[name]
        print(f"{name}: {program.title}, from {program.package} {program.version}", flush=True)
        values = compare(program, compiled(program), options.engine)
        print(values["stdout"], end="")
        verdict = "equal to wasmtime" if values["equal"] else "DIFFERENT from wasmtime"
        counts = f"{values['instructions']:,} instructions in {values['steps']:,} steps"
        print(f"{verdict}, exit code {values['exit code']}; {counts}, {values['cpu s']} CPU s")
        save(program, values)
        different += [] if values["equal"] else [name]
    if different:
        sys.exit(f"different from wasmtime: {', '.join(different)}")


if __name__ == "__main__":
    main()
