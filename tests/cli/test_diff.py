"""`transputer diff`: agreement, and the first step where broken weights go another way."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.sampling import sampled
from transputer import api
from transputer.ir.soft import Instruction
from transputer.machines.trace.universal import model as trace_model
from transputer.machines.trace.vocabulary import Space
from transputer.oracle.soft import MAKERS, Soft
from transputer.runtime.models import save_model

Cli = Callable[..., "tuple[int, str, str]"]
GCD = ("examples/c/gcd.c", "--invoke", "gcd", "48", "36")


@pytest.mark.parametrize("other", ["oracle", "words", "core", "reference"])
def test_engines_agree(cli: Cli, other: str) -> None:
    code, out, err = cli("diff", *GCD, "--engines", f"native,{other}")
    assert (code, out, err) == (0, "no difference in 24 steps\n", "")


@pytest.mark.parametrize("name", ["ackermann", "memory_stack", "hanoi", "factorial_recursive"])
def test_assembly_agrees(name: str) -> None:
    found = api.diff(api.compile(f"examples/asm/{name}.asm"), ("native", "oracle"))
    assert found.difference is None and found.steps > 20


def test_input_and_output_agree(tmp_path: Path) -> None:
    source = tmp_path / "echo.c"
    source.write_text(
        '#include "transputer.h"\nint main(void) { int c; long long n = 0;\n'
        "while ((c = tp_read()) >= 0) { tp_write(c); n = n * 257 + c; }\nreturn n % 200; }\n"
    )
    found = api.diff(api.compile(source), ("native", "oracle"), stdin=b"hello, world")
    assert found.difference is None and found.steps > 200


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Weights that never say 12 in the low byte of a value: 11 is the next best."""
    model = trace_model()
    names = [p.name for p in model.parts]
    tables = dict(model.tensors())
    low = f"output.{names[[i for i, n in enumerate(names) if n.startswith('value')][0]]}"
    table = tables[low].copy()
    table[12] = table[0]
    tables[low] = table
    path = tmp_path_factory.mktemp("models") / "broken.safetensors"
    save_model(model.with_tensors(tables), path)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("other", sampled(["oracle", "words", "reference"], 3))
def test_broken_weights_are_found_at_their_step(cli: Cli, broken: Path, other: str) -> None:
    """gcd(48, 36): the remainder 12 is the first 12 that appears."""
    args = ("diff", *GCD, "--engines", f"native,{other}", "--model", str(broken))
    code, out, err = cli(*args, "--json")
    assert (code, err) == (1, "")
    found = json.loads(out)["difference"]
    if other == "reference":
        assert found["first"] == "value 11" and found["second"] == "value 12"
    else:
        assert found["what"].startswith("slot")
        assert (found["first"], found["second"]) == ("11", "12")
    # the step before it agrees: the tokens up to there are those of the universal weights
    told = api.trace(api.compile(GCD[0]), "gcd", [48, 36])
    first = next(s for s in told if s.after.space == Space.SLOT and s.after.value == 12)
    assert found["step"] == first.number
    code, out, _ = cli(*args)
    assert code == 1 and out.startswith(f"step {first.number}") and f"\n  {other}: " in out


@pytest.mark.slow
def test_what_comes_out_is_compared(broken: Path) -> None:
    """A limit that cuts the run off before the broken step finds nothing."""
    found = api.diff(
        api.compile(GCD[0]), ("native", "oracle"), "gcd", [48, 36],
        max_steps=3, weights=broken,
    )  # fmt: skip
    assert found.difference is None and found.steps == 3


@pytest.mark.parametrize(
    "engines, said",
    [
        ("native", "takes two names"),
        ("oracle,native", "the first engine must keep its tokens"),
        ("lifted,oracle", "no engine 'lifted' to diff on the trace machine"),
        ("native,nothing", "no engine 'nothing'"),
    ],
)
def test_wrong_engines(cli: Cli, engines: str, said: str) -> None:
    code, out, err = cli("diff", *GCD, "--engines", engines)
    assert (code, out) == (2, "") and said in err and err.count("\n") == 1


def test_tokens_are_compared_by_length_too() -> None:
    from transputer.debugger.diff import of_tokens  # noqa: PLC0415

    rows = np.zeros((3, 23), dtype=np.uint8)
    assert of_tokens(rows, rows.copy(), [0]) is None
    found = of_tokens(rows, rows[:2], [0])
    assert found is not None and (found.step, found.what) == (2, "number of tokens")


def test_weights_of_another_size_are_refused(cli: Cli, tmp_path: Path) -> None:
    file, source = str(tmp_path / "8.safetensors"), tmp_path / "three.c"
    source.write_text("int main(void) { return 3; }")
    cli("build", "loom", "--config", "64x8,m=20", "-o", file)
    command = ("diff", str(source), "--machine", "loom", "--model", file)
    code, out, err = cli(*command)
    assert (code, out) == (2, "") and "64 columns of" in err
    assert err.endswith("; compile it with --config 64x8,s=32,m=20\n")
    code, out, err = cli(*command, "--config", "64x8,s=32,m=20")
    assert (code, err) == (0, "") and out.startswith("no difference")


ECHO = "IN R0\nADDI R1, R0, 1\nOUT R1\nDJNZ R0, 1\nST R2, 5, R1\nHALT\n"


@pytest.mark.parametrize(
    "engines", ["native,oracle", *sampled(["hard,oracle", "soft,native"], 3)[1:]]
)
def test_engines_of_the_soft_machine_agree(cli: Cli, tmp_path: Path, engines: str) -> None:
    if engines != "native,oracle":
        pytest.importorskip("jax")
    source, typed = tmp_path / "p.soft", tmp_path / "typed"
    source.write_text(ECHO)
    typed.write_text("3")
    command = ("diff", source, "--machine", "soft", "--stdin", typed, "--engines", engines)
    assert cli(*command) == (0, "no difference in 12 steps\n", "")


@pytest.mark.parametrize(
    "wrong, what, text",
    [("ADDI", "R1: 5 against 4", "ADDI R1, R0, 1"), ("ST", "word 5: 0 against 2", "ST R2, 5, R1")],
)
def test_a_wrong_instruction_of_the_soft_machine_is_found(
    monkeypatch: pytest.MonkeyPatch, wrong: str, what: str, text: str
) -> None:
    """The interpreter adds one too many, or stores another register."""
    right = MAKERS.rules[wrong]

    def make(soft: Soft, one: Instruction, at: int) -> Callable[[], int]:
        return right(soft, replace(one, n=one.n + 1) if wrong == "ADDI" else replace(one, b=4), at)

    monkeypatch.setitem(MAKERS.rules, wrong, make)
    program = api.compile(source=ECHO, kind="soft", machine="soft")
    found = program.diff(("oracle", "native"), stdin=b"3")
    assert found.difference is not None
    assert (str(found.difference), found.instruction) == (what, text)
