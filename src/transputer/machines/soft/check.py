"""Soft against hard: `python -m transputer.machines.soft.check --pairs 1000000`.

A random program at temperature 0 takes one step from a random state, on the soft path and on
the hard one. Every part of the two states must be equal, and the soft one exactly 0 and 1.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial

import numpy as np

from transputer.isa.soft import FLAGS, SOFT
from transputer.machines.soft.backend import Array, jax, jnp
from transputer.machines.soft.config import Config
from transputer.machines.soft.hard import hard_step
from transputer.machines.soft.hardstate import word_type
from transputer.machines.soft.program import SoftProgram, extract, ordered
from transputer.machines.soft.state import HardState, harden, soften
from transputer.machines.soft.step import step
from transputer.values import dataclass

#: Pairs that are computed at once.
CHUNK = 20_000
#: Sizes that together visit every width that both paths have, and memories larger and smaller
#: than the registers.
CONFIGS = (
    Config(32, 16, 16, 16, 4, 4),
    Config(8, 4, 8, 32, 3, 2),
    Config(16, 7, 5, 4, 1, 1),
)


@dataclass(frozen=True, slots=True)
class Agreement:
    """How many pairs were compared, and how many of them differed."""

    pairs: int
    different: int
    seed: int
    seconds: float


def draw(rng: np.random.Generator, config: Config, count: int) -> tuple[SoftProgram, HardState]:
    """Random programs and random states; half of the words are small, as addresses are."""

    def words(size: int) -> Array:
        word = word_type(config.width)
        drawn = rng.integers(0, 1 << config.width, (count, size), dtype=word)
        return np.where(rng.random((count, size)) < 0.5, drawn % word(32), drawn).astype(word)

    def places(end: int) -> Array:
        return rng.integers(0, end, count, dtype=np.int32)

    def logits(size: int) -> Array:
        return rng.standard_normal((count, config.length, size), dtype=np.float32)

    registers = config.registers
    sizes = (len(SOFT), registers, registers, registers, config.number)
    op, d, a, b, n = map(logits, sizes)
    program = SoftProgram(op, d, a, b, n, ordered(config))
    state = HardState(
        words(config.registers),
        places(1 << len(FLAGS)),
        places(config.length + 1),
        words(config.memory),
        words(config.inputs),
        places(config.inputs + 1),
        words(config.outputs),
        places(config.outputs + 1),
    )
    return program, state


def same(program: SoftProgram, state: HardState, config: Config) -> Array:
    """Whether the soft and the hard path agree on one program and state."""
    after = step(program, soften(state, config), jnp.float32(0))
    wanted = hard_step(extract(program), state, config.width, program.ops)
    exact = jax.tree.map(lambda a, b: jnp.all(a == b), after, soften(wanted, config))
    equal = jax.tree.map(lambda a, b: jnp.all(a == b), harden(after), wanted)
    return jnp.all(jnp.stack(jax.tree.leaves(exact) + jax.tree.leaves(equal)))


def agreement(pairs: int, seed: int = 0, configs: Sequence[Config] = CONFIGS) -> Agreement:
    """Compare at least `pairs` pairs, split evenly among machines of these sizes."""
    started = time.monotonic()
    share = -(-pairs // len(configs))
    size = min(CHUNK, share)
    chunks = -(-share // size)
    rng = np.random.default_rng(seed)
    different = 0
    for config in configs:
        compare = jax.jit(jax.vmap(partial(same, config=config)))
        for _ in range(chunks):
            different += size - int(compare(*draw(rng, config, size)).sum())
    return Agreement(size * chunks * len(configs), different, seed, time.monotonic() - started)


def main() -> None:
    """Compare, print one JSON object, and exit with 1 if any pair differed."""
    parser = argparse.ArgumentParser(description="The soft machine against the hard one.")
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    result = agreement(options.pairs, options.seed)
    print(json.dumps(asdict(result)))
    sys.exit(1 if result.different else 0)


if __name__ == "__main__":
    main()
