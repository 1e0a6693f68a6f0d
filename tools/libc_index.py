"""Write the index of the C library of `ziglang`: its members with their flags and symbols.

Zig builds the library in an empty cache and prints how. That takes about half a minute.
"""

import re
import struct
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from transputer.frontends import zig
from transputer.frontends.c import LIBRARY_CPU
from transputer.frontends.wasi_libc import INDEX, LIB, ArchiveMember, Index

TARGET = ("-target", "wasm32-wasi", LIBRARY_CPU, "-OReleaseSmall", "-fno-strip", "-lc")
MODELS = ("command", "reactor")
#: Options that name files of one run, with their operands, or concern messages.
_FILES = re.compile(
    r" (?:-M[DV]|-c|-fno-caret-diagnostics|(?:-MF|-o|--serialize-diagnostics) \S+)(?= |$)"
)
_UNDEFINED = re.compile(r"undefined symbol: (\S+)")


def index(cache: Path) -> Index:
    """Return the index of the installed zig; `cache` is a folder where it has not built one yet."""
    output = "".join(_built(cache, model) for model in MODELS)
    flags: dict[str, int] = {}
    sources: dict[str, int] = {}  # with the number of their flags
    library = str(zig.library())
    for command in re.findall(rf"^\S+ clang {library}/(.*)", output, re.MULTILINE):
        source, _, rest = _FILES.sub("", command).replace(library, LIB).partition(" ")
        sources[source] = flags.setdefault(rest, len(flags))
    starts = set(re.findall(r"\S*\bo/\S+/crt1-\w+\.o", output))
    members = (_member(cache / start, (), sources) for start in starts)
    files = (file for file in _archive(cache, output, "libc") if file[1])
    ((path, defined),) = _archive(cache, output, "libzigc")
    return Index(
        zig.version(),
        tuple(flags),
        tuple(sorted(members, key=lambda member: member.source)),
        (
            *(_member(*file, sources) for file in files),
            ArchiveMember("c.zig", None, defined, _undefined(path)),  # the part written in Zig
        ),
    )


def _built(cache: Path, model: str) -> str:
    """Return the commands by which zig builds an empty program."""
    empty = cache / "empty.c"
    empty.write_text("int main(void) { return 0; }\n")
    command = [zig.zig(), "build-exe", *TARGET, f"-mexec-model={model}", str(empty)]
    command += ["--verbose-cc", "--verbose-link", f"-femit-bin={cache}/empty.wasm"]
    caches = {"ZIG_GLOBAL_CACHE_DIR": str(cache), "ZIG_LOCAL_CACHE_DIR": str(cache)}
    ran = subprocess.run(command, env=caches, cwd=cache, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return ran.stderr


def _archive(cache: Path, output: str, name: str) -> list[tuple[Path, tuple[str, ...]]]:
    """Return the objects of an archive that zig made, with the symbols they define."""
    found = re.search(rf"^ar rcs (\S+/{name}\.a) (.*)$", output, re.MULTILINE)
    assert found is not None, f"zig built no {name}"
    paths = [cache / path for path in found[2].split()]
    return list(zip(paths, _defined((cache / found[1]).read_bytes()), strict=True))


def _defined(archive: bytes) -> Iterator[tuple[str, ...]]:
    """Yield the symbols that the members of an archive define, from its symbol table."""
    (count,) = struct.unpack_from(">I", archive, 68)
    offsets = struct.unpack_from(f">{count}I", archive, 72)
    names = archive[72 + 4 * count :].split(b"\0", count)
    at = 8
    while at < len(archive):
        if not archive.startswith(b"/ ", at) and not archive.startswith(b"//", at):
            yield tuple(n.decode() for o, n in zip(offsets, names, strict=False) if o == at)
        size = int(archive[at + 48 : at + 58])
        at += 60 + size + size % 2


def _member(path: Path, defined: tuple[str, ...], sources: dict[str, int]) -> ArchiveMember:
    """Return a member. Its name, and the debug information of its object, tell its source."""
    data, folder = path.read_bytes(), zig.library()
    named = (source for source in sources if Path(source).stem == path.stem)
    (source,) = (source for source in named if f"{folder}/{source}\0".encode() in data)
    return ArchiveMember(source, sources[source], defined, _undefined(path))


def _undefined(path: Path) -> tuple[str, ...]:
    """Return the symbols that an object needs, as the linker says."""
    options = ["--error-limit=0", "--no-entry", "--no-gc-sections", "-o", "/dev/null"]
    command = [zig.zig(), "wasm-ld", *options, str(path)]
    errors = subprocess.run(command, capture_output=True, text=True).stderr
    return tuple(sorted(set(_UNDEFINED.findall(errors))))


def main() -> None:
    """Write the index."""
    with tempfile.TemporaryDirectory() as folder:
        INDEX.write_text(index(Path(folder)).dump())


if __name__ == "__main__":
    main()
