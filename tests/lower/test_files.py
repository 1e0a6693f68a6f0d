"""Files of WASI programs: on every engine as under wasmtime, and never outside their folders."""

import os
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sampling import sampled
from transputer import api
from transputer.cli.group import commands
from transputer.errors import CapacityError, StepLimitError, Trap, UsageError
from transputer.frontends.c import compile_c
from transputer.host import folders
from transputer.host.folders import FolderOption, open_folders
from transputer.host.outcome import Interrupted
from transputer.ir.environment import Environment
from transputer.lower.files import file_system
from transputer.oracle.command import run_command
from transputer.runtime.trace.program import TraceProgram, from_binary

HERE = Path(__file__).parent / "wasi"
#: A time for all files of the host, in nanoseconds.
TIME = 10**18 + 5


@pytest.fixture(scope="session")
def compiled() -> Callable[[str], TraceProgram]:
    """The programs of `wasi/`, each compiled once."""
    programs: dict[str, TraceProgram] = {}

    def program(name: str) -> TraceProgram:
        if name not in programs:
            programs[name] = from_binary(name, compile_c(HERE / name))
        return programs[name]

    return program


def fill(folder: Path) -> Path:
    """Make the folder that the programs find; links lead out of it in two ways."""
    (folder / "sub" / "deep").mkdir(parents=True)
    (folder / "hello.txt").write_text("hello, file")
    (folder / "lines.txt").write_text("first line\nsecond\n\nfourth, no newline at the end")
    (folder / "removed.txt").write_text("x")
    (folder / "log.txt").write_text("begin\n")
    (folder / "sub" / "b").write_text("bee")
    links = {"link": "hello.txt", "dead": "nowhere", "folderlink": "sub", "loop": "loop"}
    links |= {"sub/up": "../hello.txt", "out": "../secret", "abs": "/etc/passwd"}
    for name, target in links.items():
        (folder / name).symlink_to(target)
    for path in (folder, *folder.rglob("*")):
        os.utime(path, ns=(TIME, TIME), follow_symlinks=False)
    (folder.parent / "secret").write_text("secret")
    return folder


def contents(folder: Path) -> dict[str, bytes | str]:
    """Everything in a folder, by name."""
    seen: dict[str, bytes | str] = {}
    for path in folder.rglob("*"):
        link = path.is_symlink()
        value = os.readlink(path) if link else "" if path.is_dir() else path.read_bytes()
        seen[str(path.relative_to(folder))] = value
    return seen


def by_program(output: bytes) -> dict[str, str]:
    return dict(
        re.findall(r"== (\d+)\n(.*?)(?=== |\Z)", output.decode(errors="replace"), re.DOTALL)
    )


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["native", pytest.param("oracle", marks=pytest.mark.slow)])
def test_62_programs_do_what_they_do_under_wasmtime(
    compiled: Callable[[str], TraceProgram], engine: str, tmp_path: Path
) -> None:
    program = compiled("programs.c")
    ours, theirs = (fill(tmp_path / name / "t") for name in ("ours", "theirs"))
    expected = run_command(program.binary, ["p"], folders={"t": (theirs, True)})
    result = program.run(engine=engine, dirs=[f"{ours}::t:rw"])
    assert (result.trap, result.exit_code) == (None, 0)
    said, wanted = by_program(result.stdout), by_program(expected.stdout)
    assert len(wanted) == 62
    assert {n: said.get(n) for n in wanted} == wanted
    assert contents(ours) == contents(theirs)
    assert any("wrote" in line and "result.txt" in line for line in result.written)


NAMES = "hello.txt sub b link folderlink out abs loop dead deep up . .. new x n%c3%a9".split()
READ, WRITE = 1 << 1 | 1 << 14, 1 << 6


def any_path(dice: random.Random) -> str:
    path = "/".join(dice.choice(NAMES) for _ in range(dice.choice([1, 1, 1, 2, 2, 3])))
    chance = dice.random()
    return "%" if chance < 0.03 else f"/{path}" if chance < 0.08 else path + "/" * (chance > 0.9)


def script(seed: int, length: int = 60) -> str:
    """Random calls of WASI functions, for `driver.c`."""
    dice = random.Random(seed)
    lines = []
    for _ in range(length):
        path, other, bit = any_path(dice), any_path(dice), dice.randrange(2)
        flags, rights = dice.choice([0, 0, 1, 1, 2, 5, 8, 9]), dice.choice([READ, WRITE, 0])
        size, text = dice.randrange(30), dice.choice(["abc", "%", "z" * 50])
        folder = path.rstrip("/")  # wasmtime refuses to remove a folder named with a slash
        calls = [
            f"close 4\nopen 3 {bit} {path} {flags} {rights} {dice.choice([0, 1, 4])}",
            f"close 4\nopen 3 1 {path} 1 {READ | WRITE} 0",
            *(f"read 4 {size}", f"write 4 {text}", f"seek 4 {size - 10} {dice.randrange(3)}"),
            *(f"mkdir 3 {path}", f"rmdir 3 {folder or '%'}", f"unlink 3 {path}"),
            *(f"rename 3 {path} 3 {other}", f"link 3 0 {path} 3 {other}"),
            *(f"symlink {path} 3 {other}", f"readlink 3 {path} {dice.choice([3, 100])}"),
            *(f"stat 3 {bit} {path}", "readdir 3 9999 0\nreaddir 4 9999 0", f"truncate 4 {size}"),
            *(f"pread 4 {size} {size // 2}", f"pwrite 4 {text} {size}"),
            f"ptimes 3 {bit} {path} 1000000000 2000000000 5",
        ]
        lines.append(dice.choice(calls))
    return "\n".join([*lines, "readdir 3 9999 0"]) + "\n"


def agree(said: bytes, wanted: bytes) -> bool:
    """Two answers, or two refusals of a call with several things wrong in it.

    An escape is refused as such (EPERM) here, also where wasmtime finds another error first; of two
    paths, either may be looked at first.
    """
    name, *codes = said.split()
    refused = codes != [b"0"] and wanted.split()[1:2] not in ([], [b"0"])
    return said == wanted or (refused and (codes == [b"63"] or name in (b"link", b"rename")))


@pytest.mark.slow
@pytest.mark.parametrize("seed", sampled(range(40), 20))
def test_random_calls_return_what_they_return_under_wasmtime(
    compiled: Callable[[str], TraceProgram], seed: int, tmp_path: Path
) -> None:
    program, stdin = compiled("driver.c"), script(seed).encode()
    ours, theirs = (fill(tmp_path / name / "t") for name in ("ours", "theirs"))
    writable = seed % 5 > 0
    expected = run_command(program.binary, ["p"], stdin, folders={"/t": (theirs, writable)})
    option = f"{ours}::/t{':rw' * writable}"
    for engine in ("native", "oracle") if seed % 20 == 0 else ("core",):
        result = program.run(engine=engine, stdin=stdin, dirs=[option], write_anyway=False)
        pairs = zip(stdin.splitlines(), result.stdout.splitlines(), strict=False)
        shown = list(zip(pairs, expected.stdout.splitlines(), strict=False))
        assert [(call, said) for (call, said), wanted in shown if not agree(said, wanted)] == []
        assert result.stdout.count(b"\n") == expected.stdout.count(b"\n")
        if engine != "native":
            assert contents(ours) == contents(theirs)
        else:
            fill_again(ours)
    assert (tmp_path / "ours" / "secret").read_text() == "secret"


def fill_again(folder: Path) -> None:
    """Make the folder anew."""
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
    folder.rmdir()
    fill(folder)


ESCAPES = [
    "../secret", "sub/../../secret", "/etc/passwd", "out", "abs", "out/x", "abs/..", "..", "/",
    "folderlink/../../secret", "./../secret", "sub/deep/../../../secret", "//etc/passwd",
]  # fmt: skip


@pytest.mark.parametrize("engine", ["core", pytest.param("native", marks=pytest.mark.slow)])
def test_every_way_out_is_refused(
    compiled: Callable[[str], TraceProgram], engine: str, tmp_path: Path
) -> None:
    folder = fill(tmp_path / "t")
    calls = []
    for path in ESCAPES:
        calls += [f"open 3 1 {path} 0 {READ} 0", f"open 3 1 {path} 1 {WRITE} 0"]
        calls += [f"stat 3 1 {path}", f"rename 3 hello.txt 3 {path}/.", f"mkdir 3 {path}/x"]
    calls += ["symlink ../../secret 3 s", f"open 3 1 s 0 {READ} 0", "link 3 0 ../secret 3 h"]
    calls += ["mkdir 3 d", "symlink .. 3 d/up", "rename 3 d/up 3 up", f"open 3 1 up/x 1 {WRITE} 0"]
    calls += ["rename 3 ../secret 3 x", "unlink 3 ../secret", "readlink 3 abs 99"]
    calls += [f"open 3 0 sub 0 {READ} 0", f"open 4 0 ../hello.txt 0 {READ} 0", "stat 4 1 up"]
    result = compiled("driver.c").run(
        engine=engine, stdin="\n".join([*calls, ""]).encode(), dirs=[f"{folder}::t:rw"]
    )
    said = dict(zip(calls, result.stdout.decode().splitlines(), strict=True))
    allowed = ("symlink", "mkdir 3 d", "rename 3 d/up", "open 3 0 sub")
    refused = {call: line for call, line in said.items() if not call.startswith(allowed)}
    assert {line.split()[1] for line in refused.values()} <= {"63", "44", "54"}, refused
    assert all(said[call].split()[1] == "63" for call in calls if call.startswith("open 3 1 ../"))
    assert (tmp_path / "secret").read_text() == "secret"
    assert sorted(os.listdir(tmp_path)) == ["secret", "t"]


WRITER = """(module
  (import "wasi_snapshot_preview1" "path_open"
    (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write"
    (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "new/../file")
  (data (i32.const 16) "\\20\\00\\00\\00\\05\\00\\00\\00")
  (data (i32.const 32) "bytes")
  (func $make (export "make") (result i32)
    (drop (call $open (i32.const 3) (i32.const 0) (i32.const 7) (i32.const 4) (i32.const 1)
      (i64.const 64) (i64.const 0) (i32.const 0) (i32.const 48)))
    (call $write (i32.load (i32.const 48)) (i32.const 16) (i32.const 1) (i32.const 52)))
  (func (export "trap") (drop (call $make)) unreachable)
  (func (export "forever") (drop (call $make)) (loop (br 0))))"""


@pytest.fixture
def writer(tmp_path: Path) -> TraceProgram:
    (tmp_path / "writer.wat").write_text(WRITER)
    (tmp_path / "t").mkdir()
    program = api.compile(tmp_path / "writer.wat")
    assert isinstance(program, TraceProgram)
    return program


@pytest.mark.parametrize("engine", ["native", "oracle", "words"])
def test_a_folder_is_written_when_the_program_ends(
    writer: TraceProgram, engine: str, tmp_path: Path
) -> None:
    folder = tmp_path / "t"
    result = writer.run("make", engine=engine, dirs=[f"{folder}:rw"])
    assert (result.results, result.written) == ([0], (f"wrote {folder}/file (5 bytes)",))
    assert contents(folder) == {"file": b"bytes"}
    assert result.as_json()["written"] == list(result.written)
    result = writer.run("make", engine=engine, dirs=[f"{folder}:rw"])
    assert result.written == ()  # the same bytes again
    result = writer.run("make", engine=engine, dirs=[str(folder)])
    assert (result.results, result.written) == ([8], ())  # read-only: it was not opened


def test_nothing_is_written_after_a_trap_or_a_limit(writer: TraceProgram, tmp_path: Path) -> None:
    folder = tmp_path / "t"
    options = {"dirs": [f"{folder}:rw"]}
    result = writer.run("trap", **options)
    assert result.trap is Trap.UNREACHABLE
    assert "nothing is written" in result.written[0] and contents(folder) == {}
    with pytest.raises(StepLimitError):
        writer.run("forever", max_steps=20_000, **options)
    assert contents(folder) == {}
    result = writer.run("forever", pulse=_interrupt, **options)
    assert result.interrupted and "nothing is written" in result.written[0]
    assert contents(folder) == {}
    for name, more in (("trap", {}), ("forever", {"pulse": _interrupt})):
        result = writer.run(name, write_anyway=True, **options, **more)
        assert result.written == (f"wrote {folder}/file (5 bytes)",)
        (folder / "file").unlink()
    with pytest.raises(StepLimitError):
        writer.run("forever", max_steps=20_000, write_anyway=True, **options)
    assert contents(folder) == {"file": b"bytes"}


def _interrupt(steps: int) -> None:
    if steps > 10_000:
        raise Interrupted


def test_a_folder_that_was_exchanged_is_not_written(writer: TraceProgram, tmp_path: Path) -> None:
    folder, other = tmp_path / "t", tmp_path / "other"
    other.mkdir()
    before = open_folders([f"{folder}:rw"])
    session_tree = _written_tree(writer, folder)
    folder.rmdir()
    folder.symlink_to(other)
    with pytest.raises(UsageError, match="another folder"):
        before.write(session_tree)
    assert contents(other) == {}


def test_a_link_that_appears_during_the_run_is_not_followed(
    writer: TraceProgram, tmp_path: Path
) -> None:
    folder, target = tmp_path / "t", tmp_path / "target"
    target.write_text("untouched")
    before = open_folders([f"{folder}:rw"])
    tree = _written_tree(writer, folder)
    (folder / "file").symlink_to(target)
    with pytest.raises(UsageError, match="file cannot be written"):
        before.write(tree)
    assert target.read_text() == "untouched"


def _written_tree(writer: TraceProgram, folder: Path) -> folders.FileTree:
    """The files of a run of `make`, which are removed from the host again."""
    writer.run("make", engine="oracle", dirs=[f"{folder}:rw"])
    tree = open_folders([f"{folder}:rw"]).tree
    (folder / "file").unlink()
    return tree


def test_names_of_one_file_stay_names_of_one_file(tmp_path: Path) -> None:
    """Hard links before a run, and those that it makes or breaks."""
    for side in ("before", "after"):
        (tmp_path / side).mkdir()
    old, new = tmp_path / "before", tmp_path / "after"
    for name in ("a", "b", "c"):
        (old / name).write_text(f"old {name}")
    for name in ("a2", "a3"):
        (old / name).hardlink_to(old / "a")
    (new / "a").write_text("changed")
    (new / "a2").hardlink_to(new / "a")
    (new / "a3").write_text("apart")
    (new / "b").write_text("old b")
    (new / "c").hardlink_to(new / "b")
    host = open_folders([f"{old}:rw"])
    host.write(open_folders([f"{new}:rw"]).tree)
    assert contents(old) == contents(new)
    inodes = {name: (old / name).stat().st_ino for name in os.listdir(old)}
    assert inodes["a"] == inodes["a2"] != inodes["a3"]
    assert inodes["b"] == inodes["c"]


def test_every_kind_of_change_is_written(tmp_path: Path) -> None:
    old, new = fill(tmp_path / "x" / "t"), fill(tmp_path / "y" / "t")
    (new / "hello.txt").unlink()
    (new / "hello.txt").mkdir()
    (new / "hello.txt" / "inner").write_text("now a folder")
    (new / "folderlink").unlink()
    (new / "folderlink").symlink_to("lines.txt")
    (new / "sub" / "b").unlink()
    (new / "sub" / "b").symlink_to("deep")
    (new / "loop").unlink()
    (new / "loop").write_text("no link any more")
    (new / "sub" / "deep").rmdir()
    (new / "lines.txt").write_text("")
    host = open_folders([f"{old}:rw"])
    lines = host.write(open_folders([f"{new}:rw"]).tree)
    assert contents(old) == contents(new)
    assert f"removed {old}/sub/deep" in lines
    assert host.changed(open_folders([f"{new}:rw"]).tree)


def test_a_file_may_be_named_alone(compiled: Callable[[str], TraceProgram], tmp_path: Path) -> None:
    (tmp_path / "config.ini").write_text("key=value")
    names = {"etc/config": str(tmp_path / "config.ini"), "/top": str(tmp_path / "config.ini")}
    calls = f"stat 3 0 etc/config\nopen 3 0 top 0 {READ} 0\nread 4 99\nopen 3 0 top 0 {WRITE} 0\n"
    result = compiled("driver.c").run(engine="core", stdin=calls.encode(), files=names)
    lines = result.stdout.decode().splitlines()
    assert lines == ["stat 0 type 4 size 9 links 1", "open 0 fd 4", "read 0 <key=value>", "open 63"]


@pytest.mark.parametrize(
    "dirs, names, message",
    [
        (["{}/nope"], {}, "No such file"),
        (["{}::"], {}, "HOST"),
        ([":rw"], {}, "HOST"),
        (["{}:rw", "{}/in::b"], {}, "overlap"),
        (["{}::t"], {"t/x": "{}/f"}, "a folder of --dir"),
        ([], {"..": "{}/f"}, "not a name"),
        ([], {"x": "{}/nope"}, "No such file"),
        ([], {"x": "{}/in"}, "not a file|directory"),
        ([], {"x": "{}/f", "./x": "{}/f"}, "two files"),
        ([], {"x": "{}/f", "x/y": "{}/f"}, "file and a folder|two files"),
    ],
)
def test_options_that_name_nothing(
    dirs: list[str], names: dict[str, str], message: str, tmp_path: Path
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "f").write_text("f")
    with pytest.raises(UsageError, match=message):
        open_folders(
            [d.format(tmp_path) for d in dirs], {n: p.format(tmp_path) for n, p in names.items()}
        )


def test_folder_options() -> None:
    assert FolderOption.parse("a") == FolderOption("a", "a")
    assert FolderOption.parse("a/b::/c:rw") == FolderOption("a/b", "/c", True)
    assert FolderOption.parse("a:b:rw") == FolderOption("a:b", "a:b", True)


def test_too_many_bytes_are_refused_with_the_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "large").write_bytes(bytes(1000))
    monkeypatch.setattr(folders, "MAX_BYTES", 999)
    with pytest.raises(CapacityError, match="at most 999 bytes"):
        open_folders([str(tmp_path)])


def test_special_files_are_listed_but_not_opened(
    compiled: Callable[[str], TraceProgram], tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "pipe")
    calls = f"stat 3 0 pipe\nopen 3 0 pipe 0 {READ} 0\n"
    result = compiled("driver.c").run(engine="core", stdin=calls.encode(), dirs=[f"{tmp_path}::t"])
    assert result.stdout.decode().splitlines() == ["stat 0 type 0 size 0 links 1", "open 2"]


def test_the_library_has_no_instruction_on_the_wrong_memory() -> None:
    """Every function that the library imports from the program became an instruction."""
    module = file_system(Environment())
    assert [i.module for i in module.imports] == ["program", "transputer", "transputer"]
    assert len(module.memory_types) == 2 and not module.tables


def test_the_command_line_says_what_it_wrote(
    writer: TraceProgram, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "t"
    command = ["run", str(tmp_path / "writer.wat"), "--invoke", "make", "--dir", f"{folder}:rw"]
    assert commands.main(command, standalone_mode=False) == 0
    assert f"transputer: wrote {folder}/file (5 bytes)" in capsys.readouterr().err
