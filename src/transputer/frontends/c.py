"""C, compiled with the clang in the `ziglang` package.

A program with `main` has the whole C library, on WASI. A source without `main`, or one that
includes `transputer.h`, is freestanding: it has that header (read a byte, write a byte, exit)
and the compiler's own headers, and every function that is not `static` is exported.
"""

import hashlib
import logging
import os
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from transputer import cache
from transputer.errors import Place, SourceError, UsageError
from transputer.frontends import zig
from transputer.frontends.binary.sections import keep_custom
from transputer.frontends.compiled import MOST, CompiledModule
from transputer.frontends.confined import CONFINED, check_confined
from transputer.frontends.source import PathLike, read_bytes
from transputer.frontends.variables import NEEDED

_HERE = Path(__file__).parent
#: Extensions of WebAssembly 1.0 that make programs shorter.
_LIBRARY_CPU = "-mcpu=mvp+sign_ext+nontrapping_fptoint+bulk_memory"
_COMMON = (
    *("-mllvm", "-combiner-store-merging=false"),  # do not merge two 32-bit stores into one
    "-g",  # names and line numbers for traces
    "-fno-sanitize=undefined",  # zig adds it at -O0; its runtime is not available here
    "-fspell-checking",  # "did you mean" suggestions, which zig turns off
    "-UNDEBUG",  # zig defines NDEBUG when optimising, which would disable assertions
)
_EXPORTING = ("-fvisibility=default", "-Wl,--export-dynamic")  # export what is not static
_FREESTANDING = (
    *("-target", "wasm32-freestanding"),
    "-mcpu=mvp",  # no instruction that WebAssembly 1.0 lacks
    "-nostdlib",  # no C library; `freestanding.c` has the four functions clang calls implicitly
    "-Wl,--no-entry",  # a program may have no main
    *_EXPORTING,
    *("-I", str(_HERE / "include")),
)
_LIBRARY = ("-target", "wasm32-wasi", _LIBRARY_CPU, "-Wl,-z,stack-size=8388608")
_REACTOR = (*_LIBRARY, "-mexec-model=reactor", *_EXPORTING)
#: Custom sections to keep: names, line tables and what variables need.
_KEPT = frozenset({"name", ".debug_line", ".debug_line_str"}) | NEEDED

_NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
_MAIN = re.compile(r"\bmain\s*\(")
_DEVICES = re.compile(r'^\s*#\s*include\s*["<]transputer\.h[">]', re.MULTILINE)

_FIRST = re.compile(
    r"^(?P<file>[^\n:]+):(?P<line>\d+):(?P<column>\d+): (?:fatal )?error: ", re.MULTILINE
)
# The linker names our temporary objects: `wasm-ld: error: /tmp/x/0/gcd.o: undefined …`
_OBJECT = re.compile(r"^wasm-ld: (\w+): ([^\n:]*\.o): ", re.MULTILINE)
_WANTS_LIBRARY = re.compile(
    r"undefined symbol: |'(assert|ctype|math|stdio|stdlib|string|time)\.h' file not found"
)
_NOTE = (
    "note: this is freestanding C (it has no main, or includes transputer.h), "
    "without a C library; --libc links one\n"
)
#: Options that make a compilation depend on more than its preprocessed sources.
_OPAQUE = ("-L", "-l", "-Wl,", "-X", "-fplugin", "@")

_log = logging.getLogger(__name__)


class CompileError(SourceError):
    """The C compiler rejected the program; the message is the compiler's own, `place` its first."""

    def __init__(self, message: str, place: Place | None = None) -> None:
        super().__init__(message)
        first = _FIRST.search(message)
        if place is None and first:
            place = Place(first["file"], int(first["line"]), int(first["column"]))
        self.place = place or Place()

    def in_file(self, file: str) -> "CompileError":
        """Return the error unchanged: the compiler has named the files."""
        return self


def _quiet(message: str) -> None:
    """Ignore a notice."""


@dataclass(frozen=True, slots=True)
class _Job:
    """One compilation: its sources and options."""

    sources: tuple[str, ...]
    library: bool
    main: bool
    options: tuple[str, ...]
    seconds: float
    cached: bool = True  # whether to use the compile cache

    @property
    def name(self) -> str:
        """The first source."""
        return self.sources[0]

    @property
    def flags(self) -> list[str]:
        """The compiler command without the files."""
        mode = _FREESTANDING if not self.library else _LIBRARY if self.main else _REACTOR
        return ["cc", *mode, *_COMMON, *self.options]

    @property
    def inputs(self) -> list[str]:
        """The source files, as operands."""
        return ["-x", "c", *map(_operand, self.sources)]


def compile_c(
    path: PathLike,
    *more: PathLike,
    opt: str = "-Os",
    includes: Sequence[PathLike] = (),
    defines: Sequence[str] = (),
    flags: Sequence[str] = (),
    library: bool | None = None,
    notice: Callable[[str], None] = _quiet,
    confined: bool = False,
    seconds: float | None = None,
) -> bytes:
    """Compile one or more C files to a WebAssembly module with names and line numbers.

    `library` links the C library or not; by default, the sources decide. `flags` come last and
    override ours. `confined` keeps untrusted sources from reading other files (see
    `confined.py`). The compiler is stopped after `seconds`. Warnings are logged; `notice` is
    called when the C library has to be built first. Raises `CompileError` if the program does not
    compile, `UsageError` if a file cannot be read, `EngineUnavailable` without a compiler.
    """
    sources = tuple(os.fspath(p) for p in (path, *more))
    texts = [read_bytes(source).decode("utf-8", "replace") for source in sources]
    if confined:
        for source, text in zip(sources, texts, strict=True):
            check_confined(text, source)
    hosted = _wants_library(texts) if library is None else library
    options = [opt, *(f"-I{os.fspath(i)}" for i in includes), *(f"-D{d}" for d in defines)]
    options += CONFINED if confined else ()
    limit = zig.TIMEOUT if seconds is None else seconds
    job = _Job(sources, hosted, _has_main(texts), (*options, *flags), limit, not confined)
    try:
        scratch = tempfile.TemporaryDirectory(prefix="transputer-", ignore_cleanup_errors=True)
    except OSError as problem:
        raise UsageError(f"no temporary directory to compile in: {problem.strerror}") from None
    with scratch as folder:
        made = _from_cache(job, Path(folder), notice)
    if made.messages:
        _log.warning("%s", made.messages)
    return made.module


def _code(text: str) -> str:
    return _NOISE.sub(" ", text)


def _has_main(texts: Sequence[str]) -> bool:
    return any(_MAIN.search(_code(text)) for text in texts)


def _wants_library(texts: Sequence[str]) -> bool:
    """Whether a program needs the C library: it has `main` and does not use the bare devices."""
    return _has_main(texts) and not any(_DEVICES.search(text) for text in texts)


def _from_cache(job: _Job, scratch: Path, notice: Callable[[str], None]) -> CompiledModule:
    """Return what the same text was compiled to before, or else compile it."""
    key = _key(job, scratch) if job.cached and zig.cache("c") else None
    if key is None:
        return _build(job, scratch, notice)
    entry = cache.entry("c", "program", key, most=MOST)
    compiled = entry.get(CompiledModule.load)
    if compiled is None:
        compiled = _build(job, scratch, notice)
        entry.write(compiled.dump())
    return compiled


def _key(job: _Job, scratch: Path) -> str | None:
    """Return a hash of everything that determines the output; None if it cannot be known."""
    if any(not o.startswith("-") or o.startswith(_OPAQUE) for o in job.options):
        return None
    command = [zig.zig(), *job.flags, "-E", *job.inputs]
    try:
        code, text = zig.run(command, scratch, job.seconds, errors=False)
    except zig.CompilerTimeout:
        return None
    if code:
        return None
    parts = [zig.version(), *sorted(_KEPT), *job.flags, *job.sources]
    whole = [*map(os.fsencode, parts), (_HERE / "freestanding.c").read_bytes(), text]
    return hashlib.sha256(b"\0".join(whole)).hexdigest()


def _build(job: _Job, scratch: Path, notice: Callable[[str], None]) -> CompiledModule:
    output = scratch / "program.wasm"
    objects, messages = _objects(job, scratch) if job.library else ({}, [])
    runtime = [] if job.library else [str(_HERE / "freestanding.c")]
    # one build of the library serves every optimisation level
    inputs = ["-Os", *objects] if job.library else [*job.inputs, *runtime]
    mark = _library_mark(job) if job.library else None
    timeout = job.seconds
    if job.library and not (mark and mark.exists()):
        notice("building the C library; this takes about half a minute, once")
        timeout = zig.LIBRARY_TIMEOUT
    messages.append(_zig(job, [*inputs, "-o", str(output)], scratch, objects, timeout))
    text = "\n".join(filter(None, messages))
    if not output.is_file():
        raise CompileError(text or f"{job.name}: the compiler wrote no module")
    if mark:
        mark.touch()
    return CompiledModule(keep_custom(output.read_bytes(), _KEPT), text)


def _objects(job: _Job, scratch: Path) -> tuple[dict[str, str], list[str]]:
    """Compile the sources; return the source of each object file and the compiler's messages."""
    objects: dict[str, str] = {}
    messages = []
    for number, source in enumerate(job.sources):
        (scratch / str(number)).mkdir()
        path = str(scratch / str(number) / f"{Path(source).stem}.o")
        objects[path] = source
        command = ["-c", "-x", "c", _operand(source), "-o", path]
        messages.append(_zig(job, command, scratch, objects))
    return objects, messages


def _zig(
    job: _Job,
    rest: list[str],
    scratch: Path,
    objects: Mapping[str, str],
    timeout: float | None = None,
) -> str:
    """Run the compiler; return its messages, or raise them as a `CompileError`."""
    try:
        code, output = zig.run([zig.zig(), *job.flags, *rest], scratch, timeout or job.seconds)
    except zig.CompilerTimeout as problem:
        raise CompileError(f"{job.name}: {problem}") from None
    text = _diagnostics(output.decode(errors="replace"), job, objects)
    if code:
        raise CompileError(text or f"{job.name}: the compiler failed with exit code {code}")
    return text


def _library_mark(job: _Job) -> Path | None:
    """Return the file that marks the C library as built for these options."""
    folder = zig.cache("zig")
    kind = [o for o in job.flags if o.startswith("-mcpu")]
    name = hashlib.sha256("\0".join([zig.version(), *kind]).encode()).hexdigest()
    return folder and folder / f"library-{name[:16]}"


def _operand(name: str) -> str:
    """Return a path that the compiler cannot take for an option or a response file."""
    return os.path.join(".", name) if name.startswith(("-", "@")) else name


def _diagnostics(text: str, job: _Job, objects: Mapping[str, str]) -> str:
    """Return the messages of clang and the linker with temporary file names replaced."""
    text = _OBJECT.sub(lambda m: f"{objects.get(m[2], job.name)}: {m[1]}: ", text)
    text = re.sub(r"^zig: ", "clang: ", text, flags=re.MULTILINE)
    wants = not job.library and _WANTS_LIBRARY.search(text)
    return (text + _NOTE if wants else text).rstrip("\n")
