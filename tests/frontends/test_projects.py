"""C and C++ as people have them: where `main` is, projects of many files, libraries."""

import json
import subprocess
from pathlib import Path

import pytest

from transputer import api
from transputer.errors import UsageError
from transputer.frontends import zig
from transputer.frontends.c import CompileError, defines_main
from transputer.frontends.project import Project, read_project


@pytest.mark.parametrize(
    "text, answer",
    [
        ("int main(void) { return 0; }", True),
        ("int\nmain ( int argc , char **argv )\n{ }", True),
        ("main(argc, argv) int argc; char **argv; { }", True),
        ("int main(void) __attribute__((noinline)) { return 0; }", True),
        ("int f(void) { return 0; } int main() {}", True),
        ('extern "C" { int main() { return 0; } }', True),
        ("auto main() -> int { return 0; }", True),
        ("int main(void);", False),
        ("int main(int, char **) __attribute__((weak));", False),
        ("int f(void) { extern int main(void); return main(); }", False),
        ("struct S { int main() { return 1; } };", False),
        ('const char *s = "int main() {"; int x;', False),
        ("int domain(void) { return 0; }", False),
        ("char c = '{'; int main() {}", True),
        ('# 1 "main (x) {"\nint x;', False),
    ],
)
def test_where_main_is(text: str, answer: bool) -> None:
    assert defines_main(text) is answer


def test_main_may_come_from_a_macro_or_a_header(tmp_path: Path) -> None:
    (tmp_path / "entry.h").write_text("#define BEGIN int main(void) { return 40 +\n")
    (tmp_path / "a.c").write_text('#include "entry.h"\nBEGIN 2; }\n')
    assert api.run(tmp_path / "a.c", engine="oracle").exit_code == 42


def test_main_that_is_compiled_out_is_none(tmp_path: Path) -> None:
    text = '#if TEST\n#include <stdio.h>\nint main(void) { puts("x"); return 0; }\n#endif\n'
    (tmp_path / "a.c").write_text(text + "int twice(int x) { return 2 * x; }\n")
    assert api.run(tmp_path / "a.c", "twice", [21], engine="oracle").results == [42]
    program = api.compile(tmp_path / "a.c", defines=["TEST=1"])
    assert program.run(engine="oracle").stdout == b"x\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "lib").mkdir(parents=True)
    (folder / "include").mkdir()
    (folder / "main.c").write_text("int twice(int);\nint main(void) { return twice(21); }\n")
    (folder / "lib" / "twice.c").write_text(
        '#include "factor.h"\nint twice(int x) { return x * FACTOR; }\n'
    )
    (folder / "factor.h").write_text("#define FACTOR 2\n")
    return folder


def test_a_folder_is_a_program(project: Path) -> None:
    assert api.run(project, engine="oracle").exit_code == 42


def test_a_project_gets_what_the_headers_of_any_file_need(project: Path) -> None:
    (project / "lib" / "twice.c").write_text(
        "#include <setjmp.h>\n#include <signal.h>\njmp_buf here;\n"
        "int twice(int x) { raise(SIGCHLD); "
        "return setjmp(here) ? 2 * x : (longjmp(here, 1), 0); }\n"
    )
    assert api.run(project, engine="oracle").exit_code == 42


def test_a_compilation_database_names_files_and_flags(project: Path) -> None:
    (project / "factor.h").rename(project / "include" / "factor.h")
    (project / "unused.c").write_text("int main(void) { return 1; }\n")
    entries = [
        {"directory": str(project), "file": "main.c", "command": "cc -O2 -Wall -c main.c -o m.o"},
        {
            "directory": "lib",
            "file": "twice.c",
            "arguments": ["cc", "-I", "../include", "-DX=1", "-fPIC", "-fwrapv", "-c", "twice.c"],
        },
    ]
    database = project / "compile_commands.json"
    database.write_text(json.dumps(entries))
    flags = (f"-I{project / 'include'}", "-DX=1", "-fwrapv")
    files = (str(project / "main.c"), str(project / "lib" / "twice.c"))
    assert read_project(str(database)) == read_project(str(project)) == Project(files, flags)
    assert api.run(project, engine="oracle").exit_code == 42
    entries[0]["command"] += " -DX=2"
    database.write_text(json.dumps(entries))
    with pytest.raises(UsageError, match="-DX=2 and -DX=1"):
        read_project(str(project))
    database.write_text('{"a": 1}')
    with pytest.raises(UsageError, match="not a compilation database"):
        read_project(str(project))


def test_a_response_file_names_files_and_flags(project: Path) -> None:
    words = f"{project / 'main.c'}\n'{project / 'lib' / 'twice.c'}' -I{project} -DY\n"
    (project / "all.rsp").write_text(words)
    assert api.run(f"@{project / 'all.rsp'}", engine="oracle").exit_code == 42
    with pytest.raises(UsageError):
        read_project(f"@{project / 'none.rsp'}")


def test_a_folder_without_sources(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no C or C"):
        api.compile(tmp_path)


def test_static_libraries_are_linked(project: Path) -> None:
    target = ["-target", "wasm32-wasi", "-Os", f"-I{project}"]
    folder = project / "built"
    folder.mkdir()
    source, built = str(project / "lib" / "twice.c"), str(folder / "twice.o")
    environment = dict(zig.environment(folder))
    for command in (
        [zig.zig(), "cc", *target, "-c", source, "-o", built],
        [zig.zig(), "ar", "rcs", str(folder / "libtwice.a"), built],
    ):
        subprocess.run(command, check=True, env=environment, capture_output=True)
    main = project / "main.c"
    for more, flags in (
        ([folder / "libtwice.a"], ()),
        ([built], ()),
        ([], (f"-L{folder}", "-ltwice")),
    ):
        program = api.compile(main, *more, flags=flags)
        assert program.run(engine="oracle").exit_code == 42
    with pytest.raises(CompileError, match="undefined symbol: twice"):
        api.compile(main)


EMULATED = """
#include <signal.h>
#include <stdio.h>
#include <time.h>
static void handle(int number) { printf("signal %d\\n", number); }
int main(void) {
    signal(SIGINT, handle);
    raise(SIGINT);
    printf("%d\\n", clock() >= 0);
    return 0;
}
"""


@pytest.mark.slow
def test_signals_and_process_clocks_are_emulated(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(EMULATED)
    assert api.run(tmp_path / "a.c", engine="native").stdout == b"signal 2\n1\n"


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["cpp", "cc"])
def test_cpp(tmp_path: Path, suffix: str) -> None:
    source = tmp_path / f"a.{suffix}"
    source.write_text(
        "#include <algorithm>\n#include <cstdio>\n#include <string>\n#include <vector>\n"
        'extern "C" int twice(int);\n'
        'int main() { std::vector<std::string> v{"b", "a"}; std::sort(v.begin(), v.end());\n'
        'for (auto &s : v) std::printf("%s", s.c_str()); return twice(3); }\n'
    )
    (tmp_path / "b.c").write_text("int twice(int x) { return 2 * x; }\n")
    result = api.compile(source, tmp_path / "b.c").run(engine="native")
    assert (result.stdout, result.exit_code) == (b"ab", 6)


@pytest.mark.slow
def test_exceptions_can_be_turned_off(tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text("int main() { throw 1; }\n")
    with pytest.raises(CompileError, match="exceptions disabled"):
        api.compile(tmp_path / "a.cpp", flags=["-fno-exceptions"])
