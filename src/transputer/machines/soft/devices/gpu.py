"""A processor of tensors with a memory of its own: matrix product, sum, relu, copy.

Hard words are signed integers of 32 bits, wrapping. Soft ones are real numbers, so that a slope
goes through every command; the command is a distribution, the places and sizes are not. The two
agree while every number stays below 2^24 in size, where a float32 is exact.
"""

from dataclasses import dataclass

from transputer.machines.soft.backend import Array, jax, jnp, pytree

#: The commands; the first does nothing.
COMMANDS = ("none", "matmul", "add", "relu", "copy")


@dataclass(frozen=True)
class Job:
    """Where the operands and the result are, and how large: m by k times k by n.

    A command other than the product works on m times n words.
    """

    a: Array
    b: Array
    out: Array
    m: Array
    k: Array
    n: Array


pytree(Job)


def results(memory: Array, job: Job, side: int) -> Array:
    """The memory after each command: (commands, words). A product has at most `side` a side."""
    at = jnp.arange(memory.shape[0])
    index = at - job.out
    inside = (index >= 0) & (index < job.m * job.n)

    def put(values: Array) -> Array:
        return jnp.where(inside, values, memory)

    left, right = _from(memory, job.a + index), _from(memory, job.b + index)
    product = _product(memory, job, side)
    row, column = index // jnp.maximum(job.n, 1), index % jnp.maximum(job.n, 1)
    fits = (job.m <= side) & (job.k <= side) & (job.n <= side)
    entry = product[jnp.clip(row, 0, side - 1), jnp.clip(column, 0, side - 1)]
    return jnp.stack([
        memory, jnp.where(fits, put(entry), memory), put(left + right), put(jnp.maximum(left, 0)),
        put(left),
    ])  # fmt: skip


def _from(memory: Array, place: Array) -> Array:
    return memory[place % memory.shape[0]]


def _product(memory: Array, job: Job, side: int) -> Array:
    """The product on a square of `side`, zeros outside the matrices."""
    i = jnp.arange(side)
    inner = i < job.k
    a = _from(memory, job.a + i[:, None] * job.k + i) * ((i < job.m)[:, None] & inner)
    b = _from(memory, job.b + i[:, None] * job.n + i) * (inner[:, None] & (i < job.n))
    return jax.lax.dot(a, b, precision=jax.lax.Precision.HIGHEST)


def work(memory: Array, probabilities: Array, job: Job, side: int) -> Array:
    """The expected memory after a command that is chosen by these probabilities."""
    return jnp.tensordot(probabilities, results(memory, job, side), 1)


def hard_work(memory: Array, command: Array, job: Job, side: int) -> Array:
    """The memory of integers after a command by its number; one that is unknown does nothing."""
    known = jnp.where(command < len(COMMANDS), command, 0)
    return results(memory, job, side)[known]
