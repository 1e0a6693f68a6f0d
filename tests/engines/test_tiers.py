"""The default engine: it starts natively, changes to lifted code, and decodes the same tokens."""

import gc
import random
import secrets
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any
from weakref import ref

import numpy as np
import pytest

from tests.engines.listening import prompt
from tests.engines.loops import LoopWriter
from tests.engines.test_lifted import LOOP, MIXED, STATUS
from transputer.engines.lifted import decoder
from transputer.engines.lifted.decoder import (
    HASTY,
    Lifted,
    Pace,
    Tiered,
    Want,
    library,
    region,
    rowrun,
    set_pace,
)
from transputer.engines.lifted.decoder.code import load
from transputer.engines.lifted.decoder.emit import BlockEmitter
from transputer.engines.lifted.decoder.lifting import lifting
from transputer.engines.lifted.decoder.loops import HotLoop
from transputer.engines.lifted.decoder.proved import Fixed, ProvedRows, proved_rows
from transputer.engines.lifted.decoder.rowcode import SpreadPrinter
from transputer.engines.lifted.decoder.shelf import Shelf
from transputer.engines.native.decoder import Native
from transputer.machines.trace.opcodes import OPCODES
from transputer.machines.trace.universal import model as trace_model
from transputer.machines.trace.vocabulary import Space
from transputer.model import Token, digest, mutate
from transputer.runtime.trace.program import TraceProgram, compile_file
from transputer.runtime.trace.run import run_program

#: Code that is made in the background may not fail unnoticed.
pytestmark = pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
EXAMPLES = Path(__file__).parents[2] / "examples"
#: What it does before the loop, it does once.
PROLOGUE = """
(module (func (export "f") (param i32) (result i32)
  (local.set 0 (i32.rotl (i32.popcnt (i32.clz (local.get 0))) (i32.const 7)))
  (loop (br_if 0 (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))
  (local.get 0)))
"""
FLOATS = """
(module (memory 1)
  (func (export "floats") (param $n i32) (result f64) (local $x f64) (local $i i32)
    (local.set $x (f64.const 1.5))
    loop
      (local.set $x (f64.add (f64.div (local.get $x) (f64.const 3))
        (f64.mul (f64.convert_i32_u (local.get $i)) (f64.const 0.1))))
      (f64.store (i32.shl (local.get $i) (i32.const 3)) (f64.sqrt (local.get $x)))
      (local.set $x (f64.sub (f64.load (i32.shl (local.get $i) (i32.const 3)))
        (f64.promote_f32 (f32.demote_f64 (local.get $x)))))
      (br_if 0 (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n)))
    end
    local.get $x)
  (func (export "digits") (param $n i64) (result i64) (local $sum i64)
    loop
      (local.set $sum (i64.add (local.get $sum) (i64.rem_s (local.get $n) (i64.const 7))))
      (br_if 0 (i64.ne (i64.const 0) (local.tee $n (i64.div_s (local.get $n) (i64.const 10)))))
    end
    local.get $sum))
"""


LOAD = "i32.load"
LOADS = f'(module (memory 1) (func (export "first") (param i32) (result i32) local.get 0 {LOAD}))'


@pytest.fixture(scope="module")
def wat(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], TraceProgram]:
    def compiled(text: str) -> TraceProgram:
        path = tmp_path_factory.mktemp("tiers") / "program.wat"
        path.write_text(text)
        return compile_file(path)

    return compiled


@pytest.fixture
def hasty() -> Iterator[None]:
    """Every run changes to rows as soon as it can, and soon to code for hot nodes."""
    set_pace(HASTY)
    yield
    set_pace(Pace())


def same(program: TraceProgram, invoke: str | None, args: list[int]) -> str:
    """Both engines agree on everything; return the engine that ended the run."""
    one, two = (
        run_program(program, invoke, args, engine=engine, digest=True)
        for engine in ("native", "auto")
    )
    assert (one.results, one.stdout, one.exit_code, one.trap) == (
        two.results,
        two.stdout,
        two.exit_code,
        two.trap,
    )
    assert (one.steps, one.instructions) == (two.steps, two.instructions)
    assert one.trace_sha256 == two.trace_sha256 is not None
    return two.engine


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "invoke", "args"),
    [
        (LOOP, "sum", [700]),
        (MIXED, "work", [7]),
        (FLOATS, "floats", [60]),
        (FLOATS, "digits", [9876543210123456789 - 2**63]),
    ],
)
def test_tiers_decode_the_same(
    wat: Callable[[str], TraceProgram], hasty: None, text: str, invoke: str, args: list[int]
) -> None:
    assert same(wat(text), invoke, args) == "lifted"


DIVISIONS = """
(module
  (func $next (param $x i64) (result i64)
    (i64.add (i64.mul (local.get $x) (i64.const 6364136223846793005)) (i64.const 144269504088)))
  (func $some (param $x i64) (result i64)
    (i64.shr_s (local.get $x) (i64.and (i64.rotl (local.get $x) (i64.const 7)) (i64.const 63))))
  (func (export "divide") (param $n i32) (result i64)
    (local $x i64) (local $a i64) (local $b i64) (local $sum i64)
    loop
      (local.set $x (call $next (local.get $x)))
      (local.set $a (call $some (local.get $x)))
      (local.set $x (call $next (local.get $x)))
      (local.set $b (i64.or (call $some (local.get $x)) (i64.const 2)))
      (local.set $sum (i64.xor (i64.rotl (local.get $sum) (i64.const 5))
        (i64.xor (i64.div_u (local.get $a) (local.get $b))
          (i64.xor (i64.rem_s (local.get $a) (local.get $b)) (i64.xor
            (i64.extend_i32_u
              (i32.rem_u (i32.wrap_i64 (local.get $a)) (i32.wrap_i64 (local.get $b))))
            (i64.extend_i32_u (i32.div_s (i32.wrap_i64 (local.get $a)) (i32.const -10))))))))
      (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1))))
    end
    local.get $sum))
"""


@pytest.mark.slow
def test_optimised_rows_decode_the_same(
    wat: Callable[[str], TraceProgram], hasty: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows of division have other code once they are used often."""
    printed: list[int] = []

    class Noted(SpreadPrinter):
        def function(self, name: str, *args: Any) -> str:
            printed.append(int(name.removeprefix("row")))
            return super().function(name, *args)

    def fresh(text: Callable[[], str], name: str, *args: Any, **options: Any) -> Any:
        return load(text(), name, **options)

    monkeypatch.setattr(library, "SpreadPrinter", Noted)
    monkeypatch.setattr(library, "cached", lambda *args, **options: None)
    monkeypatch.setattr(library, "load", fresh)
    monkeypatch.setattr(lifting(trace_model(), frozenset([STATUS])), "loaded", {})
    assert same(wat(DIVISIONS), "divide", [400]) == "lifted"
    assert len(printed) > 8


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "bytewise"), [(0, False), (4, True), (8, False), (15, True), (20, False)]
)
def test_loops_with_variables_decode_the_same(
    wat: Callable[[str], TraceProgram],
    hasty: None,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
    bytewise: bool,
) -> None:
    loops: list[HotLoop] = []
    texts: list[str] = []

    def noted(*args: Any, **options: Any) -> BlockEmitter:
        emitter = BlockEmitter(*args, **options)
        loops.extend(emitter.loops)
        texts.append(emitter.text)
        return emitter

    monkeypatch.setattr(region, "BlockEmitter", noted)
    monkeypatch.setattr(region, "_loaded", lambda facts: None)  # what the cache has is made again
    assert same(wat(LoopWriter(seed).module()), "f", [77777 * seed]) == "lifted"
    assert loops
    alone = [line for text in texts for line in text.splitlines() if "BYTES(" in line]
    if bytewise and sys.byteorder == "little":  # some are read, and some written, alone
        assert any(line.startswith("const") for line in alone)
        assert any(line.startswith("BYTES(") for line in alone)


_READS = (
    *("i64.load", "i64.load32_s", "i64.load32_u", "i64.load16_s", "i64.load16_u"),
    *("i64.load8_s", "i64.load8_u"),
)
_WRITES = ("i64.store", "i64.store32", "i64.store16", "i64.store8")
_ACCESSES = "".join(
    f"""
    ({_WRITES[i % 4]} offset={5 * i} (local.get $at) (local.get $x))
    (local.set $x (i64.rotl (i64.sub (local.get $x) ({read} offset={3 * i} (local.get $at)))
      (i64.const {7 + i})))"""
    for i, read in enumerate(_READS)
)
UNALIGNED = f"""
(module (memory 1) (func (export "f") (param $at i32) (param $n i32) (result i64) (local $x i64)
  (local.set $x (i64.const 81985529216486895))
  loop {_ACCESSES}
    (local.set $at (i32.add (local.get $at) (i32.const 1)))
    (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1))))
  end
  local.get $x))
"""


@pytest.mark.slow
@pytest.mark.parametrize("start", [3, 65_450], ids=["inside", "to the end of memory"])
def test_bytes_of_two_words_decode_the_same(
    wat: Callable[[str], TraceProgram], hasty: None, monkeypatch: pytest.MonkeyPatch, start: int
) -> None:
    texts: list[str] = []

    def noted(*args: Any, **options: Any) -> BlockEmitter:
        emitter = BlockEmitter(*args, **options)
        texts.append(emitter.text)
        return emitter

    monkeypatch.setattr(region, "BlockEmitter", noted)
    monkeypatch.setattr(region, "_loaded", lambda facts: None)  # what the cache has is made again
    assert same(wat(UNALIGNED), "f", [start, 90]) == "lifted"
    if sys.byteorder == "little":  # those of a read are loaded at once
        assert any("= BYTES(64," in text for text in texts)
        assert not any("= ACROSS(" in text for text in texts)


def test_a_trap_after_the_change(wat: Callable[[str], TraceProgram], hasty: None) -> None:
    text = LOOP.replace("end local.get 2", "end local.get 2 i32.const 0 i32.div_u")
    assert same(wat(text), "sum", [400]) == "lifted"


@pytest.mark.parametrize("index", [0, 9, 3], ids=["null", "undefined", "of another type"])
def test_an_indirect_call_that_traps(
    wat: Callable[[str], TraceProgram], hasty: None, index: int
) -> None:
    """Lifted code ends the run: the engine that was there before need not decode it again."""
    text = f"""(module (type $f (func (result i32))) (table 4 funcref) (elem (i32.const 1) $one)
      (elem (i32.const 3) $two)
      (func $one (result i32) i32.const 1) (func $two (param i32))
      (func (export "f") (param $n i32) (result i32) (local $sum i32)
        (loop (local.set $sum (i32.add (local.get $sum)
            (call_indirect (type $f) (select (i32.const 1) (i32.const {index}) (local.get $n)))))
          (local.set $n (i32.sub (local.get $n) (i32.const 1)))
          (br_if 0 (i32.ge_s (local.get $n) (i32.const 0))))
        local.get $sum))"""
    assert same(wat(text), "f", [200]) == "lifted"


def test_a_short_run_stays_native(wat: Callable[[str], TraceProgram]) -> None:
    assert same(wat(LOOP), "sum", [20]) == "native"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["c/sudoku.c", "programs/division.c"])
def test_c_programs(name: str, hasty: None) -> None:
    assert same(compile_file(EXAMPLES / name), None, []) == "lifted"


@pytest.mark.parametrize("steps", [1, 77, 640])
def test_rows_take_over_anywhere(
    wat: Callable[[str], TraceProgram], steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the native engine holds is all that rows need."""
    monkeypatch.setattr(decoder, "_pace", Pace(thrift=0.0))
    model = trace_model()
    tokens = np.array(prompt(wat(LOOP), "sum", [300]))
    native, tiers = Native(model), Tiered(model, Want((STATUS,)))
    native.extend(tokens)
    tiers.extend(tokens)
    wanted = native.run(2000, [(STATUS, None)])
    assert np.array_equal(tiers.run(steps, [(STATUS, None)]), wanted[:steps])
    task = decoder._Task(lambda: decoder.prepared_rows(ref(tiers)))
    task.join()
    tiers._task = task
    assert tiers._native is not None
    tiers._switch(tiers._native)
    assert tiers.name == "lifted"
    assert np.array_equal(tiers.run(2000 - steps, [(STATUS, None)]), wanted[steps:])


@pytest.mark.slow
def test_a_long_program_begins_with_lifted_code_the_next_time(
    wat: Callable[[str], TraceProgram], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decoder, "_pace", Pace(thrift=0.0, waits=True))
    program = wat(LOOP.replace("i32.const 1", "i32.const 3"))  # no other test is to find it known
    assert run_program(program, "sum", [900_000], engine="auto").engine == "lifted"
    assert run_program(program, "sum", [3], engine="auto").engine == "lifted"
    broken = mutate(trace_model(), 5000, "zero")  # no rows are shipped for it
    assert run_program(program, "sum", [3], engine="auto", model=broken).engine == "native"


@pytest.mark.slow
def test_a_model_without_shipped_rows_stays_native(
    wat: Callable[[str], TraceProgram], hasty: None
) -> None:
    broken = mutate(trace_model(), 5000, "zero")
    result = run_program(wat(LOOP), "sum", [50], engine="auto", model=broken)
    assert result.engine == "native"


# The shipped rows


@pytest.mark.slow
def test_shipped_rows_are_those_of_the_model() -> None:
    rows = proved_rows(digest(trace_model()), frozenset([STATUS]))
    assert rows is not None and len([*rows.rows]) > 800


@pytest.mark.slow
def test_what_shipped_rows_read_is_shipped() -> None:
    rows = proved_rows(digest(trace_model()), frozenset([STATUS]))
    assert rows is not None
    used = [(fixed, rows.tree(number)) for number, fixed in enumerate(rows.chosen)]
    assert rows.needs == Shelf(rows.frame, Want()).needs(used)


@pytest.mark.slow
def test_shipped_rows_lead_to_shipped_rows() -> None:
    shipped = lifting(trace_model(), frozenset([STATUS]))
    assert shipped.proved is not None
    known = {tuple(sorted(fixed.items())) for fixed in shipped.proved.chosen}
    assert {fixed for fixed, _ in shipped.reachable()} == known


@pytest.mark.slow
def test_sampled_rows_are_derived_again() -> None:
    """Rows of the file equal those that the weights give now."""
    shipped = lifting(trace_model(), frozenset([STATUS]))
    fresh = lifting(trace_model(), frozenset([STATUS]), fresh=True)
    assert shipped.proved is not None and fresh.proved is None
    rng = np.random.default_rng(3)
    rows = [*shipped.proved.rows]
    for i in rng.choice(len(rows), 5, replace=False).tolist():
        fixed, tree = rows[i]
        assert fresh.row(fixed) == tree


def test_an_edited_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = proved_rows(digest(trace_model()), frozenset([STATUS]))
    assert rows is not None
    data = bytearray(rows.path.read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / rows.path.name).write_bytes(bytes(data))
    with pytest.raises(ValueError, match="other contents"):
        assert ProvedRows(tmp_path / rows.path.name, rows.model, rows.stops).frame
    monkeypatch.setattr("transputer.engines.lifted.decoder.proved.FOLDER", tmp_path)
    assert proved_rows(digest(trace_model()), frozenset([STATUS])) is None


def test_tokens_of_the_host_between_tiers(wat: Callable[[str], TraceProgram]) -> None:
    model, wanted = trace_model(), Want((STATUS,))
    tokens: list[Token] = [*prompt(wat(LOOP), "sum", [30])]
    one, two = Native(model), Lifted(model, wanted)
    for engine in (one, two):
        for token in tokens:
            engine.append(token)
        engine.run(500, [(STATUS, None)])
        engine.extend(np.array(tokens[-4:]))
    assert np.array_equal(one.run(50, [(STATUS, None)]), two.run(50, [(STATUS, None)]))


def test_tokens_that_lifted_code_has_not_kept(wat: Callable[[str], TraceProgram]) -> None:
    """An instruction that reads the stack as a memory, and an address of 2^24 in the stack."""
    model, stops = trace_model(), [(STATUS, None)]
    names = [part.name for part in model.parts]
    space, at3, tag = (names.index(name) for name in ("space", "at3", "depth0"))
    tokens = [*prompt(wat(LOOP), "sum", [30])]
    reads = [*prompt(wat(LOADS), "first", [0])]
    load = [t for t in reads if t[space] == Space.CODE and t[names.index("op")] == OPCODES[LOAD]][0]
    slot = [t for t in tokens if t[space] == Space.SLOT][-1]
    for place, value, token in ((tag, Space.SLOT, load), (at3, 1, slot)):
        one, two = Native(model), Lifted(model, Want((STATUS,), kept=(names.index("value0"),)))
        later = (*token[:place], int(value), *token[place + 1 :])
        for engine in (one, two):
            engine.extend(np.array(tokens))
            engine.run(40, stops)
            if engine is two:
                assert two.name == "lifted"
            engine.extend(np.array([later, tokens[-1]]))
        assert two.name == "native"
        assert np.array_equal(one.run(50, stops), two.run(50, stops))


def test_hot_nodes_of_an_earlier_run_have_code_at_once(
    wat: Callable[[str], TraceProgram], hasty: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, make_region = [], region.make_region

    def counted(*args: Any) -> Any:
        made.append(args)
        return make_region(*args)

    monkeypatch.setattr(region, "make_region", counted)
    number = secrets.randbits(30)  # a program that no run has seen
    program = wat(LOOP.replace("end local.get 2", f"end local.get 2 i32.const {number} i32.xor"))
    counts = []
    for warm in (1 << 40, 1024, 1 << 40):
        made.clear()
        set_pace(replace(HASTY, warm=warm))
        assert same(program, "sum", [700]) == "lifted"
        counts.append(len(made))
    assert counts[0] == 0 and counts[1] > 0 and counts[2] > 0


@pytest.mark.parametrize("share, regions", [(1e9, 0), (0.0, 1)], ids=["never", "at once"])
def test_hot_nodes_get_code_once_their_steps_have_cost_enough(
    wat: Callable[[str], TraceProgram],
    hasty: None,
    monkeypatch: pytest.MonkeyPatch,
    share: float,
    regions: int,
) -> None:
    made, make_region = [], region.make_region
    monkeypatch.setattr(region, "make_region", lambda *args: made.append(1) or make_region(*args))
    number = secrets.randbits(30)  # a program that no run has seen
    program = wat(LOOP.replace("end local.get 2", f"end local.get 2 i32.const {number} i32.xor"))
    set_pace(replace(HASTY, share=share))
    assert same(program, "sum", [700]) == "lifted"
    assert bool(made) == bool(regions)


def test_rows_are_made_when_a_run_comes_to_them(
    wat: Callable[[str], TraceProgram], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    session = Lifted(trace_model(), Want((STATUS,)))
    session.extend(np.array(prompt(wat(FLOATS), "digits", [12345])))
    session.run(20, [(STATUS, None)])
    rows = session._rows
    assert rows is not None
    made = np.flatnonzero(rows.code.blocks)
    assert made.size
    assert np.array_equal(made, np.flatnonzero(rows.used))


def test_rows_of_instructions_with_several_steps_are_counted(
    wat: Callable[[str], TraceProgram],
) -> None:
    session = Lifted(trace_model(), Want((STATUS,)))
    text = """(module (func (export "f") (param i32 i32) (result i32)
      (i32.add (i32.div_u (local.get 0) (local.get 1)) (i32.div_s (local.get 0) (local.get 1)))))"""
    session.extend(np.array(prompt(wat(text), "f", [7, 2])))
    session.run(20, [(STATUS, None)])
    rows = session._rows
    assert rows is not None
    every = np.ones(1000, dtype=np.bool_)
    steps = 1 + 8  # of each division: the first, and one for each digit
    assert rows.code.long_rows(session.host_tokens, every) == 2 * steps
    assert rows.code.long_rows(session.host_tokens, ~every) == 0


def test_words_are_tokens_again() -> None:
    frame = lifting(trace_model(), frozenset({STATUS})).frame
    dice = random.Random(4)
    for _ in range(200):
        token = tuple(dice.randrange(size) for size in frame.sizes)
        assert frame.token(frame.words(token)) == token


def test_a_session_that_nobody_holds_is_freed_at_once(
    monkeypatch: pytest.MonkeyPatch, hasty: None
) -> None:
    """Its arrays are gigabytes of address space; the collector would have to look for them."""
    sessions: list[ref[Lifted]] = []
    begin = Lifted.__init__

    def noted(self: Lifted, *arguments: Any) -> None:
        begin(self, *arguments)
        sessions.append(ref(self))

    monkeypatch.setattr(Lifted, "__init__", noted)
    gc.disable()
    try:
        for engine in ("auto", "lifted"):
            run_program(compile_file(EXAMPLES / "c" / "gcd.c"), "gcd", [48, 36], engine=engine)
    finally:
        gc.enable()
    assert [session() for session in sessions] == [None, None]


def test_a_run_that_changes_to_rows_leaves_those_of_its_first_steps(
    wat: Callable[[str], TraceProgram], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The next run begins with rows, and makes none."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    made: list[Fixed] = []
    make = library.RowCode._row
    monkeypatch.setattr(
        library.RowCode, "_row", lambda code, fixed: made.append(fixed) or make(code, fixed)
    )
    monkeypatch.setattr(decoder, "_pace", replace(HASTY, warm=1 << 30, uses=1 << 30))
    program, numbers = wat(PROLOGUE), []
    for engine in ("auto", "lifted"):
        result = run_program(program, "f", [99], engine=engine)
        assert result.engine == "lifted" and result.results
        numbers.append(len(made))
    assert numbers[0] > 5
    assert numbers[1] == numbers[0]


def test_only_a_run_that_has_ended_is_waited_for(wat: Callable[[str], TraceProgram]) -> None:
    """One that was interrupted is not: its process ends at once."""
    session, hold = Tiered(trace_model(), Want((STATUS,))), Event()
    session.extend(np.array(prompt(wat(LOOP), "sum", [30])))
    session._task = task = decoder._Task(hold.wait)
    try:
        assert not session.sprint(100).stopped and not task.finish
        assert session.sprint(10_000).stopped and task.finish
    finally:
        hold.set()


def test_steps_of_the_native_engine_count_as_those_of_rows(
    wat: Callable[[str], TraceProgram], monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that the first run makes the code that the second one, by rows alone, would make."""
    counts: list[rowrun.RowRun] = []
    begin = rowrun.RowRun.__init__
    monkeypatch.setattr(
        rowrun.RowRun, "__init__", lambda rows, code: counts.append(rows) or begin(rows, code)
    )
    monkeypatch.setattr(decoder, "_pace", replace(HASTY, warm=1 << 30, uses=1 << 30))
    program = wat(PROLOGUE)
    for engine in ("auto", "lifted"):
        run_program(program, "f", [99], engine=engine)
    auto, lifted = counts
    assert 0 < auto.steps < lifted.steps
    assert np.array_equal(auto.used, lifted.used) and lifted.used.sum() == lifted.steps
    assert np.array_equal(auto.visits, lifted.visits) and lifted.visits.any()
