"""What happens while learning: `python -m tools.learning.watch --out watched.json`.

Restarts of one task, with the probability of every operation at every place over time, and the
program counter of a learned loop, soft and hard, step by step.
"""

import argparse
import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tools.learning.sections import MOMENTS
from transputer.ir.soft import decode, parse
from transputer.learning import adam
from transputer.learning.gradient import Settings, accepted, holding, lessons, objective_of, sizes
from transputer.learning.problem import Examples
from transputer.learning.tasks import TASKS
from transputer.machines.soft.backend import Array, jax, jnp
from transputer.machines.soft.config import Config
from transputer.machines.soft.program import certain, choose, extract, random
from transputer.machines.soft.state import blank, soften
from transputer.machines.soft.step import occupancy

#: The program whose counter is watched: what annealing found for `sum_array`.
LOOP = "LDP R3, R0\nADD R2, R3, R2\nDJNZ R1, 0\nMOV R0, R2"


def watched(
    name: str, settings: Settings, restarts: int, moments: int = MOMENTS, seed: int = 0
) -> dict[str, Any]:
    """Every restart's last loss and whether it was right; selectors over time of two of them.

    The two are the first that was right and the first that was wrong; of the moments the first
    third is kept, in which the choices are made.
    """
    task, config = TASKS[name], sizes(TASKS[name], settings)
    keys = jax.random.split(jax.random.key(seed), restarts)
    train = jax.jit(jax.vmap(partial(_one, settings, config, moments), in_axes=(0, None)))
    rows, losses, probabilities = jax.tree.map(
        np.asarray, train(keys, lessons(task, settings, seed))
    )
    codes = [decode(each.astype(np.int64).tolist(), settings.width) for each in rows]
    right = [accepted(task, code, settings.width) for code in codes]
    picked = {state: right.index(state) for state in (True, False) if state in right}
    ops = choose(random(keys[0], config), jnp.float32(1)).ops
    return {
        "task": name,
        "settings": {"length": settings.length, "updates": settings.updates},
        "ops": list(ops),
        "losses": [round(float(x), 4) for x in losses],
        "right": right,
        "selectors": [
            {"right": state, "program": [str(i) for i in codes[k]],
             "chances": np.round(probabilities[k, : moments // 3], 3).tolist()}
            for state, k in picked.items()
        ],
    }  # fmt: skip


def _one(
    settings: Settings, config: Config, moments: int, key: Array, rows: Examples
) -> tuple[Array, Array, Array]:
    """One restart: program, final loss, and operation probabilities (moments, places, ops)."""
    first, noise = jax.random.split(key)
    held = holding(settings, config, ())
    objective = objective_of(settings, config, rows, settings.length, held)
    program = random(first, config, settings.scale)

    def update(carry: Any, index: Array) -> tuple[Any, Array]:
        program, memory = carry
        at = jax.random.fold_in(noise, index)
        slope, loss = jax.grad(objective, has_aux=True)(program, index / settings.updates, at)
        return adam.update(program, slope, memory, settings.rate), loss

    def moment(carry: Any, indices: Array) -> tuple[Any, tuple[Array, Array]]:
        probabilities = choose(carry[0], jnp.float32(settings.cold)).op
        carry, losses = jax.lax.scan(update, carry, indices)
        return carry, (losses[-1], probabilities)

    times = jnp.arange(settings.updates).reshape(moments, -1)
    (program, _), (losses, probabilities) = jax.lax.scan(
        moment, (program, adam.start(program)), times
    )
    return extract(program), losses[-1], probabilities


def counter(count: int, weight: float) -> list[list[float]]:
    """Where the counter of the loop is before each step, on an array of `count` words.

    `weight` is how certain the logits are; 0 means entirely.
    """
    code = parse(LOOP)
    config = Config(8, 4, len(code), 16, 1, 1, tuple({i.op for i in code}))
    program = certain(code, config, weight or 1.0)
    words = np.zeros(16, np.uint32)
    words[:count] = np.arange(3, 3 + count)
    registers = np.array([0, count, 0, 0], np.uint32)
    state = soften(replace(blank(config), registers=registers, memory=words), config)
    choice = choose(program, jnp.float32(1.0 if weight else 0.0))
    places = jax.jit(lambda: occupancy(choice, state, 3 * count + 3))()
    return [[round(float(x), 3) for x in row] for row in places]


def main() -> None:
    """Watch, and write what was seen."""
    parser = argparse.ArgumentParser(description="What happens while learning.")
    parser.add_argument("--restarts", type=int, default=32)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    found = {
        "max": watched("max", Settings(length=4), options.restarts),
        "counter": {"hard": counter(4, 0.0), "soft": counter(4, 6.0)},
    }
    options.out.write_text(json.dumps(found) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
