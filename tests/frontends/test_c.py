"""C through clang: programs agree with what C says, mistakes arrive as clang wrote them."""

import contextlib
import logging
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
import wasmtime

from transputer import cache
from transputer.errors import EngineUnavailable, UsageError
from transputer.frontends import c, zig

EXAMPLES = Path(__file__).parents[2] / "examples" / "c"
I32 = wasmtime.ValType.i32()


class Exited(Exception):
    """What the `exit` device raises."""


@dataclass
class Run:
    """One call of an exported function under wasmtime."""

    result: int | None
    output: str
    exit_code: int | None
    instructions: int


def run(binary, function, *args, given=b""):
    """Call a function with the three devices of `transputer.h` attached."""
    config = wasmtime.Config()
    config.consume_fuel = True
    engine = wasmtime.Engine(config)
    store = wasmtime.Store(engine)
    store.set_fuel(budget := 1_000_000_000)
    output, unread, codes = bytearray(), list(given), []

    def leave(code):
        codes.append(code)
        raise Exited

    def device(name, takes, gives, call):
        linker.define_func("transputer", name, wasmtime.FuncType(takes, gives), call)

    linker = wasmtime.Linker(engine)
    device("read", [], [I32], lambda: unread.pop(0) if unread else -1)
    device("write", [I32], [], lambda byte: output.append(byte & 0xFF))
    device("exit", [I32], [], leave)
    exports = linker.instantiate(store, wasmtime.Module(engine, binary)).exports(store)
    result = None
    with contextlib.suppress(Exited):
        result = exports[function](store, *args)
    used = budget - store.get_fuel()
    return Run(result, output.decode(), codes[0] if codes else None, used)


@pytest.fixture
def compiled(tmp_path):
    """Compile a text and return the module."""

    def compile_text(text, name="program.c", **options):
        (tmp_path / name).write_text(text)
        return c.compile_c(tmp_path / name, **options)

    return compile_text


def exports(binary):
    module = wasmtime.Module(wasmtime.Engine(), binary)
    return {e.name for e in module.exports if isinstance(e.type, wasmtime.FuncType)}


CASES = [
    ("gcd", (48, 36), 12),
    ("gcd", (17, 5), 1),
    ("gcd", (0, 9), 9),
    ("fibonacci", (0,), 0),
    ("fibonacci", (30,), 832040),
    ("fibonacci", (47,), 2971215073 - 2**32),
    ("collatz", (1,), 0),
    ("collatz", (27,), 111),
    ("sieve", (100,), 25),
    ("sieve", (1000,), 168),
    ("sieve", (1001,), -1),
    ("bubble_sort", (0,), 3),
    ("bubble_sort", (4,), 27),
    ("bubble_sort", (9,), 96),
    ("bubble_sort", (10,), -1),
    ("queens", (1,), 1),
    ("queens", (6,), 4),
    ("queens", (8,), 92),
]


@pytest.mark.parametrize("name, args, expected", CASES)
def test_examples(name, args, expected):
    assert run(c.compile_c(EXAMPLES / f"{name}.c"), name, *args).result == expected


def test_every_example_is_tested():
    tested = {name for name, _, _ in CASES} | {"sudoku"}
    assert {file.stem for file in EXAMPLES.glob("*.c")} == tested


def grid(text):
    return [line.replace("|", "").split() for line in text.splitlines() if "+" not in line]


def test_sudoku():
    done = run(c.compile_c(EXAMPLES / "sudoku.c"), "main", 0, 0)
    puzzle, solution = map(grid, done.output.split("\n\n"))
    rows = [[int(digit) for digit in row] for row in solution]
    columns = list(zip(*rows, strict=True))
    boxes = [
        [rows[r + i][s + j] for i in range(3) for j in range(3)]
        for r in (0, 3, 6)
        for s in (0, 3, 6)
    ]
    assert done.result == 0
    assert all(sorted(unit) == list(range(1, 10)) for unit in [*rows, *columns, *boxes])
    cells = list(zip(sum(puzzle, []), sum(solution, []), strict=True))
    assert all(given in (".", digit) for given, digit in cells)
    assert sum(given != "." for given, _ in cells) == 23
    assert done.instructions < 1_000_000


def test_devices(compiled):
    binary = compiled(
        '#include "transputer.h"\n'
        "int main(void) {\n"
        "    int byte;\n"
        "    while ((byte = tp_read()) >= 0) tp_write(byte - 32);\n"
        "    tp_exit(7);\n"
        "}\n"
    )
    done = run(binary, "main", 0, 0, given=b"hello")
    assert (done.output, done.exit_code) == ("HELLO", 7)


LANGUAGE = """
typedef struct { int cell[40]; } Block;
static Block a, b;
static int add(int x, int y) { return x + y; }
static int sub(int x, int y) { return x - y; }
static int (*const operations[])(int, int) = {add, sub};
static int calls = 100;

int divide(int x, int y) { return x / y; }
int indirect(int which, int x, int y) { return operations[which & 1](x, y); }
int count(void) { return ++calls; }
int choose(int x) {
    switch (x) {
        case 0: return count();
        case 1: return divide(-7, 2);
        case 2: return indirect(1, 3, 9);
        case 3: return 40;
        case 4: return indirect(0, x, x);
        default: return -1;
    }
}
int copy_struct(int i, int value) { a.cell[i] = value; b = a; return b.cell[i]; }
int clear(int i) { a.cell[i] = 5; a = (Block){{0}}; return a.cell[i]; }
long long wide(long long x, long long y) { return x * y / 3 << (y & 7); }
double real(double x) { return x * 0.5 + 1; }
"""


@pytest.mark.parametrize(
    "function, args, expected",
    [
        ("divide", (-7, 2), -3),
        ("indirect", (0, 3, 9), 12),
        ("indirect", (1, 3, 9), -6),
        ("count", (), 101),
        *[("choose", (x,), y) for x, y in enumerate([101, -3, -6, 40, 8, -1])],
        ("copy_struct", (39, 1234), 1234),
        ("clear", (7,), 0),
        ("wide", (10**10, 9), 6 * 10**10),
        ("real", (5.0,), 3.5),
    ],
)
@pytest.mark.parametrize("opt", ["-O0", "-Os", "-O3"])
def test_language(compiled, opt, function, args, expected):
    assert run(compiled(LANGUAGE, opt=opt), function, *args).result == expected


MEMORY = """
typedef __SIZE_TYPE__ size_t;
void *memcpy(void *, const void *, size_t);
void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t);
int memcmp(const void *, const void *, size_t);
static unsigned char bytes[64];
static void reset(void) { for (int i = 0; i < 64; i++) bytes[i] = i; }
static int digest(void) { int h = 0; for (int i = 0; i < 64; i++) h = h * 31 + bytes[i]; return h; }
int copy(int t, int f, int n) { reset(); memcpy(bytes + t, bytes + f, n); return digest(); }
int move(int t, int f, int n) { reset(); memmove(bytes + t, bytes + f, n); return digest(); }
int fill(int t, int byte, int n) { reset(); memset(bytes + t, byte, n); return digest(); }
int compare(int l, int r, int n) {
    reset();
    bytes[40] = 3; bytes[41] = 4; bytes[42] = 200;
    return memcmp(bytes + l, bytes + r, n);
}
"""


def digest(data):
    value = 0
    for byte in data:
        value = value * 31 + byte
    return (value + 2**31) % 2**32 - 2**31


@pytest.mark.parametrize("count", [0, 1, 3, 4, 5, 8, 15])
def test_memory_functions(compiled, count):
    binary = compiled(MEMORY)
    start = bytes(range(64))

    def replaced(to, data):
        return digest(start[:to] + data + start[to + len(data) :])

    assert run(binary, "copy", 33, 2, count).result == replaced(33, start[2 : 2 + count])
    for to, source in ((5, 2), (2, 5), (6, 6), (3, 2), (2, 3)):
        expected = replaced(to, start[source : source + count])
        assert run(binary, "move", to, source, count).result == expected, (to, source)
    assert run(binary, "fill", 9, 0x1FE, count).result == replaced(9, b"\xfe" * count)


@pytest.mark.parametrize(
    "left, right, count, sign", [(3, 40, 2, 0), (3, 40, 3, -1), (40, 3, 3, 1), (3, 9, 0, 0)]
)
def test_memcmp(compiled, left, right, count, sign):
    result = run(compiled(MEMORY), "compare", left, right, count).result
    assert (result > 0) - (result < 0) == sign


def test_program_may_bring_its_own_memcpy(compiled):
    binary = compiled(
        "typedef struct { int cell[40]; } Block;\n"
        "static int calls;\n"
        "void *memcpy(void *to, const void *from, __SIZE_TYPE__ n) {\n"
        "    char *t = to; const char *f = from;\n"
        "    calls++; while (n--) *t++ = *f++; return to;\n"
        "}\n"
        "Block a, b;\n"
        "int copy(void) { a = b; return calls; }\n"
    )
    assert run(binary, "copy").result == 1


def test_exports_are_the_functions_that_are_not_static(compiled):
    binary = compiled(
        "static int hidden(int x) { return x * 3; }\n"
        "typedef struct { int cell[99]; } Block;\n"
        "Block copy(Block *b) { return *b; }\n"
        "int shown(int x) { return hidden(x) + 1; }\n"
    )
    assert exports(binary) == {"shown", "copy"}


def test_names_lines_and_variables_are_kept_and_nothing_else(compiled):
    binary = compiled(
        "__attribute__((noinline)) static int inner(int x) { return x * x; }\n"
        "int outer(int x) { return inner(x) + inner(x + 1); }\n"
    )
    assert b"\x05inner" in binary and b"\x05outer" in binary
    assert b".debug_line" in binary
    assert b".debug_info" in binary and b"producers" not in binary


def test_compiling_is_deterministic():
    assert c.compile_c(EXAMPLES / "sudoku.c") == c.compile_c(EXAMPLES / "sudoku.c")


def test_only_instructions_of_the_first_version(compiled):
    config = wasmtime.Config()
    for newer in ("bulk_memory", "multi_value", "simd", "relaxed_simd"):
        setattr(config, f"wasm_{newer}", False)
    engine = wasmtime.Engine(config)
    wasmtime.Module(engine, compiled(LANGUAGE))
    with pytest.raises(wasmtime.WasmtimeError, match="bulk memory"):
        wasmtime.Module(engine, compiled(LANGUAGE, flags=["-mcpu=generic"]))


def test_no_sign_extension_instructions(compiled):
    text = "int low(int x) { return (signed char)x; }\n"
    shift, extend = b"\x20\x00\x41\x18\x74", b"\x20\x00\xc0"  # local.get 0, then
    first, newer = compiled(text), compiled(text, flags=["-mcpu=generic"])
    assert (shift in first, extend in first) == (True, False)
    assert (shift in newer, extend in newer) == (False, True)


def test_options(compiled, tmp_path):
    (tmp_path / "more headers").mkdir()
    (tmp_path / "more headers" / "limit.h").write_text("#define LIMIT 5\n")
    binary = compiled(
        "#include <limit.h>\nint f(void) { return LIMIT + STEP * SCALE; }\n",
        includes=[tmp_path / "more headers"],
        defines=["STEP=3"],
        flags=["-DSCALE=10"],
    )
    assert run(binary, "f").result == 35


@pytest.mark.parametrize("name", ["two words.c", "-Os.c", "@file.c", "é.c", "no suffix", "x.h"])
def test_odd_file_names(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    Path(name).write_text("int f(void) { return 3; }\n")
    assert run(c.compile_c(name), "f").result == 3


def test_mistakes_arrive_as_clang_wrote_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("bad.c").write_text("int total;\nint f(int x) {\n    return totel + x\n}\n")
    with pytest.raises(c.CompileError) as caught:
        c.compile_c("bad.c")
    said = str(caught.value)
    assert said.startswith(
        "bad.c:3:12: error: use of undeclared identifier 'totel'; did you mean 'total'?\n"
        "    3 |     return totel + x\n"
        "      |            ^~~~~\n"
    )
    assert "bad.c:3:21: error: expected ';'" in said
    assert said.endswith("2 errors generated.")
    assert caught.value.exit_code == 2
    assert str(caught.value.in_file("other.c")) == said


def test_missing_function_names_the_source(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("two words.c").write_text("int puts(const char *);\nint f(void) { return puts(0); }\n")
    with pytest.raises(c.CompileError) as caught:
        c.compile_c("two words.c")
    assert str(caught.value) == "two words.c: error: undefined symbol: puts\n" + c._NOTE.rstrip()


def test_library_header_gets_a_note(compiled):
    with pytest.raises(c.CompileError) as caught:
        compiled("#include <stdio.h>\nint f(void) { return 0; }\n")
    assert "'stdio.h' file not found" in str(caught.value)
    assert str(caught.value).endswith(c._NOTE.rstrip())


def test_wrong_flag(compiled):
    with pytest.raises(c.CompileError, match="error: .*-fbogus"):
        compiled("int x;\n", flags=["-fbogus"])


def test_flags_that_leave_no_module(compiled):
    with pytest.raises(c.CompileError):
        compiled("int x;\n", flags=["-fsyntax-only"])


def test_silent_compiler_that_writes_nothing(compiled, monkeypatch):
    monkeypatch.setattr(zig, "zig", lambda: "/bin/true")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    with pytest.raises(c.CompileError, match="program.c: the compiler wrote no module"):
        compiled("int x;\n")


def test_warnings_are_logged_every_time(compiled, caplog):
    for _ in range(2):
        caplog.clear()
        assert compiled("#warning slow\nint f(void) { return 1; }\n")
        (record,) = caplog.records
        assert record.levelno == logging.WARNING
        assert "program.c:1:2: warning: slow [-W#warnings]" in record.getMessage()


def test_missing_file(tmp_path):
    with pytest.raises(UsageError, match="no such file"):
        c.compile_c(tmp_path / "none.c")


def test_missing_compiler(compiled, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(EngineUnavailable, match="pip install ziglang"):
        compiled("int x;\n")


def test_broken_compiler(compiled, monkeypatch, tmp_path):
    monkeypatch.setattr(zig, "zig", lambda: str(tmp_path / "no zig"))
    with pytest.raises(EngineUnavailable, match="zig failed to start .No such file"):
        compiled("int x;\n")


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("#include <stdio.h>\nint main(void) { return 0; }\n", True),
        ("  #  include <sys/stat.h> // twice\n#include <stdio.h>\n", True),
        ("int f(void) { return 1; }\n", True),
        ('#include "stdio.h"\n', False),
        ("#include <../own.h>\n", False),
        ("#inc\\\nlude MINE\n", False),
        ("#/**/include <stdio.h>\n", False),
        ("??=include <stdio.h>\n", False),
        ("#define H <own.h>\n#include H\n", False),
        ("#include_next <stdio.h>\n", False),
        ("#if __has_include(<own.h>)\n#endif\n", False),
        ("const char *when = __DATE__;\n", False),
        ("#embed <data>\n", False),
        ("#define JOIN(a, b) a##b\nconst char *when = JOIN(__DA, TE__);\n", False),
    ],
)
def test_sources_that_read_nothing_else(text, closed):
    assert c._is_closed(text) == closed


def test_a_known_source_is_not_preprocessed(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path, own = tmp_path / "f.c", tmp_path / "own.h"
    path.write_text("#include <stdint.h>\nint32_t f(void) { return NUMBER; }\n")
    first = c.compile_c(path, defines=["NUMBER=5"])
    commands = []
    monkeypatch.setattr(zig, "run", partial(_noted, zig.run, commands))
    assert c.compile_c(path, defines=["NUMBER=5"]) == first and not commands
    assert c.compile_c(path, defines=["NUMBER=6"]) != first and commands
    monkeypatch.setenv("CPATH", str(tmp_path))
    commands.clear()
    assert c.compile_c(path, defines=["NUMBER=5"]) == first and commands
    path.write_text('#include "own.h"\nint f(void) { return NUMBER; }\n')
    numbers = []
    for number in (7, 8):  # of a source that includes a file of the user's
        own.write_text(f"#define NUMBER {number}\n")
        numbers.append(run(c.compile_c(path), "f").result)
    assert numbers == [7, 8]


def _noted(plain, commands, command, *args, **options):
    commands.append(command)
    return plain(command, *args, **options)


@pytest.mark.parametrize("root", ["{tmp}/cache", "{tmp}/file/inside", "relative", ""])
def test_cache_directory(compiled, monkeypatch, tmp_path, root):
    (tmp_path / "file").touch()
    (tmp_path / "home").mkdir()
    monkeypatch.chdir(tmp_path / "home")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", root.format(tmp=tmp_path))
    assert run(compiled("int f(void) { return 3; }\n"), "f").result == 3
    assert (tmp_path / "cache/transputer/zig").is_dir() == root.endswith("cache")
    assert (tmp_path / "home/.cache/transputer/zig").is_dir() == (root == "")
    assert not (tmp_path / "home/relative").exists()


@pytest.fixture
def slow(monkeypatch, tmp_path):
    """A compiler that starts a process and waits for it; the file that has that one's id."""
    zig, started = tmp_path / "zig", tmp_path / "started"
    tell = f"echo $! > '{zig}.id'; mv '{zig}.id' '{started}'"
    zig.write_text(f"#!/bin/sh\nsleep 60 &\n{tell}\nwait\n")
    zig.chmod(0o755)
    monkeypatch.setattr("transputer.frontends.zig.zig", lambda: str(zig))
    return started


def test_slow_compiler_is_stopped_with_what_it_started(compiled, monkeypatch, slow):
    monkeypatch.setattr(zig, "TIMEOUT", 1.0)
    with pytest.raises(c.CompileError, match="program.c: the compiler took more than 1 s"):
        compiled("int x;\n")
    assert ends(int(slow.read_text()))


def test_interrupt_stops_the_compiler(compiled, monkeypatch, slow):
    def interrupted(process, **_):
        while not slow.exists():
            time.sleep(0.01)
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess.Popen, "communicate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        compiled("int x;\n")
    assert ends(int(slow.read_text()))


def test_a_terminated_command_stops_the_compiler(tmp_path, slow):
    (tmp_path / "f.c").write_text("int f(void) { return 1; }\n")
    text = (
        f"from transputer.frontends import zig; zig.zig = lambda: {str(tmp_path / 'zig')!r};"
        "from transputer.cli import main; main()"
    )
    command = [sys.executable, "-c", text, "run", str(tmp_path / "f.c"), "--invoke", "f"]
    with subprocess.Popen(command) as process:
        while not slow.exists():
            time.sleep(0.01)
        process.terminate()
        assert process.wait() == 143
    assert ends(int(slow.read_text()))


def test_a_library_that_was_damaged_is_built_again(compiled, monkeypatch, tmp_path, caplog):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    library = tmp_path / "cache/transputer/zig/o/0/libzigc.a"
    library.parent.mkdir(parents=True)
    library.write_bytes(b"code")
    mark = library.parents[2] / f"{zig.MARK}0"
    zig.note_libraries(mark)
    assert zig.intact(mark) and not zig.damaged()
    library.write_bytes(b"edit")
    assert not zig.intact(mark) and zig.damaged()
    assert "_start" in exports(compiled("int main(void) { return 0; }\n"))
    assert "the compiler's cache is damaged" in caplog.text
    assert not zig.damaged() and not library.exists()


def test_a_library_that_is_half_written_is_not_noted(monkeypatch, tmp_path):
    """Another process would take the whole one for damaged."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    library = zig.cache("zig") / "o/0/libcompiler_rt.a"
    library.parent.mkdir(parents=True)
    mark = library.parents[2] / f"{zig.MARK}0"
    with cache.used(zig.cache("zig")):  # by another compiler
        library.write_bytes(b"half")
        zig.note_libraries(mark)
    library.write_bytes(b"half and half")
    assert not mark.exists() and not zig.damaged()
    zig.note_libraries(mark)
    assert zig.intact(mark)


def test_the_cache_is_not_cleared_under_a_compiler(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with cache.used(zig.cache("zig")):
        assert not zig.clear()
    assert zig.clear() and not (tmp_path / "transputer/zig").exists()


def test_a_file_that_the_assembler_reads_counts(compiled, tmp_path):
    lines = [
        *('.section .rodata.data,"",@', ".globl data", ".type data,@object", "data:"),
        *(f'.incbin "{tmp_path}/data"', ".size data,1"),
    ]
    quoted = "".join(line.replace('"', '\\"') + "\\n" for line in lines)
    text = f'__asm__("{quoted}");\nextern const char data[];\nint f(void) {{ return data[0]; }}\n'
    results = []
    for byte in b"ab":
        (tmp_path / "data").write_bytes(bytes([byte]))
        results.append(run(compiled(text), "f").result)
    assert results == [*b"ab"]


def ends(pid):
    """Whether a process is gone, or about to be, within a few seconds."""
    for _ in range(50):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
            os.kill(pid, 0)
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.1)
    return False
