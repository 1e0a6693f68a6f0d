"""A machine from outside the package, at the command line and in Python."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def toy(*args: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "examples/new_machine.py", *args]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, input=stdin)


def test_run() -> None:
    done = toy("run", "examples/countdown.toy", "3", "--machine", "toy")
    assert (done.returncode, done.stdout, done.stderr) == (0, "3\n2\n1\n0\n", "")


def test_trace() -> None:
    done = toy("trace", "examples/countdown.toy", "2", "--machine", "toy")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert done.returncode == 0 and len(lines) == 7
    assert lines[2][:4] == ["2", "1", "('dec',)", "counter"]


def test_debug() -> None:
    commands = "watch counter\ncontinue\nprint counter\nback\noutput\nheads\nquit\n"
    done = toy("debug", "examples/countdown.toy", "3", "--machine", "toy", stdin=commands)
    assert "Breakpoint 1: write to counter" in done.stdout and "counter = 2" in done.stdout
    assert "no command 'heads'" in done.stdout  # the machine has none


def test_what_it_cannot_do_is_refused_by_the_one_rule() -> None:
    done = toy("diff", "examples/countdown.toy", "--machine", "toy")
    assert (
        done.returncode == 2
        and "the toy machine cannot diff; trace, loom and soft can" in done.stderr
    )
    done = toy("run", "examples/countdown.toy")
    assert done.returncode == 2 and "--machine toy does" in done.stderr
