"""From graph to weights: the Model does what the graph says, in few layers and lanes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sampling import random_cases, sampled
from transputer.circuit import BrokenAssumption, CircuitSession, Form, Graph, build, values
from transputer.circuit.allocate import allocate
from transputer.circuit.cases import MANY, lane_cases
from transputer.circuit.netlist import resolve
from transputer.circuit.schedule import POLICIES, Policy, schedule
from transputer.circuit.weights import _Writer
from transputer.engines.reference.decoder import Reference
from transputer.errors import CapacityError, UsageError
from transputer.model import Model, digest, to_bytes, verify


def random_graph(rng: np.random.Generator) -> Graph:
    """A few parts, neurons, signals and heads, wired at random, seen through the outputs."""
    g = Graph(context=64)
    parts = [g.part(f"p{i}", int(rng.integers(2, 5))) for i in range(int(rng.integers(1, 4)))]
    pool = [g.position, *(p.lane(p.name, rng.integers(-3, 4, p.size)) for p in parts)]
    pool += [p.one_hot(0) for p in parts]

    def form() -> Form:
        some = rng.choice(len(pool), int(rng.integers(1, 4)))
        picked = (int(rng.integers(-2, 3)) * pool[i] for i in some)
        return sum(picked, Form.of(int(rng.integers(-2, 3))))

    for i in range(int(rng.integers(3, 14))):
        kind = rng.integers(0, 4)
        if kind == 0:
            size = int(rng.integers(1, 4))
            head = g.attend(f"h{i}", [form() for _ in range(size)], [form() for _ in range(size)])
            pool += [head.read(form()), head.read(form())]
        elif kind == 1:
            pool.append(g.neuron(form(), form()))
        elif kind == 2:
            pool.append(g.signal(f"s{i}", form() + g.neuron(form()) - g.neuron(form(), form())))
        else:
            x = form()
            pool.append(g.neuron(x + 1) - g.neuron(x))
    for part in parts:
        g.output_scores(part, {v: form() for v in range(part.size)})
    for i in range(4):  # and some values as they are
        seen = form()
        if seen.hi - seen.lo < 4096:
            g.output(g.part(f"probe{i}", seen.hi - seen.lo + 1), seen - seen.lo)
    return g


def decoded(
    session: CircuitSession | Reference, sizes: list[int], rng: np.random.Generator
) -> list:
    seen = []
    for _ in range(12):
        session.append(tuple(int(rng.integers(0, size)) for size in sizes))
        seen.append(session.next())
    return seen + [session.step() for _ in range(6)]


@random_cases(80)
@given(st.integers(0, 2**32))
def test_models_do_what_their_graphs_say(seed: int) -> None:
    try:
        g = random_graph(np.random.default_rng(seed))
        model = build(g)
    except CapacityError:
        return
    sizes = [p.size for p in g.parts.values()]
    wanted = decoded(CircuitSession(g), sizes, np.random.default_rng(seed))
    assert decoded(Reference(model), sizes, np.random.default_rng(seed)) == wanted
    narrow = build(g, width=0)
    assert decoded(Reference(narrow), sizes, np.random.default_rng(seed)) == wanted
    assert narrow.width <= model.width


def planned(g: Graph, policy: Policy) -> Model:
    netlist = resolve(g)
    plan = schedule(netlist, policy)
    return _Writer(g, netlist, plan, allocate(netlist, plan)).model()


@pytest.mark.parametrize("seed", sampled(range(30), 3))
def test_every_policy_behaves_alike_in_as_many_layers(seed: int) -> None:
    g = random_graph(np.random.default_rng(seed))
    sizes = [p.size for p in g.parts.values()]
    models = [planned(g, policy) for policy in POLICIES]
    assert len({len(model.layers) for model in models}) == 1
    seen = [decoded(Reference(m), sizes, np.random.default_rng(seed)) for m in models]
    assert seen[0] == seen[1] == seen[2]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("seed", sampled(range(30), 3))
def test_a_column_has_one_tenant_at_a_time(seed: int, policy: Policy) -> None:
    netlist = resolve(random_graph(np.random.default_rng(seed)))
    plan = schedule(netlist, policy)
    allocation = allocate(netlist, plan)
    tenants = {t.lane: t for t in allocation.tenants}
    for lane, time in plan.writers(netlist):
        assert tenants[lane].start <= time
    for lane, layer in plan.readers(netlist):
        assert layer <= tenants[lane].last
    by_column: dict[int, list] = {}
    for tenant in sorted(allocation.tenants, key=lambda t: t.start):
        by_column.setdefault(tenant.column, []).append(tenant)
    for column, held in by_column.items():
        for before, after in zip(held, held[1:], strict=False):
            assert after.start >= 2 * before.last + 1
            assert (before.last, column) in allocation.erased


def by_opcode(count: int) -> Graph:
    """An instruction adds its number to x in three layers, with lanes of its own."""
    g = Graph()
    op, part = g.part("op", count), g.part("x", 256)
    x = part.number()
    total = x
    for i in range(count):
        once = g.signal(f"once {i}", g.neuron(op.one_hot(i), x))
        twice = g.signal(f"twice {i}", g.neuron(once - 1))
        total = total + g.neuron(g.signal(f"thrice {i}", g.neuron(twice - 1)) - i)
    g.output(op, op.number())
    g.output(part, total - g.neuron(total - 255))
    return g


@pytest.mark.parametrize("count", [MANY, MANY + 9])
def test_a_lane_takes_the_column_of_one_that_is_in_use_where_it_matters(count: int) -> None:
    netlist = resolve(by_opcode(count))
    plan = schedule(netlist)
    (cases,) = lane_cases(netlist, plan)
    flags, once, thrice = (
        [netlist.names.index(name.format(i)) for i in range(count)]
        for name in ("op={}", "once {}", "thrice {}")
    )
    for lanes in (flags, once, thrice):
        assert (cases.nonzero[lanes].sum(axis=1) == 1).all()
    assert (cases.matters[once] == cases.nonzero[once]).all()
    allocation = allocate(netlist, plan)
    tenants = {t.lane: t for t in allocation.tenants}
    for column in {column for _, column in allocation.erased}:
        held = sorted((t for t in tenants.values() if t.column == column), key=lambda t: t.start)
        for before, after in zip(held, held[1:], strict=False):
            if cases.nonzero[before.lane].sum() == 1 == cases.matters[after.lane].sum():
                assert (cases.nonzero[before.lane] & cases.matters[after.lane]).any()


def chain(length: int) -> Graph:
    """Numbers that halve: each needs the one before, and none is needed twice."""
    g = Graph()
    part = g.part("x", 256)
    x = part.number()
    for i in range(length):
        x = g.signal(f"x{i}", g.neuron(x - 1) - g.neuron(x - 200 + i, 1))
    g.output(part, x)
    return g


def test_lanes_are_reused_and_stay_in_their_bounds() -> None:
    model = build(chain(12), width=0)
    assert len(model.layers) == 12
    assert model.width == 2  # the constant, and one column that each layer empties and refills
    assert build(chain(12)).width == 14
    assert build(chain(12), width=9).width == 9
    bounds = verify(model)
    assert bounds.largest["stream"][0] < 2000
    for start in (0, 7, 40, 180, 255):
        exact, engine = CircuitSession(chain(12)), Reference(model)
        exact.append((start,))
        engine.append((start,))
        assert exact.next() == engine.next()


def test_a_key_that_a_later_query_needs_is_not_clobbered() -> None:
    g = Graph(context=100)
    part = g.part("x", 32)
    key = part.lane("key", [7 * v % 32 for v in range(32)])
    x = part.number()
    for i in range(5):  # five layers of other work, wide enough to want the key's column
        lanes = [g.signal(f"w{i}.{j}", g.neuron(x - j) - g.neuron(x - j - 9)) for j in range(6)]
        x = g.signal(f"x{i}", g.neuron(sum(lanes) - 3 * i) - g.neuron(sum(lanes) - 3 * i - 31))
    head = g.attend(
        "late", [2 * x, -1], [key, part.lane("key^2", [(7 * v % 32) ** 2 for v in range(32)])]
    )
    g.output(part, head.read(part.number()))
    exact, engine = CircuitSession(g), Reference(build(g))
    for token in np.random.default_rng(1).integers(0, 32, 40):
        exact.append((int(token),))
        engine.append((int(token),))
        assert exact.next() == engine.next()


def test_the_same_graph_gives_the_same_bytes() -> None:
    first, second = (random_graph(np.random.default_rng(8)) for _ in range(2))
    assert to_bytes(build(first)) == to_bytes(build(second))


@pytest.mark.parametrize("seed", range(20))
def test_no_dead_neurons_heads_or_lanes(seed: int) -> None:
    model = build(random_graph(np.random.default_rng(seed)))
    read, written = np.zeros(model.width, bool), np.zeros(model.width, bool)
    for table in (*model.embeddings, model.bias[None], model.position[None]):
        written |= table.any(axis=0)
    for layer in model.layers:
        assert layer.gate.any(axis=1).all() and layer.value.any(axis=1).all()
        assert layer.out.any(axis=0).all()
        for rows in (layer.gate, layer.value, *(h.key for h in layer.heads)):
            read |= rows.any(axis=0)
        for head in layer.heads:
            assert head.output.any(axis=0).all() and head.value.any(axis=1).all()
            read |= head.query.any(axis=0) | head.value.any(axis=0)
            written |= head.output.any(axis=1)
        written |= layer.out.any(axis=1)
    for table in model.outputs:
        read |= table.any(axis=0)
    assert (read[1:] & written[1:]).all()  # lane 0, the constant, may be unneeded in a tiny model


def test_what_is_not_predicted_is_not_built() -> None:
    g = Graph()
    x = g.part("x", 8)
    g.signal("unused", g.neuron(x.number() - 3))
    g.attend("unused", [1], [g.position]).read(x.number())
    g.output(x, x.number())
    model = build(g)
    assert model.width == 2 and not model.layers[0].heads and not len(model.layers[0].gate)


def test_neurons_of_one_combination_share_a_lane() -> None:
    g = Graph()
    x = g.part("x", 8)
    bit = g.neuron(x.number() - 3) - g.neuron(x.number() - 4)  # not a signal
    g.output(x, g.neuron(3 * bit + 1) + 2 * g.neuron(bit, x.number() - x.number() + 1) - 1)
    names = resolve(g).names
    assert len(names) == 3  # x, the bit, and what the output collects


def test_copies_are_made_of_what_is_no_neuron() -> None:
    g = Graph()
    x = g.part("x", 8)
    moved = g.signal("moved", 7 - x.number())
    g.output(x, moved)
    engine = Reference(build(g))
    engine.append((2,))
    assert engine.next() == (5,)
    assert g.signal("again", x.number()) == x.number()


def test_fields_are_read_as_fields() -> None:
    g = Graph()
    x, y = g.part("x", 8), g.part("y", 8)
    pair = g.field("pair", [x.number() + 1, 7 - y.number()])
    first = g.attend("first", [-1], [g.position]).read_field(pair)
    assert (first.name, len(first)) == ("first.pair", 2)
    g.output(x, first[0])
    g.output(y, sum(first) - first[0])
    for session in (CircuitSession(g), Reference(build(g))):
        session.append((3, 2))
        session.append((5, 0))
        assert session.next() == (4, 5)


def test_groups_and_names_are_hints() -> None:
    g = Graph()
    x = g.part("x", 8)
    with g.group("outer"), g.group("inner"):
        up = g.signal("up", g.neuron(x.number() - 3))
        seen = g.attend("self", [1], [g.position]).read(x.number())
    g.output(x, g.neuron(seen - up))
    model = build(g)
    assert {h["group"] for h in model.hints["neurons"]} >= {"outer.inner"}
    about = model.hints["heads"][0]
    assert about["name"] == "self" and about["key"] == ["position"] and about["values"] == ["x"]
    assert "up" in " | ".join(model.names)
    assert digest(model.anonymous()) == digest(model)


def test_a_missing_output_is_named() -> None:
    g = Graph()
    x = g.part("x", 8)
    g.part("lonely", 2)
    g.output(x, 0)
    with pytest.raises(ValueError, match="lonely"):
        build(g)
    with pytest.raises(ValueError, match="already"):
        g.output(x, 1)
    with pytest.raises(ValueError, match="exists"):
        g.part("x", 2)


def test_a_head_that_reads_its_own_result_is_refused() -> None:
    g = Graph()
    x = g.part("x", 8)
    head = g.attend("loop", [1], [g.position])
    g.output(x, head.read(g.signal("s", g.neuron(head.read(x.number())))))
    with pytest.raises(ValueError, match="two heads"):
        build(g)


def test_broken_assumptions_are_seen() -> None:
    g = Graph()
    x = g.part("x", 8)
    narrow = g.assume(x.number(), 0, 3, "small by decree")
    assert values([narrow], {"x": 3}) == [3]
    with pytest.raises(BrokenAssumption, match="small by decree"):
        values([narrow], {"x": np.arange(8)})
    g.output(x, x.number() + 1)
    session = CircuitSession(g)
    session.append((7,))
    with pytest.raises(BrokenAssumption, match="predicted as 8"):
        session.next()


def test_sessions_refuse_what_they_cannot_do() -> None:
    g = Graph()
    x = g.part("x", 8)
    head = g.attend("last", [1], [g.position])
    g.output(x, 0)
    session = CircuitSession(g)
    for token in [(8,), (1, 2), ()]:
        with pytest.raises(UsageError):
            session.append(token)
    with pytest.raises(UsageError, match="CircuitSession"):
        values([head.read(x.number())], {"x": 1})
