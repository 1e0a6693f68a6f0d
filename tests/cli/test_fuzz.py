"""`transputer fuzz`."""

import json
import os
import signal
from importlib import import_module
from pathlib import Path

import pytest

from tests.sampling import sampled
from transputer.check.fuzz.regressions import parse_case
from transputer.isa.wasm import WASM


@pytest.mark.slow
def test_a_short_run(cli) -> None:
    """Every kind, all agree; this is the run that every `make test` makes."""
    ran = cli("fuzz", "--count", "3", "--seed", "1000", "--json")
    assert (ran.code, ran.err) == (0, "")
    found = json.loads(ran.out)
    assert (found["modules"], found["programs"], found["mismatches"]) == (3, 3, [])
    kinds = ("modules", "c", "lowering", "mutations", "smallc")
    assert found["cases"] == dict.fromkeys(kinds, 3)
    assert found["compared"][:3] == ["wasmtime", "oracle", "weights (native)"]
    assert found["returned"] > 3 and found["instructions"] > 5_000


def test_the_summary(cli) -> None:
    ran = cli("fuzz", "--count", "3", "--seed", "7", "--kind", "modules")
    assert (ran.code, ran.err) == (0, "")
    lines = [line.split() for line in ran.out.splitlines()]
    for line in (["modules", "3"], ["mismatches", "0"], ["first", "seed", "7"]):
        assert line in lines


def test_no_more_is_begun_after_some_seconds(cli) -> None:
    ran = cli("fuzz", "--seconds", "0", "--json")
    found = json.loads(ran.out)
    assert (ran.code, found["modules"], found["programs"]) == (0, 0, 0)


def test_a_difference_is_shrunk_kept_and_replayed(cli, tmp_path: Path) -> None:
    op = WASM["i64.rotl"]
    right = op.pure
    args = ("fuzz", "--kind", "modules", "--regressions", tmp_path / "found")
    object.__setattr__(op, "fn", lambda *args: right(*args) ^ 1)
    try:
        ran = cli(*args, "--count", "1", "--seed", "22")
        file = tmp_path / "found" / "modules-22.wat"
        again = cli("fuzz", "--replay", file)
    finally:
        object.__setattr__(op, "fn", right)
    assert ran.code == 1
    assert "mismatches    1\n" in ran.out and "wasmtime has" in ran.out
    assert ran.err == f"transputer: replay it with: transputer fuzz --replay {file}\n"
    assert again.code == 1 and "the oracle has" in again.out
    small = parse_case(file.read_text())
    assert sum(len(f.body) for f in small.module.functions) < 25
    now = cli("fuzz", "--replay", file)
    assert (now.code, now.out) == (0, f"{file}: all agree\n")
    shown = json.loads(cli("fuzz", "--replay", file, "--json").out)
    assert shown == {"file": str(file), "problem": ""}


@pytest.mark.parametrize(
    "args, why",
    [
        (("--engine", "oracle"), "oracle runs no weights; available: auto, native"),
        (("--replay", "pyproject.toml"), "a regression is a .wat, .c, .wasm file"),
        (("--replay", "nowhere.wat"), "nowhere.wat: no such file"),
        (("--jobs", "0"), "--jobs"),
        (("--kind", "rust"), "--kind"),
    ],
)
def test_mistakes_are_one_line(cli, args: tuple[str, ...], why: str) -> None:
    ran = cli("fuzz", *args)
    assert ran.code == 2
    assert why in ran.err.splitlines()[0]


@pytest.mark.parametrize("jobs", sampled(["1", "2"], 2))
def test_ctrl_c_leaves_a_summary(cli, monkeypatch: pytest.MonkeyPatch, jobs: str) -> None:
    def interrupt(*args: object) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(import_module("transputer.cli.fuzz"), "_show", interrupt)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # workers of pytest ignore it
    try:
        ran = cli("fuzz", "--seconds", "500", "--jobs", jobs, "--kind", "modules", "--json")
    finally:
        signal.signal(signal.SIGINT, before)
    assert (ran.code, ran.err) == (130, "")
    found = json.loads(ran.out)
    assert found["interrupted"] is True
    assert found["modules"] >= 1
    assert found["mismatches"] == []
