"""Programs of the loom machine, compiled for a configuration or the smallest that fits."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from transputer.errors import SourceError, UsageError
from transputer.frontends.loomasm import assemble_loom
from transputer.frontends.smallc import compile as compile_small_c
from transputer.frontends.source import PathLike, read_text
from transputer.ir.loom import (
    DEFAULT_BITS,
    PUBLISHED,
    WIDTHS,
    LoomConfig,
    LoomProgram,
    configuration,
    smallest,
)
from transputer.registry import Program
from transputer.registry.machine import Source

#: Compilers by file kind; they take the text, the file name and the word width in bits.
_COMPILERS: dict[str, Callable[[str, str, int], LoomProgram]] = {
    ".loomasm": assemble_loom,
    ".c": compile_small_c,
}


@dataclass(frozen=True, repr=False)
class CompiledLoom(Program):
    """A program of the loom machine, and the configuration that it runs in."""

    machine = "loom"
    code: LoomProgram
    config: LoomConfig

    def text(self, form: str = "source") -> str:
        """Return the listing: a pc and an instruction per line."""
        width = len(str(len(self.code.code)))
        lines = (f"{at:{width}}  {instr}" for at, instr in enumerate(self.code.code))
        return "".join(f"{line}\n" for line in lines)

    @property
    def has_main(self) -> bool:
        """Whether the program is C, whose `main` returns the exit code."""
        return self.code.main is not None


def compile_source(
    source: Source, *more: PathLike, bits: int | None = None, config: str | None = None
) -> CompiledLoom:
    """Compile small C or loom assembly, for words of `bits` bits or for a configuration.

    Raises `SourceError` with the location of the error, `CapacityError` for a program that does
    not fit, and `UsageError` for a width that contradicts the source or the configuration.
    """
    if more:
        raise UsageError("the loom machine compiles one file at a time")
    width = _width(bits, config)
    text = read_text(source.name) if source.contents is None else source.contents.decode()
    try:
        code = _COMPILERS[source.kind](text, source.name, width or DEFAULT_BITS)
    except SourceError as error:
        raise error.in_file(source.name) from None
    if width not in (0, code.bits):
        raise UsageError(f"{source.name}: needs words of {code.bits} bits, not {width}")
    return compiled(code, config, source.name)


def compile_loom(path: PathLike, bits: int = 0, config: str | None = None) -> LoomProgram:
    """Compile a file as `compile_source` does; return the code alone."""
    name = str(path)
    return compile_source(Source(name, Path(name).suffix.lower()), bits=bits, config=config).code


def compiled(code: LoomProgram, config: str | LoomConfig | None, name: str) -> CompiledLoom:
    """Return code with its configuration, by default the smallest that fits."""
    size = configuration(config) if isinstance(config, str) else config or smallest(code)
    code.check(size)
    return CompiledLoom(name, code, size)


def edited(program: CompiledLoom, edits: Mapping[int, int]) -> CompiledLoom:
    """Return a program with other initial words in some slots."""
    memory = list(program.code.memory)
    for slot, word in edits.items():
        if not 0 <= slot < len(memory):
            raise UsageError(f"the program's memory has slots 0 to {len(memory) - 1}, not {slot}")
        memory[slot] = word
    return replace(program, code=replace(program.code, memory=tuple(memory)))


def fed(program: CompiledLoom, stdin: bytes | Callable[[], int]) -> CompiledLoom:
    """Return a program with its whole input in memory; one that reads nothing stays as it is."""
    if not program.code.reads:
        return program
    data = bytes(iter(stdin, -1)) if callable(stdin) else stdin
    return replace(program, code=program.code.with_input(data))


def config_name(config: LoomConfig) -> str:
    """Return the name of a configuration for `--config`: the published one if it has one."""
    published = (name for name, size in PUBLISHED.items() if size == config)
    return next(published, config.name)


def _width(bits: int | None, config: str | None) -> int:
    """Return the word width that the options ask for; 0 if they do not say."""
    if bits and bits not in WIDTHS:
        raise UsageError(f"words have {', '.join(map(str, WIDTHS))} bits, not {bits}")
    if config is None:
        return bits or 0
    size = configuration(config)
    if bits and bits != size.bits:
        raise UsageError(f"configuration {config} has words of {size.bits} bits, not {bits}")
    return size.bits
