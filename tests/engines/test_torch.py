"""The torch engine against the reference: the same tokens, not similar ones."""

import hashlib
import importlib
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip(
    "torch", reason="PyTorch is not installed; pip install 'transputer[torch]'"
)

import transputer.engines.torch.decoder as under_test  # noqa: E402
import transputer.engines.torch.network as network  # noqa: E402
from tests.sampling import sampled  # noqa: E402
from transputer.circuit import Graph, build  # noqa: E402
from transputer.engines.protocol import DecoderEngine  # noqa: E402
from transputer.engines.reference.decoder import Reference  # noqa: E402
from transputer.engines.torch.decoder import (  # noqa: E402
    ATTENTION,
    Batch,
    Decoder,
    KeyValueCache,
    Torch,
    decode,
    latest_argmax,
    together,
)
from transputer.errors import (  # noqa: E402
    CapacityError,
    EngineUnavailable,
    Trap,
    Unsupported,
    UsageError,
)
from transputer.frontends.asm import assemble  # noqa: E402
from transputer.frontends.binary import decode as decode_wasm  # noqa: E402
from transputer.frontends.wat import to_wasm  # noqa: E402
from transputer.host.console import Console  # noqa: E402
from transputer.host.outcome import CallOutcome  # noqa: E402
from transputer.host.store import HostFunction, Instance  # noqa: E402
from transputer.ir.module import FuncType  # noqa: E402
from transputer.ir.verify import verify as verify_wasm  # noqa: E402
from transputer.isa.op import ValType  # noqa: E402
from transputer.lower.asm import MAIN, lower_asm  # noqa: E402
from transputer.machines.trace.universal import model  # noqa: E402
from transputer.model import (  # noqa: E402
    Head,
    Layer,
    Model,
    Part,
    Token,
    mutate,
    nonzeros,
    permute,
    query_scale,
    verify,
)
from transputer.oracle.asm import run as run_asm  # noqa: E402
from transputer.runtime.trace.sessions import MachineSession  # noqa: E402

torch.set_num_threads(1)
KINDS = tuple(ATTENTION)
Calls = Sequence[tuple[str, Sequence[int]]]
Task = Callable[[DecoderEngine], list[CallOutcome]]


# The corpus: what a host does with an engine, by name


def load(session: MachineSession, wat: str) -> Instance:
    return session.load_module(verify_wasm(decode_wasm(to_wasm(wat))))[0]


def calls(wat: str, wanted: Calls) -> Task:
    """Several invocations in one session."""

    def task(engine: DecoderEngine) -> list[CallOutcome]:
        session = MachineSession(engine, max_steps=3000, frames=12)
        instance = load(session, wat)
        return [session.invoke(instance, name, args) for name, args in wanted]

    return task


ARITHMETIC = """(module
  (func (export "mix") (param i32 i32) (result i32)
    (i32.xor (i32.mul (local.get 0) (local.get 1))
      (i32.add (i32.rotl (local.get 0) (i32.const 7))
        (i32.sub (i32.shr_s (local.get 1) (local.get 0)) (i32.popcnt (local.get 0))))))
  (func (export "compare") (param i32 i32) (result i32)
    (i32.or (i32.shl (i32.lt_s (local.get 0) (local.get 1)) (i32.const 1))
      (i32.lt_u (local.get 0) (local.get 1))))
  (func (export "div") (param i32 i32) (result i32)
    (i32.div_s (local.get 0) (local.get 1))))"""

MEMORY = """(module (memory 1) (data (i32.const 2) "\\01\\80\\ff\\7f\\10\\20\\30\\40")
  (func (export "move") (param i32 i32) (result i32)
    (i32.store offset=1 (local.get 1) (i32.load (local.get 0)))
    (i32.store16 (local.get 0) (i32.load8_s (local.get 1)))
    (i32.add (i32.load16_s offset=3 (local.get 1)) (i32.load8_u offset=2 (local.get 0))))
  (func (export "grow") (result i32) (i32.add (memory.grow (i32.const 1)) (memory.size))))"""

CONTROL = """(module (table 4 funcref) (elem (i32.const 0) $one $two $other)
  (func $one (param i32) (result i32) (i32.add (local.get 0) (i32.const 1)))
  (func $two (param i32) (result i32) (i32.mul (local.get 0) (i32.const 2)))
  (func $other (result i32) (i32.const 3))
  (func (export "indirect") (param i32 i32) (result i32)
    (call_indirect (param i32) (result i32) (local.get 0) (local.get 1)))
  (func (export "switch") (param i32) (result i32)
    (block $a (block $b (block $c (br_table $a $b $c $b (local.get 0))) (return (i32.const 30)))
      (return (i32.const 20))) (i32.const 10))
  (func (export "three") (param i32) (result i32 i32 i32)
    (block (result i32 i32 i32)
      i32.const 9 i32.const 8 i32.const 7 i32.const 6 i32.const 5 local.get 0 br_if 0 drop drop))
  (func $down (export "down") (param i32) (result i32)
    (if (result i32) (local.get 0)
      (then (i32.add (i32.const 1) (call $down (i32.sub (local.get 0) (i32.const 1)))))
      (else (i32.const 0))))
  (func (export "trap") unreachable))"""

HOST = """(module (import "env" "swap" (func $swap (param i32 i32) (result i32 i32)))
  (import "transputer" "read" (func $read (result i32)))
  (import "transputer" "write" (func $write (param i32)))
  (import "transputer" "exit" (func $exit (param i32)))
  (func (export "swap") (param i32 i32) (result i32)
    local.get 0 local.get 1 call $swap i32.sub)
  (func (export "echo") (local i32)
    (loop (if (i32.ge_s (local.tee 0 (call $read)) (i32.const 0))
      (then (call $write (local.get 0)) (br 1)))) (call $exit (i32.const 9))))"""


def host(engine: DecoderEngine) -> list[CallOutcome]:
    """Host functions, input, output and exit; what was written comes back as results."""
    written: list[int] = []
    remaining = iter(b"ab")
    session = MachineSession(engine, console=Console(lambda: next(remaining, -1), written.append))
    i32 = ValType.I32
    swap = HostFunction(FuncType((i32, i32), (i32, i32)), lambda a, b: (b * 2, a * 2))
    session.add_host("env", {"swap": swap})
    instance = load(session, HOST)
    ends = [session.invoke(instance, "swap", [3, 5]), session.invoke(instance, "echo")]
    return [*ends, session.invoke(instance, "swap", [9, 1]), CallOutcome(tuple(written))]


EXPORTS = """(module (memory (export "m") 1) (global (export "g") (mut i32) (i32.const 3))
  (func (export "f") (param i32) (result i32)
    (i32.store (i32.const 8) (local.get 0)) (i32.add (local.get 0) (global.get 0))))"""

IMPORTS = """(module (import "a" "m" (memory 1)) (import "a" "g" (global (mut i32)))
  (import "a" "f" (func $f (param i32) (result i32))) (data (i32.const 9) "\\ff")
  (func (export "go") (param i32) (result i32)
    (global.set 0 (i32.const 100))
    (i32.add (call $f (local.get 0)) (i32.load (i32.const 7)))))"""


def linked(engine: DecoderEngine) -> list[CallOutcome]:
    """Two modules that share memory, global and function."""
    session = MachineSession(engine)
    one = load(session, EXPORTS)
    session.register("a", one)
    two = load(session, IMPORTS)
    order = ((two, "go", 5), (one, "f", 1), (two, "go", 0xFFFFFFFF))
    return [session.invoke(instance, name, [arg]) for instance, name, arg in order]


def assembly(path: Path) -> Task:
    def task(engine: DecoderEngine) -> list[CallOutcome]:
        session = MachineSession(engine)
        instance, _ = session.load(lower_asm(assemble(path.read_text()), 0))
        return [session.invoke(instance, MAIN)]

    return task


EXAMPLES = [
    path
    for path in sorted((Path(__file__).parents[2] / "examples" / "asm").glob("*.asm"))
    if run_asm(assemble(path.read_text())).steps < 1000
]
BIG = 0x80000000
CORPUS: dict[str, Task] = {
    "arithmetic": calls(
        ARITHMETIC,
        [("mix", [12345, 0xDEADBEEF]), ("mix", [0xFFFFFFFF, BIG]), ("compare", [1, BIG])]
        + [("div", [BIG, 7]), ("div", [1, 0]), ("div", [BIG, 0xFFFFFFFF]), ("mix", [0, 0])],
    ),
    "memory": calls(
        MEMORY,
        [("move", [2, 5]), ("move", [5, 3]), ("move", [65535, 0]), ("grow", []), ("grow", [])]
        + [("move", [65534, 131067]), ("move", [0xFFFFFFFF, 1])],
    ),
    "control": calls(
        CONTROL,
        [("indirect", [21, i]) for i in (0, 1, 2, 3, 4, 0xFFFFFFFF)]
        + [("switch", [i]) for i in (0, 1, 2, 3, 9)]
        + [("three", [0]), ("three", [1]), ("down", [9]), ("down", [12]), ("trap", [])]
        + [("down", [3])],
    ),
    "host": host,
    "linked": linked,
    **{path.stem: assembly(path) for path in EXAMPLES},
}
SMALL = ("arithmetic", "memory", "control", "host", "linked", "gcd", "select", "sum")


def sha(tokens: Sequence[Token]) -> str:
    return hashlib.sha256(repr(tokens).encode()).hexdigest()


@cache
def wanted(name: str) -> tuple[str, list[CallOutcome], Reference]:
    """What the reference does: hash of all tokens, how each call ended, the engine itself."""
    engine = Reference(model(), trace=True)
    ends = CORPUS[name](engine)
    return sha(engine.tokens), ends, engine


@cache
def decoder(attention: str) -> Decoder:
    return Decoder(model(), attention)


@pytest.mark.slow
def test_the_corpus_is_what_it_should_be() -> None:
    assert len(EXAMPLES) >= 15
    assert [end.trap for end in wanted("arithmetic")[1]][4:6] == [
        Trap.DIVIDE_BY_ZERO,
        Trap.INTEGER_OVERFLOW,
    ]
    traps = {end.trap for name in SMALL for end in wanted(name)[1]}
    assert {Trap.MEMORY_OUT_OF_BOUNDS, Trap.UNREACHABLE, Trap.STACK_EXHAUSTED} <= traps
    assert {Trap.INDIRECT_CALL_MISMATCH, Trap.UNDEFINED_ELEMENT} <= traps
    assert [end.exit_code for end in wanted("host")[1]] == [None, 9, None, None]
    assert wanted("host")[1][-1].results == tuple(b"ab")


@pytest.mark.parametrize("attention", KINDS)
@pytest.mark.parametrize("name", sampled(CORPUS, 9))
def test_same_tokens_as_the_reference(name: str, attention: str) -> None:
    expected, ends, _ = wanted(name)
    engine = Torch(decoder(attention))
    assert CORPUS[name](engine) == ends
    assert sha(engine.tokens) == expected


@pytest.mark.parametrize("name", sampled(CORPUS, 9))
def test_no_tie_decides(name: str) -> None:
    engine = wanted(name)[2]
    assert all(found.margin >= 1 for position in engine.attention for found in position)


# Batches


@pytest.mark.parametrize("attention", KINDS)
def test_a_batch_of_programs_does_what_each_does_alone(attention: str) -> None:
    """Prompts of different lengths, ends at different times, one task twice."""
    names = [*SMALL, "arithmetic"]
    hashes = {}

    def task(number: int) -> Callable[[under_test.Member], list[CallOutcome]]:
        def run(engine: under_test.Member) -> list[CallOutcome]:
            ends = CORPUS[names[number]](engine)
            hashes[number] = sha(engine.tokens)
            return ends

        return run

    ends = together(decoder(attention), [task(number) for number in range(len(names))])
    assert ends == [wanted(name)[1] for name in names]
    assert hashes == {number: wanted(name)[0] for number, name in enumerate(names)}


def test_a_task_that_fails_does_not_keep_the_others() -> None:
    ended = []

    def fails(engine: under_test.Member) -> None:
        engine.append((0,) * len(model().parts))
        engine.step()
        raise KeyError("mine")

    def works(engine: under_test.Member) -> None:
        ended.append(CORPUS["gcd"](engine))

    with pytest.raises(KeyError, match="mine"):
        together(decoder("hard"), [works, fails, works])
    assert ended == [wanted("gcd")[1]] * 2


def test_what_fails_in_the_model_fails_in_every_task(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("out of memory")

    monkeypatch.setattr(Decoder, "predict", broken)
    heard = []

    def task(engine: under_test.Member) -> None:
        engine.append((0,) * len(model().parts))
        with pytest.raises(RuntimeError, match="out of memory"):
            engine.step()
        heard.append(1)

    together(decoder("hard"), [task, task])
    assert heard == [1, 1]


def test_sessions_of_a_batch_are_independent() -> None:
    tokens = wanted("select")[2].tokens
    batch = Batch(decoder("hard"), 3)
    ends = (len(tokens) - 1, 20, 5)
    for session, end in enumerate(ends):
        for token in tokens[:end]:
            batch.append(session, token)
    single = Reference(model())
    expected = []
    for token in tokens[:-1]:
        single.append(token)
        expected.append(single.next())
    for session, end in enumerate(ends):
        assert batch.next(session) == expected[end - 1]
    batch.close(0)
    batch.close(2)  # only session 1 is left in the cache
    batch.append(1, tokens[20])
    assert batch.next(1) == expected[20]
    assert batch.next(1) == expected[20]


# Prompts at once


@pytest.mark.parametrize("attention", KINDS)
@pytest.mark.parametrize("pieces", [2**22, 20_000])
def test_a_prompt_at_once_or_token_by_token(
    attention: str, pieces: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(network, "MAX_SCORES", pieces)
    tokens = torch.tensor([wanted("control")[2].tokens[:160]])
    made = decoder(attention)
    whole = made(tokens)
    assert whole.shape == (1, 160, len(model().parts), 256)
    memory = KeyValueCache(made)
    single = torch.cat([made(tokens[:, t : t + 1], memory) for t in range(tokens.size(1))], 1)
    assert torch.equal(whole, single)
    assert memory.lengths == [160]
    split = KeyValueCache(made)
    assert torch.equal(made(tokens[:, :7], split), whole[:, :7])
    assert torch.equal(made(tokens[:, 7:], split), whole[:, 7:])


def test_logits_are_those_of_the_reference() -> None:
    tokens = wanted("select")[2].tokens
    engine = Reference(model())
    logits = decoder("hard")(torch.tensor([tokens]))[0].numpy()
    for t, token in enumerate(tokens):
        engine.append(token)
        for p, table in enumerate(model().outputs):
            assert (logits[t, p, : len(table)] == table @ engine.residual).all()
            assert (logits[t, p, len(table) :] == -np.inf).all()


@pytest.mark.parametrize("attention", KINDS)
def test_greedy_decoding(attention: str) -> None:
    reference = wanted("gcd")[2].tokens
    (end,) = wanted("gcd")[1]
    prompt = len(reference) - end.steps
    memory = KeyValueCache(decoder(attention), 2)
    tokens = torch.tensor([reference[:prompt]] * 2)
    found = decode(decoder(attention), tokens, end.steps, memory)
    assert found.tolist() == [[list(token) for token in reference[prompt:]]] * 2
    assert memory.lengths == [len(reference) - 1] * 2


# Softmax


def test_a_loser_weighs_nothing_at_all() -> None:
    width = 16
    scores = torch.tensor([5.0, 2.0**52, 2.0**52 - 1, -(2.0**52)], dtype=torch.float64)
    weights = torch.softmax(query_scale(width) * scores / width**0.5, -1)
    assert weights.tolist() == [0, 1, 0, 0]
    assert latest_argmax(scores) == 1


def textbook(*arguments: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """softmax(q k / sqrt(d)) and what it reads, written out; only a mask may come besides."""
    query, key, value, visible = arguments
    scores = query @ key.mT / query.size(-1) ** 0.5
    if visible is not None:
        scores = scores.masked_fill(~visible, -torch.inf)
    weights = torch.softmax(scores, -1)
    return weights, weights @ value


def test_softmax_attention_is_the_textbook_function(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch's own function without options; one weight is 1 and all others are 0."""
    plain, seen = torch.nn.functional.scaled_dot_product_attention, []

    def watched(*arguments: torch.Tensor) -> torch.Tensor:
        weights, read = textbook(*arguments)
        assert (weights.count_nonzero(-1) == 1).all() and (weights.amax(-1) == 1).all()
        assert torch.equal(plain(*arguments), read)
        seen.append(arguments[0].size(-1))
        return read

    assert network.scaled_dot_product_attention is plain
    monkeypatch.setattr(network, "scaled_dot_product_attention", watched)
    for name in ("arithmetic", "memory", "linked"):
        expected, _, reference = wanted(name)
        engine = Torch(decoder("softmax"))
        CORPUS[name](engine)
        assert sha(engine.tokens) == expected
        whole = decoder("softmax")(torch.tensor([reference.tokens])).argmax(-1)
        assert tuple(whole[0, -1].tolist()) == reference.next()
    assert len(seen) > 500 and set(seen) == {16}


def looks_for(keys: Sequence[int], scaled: bool = True) -> Model:
    """A model that reads x where `keys[x]` is largest, with or without a scale in its queries."""
    g = Graph(context=8)
    x = g.part("x", len(keys))
    g.output(x, g.attend("best", [1], [x.lane("key", keys)]).read(x.number()))
    model = build(g)
    query = model.layers[0].heads[0].query
    tensors = {"layer0.head0.query": query if scaled else query / query_scale(len(query))}
    return model.with_tensors({**model.tensors(), **tensors})


@pytest.mark.parametrize(
    ("keys", "scaled", "best"), [([0, 9000, 9000, 2], True, 2), ([0, 9000, 8999, 2], False, 1)]
)
def test_softmax_attention_refuses_scores_that_tie(
    keys: Sequence[int], scaled: bool, best: int
) -> None:
    """A softmax would average 1 and 2, or nearly, where reference takes one of them."""
    model, prompt = looks_for(keys, scaled), [(3,), (1,), (2,)]
    assert tokens_of(Torch(model, "softmax"), prompt[:2], 1) == [(1,)]
    with pytest.raises(Unsupported, match="softmax attention: layer 0, head 0 ties at position 2"):
        tokens_of(Torch(model, "softmax"), prompt, 1)
    for engine in (Torch(model, "hard"), Reference(model)):
        assert tokens_of(engine, prompt, 1) == [(best,)]


def test_softmax_attention_refuses_heads_of_several_widths() -> None:
    model = looks_for([0, 5, 4, 2])
    head = model.layers[0].heads[0]
    more = ((0, 3), (0, 0))
    wider = replace(head, query=np.pad(head.query, more), key=np.pad(head.key, more))
    layer = replace(model.layers[0], heads=(head, wider))
    with pytest.raises(Unsupported, match="the heads of layer 0 differ in width"):
        Torch(replace(model, layers=(layer,)), "softmax")


# Other weights


def prompt_of(name: str) -> list[Token]:
    return wanted(name)[2].tokens[:60]


def tokens_of(engine: Reference | Torch, prompt: Sequence[Token], steps: int) -> list[Token]:
    for token in prompt:
        engine.append(token)
    return [engine.step() for _ in range(steps)]


@pytest.mark.parametrize("attention", KINDS)
def test_renumbered_and_nameless_it_does_the_same(attention: str) -> None:
    other = permute(model(), np.random.default_rng(11))
    engine = Torch(Decoder(other, attention))
    assert CORPUS["control"](engine) == wanted("control")[1]
    assert sha(engine.tokens) == wanted("control")[0]
    loaded = Decoder(model(), attention)
    loaded.load_state_dict(Decoder(other).state_dict())
    engine = Torch(loaded)
    assert CORPUS["control"](engine) == wanted("control")[1]


def within_bounds(made: Model) -> bool:
    try:
        verify(made)
    except CapacityError:
        return False
    return True


@pytest.mark.parametrize("seed", sampled(range(12), 6))
def test_broken_weights_do_what_they_do_on_the_reference(seed: int) -> None:
    chosen = random.Random(seed)
    broken = mutate(model(), chosen.randrange(nonzeros(model())), chosen.choice(["zero", "negate"]))
    if not within_bounds(broken):
        pytest.skip("this mutant leaves the bounds")
    prompt = prompt_of("control")
    expected = tokens_of(Reference(broken), prompt, 40)
    assert tokens_of(Torch(Decoder(broken)), prompt, 40) == expected
    try:
        assert tokens_of(Torch(Decoder(broken, "softmax")), prompt, 40) == expected
    except Unsupported as refusal:
        assert "softmax attention" in str(refusal) and "ties at position" in str(refusal)


def random_model(rng: np.random.Generator) -> Model:
    """Small weights, so that scores and logits tie all the time; heads of different sizes."""
    width = 7

    def weights(*shape: int) -> np.ndarray:
        return rng.integers(-1, 2, shape).astype(float) * rng.integers(0, 2, shape)

    def head() -> Head:
        rows, values = rng.integers(0, 4), rng.integers(0, 5)
        return Head(*(weights(n, width) for n in (rows, rows, values)), weights(width, values))

    def layer() -> Layer:
        count = rng.integers(0, 6)
        heads = tuple(head() for _ in range(rng.integers(0, 4)))
        return Layer(heads, weights(count, width), weights(count, width), weights(width, count))

    parts = (Part("a", 5), Part("b", 3), Part("c", 1))
    tables = [tuple(weights(part.size, width) for part in parts) for _ in range(2)]
    layers = tuple(layer() for _ in range(3))
    return Model(parts, 64, weights(width), weights(width), tables[0], layers, tables[1])


@pytest.mark.parametrize("seed", sampled(range(40), 10))
def test_random_models_full_of_ties(seed: int) -> None:
    rng = np.random.default_rng(seed)
    made = random_model(rng)
    while not within_bounds(made):
        made = random_model(rng)
    prompts = [
        [tuple(int(rng.integers(p.size)) for p in made.parts) for _ in range(length)]
        for length in (1, 9, 4)
    ]
    expected = [tokens_of(Reference(made), prompt, 12) for prompt in prompts]
    held = Decoder(made)
    assert [tokens_of(Torch(held), prompt, 12) for prompt in prompts] == expected
    tasks = [lambda engine, prompt=prompt: tokens_of(engine, prompt, 12) for prompt in prompts]
    assert together(held, tasks) == expected


def test_ties_go_to_the_latest_position_and_the_lowest_index() -> None:
    g = Graph(context=8)
    x = g.part("x", 4)
    seen = g.attend("even", [1], [x.indicator({0, 2})]).read(x.number())
    g.output_scores(x, {v: g.neuron(seen - 1) for v in (1, 2, 3)})
    engine = Torch(build(g))
    for token in [(0,), (2,), (3,), (1,)]:
        engine.append(token)
    assert engine.next() == (1,)


# An ordinary module


def test_state_travels_as_safetensors(tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    held = decoder("hard").state_dict()
    save_file(held, tmp_path / "decoder.safetensors")
    again = load_file(tmp_path / "decoder.safetensors")
    assert again.keys() == held.keys()
    assert all(torch.equal(again[name], held[name]) for name in held)
    empty = Decoder(model(), "softmax")
    with torch.no_grad():
        for parameter in empty.parameters():
            parameter.zero_()
    empty.load_state_dict(again)
    engine = Torch(empty)
    CORPUS["select"](engine)
    assert sha(engine.tokens) == wanted("select")[0]


def test_weights_are_frozen_and_stay_exact() -> None:
    held = Decoder(model())
    assert not any(p.requires_grad for p in held.parameters())
    for moved in (held.half(), held.float(), held.to(torch.bfloat16), held.to("cpu")):
        assert {p.dtype for p in moved.parameters()} == {torch.float64}
    engine = Torch(held)
    CORPUS["select"](engine)
    assert sha(engine.tokens) == wanted("select")[0]


def test_weights_changed_in_place_are_the_weights_that_run() -> None:
    held = Decoder(model())
    for layer in held.layers:
        layer.neurons.out.weight.data.zero_()
    tensors = model().tensors()
    silent = {n: a * (not n.endswith(".out")) for n, a in tensors.items()}
    broken = model().with_tensors(silent)
    prompt = prompt_of("gcd")
    assert tokens_of(Torch(held), prompt, 5) == tokens_of(Reference(broken), prompt, 5)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device here")
@pytest.mark.parametrize("attention", KINDS)
def test_on_a_gpu(attention: str) -> None:
    held = Decoder(model(), attention, device="cuda")
    for name in SMALL:
        engine = Torch(held)
        assert CORPUS[name](engine) == wanted(name)[1]
        assert sha(engine.tokens) == wanted(name)[0]
    ends = together(held, [CORPUS[name] for name in SMALL])
    assert ends == [wanted(name)[1] for name in SMALL]


# Errors


def test_what_is_not_a_token_is_refused() -> None:
    g = Graph(context=3)
    x = g.part("x", 4)
    g.output(x, x.number())
    made = build(g)
    engine = Torch(made)
    with pytest.raises(UsageError, match="empty"):
        engine.next()
    for token, why in [((4,), "below 4"), ((-1,), "below 4"), ((1, 1), "1 parts")]:
        with pytest.raises(UsageError, match=why):
            engine.append(token)
    for _ in range(3):
        engine.append((1,))
    assert engine.next() == (1,)
    with pytest.raises(CapacityError, match="3 positions is full.*specialize.*--context"):
        engine.append((1,))
    held = Decoder(made)
    with pytest.raises(CapacityError, match="3 positions is full.*specialize.*--context"):
        held(torch.ones(1, 4, 1, dtype=torch.int64))
    for tensor, why in [
        (torch.ones(1, 2, 1), "int64"),
        (torch.ones(2, 1, dtype=torch.int64), "int64"),
        (torch.ones(1, 0, 1, dtype=torch.int64), "int64"),
        (torch.ones(1, 2, 2, dtype=torch.int64), "1 parts"),
        (torch.full((1, 2, 1), 4), "below 4, not 4"),
        (torch.full((1, 2, 1), -1), "below 4, not -1"),
    ]:
        with pytest.raises(UsageError, match=why):
            held(tensor)
    with pytest.raises(UsageError, match="hard, softmax"):
        Decoder(made, "soft")
    object.__setattr__(made, "kind", "looped")
    with pytest.raises(Unsupported, match="not looped models"):
        Decoder(made)


def test_without_pytorch_the_engine_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "transputer.engines.torch.decoder")
    monkeypatch.delitem(sys.modules, "transputer.engines.torch.network", raising=False)
    with pytest.raises(EngineUnavailable, match=r"pip install 'transputer\[torch\]'"):
        importlib.import_module("transputer.engines.torch.decoder")
