"""The loom machine on the command line."""

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]
GCD = "examples/loom/gcd.loomasm"


def test_a_program_runs(cli: Cli) -> None:
    ran = cli("run", GCD, "--machine", "loom")
    assert (ran.code, ran.out) == (0, "M12\n")


def test_engines_agree(cli: Cli, tmp_path: Path) -> None:
    source = tmp_path / "count.loomasm"
    loop = "loop: DEC result\nMOV output, result\nJNZ result, loop\nHALT"
    source.write_text(f".word result 5\n{loop}")
    found = []
    for engine in ("native", "reference", "softmax", "oracle"):
        ran = cli("run", str(source), "--machine", "loom", "--config", "64x8,m=4",
                  "--engine", engine, "--json")  # fmt: skip
        assert ran.code == 0
        found.append(json.loads(ran.out))
        assert found[-1]["engine"] == engine and found[-1]["config"] == "64x8,s=32,m=4"
    assert [f["machine"] for f in found] == ["loom"] * 4
    for one in found:
        wanted = {"results": [0], "stdout": "\4\3\2\1\0", "steps": 16, "trap": None, "exit_code": 0}
        assert {key: one[key] for key in wanted} == wanted
    assert len({one["trace_sha256"] for one in found}) == 1


def test_stats_say_the_configuration(cli: Cli) -> None:
    assert "configuration 146x512" in cli("run", GCD, "--machine", "loom", "--stats").err


@pytest.mark.parametrize(
    "text, options, code, message",
    [
        (".word x 200\nLOAD x, x\nHALT", (), 134, "out of bounds memory access"),
        ("INC 0", (), 134, "invalid instruction"),
        ("JMP @0", ("--max-steps", "1000"), 3, "step limit of 1,000"),
        ("FLY", (), 2, "t.loomasm:1:1: no operation FLY"),
        ("HALT", ("--config", "77"), 2, "not a loom configuration"),
        (".bits 8\nHALT", ("--bits", "16"), 2, "words of 8 bits, not 16"),
        ("HALT\n" * 30, ("--config", "64x8,m=4"), 3, "needs 30 instruction slots"),
        ("HALT", ("--engine", "abacus"), 2, "no engine 'abacus' to run on the loom machine"),
        ("HALT", ("--invoke", "f"), 2, "no function 'f' to invoke; available: none"),
    ],
)
def test_what_goes_wrong(
    cli: Cli, tmp_path: Path, text: str, options: tuple[str, ...], code: int, message: str
) -> None:
    source = tmp_path / "t.loomasm"
    source.write_text(text)
    ran = cli("run", str(source), "--machine", "loom", *options)
    assert ran.code == code and message in ran.err


def test_options_of_loom_are_for_loom(cli: Cli) -> None:
    assert cli("run", "examples/asm/gcd.asm", "--config", "146x512").code == 2
    assert (
        "loom machine compiles .c and .loomasm"
        in cli("run", "examples/asm/gcd.asm", "--machine", "loom").err
    )


def test_a_model_is_built_and_inspected(cli: Cli, tmp_path: Path) -> None:
    file = str(tmp_path / "loom.safetensors")
    ran = cli("build", "loom", "--config", "146x512", "-o", file)
    assert ran.code == 0 and "8 layers, 155 rows, 512 columns" in ran.out
    card = json.loads(cli("inspect", file, "--json").out)
    assert (card["layers"], card["rows"], card["exact_in"]) == (8, 155, "float32")
    assert card["published"]["rows"] == 146
    assert sum(row["rows"] for row in card["row_table"]) == card["rows"]
    text = cli("inspect", file).out
    assert "published" in text and "traps" in text
    assert "looped model" in cli("run", file).err


@pytest.mark.slow
def test_the_lifted_engine_runs(cli: Cli) -> None:
    given = ("run", "examples/loom/bubble.c", "--machine", "loom", "--json", "--engine")
    found, wanted = (json.loads(cli(*given, name).out) for name in ("lifted", "oracle"))
    for name in ("results", "steps", "trace_sha256"):
        assert found[name] == wanted[name]


@pytest.mark.slow
def test_a_model_is_proved(cli: Cli, tmp_path: Path) -> None:
    file = str(tmp_path / "loom.safetensors")
    cli("build", "loom", "--config", "128x8,m=32", "-o", file)
    proved = cli("prove", file)
    assert proved.code == 0 and "0 of them not entirely in formulas" in proved.out
    cli("build", "loom", "--config", "64x8,m=4", "-o", file)
    assert "with at least" in cli("prove", file).err


def test_onnx_runs_a_program_or_says_what_is_missing(cli: Cli, tmp_path: Path) -> None:
    source = tmp_path / "t.loomasm"
    source.write_text(".word x 41\nINC x\nHALT")
    options = ("--machine", "loom", "--config", "64x8,m=4", "--engine", "onnx", "--json")
    ran = cli("run", str(source), *options)
    if importlib.util.find_spec("onnxruntime") and importlib.util.find_spec("onnx"):
        assert json.loads(ran.out)["steps"] == 2
    else:
        assert ran.code == 2 and "pip install 'transputer[onnx]'" in ran.err


@pytest.mark.slow
def test_rules_are_checked_on_loom(cli: Cli) -> None:
    options = ("--rule", "2", "--rule", "3", "--rule", "6", "--json")
    ran = cli("audit", "--machine", "loom", *options)
    found = json.loads(ran.out)
    assert ran.code == 0 and [verdict["rule"] for verdict in found["verdicts"]] == [2, 3, 6]


def test_a_program_is_exported(cli: Cli, tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    file = tmp_path / "gcd.onnx"
    ran = cli("export", GCD, "--machine", "loom", "--to", "onnx", "-o", str(file))
    assert ran.code == 0 and "gcd.step.onnx" in ran.out
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    run = runtime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    assert int(run.run(["steps"], {})[0]) == 30
    assert cli("export", GCD, "--machine", "loom", "--to", "c", "-o", str(file)).code == 2
