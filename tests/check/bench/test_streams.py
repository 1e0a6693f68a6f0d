"""`bench streams`: output is compared with wasmtime's before anything is reported."""

from pathlib import Path

import pytest

from transputer import cache
from transputer.check.bench import streams
from transputer.check.bench.programs import WrongAnswer
from transputer.check.bench.streams import COLUMNS, StreamProgram
from transputer.check.bench.workloads import find_sources

#: Writes its input, which is longer than a line, without the C library's buffers.
ECHO = StreamProgram(
    "echo",
    """#include <unistd.h>
int main(void) { char text[64]; write(1, text, read(0, text, 64)); }
""",
    b"x" * 63 + b"\n",
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with the user's cache."""
    (tmp_path / "transputer").symlink_to(cache.folder())
    return tmp_path


def test_a_program_is_timed_whole_and_by_the_byte(home: Path) -> None:
    row = dict(zip(COLUMNS, streams._row(ECHO, home, home), strict=True))
    assert (row["bytes in"], row["bytes out"]) == (64, 64)
    assert isinstance(row["steps"], int) and row["steps"] > 64
    assert all(isinstance(row[name], float) and row[name] > 0 for name in COLUMNS[4:])


def test_other_output_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "timed", lambda *rest: (1.0, b"y"))
    with pytest.raises(WrongAnswer, match="echo"):
        streams._row(ECHO, home, home)


def test_the_programs_are_all_different() -> None:
    folder = find_sources(Path(__file__)).parents[1]
    for quick in (False, True):
        programs = streams.streams(folder, quick)
        assert len({p.source for p in programs}) == len({p.name for p in programs}) == len(programs)
