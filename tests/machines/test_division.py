"""Integer division on the bench: every opcode against Python's integers."""

import numpy as np
import pytest

from tests.machines.rules import RuleBench, decode, execute
from transputer.errors import Trap
from transputer.machines.trace.division import division
from transputer.machines.trace.opcodes import ALIASES
from transputer.machines.trace.vocabulary import trap_status

_ZERO, _OVER = map(trap_status, (Trap.DIVIDE_BY_ZERO, Trap.INTEGER_OVERFLOW))
_NAMES = [f"i{n}.{op}" for n in (32, 64) for op in ("div_u", "rem_u", "div_s", "rem_s")]
_STEPS = {32: 6, 64: 12}


@pytest.fixture(scope="module")
def bench() -> RuleBench:
    return RuleBench([division])


def _wanted(name: str, bits: int, a: int, b: int) -> tuple[int, int]:
    """Value and status."""
    if name.endswith("_s"):
        a, b = (x - (1 << bits) if x >> (bits - 1) else x for x in (a, b))
    if b == 0:
        return 0, _ZERO
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    if "rem" in name:
        return (a - quotient * b) % (1 << bits), 0
    if name.endswith("_s") and quotient == 1 << (bits - 1):
        return 0, _OVER
    return quotient % (1 << bits), 0


def _edges(bits: int) -> list[int]:
    powers = [0, 1, 7, 8, 15, 16, 24, 31, 32, 33, 40, 47, 48, 49, 55, 56, 57, 62, 63]
    numbers = {(1 << p) + d for p in powers for d in (-1, 0, 1)}
    numbers |= {3, 10, 100, 1000, 10**9, 0x0123456789ABCDEF, 0xFEDCBA9876543210}
    return sorted({x % (1 << bits) for n in numbers for x in (n, -n)})


def _pairs(bits: int, count: int) -> list[tuple[int, int]]:
    """Edges with edges, numbers of all lengths, and near multiples, where a digit is exact."""
    rng = np.random.default_rng(bits)
    numbers = rng.integers(0, 2**64, (2, count), dtype=np.uint64).tolist()
    lengths = rng.integers(1, bits + 1, (2, count)).tolist()
    a, b = (
        [x >> (64 - k) for x, k in zip(*row, strict=True)]
        for row in zip(numbers, lengths, strict=True)
    )
    signs = rng.integers(0, 2, (2, count)).tolist()
    random = []
    for i, (x, y) in enumerate(zip(a, b, strict=True)):
        if i % 3 == 0 and y:
            x = max(x - x % y + i % 5 - 2, 0)
        x, y = -x if signs[0][i] else x, -y if signs[1][i] else y
        random.append((x % (1 << bits), y % (1 << bits)))
    edges = _edges(bits)
    return [*((x, y) for x in edges for y in edges), *random]


@pytest.mark.parametrize("name", _NAMES)
def test_division(bench: RuleBench, name: str) -> None:
    bits = int(name[1:3])
    pairs = _pairs(bits, 20_000)
    s, t = (np.array(column, np.uint64) for column in zip(*pairs, strict=True))
    done = execute(bench, ALIASES.get(name, name), s, t)
    wanted = [_wanted(name, bits, a, b) for a, b in pairs]
    statuses = [status for _, status in wanted]
    assert done.status.tolist() == statuses
    values = [value for value, _ in wanted]
    ended = done.status == 0
    assert done.values[ended].tolist() == np.array(values, np.uint64)[ended].tolist()
    assert done.steps.max() <= _STEPS[bits]


def test_short_dividends_take_two_steps(bench: RuleBench) -> None:
    """A quotient below 256 needs one digit, whatever the operands."""
    s = np.array([48, 48, 2**32 - 1, 2**63], np.uint64)
    t = np.array([36, 36, 2**25, 2**56 + 1], np.uint64)
    assert execute(bench, "i32.div_u", s, t).steps.tolist() == [2, 2, 2, 2]


@pytest.mark.slow
def test_weights() -> None:
    """Bounds hold for the weights, and the reference engine decodes the same."""
    model = RuleBench([division]).model()
    for name in _NAMES:
        bits = int(name[1:3])
        pairs = _pairs(bits, 20)
        for a, b in [*pairs[:: len(pairs) // 30], *pairs[-20:]]:
            value, status = decode(model, ALIASES.get(name, name), a, b)
            wanted = _wanted(name, bits, a, b)
            assert status == wanted[1], (name, a, b)
            assert status or value == wanted[0], (name, a, b)
