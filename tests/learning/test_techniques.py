"""The control with floats, schedules, curricula, shaped losses, populations. Needs JAX."""

import random
from dataclasses import replace

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="JAX is not installed; pip install 'transputer[jax]'")
pytest.importorskip("cvc5", reason="cvc5 is not installed; pip install 'transputer[jax]'")

import jax.numpy as jnp  # noqa: E402

from tools.learning.crossover import OPS, points, searched  # noqa: E402
from tools.learning.measure import ABLATIONS, Experiment, measure  # noqa: E402
from tools.learning.population import Breeding, evolve  # noqa: E402
from tools.learning.watch import counter  # noqa: E402
from transputer.ir.soft import Instruction, parse  # noqa: E402
from transputer.isa.integers import signed  # noqa: E402
from transputer.learning import floats  # noqa: E402
from transputer.learning.gradient import (  # noqa: E402
    Settings,
    holding,
    lessons,
    sizes,
    temperature,
)
from transputer.learning.losses import Extra, clipped, loss_of  # noqa: E402
from transputer.learning.problem import Bound, examples, machine  # noqa: E402
from transputer.learning.tasks import TASKS, Given  # noqa: E402
from transputer.machines.soft.config import Config  # noqa: E402
from transputer.machines.soft.program import certain, choose, extract  # noqa: E402
from transputer.machines.soft.program import random as random_program  # noqa: E402


def test_certain_programs_on_floats_do_what_the_machine_does() -> None:
    draw, config = random.Random(2), Config(8, 4, 6, 1, 1, 1, tuple(floats.OPS))
    run = jax.jit(lambda p, words: floats.run(choose(p, jnp.float32(0)), words, 8, jnp.float32(0)))
    task = TASKS["add"]
    for _ in range(150):
        numbers = [draw.choice((0, 1, 2, 0xFFFFFFFF, draw.getrandbits(7))) for _ in range(6)]
        code = tuple(
            Instruction(draw.choice(floats.OPS), *(draw.randrange(4) for _ in "dab"), n).plain()
            for n in numbers
        )
        words = [draw.getrandbits(8) for _ in range(4)]
        rows = examples(task, config, [Given((0, 0))])
        rows = replace(rows, registers=np.array([words], np.uint32))
        wanted = Bound(task, config, rows, limit=9).results(code)[0][0]
        start = jnp.array([signed(8, word) for word in words], jnp.float32)
        got = np.asarray(run(certain(code, config), start))
        assert [int(x) & 0xFF for x in got] == wanted.tolist(), code


def test_the_five_phases() -> None:
    settings = Settings(schedule="phases", warm=3.0, cold=0.1, entropy=0.5)
    seen = [tuple(float(x) for x in temperature(settings, jnp.float32(part)))
            for part in (0.0, 0.19, 0.4, 0.61, 1.0)]  # fmt: skip
    assert [round(tau, 3) for tau, _ in seen] == [3.0, 3.0, 0.548, 0.1, 0.1]
    assert [weight for _, weight in seen] == [0, 0, 0, 0.5, 0.5]


@pytest.mark.usefixtures("unoptimised")
def test_a_length_curriculum_holds_half_of_the_places() -> None:
    settings = Settings(length=4, curriculum="length")
    config = sizes(TASKS["max"], settings)
    program = random_program(jax.random.key(1), config)
    held = holding(settings, config, (None, *parse("SUB R2, R1, R0")))
    early, late = (np.asarray(extract(held(program, jnp.float32(x)))) for x in (0.1, 0.9))
    free = np.asarray(extract(program))
    idle = [1, 3, 3]  # MOV R3, R3
    assert early[2:, :3].tolist() == [idle, idle]
    assert late[2:].tolist() == free[2:].tolist()
    for rows in (early, late):
        assert rows[0].tolist() == free[0].tolist()
        assert rows[1, :4].tolist() == [5, 2, 1, 0]


def test_a_difficulty_curriculum_begins_with_small_numbers() -> None:
    rows = lessons(TASKS["max"], Settings(curriculum="difficulty"), 0)
    sizes = [max(abs(signed(8, int(x))) for x in words[:2]) for words in rows.registers]
    assert sizes == sorted(sizes)


@pytest.mark.usefixtures("unoptimised")
@pytest.mark.slow
def test_what_is_added_to_the_loss() -> None:
    settings = Settings(length=2, examples=8)
    config, rows = sizes(TASKS["max"], settings), lessons(TASKS["max"], settings, 0)
    elsewhere = certain(parse("CMP R0, R1\nCMOV R0, R1\n"), config)
    elsewhere = replace(elsewhere, d=jnp.roll(elsewhere.d, 2, 1), a=elsewhere.a)  # result in R2
    right = certain(parse("CMP R0, R1\nCMOV R0, R1"), config)

    def cost(program: object, **extra: float) -> float:
        by = loss_of(rows, config, 2, clipped, Extra(**extra))
        return float(by(choose(program, jnp.float32(0)), np.ones(8, np.float32)))

    assert cost(elsewhere, shaped=0.5) < cost(elsewhere)
    assert cost(right, shaped=0.5) == pytest.approx(cost(right))
    assert cost(right, auxiliary=0.5) > cost(right)  # before its last step it is not right yet


@pytest.mark.usefixtures("unoptimised")
@pytest.mark.slow
def test_a_population_learns_and_copies_the_best() -> None:
    settings = Settings(length=2, updates=120, examples=8, only=("ADD", "SUB", "MOV", "XOR"))
    found = evolve(TASKS["add"], settings, 8, seed=1, breeding=Breeding(rounds=3))
    assert found.losses.shape == (8, 120) and found.rows.shape == (8, 2, 5)
    worst = found.losses[:, 39].argmax()
    assert found.losses[worst, 40] < found.losses[worst, 39]  # replaced by a copy of a better one


@pytest.mark.usefixtures("unoptimised")
@pytest.mark.slow
def test_repair_is_counted_and_helps() -> None:
    settings = {"length": 3, "updates": 10, "examples": 8, "registers": 3,
                "only": ("ADD", "SUB", "MOV", "XOR")}  # fmt: skip
    plain = measure(Experiment("plain", "sub", settings, 4))
    repaired = measure(Experiment("repaired", "sub", settings, 4, repair=5000))
    assert plain["evaluations"] == 40
    assert repaired["solved"] > plain["solved"] and repaired["evaluations"] > 40


def test_every_technique_has_a_row() -> None:
    names = " ".join(each.name for each in ABLATIONS)
    for word in ("floats", "five phases", "length curriculum", "difficulty curriculum", "mask",
                 "sketch", "library", "imitates", "shaped", "auxiliary", "hybrid", "population",
                 "straight-through", "Gumbel"):  # fmt: skip
        assert word in names
    assert len({each.name for each in ABLATIONS}) == len(ABLATIONS)


@pytest.mark.usefixtures("unoptimised")
def test_the_counter_of_a_loop() -> None:
    hard = counter(2, 0.0)
    assert [row.index(1.0) for row in hard] == [0, 1, 2, 0, 1, 2, 3, 4, 4]
    soft = counter(2, 6.0)
    assert 0 < soft[-1][-1] < 1 and all(sum(row) == pytest.approx(1, abs=0.01) for row in soft)


def test_the_grid_of_the_crossover() -> None:
    assert sorted(OPS) == [4, 13, 23]
    grid = points([4, 16], [4], [2, 8], 3)
    assert [each.settings["registers"] for each in grid] == [4, 4, 16, 16]
    assert machine(TASKS["max"], 8).registers == 4
    found = searched(4, 4, 2, seeds=2)
    assert found["solved"] == 2 and found["mean"] > 0
