"""The soft machine on its table, its hard path, and the gradients through it."""

import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="JAX is not installed; pip install 'transputer[jax]'")

import jax.numpy as jnp  # noqa: E402

from tests.sampling import sampled  # noqa: E402
from transputer.ir.soft import Instruction, encode, parse  # noqa: E402
from transputer.isa.op import Op  # noqa: E402
from transputer.isa.soft import SOFT  # noqa: E402
from transputer.machines.soft import effects  # noqa: E402
from transputer.machines.soft.bits import add, places, shift, to_bits, to_numbers  # noqa: E402
from transputer.machines.soft.check import CONFIGS, agreement, draw  # noqa: E402
from transputer.machines.soft.config import Config  # noqa: E402
from transputer.machines.soft.hard import hard_run  # noqa: E402
from transputer.machines.soft.program import (  # noqa: E402
    SoftProgram,
    certain,
    choose,
    extract,
    gumbel,
    ordered,
    read_code,
    straight_through,
)
from transputer.machines.soft.program import random as random_program  # noqa: E402
from transputer.machines.soft.state import HardState, SoftState, blank, harden, soften  # noqa: E402
from transputer.machines.soft.step import occupancy, run, step  # noqa: E402

EDGES = (0, 1, 2, 5, 0x7F, 0x80, 0x81, 0xFE, 0xFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
SMALL = Config(width=8, registers=4, length=4, memory=4, inputs=2, outputs=2)
#: Rows whose function makes the value that goes to d.
VALUES = [op for op in SOFT if op.fn and "to" in op.imm]
soften_small = jax.jit(lambda state: soften(state, SMALL))
BRANCHES = [op for op in SOFT if op.fn and op.imm == ("pc",)]


def test_every_row_has_both_meanings() -> None:
    assert effects.soft.missing() == []
    assert effects.hard.missing() == []


@pytest.mark.slow
def test_soft_is_hard_at_temperature_zero() -> None:
    found = agreement(6_000, seed=7)
    assert found.pairs >= 6_000
    assert found.different == 0


def test_the_comparison_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(effects.hard.rules, "ADD", effects.hard.rules["SUB"])
    small = replace(SMALL, ops=("HALT", "ADD", "SUB"))
    assert agreement(200, seed=7, configs=[small]).different > 0


@cache
def one_step(width: int) -> tuple[Config, Callable[..., jax.Array]]:
    """R0 after one instruction among all that make a value; compiled once for a width."""
    ops = tuple(op.name for op in VALUES)
    config = Config(width, 4, 1, memory=1, inputs=1, outputs=1, ops=ops)

    def value(program: SoftProgram, row: object, number: object, flags: object) -> object:
        program = replace(program, n=(2 * to_bits(number, width) - 1)[None])
        state = replace(blank(config), registers=row, flags=flags)
        return harden(step(program, soften(state, config), jnp.float32(0))).registers[0]

    return config, jax.jit(jax.vmap(value, in_axes=(None, 0, 0, 0)))


def words(width: int, count: int, seed: int) -> list[int]:
    draw = random.Random(seed)
    edges = [edge & (1 << width) - 1 for edge in EDGES]
    return [draw.choice(edges) if draw.random() < 0.5 else draw.getrandbits(width)
            for _ in range(count)]  # fmt: skip


@pytest.mark.parametrize("width", sampled([8, 16, 32], 3))
@pytest.mark.parametrize("op", sampled(VALUES, 8), ids=lambda op: op.name)
def test_values_are_the_pure_functions(op: Op, width: int) -> None:
    config, after = one_step(width)
    count = 64
    old, a, b, n = (words(width, count, seed) for seed in range(4))
    flags = [random.Random(9).getrandbits(5) for _ in range(count)]
    operands = {"CMOV": (old, a, flags), "MOV": (a,), "SET": (n,), "DJNZ": (old,)}
    second = n if "n" in op.imm else b
    columns = operands.get(op.name, (a, second))
    wanted = [op.pure(width, *each) for each in zip(*columns, strict=True)]
    registers = np.array([old, a, b, [0] * count], np.uint32).T
    code = Instruction(op.name, d=0, a=1, b=2).plain()
    numbers = np.array(n, np.uint32)
    got = after(certain([code], config), registers, numbers, np.array(flags, np.int32))
    assert np.asarray(got).tolist() == wanted


@pytest.mark.parametrize("op", sampled(BRANCHES, 4), ids=lambda op: op.name)
def test_branches_follow_their_flags(op: Op) -> None:
    config = replace(SMALL, ops=("HALT", op.name))
    program = certain([replace(Instruction(op.name), n=3)], config)

    def after(flags: object) -> object:
        state = soften(replace(blank(config), flags=flags), config)
        return harden(step(program, state, jnp.float32(0))).pc

    got = jax.jit(jax.vmap(after))(jnp.arange(32))
    assert got.tolist() == [3 if op.pure(8, flags) else 1 for flags in range(32)]


def ended(source: str, config: Config = SMALL, steps: int = 32, **start: object) -> HardState:
    """Where a program ends on the soft path, checked against the hard one."""
    code = parse(source)
    config = replace(config, ops=tuple({"HALT", *(i.op for i in code)}))
    state = replace(blank(config), **start)
    program = certain(code, config)

    def both(program: SoftProgram, state: HardState) -> tuple[HardState, HardState]:
        soft_end = run(choose(program, jnp.float32(0)), soften(state, config), steps)
        return harden(soft_end), hard_run(
            extract(program), state, steps, config.width, ordered(config)
        )

    soft_end, hard_end = jax.jit(both)(program, state)
    for left, right in zip(jax.tree.leaves(soft_end), jax.tree.leaves(hard_end), strict=True):
        assert np.array_equal(left, right)
    return hard_end


def test_a_loop_sums_an_array() -> None:
    array = np.array([10, 20, 30, 40], np.uint32)
    state = ended("LDP R2, R0\nADD R3, R3, R2\nDJNZ R1, 0",
                  memory=array, registers=np.array([0, 4, 0, 0], np.uint32))  # fmt: skip
    assert int(state.registers[3]) == 100


@pytest.mark.slow
def test_call_and_return() -> None:
    state = ended("CALL R3, 2\nHALT\nADDI R0, R0, 5\nRET R3")
    assert int(state.registers[0]) == 5
    assert int(state.pc) == SMALL.length


@pytest.mark.slow
def test_ports_read_and_write_in_order() -> None:
    state = ended("IN R0\nOUT R0\nIN R1\nIN R2", inputs=np.array([0, 7], np.uint32),
                  read=np.int32(1))  # fmt: skip
    assert state.registers.tolist()[:3] == [7, 0xFF, 0xFF]
    assert state.outputs.tolist() == [7, 0]


@pytest.mark.slow
def test_bytes_of_words() -> None:
    config = replace(SMALL, width=32)
    state = ended("SET R1, 0x1FF\nSTB R0, 6, R1\nLDB R2, R0, 6\nLD R3, R0, 1", config)
    assert state.registers.tolist()[2:] == [0xFF, 0xFF0000]


def test_max_of_the_largest_and_minus_one() -> None:
    config = replace(SMALL, width=32)
    start = np.array([0x7FFFFFFF, 0xFFFFFFFF, 0, 0], np.uint32)
    state = ended("CMP R0, R1\nCMOV R0, R1", config, registers=start)
    assert int(state.registers[0]) == 0x7FFFFFFF


def test_falling_off_the_end_stops() -> None:
    assert int(ended("MOV R0, R0").pc) == SMALL.length


@pytest.mark.parametrize("width", sampled([8, 32], 2))
def test_words_as_bits_add_and_shift(width: int) -> None:
    a, b = (np.array(words(width, 50, seed), np.uint32) for seed in (1, 2))
    total, carry = jax.jit(add)(to_bits(a, width), to_bits(b, width), np.zeros(50))
    exact = [int(x) + int(y) for x, y in zip(a, b, strict=True)]
    assert to_numbers(total).tolist() == [x & (1 << width) - 1 for x in exact]
    assert carry.tolist() == [x >> width for x in exact]
    left = to_numbers(shift(to_bits(a, width), to_bits(b, width), None))
    assert left.tolist() == [
        SOFT["SHL"].pure(width, int(x), int(y)) for x, y in zip(a, b, strict=True)
    ]


def test_places_are_a_distribution() -> None:
    chances = places(jnp.array([0.25, 0.5, 1.0]), 8)
    assert float(chances.sum()) == pytest.approx(1)
    assert chances.tolist() == [0, 0, 0, 0, 0.375, 0.125, 0.375, 0.125]


def loss(program: SoftProgram, state: SoftState) -> jax.Array:
    end = run(choose(program, jnp.float32(1)), state, 3)
    weights = jnp.sin(jnp.arange(end.registers.size)).reshape(end.registers.shape)
    return (end.registers * weights).sum() + end.memory.sum() + end.pc[1] + end.flags.sum()


def double(rng: np.random.Generator) -> tuple[SoftProgram, SoftState]:
    """A random program and state at the first instruction, in double precision."""
    program, start = jax.tree.map(lambda x: x[0], draw(rng, SMALL, 1))
    state = soften_small(replace(start, pc=np.int32(0)))
    return jax.tree.map(lambda x: np.asarray(x, np.float64), (program, state))


@pytest.mark.usefixtures("unoptimised")
@pytest.mark.slow
def test_gradients_are_those_of_finite_differences() -> None:
    with jax.enable_x64(True):
        both = jax.jit(jax.value_and_grad(loss))
        for seed in range(4):
            rng = np.random.default_rng(seed)
            program, state = double(rng)
            _, gradient = both(program, state)
            size = 1e-5
            for field in ("op", "d", "a", "b", "n"):
                logits = getattr(program, field)
                way = rng.standard_normal(logits.shape)
                above = replace(program, **{field: logits + size * way})
                below = replace(program, **{field: logits - size * way})
                slope = (both(above, state)[0] - both(below, state)[0]) / (2 * size)
                along = (getattr(gradient, field) * way).sum()
                assert float(along) == pytest.approx(float(slope), rel=1e-4, abs=1e-6)
                assert float(jnp.abs(getattr(gradient, field)).max()) > 0


@pytest.mark.usefixtures("unoptimised")
@pytest.mark.slow
@pytest.mark.parametrize("noisy", [False, True])
def test_straight_through_is_right_forward_and_alive_backward(noisy: bool) -> None:
    config = replace(SMALL, ops=("HALT", "ADD", "CMP", "CMOV"))
    program = certain(parse("CMP R0, R1\nCMOV R0, R1"), config, weight=12.0 if noisy else 2.0)
    start = replace(blank(SMALL), registers=np.array([100, 120, 0, 0], np.uint32))

    def value(program: SoftProgram) -> jax.Array:
        choice = partial(gumbel, key=jax.random.key(0)) if noisy else straight_through
        end = run(choice(program, jnp.float32(1)), soften(start, SMALL), 4)
        return (end.registers[0] * 2.0 ** jnp.arange(8)).sum()

    got, gradient = jax.jit(jax.value_and_grad(value))(program)
    assert float(got) == 120.0
    assert float(jnp.abs(gradient.op).max()) > 0
    assert float(jnp.abs(gradient.a).max()) > 0


@pytest.mark.slow
@pytest.mark.usefixtures("unoptimised")
def test_extraction_is_the_choice_at_temperature_zero() -> None:
    program = random_program(jax.random.key(3), SMALL)
    again = certain(read_code(program), SMALL)
    rows = np.asarray(extract(program))
    assert rows[:, 0].tolist() == np.asarray(extract(again))[:, 0].tolist()
    assert encode(read_code(program))[:, 0].tolist() == rows[:, 0].tolist()


@pytest.mark.slow
@pytest.mark.usefixtures("unoptimised")
def test_the_counter_stays_a_distribution() -> None:
    program, state = (jax.tree.map(np.float32, x) for x in double(np.random.default_rng(5)))
    chances = jax.jit(lambda p, s: occupancy(choose(p, jnp.float32(1)), s, 10))(program, state)
    assert chances.shape == (10, SMALL.length + 1)
    assert np.allclose(chances.sum(1), 1, atol=1e-5)
    assert float(chances[-1, -1]) > float(chances[1, -1])


def test_configurations_of_the_check_cover_every_width() -> None:
    assert {config.width for config in CONFIGS} == {8, 16, 32}
