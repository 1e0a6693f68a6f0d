"""The behaviour of a program on a machine, and compiled by a C compiler."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from transputer.check.fuzz.smallc.spelling import SmallCProgram
from transputer.errors import CapacityError, EngineUnavailable, StepLimitError
from transputer.frontends.smallc import compile
from transputer.frontends.smallc.soft.compile import compile as compile_soft
from transputer.ir.loom import Symbol, smallest
from transputer.isa.integers import signed
from transputer.oracle.loom import Loom
from transputer.oracle.soft import Soft

#: Step limit; no random program comes near it.
STEPS = 20_000_000

_PRELUDE = """
#include <stdint.h>
#include <stdio.h>
#include <string.h>
typedef int64_t L;
static unsigned char output[1 << 20];
static unsigned written;
#define OUT(x) (output[written++ & ((1 << 20) - 1)] = (unsigned char)(x))
#define SWAP(T, a, b) do { T *sa = &(a), *sb = &(b), st = *sa; *sa = *sb; *sb = st; } while (0)
#define FIND(a, x, n) ({ int at = -1; for (int k = 0; k < (n); k++) \\
    if ((I)(a)[k] == (I)(x)) { at = k; break; } at; })
static void show(void) { for (unsigned k = 0; k < written; k++) printf("%02x", output[k]); }
"""
_TYPES = """
#define I int{bits}_t
#define U uint{bits}_t
#define C int8_t
#define B uint8_t
"""
_FLAGS = ("-O0", "-fwrapv", "-w", "-fno-sanitize=undefined", "-std=gnu11")


@dataclass(frozen=True, slots=True)
class Behaviour:
    """Observable behaviour: main's value, the watched globals, the output."""

    result: int
    watched: tuple[int, ...]
    output: str

    def __str__(self) -> str:
        return f"result {self.result}, globals {list(self.watched)}, output {self.output or '-'}"


def on_loom(program: SmallCProgram) -> Behaviour | None:
    """Run on the loom interpreter; None if the program does not fit."""
    loom_program = compile(program.small(), "fuzz.c", program.bits)
    try:
        machine = Loom(loom_program, smallest(loom_program))
    except CapacityError:
        return None
    machine.run(STEPS)
    if machine.trap:
        raise StepLimitError(machine.steps)
    assert loom_program.result is not None
    watched = _watched(program, loom_program.symbols, machine.memory)
    return Behaviour(
        signed(program.bits, machine.memory[loom_program.result]), watched, machine.output.hex()
    )


def on_soft(program: SmallCProgram) -> Behaviour | None:
    """Run on the soft interpreter, which has words of 32 bits."""
    image = compile_soft(program.small(), "fuzz.c")
    machine = Soft(image)
    machine.run(STEPS)
    if machine.trap:
        raise StepLimitError(machine.steps)
    watched = _watched(program, image.symbols, machine.memory)
    return Behaviour(machine.result, watched, machine.output.hex())


def _watched(
    program: SmallCProgram, symbols: Sequence[Symbol], memory: Sequence[int]
) -> tuple[int, ...]:
    """The words of the watched globals."""
    places = {symbol.name: symbol.slot for symbol in symbols}
    return tuple(
        signed(program.bits, word)
        for name, count, _ in program.watched
        for word in memory[places[name] : places[name] + max(count, 1)]
    )


#: Runner and word widths of each machine.
MACHINES = {"loom": (on_loom, (8, 16, 32)), "soft": (on_soft, (32,))}


def compiler() -> list[str]:
    """Return the C compiler to compare with: gcc, or the clang in ziglang."""
    for name in ("gcc", "cc"):
        if path := shutil.which(name):
            return [path]
    return [sys.executable, "-m", "ziglang", "cc"]


def in_c(programs: Sequence[SmallCProgram]) -> list[Behaviour]:
    """Compile all programs with a C compiler and run them at once."""
    with tempfile.TemporaryDirectory() as folder:
        source, binary = Path(folder) / "fuzz.c", Path(folder) / "fuzz"
        source.write_text(_source(programs))
        command = [*compiler(), *_FLAGS, str(source), "-o", str(binary)]
        compilation = subprocess.run(command, capture_output=True, text=True)
        if compilation.returncode:
            raise EngineUnavailable(f"the C compiler failed: {compilation.stderr[:2000]}")
        process = subprocess.run([str(binary)], capture_output=True, text=True, timeout=600)
    return [_behaviour(line) for line in process.stdout.splitlines()]


def _source(programs: Sequence[SmallCProgram]) -> str:
    parts = [_PRELUDE]
    bits = 0
    for i, program in enumerate(programs):
        if program.bits != bits:
            bits = program.bits
            parts.append("#undef I\n#undef U\n#undef C\n#undef B" + _TYPES.format(bits=bits))
        prefix = f"p{i}"
        parts.append(program.real(prefix))
        parts.append(_runner(program, prefix, i))
    calls = "\n".join(f"    run{i}();" for i in range(len(programs)))
    parts.append(f"int main(void) {{\n{calls}\n    return 0;\n}}\n")
    return "\n".join(parts)


def _runner(program: SmallCProgram, prefix: str, i: int) -> str:
    lines = [f"static void run{i}(void) {{", "written = 0;"]
    lines.append(f'printf("%lld", (long long)(I){prefix}_main());')
    for name, count, columns in program.watched:
        at = f"[k / {columns}][k % {columns}]" if columns else "[k]" if count else ""
        print_value = f'printf(" %lld", (long long)(I){prefix}_{name}{at});'
        lines.append(f"for (int k = 0; k < {max(count, 1)}; k++) {print_value}")
    lines.append('printf("|"); show(); printf("\\n"); }')
    return "\n".join(lines)


def _behaviour(line: str) -> Behaviour:
    numbers, output = line.split("|")
    result, *watched = map(int, numbers.split())
    return Behaviour(result, tuple(watched), output)
