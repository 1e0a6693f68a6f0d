"""The debugger's prompt: scripts in, what a person sees out."""

from collections.abc import Callable
from pathlib import Path

import pytest

Cli = Callable[..., "tuple[int, str, str]"]

PROGRAM = """#include "transputer.h"
int total;
static int square(int x) {
    return x * x;
}
int main(void) {
    for (int i = 1; i <= tp_read(); i++)
        total += square(i);
    tp_write('0' + total);
    return total;
}
"""


@pytest.fixture
def debug(cli: Cli, tmp_path: Path) -> Callable[..., list[str]]:
    source, given = tmp_path / "sum.c", tmp_path / "input"
    source.write_text(PROGRAM)
    given.write_bytes(bytes([2, 2, 2]))

    def run(*commands: str) -> list[str]:
        script = tmp_path / "script"
        script.write_text("\n".join(commands))
        code, out, err = cli(
            "debug", str(source), "-O", "0", "--stdin", str(given), "--script", str(script)
        )
        assert (code, err) == (0, "")
        return out.splitlines()

    return run


def test_the_end(debug: Callable[..., list[str]]) -> None:
    lines = debug("continue", "output")
    assert lines[0].startswith("step 1 of ")
    assert lines[1].startswith("end after ") and lines[1].endswith("exit code 5")
    assert lines[2] == "5"


def test_breakpoints_calls_and_going_back(debug: Callable[..., list[str]]) -> None:
    lines = debug("break square", "c", "where", "c", "c", "r", "delete 1", "run-to 9", "output")
    assert lines[1:3] == ["1  square", "stopped at square"]
    assert "square+0" in lines[3] and lines[4].strip() == "sum.c:3  static int square(int x) {"
    assert lines[5].startswith("#2  square") and lines[6].endswith("sum.c:8")
    first = lines[3].split()[1]
    later = [line for line in lines[8:] if "square+0" in line]
    assert len(later) == 2 and later[0].split()[1] != first  # the second call, twice
    assert later[0] == later[1]
    assert any(line.startswith("end after") for line in lines)
    assert lines[-2].strip() == "sum.c:9  tp_write('0' + total);" and lines[-1] == ""


def test_lines_forwards_and_backwards(debug: Callable[..., list[str]]) -> None:
    lines = debug("run-to 7", "next", "next", "previous")
    shown = [line.strip() for line in lines if line.startswith("  sum.c")]
    assert [line.split()[0] for line in shown] == ["sum.c:7", "sum.c:8", "sum.c:7", "sum.c:8"]


def test_stepping_out_and_over(debug: Callable[..., list[str]]) -> None:
    lines = debug("run-to square", "out", "where")
    assert lines[-2].startswith("#1") and lines[-2].endswith("sum.c:8")


def test_looking(debug: Callable[..., list[str]]) -> None:
    lines = debug("run-to square", "heads", "heads all", "layers 0", "stack", "locals",
                  "registers", "writes", "list 1", "globals", "functions")  # fmt: skip
    heads = [line for line in lines if line.startswith("layer ")]
    assert any("instruction: token" in line and "code" in line for line in heads)
    assert sum("(by" in line or "(alone)" in line for line in heads) >= 11
    assert any(line.startswith("pc ") and "depth 2" in line for line in lines)
    assert any(line.startswith(">    3  static int square") for line in lines)
    assert any(line.split()[1:] == ["square"] for line in lines[-12:])


def test_variables_by_name(debug: Callable[..., list[str]]) -> None:
    lines = debug("run-to square", "s 12", "print x", "print", "watch total", "c", "print total",
                  "c", "print total", "print nothing", "watch nothing")  # fmt: skip
    assert "int x = 1" in lines and "int total = 0" in lines
    stops = [i for i, line in enumerate(lines) if line == "stopped at write to total"]
    shown = [next(x for x in lines[i:] if x.startswith("int total")) for i in stops]
    assert shown == ["int total = 1", "int total = 5"]
    assert lines[-2:] == [
        "no such variable with a location here; compile with -O 0 for more",
        "no variable 'nothing' with a location here; compile with -O 0 for more",
    ]


WRITES = """(module (memory 1) (func (export "f")
  (i32.store (i32.const 16) (i32.const 1)) (i32.store8 (i32.const 29) (i32.const 2))
  (i32.store (i32.const 32) (i32.const 3)) (i32.store8 (i32.const 19) (i32.const 4))))"""


def test_watching_memory(cli: Cli, tmp_path: Path) -> None:
    source, script = tmp_path / "writes.wat", tmp_path / "script"
    source.write_text(WRITES)
    script.write_text("watch 16\nc\nmemory 16 8\nc\nmemory 16 20\nc\nr\nr")
    code, out, err = cli("debug", str(source), "--invoke", "f", "--script", str(script))
    assert (code, err) == (0, "")
    where = ("step", "  writes.wat:")
    lines = [line for line in out.splitlines() if not line.startswith(where)]
    first = "00000010  01 00 00 00 00 00 00 00" + " " * 26 + "........"
    assert lines[:3] == ["1  write to 16", "stopped at write to 16", first]
    assert lines[3] == "stopped at write to 16" and lines[4].split()[1:9] == (
        "01 00 00 04 00 00 00 00".split())  # fmt: skip
    assert lines[5].split() == ["00000020", "03", "00", "00", "00", "...."]
    assert lines[6].startswith("end after") and lines[7:] == ["stopped at write to 16"] * 2


def test_mistakes_are_said_in_a_line(debug: Callable[..., list[str]]) -> None:
    lines = debug("what", "goto", "goto 0", "goto x", "break 99", "break nowhere", "delete 7",
                  "layers 99", "break pc 99999", "memory")  # fmt: skip
    assert lines[1:] == [
        "no command 'what'; `help` lists them",
        "expected a number, not nothing",
        lines[3],
        "expected a number, not 'x'",
        "no instruction comes from line 99",
        "no function 'nowhere'",
        "no breakpoint 7",
        lines[8],
        lines[9],
        "expected a number, not nothing",
    ]
    assert lines[3].startswith("no step 0; steps are 1 to ")


def test_a_run_that_never_ends(cli: Cli, tmp_path: Path) -> None:
    source, script = tmp_path / "loop.wat", tmp_path / "script"
    source.write_text('(module (func (export "f") (loop (br 0))))')
    script.write_text("goto last\nhelp\nq\nnever reached")
    code, out, err = cli("debug", str(source), "--invoke", "f", "--max-steps", "1000",
                         "--script", str(script))  # fmt: skip
    assert (code, err) == (0, "")
    assert "end after 1,000 steps: the step limit; record more with --max-steps" in out
    assert "never reached" not in out
