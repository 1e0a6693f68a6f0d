"""`debug`, `trace` and `diff` on other machines than the trace machine."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from transputer.runtime.models import build_loom, save_model

Cli = Callable[..., "tuple[int, str, str]"]
GCD = ("examples/loom/gcd.c", "--machine", "loom", "--bits", "8")


@pytest.fixture
def debug(cli: Cli, tmp_path: Path) -> Callable[..., list[str]]:
    def run(*commands: str) -> list[str]:
        script = tmp_path / "script"
        script.write_text("\n".join(commands))
        code, out, err = cli("debug", *GCD, "--script", str(script))
        assert (code, err) == (0, "")
        return out.splitlines()

    return run


def test_looking_into_the_loom_machine(debug: Callable[..., list[str]]) -> None:
    lines = debug("heads", "layers 0", "print", "registers", "list 1", "writes", "memory 1 2")
    assert lines[0] == "step 1 of 33  pc 0  MOV result, a"
    assert "layer 1  c: column 33, a = 84 (by 2)" in lines
    assert "layer 0 fetch: a = 1 (MOV), b = 35 (result), c = 33 (a)" in lines
    assert {"a = 84", "b = 36", "pc 0  column 192", "result = 84"} <= set(lines)
    assert lines[-1].split() == ["1", "84", "36"]


@pytest.mark.slow
def test_other_engines_show_the_same(cli: Cli, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("next\nheads\nlayers 0\ngoto last\n")
    both = (
        (GCD, ("native", "reference", "softmax")),
        (("examples/asm/sum.asm",), ("native", "reference")),
    )
    for program, engines in both:
        shown = [cli("debug", *program, "--engine", e, "--script", str(script)) for e in engines]
        assert shown[0][0] == 0 and len(set(shown)) == 1
        code, _, said = cli("debug", *program, "--engine", "fast")
        assert code == 2 and "no engine 'fast' to debug on the" in said and "reference" in said


def test_moving_on_the_loom_machine(debug: Callable[..., list[str]]) -> None:
    lines = debug("break 7", "c", "back 2", "r", "delete 1", "watch b", "c", "print b", "goto last")
    assert "Breakpoint 1: line 7" in lines and "Breakpoint 2: change of b" in lines
    assert "b = 24" in lines and lines[-1] == "end after 33 steps: exit code 12"


def test_what_the_loom_machine_has_not(debug: Callable[..., list[str]]) -> None:
    lines = debug("stack", "where", "break main", "help")
    assert lines[2:5] == [
        "no command 'stack'; `help` lists them",
        "no command 'where'; `help` lists them",
        "no function 'main': programs of this machine have no functions",
    ]
    assert not any(line.startswith(("stack", "out (", "locals")) for line in lines)


def test_a_trace_of_the_loom_machine(cli: Cli) -> None:
    code, out, err = cli("trace", *GCD, "--steps", "2")
    assert (code, err) == (0, "") and "write b @35: result = 0 (by 2)" in out
    code, out, _ = cli("trace", *GCD, "--steps", "3", "--json")
    steps = [json.loads(line) for line in out.splitlines()]
    assert [step["step"] for step in steps] == [1, 2, 3]
    assert steps[1]["writes"] == "result = 48"


@pytest.mark.parametrize("other", ["oracle", "reference"])
def test_engines_of_the_loom_machine_agree(cli: Cli, other: str) -> None:
    code, out, err = cli("diff", *GCD, "--engines", f"native,{other}")
    assert (code, out, err) == (0, "no difference in 33 steps\n", "")


def test_broken_weights_differ(cli: Cli, tmp_path: Path) -> None:
    model = build_loom("146x512")
    tensors = dict(model.tensors())
    out = tensors["layer3.out"].copy()
    out[model.names.index("minuend.2")] = 0
    path = tmp_path / "broken.safetensors"
    save_model(model.with_tensors({**tensors, "layer3.out": out}), path)
    args = ("diff", *GCD, "--engines", "native,oracle", "--model", str(path))
    code, said, err = cli(*args)
    assert (code, err) == (1, "") and said.startswith("step ") and "slots changed" in said
    found = json.loads(cli(*args, "--json")[1])["difference"]
    assert found["line"].startswith("line ") and found["first"] != found["second"]


@pytest.mark.parametrize(
    "args, said",
    [
        (("debug", "examples/c/gcd.c", "--bits", "8"), "does not take `bits`; it is for loom"),
        (("debug", *GCD, "--invoke", "gcd"), "no function 'gcd' to invoke; available: main"),
        (("trace", *GCD, "5"), "does not take `args`; it is for trace and soft"),
        (("debug", *GCD, "--temperature", "1"), "does not take `temperature`; it is for soft"),
        (("debug", "examples/asm/gcd.asm", "--machine", "loom"), "compiles .c and .loomasm"),
        (("debug", "examples/asm/gcd.asm", "--machine", "soft"), "compiles .soft, .c and"),
        (
            ("diff", "examples/soft/gcd.soft", "--machine", "soft", "--model", "x"),
            "does not take `weights`; it is for trace and loom",
        ),
        (("diff", *GCD, "--engines", "native,nothing"), "no engine 'nothing' to diff"),
        (("diff", *GCD, "--model", "README.md"), "README.md"),
    ],
)  # fmt: skip
def test_mistakes_are_said_in_a_line(cli: Cli, args: tuple[str, ...], said: str) -> None:
    code, out, err = cli(*args)
    assert code == 2 and out == "" and said in err
