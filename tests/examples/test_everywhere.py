"""One C source each, the same output on every machine and from a C compiler."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from transputer import api

SOURCES = sorted(Path("examples/everywhere").glob("*.c"))


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What the programs print when a C compiler makes them."""
    cc = shutil.which("cc")
    if cc is None:
        pytest.skip("no C compiler to compare with")
    folder = tmp_path_factory.mktemp("everywhere")
    printed = {}
    for source in SOURCES:
        subprocess.run([cc, "-o", folder / source.stem, source], check=True)
        printed[source.stem] = subprocess.run(
            [folder / source.stem], check=True, capture_output=True
        ).stdout
    return printed


def test_there_are_five() -> None:
    names = "bubble_sort collatz fibonacci gcd sieve"
    assert [source.stem for source in SOURCES] == names.split()


@pytest.mark.parametrize("source", SOURCES, ids=lambda p: p.stem)
def test_every_machine_prints_the_same(source: Path, compiled: dict[str, bytes]) -> None:
    wanted = compiled[source.stem]
    assert wanted.count(b"\n") >= 4
    for machine in ("trace", "loom", "soft"):
        result = api.run(source, machine=machine, engine="native")
        assert (result.machine, result.stdout, result.exit_code) == (machine, wanted, 0)
        assert result.results == [] and result.trap is None
    oracle = api.run(source, machine="loom", engine="oracle")
    assert oracle.stdout == wanted


@pytest.mark.parametrize("machine", ["trace", "loom", "soft"])
def test_the_command_line_prints_the_same(
    cli: Callable[..., Any], compiled: dict[str, bytes], machine: str
) -> None:
    for source in SOURCES:
        ran = cli("run", str(source), "--machine", machine)
        assert (ran.code, ran.out.encode(), ran.err) == (0, compiled[source.stem], "")


def test_the_figures_of_the_page() -> None:
    page = Path("docs/smallc.md").read_text(encoding="utf-8")
    for source in SOURCES:
        program = api.compile(source, machine="soft")
        size, steps = len(program.image.code), program.run().steps
        assert f"| `everywhere/{source.name}` | {size:,} | {steps:,} |" in page
