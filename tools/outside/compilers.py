"""Compare the published Loom's compiler and interpreter with ours, on the same sources.

`python -m tools.outside.compilers FOLDER` reads what github.com/mkturkcan/Loom has in `demos`:
`*_info.json` (sources and the instructions that its compiler made of them) and
`isa_interpreter.js`, the fast path of its pages. They are not part of this repository. It writes
`docs/results/compilers.json`; Node.js runs the interpreter.
"""

import argparse
import json
import re
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import transputer as tp
from tools.measure import save
from transputer.ir.loom import LoomProgram, smallest
from transputer.machines.loom.circuit import model
from transputer.machines.loom.host import initial
from transputer.runtime.loom.program import compile_loom
from transputer.runtime.loom.run import engine_of

#: Width of the published machine's words, and its scratchpad.
BITS, SCRATCH = 8, 32
#: A line of assignments of constants to elements.
FILL = re.compile(r"\s*(\w+\[\d+\] = -?\d+; ?)+")
#: Four nested loops of instructions that both machines have: about 3 · TURNS^4 steps.
TURNS = 80
LOOPS = f"""
.bits {BITS}
.word turns {TURNS}
.word one 1
.word result
.word a
.word b
.word c
.word d
    MOV a, turns
first:
    MOV b, turns
second:
    MOV c, turns
third:
    MOV d, turns
fourth:
    ADD result, one
    DEC d
    JNZ d, fourth
    DEC c
    JNZ c, third
    DEC b
    JNZ b, second
    DEC a
    JNZ a, first
    HALT
"""
NODE = """
const fs = require("fs"), vm = require("vm");
const [path, given] = process.argv.slice(1);
const Interpreter = vm.runInThisContext(fs.readFileSync(path, "utf8") + "; ISAInterpreter");
const { scratch, bits, memory, commands, result } = JSON.parse(fs.readFileSync(given, "utf8"));
const run = () => new Interpreter(scratch, memory.length, bits, memory, commands);
run().run(1e6);
const machine = run(), before = process.cpuUsage();
const { steps, halted } = machine.run(1e10);
const { user, system } = process.cpuUsage(before);
const seconds = (user + system) / 1e6;
console.log(JSON.stringify({ steps: steps + 1, halted, seconds, result: machine.memory[result] }));
"""


def compared(about: dict[str, Any]) -> dict[str, Any]:
    """Instructions of both compilers for a published program, and what ours takes to run."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"{about['name']}.c")
        path.write_text(about["source"], encoding="utf-8")
        code = compile_loom(path, BITS).code
        program = tp.compile(str(path), machine="loom", bits=BITS)
        result = program.run(invoke="main", engine="lifted", max_steps=50_000_000)
    wanted = about["expected"].get("RETVAL")
    if wanted is not None and list(result.results) != [wanted]:
        raise SystemExit(f"{about['name']}: {result} instead of {wanted}")
    lines = about["source"].splitlines()
    fills = {n for n, line in enumerate(lines, 1) if FILL.fullmatch(line)}
    return {
        "program": about["name"],
        "published": about["num_instructions"],
        "ours": len(code),
        "published filling": sum(n in fills for n in about["source_map"].values()),
        "ours filling": sum(one.line in fills for one in code),
        "steps": result.steps,
    }


def triples(program: LoomProgram) -> list[list[int]]:
    """The program as the published interpreter takes it: operation, column, column or place."""
    first = SCRATCH + len(program.memory)
    return [
        [i.op.code, SCRATCH + i.b, first + i.c if "pc" in i.op.imm else SCRATCH + i.c]
        for i in program.code
    ]


def speeds(interpreter: Path) -> dict[str, float]:
    """Steps per CPU second of one program on the published interpreter and on our engines."""
    with tempfile.TemporaryDirectory() as folder:
        source, given = Path(folder, "loops.loomasm"), Path(folder, "loops.json")
        source.write_text(LOOPS, encoding="utf-8")
        program = compile_loom(source)
        slots = {symbol.name: symbol.slot for symbol in program.symbols}
        given.write_text(
            json.dumps(
                {"scratch": SCRATCH, "bits": BITS, "memory": program.memory}
                | {"commands": triples(program), "result": slots["result"]}
            ),
            encoding="utf-8",
        )
        command = ["node", "--eval", NODE, str(interpreter.resolve()), str(given)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        theirs = json.loads(done.stdout)
        ours = tp.run(str(source), machine="loom", engine="lifted", max_steps=10**9)
    if theirs["steps"] != ours.steps or [theirs["result"]] != list(ours.results):
        raise SystemExit(f"the interpreter says {theirs}, the weights {ours}")
    return {
        "steps": ours.steps,
        "published interpreter steps/s": round(theirs["steps"] / theirs["seconds"]),
        "native steps/s": rate(program, "native", 10**6),
        "lifted steps/s": rate(program, "lifted", ours.steps),
    }


def rate(program: LoomProgram, name: str, steps: int) -> int:
    """Steps per CPU second of an engine, without its preparation."""
    size = smallest(program)
    engine = engine_of(name, model(size), initial(program, size))
    before = time.process_time()
    done = engine.run(steps)
    return round(done / (time.process_time() - before))


def main() -> None:
    """Compare what a folder has."""
    parser = argparse.ArgumentParser(description="Compare the published compiler with ours.")
    parser.add_argument("folder", type=Path, help="the published folder `demos`, or a copy of it")
    folder = parser.parse_args().folder
    infos = sorted(folder.rglob("*_info.json"))
    rows = [compared(json.loads(path.read_text(encoding="utf-8"))) for path in infos]
    for row in rows:
        print(row, flush=True)
    (interpreter,) = folder.rglob("isa_interpreter.js")
    values = {
        "programs": len(rows),
        "published": sum(row["published"] for row in rows),
        "ours": sum(row["ours"] for row in rows),
        "speed": speeds(interpreter),
        "rows": rows,
    }
    save("compilers", "python -m tools.outside.compilers FOLDER", values)


if __name__ == "__main__":
    main()
