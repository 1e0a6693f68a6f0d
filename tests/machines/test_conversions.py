"""Conversions between floats and integers, against the rows' pure functions and NumPy."""

from typing import Any

import numpy as np
import pytest

from tests.machines.float_operands import (
    COUNTS,
    Patterns,
    float_edges,
    host_type,
    integer_edges,
    random_floats,
    random_integers,
)
from tests.machines.rules import Executed, RuleBench, decode, execute
from transputer.errors import TrapError
from transputer.isa.core import CORE
from transputer.isa.floats import F32, F64
from transputer.isa.op import Op
from transputer.machines.trace import conversions
from transputer.machines.trace.machine import trace
from transputer.machines.trace.opcodes import ALIASES
from transputer.machines.trace.vocabulary import trap_status

_NAMES = [n for n, rule in trace.rules.items() if rule.__module__ == conversions.__name__]
#: The tail of all float operations is in the rule of sums.
_RULES = ("f64.add", *_NAMES)
#: Most steps; a conversion from an integer always takes them.
_STEPS = 3


@pytest.fixture(scope="module")
def bench() -> RuleBench:
    return RuleBench([trace.rules[name] for name in _RULES])


def _operands(row: Op, count: int) -> Patterns:
    width, floats = row.params[0].bits, row.sig[0] in "fd"
    f = F32 if width == 32 else F64
    edges = float_edges(f) if floats else integer_edges(width)
    more = random_floats(f, count, 11) if floats else random_integers(width, count, 11)
    return np.concatenate([np.array(edges, np.uint64), more])


def _pure(row: Op, operand: int) -> tuple[int, int]:
    """The result and the status; the result is 0 where it traps."""
    try:
        return row.pure(operand), 0
    except TrapError as error:
        return 0, trap_status(error.trap)


def _outcomes(result: Executed) -> list[tuple[int, int]]:
    pairs = zip(result.values.tolist(), result.status.tolist(), strict=True)
    return [(0 if status else value, status) for value, status in pairs]


def _host(row: Op, operands: Patterns) -> Any:
    """The same by NumPy, where the result is a float."""
    width = row.results[0].bits
    unsigned, kind = host_type(width)
    source = operands.astype(np.uint32 if row.params[0].bits == 32 else np.uint64)
    views = {"f": np.float32, "d": np.float64, "i": np.int32, "l": np.int64}
    numbers = source if row.name.endswith("_u") else source.view(views[row.sig[0]])
    with np.errstate(all="ignore"):
        result = numbers.astype(kind)
    nan = (F32 if width == 32 else F64).nan
    return np.where(np.isnan(result), np.uint64(nan), result.view(unsigned)).tolist()


def test_rows() -> None:
    """Every conversion of the table has its rule here."""
    kinds = (".trunc_", ".convert_", ".demote_", ".promote_")
    assert sorted(_NAMES) == sorted(op.name for op in CORE if any(k in op.name for k in kinds))


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("name", _NAMES)
def test_conversion(bench: RuleBench, name: str, count: int) -> None:
    """Edges and random operands, bit for bit, traps included; S does not matter."""
    row = CORE[name]
    t = _operands(row, count)
    result = execute(bench, ALIASES.get(name, name), np.roll(t, 1), t)
    assert _outcomes(result) == [_pure(row, a) for a in t.tolist()]
    if row.sig[-1] in "fd":
        assert result.values.tolist() == _host(row, t)
    assert result.steps.max() == _STEPS
    assert row.sig[0] in "fd" or result.steps.min() == _STEPS


def test_steps(bench: RuleBench) -> None:
    """What is exact or out of range ends at once, what only has to be packed in two steps."""
    one, tiny, half = 0x3F800000, 1, 0x3FE0000000000000
    cases = {
        "f64.promote_f32": [(one, 1), (0, 1), (F32.infinity, 1), (F32.nan, 1), (tiny, 3)],
        "f32.demote_f64": [
            (half, 2),
            (F64.infinity, 1),
            (F64.nan, 1),
            (1, 1),
            (0, 1),
            (1 << 52, 3),
        ],
        "i32.trunc_f64_s": [(half, 1), (F64.infinity - 1, 1), (0xC000000000000000, 3)],
    }
    for name, rows in cases.items():
        t = np.array([operand for operand, _ in rows], np.uint64)
        assert execute(bench, name, t, t).steps.tolist() == [steps for _, steps in rows], name


@pytest.mark.slow
def test_model() -> None:
    """The weights: bounds verified, and `reference` gives the same on some of the operands."""
    model = RuleBench([trace.rules[name] for name in _RULES]).model()
    for name in _NAMES:
        row = CORE[name]
        t = np.random.default_rng(13).choice(_operands(row, 60), 14).tolist()
        results = [decode(model, ALIASES.get(name, name), 0, a) for a in t]
        outcomes = [(0 if status else value, status) for value, status in results]
        assert outcomes == [_pure(row, a) for a in t], name
