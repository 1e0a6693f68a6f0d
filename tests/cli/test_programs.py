"""C programs from the command line: files, flags, arguments, streams, exit codes."""

import importlib
import json
import os
import pty
import select
import subprocess
import sys
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sampling import sampled
from transputer.registry import RunSettings, Source
from transputer.runtime.step_machine import stepped_machine
from transputer.runtime.stepped import SteppedProgram, StepRecord

Cli = Callable[..., "tuple[int, str, str]"]
registry = importlib.import_module("transputer.registry.machine")  # a function has its name

ECHO = """\
#include <stdio.h>
#include <stdlib.h>
#ifndef SIGN
#define SIGN '='
#endif
int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) printf("%s%c", argv[i], SIGN);
    fprintf(stderr, "%s\\n", getenv("HOME") ? "home" : "homeless");
    return getenv("CODE") ? atoi(getenv("CODE")) : 0;
}
"""


@pytest.fixture
def oracle(cli: Cli) -> Cli:
    return lambda *args, **how: cli("run", "--engine", "oracle", *args, **how)


@pytest.fixture
def echo(tmp_path: Path) -> str:
    (tmp_path / "echo.c").write_text(ECHO)
    return str(tmp_path / "echo.c")


def test_arguments_and_streams(oracle: Cli, echo: str) -> None:
    assert oracle(echo, "--cflags=\"-DSIGN='.'\"", "a", "--", "-n") == (0, "a.-n.", "homeless\n")
    assert oracle(echo, "a", "-D", "SIGN='+'", "b") == (0, "a+b+", "homeless\n")
    assert oracle(echo, "a", "--", "--json", "--") == (0, "a=--json=--=", "homeless\n")


def test_variables_only_if_given(oracle: Cli, echo: str) -> None:
    assert oracle(echo, "--env", "CODE=9", "--env", "HOME=") == (9, "", "home\n")
    assert oracle(echo, "--env", "CODE").code == 2


def test_several_files_and_folders(oracle: Cli, tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "sum.h").write_text("int sum(int, int);\n")
    main, more = tmp_path / "main.c", tmp_path / "sum.c"
    more.write_text('#include "sum.h"\nint sum(int a, int b) { return a + b; }\n')
    main.write_text(
        '#include "sum.h"\n#include <stdio.h>\nint main(int argc, char **argv) {\n'
        'printf("%d %s\\n", sum(argc, 40), argv[1]);\nreturn 0; }\n'
    )
    include = f"-I{tmp_path / 'include'}"
    assert oracle(str(main), str(more), "x.c.txt", include).out == "42 x.c.txt\n"
    code, out, err = oracle(str(main), str(more))
    assert (code, out) == (2, "") and "'sum.h' file not found" in err


def test_functions_of_a_file_with_the_library(oracle: Cli, tmp_path: Path) -> None:
    path = tmp_path / "digits.c"
    path.write_text(
        "#include <stdio.h>\n#include <string.h>\n"
        'int digits(int n) { char b[20]; sprintf(b, "%d", n); return strlen(b); }\n'
    )
    assert oracle(str(path), "--libc", "--invoke", "digits", "-1234") == (0, "5\n", "")
    code, _, err = oracle(str(path), "--invoke", "digits", "7")
    assert code == 2 and "--libc" in err


def test_mistakes_are_clangs(oracle: Cli, tmp_path: Path) -> None:
    path = tmp_path / "bad.c"
    path.write_text("int main(void) { return x; }\n")
    code, out, err = oracle(str(path))
    assert (code, out) == (2, "")
    assert f"{path}:1:25: error: use of undeclared identifier 'x'" in err


def test_no_file_is_reached_without_a_folder(oracle: Cli, tmp_path: Path) -> None:
    path = tmp_path / "files.c"
    path.write_text('#include <stdio.h>\nint main(void) { return !fopen("/etc/passwd", "r"); }\n')
    assert oracle(str(path)) == (1, "", "")


def test_options_are_for_c(oracle: Cli, tmp_path: Path) -> None:
    path = tmp_path / "m.wat"
    path.write_text('(module (func (export "f") (param i32) (result i32) local.get 0))')
    assert oracle(str(path), "-DX").code == 2
    assert oracle(str(path), "--invoke", "f", "--", "-3") == (0, "-3\n", "")


@pytest.mark.parametrize("clock", ["soon", "-1"])
def test_clocks_are_numbers_or_now(oracle: Cli, echo: str, clock: str) -> None:
    code, _, err = oracle(echo, f"--clock={clock}")
    assert code == 2 and "neither now nor a number" in err


def test_a_clock_can_be_real(oracle: Cli, tmp_path: Path) -> None:
    path = tmp_path / "now.c"
    path.write_text(
        "#include <stdio.h>\n#include <time.h>\nint main(void) { return time(0) > 1700000000; }\n"
    )
    assert oracle(str(path)).code == 0
    assert oracle(str(path), "--clock", "now").code == 1


def test_bytes_that_are_no_text(oracle: Cli, tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text(
        "#include <stdio.h>\nint main(void) { return putchar(200) != 200; }"
    )
    told = json.loads(oracle(str(tmp_path / "f.c"), "--json")[1])
    assert told["stdout"] == "\ufffd" and b64decode(told["stdout_base64"]) == b"\xc8"
    (tmp_path / "g.c").write_text(
        '#include <stdio.h>\nint main(void) { return puts("\u00e8") < 0; }'
    )
    told = json.loads(oracle(str(tmp_path / "g.c"), "--json")[1])
    assert told["stdout"] == "\u00e8\n" and "stdout_base64" not in told


ASK = """\
#include <stdio.h>
int main(void) {
    char name[40];
    printf("name? "), fflush(stdout);
    while (fgets(name, sizeof name, stdin)) printf("hello %sname? ", name), fflush(stdout);
    puts("bye");
    return 0;
}
"""


def until(stream: int, end: bytes) -> bytes:
    """What comes until it ends so; a minute at most."""
    seen = b""
    while not seen.endswith(end):
        ready, _, _ = select.select([stream], [], [], 60)
        assert ready, seen
        seen += os.read(stream, 4096)
    return seen


def command(path: Path, engine: str) -> list[str]:
    return [sys.executable, "-m", "transputer", "run", str(path), "--engine", engine]


@pytest.mark.parametrize("engine", sampled(["native", "oracle"], 2))
def test_input_as_it_is_typed(tmp_path: Path, engine: str) -> None:
    """Each answer is there before the next line is."""
    path = tmp_path / "ask.c"
    path.write_text(ASK)
    process = subprocess.Popen(
        command(path, engine), stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    )
    assert process.stdin and process.stdout
    with process:
        out = process.stdout.fileno()
        assert until(out, b"name? ") == b"name? "
        process.stdin.write(b"ann\n")
        assert until(out, b"name? ") == b"hello ann\nname? "
        process.stdin.write(b"b")
        process.stdin.write(b"ob\n")
        assert until(out, b"name? ") == b"hello bob\nname? "
        process.stdin.close()
        assert until(out, b"\n") == b"bye\n"
    assert process.returncode == 0


@pytest.mark.parametrize("engine", sampled(["native", "oracle"], 2))
def test_on_a_terminal(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "ask.c"
    path.write_text(ASK)
    ours, theirs = pty.openpty()
    with subprocess.Popen(command(path, engine), stdin=theirs, stdout=theirs) as process:
        os.close(theirs)
        assert until(ours, b"name? ").endswith(b"name? ")
        os.write(ours, b"eve\n")
        assert until(ours, b"name? ").replace(b"\r\n", b"\n") == b"eve\nhello eve\nname? "
        os.write(ours, b"\x04")  # the end of the input
        assert until(ours, b"bye\r\n")
    os.close(ours)
    assert process.returncode == 0


MISTYPED = [
    ("run", "examples/everywhere/gcd.c", "--machine", "loom", "--max-step", "9"),
    ("run", "examples/everywhere/gcd.c", "--machine", "soft", "--max-step=9"),
    ("trace", "examples/soft/gcd.soft", "--machine", "soft", "--max-step"),
    ("debug", "examples/loom/gcd.loomasm", "--machine", "loom", "--max-step"),
    ("run", "examples/asm/gcd.asm", "7", "--max-step"),
    ("run", "examples/c/gcd.c", "--invoke", "gcd", "48", "-36", "--max-step"),
    ("diff", "examples/c/gcd.c", "--invoke", "gcd", "48", "-36", "--max-step"),
    ("specialize", "examples/c/gcd.c", "--invoke", "gcd", "--max-step", "-o", "nowhere"),
    ("dis", "examples/asm/gcd.asm", "--max-step"),
]


@pytest.mark.parametrize("command", MISTYPED, ids=" ".join)
def test_an_option_that_does_not_exist_is_no_argument(cli: Cli, command: tuple[str, ...]) -> None:
    code, out, err = cli(*command)
    assert (code, out) == (2, "") and err.startswith("transputer: No such option '--max-step'.")
    if command[0] in ("run", "debug", "diff"):
        assert "Did you mean '--max-steps'?" in err


def test_a_step_machine_takes_options_only_behind_dashes(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def compile_echo(source: Source, *more: object) -> SteppedProgram:
        return EchoProgram(source.name, ("end",), (1,))

    class EchoProgram(SteppedProgram):
        machine = "echo"

    class Echo:
        pc, halted = 0, False

        def __init__(self, program: SteppedProgram, settings: RunSettings) -> None:
            self.text, self.results = " ".join(settings.args).encode(), ()

        def step(self) -> StepRecord:
            self.halted = True
            return StepRecord(output=self.text)

    monkeypatch.setattr(registry, "_machines", dict(registry._machines))
    registry.register(stepped_machine("echo", "", {".echo": "Echo"}, compile_echo, Echo))
    (tmp_path / "a.echo").write_text("")
    command = ("run", tmp_path / "a.echo", "--machine", "echo", "1")
    assert cli(*command, "-2", "--", "--bogus") == (0, "1 -2 --bogus", "")
    code, out, err = cli(*command, "--bogus")
    assert (code, out) == (2, "") and "No such option '--bogus'" in err


@pytest.mark.parametrize("machine", ["loom", "soft"])
def test_only_the_trace_machine_specializes(cli: Cli, machine: str) -> None:
    code, out, err = cli("specialize", "examples/c/gcd.c", "--machine", machine, "-o", "nowhere")
    assert (code, out) == (2, "")
    assert err == f"transputer: the {machine} machine cannot specialize; trace can\n"


def test_the_soft_machine_proves_nothing(cli: Cli) -> None:
    code, _, err = cli("prove", "--machine", "soft")
    assert (code, err) == (2, "transputer: the soft machine cannot prove; trace and loom can\n")
