"""C and C++, compiled with the clang in the `ziglang` package.

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
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from transputer import cache
from transputer.errors import Place, SourceError, UsageError
from transputer.frontends import zig
from transputer.frontends.compiled import MOST, CompiledModule
from transputer.frontends.project import LANGUAGES, LINKED
from transputer.frontends.source import PathLike, read_bytes
from transputer.values import dataclass

if TYPE_CHECKING:  # a program that was compiled before needs none of what functions below import
    from transputer.frontends import wasi_libc

_HERE = Path(__file__).parent
#: Extensions of WebAssembly 1.0 that make programs shorter.
LIBRARY_CPU = "-mcpu=mvp+sign_ext+nontrapping_fptoint+bulk_memory"
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
_LIBRARY = (
    *("-target", "wasm32-wasi", LIBRARY_CPU, "-Wl,-z,stack-size=8388608"),
    *("-D_WASI_EMULATED_SIGNAL", "-D_WASI_EMULATED_PROCESS_CLOCKS"),
)
#: Exceptions, and `longjmp` as one: in the form of WebAssembly 3.0. It comes after `_LIBRARY`.
_EXCEPTIONS = (
    f"{LIBRARY_CPU}+exception_handling",
    *("-mllvm", "-wasm-use-legacy-eh=false", "-mllvm", "-wasm-enable-sjlj"),
)
_REACTOR = (*_LIBRARY, "-mexec-model=reactor", *_EXPORTING)
#: Custom sections to keep: names, line tables and what variables need.
_KEPT = frozenset(
    ["name", *(f".debug_{name}" for name in "line line_str info abbrev str ranges loc".split())]
)

# Preprocessed text: literals and line markers, linkage blocks, the name of the function.
_LITERAL = r"""(?m)"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'|^#[^\n]*"""
_LINKAGE = r'\bextern\s+"C(?:\+\+)?"\s*\{'
_MAIN = r"\bmain\s*\("
_ATTRIBUTE = re.compile(r"\s*__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)")
_MARKER = r'(?m)^# \d+ "(?:[^"]*/)?([\w.]+)"'
#: Lines that are continued; words by which a source may read more than headers, or the time, and
#: the operator that may make such words.
_SPLICE = re.compile(r"\\[ \t]*\r?\n")
_OUTSIDE = re.compile(
    r"\?\?=|%:|##|include_next|\bimport\b|\bembed\b|incbin|__has_|__(?:DATE|TIME|TIMESTAMP)__"
)
_BRACKETS = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<\w+(?:/\w+)*(?:\.h)?>", re.MULTILINE)
#: Options that name no files, and variables that name folders with headers.
_PLAIN_OPTIONS = ("-O", "-D", "-U", "-std=")
_SEARCHED = {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "CCC_OVERRIDE_OPTIONS"}
#: Text in which no preprocessing can make a function `main` appear, or the devices.
_PLAIN = re.compile(r"(?!.*(?:\bmain\b|transputer\.h|##|#\s*include\s*(?!<\w+\.h>)))", re.DOTALL)

_FIRST = re.compile(
    r"^(?P<file>[^\n:]+):(?P<line>\d+):(?P<column>\d+): (?:fatal )?error: ", re.MULTILINE
)
# The linker names our temporary objects: `wasm-ld: error: /tmp/x/0/gcd.o: undefined …`
_OBJECT = re.compile(r"^wasm-ld: (\w+): ([^\n:]*\.o): ", re.MULTILINE)
#: Run-time libraries of exceptions, which zig leaves out: sources in its package, and headers.
_RUNTIME_FLAGS = (
    *("-Os", "-fwasm-exceptions", "-D__WASM_EXCEPTIONS__", "-D_LIBUNWIND_HIDE_SYMBOLS"),
    *("-D_LIBCXXABI_BUILDING_LIBRARY", "-D_LIBCPP_BUILDING_LIBRARY"),
    *("-DLIBCXX_BUILDING_LIBCXXABI", "-D_LIBCXXABI_HAS_NO_THREADS"),
)
_RUNTIME_HEADERS = ("libunwind/include", "libunwind/src", "libcxxabi/include", "libcxx/src")
_LONGJMP = ("libc/wasi/libc-top-half/musl/src/setjmp/wasm32/rt.c",)
_UNWINDING = (
    "libunwind/src/Unwind-wasm.c",
    "libcxxabi/src/cxa_exception.cpp",
    "libcxxabi/src/cxa_personality.cpp",
)
_WANTS_LIBRARY = re.compile(
    r"undefined symbol: |'(assert|ctype|math|stdio|stdlib|string|time)\.h' file not found"
)
_NOTE = (
    "note: this is freestanding C (it has no main, or includes transputer.h), "
    "without a C library; --libc links one\n"
)
#: Options that make a compilation depend on more than its preprocessed sources.
_OPAQUE = ("-L", "-l", "-Wl,", "-X", "-fplugin", "@")
#: Options that may link more than the files, or change how zig compiles the C library.
_WIDER = ("-L", "-Wl,", "-X", "-fplugin", "@", "-m", "-target", "--target", "-flto")
#: What is said before zig builds all of the C library, and before we build parts of it.
_BUILDING = (
    "building the C library; this takes about half a minute, once",
    "building parts of the C library; this takes some seconds, once",
)

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
    linked: tuple[str, ...] = ()  # objects and static libraries
    text: bytes | None = None  # the sources after preprocessing, if known
    exceptions: bool = False  # whether to compile with exceptions

    @property
    def name(self) -> str:
        """The first source."""
        return self.sources[0]

    @property
    def flags(self) -> list[str]:
        """The compiler command without the files."""
        mode = _FREESTANDING if not self.library else _LIBRARY if self.main else _REACTOR
        options = (o for o in self.options if not _links(o))
        return [self.compiler, *mode, *_COMMON, *self.exception_flags, *options]

    @property
    def exception_flags(self) -> tuple[str, ...]:
        """The options that turn exceptions on or, in C++, off."""
        unwinds = self.library and self.exceptions
        if self.compiler == "cc":
            return _EXCEPTIONS if unwinds else ()
        return (*_EXCEPTIONS, "-fwasm-exceptions") if unwinds else ("-fno-exceptions",)

    @property
    def runtime(self) -> tuple[str, ...]:
        """The sources of the run-time libraries that exceptions need."""
        if not (self.library and self.exceptions):
            return ()
        jumps = _LONGJMP if "setjmp.h" in self.headers else ()
        return (str(_HERE / "tags.c"), *jumps, *(_UNWINDING if self.compiler == "c++" else ()))

    @property
    def headers(self) -> set[str]:
        """The names of the headers that the sources include."""
        return set(re.findall(_MARKER, (self.text or b"").decode("utf-8", "replace")))

    @property
    def options_define(self) -> bool:
        """Whether an option could change what the sources' text says."""
        return any(o.startswith(("-D", "-include", "-imacros", "@")) for o in self.options)

    @property
    def compiler(self) -> str:
        """The compiler driver: that of C++ if a source is C++."""
        return "c++" if any(_language(s) == "c++" for s in self.sources) else "cc"

    @property
    def inputs(self) -> list[str]:
        """The source files, as operands."""
        return [word for s in self.sources for word in ("-x", _language(s), _operand(s))]

    @property
    def libc(self) -> "wasi_libc.Index | None":
        """The index of the C library; None if zig has to build all of it.

        That is so for C++, for another zig, and for options that may link or change more.
        """
        from transputer.frontends import wasi_libc

        wider = any(not o.startswith("-") or o.startswith(_WIDER) for o in self.options)
        return None if wider or self.compiler == "c++" else wasi_libc.index()


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
    """Compile C and C++ files to a WebAssembly module with names and line numbers.

    Objects and static libraries (`.o`, `.a`) among them are linked. `library` links the C library
    or not; by default, the sources decide. `flags` come last and override ours. `confined` keeps
    untrusted sources from reading other files (see `confined.py`). The compiler is stopped after
    `seconds`. Warnings are logged; `notice` is called when the C library has to be built first.
    Raises `CompileError` if the program does not compile, `UsageError` if a file cannot be read,
    `EngineUnavailable` without a compiler.
    """
    files = [os.fspath(p) for p in (path, *more)]
    linked = tuple(f for f in files if Path(f).suffix.lower() in LINKED)
    sources = tuple(f for f in files if f not in linked)
    contents = [read_bytes(source) for source in sources]
    texts = [content.decode("utf-8", "replace") for content in contents]
    options = [opt, *(f"-I{os.fspath(i)}" for i in includes), *(f"-D{d}" for d in defines)]
    if confined:
        from transputer.frontends.confined import CONFINED, check_confined

        for source, text in zip(sources, texts, strict=True):
            check_confined(text, source)
        options += CONFINED
    limit = zig.TIMEOUT if seconds is None else seconds
    options += flags
    job = _Job(sources, True, True, tuple(options), limit, not confined, linked)
    job = replace(job, exceptions=job.compiler == "c++" and "-fno-exceptions" not in options)
    note = _note(job, contents, library) if all(map(_is_closed, texts)) else None
    key = None if note is None else note.get(bytes.decode)
    compiled = None if key is None else _entry(key).get(CompiledModule.load)
    if compiled is None:
        compiled = _compiled(job, texts, library, note, notice)
    if compiled.messages:
        _log.warning("%s", compiled.messages)
    return compiled.module


def _compiled(
    job: _Job,
    texts: Sequence[str],
    library: bool | None,
    note: cache.Entry | None,
    notice: Callable[[str], None],
) -> CompiledModule:
    """Compile a job after deciding its mode, or return what the cache has of it."""
    try:
        scratch = tempfile.TemporaryDirectory(prefix="transputer-", ignore_cleanup_errors=True)
    except OSError as problem:
        raise UsageError(f"no temporary directory to compile in: {problem.strerror}") from None
    with scratch as folder:
        job = _decided(job, texts, library, Path(folder))
        return _from_cache(job, Path(folder), note, notice)


def _is_closed(text: str) -> bool:
    """Whether preprocessing a source reads no files but itself and headers by name in brackets."""
    text = _SPLICE.sub("", text)
    return not _OUTSIDE.search(text) and text.count("include") == len(_BRACKETS.findall(text))


def _note(job: _Job, contents: Sequence[bytes], library: bool | None) -> cache.Entry | None:
    """Return the entry that has the key of a job with closed sources; None if it has others.

    Its name has all that the key depends on, so that a job is known without preprocessing.
    """
    plain = all(o.startswith(_PLAIN_OPTIONS) and not _OUTSIDE.search(o) for o in job.options)
    if not (job.cached and plain) or job.linked or os.environ.keys() & _SEARCHED:
        return None
    which = zig.identity()
    if not which:
        return None
    header = (_HERE / "include" / "transputer.h").read_bytes()
    which += (os.environ.get("ZIG_LIB_DIR", ""), cache.code(__name__))
    inputs = job.sources, job.options, library, which, header, *contents
    return cache.entry("keys", "c", inputs, most=MOST)


def _links(option: str) -> bool:
    """Whether an option names a library or a folder of libraries; compiling takes none."""
    return option.startswith(("-l", "-L"))


def _language(source: str) -> str:
    return LANGUAGES.get(Path(source).suffix.lower(), "c")


def _decided(job: _Job, texts: Sequence[str], library: bool | None, scratch: Path) -> _Job:
    """Return the job with its mode: hosted or freestanding, a command or functions.

    By default, a program has the C library if it has `main` and does not use the bare devices.
    """
    plain = not job.options_define and all(_PLAIN.match(text) for text in texts)
    if plain and not library:
        return replace(job, library=False, main=False)
    text = _preprocessed(job, scratch, "-I", str(_HERE / "include"))
    if text is None and not job.exceptions:  # setjmp.h needs them
        job = replace(job, exceptions=True)
        text = _preprocessed(job, scratch, "-I", str(_HERE / "include"))
    if text is None:  # the compiler's errors say why
        return replace(job, library=library is not False)
    shown = text.decode("utf-8", "replace")
    main = defines_main(shown)
    devices = "transputer.h" in re.findall(_MARKER, shown)
    hosted = main and not devices if library is None else library
    return replace(job, library=hosted, main=main, text=text if hosted and main else None)


def defines_main(text: str) -> bool:
    """Whether preprocessed C or C++ defines the function `main`."""
    plain = re.sub(_LITERAL, " ", re.sub(_LINKAGE, " ", text))
    for match in re.finditer(_MAIN, plain):
        if plain.count("{", 0, match.start()) > plain.count("}", 0, match.start()):
            continue  # inside a function or a class
        at, depth = match.end(), 1
        while depth and at < len(plain):
            depth += (plain[at] == "(") - (plain[at] == ")")
            at += 1
        while attribute := _ATTRIBUTE.match(plain, at):
            at = attribute.end()
        if plain[at:].lstrip()[:1] not in (";", ",", ""):
            return True
    return False


def _preprocessed(job: _Job, scratch: Path, *more: str) -> bytes | None:
    """Return the sources after preprocessing, one after another; None if the compiler fails."""
    texts = []
    for source in job.sources:  # zig preprocesses one file at a time
        command = [zig.zig(), *job.flags, *more, "-E", "-x", _language(source), _operand(source)]
        try:
            code, text = zig.run(command, scratch, job.seconds, errors=False)
        except zig.CompilerTimeout:
            return None
        if code:
            return None
        texts.append(text)
    return b"\n".join(texts)


def _entry(key: str) -> cache.Entry:
    """Return the entry of the module that was compiled with this key."""
    return cache.entry("c", "program", key, most=MOST)


def _from_cache(
    job: _Job, scratch: Path, note: cache.Entry | None, notice: Callable[[str], None]
) -> CompiledModule:
    """Return what the same text was compiled to before, or else compile it; note the key."""
    key = _key(job, scratch) if job.cached and zig.cache("c") else None
    if key is None:
        return _build(job, scratch, notice)
    if note is not None:
        note.write(key.encode())
    entry = _entry(key)
    compiled = entry.get(CompiledModule.load)
    if compiled is None:
        compiled = _build(job, scratch, notice)
        entry.write(compiled.dump())
    return compiled


def _key(job: _Job, scratch: Path) -> str | None:
    """Return a hash of everything that determines the output; None if it cannot be known."""
    if any(not o.startswith("-") or o.startswith(_OPAQUE) for o in job.options):
        return None
    text = job.text if job.text is not None else _preprocessed(job, scratch)
    if text is None or b"incbin" in text:  # the assembler may read a file
        return None
    parts = [zig.version(), *sorted(_KEPT), *job.flags, *job.sources]
    others = [read_bytes(name) for name in job.linked]
    whole = [*map(os.fsencode, parts), (_HERE / "freestanding.c").read_bytes(), *others, text]
    return hashlib.sha256(b"\0".join(whole)).hexdigest()


def _build(job: _Job, scratch: Path, notice: Callable[[str], None]) -> CompiledModule:
    output = scratch / "program.wasm"
    if job.library:
        objects, messages = _objects(job, scratch)
        # what throws comes first: the C++ library has a part that does without exceptions
        inputs = [*_runtime(job, scratch), *objects, *map(_operand, job.linked)]
        messages.append(_linked(job, inputs, output, scratch, objects, notice))
    else:
        runtime = ["-x", "c", str(_HERE / "freestanding.c"), "-x", "none"]
        inputs = [*job.inputs, *runtime, *map(_operand, job.linked), *filter(_links, job.options)]
        messages = [_zig(job, [*inputs, "-o", str(output)], scratch, {})]
    text = "\n".join(filter(None, messages))
    if not output.is_file():
        raise CompileError(text or f"{job.name}: the compiler wrote no module")
    from transputer.frontends.binary.sections import keep_custom

    return CompiledModule(keep_custom(output.read_bytes(), _KEPT), text)


def _linked(
    job: _Job,
    inputs: list[str],
    output: Path,
    scratch: Path,
    objects: Mapping[str, str],
    notice: Callable[[str], None],
) -> str:
    """Link objects with the C library, which is built first if it is not there; return messages."""
    # one build of the library serves programs with exceptions and every optimisation level, too
    job = replace(job, exceptions=False)
    if zig.damaged():
        _log.warning("the compiler's cache is damaged; building the C library again")
        zig.clear()
    libc = None
    if job.libc:
        from transputer.frontends import wasi_libc

        libc = scratch / "libc"
        wasi_libc.write(job.libc, libc, f"crt1-{'command' if job.main else 'reactor'}", inputs)
        inputs = list(map(os.path.abspath, inputs))

    def link() -> str:
        mark, timeout = _library_mark(job, libc), job.seconds
        if not (mark and mark.exists()):
            notice(_BUILDING[libc is not None])
            timeout = zig.LIBRARY_TIMEOUT
        command = ["-Os", *inputs, *filter(_links, job.options), "-o", str(output)]
        messages = _zig(job, command, scratch, objects, timeout, libc)
        if mark:
            zig.note_libraries(mark)
        return messages

    try:
        return link()
    except CompileError as error:
        if libc is None or not wasi_libc.widen(libc, str(error)):
            raise
        return link()


def _objects(job: _Job, scratch: Path) -> tuple[dict[str, str], list[str]]:
    """Compile the sources; return the source of each object file and the compiler's messages."""
    objects: dict[str, str] = {}
    messages = []
    for number, source in enumerate(job.sources):
        (scratch / str(number)).mkdir()
        path = str(scratch / str(number) / f"{Path(source).stem}.o")
        objects[path] = source
        command = ["-c", "-x", _language(source), _operand(source), "-o", path]
        messages.append(_zig(job, command, scratch, objects))
    return objects, messages


def _runtime(job: _Job, scratch: Path) -> list[str]:
    """Return the object files of the run-time libraries of exceptions, compiled once."""
    from transputer.frontends import wasi_libc

    headers = (word for name in _RUNTIME_HEADERS for word in ("-I", str(zig.library() / name)))
    flags = [*_LIBRARY, *_EXCEPTIONS, *_RUNTIME_FLAGS, *headers]
    objects = []
    for source in job.runtime:
        path = scratch / f"{Path(source).stem}.o"
        compiler = ["c++", "-std=c++23"] if source.endswith(".cpp") else ["cc"]
        wasi_libc.compile_once([*compiler, *flags], zig.library() / source, path)
        objects.append(str(path))
    return objects


def _zig(
    job: _Job,
    rest: list[str],
    scratch: Path,
    objects: Mapping[str, str],
    timeout: float | None = None,
    libc: Path | None = None,
) -> str:
    """Run the compiler; return its messages, or raise them as a `CompileError`."""
    command, seconds = [zig.zig(), *job.flags, *rest], timeout or job.seconds
    try:
        code, output = zig.run(command, scratch, seconds, libc=libc)
    except zig.CompilerTimeout as problem:
        raise CompileError(f"{job.name}: {problem}") from None
    text = _diagnostics(output.decode(errors="replace"), job, objects)
    if code:
        raise CompileError(text or f"{job.name}: the compiler failed with exit code {code}")
    return text


def _library_mark(job: _Job, libc: Path | None) -> Path | None:
    """Return the file that marks the C library as built for these options, all of it or not.

    A compiler that was installed again builds it again.
    """
    folder = zig.cache("zig")
    lean = libc is not None and (libc / zig.LIBRARY).exists()
    kind = [*(o for o in job.flags if o.startswith("-mcpu")), job.compiler, f"{job.libc is None}"]
    kind.append(f"{lean}")
    name = hashlib.sha256("\0".join([*zig.identity(), *kind]).encode()).hexdigest()
    return folder and folder / f"{zig.MARK}{name[:16]}"


def _operand(name: str) -> str:
    """Return a path that the compiler cannot take for an option or a response file."""
    return os.path.join(".", name) if name.startswith(("-", "@")) else name


def _diagnostics(text: str, job: _Job, objects: Mapping[str, str]) -> str:
    """Return the messages of clang and the linker with temporary file names replaced."""
    text = _OBJECT.sub(lambda m: f"{objects.get(m[2], job.name)}: {m[1]}: ", text)
    text = re.sub(r"^zig: ", "clang: ", text, flags=re.MULTILINE)
    wants = not job.library and _WANTS_LIBRARY.search(text)
    return (text + _NOTE if wants else text).rstrip("\n")
