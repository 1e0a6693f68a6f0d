"""The user's cache: whatever happens to its files, no number changes and nothing raises."""

import ast
import ctypes
import hashlib
import importlib
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from shutil import rmtree
from typing import TypeVar

import numpy as np
import pytest

from transputer import api, cache
from transputer.engines.lifted.decoder import certificate
from transputer.engines.lifted.decoder.bytecode import packed, unpacked
from transputer.engines.lifted.decoder.circuit import OWN
from transputer.engines.lifted.decoder.lifting import Chosen, Lifting, lifting
from transputer.engines.lifted.decoder.rows import Tree
from transputer.engines.lifted.decoder.store import RowCache, dumped, dumped_frame
from transputer.engines.native import compile as native
from transputer.frontends.wat import library_wasm, to_wasm
from transputer.machines.trace.opcodes import OPCODES
from transputer.machines.trace.tape import STATUS
from transputer.machines.trace.universal import model as trace_model
from transputer.machines.trace.vocabulary import LAYOUT
from transputer.model import cached_digest, digest, mutate

T = TypeVar("T")
#: Random edits of the files of each kind.
ROW_EDITS, LIBRARY_EDITS = 180, 20
STOPS = frozenset([STATUS])
ROWS = ("i32.add", "i32.sub", "i32.const", "local.get")
PACKAGE = Path(cache.__file__).parent


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("transputer.engines.lifted.decoder.proved.FOLDER", tmp_path / "none")
    lifting.cache_clear()
    yield tmp_path / "transputer"
    lifting.cache_clear()


@pytest.fixture(scope="module")
def derived() -> Iterator[Lifting]:
    """The lifting of the universal model, derived from its weights."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", "/dev/null")
        lifted = Lifting(trace_model(), STOPS, RowCache(trace_model(), STOPS, fresh=True))
        for name in ROWS:
            row(lifted, name)
        yield lifted


def row(lifted: Lifting, name: str) -> Tree:
    names = [part for part, count in LAYOUT for _ in range(count)]
    (fetch,) = (c for c in lifted.frame.setting.controls if c[0] != OWN)
    return lifted.row({fetch: OPCODES[name], (OWN, names.index("phase")): 0})


def row_files(folder: Path) -> list[Path]:
    return sorted(p for p in folder.glob("rows/*/*") if not p.name.startswith("frame"))


# Random edits. Each takes the bytes of a file, those of another file, and a source of chance.

Edit = Callable[[bytes, bytes, random.Random], bytes]


def flip(data: bytes, other: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]


def truncate(data: bytes, other: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data))]


def lengthen(data: bytes, other: bytes, rng: random.Random) -> bytes:
    return data + rng.randbytes(rng.randrange(1, 40))


def swap(data: bytes, other: bytes, rng: random.Random) -> bytes:
    return other


def change_number(data: bytes, other: bytes, rng: random.Random) -> bytes:
    """Another digit in the place of one: what is text stays well-formed."""
    digits = [i for i in range(32, len(data)) if data[i] in b"123456789"]
    at = rng.choice(digits)
    return data[:at] + bytes([data[at] % 9 + 49 if data[at] != 57 else 49]) + data[at + 1 :]


def plain_checksum(data: bytes, other: bytes, rng: random.Random) -> bytes:
    """An edit by someone who mends the checksum, but does not know what it is over."""
    contents = change_number(data, other, rng)[32:]
    return hashlib.sha256(contents).digest() + contents


def other_contents(data: bytes, other: bytes, rng: random.Random) -> bytes:
    return data[:32] + other[32:]


def nothing(data: bytes, other: bytes, rng: random.Random) -> bytes:
    return b""


EDITS: tuple[Edit, ...] = (
    *(flip, truncate, lengthen, swap, change_number),
    *(plain_checksum, other_contents, nothing),
)


@pytest.mark.slow
def test_edited_rows_are_derived_again(folder: Path, derived: Lifting) -> None:
    rng = random.Random(4)
    model, other = trace_model(), mutate(trace_model(), 5, "zero")
    wanted = {name: row(derived, name) for name in ROWS}
    rows, foreign = RowCache(model, STOPS), RowCache(other, STOPS)
    frame = dumped_frame(derived.frame)

    def check() -> int:
        """Compare what the cache gives with what was derived; how often it was derived again."""
        again: list[object] = []

        def derive(value: T) -> T:
            again.append(value)
            return value

        for name, tree in wanted.items():
            assert dumped(rows.row(name, partial(derive, tree))) == dumped(tree)
        assert dumped_frame(rows.frame(partial(derive, derived.frame))) == frame
        return len(again)

    assert check() == len(ROWS) + 1  # now they are in the cache
    for name, tree in wanted.items():  # and those of another model, too
        foreign.row(name, partial(lambda tree: tree, tree))
    assert check() == 0
    ours = sorted((folder / rows.room).iterdir())
    others = sorted((folder / foreign.room).iterdir())
    assert len(ours) == len(ROWS) + 1 and len(others) == len(ROWS)
    for number in range(ROW_EDITS):
        path, source = rng.choice(ours), rng.choice([*ours, *others])
        before = path.read_bytes()
        edit = EDITS[number % len(EDITS)]
        after = edit(before, source.read_bytes(), rng)
        path.write_bytes(after)
        assert check() == (after != before), edit.__name__
        assert path.read_bytes() == before


def test_an_entry_that_is_a_folder(folder: Path, derived: Lifting) -> None:
    tree = row(derived, "i32.add")
    rows = RowCache(trace_model(), STOPS)
    cache.entry(rows.room, "add", rows.inputs).path.mkdir(parents=True)
    assert rows.row("add", lambda: tree) == tree


def test_a_sealed_entry_that_does_not_load_is_derived_again(derived: Lifting) -> None:
    tree = row(derived, "i32.add")
    rows = RowCache(trace_model(), STOPS)
    for contents in (b"", b"{}", b"[[], 1]", b"\xff", b"[" * 100_000):
        cache.entry(rows.room, "add", rows.inputs).write(contents)
        assert rows.row("add", lambda: tree) == tree


@pytest.mark.slow
def test_an_edited_formula_does_not_change_a_sum(
    folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Files of the cache are exchanged, so that the row of an addition is another formula."""
    source = tmp_path / "add.wat"
    source.write_text(
        '(module (func (export "add") (param i32 i32) (result i32)'
        " local.get 0 local.get 1 i32.add)"
        ' (func (export "sub") (param i32 i32) (result i32)'
        " local.get 0 local.get 1 i32.sub))"
    )
    for name, wanted in (("add", 305419897), ("sub", 305419895)):
        result = api.run(source, name, [305419896, 1], engine="lifted")
        assert result.results == [wanted]
    paths = row_files(folder)
    assert len(paths) >= 4
    contents = [path.read_bytes() for path in paths]
    for path, data in zip(paths, contents[1:] + contents[:1], strict=True):
        path.write_bytes(data)
    rmtree(folder / "lifted")  # compiled code
    lifting.cache_clear()
    result = api.run(source, "add", [305419896, 1], engine="lifted")
    assert result.results == [305419897]
    assert "is damaged; deriving it again" in caplog.text


@pytest.mark.slow
def test_proofs_do_not_read_the_cache(
    folder: Path, derived: Lifting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong formula with the right seal is believed by the engine, and not by a proof."""
    add, wrong = row(derived, "i32.add"), row(derived, "i32.sub")
    assert row(lifting(trace_model(), STOPS, fresh=True), "i32.add") == add
    (path,) = row_files(folder)
    rows = RowCache(trace_model(), STOPS)
    name = path.name.rpartition("-")[0]
    cache.entry(rows.room, name, rows.inputs).write(dumped(wrong).encode())
    lifting.cache_clear()
    assert row(lifting(trace_model(), STOPS), "i32.add") == wrong

    def reachable(lifted: Lifting) -> Iterator[tuple[Chosen, Tree]]:
        tree = row(lifted, "i32.add")
        (key,) = lifted._rows
        yield key, tree

    monkeypatch.setattr(Lifting, "reachable", reachable)
    cache.entry(rows.room, name, rows.inputs).write(dumped(wrong).encode())
    (proof,) = certificate.certify(trace_model(), STOPS).rows
    assert proof.sha256 == hashlib.sha256(dumped(add).encode()).hexdigest()
    assert certificate.check(trace_model(), STOPS) == []
    cache.entry(rows.room, name, rows.inputs).write(dumped(wrong).encode())
    lifting.cache_clear()
    (proof,) = certificate.certify(trace_model(), STOPS, fresh=False).rows
    assert proof.sha256 == hashlib.sha256(dumped(wrong).encode()).hexdigest()
    assert certificate.check(trace_model(), STOPS, fresh=False)  # refuted by the weights


def test_edited_libraries_are_compiled_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(2)
    texts = [f"int answer(void) {{ return {n}; }}" for n in (305419897, 305419898)]
    binaries = {
        text: native._compile((*native.compilers()[0], *native._FLAGS), text) for text in texts
    }
    monkeypatch.setattr(native, "_compile", lambda command, text: binaries[text])

    def answers() -> list[int]:
        libraries = [native.compiled("test", "a", t, native._FLAGS, t.encode()) for t in texts]
        return [ctypes.CFUNCTYPE(ctypes.c_int)(("answer", one))() for one in libraries]

    assert answers() == [305419897, 305419898]
    paths = sorted((folder / "test").iterdir())
    assert len(paths) == 2
    for number in range(LIBRARY_EDITS):
        path, other = rng.sample(paths, 2)
        before = path.read_bytes()
        path.write_bytes(EDITS[number % len(EDITS)](before, other.read_bytes(), rng))
        assert answers() == [305419897, 305419898]
        assert path.read_bytes() == before


def test_edited_blocks_are_made_again(folder: Path) -> None:
    rng = random.Random(3)
    blocks = {7: np.arange(40, 60), 300: -np.arange(9), 2: np.zeros(1, dtype=np.int64)}
    entries = [cache.entry("test", "blocks", n) for n in range(2)]
    contents = packed(blocks)
    entries[0].write(contents)
    entries[1].write(packed({7: blocks[300]}))
    found = entries[0].get(unpacked)
    assert found is not None and found.keys() == blocks.keys()
    assert all((found[n] == block).all() for n, block in blocks.items())
    for number in range(LIBRARY_EDITS):
        path, other = (entry.path for entry in entries)
        path.write_bytes(EDITS[number % len(EDITS)](path.read_bytes(), other.read_bytes(), rng))
        assert entries[0].get(unpacked) is None
        entries[0].write(contents)


@pytest.mark.parametrize("cut", [0, 1], ids=["unreadable", "damaged"])
def test_a_damaged_file_is_complained_of_once(
    folder: Path, caplog: pytest.LogCaptureFixture, cut: int
) -> None:
    entry = cache.entry("some", "thing", 1)
    entry.write(b"no JSON")
    data = entry.path.read_bytes()
    entry.path.write_bytes(data[: len(data) - cut])
    assert entry.get(json.loads) is None and len(caplog.records) == 1
    assert entry.get(json.loads) is None and len(caplog.records) == 1


def test_a_folder_does_not_grow_without_end(folder: Path) -> None:
    for i in range(9):
        cache.entry("small", f"{i}", most=5).write(b"x")
        assert cache.entry("small", "0").read() == (b"x")  # in use: it stays
    assert len(list((folder / "small").iterdir())) == 5


# The code that derives


def imported(path: Path) -> Iterator[Path]:
    """Files of the package that a file imports, by its syntax tree."""
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: a relative import"
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        for name in names:
            first, *rest = name.split(".")
            for i in range(len(rest) if first == "transputer" else 0):
                place = PACKAGE.joinpath(*rest[: i + 1])
                yield from filter(Path.is_file, (place.with_suffix(".py"), place / "__init__.py"))


@pytest.mark.parametrize(
    "module",
    [
        "transputer.engines.lifted.decoder.lifting",
        "transputer.engines.native.planner",
        "transputer.machines.trace.universal",
    ],
)
def test_all_code_that_derives_counts(module: str) -> None:
    files, todo = set[Path](), {Path(str(importlib.import_module(module).__file__))}
    while todo:
        files |= todo
        todo = {other for path in todo for other in imported(path)} - files
    assert files <= {*cache.sources(module)}
    assert len(files) > 20


def test_the_code_of_the_lifter_counts() -> None:
    names = {
        str(p.relative_to(PACKAGE))
        for p in cache.sources("transputer.engines.lifted.decoder.lifting")
    }
    lifted = PACKAGE / "engines/lifted/decoder"
    assert {"model/tensors.py", "model/verify.py", "engines/native/heads.py", "errors.py"} <= names
    assert {f"engines/lifted/decoder/{p.name}" for p in lifted.glob("*.py")} - names == {
        "engines/lifted/decoder/certificate.py"  # proves; derives nothing that is cached
    }


def test_other_code_has_other_entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = "transputer.engines.native.planner"
    before = cache.code.__wrapped__(module)
    assert cache.code.__wrapped__(module) == before
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))  # where no digest is known
    assert cache.code.__wrapped__(module) == before
    rmtree(tmp_path / "transputer")
    copy = tmp_path / "stream.py"
    original = PACKAGE / "model" / "stream.py"
    copy.write_bytes(original.read_bytes() + b"\n")
    files = [copy if path == original else path for path in cache.sources(module)]
    assert copy in files
    monkeypatch.setattr(cache, "sources", lambda module: files)
    assert cache.code.__wrapped__(module) != before


def test_a_known_digest_of_sources_counts_while_they_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not after an edit, even one that leaves the size and the time, nor with another header."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(str(tmp_path / "code"))
    path = tmp_path / "code" / "lonely.py"
    path.parent.mkdir()
    path.write_text("ONE = 1\n")
    importlib.import_module("lonely")
    monkeypatch.setattr(cache, "_SETTLED", -(10**12))
    first, reads = cache.texts("lonely"), []
    plain = cache.sources
    monkeypatch.setattr(cache, "sources", lambda module: reads.append(module) or plain(module))
    assert (cache.texts("lonely"), reads) == (first, [])
    before = path.stat()
    time.sleep(0.05)  # longer than a tick of the file system's clock
    path.write_text("ONE = 2\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    cache._text.cache_clear()
    second = cache.texts("lonely")
    assert second != first and reads == ["lonely"]
    path.with_name("more.h").write_text("int x;")
    cache._texts.cache_clear()
    assert cache.texts("lonely") not in (first, second) and len(reads) == 2
    (known,) = (tmp_path / "cache/transputer/sources").iterdir()
    known.write_bytes(known.read_bytes().replace(b"0", b"1"))
    assert cache.texts("lonely") not in (first, second) and len(reads) == 3


def test_the_digest_of_a_cached_model_is_its_digest() -> None:
    assert cached_digest(trace_model()) == cached_digest(trace_model()) == digest(trace_model())
    other = mutate(trace_model(), 1000, "zero")
    assert cached_digest(other) == digest(other) != digest(trace_model())


def test_a_damaged_routine_is_parsed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    text = '(module (func (export "f")))'
    binary = library_wasm(text, "f.wat")
    (file,) = (tmp_path / "transputer" / "routines").iterdir()
    file.write_bytes(file.read_bytes()[:-1] + b"!")
    assert library_wasm(text, "f.wat") == binary == to_wasm(text)


@pytest.mark.parametrize("finish", [True, False])
def test_what_a_run_began_is_finished_after_its_end(tmp_path: Path, finish: bool) -> None:
    """A daemon thread would be stopped, and might abort the process."""
    note = tmp_path / "note"
    text = (
        "import time, pathlib; from transputer.engines.lifted.decoder import _Task;"
        "from transputer.engines.native.compile import ending;"
        f"made = pathlib.Path({str(note)!r});"
        "task = _Task(lambda: (time.sleep(1), ending.is_set() or made.touch()));"
        f"task.finish = {finish}"
    )
    subprocess.run([sys.executable, "-c", text], check=True)
    assert note.exists() == finish
