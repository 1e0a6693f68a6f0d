"""The same C gives the same output, value and trap: gcc, the interpreter and the weights."""

import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.sampling import sampled
from transputer.check.fuzz.smallc.judge import compiler
from transputer.engines.native.looped import LoopedNative
from transputer.errors import Trap
from transputer.frontends.loomasm import assemble_loom
from transputer.frontends.smallc import compile
from transputer.ir.loom import LoomProgram, smallest
from transputer.isa.integers import signed
from transputer.machines.loom.circuit import model
from transputer.machines.loom.host import LoomSession, initial
from transputer.oracle.loom import Loom

PRINT = """#include <stdio.h>
void number(int n) {
    if (n < 0) { putchar('-'); n = -n; }
    if (n > 9) number(n / 10);
    putchar('0' + n % 10);
}
"""
PROGRAMS = {
    "empty": "int main(void) { }",
    "zero": "int main(void) { return 0; }",
    "negative": "int main(void) { return -7; }",
    "beyond 255": "int main(void) { return 1000; }",
    "least": "int main(void) { return -2147483647 - 1; }",
    "no newline": PRINT + "int main(void) { putchar('o'); putchar('k'); return 3; }",
    "lines": PRINT + "int main(void) { number(210); putchar(10); number(-5); putchar(10); }",
    "bytes": PRINT + "int main(void) { for (int i = 0; i < 256; i++) putchar(i); return 256; }",
    "wide": PRINT + "int main(void) { int p = 1; while (p < 400000000) p *= 3; number(p); }",
    "remainder": PRINT + "int main(void) { number(-17 / 5); number(-17 % 5); return -17 % 5; }",
    "recursion": PRINT + "int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }"
    "int main(void) { number(f(10)); return f(10); }",
    "arrays": PRINT + "int a[3] = {4, 5, 6}; int main(void) {"
    "int s = 0; for (int *p = a; p < a + 3; p++) s = 10 * s + *p; number(s); return s; }",
    "unsigned": PRINT + "int main(void) { unsigned u = 0; u--; number(u / 65536); return u % 7; }",
    "a global called result": "int result = 5; int main(void) { result++; return 9; }",
    "characters": PRINT + "int main(void) { char c = 'z'; c += 10; number(c); return c; }",
}


@dataclass(frozen=True, slots=True)
class Seen:
    """What a run shows: bytes of output, main's value, the trap."""

    output: bytes
    value: int | None
    trap: Trap | None = None


def on_loom(program: LoomProgram, engine: str) -> Seen:
    config = smallest(program)
    if engine == "oracle":
        runner: Loom | LoomSession = Loom(program, config)
    else:
        runner = LoomSession(config, LoopedNative(model(config), initial(program, config)))
    runner.run(1_000_000)
    trap = runner.trap and program.cause(runner.trap, runner.memory)
    assert program.result is not None
    value = None if trap else signed(program.bits, runner.memory[program.result])
    return Seen(bytes(runner.output), value, trap)


@pytest.fixture(scope="module")
def in_c(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[bytes, int]]:
    """Output and exit code of every program, from a C compiler."""
    folder, seen = tmp_path_factory.mktemp("gcc"), {}
    for number, (name, text) in enumerate(PROGRAMS.items()):
        source, binary = Path(folder, f"{number}.c"), Path(folder, str(number))
        source.write_text(text)
        flags = ("-w", "-fwrapv", "-fsigned-char", "-O1")  # a char has no sign on ARM
        subprocess.run([*compiler(), *flags, str(source), "-o", str(binary)], check=True)
        ran = subprocess.run([binary], capture_output=True)
        seen[name] = (ran.stdout, ran.returncode)
    return seen


def on_engines(values: Iterable[tuple[Any, ...]]) -> list[Any]:
    """Every value on the oracle, and on the weights: of those, `make test` runs every fourth."""
    rows = list(values)
    on_weights = sampled([(*row, "native") for row in rows], 4, rows=True)
    return [*((*row, "oracle") for row in rows), *on_weights]


@pytest.mark.parametrize("name, engine", on_engines((name,) for name in PROGRAMS))
def test_output_and_exit_code(name: str, engine: str, in_c: dict[str, tuple[bytes, int]]) -> None:
    seen = on_loom(compile(PROGRAMS[name], "t.c"), engine)
    assert seen.trap is None and seen.value is not None
    assert (seen.output, seen.value % 256) == in_c[name]


TRAPS = {
    "int y; int main(void) { return 7 / y; }": Trap.DIVIDE_BY_ZERO,
    "unsigned y; int main(void) { putchar('a'); return 7 % y; }": Trap.DIVIDE_BY_ZERO,
    "int f(int n) { return n ? n / (n - 1) + f(n - 1) : 0; } int main(void) { return f(3); }": (
        Trap.DIVIDE_BY_ZERO
    ),
    "int a[3], i = 100000; int main(void) { return a[i]; }": Trap.MEMORY_OUT_OF_BOUNDS,
    "int a[3], i = -90; int main(void) { a[i] = 1; return 0; }": Trap.MEMORY_OUT_OF_BOUNDS,
    "int *p; int main(void) { p--; return *p; }": Trap.MEMORY_OUT_OF_BOUNDS,
    "int f(int n) { return 1 + f(n + 1); } int main(void) { return f(0); }": Trap.STACK_EXHAUSTED,
    "int f(int n) { int a[4]; a[n & 3] = n; return a[0] + f(n + 1); }"
    "int main(void) { return f(0); }": Trap.STACK_EXHAUSTED,
    "int f(int n, int *p) { return n ? 1 + f(n - 1, p) : *p; }"
    "int main(void) { return f(3, (int *)5000); }": Trap.MEMORY_OUT_OF_BOUNDS,
}


@pytest.mark.parametrize("text, trap, engine", on_engines(TRAPS.items()))
def test_traps_have_the_names_of_the_trace_machine(text: str, trap: Trap, engine: str) -> None:
    seen = on_loom(compile(text, "t.c"), engine)
    assert (seen.value, seen.trap) == (None, trap)
    assert seen.output == (b"a" if "putchar" in text else b"")


def test_a_program_knows_whether_it_has_a_main() -> None:
    compiled = compile("int result; int main(void) { result = 4; return 6; }")
    slots = {symbol.name: symbol.slot for symbol in compiled.symbols}
    assert compiled.main == compiled.result == slots["main"] != slots["result"]
    assembled = assemble_loom(".word x 1\n.word result 2\nHALT")
    assert (assembled.main, assembled.result) == (None, 2)
    assert assemble_loom("HALT").result is None


def test_a_trap_of_assembly_keeps_its_name() -> None:
    program = assemble_loom(".word x 100\nLOAD x, x\nHALT")
    assert program.cause(Trap.MEMORY_OUT_OF_BOUNDS, [0, 100]) is Trap.MEMORY_OUT_OF_BOUNDS
    assert program.cause(Trap.INVALID_INSTRUCTION, [0, 100]) is Trap.INVALID_INSTRUCTION
