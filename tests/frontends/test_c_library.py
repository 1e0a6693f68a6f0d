"""C with its library: which programs get it, several files, and what is kept between runs."""

import logging
import re
from pathlib import Path

import pytest

from transputer.errors import Trap
from transputer.frontends import c, zig
from transputer.frontends.binary import decode
from transputer.frontends.compiled import CompiledModule
from transputer.ir.environment import WASI
from transputer.ir.module import ExternKind
from transputer.oracle.command import run_command

HELLO = '#include <stdio.h>\nint main(void) { printf("%d\\n", 6 * 7); return 5; }\n'


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write files into an empty folder and work there."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)

    def files(**texts):
        for name, text in texts.items():
            Path(name.replace("__", ".")).write_text(text)

    return files


@pytest.fixture
def commands(monkeypatch):
    """The compiler's command lines as they are run."""
    seen, really = [], zig.run

    def note(command, *args, **how):
        seen.append(command)
        return really(command, *args, **how)

    monkeypatch.setattr(zig, "run", note)
    return seen


def has_library(binary):
    return any(i.module == WASI for i in decode(binary).imports)


def exported(binary):
    return {e.name for e in decode(binary).exports if e.kind is ExternKind.FUNC}


def test_a_program_with_main_has_the_library(write, tmp_path):
    write(hello__c=HELLO)
    ran = run_command(c.compile_c("hello.c"), ["hello"])
    assert (ran.stdout, ran.exit_code) == (b"42\n", 5)


@pytest.mark.parametrize(
    "text, library",
    [
        (HELLO, True),
        ("int main(int argc, char **argv) { return argc; }\n", True),
        ("int f(int x) { return x + 1; }\n", False),
        ("// like main (void)\nint f(void) { return 1; } /* main() */\n", False),
        ('const char *f(void) { return "main()"; }\n', False),
        ('#include "transputer.h"\nint main(void) { tp_write(65); return 0; }\n', False),
        ("#  include <transputer.h>\nint main(void) { tp_exit(3); }\n", False),
    ],
)
def test_who_gets_the_library(write, text, library):
    write(program__c=text)
    binary = c.compile_c("program.c")
    assert has_library(binary) == library
    assert ("_start" in exported(binary)) == library


def test_the_choice_can_be_made(write):
    write(bare__c="int main(void) { return 3; }\n", functions__c=(
        "#include <stdlib.h>\n#include <string.h>\n"
        "int length(int n) { char *p = calloc(n + 1, 1); memset(p, 'x', n); return strlen(p); }\n"
    ))  # fmt: skip
    bare = c.compile_c("bare.c", library=False)
    assert "main" in exported(bare) and not has_library(bare)
    assert exported(c.compile_c("functions.c", library=True)) == {"_initialize", "length"}


def test_several_files(write, tmp_path):
    write(
        main__c='#include <stdio.h>\n#include "twice.h"\nint main(void) { return twice(21); }\n',
        twice__c='#include "twice.h"\nint twice(int x) { return 2 * x; }\n',
        twice__h="int twice(int);\n",
    )
    assert run_command(c.compile_c("main.c", "twice.c")).exit_code == 42
    with pytest.raises(c.CompileError, match="main.c: error: undefined symbol: twice"):
        c.compile_c("main.c")
    write(twice__c="int twice(int x) { return }\n")
    with pytest.raises(c.CompileError, match="twice.c:1:27: error: expected expression"):
        c.compile_c("main.c", "twice.c")


@pytest.mark.parametrize("opt", ["-O0", "-O1", "-O2", "-O3", "-Os", "-Oz"])
def test_levels_of_optimisation(write, tmp_path, opt):
    write(hello__c=HELLO)
    assert run_command(c.compile_c("hello.c", opt=opt)).stdout == b"42\n"


def test_the_same_text_is_compiled_once(write, commands, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    write(f__c='#include "n.h"\n#warning slow\nint f(void) { return N; }\n', n__h="#define N 1\n")

    def compiled(**how):
        """What comes out, and whether the compiler ran for more than the text."""
        commands.clear()
        binary = c.compile_c("f.c", **how)
        return binary, any("-E" not in command for command in commands)

    first, worked = compiled()
    assert worked
    assert compiled() == (first, False)
    Path("n.h").write_text("#define N 2\n")
    second, worked = compiled()
    assert worked and second != first
    for how in ({"opt": "-O0"}, {"defines": ["M"]}, {"flags": ["-fno-inline"]}):
        assert compiled(**how)[1] and not compiled(**how)[1]
    Path("n.h").write_text("#define N 1\n")
    assert compiled() == (first, False)


def test_flags_that_bring_in_more_than_text_are_never_kept(write, commands):
    write(f__c="int f(void) { return 1; }\n")
    for _ in range(2):
        commands.clear()
        c.compile_c("f.c", flags=["-Wl,--no-gc-sections"])
        assert commands and all("-E" not in command for command in commands)


def test_warnings_are_kept_too(write, caplog):
    write(f__c="#warning slow\nint f(void) { return 1; }\n")
    for _ in range(2):
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            c.compile_c("f.c")
        (record,) = caplog.records
        assert "f.c:1:2: warning: slow" in record.getMessage()


def test_warnings_of_all_files_are_shown(write, caplog):
    write(a__c="#warning one\nint main(void) { return 0; }\n", b__c="#warning two\n")
    c.compile_c("a.c", "b.c", flags=["-lm"])
    (record,) = caplog.records
    assert re.findall(r"^.\.c:1:2: warning: \w+", record.getMessage(), re.MULTILINE) == [
        "a.c:1:2: warning: one", "b.c:1:2: warning: two"
    ]  # fmt: skip


def test_the_library_is_announced_once(write, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    write(hello__c=HELLO, f__c="int f(void) { return 1; }\n")
    made = tmp_path / "made.wasm"
    made.write_bytes(c.compile_c("f.c"))
    said = []

    def build(command, scratch, timeout, **how):
        """A compiler that is done at once."""
        if "-o" in command:
            Path(command[-1]).write_bytes(made.read_bytes())
        return 0, b"int main(void) { return 0; }" if "-E" in command else b"text"

    monkeypatch.setattr(zig, "run", build)
    c.compile_c("f.c", opt="-O1", notice=said.append)
    assert not said
    for _ in range(2):
        c.compile_c("hello.c", flags=["-lm"], notice=said.append)
    (message,) = said
    assert "C library" in message and "once" in message


def test_an_edited_program_is_compiled_again(write, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    write(f__c="#warning slow\nint f(void) { return 1; }\n", g__c="int g(void) { return 2; }\n")
    binary, _ = c.compile_c("f.c"), c.compile_c("g.c")
    for path in (tmp_path / "cache/transputer/c").iterdir():
        data = path.read_bytes()
        for edit in (data[:-1], b"", data[:32] + b"noise", data.replace(b"\0asm", b"\0asn")):
            path.write_bytes(edit)
            assert c.compile_c("f.c") == binary


def test_a_compiled_program_survives_being_written_down():
    compiled = CompiledModule(b"\0asm\n\n", "said\nthis")
    assert CompiledModule.load(compiled.dump()) == compiled
    for broken in (b"", b"noise", b"{\n"):
        with pytest.raises(ValueError):
            CompiledModule.load(broken)


def test_assertions_are_checked_unless_told_otherwise(write, tmp_path):
    write(a__c="#include <assert.h>\nint main(int argc, char **argv) { assert(argc == 9); }\n")
    failed = run_command(c.compile_c("a.c"))
    assert failed.trap is Trap.UNREACHABLE
    assert b"Assertion failed: argc == 9 (a.c: main: 2)" in failed.stderr
    assert run_command(c.compile_c("a.c", defines=["NDEBUG"])).exit_code == 0
