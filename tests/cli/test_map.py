"""`transputer map`: one program on many inputs."""

import importlib.util
import json
import multiprocessing
import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.sampling import sampled
from transputer.runtime.map import map_inputs, rows_as_inputs, runner

GCD = ("examples/c/gcd.c", "--invoke", "gcd")


def lines(path: Path, *items: Any) -> Path:
    path.write_text("".join(i if isinstance(i, str) else json.dumps(i) + "\n" for i in items))
    return path


def results(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_results_come_in_order(cli, tmp_path: Path) -> None:
    pairs = [(48, 36), (2**31 - 1, 1), (1, 2**30), (0, 7), (270, 192), (6, 4)]
    inputs = lines(tmp_path / "in.jsonl", *({"args": list(p)} for p in pairs))
    ran = cli("map", GCD[0], inputs, *GCD[1:], "--jobs", "2")
    assert (ran.code, ran.err) == (0, "")
    found = results(ran.out)
    assert [r["results"] for r in found] == [[12], [1], [1], [7], [6], [2]]
    assert [r["line"] for r in found] == [1, 2, 3, 4, 5, 6]
    assert {r["machine"] for r in found} == {"trace"}


@pytest.mark.slow
def test_standard_input_and_arguments_of_a_whole_program(cli, tmp_path: Path) -> None:
    inputs = lines(tmp_path / "in.jsonl", {"stdin": "one two\n"}, {"stdin": ""}, {"args": ["x"]})
    found = results(cli("map", "examples/programs/wc.c", inputs, "--engine", "oracle").out)
    assert [r["stdout"].split() for r in found[:2]] == [["1", "2", "8"], ["0", "0", "0"]]
    hello = results(cli("map", "examples/programs/hello.c", inputs, "--engine", "oracle").out)
    assert hello[2]["stdout"] == "Hello, x!\n"


def test_a_wrong_line_is_an_error_of_its_own(cli, tmp_path: Path) -> None:
    bad = ("nonsense\n", "\n", [1], {"args": 1}, {"stdin": 1}, {"arg": []}, {"args": [True]})
    inputs = lines(tmp_path / "in.jsonl", *bad, {"args": [4]}, {"args": [4, 6]})
    ran = cli("map", GCD[0], inputs, *GCD[1:], "--engine", "oracle")
    assert ran.code == 1
    assert ran.err == "transputer: 7 of 8 inputs gave an error\n"
    found = results(ran.out)
    assert [r["line"] for r in found] == [1, 3, 4, 5, 6, 7, 8, 9]
    assert [r["error"].split(":")[0] for r in found[:-1]] == [
        "not JSON",
        'not an object like {"args"',
        "args must be a list of numbers and strings",
        "stdin must be a string",
        "unknown key 'arg'; available",
        "args must be a list of numbers and strings",
        "gcd takes 2 arguments (i32 i32), 1 given",
    ]
    assert found[-1]["results"] == [2]


def test_traps_are_results_and_limits_are_errors(cli, tmp_path: Path) -> None:
    source = tmp_path / "f.wat"
    source.write_text(
        '(module (func (export "f") (param i32) (result i32) (loop (br_if 0 (i32.eqz '
        "(local.get 0)))) (i32.div_u (i32.const 8) (i32.sub (local.get 0) (i32.const 1)))))"
    )
    inputs = lines(tmp_path / "in.jsonl", {"args": [1]}, {"args": [0]}, {"args": [3]})
    ran = cli("map", source, inputs, "--invoke", "f", "--max-steps", "10000")
    trapped, endless, fine = results(ran.out)
    assert trapped["trap"] == "integer divide by zero"
    assert endless["error"].startswith("step limit of 10,000 reached")
    assert fine["results"] == [4]
    assert ran.code == 1


def test_it_goes_on_where_it_stopped(cli, tmp_path: Path) -> None:
    inputs = lines(tmp_path / "in.jsonl", *({"args": [i, 12]} for i in range(1, 7)))
    whole, part = tmp_path / "whole.jsonl", tmp_path / "part.jsonl"
    command = ("map", GCD[0], inputs, *GCD[1:], "--engine", "oracle", "-o")
    assert cli(*command, whole).code == 0
    kept = whole.read_text().splitlines(keepends=True)
    part.write_text("".join(kept[:3]) + kept[3][:40])  # stopped in the middle of a line
    ran = cli(*command, part)
    assert (ran.code, ran.out) == (0, "")
    again = part.read_text().splitlines(keepends=True)
    assert again[:3] == kept[:3]
    assert [r["results"] for r in results("".join(again))] == [[1], [2], [3], [4], [1], [6]]
    before = part.read_bytes()
    assert cli(*command, part).code == 0
    assert part.read_bytes() == before


@pytest.mark.slow
def test_results_of_something_else_are_not_touched(cli, tmp_path: Path) -> None:
    inputs = lines(tmp_path / "in.jsonl", {"args": [4, 6]}, {"args": [5, 10]})
    output = tmp_path / "out.jsonl"
    command = ("map", GCD[0], inputs, *GCD[1:], "-o", output, "--engine")
    assert cli(*command, "oracle").code == 0
    before = output.read_bytes()
    other = cli(*command, "core")
    assert other.code == 2
    assert f"{output}:1: not a result of this input and program; remove the file" in other.err
    lines(inputs, {"args": [4, 6]})
    fewer = cli(*command, "oracle")
    assert fewer.code == 2
    assert f"{output}:2: not a result of this input and program" in fewer.err
    assert output.read_bytes() == before


@pytest.mark.slow
def test_a_killed_process_changes_nothing(tmp_path: Path) -> None:
    run = runner("examples/c/gcd.c", "gcd", engine="oracle")
    inputs = rows_as_inputs([i, 30] for i in range(1, 9))
    found = []
    for result in map_inputs(run, inputs, jobs=2):
        if not found:
            os.kill(multiprocessing.active_children()[0].pid or 0, signal.SIGKILL)
        found.append(result["results"])
    assert found == [[1], [2], [3], [2], [5], [6], [1], [2]]


def test_csv_columns_are_arguments(cli, tmp_path: Path) -> None:
    inputs = tmp_path / "in.csv"
    inputs.write_text("a,b\n48,36\n270,192\n")
    ran = cli("map", GCD[0], inputs, *GCD[1:], "--engine", "oracle", "--unordered")
    assert (ran.code, sorted(r["results"] for r in results(ran.out))) == (0, [[6], [12]])


@pytest.mark.slow
def test_many_rows_run_as_batches_with_the_same_results(tmp_path: Path) -> None:
    """Rows by lifted code in batches; wrong ones, traps and endless ones by the usual way."""
    source = tmp_path / "f.wat"
    source.write_text(
        '(module (memory 1) (func (export "f") (param i32) (result i32) (loop (br_if 0 (i32.eq '
        "(local.get 0) (i32.const 77)))) (i32.store (i32.const 8) (i32.div_u (i32.const 1000) "
        "(i32.sub (local.get 0) (i32.const 5)))) (i32.load (i32.const 8))))"
    )
    numbers = [*range(290)]
    rows: list[Any] = [{"args": [n]} for n in numbers] + [{"args": ["x"]}]
    run = runner(source, "f", max_steps=1000)
    found = [*map_inputs(run, rows_as_inputs(rows))]
    assert [r["line"] for r in found] == [*range(1, 292)]
    assert "i32" in found[-1]["error"]
    assert found[77]["error"].startswith("step limit of 1,000 reached")
    assert found[5]["trap"] == "integer divide by zero" and found[5]["where"]
    good = [n for n in numbers if n not in (5, 77)]
    expected = [1000 // ((n - 5) % 2**32) for n in good]
    assert [found[n]["results"] for n in good] == [[e] for e in expected]
    assert {found[n]["engine"] for n in good} == {"lifted"}
    plain = {k: v for k, v in run([list(rows_as_inputs(rows))[9]])[0].items()}
    same = ("line", "id", "results", "stdout", "exit_code", "steps", "instructions", "lookups")
    assert {k: found[9][k] for k in same} == {k: plain[k] for k in same}


@pytest.mark.slow
def test_ctrl_c_keeps_what_there_is(cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = lines(tmp_path / "in.jsonl", *({"args": [i, 12]} for i in range(1, 5)))
    output = tmp_path / "out.jsonl"
    command = ("map", GCD[0], inputs, *GCD[1:], "--engine", "oracle", "-o", output)
    module = importlib.import_module("transputer.cli.map")
    with monkeypatch.context() as patched:
        patched.setattr(module, "_bar", lambda output: Interrupting(1))
        ran = cli(*command)
    assert ran.code == 130
    assert ran.err == "transputer: interrupted after 2 of 4; run the same command to resume\n"
    assert len(results(output.read_text())) == 2
    assert cli(*command).code == 0
    assert [r["line"] for r in results(output.read_text())] == [1, 2, 3, 4]


class Interrupting:
    """A progress bar at which someone presses Ctrl-C."""

    def __init__(self, after: int) -> None:
        self.after = after

    def __enter__(self) -> "Interrupting":
        # workers of pytest ignore it
        self.before = signal.signal(signal.SIGINT, signal.default_int_handler)
        return self

    def __exit__(self, *how: object) -> None:
        signal.signal(signal.SIGINT, self.before)

    def add_task(self, *args: object, **options: object) -> int:
        return 0

    def update(self, task: int, completed: int) -> None:
        if completed > self.after:
            os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.parametrize(
    "args, why",
    [
        (("nowhere.c", "pyproject.toml"), "nowhere.c: no such file"),
        ((GCD[0], "nowhere.jsonl"), "nowhere.jsonl"),
        ((GCD[0], "pyproject.toml", "--engine", "magic"), "no engine 'magic'"),
        ((GCD[0], "pyproject.toml", "-o", "no/such/folder/out"), "no/such/folder/out"),
    ],
)
def test_mistakes_are_one_line(cli, args: Sequence[str], why: str) -> None:
    ran = cli("map", *args)
    assert ran.code == 2
    assert why in ran.err.splitlines()[0]


@pytest.mark.parametrize("machine", sampled(["soft", "loom"], 2))
def test_other_machines_map_too(cli: Callable[..., Any], tmp_path: Path, machine: str) -> None:
    inputs = tmp_path / "inputs.jsonl"
    inputs.write_text("{}\n{}\n")
    code, out, err = cli("map", "examples/everywhere/gcd.c", str(inputs), "--machine", machine)
    rows = [json.loads(line) for line in out.splitlines()]
    assert (code, err) == (0, "") and len(rows) == 2
    assert {(row["machine"], row["stdout"]) for row in rows} == {(machine, rows[0]["stdout"])}
    assert rows[0]["stdout"].startswith("12\n21\n")


@pytest.mark.skipif(importlib.util.find_spec("cupy") is not None, reason="CuPy is installed")
def test_a_device_that_is_missing_is_refused_with_a_sentence(cli, tmp_path: Path) -> None:
    inputs = lines(tmp_path / "in.jsonl", {"args": [48, 36]})
    ran = cli("map", GCD[0], inputs, *GCD[1:], "--backend", "cuda")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "transputer: cuda: CuPy is not installed; pip install cupy-cuda13x\n"
