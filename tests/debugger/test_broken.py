"""Breaking a part of the weights: the first step that differs, and what the program does then."""

from collections.abc import Callable
from pathlib import Path

import pytest

from transputer import api
from transputer.debugger.damage import break_part, damage_of, part_names
from transputer.errors import UsageError
from transputer.machines.trace.universal import model
from transputer.model import nonzeros
from transputer.runtime.broken import BrokenRun, BrokenView, break_weight

Cli = Callable[..., "tuple[int, str, str]"]
SUM = '(module (func (export "f") (param i32) (result i32) local.get 0 i32.const 7 i32.add))'


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("broken") / "sum.wat"
    path.write_text(SUM)
    return path


def broken(source: Path, part: str, how: str) -> BrokenRun:
    debugger = api.debug(api.compile(source), "f", [35])
    return break_weight(debugger, part, damage_of(how))  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_sum_without_its_second_operand(source: Path) -> None:
    """Head S reads the second operand from the top: without it, 35 + 7 is 0 + 7."""
    pair = broken(source, "S", "zero")
    assert pair.first == 3 and pair.broken.listing[pair.broken.pc(3)].name == "i32.add"
    assert [run.result.results for run in (pair.healthy, pair.broken)] == [[42], [7]]  # type: ignore[union-attr]
    assert "broken:  slot 1 = 7" in str(pair) and "healthy: 42 after 4 steps" in str(pair)
    look = BrokenView(pair).look(3)
    assert (look["beside"]["writes"], look["step"]["writes"]) == ("slot 1 = 42", "slot 1 = 7")
    assert BrokenView(pair).summary()["broken"]["first"] == 3


@pytest.mark.slow
@pytest.mark.parametrize("part", ["instruction", "next pc0", "add", "usual"])
def test_every_step_of_a_broken_run_can_be_shown(source: Path, part: str) -> None:
    pair = broken(source, part, "negate")
    assert pair.first is not None and str(pair)
    view = BrokenView(pair)
    for step in range(1, min(pair.broken.steps, 20) + 2):
        assert view.look(step)["step"]["step"] == step


@pytest.mark.slow
def test_the_prompt_compares_and_mends(source: Path, tmp_path: Path, cli: Cli) -> None:
    script = tmp_path / "script"
    script.write_text("break-weight nothing\nbreak-weight S zero\ninfo line\nmend\nmend\n")
    _, out, _ = cli("debug", source, "--script", script, "--invoke", "f", "35")
    assert "no head or group of neurons 'nothing'" in out
    assert "first difference at step 3, f+2  i32.add" in out
    assert out.count("step 3 of 4") == 2
    assert "the weights are healthy" in out


FIBONACCI = Path(__file__).parents[2] / "examples" / "loom" / "fibonacci.c"


@pytest.mark.parametrize(
    ("part", "how"),
    [("pc", "negate"), ("b", "zero"), ("SUB", "zero"), ("MOV", "negate"), ("100", "zero")],
)
def test_loom_differs_first_where_diff_says(part: str, how: str) -> None:
    """`diff` compares with the oracle; it sees a wrong jump at the step after it."""
    program = api.compile(FIBONACCI, machine="loom", bits=8)
    pair = break_weight(program.debug(), part, damage_of(how))  # type: ignore[arg-type]
    weights = break_part(pair.healthy.weights, part, damage_of(how))
    found = program.diff(("native", "oracle"), weights=weights, max_steps=pair.broken.steps)
    if pair.first is None:
        assert part == "SUB" and found.difference is None  # the program has no subtraction
        return
    assert found.difference is not None
    early = found.difference.what.startswith(("pc", "number"))  # of the step before it
    assert pair.first == found.difference.step - early
    assert pair.healthy.result is not None and pair.healthy.result.exit_code == 55
    view = BrokenView(pair)
    assert view.look(pair.first)["beside"]["step"] == pair.first


def test_loom_breaks_and_mends_at_the_prompt(tmp_path: Path, cli: Cli) -> None:
    script = tmp_path / "script"
    script.write_text("break-weight SUBB\nbreak-weight pc negate\nmend\nmend\n")
    _, out, _ = cli("debug", FIBONACCI, "--machine", "loom", "--bits", "8", "--script", script)
    assert "did you mean SUB?" in out
    assert "head pc negated\nfirst difference at step 1" in out
    assert "healthy: exit code 55 after" in out and "the weights are healthy" in out


def test_parts_have_names_and_weights_numbers() -> None:
    names = part_names(model())
    assert {"S", "T", "open call", "add", "division"} <= set(names)
    with pytest.raises(UsageError, match="did you mean instruction"):
        break_part(model(), "instructions", "zero")
    with pytest.raises(UsageError, match="zero or negate"):
        damage_of("double")
    whole = nonzeros(model())
    assert nonzeros(break_part(model(), "0", "zero")) == whole - 1
    neuron = break_part(model(), "1:0", "zero")
    group = break_part(model(), "add", "zero")
    assert whole > nonzeros(neuron) > nonzeros(group)
    assert nonzeros(break_part(model(), "S", "negate")) == whole
