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
    assert lines[0].startswith("step ") and "main+" in lines[0]
    assert lines[1].strip() == "sum.c:7  for (int i = 1; i <= tp_read(); i++)"
    assert lines[2].startswith("end after ") and lines[2].endswith("exit code 5")
    assert lines[3] == "5"


def test_breakpoints_calls_and_going_back(debug: Callable[..., list[str]]) -> None:
    lines = debug("break square", "c", "bt", "c", "c", "rc", "delete 1", "advance 9", "output")
    assert lines[2:4] == ["1  square", "Breakpoint 1: square"]
    assert "square+" in lines[4] and lines[5].strip() == "sum.c:4  return x * x;"
    assert lines[6:8] == [" #0  square at sum.c:4", " #1  main at sum.c:8"]
    first = lines[4].split()[1]
    later = [line for line in lines[8:] if "square+" in line]
    assert len(later) == 2 and later[0].split()[1] != first  # the second call, twice
    assert later[0] == later[1]
    assert any(line.startswith("end after") for line in lines)
    assert lines[-2].strip() == "sum.c:9  tp_write('0' + total);" and lines[-1] == ""


def shown(lines: list[str]) -> list[int]:
    """Returns the line numbers of the places that were shown."""
    return [int(x.split()[0].partition(":")[2]) for x in lines if x.startswith("  sum.c:")]


def test_lines_forwards_and_backwards(debug: Callable[..., list[str]]) -> None:
    assert shown(debug("next", "next", "rn", "rn", "n 3")) == [7, 8, 7, 8, 7, 8]
    assert shown(debug("next", "step", "n", "n", "rs", "rs")) == [7, 8, 4, 8, 7, 4, 8]
    assert shown(debug("b 4", "c", "finish", "c", "reverse-finish")) == [7, 4, 8, 4, 8]
    assert shown(debug("n", "n", "until", "rc")) == [7, 8, 7, 9, 7]


def test_the_value_of_a_call(debug: Callable[..., list[str]]) -> None:
    lines = debug("b square", "c", "c", "finish", "bt")
    assert lines[-2:] == ["Value returned is 4", " #0  main at sum.c:8"]


def test_conditions_and_temporary_breakpoints(debug: Callable[..., list[str]]) -> None:
    lines = debug("b square if x == 2", "tb 9", "c", "p x", "c", "info breakpoints", "run",
                  "condition 1 x > 5", "c", "b square if nothing", "r")  # fmt: skip
    assert "Breakpoint 1: square if x == 2" in lines and "$1 = 2" in lines
    assert lines.count("1  square if x == 2") == 2  # when set, and in the list without the other
    assert any(line.startswith("end after") for line in lines)
    assert "in the condition of square: no variable 'nothing' here" in lines


def test_looking(debug: Callable[..., list[str]]) -> None:
    lines = debug("advance square", "heads", "heads all", "layers 0", "stack", "locals",
                  "info registers", "writes", "list", "globals", "info functions")  # fmt: skip
    heads = [line for line in lines if line.startswith("layer ")]
    assert any("instruction: token" in line and "code" in line for line in heads)
    assert sum("(by" in line or "(alone)" in line for line in heads) >= 11
    assert any(line.startswith("pc ") and "depth 2" in line for line in lines)
    assert any(line.startswith(">    4      return x * x;") for line in lines)
    assert any(line.split()[1:] == ["square"] for line in lines[-12:])


def test_variables_by_name(debug: Callable[..., list[str]]) -> None:
    lines = debug("advance square", "print x", "print", "up", "info locals", "watch total", "c",
                  "print total", "c", "print total", "print nothing", "watch nothing")  # fmt: skip
    assert "$1 = 1" in lines and "int x = 1" in lines and "int total = 0" in lines
    assert "i = 1" in lines
    stops = [i for i, line in enumerate(lines) if line == "Watchpoint 1: total"]
    assert [lines[i + 1 : i + 3] for i in stops] == [
        ["Old value = 0", "New value = 1"],
        ["Old value = 1", "New value = 5"],
    ]
    assert [line for line in lines if line in ("$2 = 1", "$3 = 5")] == ["$2 = 1", "$3 = 5"]
    assert lines[-2:] == ["no variable 'nothing' here"] * 2


def test_watching_a_local_ends_with_its_call(debug: Callable[..., list[str]]) -> None:
    lines = debug("n", "watch i if i > 1", "c", "c", "c")
    assert lines.count("Watchpoint 1: i if i > 1") == 2
    assert lines[-1].startswith("end after")


def test_displays_formats_and_width(debug: Callable[..., list[str]]) -> None:
    lines = debug("display total", "n", "n", "undisplay 1", "n", "p/x 255", "p $1 + 1", "p $",
                  "set width 10", "p sizeof(total) + 123456789", "ptype total", "x &total 4",
                  "set var total=3", "p total = 3")  # fmt: skip
    assert [line for line in lines if line.startswith("1: total")] == [
        "1: total = 0",
        "1: total = 1",
    ]
    assert "$1 = 0xff" in lines and "$2 = 256" in lines
    assert "type = int" in lines
    assert lines[-2:] == [
        "only `set width N`; a recorded run cannot be changed",
        "a recorded run can be read, not changed: no assignments, no calls",
    ]


def test_optimised_out_is_said(cli: Cli, tmp_path: Path) -> None:
    source, script = tmp_path / "fast.c", tmp_path / "script"
    source.write_text(
        "static int twice(int n) {\n  int unused = n * 3;\n  return n * n + 7;\n}\n"
        "int f(int a) {\n  int b = twice(a);\n  return b * a;\n}\n"
    )
    script.write_text("break twice\nrun\nbt\ninfo locals\np unused\n")
    words = ("--invoke", "f", "5", "-O", "2", "--script", str(script))
    out = cli("debug", str(source), *words).out
    assert "unused = <optimized out>" in out
    assert "unused is <optimized out>; compile with -O 0 to keep it" in out
    assert "#0  twice at fast.c:3" in out and "#1  f at fast.c:6" in out  # inlined


WRITES = """(module (memory 1) (func (export "f")
  (i32.store (i32.const 16) (i32.const 1)) (i32.store8 (i32.const 29) (i32.const 2))
  (i32.store (i32.const 32) (i32.const 3)) (i32.store8 (i32.const 19) (i32.const 4))))"""


def test_watching_memory(cli: Cli, tmp_path: Path) -> None:
    source, script = tmp_path / "writes.wat", tmp_path / "script"
    source.write_text(WRITES)
    script.write_text("watch 16\nc\nmemory 16 8\nc\nmemory 16 20\nc\nrc\nrc")
    code, out, err = cli("debug", str(source), "--invoke", "f", "--script", str(script))
    assert (code, err) == (0, "")
    where = ("step", "  writes.wat:")
    lines = [line for line in out.splitlines() if not line.startswith(where)]
    first = "00000010  01 00 00 00 00 00 00 00" + " " * 26 + "........"
    assert lines[:3] == ["1  write to 16", "Breakpoint 1: write to 16", first]
    assert lines[3] == "Breakpoint 1: write to 16" and lines[4].split()[1:9] == (
        "01 00 00 04 00 00 00 00".split())  # fmt: skip
    assert lines[5].split() == ["00000020", "03", "00", "00", "00", "...."]
    assert lines[6].startswith("end after") and lines[7:] == ["Breakpoint 1: write to 16"] * 2


def test_mistakes_are_said_in_a_line(debug: Callable[..., list[str]]) -> None:
    lines = debug("frob", "goto", "goto 0", "goto x", "break 99", "break nowhere", "delete 7",
                  "layers 99", "break pc 99999", "memory")  # fmt: skip
    assert lines[2:] == [
        "no command 'frob'; `help` lists them",
        "expected a number, not nothing",
        lines[4],
        "expected a number, not 'x'",
        "no instruction comes from line 99",
        "no function 'nowhere'",
        "no breakpoint 7",
        lines[9],
        lines[10],
        "name an address or a variable: memory ADDRESS [COUNT]",
    ]
    assert lines[4].startswith("no step 0; steps are 1 to ")


def test_a_run_that_never_ends(cli: Cli, tmp_path: Path) -> None:
    source, script = tmp_path / "loop.wat", tmp_path / "script"
    source.write_text('(module (func (export "f") (loop (br 0))))')
    script.write_text("goto last\nhelp\nq\nnever reached")
    code, out, err = cli("debug", str(source), "--invoke", "f", "--max-steps", "1000",
                         "--script", str(script))  # fmt: skip
    assert (code, err) == (0, "")
    assert "end after 1,000 steps: the step limit; record more with --max-steps" in out
    assert "never reached" not in out
