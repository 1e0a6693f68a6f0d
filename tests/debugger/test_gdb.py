"""Sessions of the debugger on C programs, compared with gdb on the native build of each."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from transputer.frontends import zig

PROGRAMS = Path(__file__).parent / "c"
GDB = shutil.which("gdb")
SETTINGS = """set confirm off
set width 0
set print repeats unlimited
set print null-stop on
set print elements 200
set startup-with-shell off
set disable-randomization off
"""
#: Commands for both debuggers.
SESSIONS = {
    "list": """break push if value == 9
run; bt; p value; p *head; n; n; n; p *fresh; p fresh->value * 2; p fresh->next->next->value
p fresh->next == head; finish; n; p i; p *head; p head->next->next->next
tbreak 17; c; p sum; where""",
    "sort": """break swap if *a == 9
run; p *a; p *b; p data; p data[0]@3; bt; up; p i; p j; p data[j + 1] - data[j]; down
finish; p data; n; p swaps; delete; tbreak 15; c; p swaps; p data""",
    "text": """break vowels
run; p text; p *text; p text[1]; up; p p.name; p p.title; p buffer; p letter; p p.age + 1; p &p.name
down; n; n; n; n; n; p count; c; p text; finish; n; p total""",
    "recursion": """break ackermann if m == 0 && n == 1
run; bt; p depth; p m; p n; p m * 10 + n; up; p m; p n; c; bt; p depth; delete; finish; where""",
    "enums": """break turn
run; p way; p way == EAST; p SOUTH + 1; finish; n; p r; c; p way; c; p way; delete; tbreak 18; c
p r; p r.seen; p r.level; p first; n; n; p r; p/x r.level; p sizeof(r)""",
    "floats": """break mean
run; p *values@4; p count; tbreak 5; c; p sum; p sum / 2 > 1e9; up; p values; p small; down
finish; n; p average; p small; n; p small; p values[3] * 10; p -values[1]""",
    "unions": """tbreak main
run; n; n; n; p f; p n.f; p n.i; p/x n.i; p b; p b.big; p b.at; n; n; p f.b; p b.at.x; n; p b.n.f
p (short)b.at.y; p b.big / 7; p b.big % 7; p f.a << 2 | 1; p !f.a; p ~b.at.x; p f.a ? 10 : 20""",
    "matrix": """break scale
run; p m; p by; p m.cells[1]; p m.cells[1][2]; p sizeof(matrix); tbreak 6; c; p m.cells
up; p one; down; tbreak 12; c; p two.cells; p *row; p (*row)[1]; p two.rows * two.columns""",
    "pointers": """break multiply
run; p a; p b; bt; up; p i; p x; p *p; p **pp; p results[0]; down; delete; tbreak 10; c; p results
n; p x; p *p; n; n; p y; p p == &y; p *pp == &y; p *&x; p &results[1] - &results[0]""",
    "scopes": """break 7
run; p counter; p calls; up; p ::counter; down; n; p counter; c; p counter; p calls; delete
tbreak 14; c; p a; p b; p counter; n; p counter""",
    "sieve": """break 8 if i == 5
run; p i; p count; p composite[4]; p composite[9]; n; n; p j; until; p i; where
delete; tbreak 12; c; p count""",
    "integers": """tbreak 10
run; p a; p b; p c; p d; p e; p f; p g; p a + b; p c * d; p e + 1; p b > a; p/x d; p d == 0xffff
n; n; n; p e; p f; p g; p e % 1000; p (unsigned char)(b + 100); p (short)e""",
}
_PLACE = re.compile(r"#(\d+)\s+(?:0x[0-9a-f]+ in )?(\w+).* at (?:\S*/)?(\w+\.c):(\d+)")


def commands(session: str) -> list[str]:
    return [command.strip() for line in session.splitlines() for command in line.split(";")]


def values(output: str) -> list[str]:
    """Returns the values of `p` and the places of `bt` and `where`, without addresses."""
    rows = []
    for line in output.splitlines():
        line = line.removeprefix("(transputer) ")
        if place := _PLACE.search(line):
            rows.append(" ".join(place.groups()))
        elif value := re.search(r"\$\d+ = (.*)|Value returned is (?:\$\d+ = )?(.*)", line):
            text = re.sub(r" ?<[\w+]+>", "", value[1] or value[2])
            rows.append(re.sub(r"0x[0-9a-f]{3,}", "ADDRESS", text))
    return rows


def in_gdb(name: str, folder: Path) -> list[str]:
    program = folder / name
    flags = ["-g", "-O0", "-fno-sanitize=undefined", str(PROGRAMS / f"{name}.c")]
    subprocess.run([zig.zig(), "cc", *flags, "-o", str(program)], check=True, capture_output=True)
    script = folder / f"{name}.gdb"
    script.write_text(SETTINGS + "\n".join(commands(SESSIONS[name])))
    command = [str(GDB), "-q", "-nx", "-batch", "-x", str(script), str(program)]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert "No symbol" not in done.stderr and "rror in" not in done.stderr, done.stderr
    return values(done.stdout)


def here(name: str, folder: Path, cli: Callable[..., tuple[int, str, str]]) -> list[str]:
    script = folder / f"{name}.script"
    script.write_text("\n".join(commands(SESSIONS[name])))
    code, out, err = cli("debug", str(PROGRAMS / f"{name}.c"), "--script", str(script))
    assert (code, err) == (0, "")
    return values(out)


@pytest.mark.skipif(GDB is None, reason="gdb is not installed")
@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=() if n in ("enums", "list") else pytest.mark.slow) for n in SESSIONS],
)
def test_values_as_in_gdb(
    name: str, tmp_path: Path, cli: Callable[..., tuple[int, str, str]]
) -> None:
    assert here(name, tmp_path, cli) == in_gdb(name, tmp_path)
