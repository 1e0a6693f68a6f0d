"""Soft against hard: `python -m transputer.machines.soft.check --pairs 1000000`.

A random program at temperature 0 takes one step from a random state, on the soft path and on
the hard one. Every part of the two states must be equal, and the soft one exactly 0 and 1.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial

from transputer.machines.soft.backend import Array, jax, jnp
from transputer.machines.soft.config import Config
from transputer.machines.soft.hard import hard_step
from transputer.machines.soft.program import Program, extract, random
from transputer.machines.soft.state import HardState, harden, soften
from transputer.machines.soft.step import step

#: Pairs that are computed at once.
CHUNK = 20_000
#: Sizes that together visit every width, and memories larger and smaller than the registers.
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


def draw(key: Array, config: Config) -> tuple[Program, HardState]:
    """A random program and a random state; half of the words are small, as addresses are."""
    keys = jax.random.split(key, 10)
    largest = jnp.uint32((1 << config.width) - 1)

    def words(index: int, count: int) -> Array:
        drawn = jax.random.bits(keys[index], (count,), jnp.uint32)
        small = jax.random.bernoulli(keys[9], 0.5, (count,))
        return jnp.where(small, drawn >> 27, drawn) & largest

    def place(index: int, count: int) -> Array:
        return jax.random.randint(keys[index], (), 0, count)

    state = HardState(
        words(0, config.registers),
        place(1, 32),
        place(2, config.length + 1),
        words(3, config.memory),
        words(4, config.inputs),
        place(5, config.inputs + 1),
        words(6, config.outputs),
        place(7, config.outputs + 1),
    )
    return random(keys[8], config), state


def same(key: Array, config: Config) -> Array:
    """Whether the soft and the hard path agree on one random pair."""
    program, state = draw(key, config)
    after = step(program, soften(state, config), jnp.float32(0))
    wanted = hard_step(extract(program), state, config.width, program.ops)
    exact = jax.tree.map(lambda a, b: jnp.all(a == b), after, soften(wanted, config))
    equal = jax.tree.map(lambda a, b: jnp.all(a == b), harden(after), wanted)
    return jnp.all(jnp.stack(jax.tree.leaves((exact, equal))))


def agreement(pairs: int, seed: int = 0, configs: Sequence[Config] = CONFIGS) -> Agreement:
    """Compares at least so many pairs, shared out among machines of these sizes."""
    started = time.monotonic()
    share = -(-pairs // len(configs))
    size = min(CHUNK, share)
    chunks = -(-share // size)
    keys = jax.random.split(jax.random.key(seed), (len(configs), chunks))
    different = 0
    for config, row in zip(configs, keys, strict=True):
        compare = jax.jit(jax.vmap(partial(same, config=config)))
        for key in row:
            different += size - int(compare(jax.random.split(key, size)).sum())
    return Agreement(size * chunks * len(configs), different, seed, time.monotonic() - started)


def main() -> None:
    """Compare, print one JSON object, and exit with 1 if any pair differed."""
    parser = argparse.ArgumentParser(description="The soft machine against the hard one.")
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    found = agreement(options.pairs, options.seed)
    print(json.dumps(asdict(found)))
    sys.exit(1 if found.different else 0)


if __name__ == "__main__":
    main()
