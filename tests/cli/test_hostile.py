"""Hostile programs: run or refused in one line, whatever they ask for.

Sizes that matter are scaled down where the refusal is the same at any size; the machine's
limits are lowered for that.
"""

import resource
import subprocess
import sys

import pytest

from tests.sampling import sampled
from transputer.isa.core import MAX_FRAMES

HEADER = b"\0asm\1\0\0\0"
I32, I64 = b"\x7f", b"\x7e"
CONST, END = b"\x41\x07", b"\x0b"


def leb(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes((*out, value))


def vector(*items: bytes) -> bytes:
    return leb(len(items)) + b"".join(items)


def section(number: int, content: bytes) -> bytes:
    return bytes((number,)) + leb(len(content)) + content


def module(
    body: bytes,
    *,
    result: bytes = I32,
    pages: int = 0,
    locals_: bytes = b"\0",
    data: bytes = b"",
    functions: int = 1,
) -> bytes:
    """A module whose functions all have this body; the first one is exported as `f`."""
    code = locals_ + body + END
    return b"".join(
        (
            HEADER,
            section(1, vector(b"\x60\0\1" + result)),
            section(3, vector(*(b"\0",) * functions)),
            section(5, b"\1\0" + leb(pages)) if pages else b"",
            section(7, vector(b"\1f\0\0")),
            section(10, vector(*(leb(len(code)) + code,) * functions)),
            section(11, vector(b"\0\x41\0\x0b" + leb(len(data)) + data)) if data else b"",
        )
    )


@pytest.fixture
def run(cli, tmp_path):
    """Runs `f` of a binary on the weights."""

    def run(binary: bytes, *options: str, engine: str = "native"):
        path = tmp_path / "hostile.wasm"
        path.write_bytes(binary)
        return cli("run", path, "--invoke", "f", "--engine", engine, *options)

    return run


@pytest.mark.parametrize("result", [I32, I64], ids=["i32", "i64"])
def test_an_endless_loop_stops_at_the_limit(run, result: bytes) -> None:
    ran = run(module(b"\x03\x40\x0c\0\x0b\0", result=result), "--max-steps", "100000")
    assert ran.code == 3
    assert ran.err.startswith("transputer: step limit of 100,000 reached") and ran.out == ""


def test_an_endless_loop_of_floats_stops_at_the_limit(run) -> None:
    """In the middle of a routine that the lowering has linked in."""
    body = b"\x03\x40\x44" + bytes(7) + b"\x40\x9f\x1a\x0c\0\x0b\0"  # f64.const, sqrt, drop
    ran = run(module(body), "--max-steps", "100000")
    assert (ran.code, ran.err.count("\n")) == (3, 1)


def test_ctrl_c_stops_an_endless_loop_on_the_weights(tmp_path) -> None:
    """The second line of output says that it runs; nothing else is waited for."""
    path = tmp_path / "forever.wat"
    path.write_text(
        '(module (import "transputer" "write" (func $write (param i32))) (global $g (mut i64) '
        '(i64.const 1)) (func (export "_start") (call $write (i32.const 10)) (loop '
        "(global.set $g (i64.mul (global.get $g) (i64.const 3))) (br 0))))"
    )
    command = [sys.executable, "-m", "transputer", "run", str(path), "--engine", "native"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as process:
        assert process.stdout is not None
        assert process.stdout.read(1) == b"\n"
        process.send_signal(2)
        _, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert b"interrupted after" in err and b"Traceback" not in err


@pytest.mark.parametrize("result", [I32, I64], ids=["i32", "i64"])
def test_deep_recursion_traps(run, result: bytes) -> None:
    ran = run(module(b"\x10\0", result=result), "--json")
    assert ran.code == 134
    assert '"trap": "call stack exhausted"' in ran.out
    assert f'"instructions": {MAX_FRAMES}' in ran.out


@pytest.mark.parametrize("engine", ["native", "oracle"])
def test_a_memory_of_4_gib(run, engine: str) -> None:
    """Its last word, read and written; growing it fails."""
    store = b"\x41\x7c\x41\x2a\x36\x02\0\x41\x7c\x28\x02\0"
    assert run(module(store, pages=65536), engine=engine) == (0, "42\n", "")
    assert run(module(b"\x41\1\x40\0", pages=65536), engine=engine) == (0, "-1\n", "")
    grow = b"\x41\xff\xff\x03\x40\0\x1a\x41\x78\x42\x05\x37\x03\0\x41\x7c\x28\x02\0"
    assert run(module(grow, pages=1), engine=engine) == (0, "0\n", "")  # an i64 at the far end


@pytest.mark.parametrize("index, result", [(0, 7), (29_999, 7), (30_000, 9), (0x7FFFFFFF, 9)])
def test_a_branch_table_of_many_entries(run, index: int, result: int) -> None:
    """Two blocks: an index in the table leaves both, any other the inner one."""
    digits = [index >> shift & 127 | 128 for shift in (0, 7, 14, 21)] + [index >> 28 & 127]
    const = b"\x41" + bytes(digits)
    table = b"\x0e" + leb(30_000) + b"\1" * 30_000 + b"\0"
    body = b"\x02\x40\x02\x40" + const + table + b"\x0b\x41\x09\x0f\x0b\x41\x07"
    assert run(module(body)) == (0, f"{result}\n", "")


@pytest.mark.parametrize(
    "open_, value, close, result",
    sampled(
        [
            (b"\x02\x7f", CONST, END, I32),
            (b"\x41\1\x04\x7f", CONST, b"\x05\x41\0\x0b", I32),
            (b"\x03\x7e", b"\x42\x07", END, I64),
            (b"\x41\0\x04\x7f\x41\0\x05", CONST, END, I32),
        ],
        2,
        rows=True,
    ),
    ids=["blocks", "ifs", "loops of i64", "elses"],
)
def test_deep_nesting(run, open_: bytes, value: bytes, close: bytes, result: bytes) -> None:
    depth = 10_000
    assert run(module(open_ * depth + value + close * depth, result=result)) == (0, "7\n", "")


def test_many_locals(run) -> None:
    """Only those that are read before they are written take a step."""
    many = vector(leb(50_000) + I64)
    assert run(module(CONST, locals_=many)) == (0, "7\n", "")
    read = b"".join(b"\x20" + leb(i) + b"\x1a" for i in range(2000)) + CONST
    assert run(module(read, locals_=many)) == (0, "7\n", "")
    ran = run(module(CONST, locals_=vector(leb(2**32 - 1) + I32)))
    assert ran.code == 2 and "too many locals: 4,294,967,295, at most 50,000" in ran.err
    ran = run(module(CONST, locals_=many, functions=101))
    assert ran.code == 2 and "5,050,000 locals in all functions, at most 5,000,000" in ran.err


def test_many_functions(run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(module(CONST, functions=3000)) == (0, "7\n", "")
    decode = sys.modules["transputer.frontends.binary.decode"]
    monkeypatch.setattr(decode, "MAX_FUNCTIONS", 2999)
    ran = run(module(CONST, functions=3001))
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "3,001 functions, at most 2,999" in ran.err


def test_huge_sections_are_refused_before_they_are_read(run) -> None:
    for number, most, name in ((10, 8 << 20, "code"), (9, 2 << 20, "elements")):
        ran = run(HEADER + section(number, bytes(most + 1)))
        assert (ran.code, ran.err.count("\n")) == (2, 1)
        assert f"the section of {name} has {most + 1:,} bytes; the limit is {most:,}" in ran.err
    names = section(0, b"\4name\1" + leb((8 << 20) + 1) + bytes((8 << 20) + 1))
    assert run(module(CONST) + names) == (0, "7\n", "")


@pytest.mark.parametrize("body", [b"\x41\5\x1a", b"\x42\5\x42\5\x7e\x1a"], ids=["i32", "i64"])
def test_code_that_comes_to_too_much_is_refused(
    run, monkeypatch: pytest.MonkeyPatch, body: bytes
) -> None:
    monkeypatch.setattr("transputer.ir.core.MAX_CODE", 10_000)
    ran = run(module(body * 9000 + CONST))
    assert (ran.code, ran.err.count("\n")) == (3, 1)
    assert "lowers to more than 10,000 core instructions" in ran.err


LOAD = b"\x41\0\x28\x02\0"


def test_huge_data(run) -> None:
    """Zeros are free; what is not zero is one token for each word, up to a limit."""
    assert run(module(LOAD, pages=512, data=bytes(32 << 20))) == (0, "0\n", "")
    assert run(module(LOAD, pages=16, data=b"\1\0\0\0" * (1 << 16))) == (0, "1\n", "")
    ran = run(module(LOAD, pages=1024, data=b"\1\2\3\4\5\6\7\0" * (5 << 20)))
    assert (ran.code, ran.err.count("\n")) == (3, 1)
    assert "5,242,880 words of initial data that are not zero, at most 4,194,304" in ran.err


def test_data_at_any_place(cli, tmp_path) -> None:
    """Segments that begin and end inside words, overlap, and are copied again."""
    path = tmp_path / "data.wat"
    path.write_text(
        '(module (memory 2) (data (i32.const 3) "abcdef") (data (i32.const 5) "\\00XY") (data $d '
        '"123456789") (func (export "f") (param i32) (result i64) (memory.init $d (i32.const 65534)'
        " (i32.const 0) (i32.const 9)) (i64.load (local.get 0))))"
    )
    for place in (0, 1, 3, 5, 8, 65533, 65536, 65540):
        ran = [
            cli("run", path, "--invoke", "f", str(place), "--engine", engine)
            for engine in ("native", "oracle", "words")
        ]
        assert ran[0].code == 0
        assert ran[0] == ran[1] == ran[2]


@pytest.mark.slow
def test_a_memory_of_4_gib_takes_less_than_2(tmp_path) -> None:
    """All addresses of the process together: the memory is only what was written."""
    path = tmp_path / "far.wasm"
    path.write_bytes(module(b"\x41\x7c\x41\x2a\x36\x02\0\x41\x7c\x28\x02\0", pages=65536))
    command = [sys.executable, "-m", "transputer", "run", str(path), "--invoke", "f"]
    limit = (2 << 30, 2 << 30)
    ran = subprocess.run(
        [*command, "--engine", "native"],
        capture_output=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit),
    )
    assert (ran.returncode, ran.stdout) == (0, b"42\n"), ran.stderr
