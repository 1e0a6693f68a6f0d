import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from transputer.cli import main
from transputer.spec import find_folder

ROOT = Path(__file__).parents[1]


class Ran(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def cli(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Runs `transputer ARGS` in this process, from the root of the checkout."""

    def run(*args: str, stdin: bytes = b"") -> Ran:
        capfd.readouterr()
        monkeypatch.chdir(ROOT)
        monkeypatch.setattr(sys, "argv", ["transputer", *map(str, args)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as stop:
            main()
        sys.stdout.flush()
        sys.stderr.flush()
        captured = capfd.readouterr()
        return Ran(int(stop.value.code or 0), captured.out, captured.err)

    return run


@pytest.fixture(scope="session")
def suite() -> Path:
    """The folder of the official tests; tests that need it skip where it is missing."""
    folder = find_folder(ROOT)
    if folder is None:
        pytest.skip("the official WebAssembly tests are not here; set TRANSPUTER_SPEC")
    return folder
