"""The hard path in C is the hard path in JAX, bit for bit."""

from ctypes import CDLL
from dataclasses import fields, replace
from functools import cache, partial

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="JAX is not installed; pip install 'transputer[jax]'")

from tests.images import run_image  # noqa: E402
from tests.sampling import sampled  # noqa: E402
from transputer.engines.native.compile import compiled  # noqa: E402
from transputer.errors import CapacityError, StepLimitError, Unsupported  # noqa: E402
from transputer.frontends.smallc.soft.compile import (  # noqa: E402
    compile as compile_soft,
)
from transputer.ir.image import from_bytes  # noqa: E402
from transputer.isa.soft import SOFT  # noqa: E402
from transputer.machines.soft.bits import halves  # noqa: E402
from transputer.machines.soft.check import CONFIGS, draw  # noqa: E402
from transputer.machines.soft.config import Config  # noqa: E402
from transputer.machines.soft.hard import hard_run  # noqa: E402
from transputer.machines.soft.hardstate import HardState, blank, digest  # noqa: E402
from transputer.machines.soft.native import FLAGS, Hard, source, word_bits  # noqa: E402
from transputer.machines.soft.program import SoftProgram, extract  # noqa: E402
from transputer.machines.soft.state import SoftState, soften  # noqa: E402
from transputer.machines.soft.step import step  # noqa: E402
from transputer.registry import RunSettings  # noqa: E402
from transputer.runtime.soft.program import CompiledSoft  # noqa: E402
from transputer.runtime.soft.run import library, start  # noqa: E402
from transputer.runtime.soft.selfhost import self_compile  # noqa: E402

PAIRS, STEPS = 4_000, 12
PARTS = [part.name for part in fields(HardState)]


@cache
def drawn(config: Config) -> tuple[np.ndarray, list[HardState], list[HardState]]:
    """Random programs and states, and where JAX goes from them."""
    program, states = draw(np.random.default_rng(1), config, PAIRS)

    def run(program: SoftProgram, state: HardState) -> tuple[jax.Array, HardState]:
        rows = extract(program)
        return rows, hard_run(rows, state, STEPS, config.width, program.ops)

    rows, ended = jax.device_get(jax.jit(jax.vmap(run))(program, states))
    return rows, singly(states), singly(ended)


def singly(states: HardState) -> list[HardState]:
    return [HardState(*parts) for parts in zip(*(getattr(states, n) for n in PARTS), strict=True)]


def different(config: Config, exchange: dict[int, int]) -> int:
    """How many of the random programs end otherwise in C, with some operations exchanged."""
    rows, states, wanted = drawn(config)
    rows = rows.copy()
    for old, new in exchange.items():
        rows[rows[:, :, 0] == old, 0] = new
    found = 0
    for code, state, end in zip(rows, states, wanted, strict=True):
        machine = Hard(library(), code, state, config)
        machine.advance(STEPS)
        after = machine.state
        found += not all(np.array_equal(getattr(after, n), getattr(end, n)) for n in PARTS)
    return found


@pytest.mark.parametrize("config", sampled(CONFIGS, 3), ids=lambda config: f"{config.width} bits")
def test_random_programs_and_states(config: Config) -> None:
    assert different(config, {}) == 0


def soft_steps(config: Config, pairs: int) -> tuple[np.ndarray, list[HardState], SoftState]:
    """Random programs and states of 64 bits, and where a soft step at temperature 0 goes."""
    program, states = draw(np.random.default_rng(2), config, pairs)
    words = ("registers", "memory", "inputs", "outputs")
    entering = replace(states, **{name: halves(getattr(states, name)) for name in words})

    def once(program: SoftProgram, state: HardState) -> tuple[jax.Array, SoftState]:
        return extract(program), step(program, soften(state, config), jax.numpy.float32(0))

    rows, after = jax.device_get(jax.jit(jax.vmap(once))(program, entering))
    return rows, singly(states), after


@pytest.mark.slow
def test_soft_steps_of_64_bits_are_those_in_c() -> None:
    """JAX has no integers of 64 bits: here the soft path alone meets the one in C."""
    config = Config(64, 8, 6, 16, 3, 2)
    rows, states, softly = soft_steps(config, 1_000)
    ended = []
    for code, state in zip(rows, states, strict=True):
        machine = Hard(wide_library(), code, state, config)
        machine.advance(1)
        ended.append(machine.state)
    stacked = HardState(*(np.stack([getattr(e, n) for e in ended]) for n in PARTS))
    wanted = soften(stacked, config)
    for part in fields(SoftState):
        assert np.array_equal(getattr(softly, part.name), getattr(wanted, part.name)), part.name


@cache
def wide_library() -> CDLL:
    text = source(bits=word_bits(64))
    return compiled("soft", "machine", text, FLAGS, text.encode())


def test_jax_has_no_hard_path_of_64_bits() -> None:
    config = Config(64, 4, 2, 1, 1, 1)
    with pytest.raises(Unsupported, match="up to 32 bits"):
        hard_run(np.zeros((2, 5), np.uint32), blank(config), 1, 64, ("HALT",))


@pytest.mark.parametrize("op, other", [("SHR", "SRA"), ("CMP", "MOV"), ("LDP", "LD")])
def test_the_comparison_can_fail(op: str, other: str) -> None:
    assert different(CONFIGS[0], {SOFT[op].code: SOFT[other].code}) > 0


FACTORIAL = """
int factorial(int n) { return n ? n * factorial(n - 1) : 1; }
int main(void) { putchar(getchar() + 1); return factorial(5); }
"""


@pytest.mark.parametrize("engine", sampled(["hard", "soft"], 2))
def test_a_c_program_takes_every_path(engine: str) -> None:
    image = compile_soft(FACTORIAL, stack=24)
    assert image.memory == 32
    seen = []
    for name in ("native", engine):
        program = CompiledSoft("factorial.image", image)
        chosen, machine = start(program, RunSettings(engine=name))
        words = iter((np.array([64], np.uint32),))
        told = list(machine.serve(10_000, partial(next, words, np.zeros(0, np.uint32))))
        assert chosen == name and machine.ended
        output = b"".join(bytes(out.astype(np.uint8)) for _, out in told)
        result = int(machine.state.registers[0])
        seen.append((sum(n for n, _ in told), output, result, digest(machine.state)))
    assert seen[0] == seen[1]
    assert seen[0][1:3] == (b"A", 120)


@pytest.mark.slow
def test_what_the_compiler_compiled_takes_the_soft_path() -> None:
    """By the compiler that compiled itself, on a machine of 64 words."""
    image = replace(from_bytes(self_compile("examples/selfhost/short.c")), memory=64)
    native, soft = (run_image(image, engine=engine) for engine in ("native", "soft"))
    assert native.results == soft.results == [120]
    assert (native.steps, native.state_sha256) == (soft.steps, soft.state_sha256)


@pytest.mark.parametrize("engine", ["native", "hard"])
def test_a_limit_is_said(engine: str) -> None:
    image = compile_soft("int main(void) { for (;;) putchar(46); }")
    with pytest.raises(StepLimitError, match="10,000"):
        run_image(image, engine=engine, max_steps=10_000)


def test_the_soft_path_is_for_small_machines() -> None:
    image = compile_soft("int a[40000]; int main(void) { return a[getchar() + 9]; }")
    assert run_image(image).results == [0]
    with pytest.raises(CapacityError, match="needs 131,072 words .* at most 65,536"):
        run_image(replace(image, memory=1 << 17), engine="soft")


def test_the_hash_sees_every_part() -> None:
    program = CompiledSoft("factorial.image", compile_soft(FACTORIAL))
    state = start(program, RunSettings())[1].state
    for name in ("registers", "flags", "pc", "memory"):
        assert digest(replace(state, **{name: getattr(state, name) + 1})) != digest(state)
