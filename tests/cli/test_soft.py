"""The soft machine on the command line, and the compiler that compiles itself."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]
GCD = "examples/everywhere/gcd.c"
SHORT = "examples/selfhost/short.c"


def test_a_program_runs(cli: Cli) -> None:
    soft, trace = cli("run", GCD, "--machine", "soft"), cli("run", GCD)
    assert (soft.code, soft.out) == (0, trace.out)


def test_what_main_returns_is_the_exit_code(cli: Cli) -> None:
    ran = cli("run", SHORT, "--machine", "soft")
    assert (ran.code, ran.out) == (120, "")
    found = json.loads(cli("run", SHORT, "--machine", "soft", "--json").out)
    wanted = {"results": [], "exit_code": 120, "machine": "soft", "engine": "native", "trap": None}
    assert {key: found[key] for key in wanted} == wanted
    assert len(found["state_sha256"]) == 64


def test_input_and_output_are_the_programs(cli: Cli, tmp_path: Path) -> None:
    source = tmp_path / "upper.c"
    source.write_text("int main(void) { int c; while ((c = getchar()) >= 0) putchar(c - 32); }")
    assert cli("run", str(source), "--machine", "soft", stdin=b"abc").out == "ABC"


@pytest.mark.parametrize(
    "text, options, code, message",
    [
        ("int main(void) { return x; }", (), 2, "t.c:1:25: 'x' is not declared\n  int main"),
        ("int main(void) { for (;;); }", ("--max-steps", "1000"), 3, "step limit of 1,000"),
        ("int main(void) { return 1 % (getchar() + 1); }", (), 134, "integer divide by zero"),
        ("int a[99999999]; int main(void) { return a[getchar()]; }", (), 3, "needs 100,000,00"),
        ("int main(void) { return 0; }", ("--engine", "torch"), 2, "no engine 'torch' to run on"),
        ("int main(void) { return 0; }", ("--invoke", "f"), 2, "no function 'f' to invoke"),
        (
            "int main(void) { return 0; }",
            ("--bits", "16"),
            2,
            "does not take `bits`; it is for loom",
        ),
    ],
)
def test_what_goes_wrong(
    cli: Cli, tmp_path: Path, text: str, options: tuple[str, ...], code: int, message: str
) -> None:
    source = tmp_path / "t.c"
    source.write_text(text)
    ran = cli("run", str(source), "--machine", "soft", *options)
    assert ran.code == code and message in ran.err


def test_files_of_other_kinds(cli: Cli, tmp_path: Path) -> None:
    assert (
        "soft machine compiles .soft, .c and .image" in cli("run", "a.wat", "--machine", "soft").err
    )
    image = tmp_path / "t.image"
    image.write_bytes(b"nothing")
    assert "not an image of the soft machine" in cli("run", str(image), "--machine", "soft").err


def test_the_way_to_jax_is_said(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("transputer.machines.soft.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "jax", None)
    ran = cli("run", SHORT, "--machine", "soft", "--engine", "hard")
    assert ran.code == 2 and "pip install 'transputer[jax]'" in ran.err


@pytest.mark.slow
def test_the_compiler_compiles_itself(cli: Cli) -> None:
    ran = cli("selfhost")
    assert ran.code == 0 and ran.out.endswith("stages 2 and 3 are identical\n")
    found = json.loads(cli("selfhost", "--json").out)
    assert found["same"] and [stage["stage"] for stage in found["stages"]] == [1, 2, 3]
    assert found["stages"][1]["sha256"] == found["stages"][2]["sha256"]


def test_it_compiles_other_programs(cli: Cli, tmp_path: Path) -> None:
    ran = cli("selfhost", "examples/selfhost/factorial.c")
    assert ran.code == 0 and "factorial(5) = 120\n" in ran.out
    compiler, image = tmp_path / "cc.image", tmp_path / "short.image"
    assert cli("selfhost", "-o", str(compiler)).code == 0
    assert cli("selfhost", SHORT, "-o", str(image)).code == 0
    assert cli("run", str(image), "--machine", "soft").code == 120
    bad = tmp_path / "bad.c"
    bad.write_text("int main(void) {\n    return y;\n}\n")
    ran = cli("selfhost", str(bad))
    assert ran.code == 2 and "bad.c:2:12: 'y' is not declared\n      return y;\n" in ran.err
    ran = cli("run", str(compiler), "--machine", "soft", stdin=bad.read_bytes())
    assert (ran.code, ran.out) == (1, "2:12: 'y' is not declared\n")
