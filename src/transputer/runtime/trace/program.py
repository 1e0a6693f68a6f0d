"""Programs of the trace machine, compiled from any source and verified."""

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from transputer.errors import InvalidError, SourceError, TransputerError, UsageError
from transputer.frontends.c import compile_c
from transputer.frontends.project import LANGUAGES
from transputer.frontends.source import PathLike, read_bytes, read_text
from transputer.host.place import CallPlace
from transputer.ir.core import CoreInstr, CoreModule
from transputer.ir.environment import NOTHING, Environment, uses_wasi
from transputer.ir.module import PAGE, Body, DataSegment, ExternKind, Instr, Mode, Module
from transputer.ir.verified import Verified
from transputer.isa.op import ValType
from transputer.isa.wasm import WASM
from transputer.lower.kept import verified, words
from transputer.model import Model, load
from transputer.registry import Program
from transputer.registry.machine import Source

# A run of a C program needs none of what functions below import, and start-up counts.
if TYPE_CHECKING:
    from transputer.frontends.lines import SourceLine
    from transputer.frontends.variables import FunctionScope, Variables
    from transputer.frontends.watlines import Spot
    from transputer.ir.asm import AsmProgram

#: WASI's name of the function that runs a program.
START = "_start"
#: Number of lines of a disassembly that a notebook shows.
_SHOWN = 40


@dataclass(frozen=True, repr=False)
class TraceProgram(Program):
    """A compiled program of the trace machine: exactly one of a module, an assembly program, core
    code, or a model that carries a program (`packed`).

    A module comes with the binary that it was read from, which may have line numbers.
    """

    machine = "trace"
    module: Verified | None = None
    assembly: "AsmProgram | None" = None
    code: CoreModule | None = None
    binary: bytes = b""
    packed: Model | None = None
    #: Lines and columns by function and instruction, if the source is a text module.
    spots: "tuple[tuple[Spot, ...], ...]" = ()
    #: Whether it runs beside other modules that may throw exceptions.
    foreign: bool = False

    def core(self, arguments: int = 0, environment: Environment = NOTHING) -> CoreModule:
        """Return the flat core code, with WASI linked in.

        `arguments` is the number of arguments of an assembly program, `environment` the
        environment of a WASI program.
        """
        if self.code is not None:
            return self.code
        if self.packed is not None:
            raise UsageError(
                f"{self.name}: a model has no source; use the program that it was built from"
            )
        if self.assembly is not None:
            from transputer.lower.asm import lower_asm

            return lower_asm(self.assembly, arguments)
        from transputer.lower.pipeline import in_core

        return in_core(self.verified, environment, self.foreign)

    def words(self, arguments: int = 0, environment: Environment = NOTHING) -> CoreModule:
        """Return the core code lowered to the trace machine: single accesses. It is verified."""
        if self.module is not None:
            return words(self.module, environment, self.foreign)
        from transputer.lower.bulk import lower_bulk

        module = lower_bulk(self.core(arguments, environment))
        from transputer.ir.core_verify import verify_core

        verify_core(module)
        return module

    @property
    def verified(self) -> Verified:
        """The module as written; raises `UsageError` if there is only core code."""
        if self.module is None:
            what = "core code" if self.packed is None else "a model"
            raise UsageError(f"{self.name}: the oracle cannot run {what}; use another engine")
        return self.module

    def wasm(self) -> bytes:
        """Return the module as written, as a binary; raise `UsageError` if there is none."""
        from transputer.frontends.binary import encode

        return encode(self.verified.module)

    @property
    def declarations(self) -> Module:
        """The module with its exports and imports."""
        return self.core().declarations if self.module is None else self.module.module

    @property
    def is_command(self) -> bool:
        """Whether it has a `_start` and takes its arguments through WASI."""
        if self.module is None or not uses_wasi(self.declarations):
            return False
        exports = self.declarations.exports
        return any(e.kind is ExternKind.FUNC and e.name == START for e in exports)

    def text(self, form: str = "source") -> str:
        """Return the disassembly: `source` is WAT or assembly, `core` is flat core code."""
        from transputer.ir.asm import to_text
        from transputer.ir.core_text import print_core
        from transputer.ir.text import print_wat

        if form == "core" or self.code is not None:
            return print_core(self.core())
        if self.assembly is not None:
            return to_text(self.assembly)
        return print_wat(self.verified.module, offsets=True)

    def _repr_html_(self) -> str:
        """Return the first lines of the disassembly as HTML, for notebooks."""
        from transputer.model.html import code

        if self.packed is not None:
            return code("", f"{self.name}: a model that carries a program") + (
                self.packed._repr_html_()
            )
        lines = self.text().splitlines()
        more = f"\n… {len(lines) - _SHOWN:,} more lines" if len(lines) > _SHOWN else ""
        return code("\n".join(lines[:_SHOWN]) + more, self.name)

    def written(self, instr: CoreInstr) -> str:
        """Return the function and the instruction as written that a core instruction comes from."""
        if instr.origin is None:
            return ""
        function, index = instr.origin
        if self.assembly is not None:
            return self.assembly.code[index].name
        if self.module is None:
            return ""
        module = self.module.module
        return f"{module.function_name(function)}: {_body(module, function)[index].name}"

    def first_word(self, function: int, local: int) -> int:
        """Return the place in its frame of a local, as written; a vector takes two slots."""
        module = self.verified.module
        defined = module.functions[function - len(module.imported(ExternKind.FUNC))]
        types = module.types[defined.type_index].params + defined.local_types
        return local + types[:local].count(ValType.V128)

    def variables(self) -> "Variables":
        """Return the variables of a C program that have a location."""
        from transputer.frontends.variables import Variables, read_variables

        return read_variables(self.binary) if self.module is not None else Variables()

    def offset(self, instr: CoreInstr) -> int | None:
        """Return the offset in the binary of the instruction that a core instruction comes from."""
        if instr.origin is None or self.module is None:
            return None
        function, index = instr.origin
        return _body(self.module.module, function)[index].span.start

    def line(self, instr: CoreInstr) -> "SourceLine | None":
        """Return the source line that a core instruction comes from; None if it is unknown."""
        return self.line_of(instr.origin)

    def line_of(self, origin: tuple[int, int] | None) -> "SourceLine | None":
        """Return the source line of (function, instruction) as written; None if it is unknown."""
        from transputer.frontends.lines import SourceLine, read_lines

        if origin is None:
            return None
        function, index = origin
        if self.assembly is not None:
            place = self.assembly.code[index].place
            name = place.file or self.name
            return SourceLine(name, place.line, place.column) if place.line else None
        if self.module is None:
            return None
        if self.spots:
            spots = self.spots[function - len(self.module.module.imported(ExternKind.FUNC))]
            return SourceLine(self.name, *spots[index]) if spots else None
        span = _body(self.module.module, function)[index].span
        return read_lines(self.binary).at(span.start) if self.binary else None

    def call_places(self, name: str, origin: tuple[int, int] | None) -> list[CallPlace]:
        """Return the place of a call of the function `name`, after those of inlined calls."""
        from transputer.frontends.lines import SourceLine
        from transputer.frontends.variables import FunctionScope

        line = self.line_of(origin)
        if line is None:
            return [CallPlace(name or "?")]
        scopes = self.functions_at(origin) or [FunctionScope(name or "?", ())]
        rows = []
        for scope in scopes:
            text = _source(line.file)[line.number - 1 : line.number]
            rows.append(CallPlace(scope.name, line.file, line.number, line.column, *text))
            line = SourceLine(line.file, scope.call_line, scope.call_column)
        return rows

    def functions_at(self, origin: tuple[int, int] | None) -> "list[FunctionScope]":
        """Return the C function at (function, instruction) after inlined calls, innermost first."""
        if origin is None or self.module is None:
            return []
        function, index = origin
        offset = _body(self.module.module, function)[index].span.start
        return self.variables().functions_at(offset)


@lru_cache(maxsize=16)
def _source(file: str) -> list[str]:
    """Return the lines of a source file; none if it cannot be read."""
    try:
        return Path(file).read_text(errors="replace").splitlines()
    except OSError:
        return []


def _body(module: Module, function: int) -> Body:
    return module.functions[function - len(module.imported(ExternKind.FUNC))].body


def compile_source(source: Source, *more: PathLike, **options: Any) -> TraceProgram:
    """Compile a source, which is a file or a text; raise as `compile_file` does.

    `more` are C files that are compiled with the first, `options` those of the C compiler.
    """
    if source.kind not in LANGUAGES:
        options.pop("notice", None)  # only the C compiler takes it
    if source.contents is None:
        return compile_file(source.name, *more, **options)
    return compile_text(source.contents, Path(source.name).name, **options)


def compile_file(path: PathLike, *more: PathLike, **options: Any) -> TraceProgram:
    """Compile a C, C++, `.wat`, `.wasm`, `.asm` or `.core` file, or load a model with a program.

    Raises `SourceError` with the location of the error, or `UsageError` if the file cannot be
    read or has an unknown kind. `more` are C files that are compiled with the first, and
    `options` those of the C compiler.
    """
    name = str(path)
    suffix = Path(name).suffix.lower()
    if (more or options) and suffix not in LANGUAGES:
        raise UsageError(f"{name}: only C and C++ files take more files and compiler options")
    try:
        return _COMPILERS.get(suffix, _guess)(name, *more, **options)
    except SourceError as error:
        raise error.in_file(name) from None


def compile_text(contents: str | bytes, name: str, **options: Any) -> TraceProgram:
    """Compile a text as if it were a file called `name`, in a folder of its own.

    Raises what `compile_file` raises; messages do not mention the folder.
    """
    with tempfile.TemporaryDirectory(prefix="transputer-", ignore_cleanup_errors=True) as folder:
        path = Path(folder, name)
        data = contents.encode("utf-8", "replace") if isinstance(contents, str) else contents
        path.write_bytes(data)
        try:
            program = compile_file(path, **options)
        except TransputerError as error:
            raise _without_folder(error, f"{folder}/") from None
    return replace(program, name=name)


def _without_folder(error: TransputerError, folder: str) -> TransputerError:
    """Return the error without the temporary folder in its message and place."""
    error.args = tuple(str(a).replace(folder, "") for a in error.args)
    if isinstance(error, SourceError):
        error.message = error.message.replace(folder, "")
        error.place = replace(error.place, file=error.place.file.replace(folder, ""))
    return error


def editable(program: TraceProgram) -> int:
    """Return the size in bytes of a program's own memory at the start."""
    if program.module is None or not program.module.module.memories:
        return 0
    return program.module.module.memories[0].limits.minimum * PAGE


def edited(program: TraceProgram, edits: Mapping[int, int]) -> TraceProgram:
    """Return a program with other initial bytes in memory, each in a data segment of its own.

    Raises `UsageError` for an address outside the program's own memory.
    """
    from transputer.ir.verify import verify

    module, own = program.verified.module, editable(program)
    for address, byte in edits.items():
        if not 0 <= address < own or not 0 <= byte < 256:
            raise UsageError(f"cannot set address {address} to {byte}: memory has {own:,} bytes")
    more = tuple(
        DataSegment(
            bytes([byte]), Mode.ACTIVE, 0, (Instr(WASM["i32.const"], (a,)), Instr(WASM["end"]))
        )
        for a, byte in edits.items()
    )
    return replace(program, module=verify(replace(module, data=(*module.data, *more))))


def from_binary(name: str, binary: bytes) -> TraceProgram:
    """Return a program from the bytes of a WebAssembly module."""
    return TraceProgram(name, module=verified(binary), binary=binary)


def _from_wasm(name: str) -> TraceProgram:
    return from_binary(name, read_bytes(name))


def _from_wat(name: str) -> TraceProgram:
    from transputer.frontends.binary import decode
    from transputer.frontends.wat import to_wasm
    from transputer.frontends.watlines import located, spots_of

    text = read_text(name)
    binary = to_wasm(text, name)
    try:
        program = from_binary(name, binary)
    except InvalidError as error:
        raise located(error, text, decode(binary), name) from None
    return replace(program, spots=spots_of(text, program.verified.module))


def _from_asm(name: str) -> TraceProgram:
    from transputer.frontends.asm import assemble

    return TraceProgram(name, assembly=assemble(read_text(name), name))


def _from_core(name: str) -> TraceProgram:
    from transputer.ir.core_text import parse_core
    from transputer.ir.core_verify import verify_core

    module = parse_core(read_text(name), name)
    verify_core(module)
    return TraceProgram(name, code=module)


def _from_c(name: str, *more: PathLike, **options: Any) -> TraceProgram:
    program = from_binary(name, compile_c(name, *more, **options))
    if all(export.kind is not ExternKind.FUNC for export in program.declarations.exports):
        raise SourceError("no function to run; write main, or a function that is not static")
    return program


def _from_model(name: str) -> TraceProgram:
    from transputer.machines.trace.packed import start_of

    model = load(name)
    start_of(model)
    return TraceProgram(name, packed=model)


def _guess(name: str) -> TraceProgram:
    from transputer.frontends.binary.decode import MAGIC

    if read_bytes(name).startswith(MAGIC):
        return _from_wasm(name)
    kinds = ", ".join(sorted(_COMPILERS))
    raise UsageError(f"{name}: unknown kind of file; available: {kinds}")


_COMPILERS: dict[str, Callable[..., TraceProgram]] = {
    ".wasm": _from_wasm,
    ".wat": _from_wat,
    ".asm": _from_asm,
    ".core": _from_core,
    **dict.fromkeys(LANGUAGES, _from_c),
    ".safetensors": _from_model,
}
