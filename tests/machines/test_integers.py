"""Integer rules of the trace machine on the bench, against the pure functions of the rows."""

import numpy as np
import pytest

from tests.machines.rules import RuleBench, execute
from transputer.isa.core import CORE
from transputer.machines.trace import arithmetic
from transputer.machines.trace.machine import trace
from transputer.machines.trace.opcodes import ALIASES

_EDGES = [0, 1, 2, 3, 7, 8, 31, 32, 33, 63, 64, 127, 128, 255, 256, 0x7FFF, 0x8000, 0xFFFF, 0x10000]
_EDGES += [(1 << k) + d for k in (24, 31, 32, 33, 40, 47, 48, 56, 63) for d in (-1, 0, 1)]
_EDGES += [(1 << 64) - d for d in (1, 2, 3, 128, 129, 32768, 1 << 31, 1 << 32, (1 << 32) + 1)]
#: Not on the bench: the immediate is read by a head.
_NAMES = [
    name
    for name, rule in trace.rules.items()
    if rule.__module__ == arithmetic.__name__ and CORE[name].fn and not CORE[name].imm
]


@pytest.fixture(scope="module")
def bench() -> RuleBench:
    return RuleBench([trace.rules[name] for name in _NAMES])


@pytest.mark.parametrize("name", _NAMES)
def test_one_step(bench: RuleBench, name: str) -> None:
    """Edges with edges and random operands of all lengths, bit for bit."""
    row = CORE[name]
    rng = np.random.default_rng(17)
    numbers = [
        *_EDGES,
        *(
            int(x) >> int(k)
            for x, k in zip(
                rng.integers(0, 2**64, 400, dtype=np.uint64), rng.integers(0, 64, 400), strict=True
            )
        ),
    ]
    pairs = [(a, b) for a in _EDGES for b in _EDGES]
    pairs += list(zip(numbers, rng.permutation(np.array(numbers, np.uint64)).tolist(), strict=True))
    masks = [(1 << t.bits) - 1 for t in row.params]
    operands = [(a & masks[0], b & masks[-1]) for a, b in pairs]
    wanted = [row.fn(*pair[-len(masks) :]) for pair in operands]
    s, t = (np.array(column, np.uint64) for column in zip(*operands, strict=True))
    done = execute(bench, ALIASES.get(name, name), s, t)
    assert done.values.tolist() == wanted
    assert set(done.steps.tolist()) == {1}
