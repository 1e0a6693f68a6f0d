"""Operands for floating-point rules: edges of a format and of the integers, and random patterns."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from transputer.isa.floats import F32, F64, Format

Patterns = NDArray[np.uint64]
#: Random operands of every instruction, in the quick suite and in the whole one.
COUNTS = (1_000, pytest.param(20_000, marks=pytest.mark.slow))


def float_edges(f: Format) -> list[int]:
    """Patterns of both signs at which something changes: zeros, ties, limits of integers, NaNs."""
    bias = f.infinity >> f.fraction + 1
    exponents = (-1, 0, 1, 2, 7, 8, 23, 24, 30, 31, 32, 51, 52, 53, 62, 63, 64)
    powers = [bias + k for k in exponents] + ([874, 873, 896, 897, 1150, 1151] if f is F64 else [])
    powers = [k << f.fraction for k in powers if 0 < k << f.fraction < f.infinity]
    numbers = [
        k + d for k in (0, 1 << f.fraction, f.infinity, *powers) for d in (-1, 0, 1) if k + d >= 0
    ]
    numbers += [f.encode(x) for x in (0.25, 0.75, 1.5, 2.5, 3.5, 4.5, 65535.5, 8388607.5, 0.1)]
    numbers += [f.encode(float(1 << k) + d) for k in (16, 31, 32, 52) for d in (-1, -0.5, 0.5, 1)]
    numbers += [1, 2, 3, f.nan, f.nan + 5, f.sign - 1]
    return sorted({n | sign for n in numbers for sign in (0, f.sign)})


def random_floats(f: Format, count: int, seed: int) -> Patterns:
    """Patterns with few or many fraction bits, near 1, near the integers' limits, and anywhere."""
    rng = np.random.default_rng(seed)
    fraction, width = np.uint64(f.fraction), f.bits - 1 - f.fraction
    bias = (1 << width - 1) - 1
    sizes = np.where(
        rng.integers(0, 3, count) > 0,
        rng.integers(bias - 3, bias + 68, count),
        rng.integers(0, 1 << width, count),
    )
    if f is F64:  # around the subnormals and the overflow of the narrower format
        near = rng.integers(0, 5, count) == 0
        sizes = np.where(
            near,
            bias + np.where(rng.integers(0, 2, count), -1, 1) * rng.integers(120, 155, count),
            sizes,
        )
    sizes = np.where(rng.integers(0, 20, count) == 0, 0, sizes)
    sizes = np.where(rng.integers(0, 40, count) == 0, (1 << width) - 1, sizes)
    bits = rng.integers(0, 1 << f.fraction, count, dtype=np.uint64)
    short = rng.integers(0, f.fraction + 1, count).astype(np.uint64)  # ties need zeros below
    bits = np.where(rng.integers(0, 2, count) > 0, bits >> short << short, bits)
    sign = rng.integers(0, 2, count).astype(np.uint64) << np.uint64(f.bits - 1)
    return sign | sizes.astype(np.uint64) << fraction | bits


def float_pairs(f: Format, count: int, seed: int) -> tuple[Patterns, Patterns]:
    """Edges with edges, then random pairs, of which some are equal, opposite or neighbours."""
    edges = np.array(float_edges(f), np.uint64)
    a = random_floats(f, count, seed)
    b = random_floats(f, count, seed + 1)
    rng = np.random.default_rng(seed + 2)
    near = a ^ (rng.integers(0, 2, count).astype(np.uint64) << np.uint64(f.bits - 1))
    near = near ^ rng.integers(0, 2, count).astype(np.uint64)
    b = np.where(rng.integers(0, 3, count) == 0, near, b)
    return (
        np.concatenate([np.repeat(edges, len(edges)), a]),
        np.concatenate([np.tile(edges, len(edges)), b]),
    )


def integer_edges(width: int) -> list[int]:
    """Powers of two and their neighbours, ties of both formats, and their negatives."""
    numbers = [(1 << k) + d for k in range(width) for d in (-1, 0, 1)]
    for bits in (24, 53):
        tie = 1 << bits
        numbers += [(tie + d) << k for k in (0, 1, 5, 10) for d in (1, 2, 3, -1)]
        numbers += [((2 * tie - 1) << k) + d for k in (1, 8) for d in (-1, 0, 1)]
        numbers += [((tie + 1) << k) + d for k in (4, 8, 10) for d in (-1, 1)]
    mask = (1 << width) - 1
    return sorted({n & mask for x in numbers for n in (x, -x)})


def random_integers(width: int, count: int, seed: int) -> Patterns:
    """Integers of all lengths and both signs, some with zeros below."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 1 << 64, count, dtype=np.uint64)
    numbers >>= rng.integers(0, 64, count).astype(np.uint64)
    short = rng.integers(0, 40, count).astype(np.uint64)
    numbers = np.where(rng.integers(0, 2, count) > 0, numbers >> short << short, numbers)
    numbers = np.where(rng.integers(0, 2, count) > 0, -numbers, numbers)
    return numbers & np.uint64((1 << width) - 1)


def host_type(width: int) -> tuple[Any, Any]:
    """The host's types of patterns and of floats of a width."""
    return (np.uint32, np.float32) if width == 32 else (np.uint64, np.float64)


def format_of(name: str) -> Format:
    """The format that an instruction's type or operand names: `f32` or `f64`."""
    return F32 if name == "f32" else F64
