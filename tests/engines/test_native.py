"""The native engine: token for token what the reference engine decodes, on any weights."""

import hashlib
import importlib.util
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.engines.listening import Listener, heard
from tests.sampling import sampled
from transputer.circuit import Graph, build
from transputer.circuit.lookup import KeySpace, bipolar, digit_parabolic, parabolic
from transputer.engines import native
from transputer.engines.native import compile
from transputer.engines.native.decoder import Native
from transputer.engines.native.heads import PACKED, lookup
from transputer.engines.native.plan import plan
from transputer.engines.native.readings import stages
from transputer.engines.reference.decoder import Reference
from transputer.errors import CapacityError, EngineUnavailable, Trap, UsageError
from transputer.frontends.asm import assemble
from transputer.frontends.binary import decode
from transputer.frontends.wat import to_wasm
from transputer.host.console import Console
from transputer.host.store import HostFunction
from transputer.ir.module import FuncType
from transputer.ir.verify import verify as verified
from transputer.isa.op import ValType
from transputer.lower.asm import MAIN, lower_asm
from transputer.lower.flatten import flatten
from transputer.machines.trace.session import TraceSession
from transputer.machines.trace.universal import model as trace_model
from transputer.machines.trace.vocabulary import LAYOUT, record
from transputer.model import Head, Layer, Model, Part, Token, mutate, nonzeros, permute, verify

#: Broken trace models that are run here; each takes about two seconds.
MUTANTS = int(os.environ.get("TRANSPUTER_MUTANTS", "12"))
EXAMPLES = Path(__file__).parents[2] / "examples" / "asm"
STATUS = [name for name, count in LAYOUT for _ in range(count)].index("status")


def sha256(tokens: Sequence[Token]) -> str:
    return hashlib.sha256(repr([tuple(map(int, t)) for t in tokens]).encode()).hexdigest()


def decoded(engine: Reference | Native, prompt: Sequence[Token], steps: int) -> list[Token]:
    for token in prompt:
        engine.append(token)
    return [engine.step() for _ in range(steps)]


def agree(model: Model, prompt: Sequence[Token], steps: int) -> Native:
    """Both engines decode the same, step by step and in one run."""
    wanted = decoded(Reference(model), prompt, steps)
    engine = Native(model, keep=True)
    assert decoded(engine, prompt, steps) == wanted
    assert sha256(engine.tokens.tolist()) == sha256([*prompt, *wanted])
    once = Native(model)
    once.extend(np.array(prompt))
    assert sha256(once.run(steps).tolist()) == sha256(wanted)
    return engine


# A small machine


def counter(context: int = 2**20) -> Graph:
    """Two cells in memory: a step adds one to the cell `at` and goes on with the other one."""
    g = Graph(context=context)
    kind, at, value = g.part("kind", 2), g.part("at", 2), g.part("value", 256)
    cells = KeySpace((at.number(),), at.square(), sentinel=kind.one_hot(0), member=kind.one_hot(1))
    found = digit_parabolic(g, "cell", [1 - at.number()], cells)
    g.output(kind, 1)
    g.output(at, 1 - at.number())
    g.output(value, found.read(value.number()) + 1)
    return g


@pytest.fixture(scope="module")
def small() -> Model:
    return build(counter())


@pytest.mark.slow
def test_the_toy_of_the_reference_and_what_breaks_it() -> None:
    """Every weight of its layers zeroed and negated: both engines do the same wrong thing."""
    path = Path(__file__).with_name("test_reference.py")
    spec = importlib.util.spec_from_file_location("toy", path)
    assert spec and spec.loader
    toy = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(toy)
    model, prompt = build(toy.toy(), width=0), toy.prompt(toy.COUNTDOWN)
    agree(model, prompt, 120)
    sizes = {name: np.count_nonzero(array) for name, array in model.tensors().items()}
    tables = sum(size for name, size in sizes.items() if not name.startswith(("layer", "output")))
    layers = sum(size for name, size in sizes.items() if name.startswith("layer"))
    assert layers > 70
    for which in range(tables, tables + layers):
        agree(mutate(model, which, "zero" if which % 2 else "negate"), prompt, 40)


def test_the_scale_of_a_softmax_changes_no_lookup(small: Model) -> None:
    """Queries times a power of two are the same image: lookups that find, not that scan."""
    name = "layer1.head0.query"
    for factor in (1 / 4096, 2.0**40):
        query = small.tensors()[name] * factor
        other = plan(small.with_tensors({**small.tensors(), name: query}))
        assert (other.words == plan(small).words).all()
    stage = stages(small)[1].before
    assert lookup(small.layers[1].heads[0], 1, stage).kind == PACKED


def test_runs_end_where_they_are_told(small: Model) -> None:
    def fresh(**how: bool) -> Native:
        engine = Native(small, **how)
        decoded(engine, [(0, 0, 0), (1, 0, 7), (1, 1, 40)], 0)
        return engine

    whole = fresh().run(50)
    assert whole.shape == (50, 3) and whole.dtype == np.uint16
    assert fresh().run(50, [(2, 20)]).tolist() == whole[:25].tolist()
    assert whole[24].tolist() == [1, 0, 20]
    assert len(fresh().run(50, [(2, (45, 20))])) == 10
    assert len(fresh().run(50, [(1, None)])) == 2  # the first that is not 0
    assert len(fresh().run(50, [(2, 255), (0, 1)])) == 1
    engine = fresh()
    assert engine.run(50, collect=False).tolist() == whole[-1:].tolist()
    assert engine.last == tuple(whole[-1].tolist()) and len(engine) == 53
    assert engine.run(0).shape == (0, 3)
    assert engine.next() == engine.step()
    with pytest.raises(UsageError, match="keep"):
        _ = engine.tokens
    for stop in [(3, None), (-1, None), (0, 2), (0, (1, -1))]:
        with pytest.raises(UsageError):
            engine.run(1, [stop])


def test_it_refuses_what_the_reference_refuses(small: Model) -> None:
    engine = Native(build(counter(context=5)))
    for call in (engine.next, engine.step, lambda: engine.run(1), lambda: engine.last):
        with pytest.raises(UsageError, match="empty"):
            call()
    for token, why in [((2, 0, 0), "below 2"), ((0, -1, 0), "below 2"), ((1, 1), "3 parts")]:
        with pytest.raises(UsageError, match=why):
            engine.append(token)
    with pytest.raises(UsageError, match="below 256"):
        engine.extend(np.array([[0, 0, 0], [0, 0, 256], [0, 0, 0]]))
    assert len(engine) == 1
    assert len(engine.run(9)) == 4
    more = np.zeros((2, 3))
    for call in (engine.step, lambda: engine.run(9), lambda: engine.extend(more)):
        with pytest.raises(CapacityError, match="5 positions is full.*specialize.*--context"):
            call()
    assert len(engine.next()) == 3
    tensors = small.tensors()
    out = next(name for name in tensors if name.endswith(".output"))
    large = small.with_tensors({**tensors, out: tensors[out] * 2.0**40})
    with pytest.raises(CapacityError) as ours:
        Native(large)
    with pytest.raises(CapacityError) as theirs:
        verify(large)
    assert str(ours.value) == str(theirs.value)


def test_ctrl_c_ends_a_run_between_tokens(small: Model) -> None:
    engine = Native(build(counter(context=2**40)))
    decoded(engine, [(0, 0, 0), (1, 0, 7), (1, 1, 40)], 0)

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    started = time.monotonic()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            engine.run(2**40, collect=False)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - started < 1.3
    assert len(engine) > 1000 and len(engine.step()) == 3


# Random models


def weights(rng: np.random.Generator, *shape: int) -> np.ndarray:
    some = rng.integers(-2, 3, size=shape) * (rng.random(shape) < rng.choice([0.15, 0.3, 0.5]))
    return some.astype(np.float64) * int(rng.choice([1] * 9 + [23]))


def random_layer(rng: np.random.Generator, width: int) -> Layer:
    heads = []
    for _ in range(rng.integers(0, 4)):
        rows, values = rng.integers(1, 5), rng.integers(1, 4)
        shapes = ((rows, width), (rows, width), (values, width), (width, values))
        heads.append(Head(*(weights(rng, *shape) for shape in shapes)))
        heads[-1].output[0] = 0
    neurons = int(rng.integers(0, 12))
    gate, value = weights(rng, neurons, width), weights(rng, neurons, width)
    out = weights(rng, width, neurons)
    out[0] *= rng.random() < 0.2
    for n in range(neurons):
        for rows in (gate, value):
            if rng.random() < 0.3:  # constant
                rows[n], rows[n, 0] = 0, 1
        if rng.random() < 0.15:  # erases
            lane = rng.integers(1, width)
            gate[n], value[n], out[:, n] = 0, 0, 0
            gate[n, 0], value[n, lane], out[lane, n] = 1, 1, -1
    return Layer(tuple(heads), gate, value, out)


def random_output(rng: np.random.Generator, size: int, width: int) -> np.ndarray:
    if rng.random() < 0.5:
        return weights(rng, size, width)
    table, v = np.zeros((size, width)), np.arange(size)
    table[:, rng.integers(0, width)] += 2 * v
    table[:, 0] += 2 * v * rng.integers(-2, 3) - v * v
    return table


def random_model(rng: np.random.Generator) -> Model:
    """Any shape of model; lane 0 is often a constant, as it is in models that are built."""
    sizes = [*rng.integers(1, 6, size=rng.integers(1, 5)), *([300] if rng.random() < 0.05 else [])]
    width = int(rng.integers(2, 10))
    bias, position = weights(rng, width), weights(rng, width) * (rng.random() < 0.5)
    bias[0], position[0] = rng.choice([1, 1, 1, 0, -2]), 0
    tables = [weights(rng, size, width) for size in sizes]
    for table in tables:
        table[:, 0] *= rng.random() < 0.2
    return Model(
        parts=tuple(Part(f"p{i}", int(size)) for i, size in enumerate(sizes)),
        context=int(rng.choice([40, 2**20])),
        bias=bias,
        position=position,
        embeddings=tuple(tables),
        layers=tuple(random_layer(rng, width) for _ in range(rng.integers(0, 4))),
        outputs=tuple(random_output(rng, int(size), width) for size in sizes),
    )


def random_memory(rng: np.random.Generator) -> Model:
    """Heads of every addressing, on keys from the embedding and on computed ones."""
    g = Graph(context=int(rng.choice([64, 2**16])))
    size = int(rng.choice([4, 16, 256]))
    at = [g.part(f"a{i}", size) for i in range(rng.integers(1, 4))]
    kind, held = g.part("kind", 4), g.part("held", 16)
    numbers = [part.number() for part in at]
    forms = (*numbers, held.number(), 9 - kind.number())
    wanted = [forms[rng.integers(0, len(forms))] for _ in at]
    member = kind.indicator({1, 2}) if rng.random() < 0.5 else 1
    sentinel = kind.one_hot(3) if rng.random() < 0.5 else 0
    recency = bool(rng.random() < 0.7)
    style = rng.integers(0, 5)
    squares = g.lane("squares", {part: [v * v for v in range(size)] for part in at})
    if style == 0 and len(at) == 1:
        head = parabolic(g, "h", wanted[0], numbers[0], member, sentinel, recency)
    elif style == 1:
        bits = [part.bit(i) for part in at for i in range(2)]
        head = bipolar(g, "h", bits, bits, member, sentinel, recency)
    elif style == 2:  # a recency that outweighs distances, and rows that are no digits
        extra = (g.position, kind.number(), numbers[0])[rng.integers(0, 3)]
        c = int(rng.integers(1, 9))
        rows = [(2 * c * q, n) for q, n in zip(wanted, numbers, strict=True)] + [(c, -squares)]
        rows += [(int(rng.integers(-1, 3)), g.position)]
        rows += [(held.number() - int(rng.integers(0, 9)), extra)] if rng.random() < 0.5 else []
        head = g.attend("h", [q for q, _ in rows], [k for _, k in rows])
    else:
        space = KeySpace(tuple(numbers), squares, member, sentinel)
        head = digit_parabolic(g, "h", wanted, space, recency=recency)
    seen = head.read(held.number())
    second = digit_parabolic(g, "k", [seen], KeySpace((held.number(),), held.square()))
    for part in at:
        g.output(part, part.number() + seen - int(rng.integers(0, 5)))
    g.output(kind, second.read(kind.number()) + int(rng.integers(0, 2)))
    g.output(held, second.read(at[0].number()) + seen - held.number())
    return build(g, width=0)


def variants(seed: int) -> Iterator[tuple[Model, np.random.Generator]]:
    rng = np.random.default_rng(seed)
    model = (random_memory if seed % 3 == 0 else random_model)(rng)
    yield model, rng
    if nonzeros(model):
        how = str(rng.choice(["zero", "negate"]))
        yield mutate(model, int(rng.integers(nonzeros(model))), how), rng  # type: ignore[arg-type]
    yield permute(model, rng), rng


@pytest.mark.parametrize("first", sampled(range(0, 90, 15), 6))
def test_random_models_broken_and_renumbered(first: int) -> None:
    run = 0
    for seed in range(first, first + 15):
        for model, rng in variants(seed):
            sizes = [part.size for part in model.parts]
            prompt = [tuple(map(int, rng.integers(0, sizes))) for _ in range(rng.integers(1, 12))]
            try:
                verify(model)
            except CapacityError:
                with pytest.raises(CapacityError):
                    Native(model)
                continue
            agree(model, prompt, min(24, model.context - len(prompt)))
            run += 1
            plan.cache_clear()
    assert run >= 30


def test_keys_that_break_their_pattern_are_scanned() -> None:
    """Squares that neurons compute are wrong for one address: that token alone is odd."""
    g = Graph(context=2**16)
    at, held = g.part("at", 64), g.part("held", 256)
    odd = g.neuron(at.one_hot(9), 1_000_000)
    squares = g.signal("squares", g.neuron(at.number(), at.number()) - odd)
    head = digit_parabolic(g, "h", [held.number()], KeySpace((at.number(),), squares))
    g.output(at, head.read(at.number()))
    g.output(held, held.number() + 1)
    model = build(g)
    prompt = [(i, 0) for i in range(9)]
    assert sum(agree(model, prompt, 20).statistics().scanned) > 0
    assert sum(agree(model, [*prompt, (9, 0), (10, 0)], 20).statistics().scanned) > 0


def test_more_classes_than_are_told_apart_are_scanned() -> None:
    """A row that is no digit, with a different number for each of 256 kinds of tokens."""
    g = Graph(context=2**16)
    at, kind = g.part("at", 64), g.part("kind", 256)
    rows = [(2 * 2**16 * (70 - at.number()), at.number()), (2**16, -at.square())]
    rows += [(3001 * kind.number() + 1, kind.number()), (1, g.position)]
    head = g.attend("h", [q for q, _ in rows], [k for _, k in rows])
    g.output(at, head.read(kind.number()))
    wraps = 200 * kind.indicator(range(150, 256))
    g.output(kind, kind.number() + head.read(at.number()) + 7 - wraps)
    few, many = ([(7 * i % 64, 3 * i % n) for i in range(150)] for n in (30, 200))
    model = build(g)
    assert 0 < sum(agree(model, few, 20).statistics().scanned) < 20 * 30
    assert sum(agree(model, many, 20).statistics().scanned) > 20 * 140


# The trace machine


class Both:
    """Two engines side by side; a step they do not agree on fails the test."""

    def __init__(self, model: Model) -> None:
        self.reference, self.native = Reference(model), Native(model, keep=True)

    def append(self, token: Token) -> None:
        self.reference.append(token)
        self.native.append(token)

    def step(self) -> Token:
        token = self.reference.step()
        assert self.native.step() == token
        return token

    def same(self) -> bool:
        return sha256(self.native.tokens.tolist()) == sha256(self.reference.tokens)


def prompt_of(load: Callable[[TraceSession], object], *invoke: object) -> list[Token]:
    """The tokens with which a function is invoked."""

    def act(engine: Listener) -> None:
        session = TraceSession(engine)
        session.invoke(load(session), *invoke)  # type: ignore[arg-type]

    return heard(act)


def module(wat: str) -> Callable[[TraceSession], object]:
    return lambda session: session.load(flatten(verified(decode(to_wasm(wat)))))[0]


EVERYTHING = """(module (import "env" "twice" (func $twice (param i32) (result i32)))
  (import "transputer" "write" (func $write (param i32)))
  (memory 1) (table 3 funcref) (elem (i32.const 0) $inc $scale)
  (global $g (mut i32) (i32.const 5)) (data (i32.const 7) "\\f1\\82\\73\\e4\\95\\06")
  (func $inc (param i32) (result i32) (i32.add (local.get 0) (i32.const 1)))
  (func $scale (param i32) (result i32) (i32.mul (local.get 0) (i32.const 0x01000193)))
  (func $two (param i32) (result i32 i32) local.get 0 i32.const 3)
  (func $down (export "down") (param i32) (result i32)
    (if (result i32) (i32.eqz (local.get 0)) (then (i32.const 1))
      (else (i32.mul (local.get 0) (call $down (i32.sub (local.get 0) (i32.const 1)))))))
  (func (export "arithmetic") (param i32 i32) (result i32)
    (i32.xor (i32.rotl (local.get 0) (local.get 1))
      (i32.add (i32.popcnt (i32.shr_s (local.get 0) (i32.const 3)))
        (select (i32.clz (local.get 1)) (i32.extend8_s (local.get 0))
          (i32.lt_s (local.get 0) (local.get 1))))))
  (func (export "divide") (param i32 i32) (result i32)
    (i32.rem_s (local.get 0) (local.get 1)))
  (func (export "memory") (param i32) (result i32)
    (i32.store offset=1 (local.get 0) (i32.const 0xdeadbeef))
    (i32.store8 (local.get 0) (i32.const 0x17))
    (i32.store16 offset=2 (local.get 0) (i32.load16_s (local.get 0)))
    (i32.add (i32.load (local.get 0)) (i32.load8_u offset=3 (local.get 0))))
  (func (export "switch") (param i32) (result i32)
    (block $a (block $b (block $c (br_table $a $b $c $b (local.get 0))) (return (i32.const 30)))
      (return (i32.const 20))) i32.const 10)
  (func (export "indirect") (param i32 i32) (result i32)
    (call_indirect (param i32) (result i32) (local.get 0) (local.get 1)))
  (func (export "host") (param i32) (result i32)
    (call $write (local.get 0)) (global.set $g (call $twice (global.get $g)))
    (i32.sub (global.get $g) (call $two (local.get 0)) drop))
  (func (export "trap") unreachable))"""
CALLS: list[tuple[str, list[int]]] = [
    ("down", [4]), ("arithmetic", [0x80000001, 5]), ("arithmetic", [7, 0xFFFFFFFF]),
    ("divide", [0xFFFFFFF9, 2]), ("divide", [1, 0]), ("memory", [6]), ("memory", [65535]),
    *(("switch", [i]) for i in (0, 1, 2, 3, 9, 0xFFFFFFFF)),
    *(("indirect", [6, i]) for i in range(4)), ("host", [65]), ("host", [66]), ("trap", []),
]  # fmt: skip


@pytest.mark.slow
def test_one_session_of_everything() -> None:
    """Arithmetic, memory, calls, traps, host functions: one sequence of tokens."""
    engine, written = Both(trace_model()), bytearray()
    session = TraceSession(engine, console=Console(write=written.append))
    i32 = ValType.I32
    session.add_host("env", {"twice": HostFunction(FuncType((i32,), (i32,)), lambda x: 2 * x)})
    instance = module(EVERYTHING)(session)
    ends = {}
    for name, args in CALLS:
        end = session.invoke(instance, name, args)  # type: ignore[arg-type]
        ends[name, tuple(args)] = end.trap or end.results
    assert ends["down", (4,)] == (24,)
    assert ends["divide", (1, 0)] is Trap.DIVIDE_BY_ZERO
    assert ends["divide", (0xFFFFFFF9, 2)] == (0xFFFFFFFF,)
    assert ends["memory", (65535,)] is Trap.MEMORY_OUT_OF_BOUNDS
    assert ends["indirect", (6, 2)] is Trap.UNINITIALIZED_ELEMENT
    assert ends["indirect", (6, 1)] == (6 * 0x01000193,)
    assert written == b"AB" and engine.same()


def test_linked_modules() -> None:
    engine = Both(trace_model())
    session = TraceSession(engine)
    first = module("""(module (memory (export "m") 1) (global (export "g") (mut i32) (i32.const 3))
      (func (export "f") (param i32) (result i32)
        (i32.store (i32.const 8) (local.get 0)) (i32.add (local.get 0) (global.get 0))))""")
    second = module("""(module (import "a" "m" (memory 1)) (import "a" "g" (global (mut i32)))
      (import "a" "f" (func $f (param i32) (result i32))) (data (i32.const 9) "\\ff")
      (func (export "go") (param i32) (result i32)
        (global.set 0 (i32.const 100)) (drop (call $f (local.get 0))) (i32.load (i32.const 7))))""")
    one = first(session)
    session.register("a", one)  # type: ignore[arg-type]
    two = second(session)
    assert session.invoke(two, "go", [5]).results == (0x500,)  # type: ignore[arg-type]
    assert session.invoke(one, "f", [1]).results == (101,)  # type: ignore[arg-type]
    assert engine.same()


@pytest.mark.parametrize("name", ["gcd", "hanoi", "factorial_recursive", "dot_product"])
def test_assembly_examples(name: str) -> None:
    program = assemble((EXAMPLES / f"{name}.asm").read_text())
    agree(trace_model(), prompt_of(lambda s: s.load(lower_asm(program, 0))[0], MAIN, []), 120)


BUSY = """(module (memory 1) (table 2 funcref) (elem (i32.const 0) $inc)
  (func $inc (param i32) (result i32) (i32.add (local.get 0) (i32.const 1)))
  (func (export "f") (param i32) (result i32)
    (i32.store offset=2 (i32.const 61) (i32.rotl (i32.const 0xdeadbeef) (local.get 0)))
    (drop (i32.load16_s (i32.const 65)))
    (drop (call_indirect (param i32) (result i32) (i32.const 7) (i32.const 0)))
    (block $a (block $b (br_table $a $b (local.get 0)))
      (drop (i32.lt_s (i32.const 3) (local.get 0))))
    (drop (i32.mul (i32.load (i32.const 63)) (i32.const 77)))
    (call_indirect (param i32) (result i32) (local.get 0) (i32.const 1))))"""


@pytest.fixture(scope="module")
def busy() -> list[Token]:
    return prompt_of(module(BUSY), "f", [9])


@pytest.mark.slow
def test_renumbered_and_nameless_it_does_the_same(busy: list[Token]) -> None:
    whole, other = Native(trace_model()), Native(permute(trace_model(), np.random.default_rng(5)))
    assert decoded(whole, busy, 60) == decoded(other, busy, 60)
    ours, theirs = whole.statistics(), other.statistics()
    assert ours.plans == theirs.plans > 8
    assert sorted(ours.lookups) == sorted(theirs.lookups)
    assert sorted(ours.keys) == sorted(theirs.keys)
    assert sum(ours.scanned) < 400 > sum(theirs.scanned)


@pytest.mark.slow
@pytest.mark.parametrize("seed", sampled(range(MUTANTS), 4))
def test_broken_trace_models(busy: list[Token], seed: int) -> None:
    """Weights of heads, of neurons and of tables; many heads lose the structure of their keys."""
    model, rng = trace_model(), np.random.default_rng(seed)
    tensors = list(model.tensors().items())
    starts = np.cumsum([0, *(np.count_nonzero(array) for _, array in tensors)])
    wanted = (".query", ".key", ".gate", ".out", ".value", "embedding", "output.")[seed % 7]
    chosen = [i for i, (name, _) in enumerate(tensors) if wanted in name]
    tensor = int(rng.choice(chosen))
    which = int(rng.integers(starts[tensor], starts[tensor + 1]))
    broken = mutate(model, which, ("zero", "negate")[seed // 7 % 2])  # type: ignore[arg-type]
    try:
        verify(broken)
    except CapacityError:
        with pytest.raises(CapacityError):
            Native(broken)
        return
    agree(broken, busy, 40)
    plan.cache_clear()


#: Writes 100,000 words at 8,192 addresses all over 2^32, and reads one back after each write.
SPREAD = """(module (memory 65536)
  (func $address (param i32) (result i32)
    (i32.and (i32.mul (i32.and (local.get 0) (i32.const 8191)) (i32.const 0x9E3779B1))
      (i32.const -4)))
  (func (export "f") (param $n i32) (result i32) (local $i i32) (local $x i32) (local $sum i32)
    (local.set $x (i32.const 1))
    (loop $next
      (local.set $x (i32.add (i32.mul (local.get $x) (i32.const 1664525)) (i32.const 1013904223)))
      (i32.store (call $address (i32.shr_u (local.get $x) (i32.const 7))) (local.get $x))
      (local.set $sum (i32.add (i32.mul (local.get $sum) (i32.const 31))
        (i32.load (call $address (i32.shr_u (local.get $x) (i32.const 17))))))
      (br_if $next (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1)))
        (local.get $n))))
    (local.get $sum)))"""


def spread(n: int) -> int:
    held: dict[int, int] = {}
    x, total = 1, 0
    for _ in range(n):
        x = (x * 1664525 + 1013904223) % 2**32
        held[(x >> 7 & 8191) * 0x9E3779B1 % 2**32 & ~3] = x
        total = (total * 31 + held.get((x >> 17 & 8191) * 0x9E3779B1 % 2**32 & ~3, 0)) % 2**32
    return total


@pytest.mark.slow
def test_no_stale_read_after_a_hundred_thousand_overwrites() -> None:
    engine = Native(trace_model())
    decoded(engine, prompt_of(module(SPREAD), "f", [100_000]), 0)
    end = record(tuple(engine.run(10**7, [(STATUS, None)], collect=False)[0].tolist()))
    assert end.trap is None and end.value == spread(100_000)
    assert len(engine) > 3_000_000
    found = engine.statistics()
    assert sum(found.searches) <= 2 and max(found.keys) < 9_000
    assert sum(found.table_bytes) < 4_000_000


# Compiling


def test_without_a_compiler_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile, "compilers", lambda own=False: [])
    compile.library.cache_clear()
    try:
        with pytest.raises(EngineUnavailable, match="no C compiler found; pip install ziglang"):
            compile.library()
        monkeypatch.setattr(compile, "compilers", lambda own=False: [("/bin/false",)])
        with pytest.raises(EngineUnavailable, match="false does not compile the engine"):
            compile.library()
        monkeypatch.setattr(compile, "compilers", lambda own=False: [("/no/such/cc",)])
        with pytest.raises(EngineUnavailable, match="cc does not start"):
            compile.library()
    finally:
        compile.library.cache_clear()


@pytest.fixture
def uncompiled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[list[int]]:
    """An empty cache; counts compilations."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    runs: list[int] = []
    compile_ = compile._compile
    monkeypatch.setattr(compile, "_compile", lambda *args: runs.append(1) or compile_(*args))
    compile.library.cache_clear()
    yield runs
    compile.library.cache_clear()


@pytest.mark.slow
def test_the_library_is_compiled_once(uncompiled: list[int], tmp_path: Path) -> None:
    compile.library()
    compile.library.cache_clear()
    compile.library()
    assert len(uncompiled) == 1
    assert [path.name for path in (tmp_path / "transputer").iterdir()] == ["native"]


@pytest.mark.slow
def test_a_cache_that_cannot_be_written_is_done_without(
    uncompiled: list[int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert compile.library().transputer_length
    assert len(uncompiled) == 1


def test_the_engine_knows_integers_only() -> None:
    """No word of the instruction set is in the sources."""
    folder = Path(native.__file__).parent
    for path in [*folder.glob("*.c"), *folder.glob("*.h"), *folder.glob("*.py")]:
        text = path.read_text()
        for word in ("i32", "opcode", "isa", "machines", "instruction"):
            assert f" {word}" not in text.replace("knows nothing but integers", ""), (path, word)
