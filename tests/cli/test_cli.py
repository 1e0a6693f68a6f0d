"""What a person types, and what a person gets wrong."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sampling import sampled

Cli = Callable[..., "tuple[int, str, str]"]

GCD = """(module (func (export "gcd") (param i32 i32) (result i32)
  (loop $again (result i32)
    (if (result i32) (i32.eqz (local.get 1))
      (then (local.get 0))
      (else (local.get 1) (i32.rem_u (local.get 0) (local.get 1))
            (local.set 1) (local.set 0) (br $again))))))"""
LOOP = '(module (func (export "f") (loop (br 0))))'


@pytest.fixture
def oracle(cli: Cli) -> Cli:
    """`transputer run ARGS` without weights: fast, and all of WebAssembly."""
    return lambda *args, **how: cli("run", *args, "--engine", "oracle", **how)


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str | bytes], str]:
    def make(name: str, content: str | bytes) -> str:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    return make


def test_invoke_prints_results_one_per_line(
    cli: Cli, oracle: Cli, write: Callable[..., str]
) -> None:
    assert oracle(write("gcd.wat", GCD), "--invoke", "gcd", "48", "36") == (0, "12\n", "")
    two = '(module (func (export "f") (result i32 i64) i32.const -1 i64.const 7))'
    assert oracle(write("two.wat", two), "--invoke", "f") == (0, "-1\n7\n", "")


@pytest.mark.parametrize("engine", ["oracle", "core"])
def test_json(cli: Cli, write: Callable[..., str], engine: str) -> None:
    path = write("gcd.wat", GCD)
    code, out, _ = cli("run", path, "--invoke", "gcd", "48", "36", "--json", "--engine", engine)
    found = json.loads(out)
    assert (code, found["results"], found["trap"], found["engine"]) == (0, [12], None, engine)
    assert set(found) == {
        *("results", "stdout", "exit_code", "trap", "steps", "instructions"),
        *("machine", "engine", "seconds", "lookups", "trace_sha256", "times"),
    }
    assert [*found["times"]] == ["compiling", "loading", "lifting", "running", "hashing"]
    assert found["times"]["running"] == found["seconds"]
    assert found["instructions"] == 24  # two rounds of 10, and 4 to leave


@pytest.mark.parametrize(
    ("type_", "args", "printed"),
    [
        ("i32", "-2147483648", "-2147483648"),
        ("i32", "4294967295", "-1"),
        ("i32", "0x10", "16"),
        ("i64", "-9223372036854775808", "-9223372036854775808"),
        ("f32", "0.1", "0.1"),
        ("f64", "1e22", "10000000000000000000000"),
        ("f64", "-0.0", "-0"),
        ("f64", "2", "2"),
        ("f32", "inf", "inf"),
        ("f64", "-inf", "-inf"),
        ("f64", "nan", "NaN"),
        ("externref", "null", "null"),
        ("externref", "7", "7"),
    ],
)
def test_values(
    cli: Cli, oracle: Cli, write: Callable[..., str], type_: str, args: str, printed: str
) -> None:
    text = f'(module (func (export "f") (param {type_}) (result {type_}) local.get 0))'
    assert oracle(write("id.wat", text), "--invoke", "f", args) == (0, printed + "\n", "")


def test_a_trap_exits_with_134(cli: Cli, oracle: Cli, write: Callable[..., str]) -> None:
    text = '(module (func (export "f") (result i32) (i32.div_s (i32.const 1) (i32.const 0))))'
    path = write("t.wat", text)
    code, out, err = oracle(path, "--invoke", "f")
    assert (code, out) == (134, "")
    first, place, line, caret = err.splitlines()
    assert first == f"transputer: {path}: trap: integer divide by zero"
    assert place == f"  {path}:1:42 in f"
    assert line.index("i32.div_s") == caret.index("^")
    code, out, _ = oracle(path, "--invoke", "f", "--json")
    result = json.loads(out)
    assert (code, result["trap"]) == (134, "integer divide by zero")
    where = {"function": "f", "file": path, "line": 1, "column": 42, "text": text}
    assert result["where"] == [where]


@pytest.mark.parametrize("engine", ["oracle", "core"])
def test_the_step_limit_is_named(cli: Cli, write: Callable[..., str], engine: str) -> None:
    args = ("--invoke", "f", "--max-steps", "1000", "--engine", engine)
    code, out, err = cli("run", write("loop.wat", LOOP), *args)
    assert (code, out) == (3, "")
    assert "1,000" in err and "--max-steps" in err and err.count("\n") == 1


def test_streams_belong_to_the_program(cli: Cli, write: Callable[..., str]) -> None:
    echo = """(module
      (import "transputer" "read" (func $read (result i32)))
      (import "transputer" "write" (func $write (param i32)))
      (import "transputer" "exit" (func $exit (param i32)))
      (func (export "_start") (local $c i32)
        (loop $again
          (local.set $c (call $read))
          (if (i32.ge_s (local.get $c) (i32.const 0))
            (then (call $write (local.get $c)) (br $again))))
        (call $exit (i32.const 7))))"""
    path = write("echo.wat", echo)
    for engine in ("oracle", "core"):
        assert cli("run", path, "--engine", engine, stdin=b"hi\nyou") == (7, "hi\nyou", "")


def test_main_returns_the_exit_code(cli: Cli, oracle: Cli, write: Callable[..., str]) -> None:
    path = write("m.wat", '(module (func (export "main") (result i32) i32.const 3))')
    assert oracle(path) == (3, "", "")


def test_a_start_function_runs(cli: Cli, oracle: Cli, write: Callable[..., str]) -> None:
    text = """(module (import "transputer" "write" (func $write (param i32)))
      (func $go (call $write (i32.const 33))) (start $go))"""
    assert oracle(write("s.wat", text)) == (0, "!", "")


def test_assembly_arguments_and_stack(cli: Cli, write: Callable[..., str]) -> None:
    path = write("swap.asm", "SWAP\nHALT\n")
    for engine in ("oracle", "core"):
        assert cli("run", path, "1", "-2", "--engine", engine) == (0, "-2\n1\n", "")
    assert cli("run", path, "1").code == 134


def test_core_code_can_be_saved_and_run(cli: Cli, write: Callable[..., str]) -> None:
    _, text, _ = cli("dis", write("gcd.wat", GCD), "--core")
    path = write("gcd.core", text)
    args = ("run", path, "--invoke", "gcd", "48", "36", "--engine", "core")
    assert cli(*args) == (0, "12\n", "")
    assert cli("dis", path).out == text
    assert cli(*args[:-1], "oracle").code == 2  # which runs programs as written only


def test_disassembly_is_wat_with_offsets(cli: Cli, oracle: Cli, write: Callable[..., str]) -> None:
    code, out, _ = cli("dis", write("gcd.wat", GCD))
    assert code == 0
    again = write("again.wat", out)
    assert oracle(again, "--invoke", "gcd", "48", "36").out == "12\n"
    assert "(;0x" in out


BAD = {
    "empty.wasm": b"",
    "short.wasm": b"\0as",
    "header.wasm": b"\0asm\2\0\0\0",
    "cut.wasm": b"\0asm\1\0\0\0\1\x7f",
    "text.wasm": b"(module)",
    "empty.asm.wat": b"(module",
    "latin.wat": b"(module (func $\xe9))",
    "nul.wat": b"\0\0\0",
    "token.wat": b"(module (func (i32.frob)))",
    "type.wat": b"(module (func (result i32)))",
    "threads.wat": b"(module (memory 1) (func (drop (i32.atomic.load (i32.const 0)))))",
    "bad.asm": b"PUSH\n FROB 1\n JZ nowhere\n",
    "latin.asm": b"PUSH \xff\n",
    "bad.core": b"0 frob\n",
    "height.core": b'func ()->() entry 0 locals 0 frame 9 "f"\n0 drop\n1 return 0\n',
    "noise.core": b'"abc',
    "unknown.txt": b"hello",
    "empty": b"",
}


@pytest.mark.parametrize("name", BAD)
def test_bad_sources(cli: Cli, write: Callable[..., str], name: str) -> None:
    path = write(name, BAD[name])
    for command in ("run", "dis"):
        code, out, err = cli(command, path)
        assert (code, out) == (2, "")
        assert err.startswith(f"transputer: {path}:") and "Traceback" not in err


@pytest.mark.parametrize(
    "args",
    [
        ("frob",),
        ("run",),
        ("run", "nothere.c"),
        ("run", "tests"),
        ("run", "a\0b.wat"),
        ("run", "{gcd}"),
        ("run", "{gcd}", "--invoke", "nothere"),
        ("run", "{gcd}", "--invoke", "gcd"),
        ("run", "{gcd}", "--invoke", "gcd", "1"),
        ("run", "{gcd}", "--invoke", "gcd", "1", "2", "3"),
        ("run", "{gcd}", "--invoke", "gcd", "1", "x"),
        ("run", "{gcd}", "--invoke", "gcd", "1", "1.5"),
        ("run", "{gcd}", "--invoke", "gcd", "1", "4294967296"),
        ("run", "{gcd}", "--invoke", "gcd", "1", ""),
        ("run", "{gcd}", "--invoke", "gcd", "1", "2", "--engine", "frob"),
        ("run", "{gcd}", "--invoke", "gcd", "1", "2", "--max-steps", "0"),
        ("run", "{gcd}", "--invoke", "gcd", "1", "2", "--max-steps", "many"),
        ("run", "{imports}"),
        ("dis",),
        ("dis", "nothere.wasm"),
        ("spec", "nothere"),
        ("spec", "{gcd}"),
        ("spec", "examples"),
        ("spec", "--engine", "frob"),
    ],
    ids=" ".join,
)
def test_bad_commands(cli: Cli, write: Callable[..., str], args: tuple[str, ...]) -> None:
    files = {
        "{gcd}": write("gcd.wat", GCD),
        "{imports}": write("i.wat", '(module (import "env" "puts" (func)))'),
    }
    code, _, err = cli(*(files.get(a, a) for a in args))
    assert code == 2
    assert "Traceback" not in err
    assert err.startswith("transputer: ")


@pytest.mark.parametrize("args", [(), ("run",), ("dis",), ("spec",)])
def test_help(cli: Cli, args: tuple[str, ...]) -> None:
    code, out, _ = cli(*args, "--help")
    assert code == 0
    assert out.startswith(f"Usage: {' '.join(('transputer', *args))}")


def test_hostile_sizes_stay_small(cli: Cli, oracle: Cli, write: Callable[..., str]) -> None:
    huge = """(module (memory 65536 65536) (table 4294967295 funcref)
      (func (export "far") (result i32)
        (i32.store (i32.const -4) (i32.const 42)) (i32.load (i32.const -4)))
      (func (export "fill") (memory.fill (i32.const 0) (i32.const 1) (i32.const -1)))
      (func (export "clear") (memory.fill (i32.const 0) (i32.const 0) (i32.const -1)))
      (func $self (export "table")
        (table.fill (i32.const 0) (ref.func $self) (i32.const -1)))
      (func (export "grow") (result i32) (memory.grow (i32.const 1))))"""
    path = write("huge.wat", huge)
    assert oracle(path, "--invoke", "far") == (0, "42\n", "")
    assert oracle(path, "--invoke", "clear") == (0, "", "")
    assert oracle(path, "--invoke", "grow") == (0, "-1\n", "")
    for name in ("fill", "table"):
        code, _, err = oracle(path, "--invoke", name)
        assert code == 3 and err.count("\n") == 1


@pytest.mark.slow
def test_deep_nesting_is_no_problem(cli: Cli, write: Callable[..., str]) -> None:
    depth = 20_000
    body = b"\x02\x40" * depth + b"\x0b" * depth + b"\x0b"
    size = _leb(len(body) + 1)
    code = b"\x01" + size + b"\x00" + body
    binary = b"\0asm\1\0\0\0\1\4\1\x60\0\0\3\2\1\0\7\5\1\1f\0\0\x0a" + _leb(len(code)) + code
    path = write("deep.wasm", binary)
    for engine in ("oracle", "core"):
        assert cli("run", path, "--invoke", "f", "--engine", engine) == (0, "", "")
    assert cli("dis", path).code == 0


def _leb(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes((*out, value))


FOREVER = """(module (import "transputer" "write" (func $write (param i32)))
  (func (export "_start") (call $write (i32.const 10)) (loop (br 0))))"""


@pytest.mark.parametrize("engine", sampled(["oracle", "core", "reference"], 3))
def test_ctrl_c_exits_with_130(write: Callable[..., str], engine: str) -> None:
    path = write("forever.wat", FOREVER)
    command = [sys.executable, "-m", "transputer", "run", path, "--engine", engine]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as process:
        assert process.stdout is not None
        assert process.stdout.read(1) == b"\n"  # it runs
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"interrupted" in err and b"Traceback" not in err


IMPORTING = """
import os, signal, sys
class Finder:
    def find_spec(name, path=None, target=None):
        if name == MODULE:
            os.kill(os.getpid(), signal.SIGINT)
signal.signal(signal.SIGINT, signal.default_int_handler)  # workers of pytest ignore it
sys.meta_path.insert(0, Finder)
import transputer.cli
sys.argv[1:] = ["run", "x.wat"]
transputer.cli.main()
"""


@pytest.mark.parametrize("module", ["click", "numpy"])
def test_ctrl_c_while_modules_are_imported(module: str) -> None:
    code = IMPORTING.replace("MODULE", repr(module))
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (130, "transputer: interrupted\n")
