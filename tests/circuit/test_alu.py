"""Every gadget in one model: an arithmetic unit whose token holds operands and operation."""

import numpy as np
import pytest

from transputer.circuit import Form, Graph, build, values
from transputer.circuit.arithmetic import add, compare, multiply, subtract
from transputer.circuit.bits import (
    amount,
    bitwise,
    leading_zeros,
    ones,
    shift_left,
    shift_right,
    sign_fill,
    trailing_zeros,
)
from transputer.circuit.logic import choose, none, select
from transputer.circuit.word import Word
from transputer.engines.reference.decoder import Reference
from transputer.errors import CapacityError
from transputer.model import Model, card, mutate, nonzeros, verify

FULL = 2**32


def signed(x: int) -> int:
    return x - FULL if x >= FULL // 2 else x


def rotated(x: int, s: int) -> int:
    return (x << s | x >> (32 - s)) % FULL


MEANING = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "shl": lambda a, b: a << b % 32,
    "shr_u": lambda a, b: a >> b % 32,
    "shr_s": lambda a, b: signed(a) >> b % 32,
    "rotl": lambda a, b: rotated(a, b % 32),
    "rotr": lambda a, b: rotated(a, -b % 32),
    "clz": lambda a, b: 32 - b.bit_length(),
    "ctz": lambda a, b: (b & -b).bit_length() - 1 if b else 32,
    "popcnt": lambda a, b: b.bit_count(),
    "eqz": lambda a, b: b == 0,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt_u": lambda a, b: a < b,
    "gt_u": lambda a, b: a > b,
    "le_u": lambda a, b: a <= b,
    "ge_u": lambda a, b: a >= b,
    "lt_s": lambda a, b: signed(a) < signed(b),
    "gt_s": lambda a, b: signed(a) > signed(b),
    "le_s": lambda a, b: signed(a) <= signed(b),
    "ge_s": lambda a, b: signed(a) >= signed(b),
}
EDGES = [
    0,
    1,
    2,
    31,
    32,
    33,
    128,
    255,
    256,
    0xFFFF,
    2**31 - 1,
    2**31,
    2**31 + 1,
    FULL - 2,
    FULL - 1,
]
RNG = np.random.default_rng(19)
PAIRS = [(a, b) for a in EDGES for b in EDGES]
PAIRS += [(int(a), int(b)) for a, b in RNG.integers(0, FULL, (500, 2))]


def results(g: Graph, on: dict[str, Form], a: Word, b: Word) -> list[Form]:
    """The bytes of the result: each operation adds its own where it is on."""
    total = [Form()] * 4

    def put(*digits: Form) -> None:
        total[: len(digits)] = [x + y for x, y in zip(total, digits, strict=False)]

    with g.group("carries"):
        put(*add(g, a.bytes, b.bytes, on["add"]).digits)
        put(*subtract(g, a.bytes, b.bytes, on["sub"]).digits)
    with g.group("multiply"):
        put(*multiply(g, "mul", a.bytes, b.bytes, on["mul"]))
    with g.group("bitwise"):
        found = bitwise(g, "and", a, b)
        for name, forms in (("and", found.both), ("or", found.either), ("xor", found.differ)):
            put(*(select(g, [on[name]], form) for form in forms))
    with g.group("shift"):
        # the operands are whole words of four bytes: there are no half words
        off = Form()
        up = amount(g, "up", b, 4, [off, on["shl"] + on["rotl"]], [off, on["rotr"]])
        right = on["shr_u"] + on["shr_s"] + on["rotr"]
        down = amount(g, "down", b, 4, [off, right], [off, on["rotl"]])
        put(*shift_left(g, "up", a, up))
        put(*shift_right(g, "down", a, down))
        negative = g.signal("negative", select(g, [on["shr_s"], a.bits[31]]))
        put(*sign_fill(g, "sign", down, negative, off))
    with g.group("count"):
        put(leading_zeros(g, b, [on["clz"]] * 4), Form())
        put(trailing_zeros(g, b, [on["ctz"]] * 4) + ones(g, b.bits, on["popcnt"]))
        put(none(g, b.bits, on["eqz"]))
    with g.group("compare"):
        for kind, x, y in (("u", a.number(), b.number()), ("s", a.signed(), b.signed())):
            order = compare(g, x, y)
            less = g.signal(f"less_{kind}", order.less)
            reached = g.signal(f"reached_{kind}", order.less + order.equal)
            cases = {"lt": less, "le": reached, "gt": 1 - reached, "ge": 1 - less}
            put(choose(g, [(on[f"{name}_{kind}"], form) for name, form in cases.items()]))
        same = reached - less
        put(choose(g, [(on["eq"], same), (on["ne"], 1 - same)]))
    return total


def unit() -> tuple[Graph, list[Form]]:
    """The graph; operands and operation arrive through a head, as in a machine."""
    g = Graph(context=2**30)
    op = g.part("op", len(MEANING))
    parts = {n: [g.part(f"{n}{d}", 256) for d in range(4)] for n in "ab"}
    a, b = (Word.of_parts(held) for held in parts.values())
    on = {name: op.one_hot(i) for i, name in enumerate(MEANING)}
    total = results(g, on, a, b)
    last = g.attend("last", [1], [g.position])
    read = {name: last.read(form) for name, form in on.items()}
    through = results(g, read, a.map(last.read), b.map(last.read))
    for d in range(4):
        g.output(parts["a"][d], g.signal(f"result{d}", through[d]))
        g.output(parts["b"][d], 0)
    g.output(op, 0)
    return g, total


def token(op: int, a: int, b: int) -> tuple[int, ...]:
    return (op, *(n >> 8 * d & 255 for n in (a, b) for d in range(4)))


@pytest.fixture(scope="module")
def built() -> tuple[Model, list[Form]]:
    g, total = unit()
    return build(g, width=0), total


@pytest.mark.parametrize("name", MEANING)
def test_operations(built: tuple[Model, list[Form]], name: str) -> None:
    model, total = built
    op = list(MEANING).index(name)
    wanted = [int(MEANING[name](a, b)) % FULL for a, b in PAIRS]
    columns = np.array([token(op, a, b) for a, b in PAIRS]).T
    held = dict(zip((part.name for part in model.parts), columns, strict=True))
    found = values(total, held)
    assert sum(256**d * digit for d, digit in enumerate(found)).tolist() == wanted
    for i in RNG.choice(len(PAIRS), 12):
        engine = Reference(model)
        engine.append(token(op, *PAIRS[i]))
        digits = engine.next()[1:5]
        assert sum(256**d * digit for d, digit in enumerate(digits)) == wanted[i]


def test_size(built: tuple[Model, list[Form]]) -> None:
    about = card(built[0])
    assert about["layers"] == 5
    assert about["lanes"] <= 200
    assert about["neurons"] <= 1100
    assert about["parameters"]["layers"]["nonzero"] <= 10_000
    assert about["bounds"]["largest"]["stream"]["magnitude"] < 2**46
    groups = {row["group"] for row in about["neuron_table"]}
    assert groups == {"carries", "multiply", "bitwise", "shift", "count", "compare", "erase"}


@pytest.mark.slow
def test_most_mutants_run(built: tuple[Model, list[Form]]) -> None:
    model = built[0]
    rng, refused = np.random.default_rng(23), 0
    for which in rng.choice(nonzeros(model), 40, replace=False):
        broken = mutate(model, int(which), rng.choice(["zero", "negate"]))
        try:
            verify(broken)
        except CapacityError:
            refused += 1
    assert refused <= 4
