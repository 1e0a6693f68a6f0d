"""States of the machine on the hard path: integers. Needs no JAX."""

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from transputer.machines.soft.config import Config

#: A NumPy or JAX array of integers, traced or not.
Array = Any


@dataclass(frozen=True)
class HardState:
    """Words are unsigned, the flags are packed, `pc`, `read` and `wrote` are numbers of places.

    The last place of each means *ended*; the input stands at the end of its tape, and reading
    starts at its first word.
    """

    registers: Array  # (registers)
    flags: Array
    pc: Array
    memory: Array  # (memory)
    inputs: Array  # (inputs)
    read: Array
    outputs: Array  # (outputs)
    wrote: Array


def word_type(width: int) -> type[np.unsignedinteger[Any]]:
    """The NumPy type that holds words of a width."""
    return np.uint64 if width > 32 else np.uint32


def blank(config: Config) -> HardState:
    """Everything zero, no input, at the first instruction."""
    zeros = (config.registers, config.memory, config.inputs, config.outputs)
    registers, memory, inputs, outputs = (np.zeros(n, word_type(config.width)) for n in zeros)
    zero, ended = np.int32(0), np.int32(config.inputs)
    return HardState(registers, zero, zero, memory, inputs, ended, outputs, zero)


def digest(state: HardState) -> str:
    """The SHA-256 of a state without its tapes: registers, flags, place and memory.

    All are numbers of 32 bits, lowest byte first.
    """
    seen = hashlib.sha256()
    for part in (state.registers, state.flags, state.pc, state.memory):
        seen.update(np.asarray(part).astype("<u4").tobytes())
    return seen.hexdigest()
