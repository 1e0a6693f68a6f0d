"""The register file."""

from transputer.machines.soft.backend import Array


def read(registers: Array, selector: Array) -> Array:
    """The expected word."""
    return selector @ registers


def write(registers: Array, selector: Array, probability: Array, mass: Array) -> Array:
    """Registers after a write that happens with this probability; `mass` is the word times it."""
    keep = 1 - probability * selector
    return registers * keep[:, None] + selector[:, None] * mass
