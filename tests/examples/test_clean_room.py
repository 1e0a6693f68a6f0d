"""The decoder of `examples/clean_room`, which imports nothing of ours, decodes our tokens."""

import ast
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from transputer import api
from transputer.registry.program import Program

FOLDER = Path(__file__).parents[2] / "examples" / "clean_room"
DECODER = FOLDER / "decoder.py"


def bits(number: float) -> int:
    """The bits of a float."""
    return int(struct.unpack("<Q", struct.pack("<d", number))[0])


#: Arguments for each export of `programs.wat`, and what it prints: computed by hand or by Python.
CASES = {
    "i32": ((123456789, 4294868531), [str(123456789 * 4294868531 % 2**32 ^ 123456789)]),
    "i64": ((2**62 + 12345, 977), None),
    "f64": ((3.25, -1e-3), [str(bits((3.25 * 3.25 + -1e-3 / 3) ** 0.5))]),
    "memory": ((0xDEADBEEF,), None),
    "calls": ((5,), ["5"]),
    "output": ((5,), ["EDCBA"]),
}


@pytest.fixture(scope="module")
def programs() -> Program:
    return api.compile(FOLDER / "programs.wat")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [name if name == "i32" else pytest.param(name, marks=pytest.mark.slow) for name in CASES],
)
def test_the_clean_room_prints_our_hash(name: str, programs: Program, tmp_path: Path) -> None:
    args, printed = CASES[name]
    path = tmp_path / "program.safetensors"
    api.export(programs, "safetensors", path, invoke=name, args=args)
    done = subprocess.run(
        [sys.executable, str(DECODER), str(path)], capture_output=True, text=True, check=True
    )
    *lines, last = done.stdout.split("\n")[:-1]
    result = programs.run(name, args)
    assert last == f"trace_sha256 {result.trace_sha256}"
    if printed is not None:
        assert [line for line in lines if line] == printed


def test_the_clean_room_is_short_and_imports_nothing_of_ours() -> None:
    text = DECODER.read_text(encoding="utf-8")
    imports = {
        alias.name.split(".")[0]
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in (
            node.names if isinstance(node, ast.Import) else [ast.alias(node.module or "")]
        )
    }
    assert imports == {"hashlib", "json", "sys", "pathlib", "numpy"}
    assert sum(bool(line.strip()) for line in text.splitlines()) < 80


@pytest.mark.slow
def test_default_arguments_have_the_types_of_the_parameters(
    programs: Program, tmp_path: Path
) -> None:
    path = tmp_path / "program.safetensors"
    api.export(programs, "safetensors", path, invoke="i64", args=(2**62, 3))
    assert api.compile(path).run().results == programs.run("i64", (2**62, 3)).results
