"""The C library by its members: the index is fresh, and the code is what zig links."""

import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tools.libc_index import index
from transputer.frontends import c, wasi_libc, zig
from transputer.frontends.binary.sections import keep_custom
from transputer.frontends.wasi_libc import INDEX, ArchiveMember, Index

PROGRAMS = {
    "printf": '#include <stdio.h>\nint main(void) { printf("%d %s %f\\n", 1, "a", 1.5); }\n',
    "malloc": (
        "#include <stdlib.h>\n"
        "static int less(const void *a, const void *b) { return *(char *)a - *(char *)b; }\n"
        "int main(int n, char **v) {\n"
        "  char *p = malloc(n); p[0] = n; qsort(p, n, 1, less); return strtod(v[0], 0) + p[0]; }\n"
    ),
    "clock": "#include <time.h>\nint main(void) { return clock() + time(0); }\n",
    "signal": (
        "#include <signal.h>\nstatic void f(int n) {}\n"
        "int main(void) { signal(SIGINT, f); return raise(SIGINT); }\n"
    ),
    "setjmp": (
        "#include <setjmp.h>\n#include <stdio.h>\nstatic jmp_buf b;\n"
        'int main(void) { if (!setjmp(b)) longjmp(b, 1); puts("back"); }\n'
    ),
    "math": (
        "#include <math.h>\n#include <complex.h>\n"
        "int main(int n, char **v) {\n"
        "  return sin(n) + powf(n, 0.3f) + cabs(csqrt(n)) + lgammal(n); }\n"
    ),
    "unused": '#include <stdio.h>\nvoid f(void) { perror("x"); }\nint main(void) { return 0; }\n',
    "reactor": (
        '#include <string.h>\n#include <stdlib.h>\nint f(int n) { return !!strdup(getenv("A")); }\n'
    ),
}


OURS = Index.load(INDEX.read_text())


def test_names_of_symbols_are_short() -> None:
    """In an object, the byte before a name is its length; from 48 on it would look like a digit."""
    assert max(len(symbol) for m in OURS.members for symbol in m.defined) < ord("0")


def test_members_come_with_what_they_need() -> None:
    assert OURS.needed([]) == OURS.needed(["no_such_function"]) == []
    assert [Path(m.source).stem for m in OURS.needed(["errno"])] == ["errno"]
    printing = {Path(m.source).stem for m in OURS.needed(["puts"])}
    assert {"puts", "stdout", "__stdio_write", "writev"} <= printing
    assert len(printing) < 40


def test_of_two_definitions_the_first_counts() -> None:
    first = ArchiveMember("a.c", 0, ("f",), ("h",))
    second = ArchiveMember("b.c", 0, ("f", "g"))
    last = ArchiveMember("c.c", 0, ("h",), ("f",))
    index = Index("", (), (), (first, second, last))
    assert index.needed(["f"]) == [first, last]
    assert index.needed(["g"]) == [second]


@pytest.mark.parametrize(
    "how, alone",
    [
        ({}, True),
        ({"flags": ["-lm", "-std=c99"], "opt": "-O0", "defines": ["N=1"]}, True),
        ({"flags": ["-L."]}, False),
        ({"flags": ["-Wl,--no-gc-sections"]}, False),
        ({"flags": ["-mcpu=mvp"]}, False),
    ],
)
def test_zig_builds_all_if_options_could_need_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: dict[str, Any], alone: bool
) -> None:
    libraries = []

    def linked(job: Any, command: list[str], *more: Any) -> str:
        libraries.append(more[-1])
        Path(command[-1]).write_bytes(b"\0asm\1\0\0\0")
        return ""

    (tmp_path / "a.c").write_text("int main(void) { return 0; }\n")
    really = c._zig
    monkeypatch.setattr(c, "_zig", lambda *a: (really if "-c" in a[1] else linked)(*a))
    c.compile_c(tmp_path / "a.c", confined=True, **how)
    (library,) = libraries
    assert (library is not None) is alone


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of zig, which is where the compiler runs: debug information names it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    cache = zig.cache("zig")
    assert cache is not None
    monkeypatch.chdir(cache)
    return tmp_path


@pytest.mark.slow
def test_modules_are_those_that_zig_links(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = folder / "cache/transputer/zig"
    for name, text in PROGRAMS.items():
        (folder / f"{name}.c").write_text(text)

    def modules() -> dict[str, bytes]:
        shutil.rmtree(folder / "cache/transputer/c", ignore_errors=True)
        return {n: c.compile_c(folder / f"{n}.c", library=True) for n in PROGRAMS}

    ours = modules()
    built = sorted(path.name for path in cache.glob("o/*/*.a"))
    # once for all programs; a part of it also with what few of them need
    assert built == ["libcompiler_rt.a"] * 2 + ["libzigc.a"]
    assert index(cache).dump() == INDEX.read_text(), "run: python -m tools.libc_index"
    monkeypatch.setattr(wasi_libc, "index", lambda: None)
    whole = modules()
    assert list(cache.glob("o/*/libc.a"))
    # debug information names a folder of zig's library, and functions are numbered
    code = partial(keep_custom, names=frozenset())
    assert [name for name in PROGRAMS if code(ours[name]) != code(whole[name])] == []


@pytest.mark.slow
def test_parts_of_the_run_time_library_that_few_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are compiled where C names them, and where a part written in Zig does."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    linked: list[bool] = []
    run = zig.run

    def watched(*args: Any, libc: Path | None = None, **more: Any) -> Any:
        if libc is not None:
            linked.append((libc / zig.LIBRARY).exists())
        return run(*args, libc=libc, **more)

    monkeypatch.setattr(zig, "run", watched)

    def links(text: str) -> list[bool]:
        (tmp_path / "f.c").write_text(text)
        linked.clear()
        c.compile_c(tmp_path / "f.c", library=True)
        return [*linked]

    assert links('#include <stdio.h>\nint main(int n, char **v) { printf("%Lf", n / 3.0L); }') == [
        True
    ]
    assert links("#include <math.h>\nint main(int n, char **v) { return sin(n); }") == [False]
    assert links("#include <math.h>\nint main(int n, char **v) { return cosh(n); }") == [
        True,
        False,
    ]
    with pytest.raises(c.CompileError, match="undefined symbol: missing"):
        links("void missing(void);\nint main(void) { missing(); }")
    assert linked == [True]


def test_programs_share_the_objects_of_the_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are compiled one way, whatever the options of the user's program."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    source = tmp_path / "exits.c"
    source.write_text("int main(void) { return 3; }\n")
    first = c.compile_c(source)
    built = sorted((tmp_path / "transputer" / "libc").iterdir())
    others = c.compile_c(source, opt="-O0", includes=[tmp_path], defines=["X=1"], flags=["-Wall"])
    assert built and sorted((tmp_path / "transputer" / "libc").iterdir()) == built
    assert others != first
