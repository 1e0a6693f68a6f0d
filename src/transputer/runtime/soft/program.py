"""Programs of the soft machine: small C, compiled images, and soft assembly."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transputer.errors import SourceError, UsageError
from transputer.frontends.smallc.soft.compile import compile as compile_small_c
from transputer.frontends.source import PathLike, read_bytes
from transputer.ir.image import Image, from_bytes, to_bytes
from transputer.ir.soft import line_numbers, parse
from transputer.machines.soft.config import Config
from transputer.registry import Program
from transputer.registry.machine import Source

#: Memory of an assembly program, in words.
MEMORY = 256
#: Export formats of the soft machine.
FORMATS = ("image",)


@dataclass(frozen=True, repr=False)
class CompiledSoft(Program):
    """A program of the soft machine."""

    machine = "soft"
    image: Image

    @property
    def assembly(self) -> bool:
        """Whether the program is assembly, which reads and writes numbers instead of bytes."""
        return self.kind == ".soft"

    @property
    def config(self) -> Config:
        """The smallest configuration that the program needs."""
        image = self.image
        return Config(length=max(1, len(image.code)), memory=image.memory, outputs=1 << 8)

    def text(self, form: str = "source") -> str:
        """Return the listing: a pc and an instruction per line."""
        width = len(str(len(self.image.code)))
        lines = (f"{at:{width}}  {instr}" for at, instr in enumerate(self.image.code))
        return "".join(f"{line}\n" for line in lines)


def compile_source(source: Source, *more: PathLike) -> CompiledSoft:
    """Compile small C, assemble soft assembly, or read an image.

    Raises `SourceError` with the location of the error.
    """
    if more:
        raise UsageError("the soft machine compiles one file at a time")
    data = read_bytes(source.name) if source.contents is None else source.contents
    try:
        if source.kind == ".image":
            return CompiledSoft(source.name, from_bytes(data, source.name))
        text = _decode(data, source.name)
        if source.kind == ".soft":
            return CompiledSoft(source.name, _assemble(text, source.name))
        return CompiledSoft(source.name, compile_small_c(text, source.name))
    except SourceError as error:
        raise error.in_file(source.name) from None


def _decode(data: bytes, name: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise UsageError(f"{name}: not UTF-8 text") from None


def _assemble(text: str, name: str) -> Image:
    code = parse(text, name)
    if not code:
        raise UsageError(f"{name}: the file has no instruction")
    most, lines = Config().registers, tuple(line_numbers(text))
    for instr, line in zip(code, lines, strict=True):
        if max(instr.d, instr.a, instr.b) >= most:
            raise UsageError(f"{name}:{line}: registers are R0 to R{most - 1}")
    return Image(code, memory=MEMORY, lines=lines)


def export(program: CompiledSoft, to: str, output: Path, **unused: Any) -> list[Path]:
    """Write the image of a program; return its path."""
    try:
        output.write_bytes(to_bytes(program.image))
    except OSError as error:
        raise UsageError(f"{output}: {error.strerror or error}") from None
    return [output]


def numbers_in(text: bytes) -> list[int]:
    """Return the whitespace-separated integers of a text."""
    try:
        return [int(word, 0) for word in text.decode("utf-8", "replace").split()]
    except ValueError:
        raise UsageError("soft assembly reads integers separated by white space") from None


def words_of(args: Sequence[Any], width: int) -> list[int]:
    """Return arguments as unsigned words; raise `UsageError` for one that is not an integer."""
    words = []
    for arg in args:
        try:
            words.append(int(str(arg), 0) & (1 << width) - 1)
        except ValueError:
            raise UsageError(f"{arg!r} is not an integer") from None
    return words
