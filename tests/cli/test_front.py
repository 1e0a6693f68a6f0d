"""The command line's manners: options, help, completion, pipes, statistics."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from transputer.cli.group import _COMMANDS
from transputer.cli.group import commands as group
from transputer.cli.help import TOPICS

Cli = Callable[..., "tuple[int, str, str]"]
ECHO = """#include <stdio.h>
int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) printf("%s|", argv[i]);
}
"""
IDENTITY = '(module (func (export "f") (param i32) (result i32) local.get 0))'


@pytest.fixture
def echo(tmp_path: Path) -> str:
    (tmp_path / "echo.c").write_text(ECHO)
    return str(tmp_path / "echo.c")


def test_the_program_gets_what_follows_the_dashes(cli: Cli, echo: str) -> None:
    args = ("a", "-3", "--engine", "oracle", "b", "--", "--json", "-n", "--", "--bogus=1")
    assert cli("run", echo, *args) == (0, "a|-3|b|--json|-n|--|--bogus=1|", "")


@pytest.mark.parametrize("command", ["run", "trace", "debug", "diff", "dis", "export"])
@pytest.mark.parametrize("before", [True, False])
def test_a_typo_in_an_option_is_refused_before_the_program_runs(
    cli: Cli, echo: str, command: str, before: bool
) -> None:
    words = ("--invok=x", echo) if before else (echo, "--invok=x")
    name = "--machin" if command == "dis" else "--invok"
    words = tuple(word.replace("--invok", name) for word in words)
    code, out, err = cli(command, *words)
    assert (code, out) == (2, "")
    assert f"No such option '{name}'" in err
    assert ("--machine" if command == "dis" else "'--invoke'") in err


def test_compiler_flags(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "flag.c"
    path.write_text("int f(void) { return VALUE; }\n")
    flags = ("--cflags", "-DVALUE=7 -Wall", "--engine", "oracle")
    assert cli("run", str(path), "--invoke", "f", *flags) == (0, "7\n", "")
    assert "No closing quotation" in cli("run", str(path), "--cflags", "'").err


@pytest.mark.parametrize("source", ["", "/* nothing */\n", "static int f(void) { return 1; }\n"])
def test_c_without_a_function_is_an_error(cli: Cli, tmp_path: Path, source: str) -> None:
    path = tmp_path / "empty.c"
    path.write_text(source)
    code, out, err = cli("run", str(path))
    assert (code, out) == (2, "")
    assert err.endswith(
        "empty.c: no function to run; write main, or a function that is not static\n"
    )


@pytest.mark.parametrize("topic", [*TOPICS, "run", "help"])
def test_help_on_a_topic(cli: Cli, topic: str) -> None:
    code, out, err = cli("help", topic)
    assert (code, err) == (0, "") and len(out.splitlines()) > 3


def test_help_lists_commands_and_topics(cli: Cli) -> None:
    out = cli("help").out
    assert all(f"\n  {name} " in out for name in (*TOPICS, *_COMMANDS))


def test_summaries_are_sentences() -> None:
    context = click.Context(group)
    lines = [line for _, line in _COMMANDS.values()]
    for name in _COMMANDS:
        command = group.get_command(context, name)
        assert command is not None
        children = command.commands.values() if isinstance(command, click.Group) else ()
        lines += [child.get_short_help_str(80) for child in children]
        lines += [o.help or "" for o in command.params if isinstance(o, click.Option)]
    assert len(lines) > 100
    assert [line for line in lines if not line[:1].isupper() and ": " not in line[:8]] == []
    assert [line for line in lines if not line.endswith((".", "]")) or line.endswith("...")] == []


def test_completion_is_installed_once(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SHELL", "/bin/bash")
    for _ in range(2):
        assert cli("completion", "--install").code == 0
    assert (tmp_path / ".bashrc").read_text().count("completion bash") == 1
    assert cli("completion", "tcsh").code == 2


@pytest.mark.parametrize(
    ("words", "expected"),
    [("transputer sp", "specialize"), ("transputer run x.c --inv", "--invoke"),
     ("transputer run x.c --engine re", "reference"), ("transputer build --o", "--output")],
)  # fmt: skip
def test_what_is_completed(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, words: str, expected: str
) -> None:
    monkeypatch.setenv("_TRANSPUTER_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
    assert f"plain,{expected}" in cli().out.splitlines()


def test_a_closed_pipe_is_no_message(tmp_path: Path) -> None:
    path = tmp_path / "long.wat"
    path.write_text(
        '(module (import "transputer" "write" (func $write (param i32))) (func (export "_start") '
        "(loop (call $write (i32.const 10)) (br 0))))"
    )
    for words in (["run", str(path), "--engine", "oracle"], ["--help"]):
        reader, writer = os.pipe()
        os.close(reader)
        command = [sys.executable, "-m", "transputer", *words]
        done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE)
        os.close(writer)
        assert (done.returncode, done.stderr) == (141, b"")


def test_statistics_say_where_the_time_went(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "id.wat"
    path.write_text(IDENTITY)
    _, out, err = cli("run", str(path), "--invoke", "f", "5", "--engine", "oracle", "--stats")
    assert out == "5\n"
    assert "1 instructions in 2 steps" in err and "s compiling" in err and "s running" in err


def test_an_internal_error_is_json_too(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object, **options: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("transputer.api.inspect", broken)
    code, out, err = cli("inspect", "x", "--json")
    assert code == 70 and json.loads(out)["error"]["kind"] == "ZeroDivisionError"
    assert "Traceback" in err and "this is a bug in transputer" in err
