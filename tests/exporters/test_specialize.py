"""Specialised models: the same records as the universal model, from the weights alone."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.sampling import sampled
from transputer import api
from transputer.circuit import Graph, build
from transputer.engines.native.decoder import Native
from transputer.engines.reference.decoder import Reference
from transputer.errors import CapacityError, MalformedError, Unsupported, UsageError
from transputer.exporters.fold import MergedPart, merge
from transputer.exporters.prune import prune
from transputer.machines.trace.packed import KEY, NAMES, Viewed, start_of
from transputer.machines.trace.universal import model as trace_model
from transputer.machines.trace.vocabulary import Space, record
from transputer.model import (
    Model,
    card,
    load,
    mutate,
    nonzeros,
    permute,
    query_scale,
    save,
    verify,
)
from transputer.model.tensors import MAX_PART
from transputer.runtime.trace.pack import pack
from transputer.runtime.trace.program import TraceProgram
from transputer.runtime.trace.run import run_program

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
EVERYTHING = HERE / "programs.wat"


def same(
    program: TraceProgram, model: Model, invoke: str | None, args: Sequence[int], **how: Any
) -> None:
    """The model gives what the universal one gives: records, results, output, counts."""
    how["digest"] = True
    wanted = run_program(program, invoke, args, **how)
    found = run_program(TraceProgram("m", packed=model), None, args, **how)
    assert found.trace_sha256 == wanted.trace_sha256
    for name in ("results", "text", "stdout", "exit_code", "trap", "steps", "instructions"):
        assert getattr(found, name) == getattr(wanted, name), name


def special(
    path: Path, invoke: str | None = None, arguments: int = 0
) -> tuple[TraceProgram, Model]:
    program = api.compile(path)
    return program, api.specialize(program, invoke, arguments)


def test_the_engine_in_charge_is_named() -> None:
    """Nothing is fetched that `lifted` could lift, so that `native` decodes, and says so."""
    _, model = special(EXAMPLES / "c" / "gcd.c", "gcd", 2)
    result = run_program(TraceProgram("m", packed=model), None, [48, 36], engine="lifted")
    assert (result.results, result.engine) == ([12], "native")


@pytest.fixture(scope="module")
def everything() -> tuple[TraceProgram, Model]:
    return special(EVERYTHING, "everything")


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize("args", [(0, 1), (2, 2), (5, 1), (1, 0), (1, 9), (-1, 1)])
def test_everything_a_prompt_can_hold(everything, engine: str, args: tuple[int, int]) -> None:
    program, model = everything
    same(program, model, "everything", args, engine=engine, stdin=b"A")


@pytest.mark.slow
@pytest.mark.parametrize(
    "invoke, args",
    sampled([("straddle", (0x12345678,)), ("leave", (7,)), ("pair", (9,))], 3, rows=True),
)
def test_ways_to_end(invoke: str, args: tuple[int, ...]) -> None:
    program, model = special(EVERYTHING, invoke)
    same(program, model, invoke, args)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", sampled(["select", "ackermann", "fast_power", "memory_stack", "sieve"], 5)
)
def test_assembly_examples(name: str) -> None:
    program, model = special(EXAMPLES / "asm" / f"{name}.asm")
    same(program, model, None, ())


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, invoke, args",
    sampled(
        [("gcd", "gcd", (48, 36)), ("fibonacci", "fibonacci", (30,)), ("queens", "queens", (5,))],
        3,
        rows=True,
    ),
)
def test_c_examples(name: str, invoke: str | None, args: tuple[int, ...]) -> None:
    program, model = special(EXAMPLES / "c" / f"{name}.c", invoke)
    same(program, model, invoke, args)


@pytest.mark.slow
def test_sudoku_is_solved_without_a_prompt() -> None:
    program, model = special(EXAMPLES / "c" / "sudoku.c")
    start = start_of(model)
    assert len(start.before) == 1 and not start.after and start.defaults == (0, 0)
    same(program, model, None, ())
    small, whole = card(model), card(trace_model())
    for what in ("lanes", "heads", "neurons"):
        assert small[what] < whole[what]


@pytest.mark.slow
def test_the_boot_decodes_the_data_of_the_prompt(everything) -> None:
    """The start token is the sentinel; what follows are the prompt's tokens, then the call."""
    program, model = everything
    start, packed = start_of(model), start_of(pack(program, "everything"))
    engine = Viewed(Reference(model), start)
    for token in start.tokens((3, 4)):
        engine.inner.append(token)
    booted = [engine.step() for _ in range(start.boot)]
    assert booted[-1] == packed.after[0]
    assert set(booted[:-1]) <= set(packed.before)
    left = [record(t) for t in packed.before if t not in booted]
    assert {r.space for r in left} == {Space.CODE, Space.SENTINEL, Space.SIZE}
    assert [r.at for r in left if r.space == Space.SIZE] == [0]


def test_saved_and_loaded(everything, tmp_path: Path) -> None:
    program, model = everything
    save(model, tmp_path / "m.safetensors")
    loaded = api.compile(tmp_path / "m.safetensors")
    assert loaded.packed is not None and start_of(loaded.packed) == start_of(model)
    same(program, loaded.packed, "everything", (0, 1), stdin=b"xyz")


def tokens_of(engine: Native | Reference, model: Model, args: Sequence[int], steps: int) -> str:
    for token in start_of(model).tokens(args):
        engine.append(token)
    found = [tuple(map(int, engine.step())) for _ in range(steps)]
    return hashlib.sha256(repr(found).encode()).hexdigest()


def test_names_and_numbers_mean_nothing(everything) -> None:
    _, model = everything
    start = model.hints[KEY]
    shuffled = permute(model, np.random.default_rng(5))
    other = replace(shuffled, hints={KEY: start})
    wanted = tokens_of(Reference(model), model, (0, 1), 60)
    assert tokens_of(Reference(other), other, (0, 1), 60) == wanted
    assert tokens_of(Native(other), other, (0, 1), 60) == wanted


@pytest.mark.parametrize("seed", sampled(range(10), 3))
def test_broken_weights_break_engines_alike(everything, seed: int) -> None:
    _, model = everything
    rng = np.random.default_rng(seed)
    broken = mutate(model, int(rng.integers(nonzeros(model))), "negate" if seed % 2 else "zero")
    try:
        verify(broken)
    except CapacityError:
        with pytest.raises(CapacityError):
            Native(broken)
        return
    wanted = tokens_of(Reference(broken), broken, (0, 1), 60)
    assert tokens_of(Native(broken), broken, (0, 1), 60) == wanted


@pytest.mark.slow
@pytest.mark.parametrize("which", ["universal", "special"])
def test_pruned_models_predict_the_same_on_any_tokens(everything, which: str) -> None:
    """Also on sequences that no run produces: the vocabulary is all that pruning relies on."""
    model = trace_model() if which == "universal" else everything[1]
    rng = np.random.default_rng(3)
    sizes = [part.size for part in model.parts]
    engines = [Reference(model), Reference(prune(permute(model, rng)))]
    for _ in range(40):
        token = tuple(int(rng.integers(n)) for n in sizes)
        for engine in engines:
            engine.append(token)
        assert engines[0].next() == engines[1].next()


def test_a_pruned_head_keeps_the_width_and_scale_of_its_softmax() -> None:
    g = Graph(context=100)
    x, y = g.part("x", 4), g.part("y", 1)
    head = g.attend("last", [1, x.number(), 3], [g.position, x.number(), y.number()])
    g.output(x, head.read(x.number()))
    g.output(y, 0)
    before = build(g).layers[0].heads[0]
    after = prune(build(g)).layers[0].heads[0]
    assert [np.count_nonzero(h.key.any(axis=1)) for h in (before, after)] == [3, 2]
    assert len(after.query) == len(after.key) == len(before.query) == 16
    assert after.scale == before.scale == query_scale(16)


def test_a_start_function_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "start.wat"
    path.write_text('(module (func $s) (start $s) (func (export "f")))')
    with pytest.raises(Unsupported, match="start function"):
        api.specialize(api.compile(path), "f")


def test_a_model_says_what_it_carries(everything) -> None:
    _, model = everything
    packed = TraceProgram("m", packed=model)
    with pytest.raises(UsageError, match="carries everything"):
        run_program(packed, "other")
    with pytest.raises(UsageError, match="takes 2 arguments"):
        run_program(packed, None, (1,))
    with pytest.raises(UsageError, match="without weights"):
        run_program(packed, None, (1, 2), engine="oracle")
    with pytest.raises(UsageError, match="carries no program"):
        start_of(trace_model())


@pytest.mark.parametrize(
    "change",
    [
        {"views": []},
        {"before": [[0]]},
        {"before": 3},
        {"boot": -1},
        {"boot": "x"},
        {"results": ["i31"]},
        {"implied": [1 << 24]},
        {"defaults": 1},
    ],
)
def test_damaged_descriptions_are_refused(everything, change: dict, tmp_path: Path) -> None:
    _, model = everything
    damaged = replace(model, hints={**model.hints, KEY: {**model.hints[KEY], **change}})
    save(damaged, tmp_path / "m.safetensors")
    with pytest.raises(MalformedError, match="damaged"):
        start_of(load(tmp_path / "m.safetensors"))


def test_the_parts_of_a_token_are_those_of_the_machine() -> None:
    assert [part.name for part in trace_model().parts] == NAMES


def test_a_program_that_is_too_large_is_refused() -> None:
    model = trace_model()
    rows = np.zeros((MAX_PART + 1, 1), dtype=np.int64)
    with pytest.raises(CapacityError, match="65,537 instructions.*at most 65,536"):
        merge(model, MergedPart("pc", (0,), (1,), rows), np.zeros((1, model.width)))
