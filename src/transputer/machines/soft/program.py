"""Programs as logits, and the choices that a temperature makes of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from transputer.errors import UsageError
from transputer.ir.soft import Code, Instruction, decode, encode
from transputer.isa.soft import SOFT
from transputer.machines.soft.backend import Array, jax, jnp, pytree
from transputer.machines.soft.config import Config

#: Slack places hold this: it stops the machine.
FILLER = Instruction("HALT")


@dataclass(frozen=True)
class SoftProgram:
    """Logits of every field of every instruction: 116 numbers each at full size.

    `ops` are the operations it may use, in the order of the table; only those are computed.
    """

    op: Array  # (length, operations)
    d: Array  # (length, registers)
    a: Array
    b: Array
    n: Array  # (length, bits of a number): of each bit being set
    ops: tuple[str, ...]


@dataclass(frozen=True)
class FetchChoice:
    """What fetch reads: distributions where a program has logits; `op` only over `ops`."""

    op: Array
    d: Array
    a: Array
    b: Array
    n: Array
    ops: tuple[str, ...]


pytree(SoftProgram, static=("ops",))
pytree(FetchChoice, static=("ops",))


def random(key: Array, config: Config, scale: float = 1.0) -> SoftProgram:
    """Normal logits."""
    keys = jax.random.split(key, 5)
    registers = (config.registers,) * 3
    sizes = (len(SOFT), *registers, config.number)
    op, d, a, b, n = (
        scale * jax.random.normal(k, (config.length, size))
        for k, size in zip(keys, sizes, strict=True)
    )
    return SoftProgram(op, d, a, b, n, ordered(config))


def certain(code: Sequence[Instruction], config: Config, weight: float = 1.0) -> SoftProgram:
    """Logits that are `weight` where the code is and 0 elsewhere (numbers: plus or minus)."""
    if len(code) > config.length:
        raise UsageError(f"{len(code)} instructions; the machine has room for {config.length}")
    rows = encode((*code, *(FILLER,) * (config.length - len(code))))
    sizes = (len(SOFT), *(config.registers,) * 3)
    op, d, a, b = (
        (weight * np.eye(size)[rows[:, i]]).astype(np.float32) for i, size in enumerate(sizes)
    )
    bits = rows[:, 4:] >> np.arange(config.number) & 1
    n = (weight * (2 * bits - 1)).astype(np.float32)
    return SoftProgram(op, d, a, b, n, ordered(config))


def ordered(config: Config) -> tuple[str, ...]:
    """The operations of a configuration in the order of the table."""
    return tuple(op.name for op in SOFT if op.name in config.ops)


def codes(ops: Sequence[str]) -> np.ndarray:
    """Their numbers."""
    return np.array([SOFT[name].code for name in ops])


def choose(program: SoftProgram, tau: Array) -> FetchChoice:
    """Softmax of the logits at a temperature; at 0 exactly one-hot, the lowest index on a tie."""

    def pick(logits: Array) -> Array:
        safe = jnp.where(tau > 0, tau, 1.0)
        hard = jax.nn.one_hot(jnp.argmax(logits, -1), logits.shape[-1])
        return jnp.where(tau > 0, jax.nn.softmax(logits / safe, -1), hard)

    safe = jnp.where(tau > 0, tau, 1.0)
    sure = (program.n > 0).astype(jnp.float32)
    number = jnp.where(tau > 0, jax.nn.sigmoid(program.n / safe), sure)
    return _fields(program, pick, number)


def straight_through(program: SoftProgram, tau: Array) -> FetchChoice:
    """The hard choice forward, the gradient of the soft one backward."""
    soft, hard = choose(program, tau), choose(program, jnp.float32(0))
    through: FetchChoice = jax.tree.map(_forward, hard, soft)
    return through


def gumbel(program: SoftProgram, tau: Array, key: Array) -> FetchChoice:
    """A sample forward (noise on the logits, then the hard choice), the soft gradient backward."""
    leaves, shape = jax.tree.flatten(program)
    keys = jax.random.split(key, len(leaves))
    noise = [jax.random.gumbel(k, leaf.shape) for k, leaf in zip(keys, leaves, strict=True)]
    noise[-1] = jax.random.logistic(keys[-1], leaves[-1].shape)  # two-way choices: a difference
    noisy = [leaf + extra for leaf, extra in zip(leaves, noise, strict=True)]
    return straight_through(jax.tree.unflatten(shape, noisy), tau)


def _forward(hard: Array, soft: Array) -> Array:
    """`hard` exactly, whatever rounding does: the difference added is exactly zero."""
    return hard + (soft - jax.lax.stop_gradient(soft))


def _fields(program: SoftProgram, pick: Array, number: Array) -> FetchChoice:
    op = pick(program.op[:, codes(program.ops)])
    return FetchChoice(op, pick(program.d), pick(program.a), pick(program.b), number, program.ops)


def extract(program: SoftProgram) -> Array:
    """The most likely program as rows of integers; what `choose` gives at temperature 0."""
    numbers = codes(program.ops)
    op = jnp.asarray(numbers)[jnp.argmax(program.op[:, numbers], -1)]
    registers = [jnp.argmax(field, -1) for field in (program.d, program.a, program.b)]
    weights = jnp.uint32(1) << jnp.arange(program.n.shape[-1], dtype=jnp.uint32)
    n = ((program.n > 0) * weights).sum(-1, dtype=jnp.uint32)
    return jnp.stack([op, *registers, n], -1, dtype=jnp.uint32)


def read_code(program: SoftProgram) -> Code:
    """The most likely program as instructions."""
    rows = np.asarray(extract(program)).astype(np.int64)
    return decode(rows.tolist(), program.n.shape[-1])
