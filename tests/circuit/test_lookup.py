"""Memory by attention: the latest write, the right neighbour, the sentinel, the derived range."""

import numpy as np
import pytest

from transputer.circuit import CircuitSession, Graph, GraphHead, build
from transputer.circuit.arithmetic import add
from transputer.circuit.lookup import KeySpace, bipolar, digit_parabolic, parabolic, parabolic_reach
from transputer.engines.reference.decoder import Reference
from transputer.errors import CapacityError
from transputer.model import Model, card, verify

SENTINEL, OTHER, WRITE, READ = range(4)
DEFAULT = 9


def memory(kind: str, digits: int, base: int, context: int) -> tuple[Graph, GraphHead]:
    """Tokens (what, value, address digits); the value predicted is that of the address."""
    g = Graph(context)
    what, value = g.part("what", 4), g.part("value", 10)
    address = [g.part(f"address{d}", base) for d in range(digits)]
    number = [part.number() for part in address]
    member, sentinel = what.one_hot(WRITE), what.one_hot(SENTINEL)
    if kind == "digits":
        squares = sum(part.square() for part in address)
        head = digit_parabolic(
            g, "read", number, KeySpace(tuple(number), squares, member, sentinel)
        )
    elif kind == "parabolic":
        whole = sum(base**d * x for d, x in enumerate(number))
        head = parabolic(g, "read", whole, whole, member, sentinel)
    else:
        bits = [bit for part in address for bit in part.bits()]
        head = bipolar(g, "read", bits, bits, member, sentinel)
    g.output(value, head.read(value.number()))
    for part in (what, *address):
        g.output(part, 0)
    return g, head


@pytest.mark.parametrize("kind", ["digits", "parabolic", "bipolar"])
def test_reads_the_latest_write_or_the_default(kind: str) -> None:
    g, _ = memory(kind, digits=2, base=16, context=2**20)
    rng = np.random.default_rng(11)
    exact, engine = CircuitSession(g), Reference(build(g), trace=True)
    held: dict[tuple[int, ...], int] = {}
    prompt = [(SENTINEL, DEFAULT, 0, 0)]
    for _ in range(400):
        what = int(rng.choice([OTHER, WRITE, READ]))
        near = rng.integers(0, 3, 2) if rng.random() < 0.5 else rng.integers(0, 16, 2)
        prompt.append((what, int(rng.integers(0, 9)), int(near[0]), int(near[1])))
    for token in prompt:
        exact.append(token)
        engine.append(token)
        if token[0] == WRITE:
            held[token[2:]] = token[1]
        if token[0] == READ:
            assert exact.next()[1] == engine.next()[1] == held.get(token[2:], DEFAULT)
            assert engine.attention[-1][0].margin >= 1


def embedded(model: Model, tokens: np.ndarray, positions: np.ndarray) -> np.ndarray:
    rows = [table[tokens[:, p]] for p, table in enumerate(model.embeddings)]
    x: np.ndarray = model.bias + sum(rows) + np.outer(positions, model.position)
    return x


def positional() -> Model:
    """2^32 addresses and positions; squares come from lanes, so that no layer comes before."""
    g = Graph(context=2**32)
    what, address = g.part("what", 4), [g.part(f"address{d}", 256) for d in range(4)]
    number, squares = [p.number() for p in address], sum(p.square() for p in address)
    space = KeySpace(tuple(number), squares, what.one_hot(WRITE), what.one_hot(SENTINEL))
    seen = digit_parabolic(g, "read", number, space, squares).read(what.number())
    for part in (what, *address):
        g.output(part, seen if part is what else 0)
    return build(g)


def tokens(kind: np.ndarray, at: np.ndarray) -> np.ndarray:
    return np.stack([kind, *(at >> 8 * d & 255 for d in range(4))], axis=1)


def test_hundred_thousand_writes_over_32_bit_addresses_and_positions() -> None:
    model = positional()
    head = model.layers[0].heads[0]
    rng = np.random.default_rng(13)
    pool = rng.integers(0, 2**32, 20_000)
    pool[:1000] = pool[1000:2000] ^ (1 << rng.integers(0, 32, 1000))  # near neighbours
    written = rng.choice(pool, 100_000)
    positions = np.concatenate([[0], np.sort(rng.choice(2**32 - 2, 100_000, replace=True)) + 1])
    positions = np.unique(positions)
    written = written[: len(positions) - 1]
    kinds = np.where(rng.random(len(written)) < 0.9, WRITE, OTHER)

    sentinel = tokens(np.array([SENTINEL]), np.array([0]))
    all_tokens = np.concatenate([sentinel, tokens(kinds, written)])
    keys = embedded(model, all_tokens, positions) @ head.key.T
    last = {int(a): i + 1 for i, a in enumerate(written) if kinds[i] == WRITE}
    asked = np.concatenate([rng.choice(pool, 300), rng.integers(0, 2**32, 100)])
    query = embedded(model, tokens(np.full(400, READ), asked), np.full(400, 2**32 - 1))
    scores = (query @ head.query.T) @ keys.T
    assert scores.argmax(axis=1).tolist() == [last.get(int(a), 0) for a in asked]
    assert ((scores == scores.max(axis=1, keepdims=True)).sum(axis=1) == 1).all()


@pytest.mark.parametrize("position", [1, 2**32 - 2])
@pytest.mark.parametrize("address", [0, 7, 2**32 - 1])
@pytest.mark.parametrize("change", [0, 1, 256, 1 << 31])
def test_the_sentinel_is_the_first_write_of_every_address(
    position: int, address: int, change: int
) -> None:
    """A hit wins from the next position on; the nearest miss loses up to the last."""
    model = positional()
    head = model.layers[0].heads[0]
    kinds, at = np.array([SENTINEL, WRITE, READ]), np.array([0, address ^ change, address])
    x = embedded(model, tokens(kinds, at), np.array([0, position, 2**32 - 1]))
    scores = (x[:2] @ head.key.T) @ (head.query @ x[2])
    assert np.flatnonzero(scores == scores.max()).tolist() == [int(not change)]


def test_the_context_can_be_as_long_as_the_card_says() -> None:
    longest = card(build(memory("digits", 4, 256, 2**20)[0]))["longest_context"]
    assert longest > 2**32
    assert verify(build(memory("digits", 4, 256, longest)[0])).largest["score"][0] < 2**53
    with pytest.raises(CapacityError, match="score"):
        build(memory("digits", 4, 256, longest + 1)[0])


def test_a_computed_address_stays_exact() -> None:
    """Base + offset with carries as query: bounds from the tensors hold for 2^30 positions."""
    g = Graph(context=2**30)
    what = g.part("what", 4)
    base, offset = ([g.part(f"{n}{d}", 256) for d in range(4)] for n in ("base", "offset"))
    number = [part.number() for part in base]
    space = KeySpace(
        tuple(number), sum(p.square() for p in base), what.one_hot(WRITE), what.one_hot(SENTINEL)
    )
    total = add(g, number, [p.number() for p in offset]).digits
    query = [g.assume(g.signal(f"at{d}", x), 0, 255, "a digit") for d, x in enumerate(total)]
    seen = digit_parabolic(g, "read", query, space).read(offset[0].number())
    for part in (what, *base, *offset):
        g.output(part, seen if part is offset[0] else 0)
    model = build(g)
    assert verify(model).largest["score"][0] > 2**45
    exact, engine = CircuitSession(g), Reference(model)
    rng = np.random.default_rng(17)
    written: dict[int, int] = {}
    for _ in range(60):
        address, value = int(rng.integers(0, 2**32)), int(rng.integers(0, 256))
        written[address] = value

    def token(kind: int, first: int, second: int) -> tuple[int, ...]:
        return (kind, *(n >> 8 * d & 255 for n in (first, second) for d in range(4)))

    for session in (exact, engine):
        session.append(token(SENTINEL, 0, 0))
        for address, value in written.items():
            session.append(token(WRITE, address, value))
    for address, value in [*written.items(), (12345, 0)]:
        start = int(rng.integers(0, 2**32))
        asked = token(READ, start, (address - start) % 2**32)
        for session in (exact, engine):
            session.append(asked)
            assert session.next()[5] == value


def test_the_parabola_refuses_beyond_its_range() -> None:
    context = 2**20
    reach = parabolic_reach(2**53, context)

    def lookup(highest: int) -> Model:
        g = Graph(context)
        what, low, high = g.part("what", 4), g.part("low", 2), g.part("high", 2)
        at = high.lane("at", [0, highest - 1]) + low.number()
        head = parabolic(g, "read", at, at, what.one_hot(WRITE), what.one_hot(SENTINEL))
        for part in (what, low, high):
            g.output(part, head.read(part.number()))
        return build(g)

    assert verify(lookup(reach)).largest["score"][0] < 2**53
    with pytest.raises(CapacityError, match="score"):
        lookup(reach + 1)
    assert parabolic_reach(2**53, context, sentinel=False) > reach


def test_without_sentinel_and_recency() -> None:
    g = Graph()
    x, value = g.part("x", 16), g.part("value", 8)
    space = KeySpace((x.number(),), x.square(), member=value.indicator(range(1, 8)))
    head = digit_parabolic(g, "read", [x.number()], space, recency=False)
    g.output(x, 0)
    g.output(value, head.read(value.number()))
    session = CircuitSession(g)
    for token in [(3, 1), (4, 2), (5, 3), (4, 0)]:
        session.append(token)
    assert session.next() == (0, 2)
    assert session.position(head) == 1


def test_negative_query_digits_are_refused() -> None:
    g = Graph()
    x = g.part("x", 16)
    space = KeySpace((x.number(),), x.square(), 1, x.one_hot(0))
    with pytest.raises(ValueError, match="negative"):
        digit_parabolic(g, "read", [x.number() - 1], space)
