"""The official WebAssembly tests, on the oracle and on core code."""

import base64
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from transputer.check.spec import scripts, spec
from transputer.errors import (
    EngineUnavailable,
    InvalidError,
    MalformedError,
    SourceError,
    UsageError,
)
from transputer.frontends.binary import decode
from transputer.frontends.wat import to_wasm
from transputer.ir.verify import verify
from transputer.runtime.trace.sessions import ORACLES

#: Assertions in the suite: returns, traps, exhaustion, invalid, malformed, unlinkable.
ALL = 26_625


def sample(suite: Path) -> list[Path]:
    """Every twelfth file of the suite."""
    return sorted(suite.glob("*.json.gz"))[::12]


@pytest.mark.slow
@pytest.mark.parametrize("engine", [*ORACLES, "native"])
def test_a_sample_of_the_assertions_holds(suite: Path, engine: str) -> None:
    assert len(sample(suite)) > 5
    for file in sample(suite):
        for score in spec(file, engine=engine).values():
            assert score.problems == [], file.name
            assert score.passed or file.name == "inline-module.json.gz"


@pytest.mark.slow
@pytest.mark.parametrize("engine", ORACLES)
def test_every_assertion_holds(suite: Path, engine: str) -> None:
    scores = spec(suite, engine=engine)
    problems = [f"{name}:{p}" for name, score in scores.items() for p in score.problems]
    assert problems == []
    assert sum(score.passed for score in scores.values()) == ALL


def bad_modules(suite: Path) -> list[tuple[str, str, bytes | str]]:
    return [
        (f"{script.name}:{command['line']}", command["type"], script.module(command["filename"]))
        for script in scripts(suite)
        for command in script.commands
        if command["type"] in ("assert_invalid", "assert_malformed")
    ]


@pytest.mark.slow
def test_bad_modules_are_refused_in_one_line_with_position(suite: Path, tmp_path: Path) -> None:
    modules = bad_modules(suite)
    assert len(modules) == 1475 + 1303
    for where, kind, source in modules:
        path = tmp_path / ("bad.wat" if isinstance(source, str) else "bad.wasm")
        path.write_bytes(
            source.encode("utf-8", "surrogateescape") if isinstance(source, str) else source
        )
        wanted = InvalidError if kind == "assert_invalid" else MalformedError
        with pytest.raises(SourceError) as caught:
            text = isinstance(source, str)
            verify(decode(to_wasm(source, str(path)) if text else source, release=2), release=2)
        error = caught.value.in_file(str(path))
        assert isinstance(error, wanted), where
        assert error.exit_code == 2
        first, *rest = str(error).split("\n")
        assert first.startswith(f"{path}:"), where
        assert error.place.line or error.place.offset is not None, where
        assert len(rest) in (0, 2), where  # at most the source line and its caret


@pytest.fixture
def plain(tmp_path: Path) -> Callable[[dict[str, Any]], Path]:
    """Writes a script as wast2json does: JSON beside its modules."""

    def write(content: dict[str, Any]) -> Path:
        for name, module in content.pop("modules", {}).items():
            raw = base64.b64decode(module) if name.endswith(".wasm") else module.encode()
            (tmp_path / name).write_bytes(raw)
        path = tmp_path / "script.json"
        path.write_text(json.dumps(content))
        return path

    return write


def test_plain_wast2json_output_is_read(suite: Path, plain: Callable[..., Path]) -> None:
    content = json.loads(gzip.decompress((suite / "i32.json.gz").read_bytes()))
    content["source_filename"] = content.pop("source")
    score = spec(plain(content), engine="oracle")["i32"]
    assert (score.passed, score.failed, score.refused) == (459, 0, 0)


ADD = '(module (func (export "f") (param i32) (result i32) local.get 0 i32.const 1 i32.add))'


def call(arg: str, expected: str, **more: Any) -> dict[str, Any]:
    action = {"type": "invoke", "field": "f", "args": [{"type": "i32", "value": arg}]}
    return {
        "type": "assert_return",
        "line": 7,
        "action": action,
        "expected": [{"type": "i32", "value": expected}],
        **more,
    }


def test_a_wrong_expectation_fails(plain: Callable[..., Path]) -> None:
    commands = [{"type": "module", "line": 1, "filename": "m.wat"}, call("1", "2"), call("1", "3")]
    script = {"source_filename": "t.wast", "commands": commands, "modules": {"m.wat": ADD}}
    score = spec(plain(script), engine="oracle")["t"]
    assert (score.passed, score.failed) == (1, 1)
    assert score.problems[0].startswith("7: assert_return: got [2]")


@pytest.mark.parametrize(
    "command",
    [
        {"type": "assert_trap", "action": call("1", "2")["action"], "text": "unreachable"},
        {"type": "assert_exhaustion", "action": call("1", "2")["action"], "text": "call stack"},
        {"type": "assert_invalid", "filename": "m.wat", "text": "type mismatch"},
        {"type": "assert_malformed", "filename": "m.wat", "text": "unexpected end"},
        {"type": "assert_unlinkable", "filename": "m.wat", "text": "unknown import"},
        {"type": "assert_uninstantiable", "filename": "m.wat", "text": "unreachable"},
    ],
    ids=lambda c: c["type"],
)
def test_assertions_can_fail(command: dict[str, Any], plain: Callable[..., Path]) -> None:
    commands = [{"type": "module", "line": 1, "filename": "m.wat"}, {"line": 2, **command}]
    script = {"source_filename": "t.wast", "commands": commands, "modules": {"m.wat": ADD}}
    score = spec(plain(script), engine="oracle")["t"]
    assert (score.passed, score.failed, score.refused) == (0, 1, 0)


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b"\x1f\x8b broken", b'{"commands": 3}'])
def test_files_that_are_no_scripts(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with pytest.raises(UsageError, match="not a test script"):
        spec(path)
    path.rename(tmp_path / "x.json.gz")
    with pytest.raises(UsageError, match="not a test script"):
        spec(tmp_path)


@pytest.mark.slow
def test_the_suite_through_the_weights(suite: Path) -> None:
    """Every assertion: i64, f32 and f64 in words."""
    try:
        scores = spec(suite, engine="native")
    except EngineUnavailable as error:
        pytest.skip(str(error))
    problems = [f"{name}:{p}" for name, score in scores.items() for p in score.problems]
    assert problems == []
    assert sum(score.passed for score in scores.values()) == ALL
    i32 = scores["i32"]
    assert (i32.passed, i32.failed, i32.refused) == (459, 0, 0)
    kinds = [c["type"] for s in scripts(suite) if s.name == "i32" for c in s.commands]
    assert (kinds.count("assert_return"), kinds.count("assert_trap")) == (364, 10)


def test_what_the_machine_cannot_hold_is_refused(plain: Callable[..., Path]) -> None:
    many = f'(module (func (export "f") (result{" i64" * 140}) {"i64.const 1 " * 140}))'
    commands = [{"type": "module", "line": 1, "filename": "m.wat"}, call("1", "2")]
    script = {"source_filename": "t.wast", "commands": commands, "modules": {"m.wat": many}}
    score = spec(plain(script), engine="reference")["t"]
    assert (score.passed, score.failed, score.refused) == (0, 0, 2)
    assert "140 values to keep" in score.problems[0]
