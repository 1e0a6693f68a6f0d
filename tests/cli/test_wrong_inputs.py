"""Wrong inputs: each gets one message that helps, an exit code, and JSON if JSON was asked for."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

Cli = Callable[..., "tuple[int, str, str]"]
FILES = {
    "gcd.wat": """(module (func (export "gcd") (param i32 i32) (result i32)
  (loop $again (result i32)
    (if (result i32) (i32.eqz (local.get 1))
      (then (local.get 0))
      (else (local.get 1) (i32.rem_u (local.get 0) (local.get 1))
            (local.set 1) (local.set 0) (br $again))))))""",
    "loop.wat": '(module (func (export "f") (loop (br 0))))',
    "div.wat": '(module (func (export "f") (result i32) (i32.div_s (i32.const 1) (i32.const 0))))',
    "host.wat": '(module (import "env" "puts" (func)))',
    "type.wat": '(module\n (func (export "f") (result i32)\n  (i32.eqz (f64.const 1))))',
    "paren.wat": "(module (func)",
    "word.wat": "(module (func (i32.frob)))",
    "empty.wasm": "",
    "text.wasm": "(module)",
    "cut.wasm": b"\0asm\1\0\0\0\1\x7f",
    "empty.c": "",
    "static.c": "static int f(void) { return 1; }\n",
    "undeclared.c": "int main(void) {\n    return x;\n}\n",
    "header.c": '#include "nothere.h"\nint main(void) { return 0; }\n',
    "semicolon.c": "int f(void) { return 1 }\n",
    "missing.c": "int g(void);\nint f(void) { return g(); }\n",
    "bad.asm": "PUSH 1\nFROB 2\nHALT\n",
    "label.asm": "JZ nowhere\nHALT\n",
    "pop.asm": "ADD\nHALT\n",
    "float.c": "float main(void) { return 1.5f; }\n",
    "notes.txt": "hello",
    "latin.wat": b"(module (func $\xe9))",
    "bad.core": "0 frob\n",
    "not.safetensors": "no model",
}


@dataclass(frozen=True)
class Wrong:
    """A command with a mistake: its words, exit code, kind in JSON and part of its message."""

    words: str
    code: int
    kind: str
    message: str
    json: bool = True


RUN = "--engine oracle"
TABLE = [
    # the command
    Wrong("frob", 2, "UsageError", "No such command 'frob'"),
    Wrong("rnu @gcd.wat", 2, "UsageError", "Did you mean 'run'?"),
    Wrong("@gcd.wat", 2, "UsageError", "transputer run "),
    Wrong("run", 2, "MissingParameter", "Missing argument 'FILE'"),
    Wrong("run @gcd.wat --jsn", 2, "NoSuchOption", "Did you mean '--json'?"),
    Wrong("run --enginee oracle @gcd.wat", 2, "NoSuchOption", "Did you mean '--engine'?"),
    Wrong("run @gcd.wat --verbose", 2, "NoSuchOption", "Arguments of the program go after --"),
    Wrong("run @gcd.wat --max-steps many", 2, "BadParameter", "'many' is not a valid integer"),
    Wrong("run @gcd.wat --max-steps 0 --invoke gcd 1 2", 2, "UsageError", "at least 1"),
    Wrong("run @gcd.wat --invoke", 2, "BadOptionUsage", "'--invoke' requires an argument", False),
    Wrong(
        "run @gcd.wat --engine natve --invoke gcd 1 2", 2, "UsageError", "available: auto, native"
    ),
    Wrong("run @gcd.wat --machine tracee", 2, "UsageError", "available: trace, loom, soft"),
    Wrong("run @gcd.wat --env NAME", 2, "BadParameter", "'NAME' is not NAME=VALUE"),
    Wrong("run @gcd.wat --clock soon", 2, "BadParameter", "neither now nor a number"),
    Wrong("help exot-codes", 2, "UsageError", "did you mean 'exit-codes'?", False),
    Wrong("completion tcsh", 2, "UsageError", "available: bash, zsh, fish", False),
    # the file
    Wrong("run nothere.c", 2, "UsageError", "nothere.c: no such file"),
    Wrong("run docs/img", 2, "UsageError", "no C or C++ files"),
    Wrong("run @notes.txt", 2, "UsageError", "not .txt"),
    Wrong("run @empty.wasm", 2, "MalformedError", "empty.wasm:"),
    Wrong("run @text.wasm", 2, "MalformedError", "text.wasm:"),
    Wrong("run @cut.wasm", 2, "MalformedError", "cut.wasm:0x"),
    Wrong("run @latin.wat", 2, "MalformedError", "latin.wat:"),
    Wrong("run @not.safetensors", 2, "MalformedError", "not.safetensors:"),
    Wrong("inspect @gcd.wat", 2, "MalformedError", "gcd.wat:"),
    # the source
    Wrong("run @empty.c", 2, "SourceError", "empty.c: no function to run"),
    Wrong("run @static.c", 2, "SourceError", "static.c: no function to run"),
    Wrong("run @undeclared.c", 2, "CompileError", "undeclared.c:2:12: error:"),
    Wrong("run @header.c", 2, "CompileError", "header.c:1:10: fatal error:"),
    Wrong(
        "run @semicolon.c --invoke f", 2, "CompileError", "semicolon.c:1:23: error: expected ';'"
    ),
    Wrong("run @missing.c --invoke f", 2, "CompileError", "undefined symbol: g"),
    Wrong("run @float.c --machine loom", 2, "SmallCError", "float.c:1:1:"),
    Wrong("run @type.wat --invoke f", 2, "InvalidError", "type.wat:3:4: "),
    Wrong("run @paren.wat", 2, "MalformedError", "paren.wat:1:"),
    Wrong("run @word.wat", 2, "MalformedError", "word.wat:1:16:"),
    Wrong("run @bad.asm", 2, "AssemblyError", "bad.asm:2:1:"),
    Wrong("run @label.asm", 2, "AssemblyError", "label.asm:1:"),
    Wrong("run @bad.core", 2, "MalformedError", "bad.core:"),
    # the call
    Wrong("run @gcd.wat", 2, "UsageError", "name one with --invoke: gcd"),
    Wrong("run @gcd.wat --invoke gdc 1 2", 2, "UsageError", "gcd"),
    Wrong("run @gcd.wat --invoke gcd 1", 2, "UsageError", "gcd takes 2"),
    Wrong("run @gcd.wat --invoke gcd 1 x", 2, "UsageError", "'x'"),
    Wrong("run @gcd.wat --invoke gcd 1 4294967296", 2, "UsageError", "4294967296"),
    Wrong("run @host.wat", 2, "LinkError", "env"),
    Wrong("export @gcd.wat --to pdf -o x", 2, "UsageError", "not to 'pdf'", False),
    Wrong("specialize @gcd.wat --machine loom -o x", 2, "Unsupported", "trace can", False),
    # the run
    Wrong(
        f"run @loop.wat --invoke f --max-steps 100 {RUN}", 3, "StepLimitError", "step limit of 100 "
    ),
    Wrong(f"run @div.wat --invoke f {RUN}", 134, "", "trap: integer divide by zero"),
    Wrong("run @pop.asm --engine oracle", 134, "", "trap: stack underflow"),
]


@pytest.fixture
def fill(tmp_path: Path) -> Callable[[str], list[str]]:
    """Returns the words of a command, with `@NAME` replaced by a file that has its content."""

    def words(text: str) -> list[str]:
        for name, content in FILES.items():
            if f"@{name}" in text.split():
                data = content.encode() if isinstance(content, str) else content
                (tmp_path / name).write_bytes(data)
        return [str(tmp_path / w[1:]) if w.startswith("@") else w for w in text.split()]

    return words


def test_there_are_forty() -> None:
    assert len({row.words for row in TABLE}) >= 40


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.words)
def test_message_and_exit_code(cli: Cli, fill: Callable[[str], list[str]], row: Wrong) -> None:
    code, out, err = cli(*fill(row.words))
    assert (code, out) == (row.code, "")
    assert err.startswith("transputer: ") and row.message in err
    assert "Traceback" not in err


@pytest.mark.parametrize("row", [r for r in TABLE if r.json], ids=lambda row: row.words)
def test_json(cli: Cli, fill: Callable[[str], list[str]], row: Wrong) -> None:
    code, out, _ = cli(*fill(row.words), "--json")
    content = json.loads(out)
    assert code == content["exit_code"] == row.code
    if row.kind:
        assert content["error"]["kind"] == row.kind
        assert row.message in content["error"]["message"]
        place = re.match(r"\S+\.\w+:(\d+):(\d+): ", row.message)
        if place:
            assert [content["error"][k] for k in ("line", "column")] == [*map(int, place.groups())]
    else:
        assert row.message == f"trap: {content['trap']}"
