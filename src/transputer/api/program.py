"""Programs: any source that a front end reads, compiled and checked."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transputer.errors import SourceError, UsageError
from transputer.frontends.asm import assemble
from transputer.frontends.binary import decode, encode
from transputer.frontends.binary.decode import MAGIC
from transputer.frontends.c import compile_c
from transputer.frontends.source import PathLike, read_bytes, read_text
from transputer.frontends.wat import to_wasm
from transputer.ir.asm import AsmProgram, to_text
from transputer.ir.core import CoreInstr, CoreModule
from transputer.ir.core_text import parse_core, print_core
from transputer.ir.core_verify import verify_core
from transputer.ir.module import Module
from transputer.ir.text import print_wat
from transputer.ir.verify import Verified, verify
from transputer.lower.asm import lower_asm
from transputer.lower.flatten import flatten


@dataclass(frozen=True, slots=True)
class Program:
    """A compiled program: exactly one of a module, an assembly program, or core code."""

    name: str
    module: Verified | None = None
    assembly: AsmProgram | None = None
    code: CoreModule | None = None

    def core(self, arguments: int = 0) -> CoreModule:
        """Its flat core code; an assembly program needs to know how many arguments it gets."""
        if self.code is not None:
            return self.code
        if self.assembly is not None:
            return lower_asm(self.assembly, arguments)
        return flatten(self.verified)

    @property
    def verified(self) -> Verified:
        """The module as written; `UsageError` where there is only core code."""
        if self.module is None:
            raise UsageError(f"{self.name}: the oracle cannot run core code; use another engine")
        return self.module

    def wasm(self) -> bytes:
        """The module as written, as a binary; `UsageError` where there is none."""
        return encode(self.verified.module)

    @property
    def declarations(self) -> Module:
        """What it exports and imports."""
        return self.core().declarations if self.module is None else self.module.module

    def text(self, form: str = "source") -> str:
        """Disassembly: `source` is WAT or assembly with places, `core` is flat core code."""
        if form == "core" or self.code is not None:
            return print_core(self.core())
        if self.assembly is not None:
            return to_text(self.assembly)
        return print_wat(self.verified.module, offsets=True)

    def written(self, instr: CoreInstr) -> str:
        """The function and the instruction as written that a core instruction comes from."""
        if instr.origin is None:
            return ""
        function, index = instr.origin
        if self.assembly is not None:
            return self.assembly.code[index].name
        if self.module is None:
            return ""
        module = self.module.module
        body = dict(module.bodies())[function].body
        return f"{module.function_name(function)}: {body[index].name}"


def compile(path: PathLike, **options: Any) -> Program:
    """A program from a `.c`, `.wat`, `.wasm`, `.asm` or `.core` file.

    Raises `SourceError` with the place of the mistake, or `UsageError` if the file cannot
    be read or is of no known kind. `options` are those of the C compiler.
    """
    name = str(path)
    suffix = Path(name).suffix.lower()
    if options and suffix != ".c":
        raise UsageError(f"{name}: compiler options are for .c files")
    try:
        return _COMPILERS.get(suffix, _guess)(name, **options)
    except SourceError as error:
        raise error.in_file(name) from None


def _from_wasm(name: str) -> Program:
    return Program(name, module=verify(decode(read_bytes(name))))


def _from_wat(name: str) -> Program:
    return Program(name, module=verify(decode(to_wasm(read_text(name), name))))


def _from_asm(name: str) -> Program:
    return Program(name, assembly=assemble(read_text(name), name))


def _from_core(name: str) -> Program:
    module = parse_core(read_text(name), name)
    verify_core(module)
    return Program(name, code=module)


def _from_c(name: str, **options: Any) -> Program:
    return Program(name, module=verify(decode(compile_c(name, **options))))


def _guess(name: str) -> Program:
    if read_bytes(name).startswith(MAGIC):
        return _from_wasm(name)
    kinds = ", ".join(sorted(_COMPILERS))
    raise UsageError(f"{name}: unknown kind of file; known are {kinds}")


_COMPILERS: dict[str, Callable[..., Program]] = {
    ".wasm": _from_wasm,
    ".wat": _from_wat,
    ".asm": _from_asm,
    ".core": _from_core,
    ".c": _from_c,
}
