"""Measures what the pages tell and writes it to `docs/results`.

`python -m tools.measure NAME...` runs the commands of the named results and saves their values with
the command, the commit and the machine; without a name it lists them. `make docs` then fills the
pages. Everything goes through the command line, so that a figure is what a user would see.
"""

import argparse
import json
import lzma
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from safetensors import safe_open

from tools.active import active
from tools.certificate import code_lines
from tools.figures import RESULTS, ROOT
from tools.speed import measure as measure_speed
from transputer.check.bench.report import machine
from transputer.machines.trace.opcodes import OPCODES

Values = dict[str, Any]
_SIZES = ("layers", "lanes", "heads", "neurons")


def transputer(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line from the root; a failure ends the measurement with its message."""
    command = [sys.executable, "-m", "transputer", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(arguments)}: exit code {done.returncode}\n{done.stderr}{done.stdout}")
    return done


def cpu_seconds() -> float:
    """CPU seconds of all subprocesses so far."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def sizes() -> Values:
    """Sizes and bounds of the trace machine's model."""
    with tempfile.TemporaryDirectory() as folder:
        model = f"{folder}/trace.safetensors"
        transputer("build", "trace", "-o", model)
        card = json.loads(transputer("inspect", model, "--json").stdout)
    return {name: card[name] for name in _SIZES} | {
        "token parts": len(card["vocabulary"]),
        "nonzeros in layers": card["parameters"]["layers"]["nonzero"],
        "nonzeros in tables": card["parameters"]["tables"]["nonzero"],
        "context": card["context"],
        "active nonzeros": round(active()),
    }


def sudoku() -> Values:
    """Steps and instructions of the README's sudoku."""
    result = json.loads(transputer("run", "examples/c/sudoku.c", "--json").stdout)
    return {"steps": result["steps"], "instructions": result["instructions"]}


_PRINTF = '#include <stdio.h>\nint main(int n, char **a) { printf("%d\\n", n); return 0; }\n'


def printf() -> Values:
    """Steps of a C program that prints one number."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "printf.c")
        source.write_text(_PRINTF, encoding="utf-8")
        result = json.loads(transputer("run", str(source), "--json").stdout)
    return {"steps": result["steps"], "instructions": result["instructions"]}


_FLOAT = '#include <stdio.h>\nint main(void) { printf("%f\\n", 3.14159); return 0; }\n'
_LOOP = """(module (func (export "run") (param i32) (result f64) (local f64)
  (loop
    (local.set 1 (f64.sqrt (f64.add (f64.div (f64.const 1) (local.get 1)) (f64.const 3))))
    (br_if 0 (local.tee 0 (i32.sub (local.get 0) (i32.const 1))))) (local.get 1)))"""


def steps() -> Values:
    """Steps and instructions of programs that divide or compute with floats."""
    values: Values = {}
    with tempfile.TemporaryDirectory() as folder:
        hello, loop = Path(folder, "hello.c"), Path(folder, "loop.wat")
        hello.write_text(_FLOAT, encoding="utf-8")
        loop.write_text(_LOOP, encoding="utf-8")
        for name, arguments in {
            "gcd.c": ("examples/c/gcd.c", "--invoke", "gcd", "48", "36"),
            "printf of %f": (str(hello),),
            "loop of f64 div, add, sqrt": (str(loop), "--invoke", "run", "1000"),
            "mandelbrot.c": ("examples/programs/mandelbrot.c",),
            "nbody.c": ("examples/programs/nbody.c",),
        }.items():
            result = json.loads(transputer("run", *arguments, "--json").stdout)
            values[name] = {key: result[key] for key in ("steps", "instructions")}
    return values


def specialize() -> Values:
    """Sizes and speed of models of one program, beside the universal one."""
    programs = {
        "gcd.c": ("1836311903", "1134903170"),
        "queens.c": ("9",),
        "sudoku.c": (),
    }
    values: Values = {"programs": {}}
    for name, arguments in programs.items():
        with tempfile.TemporaryDirectory() as folder:
            model = f"{folder}/model.safetensors"
            source = f"examples/c/{name}"
            invoke = ("--invoke", name.removesuffix(".c")) if arguments else ()
            done = transputer("specialize", source, *arguments, *invoke, "-o", model, "--stats")
            saved: Any = safe_open(model, "numpy")
            about = json.loads(saved.metadata()["transputer"])
        values["universal"], own = _stats(done.stderr)
        own |= {"arguments": list(arguments), "boot": about["hints"]["program"]["boot"]}
        values["programs"][name] = own
    return values


def _stats(text: str) -> tuple[Values, Values]:
    """What `specialize --stats` prints: sizes of both models, times of the special one."""
    both: tuple[Values, Values] = {}, {}
    for line in text.splitlines():
        if match := re.fullmatch(r"(\D+?) +([\d,]+) +([\d,]+)", line):
            name = re.sub(r"nonzeros, ", "nonzeros in ", match[1])
            for values, number in zip(both, match.groups()[1:], strict=True):
                values[name] = int(number.replace(",", ""))
        elif match := re.match(r"specialised in ([\d.]+) s", line):
            both[1]["seconds"] = float(match[1])
        elif match := re.match(
            r"([\d,]+) steps.*universal ([\d.]+) s, specialised ([\d.]+) s", line
        ):
            both[1]["steps"] = int(match[1].replace(",", ""))
            both[1]["universal s"], both[1]["specialised s"] = map(float, match.groups()[1:])
    return both


def export_c() -> Values:
    """CPU seconds of the exported C programs on the sudoku."""
    values: Values = {}
    for name, options in (("plain", ()), ("specialised", ("--specialize",))):
        with tempfile.TemporaryDirectory() as folder:
            source, program = f"{folder}/sudoku.c", f"{folder}/sudoku"
            transputer("export", "examples/c/sudoku.c", "--to", "c", "-o", source, *options)
            subprocess.run(["cc", "-O2", source, "-o", program], check=True)
            before = cpu_seconds()
            subprocess.run([program], stdout=subprocess.DEVNULL, check=True)
            values[f"{name} s"] = round(cpu_seconds() - before, 1)
    return values


def audit() -> Values:
    """The audit's verdicts and what it takes."""
    before, started = cpu_seconds(), time.monotonic()
    report = json.loads(transputer("audit", "--json").stdout)
    took = {"cpu s": round(cpu_seconds() - before), "s": round(time.monotonic() - started)}
    return audit_values(report) | took


def audit_values(report: Values) -> Values:
    """How many rules hold."""
    verdicts = report["verdicts"]
    return {"rules": len(verdicts), "hold": sum(verdict["passed"] for verdict in verdicts)}


def spec() -> Values:
    """The official suite through the weights."""
    report = json.loads(transputer("spec", "--json").stdout)
    return {**report["totals"], "files": len(report["files"])}


def speed() -> Values:
    """One loop on the reference engine, on the oracle and compiled."""
    rates = measure_speed()
    return {
        "reference": rates.reference,
        "oracle": rates.oracle,
        "wasmtime": rates.wasmtime,
    }


def map_rows() -> Values:
    """A million rows through `map`: the memory of the largest process, and CPU seconds."""
    rows = 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        inputs, output = Path(folder, "rows.jsonl"), Path(folder, "results.jsonl")
        with inputs.open("w", encoding="utf-8") as file:
            for n in range(rows):
                file.write(json.dumps({"args": [n * 2654435761 % 2**31, n + 1]}) + "\n")
        before = cpu_seconds()
        transputer("map", "examples/c/gcd.c", str(inputs), "--invoke", "gcd", "-o", str(output))
        spent = cpu_seconds() - before
        with output.open(encoding="utf-8") as file:
            lines = sum(1 for _ in file)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss  # kB on Linux
    return {
        "rows": lines,
        "cpu s": round(spent),
        "peak MB": round(peak / 1000),
    }


def wheels() -> Values:
    """Megabytes of the wheels of both distributions."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ".", "./models"]
        subprocess.run([sys.executable, "-m", *command], cwd=ROOT, check=True)
        paths = {path.name.partition("-")[0]: path for path in Path(folder).glob("*.whl")}
        return {f"{name} MB": round(path.stat().st_size / 1e6, 1) for name, path in paths.items()}


VERDICTS = ("formulas", "points", "not proved", "wrong")
MUTANTS = ("refused", "refuted", "not proved", "proved", "unsound")
ANSWERS = ("unsat", "time", "open", "sat", "not tried")
SOLVERS = ("bitwuzla", "cvc5")


def count(names: Sequence[str], items: Sequence[str]) -> dict[str, int]:
    """How many items there are of each name."""
    return {name: items.count(name) for name in names}


PROVED = ("formulas", "points")


def certificate() -> Values:
    """What `make certificate`, `make mutants` and `make smt` left in build/certificate.

    The rows may have been checked in shares (`--rows A:B`), each with a report of its own.
    """
    folder, rows = ROOT / "build" / "certificate", dict[int, Values]()
    for path in sorted(folder.glob("report*.json")):
        rows.update({row["number"]: row for row in json.loads(path.read_text())["rows"]})
    packed = (folder / "trace.json.xz").read_bytes()
    content = json.loads(lzma.decompress(packed))
    names, numbers = {number: name for name, number in OPCODES.items()}, range(len(content["rows"]))
    verdicts = [rows[n]["verdict"] if n in rows else "not checked" for n in numbers]
    solvers, by_solver = solved(folder / "smt.jsonl", verdicts)
    phases: dict[str, list[int]] = {}
    for row, verdict, by in zip(content["rows"], verdicts, by_solver, strict=True):
        opcode = max(row["fixed"])[2]  # the fetched token comes after the last
        counts = phases.setdefault(names.get(opcode, f"opcode {opcode}"), [0, 0, 0, 0])
        counts[0] += verdict not in (*PROVED, "not checked")
        counts[1] += verdict == "not checked"
        counts[2] += verdict not in PROVED and not by
        counts[3] += 1
    mutants = json.loads((folder / "mutants.json").read_text())
    return {
        "rows": len(content["rows"]),
        "MB": round(len(lzma.decompress(packed)) / 1e6, 1),
        "MB compressed": round(len(packed) / 1e6, 2),
        "lines": code_lines(),
        "checked": len(rows),
        "not checked": len(content["rows"]) - len(rows),
        **count(VERDICTS, verdicts),
        "CPU s": round(sum(row["CPU s"] for row in rows.values())),
        "not proved by instruction": {n: c for n, c in phases.items() if c[0] or c[1]},
        "mutants": {
            "count": len(mutants),
            **count(MUTANTS, [mutant["verdict"] for mutant in mutants]),
        },
        "solvers": solvers,
    }


def solved(path: Path, verdicts: Sequence[str]) -> tuple[Values, list[int]]:
    """What the solvers say of rows with these verdicts, and how many of them prove each row."""
    lines = map(json.loads, path.read_text().splitlines())
    tried = {(line["row"], line["solver"]): line for line in lines}  # the last of each
    values, by = Values(), [0] * len(verdicts)
    for name in SOLVERS:
        answers = [
            tried.get((n, name), {"verdict": "not tried", "CPU s": 0}) for n in range(len(verdicts))
        ]
        by = [n + (answer["verdict"] == "unsat") for n, answer in zip(by, answers, strict=True)]
        values[name] = count(ANSWERS, [answer["verdict"] for answer in answers])
        values[name]["CPU s"] = round(sum(answer["CPU s"] for answer in answers))
    alone = [n for n, verdict in zip(by, verdicts, strict=True) if verdict not in PROVED]
    return values | {
        "tried": len({row for row, _ in tried}),
        "both": by.count(2),
        "one": by.count(1),
        "neither": len({row for row, _ in tried if not by[row]}),
        "not the checker": len(alone) - alone.count(0),
        "nothing": alone.count(0),
        "seconds": max(line["seconds"] for line in tried.values()),
    }, by


#: Each result with the command that shows the same to a user.
MEASUREMENTS: dict[str, tuple[Callable[[], Values], str]] = {
    "sizes": (sizes, "transputer inspect trace.safetensors"),
    "sudoku": (sudoku, "transputer run examples/c/sudoku.c --stats"),
    "printf": (printf, "transputer run printf.c --stats"),
    "steps": (steps, "transputer run FILE --stats"),
    "specialize": (specialize, "transputer specialize FILE ARGS -o MODEL --stats"),
    "export": (export_c, "transputer export examples/c/sudoku.c --to c -o s.c; cc -O2 s.c"),
    "audit": (audit, "transputer audit"),
    "spec": (spec, "transputer spec"),
    "speed": (speed, "python -m tools.speed"),
    "certificate": (certificate, "make certificate mutants smt"),
    "wheels": (wheels, "pip wheel --no-deps . ./models"),
    "map": (map_rows, "transputer map examples/c/gcd.c rows.jsonl --invoke gcd -o results.jsonl"),
}


def save(name: str, command: str, values: Values) -> Path:
    """Write `docs/results/NAME.json`."""
    about = machine()
    commit = about.pop("commit")
    content = {"command": command, "commit": commit, "machine": about, "values": values}
    path = RESULTS / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return path


def main() -> None:
    """Measure what is named."""
    parser = argparse.ArgumentParser(description="Measure figures into docs/results.")
    parser.add_argument("names", nargs="*", choices=[[], *MEASUREMENTS], metavar="NAME")
    names = parser.parse_args().names
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if not names:
        print("\n".join(MEASUREMENTS))
    for name in names:
        run, command = MEASUREMENTS[name]
        print(save(name, command, run()).relative_to(ROOT))


if __name__ == "__main__":
    main()
