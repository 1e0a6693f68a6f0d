"""Programs of the soft machine: C, images that a compiler made, and its own assembly."""

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

#: Words of memory that a program in assembly has.
MEMORY = 256
#: What programs of the soft machine can be exported to.
FORMATS = ("image",)


@dataclass(frozen=True, repr=False)
class CompiledSoft(Program):
    """A program of the soft machine."""

    machine = "soft"
    image: Image

    @property
    def assembly(self) -> bool:
        """Whether it is assembly, which reads and writes numbers instead of bytes."""
        return self.kind == ".soft"

    @property
    def config(self) -> Config:
        """The machine that is as large as the program needs."""
        image = self.image
        return Config(length=max(1, len(image.code)), memory=image.memory, outputs=1 << 8)

    def text(self, form: str = "source") -> str:
        """Return the listing: a place and an instruction per line."""
        width = len(str(len(self.image.code)))
        lines = (f"{at:{width}}  {one}" for at, one in enumerate(self.image.code))
        return "".join(f"{line}\n" for line in lines)


def compile_source(source: Source, *more: PathLike) -> CompiledSoft:
    """Compile small C, assemble soft assembly, or read an image.

    Raises `SourceError` with the place of the mistake.
    """
    if more:
        raise UsageError("the soft machine compiles one file at a time")
    data = read_bytes(source.name) if source.contents is None else source.contents
    try:
        if source.kind == ".image":
            return CompiledSoft(source.name, from_bytes(data, source.name))
        text = _decoded(data, source.name)
        if source.kind == ".soft":
            return CompiledSoft(source.name, _assembled(text, source.name))
        return CompiledSoft(source.name, compile_small_c(text, source.name))
    except SourceError as error:
        raise error.in_file(source.name) from None


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise UsageError(f"{name}: not UTF-8 text") from None


def _assembled(text: str, name: str) -> Image:
    code = parse(text, name)
    if not code:
        raise UsageError(f"{name}: there is no instruction in it")
    most, lines = Config().registers, tuple(line_numbers(text))
    for one, line in zip(code, lines, strict=True):
        if max(one.d, one.a, one.b) >= most:
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
    """Return the words of input that a text writes as numbers with white space between them."""
    try:
        return [int(word, 0) for word in text.decode("utf-8", "replace").split()]
    except ValueError:
        raise UsageError("assembly of the soft machine reads whole numbers") from None


def words_of(args: Sequence[Any], width: int) -> list[int]:
    """Return arguments as unsigned words; `UsageError` for one that is no whole number."""
    words = []
    for given in args:
        try:
            words.append(int(str(given), 0) & (1 << width) - 1)
        except ValueError:
            raise UsageError(f"{given!r} is not a whole number") from None
    return words
