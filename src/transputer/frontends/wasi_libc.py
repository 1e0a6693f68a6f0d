"""The members of the C library that a program needs, compiled without the others.

Zig compiles all 621 files of wasi-libc before it links the first program. `wasi_libc.json`, which
`tools/libc_index.py` writes, lists them with their flags and symbols. From it follows which members
the linker would take, and zig gets an archive of those. The code of the module is the same; its
debug information may name another folder.
"""

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache as cached
from pathlib import Path

from transputer import cache
from transputer.errors import EngineUnavailable
from transputer.frontends import zig
from transputer.frontends.binary.sections import sections
from transputer.frontends.source import read_bytes
from transputer.values import dataclass

INDEX = Path(__file__).with_name("wasi_libc.json")
#: Zig's library folder, in the flags of the index.
LIB = "$LIB"
_IMPORTS = 2
#: A name in an object. The length before it is no letter or digit: it is below 48 in this library.
_SYMBOL = re.compile(rb"[A-Za-z_]\w*")
_OBJECT = b"\0asm"
#: The folders of a C library, for zig, which runs there. What zig builds is cached by their names.
_FOLDERS = (
    "include_dir sys_include_dir crt_dir msvc_lib_dir kernel32_lib_dir gcc_dir darwin_sdk_dir"
)
#: The list of the parts of zig's run-time library, and a line of it.
_RUNTIME = "compiler_rt.zig"
_PART = re.compile(r'^.*_ = @import\("compiler_rt/(\w+)\.zig"\);\n', re.MULTILINE)
#: Parts that few C programs need, and half of the time that the library takes to compile.
_SELDOM = frozenset(
    "absv absvsi2 absvdi2 absvti2 addvsi3 addvdi3 subvsi3 subvdi3 mulvsi3 mulo negv divmodei4"
    " udivmodei4 limb64 divsf3 divdf3 divxf3 divc3 mulc3 powiXf2 cos exp exp2 fma fmod log log10"
    " log2 sin sincos tan arm aarch64_outline_atomics atomics aulldiv aullrem clear_cache emutls"
    " hexagon os_version_check ssp stack_probe".split()
)
_QUOTED = re.compile(r'"(\w+)"')
_LACKING = re.compile(r"undefined symbol: (\w+)")


@dataclass(frozen=True, slots=True)
class ArchiveMember:
    """A file of the library: its source, the number of its flags, and its symbols."""

    source: str
    flags: int | None  # None if zig compiles it
    defined: tuple[str, ...] = ()
    undefined: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Index:
    """What zig compiles into the C library: `members` in the archive's order, and `starts`."""

    version: str
    flags: tuple[str, ...]
    starts: tuple[ArchiveMember, ...]
    members: tuple[ArchiveMember, ...]

    def dump(self) -> str:
        """The index as JSON, one member per line."""
        lines = [f'"version": {json.dumps(self.version)}', f'"flags": {_lines(self.flags)}']
        for name, members in (("starts", self.starts), ("members", self.members)):
            rows = (
                (m.source, m.flags, " ".join(m.defined), " ".join(m.undefined)) for m in members
            )
            lines.append(f'"{name}": {_lines(rows)}')
        return "{\n" + ",\n".join(lines) + "\n}\n"

    @classmethod
    def load(cls, text: str) -> "Index":
        """What `dump` gave."""
        data = json.loads(text)
        starts, members = (tuple(_member(*m) for m in data[name]) for name in ("starts", "members"))
        return cls(data["version"], tuple(data["flags"]), starts, members)

    def needed(self, symbols: Iterable[str]) -> list[ArchiveMember]:
        """Return the members that define `symbols`, and those that they need in turn."""
        definers: dict[str, ArchiveMember] = {}
        for member in self.members:
            for symbol in member.defined:
                definers.setdefault(symbol, member)  # the linker takes the first of the archive
        needed, todo = set[ArchiveMember](), list(symbols)
        while todo:
            definer = definers.get(todo.pop())
            if definer is not None and definer not in needed:
                needed.add(definer)
                todo += definer.undefined
        return [member for member in self.members if member in needed]


def _lines(rows: Iterable[object]) -> str:
    return "[\n" + ",\n".join(map(json.dumps, rows)) + "\n]"


def _member(source: str, flags: int | None, defined: str, undefined: str) -> ArchiveMember:
    return ArchiveMember(source, flags, tuple(defined.split()), tuple(undefined.split()))


@cached
def index() -> Index | None:
    """Return the index of the installed zig's C library; None if ours is of another version."""
    ours = Index.load(INDEX.read_text())
    return ours if ours.version == zig.version() else None


def write(index: Index, folder: Path, start: str, linked: Sequence[str]) -> None:
    """Write the library that `linked` needs, and its description, to a new folder.

    `start` names the start file. `linked` are the objects and archives that will be linked. Zig
    compiles its run-time library without parts that no C there names (`zig.LIBRARY`).
    """
    first = next(m for m in index.starts if Path(m.source).stem == start)
    symbols = set().union(first.undefined, *map(_symbols, linked))
    wanted = [first, *(m for m in index.needed(symbols) if m.flags is not None)]
    folder.mkdir()
    # several sources have the same name
    objects = [folder / f"{number}.o" for number in range(len(wanted))]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda member, path: _compile(index, member, path), wanted, objects))
    objects[0].rename(folder / f"{start}.o")
    _check([zig.zig(), "ar", "rcs", *map(str, [folder / "libc.a", *objects[1:]])], folder)
    (folder / zig.LIBC).write_text("".join(f"{name}=.\n" for name in _FOLDERS.split()))
    few = _lean()
    if few is not None and not _of_seldom() & symbols.union(*(m.undefined for m in wanted)):
        (folder / zig.LIBRARY).symlink_to(few)


def widen(folder: Path, messages: str) -> bool:
    """Let zig compile all of its run-time library; whether that gives what the linker lacks.

    Parts that are written in Zig need others that no index tells.
    """
    if (folder / zig.LIBRARY).is_symlink() and _of_seldom() & {*_LACKING.findall(messages)}:
        (folder / zig.LIBRARY).unlink()
        return True
    return False


@cached
def _of_seldom() -> frozenset[str]:
    """Return the symbols that parts of the run-time library define which few programs need."""
    parts = (zig.library() / _RUNTIME.partition(".")[0] / f"{name}.zig" for name in _SELDOM)
    return frozenset(name for part in parts for name in _QUOTED.findall(part.read_text()))


def _lean() -> Path | None:
    """Return a folder like zig's library, without those parts; None if there can be none."""
    cached = zig.cache("zig")
    if cached is None or "ZIG_LIB_DIR" in os.environ:
        return None
    whole = zig.library()
    text = _PART.sub(lambda m: "" if m[1] in _SELDOM else m[0], (whole / _RUNTIME).read_text())
    key = hashlib.sha256("\0".join((str(whole), zig.version(), text)).encode()).hexdigest()
    folder = cached / f"lean-{key[:16]}"
    if not folder.is_dir():
        with tempfile.TemporaryDirectory(dir=cached, ignore_cleanup_errors=True) as scratch:
            new = Path(scratch, "lean")
            new.mkdir()
            for path in whole.iterdir():
                (new / path.name).symlink_to(path)
            (new / _RUNTIME).unlink()
            (new / _RUNTIME).write_text(text)
            with suppress(OSError):  # another process was faster
                new.rename(folder)
    return folder


def _symbols(path: str) -> set[str]:
    """Return all symbols of an object or archive, and maybe more: what it needs is among them."""
    data = read_bytes(path)
    if data.startswith(_OBJECT):
        named = (s for s in sections(data) if s.number == _IMPORTS or s.name == "linking")
        data = b"\n".join(data[s.start : s.end] for s in named)
    return {name.decode() for name in _SYMBOL.findall(data)}


def _compile(index: Index, member: ArchiveMember, path: Path) -> None:
    """Write the object file of a member."""
    assert member.flags is not None, f"zig compiles {member.source}"
    lib = str(zig.library())
    flags = index.flags[member.flags].split()
    # debug information names a folder: that of what zig compiles, wherever the user is
    folder = f"-fdebug-compilation-dir={cache.folder() / 'zig'}"
    words = ["clang", *(f.replace(LIB, lib) for f in flags), folder]
    compile_once(words, zig.library() / member.source, path)


def compile_once(words: Sequence[str], source: Path, path: Path) -> None:
    """Compile a source of the compiler's package to an object file, or take it from the cache."""
    command = [zig.zig(), *words, "-c", str(source), "-o"]
    key = hashlib.sha256("\0".join((zig.version(), *command)).encode()).hexdigest()
    entry = cache.entry("libc", source.stem, key)
    compiled = entry.read()
    if compiled is None:
        _check([*command, str(path)], path.parent)
        entry.write(path.read_bytes())
    else:
        path.write_bytes(compiled)


def _check(command: Sequence[str], scratch: Path) -> None:
    """Run zig; raise `EngineUnavailable` with its messages if it fails."""
    code, output = zig.run(command, scratch, zig.LIBRARY_TIMEOUT)
    if code:
        text = output.decode(errors="replace")
        raise EngineUnavailable(f"the C library cannot be built: {text}")
