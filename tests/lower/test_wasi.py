"""WASI: the routines on core code, the oracle's host functions and wasmtime do the same."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.sampling import sampled
from transputer import api
from transputer.errors import LinkError, Trap, UsageError
from transputer.frontends.binary import decode
from transputer.frontends.c import compile_c
from transputer.frontends.wat import to_wasm
from transputer.host.console import Console
from transputer.ir.environment import Environment
from transputer.ir.files import FileNode, FileTree, FileType, Mount
from transputer.ir.module import ExternKind
from transputer.ir.verify import verify
from transputer.lower.files import file_system
from transputer.lower.origin import as_written
from transputer.lower.wasi import lower_wasi, wasi
from transputer.oracle.command import run_command
from transputer.oracle.wasi import SIGNATURES, Wasi
from transputer.runtime.trace.sessions import new_session

#: Those that do not run the weights, and the fastest that does.
ENGINES = ("oracle", "core", "words", "native")

HELLO = '#include <stdio.h>\nint main(void) { printf("hello %d\\n", 42); return 0; }\n'
ARGUMENTS = """
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) printf("%d:%s\\n", i, argv[i]);
    printf("%s %s\\n", getenv("COLOUR"), getenv("HOME") ? "home" : "no home");
    return argc;
}
"""
STREAMS = """
#include <stdio.h>
int main(void) {
    int lines = 0, c;
    char word[20];
    fprintf(stderr, "reading\\n");
    while (scanf("%19s", word) == 1) printf("<%s>", word), lines++;
    fprintf(stderr, "%d words\\n", lines);
    while ((c = getchar()) != EOF) putchar(c);
    return lines;
}
"""
LIBRARY = """
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef struct { char *name; long long value; } Item;
static int order(const void *a, const void *b) {
    long long x = ((const Item *)a)->value, y = ((const Item *)b)->value;
    return (x > y) - (x < y);
}
int main(void) {
    Item *items = malloc(3 * sizeof *items);
    const char *names[] = {"Beta", "alpha", "GAMMA"};
    for (int i = 0; i < 3; i++) {
        items[i] = (Item){strdup(names[i]), (5 - 3 * i) * 10000000000LL};
        for (char *p = items[i].name; *p; p++) *p = (char)toupper((unsigned char)*p);
    }
    qsort(items, 3, sizeof *items, order);
    for (int i = 0; i < 3; i++) printf("%-8s|%14lld|%x\\n", items[i].name, items[i].value, i + 250);
    printf("%.3f %g %s\\n", 2.0 / 3, 1e-7, strrchr("a/b/c", '/'));
    for (int i = 0; i < 3; i++) free(items[i].name);
    free(items);
    exit(atoi("17"));
}
"""
EARLY = """
#include <stdlib.h>
#include <unistd.h>
int main(void) { write(1, "x", 1); _Exit(100); }
"""
CLOSED = """
#include <stdio.h>
#include <unistd.h>
int main(void) {
    char byte;
    printf("%zd %d\\n", write(9, "x", 1), close(7));
    printf("%zd\\n", write(1, "", 0));
    fflush(stdout);
    close(0);
    printf("%zd %d\\n", read(0, &byte, 1), close(0));
    return 0;
}
"""
PROGRAMS = {
    "hello": (HELLO, [], b""),
    "arguments": (ARGUMENTS, ["one", "two words", "", "-x", "é"], b""),
    "streams": (STREAMS, [], b"some words  here\nand there"),
    "no input": (STREAMS, [], b""),
    "library": (LIBRARY, [], b""),
    "early": (EARLY, [], b""),
    "closed": (CLOSED, [], b""),
}


@pytest.fixture
def program(tmp_path: Path, request: pytest.FixtureRequest) -> tuple[bytes, list[str], bytes]:
    text, args, stdin = PROGRAMS[request.param]
    (tmp_path / "program.c").write_text(text)
    return compile_c(tmp_path / "program.c"), args, stdin


@pytest.mark.parametrize("program", sampled(PROGRAMS, 3), indirect=True)
def test_programs_do_what_they_do_under_wasmtime(
    program: tuple[bytes, list[str], bytes], tmp_path: Path
) -> None:
    binary, args, stdin = program
    env = {"COLOUR": "blue"}
    expected = run_command(binary, ["program.wasm", *args], stdin, env=env)
    path = tmp_path / "program.wasm"
    path.write_bytes(binary)
    for engine in ENGINES:
        result = api.run(path, args=args, engine=engine, stdin=stdin, env=env)
        found = (result.stdout, result.stderr, result.exit_code or 0, result.trap)
        assert found == (expected.stdout, expected.stderr, expected.exit_code, None), engine
    assert expected.stdout or expected.stderr


def caller(name: str) -> str:
    """A module with a memory that exports a WASI function and a way to look at the memory."""
    params, _, results = SIGNATURES[name].partition(":")
    types = {"i": "i32", "l": "i64"}
    result = f"(result {types[results]})" if results else ""
    parameters = f"(param {' '.join(types[c] for c in params)})"
    gets = " ".join(f"local.get {i}" for i in range(len(params)))
    return f"""(module
      (import "wasi_snapshot_preview1" "{name}" (func $f {parameters} {result}))
      (memory (export "memory") 1)
      (data (i32.const 64) "\\50\\00\\00\\00\\05\\00\\00\\00")
      (data (i32.const 72) "\\56\\00\\00\\00\\02\\00\\00\\00hello, youfld")
      (data (i32.const 160) "\\07") (data (i32.const 184) "\\09")
      (data (i32.const 208) "\\08") (data (i32.const 216) "\\02") (data (i32.const 224) "\\01")
      (func (export "call") {parameters} {result} {gets} call $f)
      (func (export "look") (param i32) (result i32) local.get 0 i32.load))"""


CALLS = {
    "fd_write": [(1, 64, 2, 32), (2, 64, 1, 32), (0, 64, 1, 32), (3, 64, 1, 32), (1, 64, 0, 32)],
    "fd_read": [(0, 64, 2, 32), (0, 64, 1, 32), (1, 64, 1, 32), (9, 64, 1, 32)],
    "fd_close": [(0,), (0,), (2,), (3,), (4294967295,)],
    "fd_seek": [(0, 0, 0, 32), (1, 5, 2, 32), (3, 0, 0, 32)],
    "fd_fdstat_get": [(0, 32), (1, 32), (2, 32), (3, 32)],
    "fd_prestat_get": [(3, 32), (0, 32)],
    "fd_prestat_dir_name": [(3, 32, 8)],
    "args_sizes_get": [(32, 36)],
    "args_get": [(32, 128)],
    "environ_sizes_get": [(32, 36)],
    "environ_get": [(32, 128)],
    "proc_exit": [(3,)],
    "clock_res_get": [(0, 32), (3, 32), (4, 32)],
    "clock_time_get": [(0, 1000, 32), (1, 0, 40), (9, 0, 32)],
    "random_get": [(32, 7), (40, 0), (44, 20)],
    "sched_yield": [()],
    "fd_advise": [(3, 0, 0, 0), (1, 0, 0, 0), (3, 0, 0, 9)],
    "fd_allocate": [(3, 0, 1), (0, 0, 1), (9, 0, 1)],
    "fd_datasync": [(3,), (1,), (9,)],
    "fd_sync": [(3,), (1,), (9,)],
    "fd_fdstat_set_flags": [(3, 1), (1, 1), (9, 1), (3, 32)],
    "fd_fdstat_set_rights": [(3, 0, 0), (9, 0, 0)],
    "fd_filestat_get": [(3, 32), (1, 96), (9, 32)],
    "fd_filestat_set_size": [(3, 5), (1, 5), (9, 5)],
    "fd_filestat_set_times": [(3, 7, 8, 5), (3, 7, 8, 3), (1, 7, 8, 5), (3, 7, 8, 99)],
    "fd_pread": [(0, 64, 1, 0, 32), (3, 64, 1, 0, 32), (9, 64, 1, 0, 32)],
    "fd_pwrite": [(1, 64, 1, 0, 32), (3, 64, 1, 0, 32), (9, 64, 1, 0, 32)],
    "fd_readdir": [(3, 128, 100, 0, 32), (3, 128, 30, 2, 32), (1, 128, 30, 0, 32)],
    "fd_renumber": [(3, 1), (1, 3), (9, 1), (1, 9), (2, 2)],
    "fd_tell": [(3, 32), (1, 32), (9, 32)],
    "path_create_directory": [(3, 80, 5), (3, 80, 5), (1, 80, 5), (3, 64, 4), (9, 80, 5)],
    "path_filestat_get": [(3, 1, 90, 1, 128), (3, 0, 91, 1, 128), (3, 1, 91, 1, 128),
                          (3, 2, 90, 1, 128), (3, 0, 80, 5, 128)],
    "path_filestat_set_times": [(3, 1, 90, 1, 7, 8, 10), (3, 0, 80, 5, 7, 8, 5)],
    "path_link": [(3, 0, 90, 1, 3, 80, 5), (3, 1, 90, 1, 3, 81, 2), (3, 0, 92, 1, 3, 81, 2)],
    "path_open": [(3, 0, 90, 1, 0, 2, 0, 0, 32), (3, 1, 91, 1, 8, 66, 0, 1, 36),
                  (3, 0, 91, 1, 0, 2, 0, 0, 40), (3, 0, 80, 5, 5, 66, 0, 0, 40),
                  (3, 0, 80, 5, 5, 66, 0, 0, 40), (3, 0, 92, 1, 2, 2, 0, 0, 44)],
    "path_readlink": [(3, 91, 1, 128, 9, 32), (3, 90, 1, 128, 9, 32)],
    "path_remove_directory": [(3, 92, 1), (3, 90, 1), (3, 92, 1)],
    "path_rename": [(3, 90, 1, 3, 80, 5), (3, 80, 5, 3, 92, 1), (3, 80, 1, 3, 90, 1)],
    "path_symlink": [(80, 5, 3, 82, 2), (80, 5, 3, 90, 1), (80, 0, 3, 83, 2)],
    "path_unlink_file": [(3, 90, 1), (3, 90, 1), (3, 92, 1)],
    "poll_oneoff": [(160, 256, 1, 32), (160, 256, 0, 32), (208, 256, 1, 32), (160, 256, 2, 32)],
    "proc_raise": [(1,)],
    "sock_accept": [(3, 0, 32), (9, 0, 32)],
    "sock_recv": [(3, 64, 1, 0, 32, 36), (9, 64, 1, 0, 32, 36)],
    "sock_send": [(3, 64, 1, 0, 32), (9, 64, 1, 0, 32)],
    "sock_shutdown": [(3, 1), (9, 1)],
}  # fmt: skip
#: A folder with a file `f`, a link `l` to it and a folder `d`.
TREE = FileTree(
    (
        FileNode(FileType.DIRECTORY, entries=((b"f", 1), (b"l", 2), (b"d", 3)), writable=True),
        FileNode(FileType.REGULAR, b"contents", (), 5, writable=True),
        FileNode(FileType.LINK, b"f", (), 6, writable=True),
        FileNode(FileType.DIRECTORY, (), (), 7, writable=True),
    ),
    (Mount(b"/d", 0),),
)
ENVIRONMENT = Environment(
    *((b"program", b"a", b"", b"four"), (b"A=1", b"LONG=value of several words"), (1 << 32) - 5, 7),
    TREE,
)


STREAMS_ONLY = replace(ENVIRONMENT, files=FileTree())
STREAM_FUNCTIONS = [e.name for e in wasi(STREAMS_ONLY).exports]


@pytest.mark.parametrize(
    "name, environment",
    [(name, ENVIRONMENT) for name in SIGNATURES]
    + [(name, STREAMS_ONLY) for name in STREAM_FUNCTIONS],
)
def test_each_function_returns_and_writes_the_same(
    name: str, environment: Environment, tmp_path: Path
) -> None:
    path = tmp_path / "caller.wat"
    path.write_text(caller(name))
    seen = []
    for engine in ENGINES:
        out, err, unread = [], [], list(b"ab\ncdefgh")
        console = Console(lambda left=unread: left.pop(0) if left else -1, out.append, err.append)
        session = new_session(engine, console, max_steps=10**6)
        session.environment = environment
        instance, _ = session.load_program(api.compile(path))
        said = [session.invoke(instance, "call", args) for args in CALLS[name]]
        ends = [(o.results, o.trap, o.exit_code) for o in said]
        memory = [session.invoke(instance, "look", [at]).results for at in range(0, 324, 4)]
        seen.append((ends, memory, out, err, session.final_files()))
    assert all(other[:4] == seen[0][:4] for other in seen[1:])
    trees = [one[4] for one in seen if one[4] is not None]
    assert all(tree == trees[0] for tree in trees)


def test_what_the_functions_say() -> None:
    said = {
        name: [
            Wasi(Console(), STREAMS_ONLY, lambda: None).functions()[name].call(*args)  # type: ignore
            for args in calls
        ]
        for name, calls in {
            "fd_seek": [(0, 0, 0, 32), (3, 0, 0, 32)],
            "fd_close": [(2,), (3,)],
            "fd_prestat_get": [(3, 32)],
            "clock_time_get": [(9, 0, 32)],
        }.items()
    }
    assert said == {
        "fd_seek": [70, 8], "fd_close": [0, 8], "fd_prestat_get": [8], "clock_time_get": [28]
    }  # fmt: skip


def test_both_implementations_have_the_same_functions() -> None:
    types = {
        e.name: library.func_types[e.index]
        for library in (wasi(Environment()), file_system(Environment()))
        for e in library.exports
        if e.kind is ExternKind.FUNC
    }
    host = Wasi(Console(), Environment(), lambda: None)  # type: ignore[arg-type,return-value]
    assert types == {name: f.type for name, f in host.functions().items()}


def test_only_what_is_imported_is_linked() -> None:
    module = verify(decode(to_wasm(caller("fd_seek")))).module
    linked = lower_wasi(as_written(module), Environment())
    names = {linked.module.function_name(i) for i in range(len(linked.module.func_types))}
    assert not linked.module.imports
    assert names == {"call", "look", "fd_seek", "is_open", "unless_closed"}


@pytest.mark.parametrize("engine", ENGINES)
def test_other_imports_are_refused_by_name(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "other.wat"
    path.write_text(caller("fd_sync").replace('"fd_sync"', '"fd_juggle"'))
    with pytest.raises(LinkError, match="no function fd_juggle"):
        api.run(path, "look", [0], engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_pointer_outside_the_memory_traps(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "caller.wat"
    path.write_text(caller("fd_write"))
    result = api.run(path, "call", [1, 65530, 1, 0], engine=engine)
    assert result.trap is Trap.MEMORY_OUT_OF_BOUNDS
    path.write_text(caller("fd_write").replace("\\05\\00\\00\\00", "\\00\\00\\01\\00"))
    result = api.run(path, "call", [1, 64, 2, 0], engine=engine)
    assert (result.trap, result.stdout) == (Trap.MEMORY_OUT_OF_BOUNDS, b"")


@pytest.mark.parametrize("engine", sampled(ENGINES, 4))
def test_clock_and_random_numbers_repeat_unless_asked(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "chance.c"
    path.write_text(
        "#include <stdio.h>\n#include <time.h>\n#include <unistd.h>\n"
        "int main(void) { unsigned r[2]; getentropy(r, 8);\n"
        'printf("%lld %u %u\\n", (long long)time(0), r[0], r[1]); return 0; }\n'
    )
    first, same, later, other = (
        api.run(path, engine=engine, **how).stdout
        for how in ({}, {}, {"clock": 10**18}, {"seed": 5})
    )
    assert first == same and first.startswith(b"0 ")
    assert later.split() == [b"1000000000", *first.split()[1:]]
    assert other.split()[1:] != first.split()[1:]


def test_arguments_that_c_cannot_have(tmp_path: Path) -> None:
    (tmp_path / "hello.c").write_text(HELLO)
    with pytest.raises(UsageError, match="NUL"):
        api.run(tmp_path / "hello.c", args=["a\0b"])
    with pytest.raises(UsageError, match="'A=B'"):
        api.run(tmp_path / "hello.c", env={"A=B": "c"})


def test_wasi_needs_a_memory(tmp_path: Path) -> None:
    (tmp_path / "none.wat").write_text("""(module
      (import "wasi_snapshot_preview1" "fd_close" (func $f (param i32) (result i32)))
      (import "wasi_snapshot_preview1" "random_get" (func $g (param i32 i32) (result i32)))
      (func (export "f") (result i32) (call $f (i32.const 1)))
      (func (export "g") (result i32) (call $g (i32.const 1) (i32.const 1))))""")
    for engine in ENGINES:
        with pytest.raises(LinkError, match="memory"):
            api.run(tmp_path / "none.wat", "f", engine=engine)
