"""Float sums and products on the trace machine: bit for bit what the host computes."""

from functools import cache

import numpy as np
import pytest

from tests.machines.rules import Numbers, RuleBench, execute
from transputer.circuit import build
from transputer.engines.reference.decoder import Reference
from transputer.isa.floats import F32, F64, Format
from transputer.machines.trace.floats import products, sums
from transputer.machines.trace.opcodes import OPCODES
from transputer.machines.trace.vocabulary import Space
from transputer.model import Model

OPS = {"add": np.add, "sub": np.subtract, "mul": np.multiply}
FORMATS = {"f32": F32, "f64": F64}
EACH = pytest.mark.parametrize("name", [f"{f}.{op}" for f in FORMATS for op in OPS])
RANDOM = 20_000
#: Steps with normal and with subnormal operands.
MOST, MOST_SUBNORMAL = 4, 6


@cache
def bench() -> RuleBench:
    """The rules under test."""
    return RuleBench([sums, products])


def edges(f: Format) -> Numbers:
    """Patterns of both signs at which something changes: zeros, powers of two, limits, NaNs."""
    one = (1 << f.bits - f.fraction - 2) - 1
    offsets = (-1, 0, 1, f.fraction, f.fraction + 1, -f.fraction - 1, one // 2, -one // 2, one - 1)
    powers = [one + k << f.fraction for k in offsets]
    numbers = [0, 1, 2, 3, 1 << f.fraction - 1, f.nan, f.nan - 1, f.nan + 5, f.sign - 1]
    numbers += [p + d for p in (1 << f.fraction, 2 << f.fraction, *powers) for d in (-1, 0, 1)]
    numbers += [f.infinity + d for d in (-2, -1, 0, 1)]
    return np.array(sorted({n | s for n in numbers for s in (0, f.sign)}), np.uint64)


def random_pairs(f: Format, count: int, seed: int) -> tuple[Numbers, Numbers]:
    """Pairs anywhere; of near exponents; around limits; short, subnormal, cancelling."""
    rng = np.random.default_rng(seed)
    a, b = (rng.integers(0, 1 << f.bits, count, dtype=np.uint64) for _ in range(2))
    field, most = np.uint64(f.infinity), (f.infinity >> f.fraction) - 1
    kind = rng.integers(0, 7, count)
    exponent = ((a & field) >> np.uint64(f.fraction)).astype(np.int64)

    def moved(x: Numbers, where: np.ndarray) -> Numbers:
        return (x & ~field) | np.clip(where, 0, most).astype(np.uint64) << np.uint64(f.fraction)

    near = exponent + rng.integers(-f.fraction - 8, f.fraction + 9, count)
    b = np.where(kind < 3, moved(b, near), b)
    b = np.where(kind == 3, moved(b, most // 2 - exponent + rng.integers(-80, 60, count)), b)
    short = rng.integers(0, f.fraction + 1, count).astype(np.uint64)
    b = np.where(kind == 1, b >> short << short, b)
    a = np.where(kind == 4, a & ~field, a)
    b = np.where((kind == 4) & (b % 2 == 0), moved(b, rng.integers(0, 3, count)), b)
    a, b = (np.where(kind == 6, moved(x, most - rng.integers(0, 4, count)), x) for x in (a, b))
    flips = rng.integers(0, 4, count).astype(np.uint64)
    sign = rng.integers(0, 2, count).astype(np.uint64) << np.uint64(f.bits - 1)
    return np.where(kind == 5, b ^ flips ^ sign, a), b


def host(f: Format, op: str, a: Numbers, b: Numbers) -> Numbers:
    """What NumPy computes, with the canonical NaN."""
    number, pattern = (np.float32, np.uint32) if f is F32 else (np.float64, np.uint64)
    with np.errstate(all="ignore"):
        result = OPS[op](*(x.astype(pattern).view(number) for x in (a, b)))
    return np.where(np.isnan(result), np.uint64(f.nan), result.view(pattern).astype(np.uint64))


def subnormal(f: Format, x: Numbers) -> np.ndarray:
    return ((x & np.uint64(f.infinity)) == 0) & ((x & ~np.uint64(f.sign)) > 0)


def check(name: str, a: Numbers, b: Numbers) -> None:
    f, op = FORMATS[name[:3]], name[4:]
    result, wanted = execute(bench(), name, a, b), host(f, op, a, b)
    wrong = np.flatnonzero(result.values != wanted)
    cases = [(a[i], b[i], result.values[i], wanted[i]) for i in wrong[:5]]
    assert not len(wrong), [tuple(hex(x) for x in case) for case in cases]
    slow = subnormal(f, a) | subnormal(f, b)
    assert result.steps[~slow].max() <= MOST
    assert result.steps.max() <= MOST_SUBNORMAL
    assert not result.status.any()


@EACH
def test_edges(name: str) -> None:
    e = edges(FORMATS[name[:3]])
    check(name, np.repeat(e, len(e)), np.tile(e, len(e)))


@EACH
def test_random_pairs(name: str) -> None:
    check(name, *random_pairs(FORMATS[name[:3]], RANDOM, 11))


def test_pairs_reach_every_kind_of_result() -> None:
    """The random pairs round, cancel, overflow and underflow, so that the test above can fail."""
    for f in FORMATS.values():
        a, b = random_pairs(f, RANDOM, 11)
        for op in OPS:
            result = host(f, op, a, b)
            assert (subnormal(f, result)).sum() > 100
            assert (result & ~np.uint64(f.sign) == np.uint64(f.infinity)).sum() > 20


@cache
def model() -> Model:
    """The verified Model of the bench; operands and opcode predict themselves."""
    b = RuleBench([sums, products])
    for name, forms in b.output.items():
        for part, form in zip(b.parts[name], forms, strict=True):
            if name != "op":
                b.g.output(part, b.g.signal(f"next {part.name}", form))
    for part in (part for name in ("op", "S", "T") for part in b.parts[name]):
        b.g.output(part, part.number())
    b.g.output(b.parts["digit"][0], 0)
    return build(b.g)


def run_model(session: Reference, name: str, s: int, t: int) -> tuple[int, int]:
    """The value and the number of steps of an instruction on `reference`."""
    names = [part.name for part in session.model.parts]
    numbers = {"op": OPCODES[name]} | {
        f"{operand}{i}": x >> 8 * i & 255 for operand, x in (("S", s), ("T", t)) for i in range(8)
    }
    session.append(tuple(numbers.get(n, 0) for n in names))
    for steps in range(1, MOST_SUBNORMAL + 1):
        token = session.next()
        said = dict(zip(names, token, strict=True))
        if said["space"] != Space.WORK:
            return sum(said[f"value{i}"] << 8 * i for i in range(8)), steps
        session.append(token)
    raise AssertionError(f"{name} goes on for {MOST_SUBNORMAL} steps and more")


@EACH
def test_weights_do_the_same(name: str) -> None:
    f, op = FORMATS[name[:3]], name[4:]
    a, b = random_pairs(f, 40, 12)
    e = np.random.default_rng(13).choice(edges(f), (2, 20))
    a, b = np.concatenate([a, e[0]]), np.concatenate([b, e[1]])
    session = Reference(model())
    results = [run_model(session, name, int(x), int(y))[0] for x, y in zip(a, b, strict=True)]
    assert results == [int(x) for x in host(f, op, a, b)]


def test_size() -> None:
    """Depth and size of sums and products together."""
    layers = model().layers
    nonzeros = sum(int((t != 0).sum()) for x in layers for t in (x.gate, x.value, x.out))
    assert len(layers) <= 8
    assert sum(len(layer.gate) for layer in layers) <= 1_500
    assert nonzeros <= 10_000
