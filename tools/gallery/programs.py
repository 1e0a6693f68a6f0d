"""The programs of the gallery: their packages, sources and input."""

from dataclasses import dataclass
from pathlib import Path

from tools.sources import SourcePackage

HERE = Path(
    "tools/gallery"
)  # from the root, where the tool runs; paths enter the debugging sections


@dataclass(frozen=True, slots=True)
class GalleryProgram:
    """A program in a source distribution on PyPI, and the script that it runs.

    `platform.h` and `platform.c` in our folder `name` are all that is added to its sources.
    """

    name: str
    title: str
    package: SourcePackage
    folder: str  # of the sources, inside the source distribution
    sources: tuple[str, ...]
    script: str  # in our folder; the program's standard input
    license: str
    author: str
    defines: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()

    @property
    def home(self) -> Path:
        """Our folder: the platform files and the script."""
        return HERE / self.name

    def response(self, unpacked: Path) -> list[str]:
        """Return the files and flags for `transputer run @FILE`."""
        folder = unpacked / self.folder
        files = [folder / f"{name}.c" for name in self.sources]
        return [
            *(str(path) for path in (*files, self.home / "platform.c")),
            *(f"-I{folder}", f"-include{self.home / 'platform.h'}"),
            *(f"-D{definition}" for definition in self.defines),
            "-w",  # their warnings are theirs
        ]


LUA = GalleryProgram(
    name="lua",
    title="Lua 5.4.8",
    package=SourcePackage(
        "lupa",
        "2.8",
        "d8022641b9ec8ecf2c5ecbe9f47e5a70e0b87c4b5ae921b92cb02a638e0acd08",
        # otherwise asking for the name of the package builds seven Lua interpreters
        {"LUPA_NO_BUNDLE": "true", "LUPA_NO_LUAJIT": "true"},
    ),
    folder="third-party/lua54",
    sources=tuple(
        """lapi lauxlib lbaselib lcode lcorolib lctype ldblib ldebug ldo ldump lfunc lgc
        linit liolib llex lmathlib lmem loadlib lobject lopcodes loslib lparser lstate
        lstring lstrlib ltable ltablib ltm lua lundump lutf8lib lvm lzio""".split()
    ),
    script="demo.lua",
    license="MIT",
    author="Lua.org, PUC-Rio",
    arguments=("-",),
)
QUICKJS = GalleryProgram(
    name="quickjs",
    title="QuickJS 2021-03-27",
    package=SourcePackage(
        "quickjs", "1.19.4", "1205953abc24ff757f4a795304d5d61e4bf1e555c9ef6ec96a132d4b95535484"
    ),
    folder="upstream-quickjs",
    sources=("quickjs", "cutils", "libbf", "libregexp", "libunicode"),
    script="demo.js",
    license="MIT",
    author="Fabrice Bellard and Charlie Gordon",
    # EMSCRIPTEN: no threads, no stack limit from the address of a variable
    defines=("EMSCRIPTEN", "CONFIG_BIGNUM", 'CONFIG_VERSION="2021-03-27"'),
)
PROGRAMS = {program.name: program for program in (LUA, QUICKJS)}
