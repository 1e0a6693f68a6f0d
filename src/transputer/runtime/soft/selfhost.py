"""The C compiler that compiles itself, and other sources, on the soft machine."""

import hashlib
import re
import time
from collections.abc import Iterator
from functools import cache
from typing import Any

from transputer.errors import Place, SourceError
from transputer.frontends.selfhost import SOURCE
from transputer.frontends.source import PathLike, read_bytes
from transputer.host.outcome import Pulse, quiet
from transputer.host.result import Result
from transputer.ir.image import Image, from_bytes, to_bytes
from transputer.registry import RunSettings
from transputer.registry.machine import source_of
from transputer.runtime.soft.program import CompiledSoft, compile_source
from transputer.runtime.soft.run import run
from transputer.values import dataclass

#: An error message of the compiler.
_ERROR = re.compile(rb"(\d+):(\d+): (.*)\n")


@dataclass(frozen=True, slots=True)
class CompilerStage:
    """One build of the compiler, and the cost of the build on the machine (0 for the first)."""

    number: int
    image: bytes
    steps: int
    seconds: float

    def as_json(self) -> dict[str, Any]:
        """Return the form that `selfhost --json` prints."""
        return {
            "stage": self.number,
            "bytes": len(self.image),
            "instructions": len(from_bytes(self.image).code),
            "steps": self.steps,
            "seconds": round(self.seconds, 6),
            "sha256": hashlib.sha256(self.image).hexdigest(),
        }


def stages(engine: str = "auto", pulse: Pulse = quiet) -> Iterator[CompilerStage]:
    """Yield three builds of the compiler: by small C, by the first build, and by the second.

    Two builds of one compiler compile the same source to the second and the third stage, so these
    are equal byte for byte, or something is broken.
    """
    started = time.perf_counter()
    image = to_bytes(_first())
    yield CompilerStage(1, image, 0, time.perf_counter() - started)
    for number in (2, 3):
        result = _compile(from_bytes(image), SOURCE.read_bytes(), str(SOURCE), engine, pulse)
        image = result.stdout
        yield CompilerStage(number, image, result.steps, result.seconds)


def self_compile(path: PathLike, engine: str = "auto", pulse: Pulse = quiet) -> bytes:
    """Compile a C source with the self-compiled compiler, on the machine; return the image.

    Raises `SourceError` with the compiler's message and line.
    """
    return _compile(_second(), read_bytes(path), str(path), engine, pulse).stdout


def _first() -> Image:
    """Return the compiler as compiled by small C."""
    return compile_source(source_of(str(SOURCE))).image


@cache
def _second() -> Image:
    """Return the compiler as compiled by itself."""
    return from_bytes(_compile(_first(), SOURCE.read_bytes(), str(SOURCE), "auto", quiet).stdout)


def _compile(compiler: Image, source: bytes, file: str, engine: str, pulse: Pulse) -> Result:
    """Run a compiler on a source; raise `SourceError` if it reports an error."""
    if b"\0" in source:
        raise SourceError("this is a binary file, not C", Place(file))
    program = CompiledSoft("cc.image", compiler)
    result = run(program, RunSettings(engine=engine, stdin=source, pulse=pulse))
    if result.exit_code == 0:
        return result
    error = _ERROR.fullmatch(result.stdout)
    if error is None:
        why = result.trap.value if result.trap else "interrupted"
        raise SourceError(f"the compiler cannot compile this: {why}", Place(file))
    raise SourceError(error[3].decode(), _place(source, file, int(error[1]), int(error[2])))


def _place(source: bytes, file: str, line: int, column: int) -> Place:
    """Return the place of a column of bytes, with the line and the width of the word there."""
    lines = source.split(b"\n")
    text = lines[line - 1].rstrip(b"\r") if line <= len(lines) else b""
    before, rest = _printable(text[: column - 1]), _printable(text[column - 1 :])
    word = re.match(r"\w+|", rest)
    width = max(1, len(word[0]) if word else 1)
    return Place(file, line, len(before) + 1, text=before + rest, width=width)


def _printable(text: bytes) -> str:
    """Return text without control characters."""
    return "".join(c if c.isprintable() or c == "\t" else "\N{REPLACEMENT CHARACTER}"
                   for c in text.decode("utf-8", "replace"))  # fmt: skip
