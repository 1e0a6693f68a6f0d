"""C, through the clang that the `ziglang` package brings.

A program with `main` has the whole C library, on WASI. A source without `main`, or one that
includes `transputer.h`, is freestanding: it has that header (read a byte, write a byte, exit)
and the compiler's own, and every function that is not `static` is exported.
"""

import hashlib
import logging
import os
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from transputer.errors import SourceError, UsageError
from transputer.frontends import zig
from transputer.frontends.binary.sections import keep_custom
from transputer.frontends.compiled import CompileCache, CompiledModule
from transputer.frontends.confined import CONFINED, check_confined
from transputer.frontends.source import PathLike, read_bytes
from transputer.frontends.variables import NEEDED

_HERE = Path(__file__).parent
#: Instructions beyond WebAssembly 1.0 that make programs shorter.
_LIBRARY_CPU = "-mcpu=mvp+sign_ext+nontrapping_fptoint+bulk_memory"
_COMMON = (
    *("-mllvm", "-combiner-store-merging=false"),  # no 64-bit store for two of 32 bits
    "-g",  # names, and lines for traces
    "-fno-sanitize=undefined",  # zig adds it at -O0; its run-time part does not exist here
    "-fspell-checking",  # "did you mean", which zig turns off
    "-UNDEBUG",  # zig defines it when optimising, and assertions would say nothing
)
_EXPORTING = ("-fvisibility=default", "-Wl,--export-dynamic")  # export what is not static
_FREESTANDING = (
    *("-target", "wasm32-freestanding"),
    "-mcpu=mvp",  # no instruction that WebAssembly 1.0 lacks
    "-nostdlib",  # no C library; `freestanding.c` has the four functions clang calls unasked
    "-Wl,--no-entry",  # a program may have no main
    *_EXPORTING,
    *("-I", str(_HERE / "include")),
)
_LIBRARY = ("-target", "wasm32-wasi", _LIBRARY_CPU, "-Wl,-z,stack-size=8388608")
_REACTOR = (*_LIBRARY, "-mexec-model=reactor", *_EXPORTING)
#: Debug information that says which line an instruction comes from; the rest is dropped.
_KEPT = frozenset({"name", ".debug_line", ".debug_line_str"}) | NEEDED

_NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
_MAIN = re.compile(r"\bmain\s*\(")
_DEVICES = re.compile(r'^\s*#\s*include\s*["<]transputer\.h[">]', re.MULTILINE)

# The linker names our temporary objects: `wasm-ld: error: /tmp/x/0/gcd.o: undefined …`
_OBJECT = re.compile(r"^wasm-ld: (\w+): ([^\n:]*\.o): ", re.MULTILINE)
_WANTS_LIBRARY = re.compile(
    r"undefined symbol: |'(assert|ctype|math|stdio|stdlib|string|time)\.h' file not found"
)
_NOTE = (
    "note: this is freestanding C (it has no main, or includes transputer.h), "
    "without a C library; --libc links one\n"
)
#: What makes a compilation depend on more than the text of its sources.
_OPAQUE = ("-L", "-l", "-Wl,", "-X", "-fplugin", "@")

_log = logging.getLogger(__name__)


class CompileError(SourceError):
    """The C compiler refused the program; the message is what it said, as it said it."""

    def in_file(self, file: str) -> "CompileError":
        """The same error: the compiler has named the files."""
        return self


def _quiet(message: str) -> None:
    """A notice that nobody reads."""


@dataclass(frozen=True, slots=True)
class _Job:
    """One compilation: what is compiled, and with which options."""

    sources: tuple[str, ...]
    library: bool
    main: bool
    options: tuple[str, ...]
    seconds: float
    kept: bool = True  # what comes out is worth keeping for the next time

    @property
    def name(self) -> str:
        """The first source."""
        return self.sources[0]

    @property
    def flags(self) -> list[str]:
        """Everything but the files."""
        mode = _FREESTANDING if not self.library else _LIBRARY if self.main else _REACTOR
        return ["cc", *mode, *_COMMON, *self.options]

    @property
    def inputs(self) -> list[str]:
        """The files, as operands."""
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
    """The WebAssembly module of one or several C files, with names and line numbers.

    `library` links the C library or not; None decides by what the sources are. `flags` come
    last and so override ours. `confined` keeps a stranger's source from reading other files
    (see `confined.py`); the compiler is stopped after so many `seconds`. Warnings are logged;
    `notice` hears when the C library has to be built first. A program that does not compile is a
    `CompileError`, a file that cannot be read a `UsageError`, a missing compiler
    `EngineUnavailable`.
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
        made = _from_shelf(job, Path(folder), notice)
    if made.said:
        _log.warning("%s", made.said)
    return made.module


def _code(text: str) -> str:
    return _NOISE.sub(" ", text)


def _has_main(texts: Sequence[str]) -> bool:
    return any(_MAIN.search(_code(text)) for text in texts)


def _wants_library(texts: Sequence[str]) -> bool:
    """A program for a C library: it has `main`, and does not ask for the bare devices."""
    return _has_main(texts) and not any(_DEVICES.search(text) for text in texts)


def _from_shelf(job: _Job, scratch: Path, notice: Callable[[str], None]) -> CompiledModule:
    """What was made of the same text before, or else now."""
    shelf = CompileCache(zig.cache("c"))
    key = _key(job, scratch) if shelf.exists and job.kept else None
    made = None if key is None else shelf.get(key)
    if made is None:
        made = _build(job, scratch, notice)
        if key is not None:
            shelf.put(key, made)
    return made


def _key(job: _Job, scratch: Path) -> str | None:
    """A hash of all that decides what comes out; None where the text does not tell."""
    if any(not o.startswith("-") or o.startswith(_OPAQUE) for o in job.options):
        return None
    command = [zig.zig(), *job.flags, "-E", *job.inputs]
    try:
        code, text = zig.run(command, scratch, job.seconds, errors=False)
    except zig.TooSlow:
        return None
    if code:
        return None
    parts = [zig.version(), *sorted(_KEPT), *job.flags, *job.sources]
    whole = [*map(os.fsencode, parts), (_HERE / "freestanding.c").read_bytes(), text]
    return hashlib.sha256(b"\0".join(whole)).hexdigest()


def _build(job: _Job, scratch: Path, notice: Callable[[str], None]) -> CompiledModule:
    output = scratch / "program.wasm"
    objects, said = _objects(job, scratch) if job.library else ({}, [])
    runtime = [] if job.library else [str(_HERE / "freestanding.c")]
    # whatever the program's level, there is one build of the library
    inputs = ["-Os", *objects] if job.library else [*job.inputs, *runtime]
    mark = _library_mark(job) if job.library else None
    timeout = job.seconds
    if job.library and not (mark and mark.exists()):
        notice("building the C library; this takes about half a minute, once")
        timeout = zig.LIBRARY_TIMEOUT
    said.append(_zig(job, [*inputs, "-o", str(output)], scratch, objects, timeout))
    text = "\n".join(filter(None, said))
    if not output.is_file():
        raise CompileError(text or f"{job.name}: the compiler wrote no module")
    if mark:
        mark.touch()
    return CompiledModule(keep_custom(output.read_bytes(), _KEPT), text)


def _objects(job: _Job, scratch: Path) -> tuple[dict[str, str], list[str]]:
    """The source of each object file, and what was said of each."""
    made: dict[str, str] = {}
    said = []
    for number, source in enumerate(job.sources):
        (scratch / str(number)).mkdir()
        path = str(scratch / str(number) / f"{Path(source).stem}.o")
        made[path] = source
        said.append(_zig(job, ["-c", "-x", "c", _operand(source), "-o", path], scratch, made))
    return made, said


def _zig(
    job: _Job,
    rest: list[str],
    scratch: Path,
    objects: Mapping[str, str],
    timeout: float | None = None,
) -> str:
    """Run the compiler; what it said, or a `CompileError` with it."""
    try:
        code, said = zig.run([zig.zig(), *job.flags, *rest], scratch, timeout or job.seconds)
    except zig.TooSlow as problem:
        raise CompileError(f"{job.name}: {problem}") from None
    text = _diagnostics(said.decode(errors="replace"), job, objects)
    if code:
        raise CompileError(text or f"{job.name}: the compiler failed with exit code {code}")
    return text


def _library_mark(job: _Job) -> Path | None:
    """The file that says that the C library is built for such options."""
    folder = zig.cache("zig")
    kind = [o for o in job.flags if o.startswith("-mcpu")]
    name = hashlib.sha256("\0".join([zig.version(), *kind]).encode()).hexdigest()
    return folder and folder / f"library-{name[:16]}"


def _operand(name: str) -> str:
    """A path that the compiler takes neither for an option nor for a response file."""
    return os.path.join(".", name) if name.startswith(("-", "@")) else name


def _diagnostics(said: str, job: _Job, objects: Mapping[str, str]) -> str:
    """What clang and the linker said, with our temporary names replaced by the user's."""
    said = _OBJECT.sub(lambda m: f"{objects.get(m[2], job.name)}: {m[1]}: ", said)
    said = re.sub(r"^zig: ", "clang: ", said, flags=re.MULTILINE)
    wants = not job.library and _WANTS_LIBRARY.search(said)
    return (said + _NOTE if wants else said).rstrip("\n")
