"""`python -m transputer.check.fuzz`."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from transputer.check.fuzz.__main__ import main
from transputer.check.fuzz.campaign import batches, try_module, try_mutation
from transputer.check.fuzz.differential import examine
from transputer.check.fuzz.regressions import parse_case
from transputer.host.memory import LinearMemory


def test_a_clean_run_exits_0() -> None:
    ran = CliRunner().invoke(main, ["--modules", "5", "--mutations", "30", "--seed", "4"])
    assert ran.exit_code == 0
    lines = dict(line.split(maxsplit=1) for line in ran.stdout.splitlines() if line[0] != " ")
    assert (lines["modules"], lines["mutations"], lines["mismatches"]) == ("5", "30", "0")


def test_processes_share_the_work() -> None:
    args = ["--modules", "30", "--mutations", "30", "--seed", "9"]
    alone, shared = (CliRunner().invoke(main, [*args, "--jobs", n]) for n in ("1", "2"))
    assert shared.exit_code == 0
    assert _counts(alone.stdout) == _counts(shared.stdout)


def _counts(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith(("took", "memory"))]


def test_a_mismatch_exits_1_and_leaves_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    args = ["--modules", "40", "--mutations", "0", "--failures", str(tmp_path / "found")]
    with monkeypatch.context() as fault:
        fault.setattr(LinearMemory, "grow", lambda self, pages: -1)
        ran = CliRunner().invoke(main, args)
    assert ran.exit_code == 1
    file = next((tmp_path / "found").iterdir())
    seed = file.stem.removeprefix("module-")
    assert f"python -m transputer.check.fuzz --modules 1 --mutations 0 --seed {seed}" in ran.stdout
    assert examine(parse_case(file.read_text())).problem == ""


@pytest.mark.parametrize(
    ("types", "why"), [("i32,i31", "'i31' is not a valid"), ("i64", "every module needs i32")]
)
def test_types_that_are_none(types: str, why: str) -> None:
    ran = CliRunner().invoke(main, ["--modules", "1", "--types", types])
    assert ran.exit_code == 2
    assert why in ran.output
    assert "there are i32,i64,f32,f64,funcref,externref" in ran.output


def test_an_exception_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(data: bytes) -> None:
        raise RecursionError("too deep")

    monkeypatch.setattr("transputer.check.fuzz.verdicts.decode", broken)
    (failure,) = try_mutation(1).failures
    assert failure.problem == "RecursionError: too deep"
    assert failure.name == "mutation-1.wasm"


def test_a_hang_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def forever(made: object) -> None:
        while True:
            pass

    monkeypatch.setattr("transputer.check.fuzz.campaign.examine", forever)
    monkeypatch.setattr("transputer.check.fuzz.campaign.PATIENCE", 1)
    (failure,) = try_module(1).failures
    assert failure.problem == "TimeoutError: not done after 1 s"


def test_batches_cover_every_seed() -> None:
    work = batches(60, 7, 100, size=25)
    seeds = [(kind, seed) for kind, some, _ in work for seed in some]
    assert seeds == [("module", 100 + i) for i in range(60)] + [
        ("mutation", 100 + i) for i in range(7)
    ]
