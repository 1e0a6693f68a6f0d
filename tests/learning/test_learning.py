"""Gradient descent, proofs, export and the command, with JAX and cvc5."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="JAX is not installed; pip install 'transputer[jax]'")
pytest.importorskip("cvc5", reason="cvc5 is not installed; pip install 'transputer[jax]'")

import jax.numpy as jnp  # noqa: E402

import transputer as tp  # noqa: E402
from tests.learning.support import ADDING, RESTARTS  # noqa: E402
from tests.sampling import sampled  # noqa: E402
from tools.learning.measure import chosen  # noqa: E402
from tools.learning.sections import saved  # noqa: E402
from transputer.errors import UsageError  # noqa: E402
from transputer.ir.soft import Instruction, decode, parse, text  # noqa: E402
from transputer.isa.soft import SOFT  # noqa: E402
from transputer.learning import adam  # noqa: E402
from transputer.learning.certificate import Certificate, certify  # noqa: E402
from transputer.learning.gradient import Settings, right, sizes, train  # noqa: E402
from transputer.learning.learner import optimise  # noqa: E402
from transputer.learning.losses import clipped, loss_of, squared  # noqa: E402
from transputer.learning.measure import interval  # noqa: E402
from transputer.learning.problem import (  # noqa: E402
    Bound,
    counterexample,
    draw,
    examples,
    machine,
)
from transputer.learning.proof import refute  # noqa: E402
from transputer.learning.refutation import Refutation  # noqa: E402
from transputer.learning.shorten import shorten, without  # noqa: E402
from transputer.learning.tasks import TASKS, Given  # noqa: E402
from transputer.learning.wat import to_wat  # noqa: E402
from transputer.machines.soft.check import draw as draw_pairs  # noqa: E402
from transputer.machines.soft.config import Config  # noqa: E402
from transputer.machines.soft.hard import hard_run  # noqa: E402
from transputer.machines.soft.program import (  # noqa: E402
    certain,
    choose,
    extract,
    ordered,
    straight_through,
)
from transputer.machines.soft.state import blank  # noqa: E402
from transputer.runtime.learn import learn_tasks  # noqa: E402

MAX = parse("CMP R0, R1\nCMOV R0, R1")
ALL = np.ones(8, np.float32)  # every example counts
SUM = parse("LDP R2, R0\nADD R3, R3, R2\nDJNZ R1, 0\nMOV R0, R3")


def test_c_and_jax_run_the_same() -> None:
    config = Config(16, 5, 8, 8, 1, 1)
    rng = np.random.default_rng(4)
    programs, states = draw_pairs(rng, config, 400)
    rows = np.asarray(jax.jit(jax.vmap(extract))(programs))

    def run_hard(row: object, registers: object, memory: object) -> object:
        state = replace(blank(config), registers=registers, memory=memory)
        end = hard_run(row, state, 24, config.width, ordered(config))
        return end.registers, end.memory, end.pc == config.length

    wanted = jax.jit(jax.vmap(run_hard))(rows, states.registers, states.memory)
    task = TASKS["add"]
    for k in range(400):
        inputs = examples(task, config, [Given((0, 0))])
        one = slice(k, k + 1)
        inputs = replace(inputs, registers=states.registers[one], memory=states.memory[one])
        got = Bound(task, config, inputs, limit=24).results(decode(rows[k].tolist(), 16))
        registers, memory, ended = (np.asarray(part[k]) for part in wanted)
        assert got[0][0].tolist() == registers.tolist()
        assert got[1][0].tolist() == memory.tolist()
        assert bool(got[2]) == bool(ended)


@pytest.mark.slow
def test_gradient_descent_learns_to_add() -> None:
    trained = train(TASKS["add"], ADDING, restarts=RESTARTS, seed=1)
    losses = np.asarray(trained.losses)
    assert (losses[:, -1] < losses[:, 0] / 10).sum() >= 5
    solved = [code for code in right(TASKS["add"], trained, ADDING) if code is not None]
    assert len(solved) >= 5
    assert text(shorten(TASKS["add"], solved[0])) in ("ADD R0, R0, R1", "ADD R0, R1, R0")


@pytest.mark.usefixtures("unoptimised")
@pytest.mark.slow
def test_frozen_instructions_stay() -> None:
    settings = Settings(length=3, updates=5, examples=4, only=("ADD", "MOV", "XOR"))
    given = (None, *parse("XOR R3, R2, R1"))
    trained = train(TASKS["add"], settings, restarts=2, given=given)
    assert str(trained.code(0, 8)[1]) == str(trained.code(1, 8)[1]) == "XOR R3, R2, R1"


@pytest.mark.parametrize("surprise", sampled([clipped, squared], 2))
@pytest.mark.usefixtures("unoptimised")
def test_the_loss_of_a_right_program_is_least(surprise: object) -> None:
    settings = Settings(length=2, examples=8)
    config = sizes(TASKS["max"], settings)
    rows = examples(TASKS["max"], config, draw(TASKS["max"], 8, 8, 0))
    loss = jax.jit(lambda p: loss_of(rows, config, 2, surprise)(choose(p, jnp.float32(0)), ALL))
    wrong = float(loss(certain(parse("CMP R1, R0\nCMOV R0, R1"), config)))
    assert float(loss(certain(MAX, config))) < 1e-3 < wrong


@pytest.mark.usefixtures("unoptimised")
@pytest.mark.slow
def test_straight_through_learning_has_a_slope_where_the_program_is_wrong() -> None:
    settings = Settings(length=2, examples=8, only=("CMP", "CMOV"))
    config = sizes(TASKS["max"], settings)
    rows = examples(TASKS["max"], config, draw(TASKS["max"], 8, 8, 0))
    wrong = certain(parse("CMP R1, R0\nCMOV R0, R1"), config, 1.0)

    def cost(surprise: object) -> float:
        by = loss_of(rows, config, 2, surprise)
        slope = jax.jit(jax.grad(lambda p: by(straight_through(p, jnp.float32(1)), ALL)))(wrong)
        return float(jnp.abs(slope.a).max())

    assert cost(squared) > 0
    assert cost(clipped) == 0  # why the straight-through variants do not train on it


def test_adam_goes_downhill() -> None:
    values = {"x": jnp.array([3.0, -2.0])}
    moments = adam.start(values)
    for _ in range(200):
        slope = {"x": 2 * values["x"]}
        values, moments = adam.update(values, slope, moments, 0.1)
    assert float(jnp.abs(values["x"]).max()) < 0.05


@pytest.mark.parametrize("width", [8, 32])
def test_right_programs_are_proved(width: int) -> None:
    assert refute(TASKS["max"], MAX, width) is None
    assert refute(TASKS["sum_array"], SUM, width, count=4) is None
    swap = parse("XOR R0, R0, R1\nXOR R1, R0, R1\nXOR R0, R0, R1")
    assert refute(TASKS["swap"], swap, width) is None


def test_wrong_programs_are_not() -> None:
    seeds = parse("SUB R2, R0, R1\nCMP R2, R3\nCMOV R0, R1")  # overflow forgotten
    for refutation in (
        refute(TASKS["max"], seeds, 32),
        refute(TASKS["sum_array"], SUM[:3], 32, count=2),
        certify(TASKS["max"], seeds, 32),
    ):
        assert isinstance(refutation, Refutation) and "and should be" in refutation.reason


def test_a_certificate_says_what_was_proved() -> None:
    made = certify(TASKS["max"], MAX, 32)
    assert isinstance(made, Certificate) and made.proved
    assert made.facts[0] == "right on all 65,536 inputs at 8 bits"
    assert made.facts[-1] == "proved on every input at 32 bits (cvc5)"
    assert len(made.sha256) == 64


def test_removing_an_instruction_moves_jumps() -> None:
    code = parse("MOV R3, R3\nLDP R2, R0\nADD R3, R3, R2\nDJNZ R1, 1\nMOV R0, R3")
    assert without(code, 0) == SUM
    assert len(shorten(TASKS["sum_array"], code)) == 4


@pytest.mark.slow
def test_compile_then_optimise() -> None:
    compiled = parse("MOV R2, R0\nMOV R3, R1\nCMP R2, R3\nCMOV R2, R3\nMOV R0, R2")
    lengths = [len(code) for code in optimise(TASKS["max"], compiled, seconds=5)]
    assert lengths[0] == 5 and lengths[-1] == 2 and lengths == sorted(lengths, reverse=True)
    with pytest.raises(UsageError):
        optimise(TASKS["min"], compiled)


def test_learned_programs_run_on_the_trace_machine(tmp_path: Path) -> None:
    path = tmp_path / "max.wat"
    path.write_text(to_wat(MAX, 2, 1, "max"))
    for a, b in ((0x7FFFFFFF, -1), (-5, 3), (-7, -9)):
        result = tp.run(path, invoke="max", args=[a, b], engine="native")
        assert result.results == [max(a, b)]
        assert result.machine == "trace"
    path.write_text(to_wat(SUM, 2, 1, "sum", data=[10, 20, 30, 0xFFFFFFFF]))
    assert tp.run(path, invoke="sum", args=[0, 4], engine="native").results == [59]


#: Rows that a function cannot have.
ALONE = ("CALL", "RET", "IN", "OUT")


@pytest.mark.parametrize(
    "op", sampled([op for op in SOFT if op.name not in ALONE], 8), ids=lambda op: op.name
)
def test_exported_rows_do_what_the_machine_does(op: object, tmp_path: Path) -> None:
    first = "CMP R0, R1" if "J" in op.name or op.name == "CMOV" else "MOV R3, R0"
    tail = Instruction(op.name, 2, 1 if op.name in ("LD", "LDP", "LDB") else 0, 1, 3).plain()
    code = (*parse(f"ADDI R2, R0, 3\n{first}"), tail, *parse("ADDI R2, R2, 1\nADD R0, R2, R3"))
    path = tmp_path / "row.wat"
    path.write_text(to_wat(code, 2, 1, "f", data=range(100, 116)))
    config = machine(TASKS["sum_array"], 32, len(code))
    for a, b in ((1, 2), (2, 1), (3, 3)):
        rows = examples(TASKS["sum_array"], config, [Given((a, b), tuple(range(100, 116)))])
        wanted, _, _ = Bound(TASKS["sum_array"], config, rows, limit=100).results(code)
        got = tp.run(path, invoke="f", args=[a, b], engine="oracle", max_steps=2000)
        assert got.results == [int(wanted[0, 0])]


def test_the_command_learns_and_proves(cli: object, tmp_path: Path) -> None:
    wat, proof = tmp_path / "clamp.wat", tmp_path / "clamp.json"
    ran = cli("learn", "clamp", "--wat", wat, "--certificate", proof, "--json")
    said = json.loads(ran.out)
    assert ran.code == 0 and said["solved"] and said["minimal"] and said["length"] == 2
    assert said["method"] == "enumeration" and said["evaluations"] > 0
    assert said["help"]["operations"] and said["members"]["enumeration"]["evaluations"] > 0
    assert json.loads(proof.read_text())["proved"]
    assert tp.run(wat, invoke="clamp", args=[9, -3, 5], engine="native").results == [5]
    assert cli("learn", "fly").code == 2
    assert cli("learn", "add", "--method", "prayer").code == 2


@pytest.mark.slow
def test_the_door_learns() -> None:
    found = tp.learn("blsr", "bfs")
    assert found.solved and found.minimal and len(found.program) == 2
    assert "sum_array" in learn_tasks()


@pytest.mark.usefixtures("unoptimised")
@pytest.mark.slow
def test_gradient_descent_on_words_of_64_bits() -> None:
    """Examples enter JAX as halves: all bits of the results count."""
    settings = Settings(length=1, width=64, updates=60, only=("ADD", "SUB"), registers=2)
    trained = train(TASKS["add"], settings, 4)
    assert any(code == parse("ADD R0, R0, R1") or code == parse("ADD R0, R1, R0")
               for code in (trained.code(k, 64) for k in range(4)))  # fmt: skip
    assert counterexample(TASKS["add"], parse("ADD R0, R0, R1"), 64) is None
    assert counterexample(TASKS["add"], parse("SUB R0, R0, R1"), 64) is not None


def test_groups_of_experiments() -> None:
    with pytest.raises(UsageError):
        chosen(["fly"])
    assert [each.restarts for each in chosen(["shown"], 7)] == [7, 7, 7]


def test_the_recipe_of_the_page_is_the_one_of_the_command() -> None:
    """The saved rates come from the group of experiments that the page names."""
    for each, result in zip(chosen(["uniform"]), saved("uniform"), strict=True):
        for name in ("name", "task", "restarts", "seed", "given", "steps"):
            assert getattr(each, name) == result[name]
        assert each.settings.items() <= result["settings"].items()


def test_intervals() -> None:
    low, high = interval(50, 100)
    assert (round(low, 3), round(high, 3)) == (0.404, 0.596)  # Wilson's, from the literature
    assert interval(0, 10)[0] == pytest.approx(0) and interval(10, 10)[1] == pytest.approx(1)
