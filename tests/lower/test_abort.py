"""`env.abort` of AssemblyScript: the message in UTF-8 on standard error, and a trap."""

import pytest

from transputer import api
from transputer.errors import LinkError, Trap

TEXTS = ("index out of range", "", "näh, 𝄞 and €", "x\ud834")
FILE = "a.ts"


def module(message: str) -> str:
    """Return a module whose function `at` aborts with a message, at a line that is not 0."""
    data, places = b"", []
    for text in (message, FILE):
        units = text.encode("utf-16-le", "surrogatepass")
        places.append(8 + len(data) + 4)
        data += len(units).to_bytes(4, "little") + units + bytes(-len(units) % 4)
    at, file = places
    escaped = "".join(f"\\{byte:02x}" for byte in data)
    return f"""(module
      (import "env" "abort" (func $abort (param i32 i32 i32 i32)))
      (memory 1)
      (data (i32.const 8) "{escaped}")
      (func (export "at") (param i32) (result i32)
        (if (local.get 0)
          (then (call $abort (i32.const {at}) (i32.const {file}) (local.get 0) (i32.const 10))))
        (i32.const 42)))"""


@pytest.mark.parametrize("engine", ["oracle", "native"])
@pytest.mark.parametrize("message", TEXTS)
def test_abort_prints_its_message_and_traps(message: str, engine: str) -> None:
    program = api.compile(source=module(message), kind="wat")
    errors = bytearray()
    result = program.run("at", [1203], engine=engine, stderr=errors.append)
    assert (result.trap, result.exit_code) == (Trap.UNREACHABLE, 134)
    text = f"abort: {message} in {FILE}:1203:10\n"
    assert bytes(errors) == text.encode("utf-8", "surrogatepass")


def test_a_program_that_does_not_abort_ends_as_usual() -> None:
    program = api.compile(source=module("never"), kind="wat")
    assert program.run("at", [0], engine="native").results == [42]


def test_abort_of_another_type_is_not_ours() -> None:
    other = '(module (import "env" "abort" (func (param i32))) (memory 1) (func (export "f")))'
    with pytest.raises(LinkError, match="abort"):
        api.compile(source=other, kind="wat").run("f")
