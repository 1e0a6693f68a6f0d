"""The compiler that compiles itself on the soft machine, and what it makes of other sources."""

import hashlib
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
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

#: How the compiler says what is wrong.
_COMPLAINT = re.compile(r"line (\d+): (.*)\n")


@dataclass(frozen=True, slots=True)
class Stage:
    """One build of the compiler, and what the machine did to make it: nothing for the first."""

    number: int
    image: bytes
    steps: int
    seconds: float

    def as_json(self) -> dict[str, Any]:
        """The form that `selfhost --json` prints."""
        return {
            "stage": self.number,
            "bytes": len(self.image),
            "instructions": len(from_bytes(self.image).code),
            "steps": self.steps,
            "seconds": round(self.seconds, 6),
            "sha256": hashlib.sha256(self.image).hexdigest(),
        }


def stages(engine: str = "auto", pulse: Pulse = quiet) -> Iterator[Stage]:
    """The first stage is built by small C; the second by the first, the third by the second.

    The second and the third come from one source by two builds of one compiler: they are equal,
    byte for byte, or something is broken.
    """
    started = time.perf_counter()
    image = to_bytes(_first())
    yield Stage(1, image, 0, time.perf_counter() - started)
    for number in (2, 3):
        made = _compiled(from_bytes(image), SOURCE.read_bytes(), str(SOURCE), engine, pulse)
        image = made.stdout
        yield Stage(number, image, made.steps, made.seconds)


def self_compile(path: PathLike, engine: str = "auto", pulse: Pulse = quiet) -> bytes:
    """The image that the self-compiled compiler makes of a C source, on the machine.

    Raises `SourceError` with what the compiler says and the line that it means.
    """
    return _compiled(_second(), read_bytes(path), str(path), engine, pulse).stdout


def _first() -> Image:
    """The compiler as small C compiles it."""
    return compile_source(source_of(str(SOURCE))).image


@cache
def _second() -> Image:
    """The compiler as it compiled itself."""
    return from_bytes(_compiled(_first(), SOURCE.read_bytes(), str(SOURCE), "auto", quiet).stdout)


def _compiled(compiler: Image, source: bytes, file: str, engine: str, pulse: Pulse) -> Result:
    """The run of a compiler on a source, or what it finds wrong."""
    program = CompiledSoft("cc.image", compiler)
    ran = run(program, RunSettings(engine=engine, stdin=source, pulse=pulse))
    found = _COMPLAINT.fullmatch(ran.stdout.decode("utf-8", "replace"))
    if ran.exit_code == 0:
        return ran
    if found is None:
        why = ran.trap.value if ran.trap else "interrupted"
        raise SourceError(f"the compiler cannot compile this: {why}", Place(file))
    line = int(found[1])
    lines = source.decode("utf-8", "replace").splitlines()
    text = lines[line - 1] if line <= len(lines) else ""
    column = len(text) - len(text.lstrip()) + 1
    raise SourceError(found[2], Place(file, line, column, text=text, width=len(text.strip())))
