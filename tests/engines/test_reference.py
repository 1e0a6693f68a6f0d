"""The reference engine, and a whole toy machine written in the circuit language.

The machine has an accumulator, 256 cells and four instructions: push a constant, add a cell,
store to a cell, jump if not zero. The program is in the prompt, one token per instruction, and
every step is one token. Weights, exact evaluation and a plain simulation must agree.
"""

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sampling import random_cases
from transputer.circuit import CircuitSession, Graph, build
from transputer.circuit.arithmetic import carry
from transputer.circuit.logic import choose, select
from transputer.circuit.lookup import KeySpace, digit_parabolic
from transputer.engines.reference.decoder import Reference
from transputer.errors import CapacityError, UsageError
from transputer.model import Model, card, load, mutate, nonzeros, permute, save, verify

PUSH, ADD, STORE, JUMP = range(4)
SENTINEL, PROGRAM, STEP = range(3)
Program = list[tuple[int, int]]


def toy() -> Graph:
    """The machine. A token is (kind, op, arg, pc, acc, cell, wrote)."""
    g = Graph(context=2**20)
    kind, op, arg = g.part("kind", 3), g.part("op", 4), g.part("arg", 256)
    pc, acc = g.part("pc", 256), g.part("acc", 256)
    cell, wrote = g.part("cell", 256), g.part("wrote", 2)

    program = KeySpace((pc.number(),), pc.square(), member=kind.one_hot(PROGRAM))
    fetch = digit_parabolic(g, "fetch", [pc.number()], program, recency=False)
    push, plus, store, jump = (fetch.read(op.one_hot(i)) for i in range(4))
    operand = fetch.read(arg.number())

    cells = KeySpace((cell.number(),), cell.square(), wrote.number(), kind.one_hot(SENTINEL))
    find = digit_parabolic(g, "load", [operand], cells, squares=fetch.read(arg.square()))
    held = find.read(acc.number())

    with g.group("accumulator"):
        total = carry(g, [acc.number() + held], when=plus).digits[0]
        kept = choose(g, [(push, operand), (store + jump, acc.number())])
        result = g.signal("result", total + kept)
    with g.group("branch"):
        taken = select(g, [jump, acc.indicator(range(1, 256))], operand - pc.number() - 1)
        target = pc.number() + 1 + g.signal("taken", taken)
    g.output(kind, STEP)
    g.output(op, 0)
    g.output(arg, 0)
    g.output(pc, target)
    g.output(acc, result)
    g.output(cell, g.signal("cell", select(g, [store], operand)))
    g.output(wrote, store)
    return g


def prompt(program: Program) -> list[tuple[int, ...]]:
    code = [(PROGRAM, op, arg, at, 0, 0, 0) for at, (op, arg) in enumerate(program)]
    return [(SENTINEL, 0, 0, 0, 0, 0, 0), *code, (STEP, 0, 0, 0, 0, 0, 0)]


def simulate(program: Program, steps: int) -> list[tuple[int, ...]]:
    pc, acc, cells, seen = 0, 0, {}, []
    for _ in range(steps):
        op, arg = program[pc]
        pc = arg if op == JUMP and acc else pc + 1
        if op == PUSH:
            acc = arg
        if op == ADD:
            acc = (acc + cells.get(arg, 0)) % 256
        if op == STORE:
            cells[arg] = acc
        seen.append((STEP, 0, 0, pc, acc, arg if op == STORE else 0, int(op == STORE)))
    return seen


def run(session: Reference | CircuitSession, program: Program, steps: int) -> list[tuple[int, ...]]:
    for token in prompt(program):
        session.append(token)
    return [session.step() for _ in range(steps)]


#: Counts cell 1 down from 5 and adds cell 2 to cell 3 each time, then stops in a loop.
COUNTDOWN: Program = [
    (PUSH, 255),
    (STORE, 0),  # minus one
    (PUSH, 50),
    (STORE, 2),
    (PUSH, 5),
    (STORE, 1),
    (PUSH, 0),
    (ADD, 3),  # 7: loop
    (ADD, 2),
    (STORE, 3),
    (PUSH, 0),
    (ADD, 1),
    (ADD, 0),
    (STORE, 1),
    (JUMP, 16),
    (PUSH, 0),
    (ADD, 1),  # 16: twice cell 1 if it came by jump; only its being zero matters
    (JUMP, 6),
    (PUSH, 1),
    (JUMP, 19),  # 19: for ever
]


@pytest.fixture(scope="module")
def graph() -> Graph:
    return toy()


@pytest.fixture(scope="module")
def model(graph: Graph) -> Model:
    return build(graph, width=0)


def test_the_toy_counts_down(graph: Graph, model: Model) -> None:
    wanted = simulate(COUNTDOWN, 120)
    assert wanted[-1][3] == 19 and (STEP, 0, 0, 10, 250, 3, 1) in wanted
    assert run(Reference(model), COUNTDOWN, 120) == wanted
    assert run(CircuitSession(graph), COUNTDOWN, 120) == wanted


lines = st.tuples(st.integers(0, 3), st.integers(0, 11))


@random_cases(25)
@given(st.lists(lines, min_size=12, max_size=12), st.lists(st.integers(0, 255), min_size=4))
def test_the_toy_runs_random_programs(
    graph: Graph, model: Model, program: Program, constants: list[int]
) -> None:
    loaded = [(op, constants[arg % 4] if op == PUSH else arg) for op, arg in program]
    loaded += [(PUSH, 1), (JUMP, 0)]
    wanted = simulate(loaded, 40)
    assert run(Reference(model), loaded, 40) == wanted
    assert run(CircuitSession(graph), loaded, 40) == wanted


def test_the_toy_is_small(model: Model) -> None:
    about = card(model)
    assert (about["layers"], about["heads"]) == (2, 2)
    assert about["neurons"] <= 16 and about["lanes"] <= 30


def test_no_tie_decides(model: Model) -> None:
    engine = Reference(model, trace=True)
    run(engine, COUNTDOWN, 120)
    steps = engine.attention[len(COUNTDOWN) + 1 :]
    assert all(found.margin >= 1 for position in steps for found in position)
    fetch = engine.attention[len(COUNTDOWN) + 3][0]
    assert (fetch.layer, fetch.head, fetch.position) == (
        0,
        0,
        3,
    )  # instruction 2, after the sentinel


def test_renumbered_and_nameless_it_does_the_same(model: Model) -> None:
    wanted = run(Reference(model), COUNTDOWN, 60)
    for seed in range(3):
        other = permute(model, np.random.default_rng(seed))
        assert other.names == () and other.hints == {}
        verify(other)
        assert run(Reference(other), COUNTDOWN, 60) == wanted


def test_saved_and_loaded_it_does_the_same(model: Model, tmp_path) -> None:
    save(model, tmp_path / "toy.safetensors")
    again = load(tmp_path / "toy.safetensors")
    assert run(Reference(again), COUNTDOWN, 60) == run(Reference(model), COUNTDOWN, 60)


@pytest.mark.slow
def test_mutants_run_and_most_matter(model: Model) -> None:
    """Layer weights, each negated: all but a few change a run that uses every instruction."""

    def trace(broken: Model) -> str:
        tokens = run(Reference(broken), COUNTDOWN, 120)
        return hashlib.sha256(repr(tokens).encode()).hexdigest()

    names = list(model.tensors())
    sizes = [np.count_nonzero(array) for array in model.tensors().values()]
    starts = dict(zip(names, np.cumsum([0, *sizes[:-1]]), strict=True))
    whole, same, refused, tried = trace(model), 0, 0, 0
    for name, size in zip(names, sizes, strict=True):
        for k in range(size) if name.startswith("layer") else []:
            broken = mutate(model, int(starts[name]) + k, "negate")
            tried += 1
            try:
                verify(broken)
            except CapacityError:
                refused += 1
                continue
            same += trace(broken) == whole
    assert tried > 70 and refused == 0
    assert same <= tried * 0.1
    with pytest.raises(UsageError):
        mutate(model, nonzeros(model), "zero")


def test_ties_go_to_the_latest_position_and_the_lowest_index() -> None:
    g = Graph(context=8)
    x = g.part("x", 4)
    seen = g.attend("even", [1], [x.indicator({0, 2})]).read(x.number())
    g.output_scores(x, {v: g.neuron(seen - 1) for v in (1, 2, 3)})
    engine = Reference(build(g), trace=True)
    for token in [(0,), (2,), (3,), (1,)]:
        engine.append(token)
    assert engine.attention[-1][0].position == 1
    assert engine.attention[-1][0].margin == 0
    assert engine.next() == (1,)


def test_engines_refuse_what_is_not_a_token() -> None:
    g = Graph(context=3)
    x = g.part("x", 4)
    g.output(x, x.number())
    engine = Reference(build(g))
    with pytest.raises(UsageError, match="empty"):
        engine.next()
    for token, why in [((4,), "below 4"), ((-1,), "below 4"), ((1, 1), "1 parts")]:
        with pytest.raises(UsageError, match=why):
            engine.append(token)
    for _ in range(3):
        engine.append((1,))
    with pytest.raises(CapacityError, match="3 positions is full.*specialize.*--context"):
        engine.append((1,))


def test_long_sessions_keep_every_position() -> None:
    g = Graph(context=1000)
    x = g.part("x", 200)
    g.output(x, g.attend("first", [-1], [g.position]).read(x.number()))
    engine = Reference(build(g))
    for value in range(200):
        engine.append((value + 7 if value == 0 else value,))
    assert engine.next() == (7,)
