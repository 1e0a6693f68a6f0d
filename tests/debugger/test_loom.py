"""Looking into the loom machine: against the reference engine, the interpreter and the tensors."""

import json
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from transputer.debugger.loom import LoomRecording
from transputer.debugger.looped import fields
from transputer.engines.reference.looped import LoopedReference
from transputer.errors import StepLimitError, UsageError
from transputer.ir.loom import LoomProgram, smallest
from transputer.machines.loom.circuit import model as loom_model
from transputer.machines.loom.host import LoomSession, initial
from transputer.oracle.loom import Loom
from transputer.runtime.loom.debug import LoomDebugger
from transputer.runtime.loom.program import CompiledLoom, compile_loom
from transputer.runtime.loom.program import compiled as with_config
from transputer.studio.machines import view_of

ROOT = Path(__file__).parents[2]


def compiled(name: str) -> LoomProgram:
    return compile_loom(ROOT / "examples/loom" / name, 8 if name.endswith(".c") else 0)


def loom(name: str) -> CompiledLoom:
    return with_config(compiled(name), None, name)


@pytest.fixture(scope="module")
def gcd() -> LoomDebugger:
    return loom("gcd.loomasm").debug()


@pytest.fixture(scope="module")
def bubble() -> LoomDebugger:
    return loom("bubble.c").debug()


def test_any_step_is_that_of_the_interpreter() -> None:
    """With marks every few steps, asked in any order."""
    program = compiled("hello.c")
    size = smallest(program)
    first = initial(program, size)
    engine = with_config(program, None, "hello.c").debug().recording._make
    session = LoomSession(size, engine(first))
    recording = LoomRecording(size, engine, first, interval=7)
    while not session.halted:
        with suppress(StepLimitError):
            session.run(3)
        recording.note(session, len(session.output))
    assert len(recording._checkpoints) > 3
    loom = Loom(program, size)
    held = [(0, list(loom.memory), 0)]
    while not loom.halted:
        loom.step()
        held.append((loom.pc, list(loom.memory), len(loom.output)))
    assert recording.length == len(held)
    for position in np.random.default_rng(2).permutation(recording.length).tolist():
        window = recording.window(position)
        assert window.start <= position < window.end
        pc, memory, put = held[position]
        assert window.row(position) == (pc, put)
        assert window.memory(position).tolist() == memory


def test_a_pass_is_a_step_of_the_reference_engine(bubble: LoomDebugger) -> None:
    steps = np.random.default_rng(3).integers(1, bubble.steps + 1, 6).tolist()
    for step in [1, *steps, bubble.steps]:
        engine = LoopedReference(bubble.model, bubble.recording.state(step - 1))
        engine.step()
        assert (bubble.look(step).states[-1] == engine.state).all()
        assert (bubble.recording.state(step) == engine.state).all()


def test_lookups_are_the_attention_of_the_tensors(bubble: LoomDebugger) -> None:
    """All scores of column 0, from the keys, in the layer's state."""
    heads = [(n, head) for n, layer in enumerate(bubble.model.layers) for head in layer.heads]
    for step in (1, 9, 40, bubble.steps):
        seen = bubble.look(step)
        assert len(seen.lookups) == len(heads)
        for lookup, (layer, head) in zip(seen.lookups, heads, strict=True):
            keys = head.key @ seen.states[layer]
            scores = keys.T @ keys[:, 0]
            best = scores == scores.max()
            assert lookup.layer == layer
            assert set(lookup.others) == set(np.flatnonzero(best).tolist()) - {0}
            assert lookup.margin == scores.max() - scores[~best].max() >= 1


def test_heads_that_are_used_read_what_the_instruction_names(bubble: LoomDebugger) -> None:
    seen = set()
    for step in range(1, 60):
        instr, memory = bubble.instr(step), bubble.memory(step)
        assert instr is not None
        for read in bubble.reads(step):
            if read.head in ("b", "c") and read.head in instr.op.imm:
                slot = getattr(instr, read.head)
                assert read.position == bubble.columns.of_slot(slot)
                assert read.says.endswith(f"= {bubble.columns.signed(memory[slot])}")
                seen.add(read.head)
            if read.head == "pc":
                assert read.says == str(instr)
    assert seen == {"b", "c"}


def test_a_write_goes_where_the_writing_head_is(bubble: LoomDebugger) -> None:
    for step in range(1, 60):
        reads = {read.head: read.position for read in bubble.reads(step)}
        for slot, _ in bubble.changes(step):
            assert bubble.columns.of_slot(slot) in (reads["write b"], reads.get("write c"))


def test_layers_fetch_and_write(gcd: LoomDebugger) -> None:
    layers = dict(gcd.layers(1))
    assert layers["layer 0 fetch"] == {"a": "1 (MOV)", "b": "35 (t)", "c": "33 (result)"}
    assert layers["layer 6 advance"]["pc"] == "193 (place 1)"
    assert layers["layer 7 clamp"] == {"t: memory": "84"}


def test_fields_of_a_column() -> None:
    names = ("b.1", "b.0", "pc.0", "flag", "left.1", "left.0")
    column = np.array([1, -1, 0, 2, 1, 3], dtype=float)
    assert fields(names, column) == {"b": 2, "flag": 2, "left": "1 3"}


def test_moving_by_lines_places_and_changes(gcd: LoomDebugger) -> None:
    gcd.go(1)
    gcd.breaks = [gcd.at_variable("b")]
    hit = gcd.forward(None)
    assert hit is not None and hit.name == "change of b"
    assert next(v.value for v in gcd.variables() if v.name == "b") != "36"
    first = gcd.cursor
    gcd.breaks = [gcd.at_instruction(6)]
    gcd.backward(None)
    assert gcd.pc() == 6 and gcd.cursor == first - 1
    gcd.breaks = []
    gcd.go(1)
    gcd.forward(gcd.other_line())
    assert gcd.line(gcd.pc()) == gcd.line_at(1)
    gcd.forward(None)
    assert gcd.cursor == gcd.steps + 1 and gcd.pc() == -1 and gcd.output() == b"M"
    for wrong in (lambda: gcd.at_variable("x"), lambda: gcd.at_write(999), lambda: gcd.go(0),
                  lambda: gcd.at_function("f"), lambda: gcd.look()):  # fmt: skip
        with pytest.raises(UsageError):
            wrong()


def test_a_view_is_json(bubble: LoomDebugger) -> None:
    view = view_of(bubble)
    for step in (1, 30, bubble.steps + 1):
        look = json.loads(json.dumps(view.look(step)))
        assert look["step"]["ended"] == (step > bubble.steps)
        assert look["state"]["words"]["values"][1:9] == [
            bubble.columns.signed(word) for word in bubble.memory(step)[1:9]
        ]
    used = {r["head"] for r in view.step(1)["reads"] if r["used"]}
    assert used == {read.head for read in bubble.reads(1)}
    columns = {t["position"] for t in view.tokens(1)["tokens"]}
    assert {r["token"] for r in view.step(1)["reads"] if r["used"]} <= columns


def test_an_edited_memory_is_what_the_run_begins_with() -> None:
    made = loom("gcd.c").debug(invoke="main", edits={1: 18})
    assert made.memory(1)[1] == 18 and made.result is not None and made.result.results == [18]
    with pytest.raises(UsageError, match="slots"):
        loom("gcd.c").debug(edits={400: 1})


def test_a_run_that_never_ends() -> None:
    from transputer.frontends.loomasm import assemble_loom

    made = with_config(assemble_loom("again:\n JMP again\n"), None, "a.loomasm").debug(
        max_steps=10_000
    )
    assert made.steps == 10_000 and made.result is None and made.pc(9_999) == 0


@pytest.mark.parametrize("other", ["oracle", "reference"])
def test_engines_agree(other: str) -> None:
    found = loom("gcd.c").diff(("native", other))
    assert found.difference is None and found.steps == 33


@pytest.mark.slow
def test_broken_weights_are_found_at_their_step() -> None:
    program = compiled("gcd.c")
    size = smallest(program)
    model = loom_model(size)
    tensors = dict(model.tensors())
    out = tensors["layer3.out"].copy()
    row = model.names.index("minuend.2")  # bit 2 of results is lost
    out[row] = 0
    tensors["layer3.out"] = out
    broken = model.with_tensors(tensors)
    found = loom("gcd.c").diff(("reference", "oracle"), weights=broken, max_steps=50)
    told = found.difference
    assert told is not None and told.what == "slots changed"
    ours = LoomSession(size, LoopedReference(broken, initial(program, size)))
    first = next(
        step for step, (one, other) in enumerate(
            zip(ours.records(50), Loom(program, size).records(50), strict=False), start=1
        ) if one != other
    )  # fmt: skip
    assert told.step == first and found.instruction == str(program.code[told.pc])
    with pytest.raises(UsageError, match="no engine"):
        loom("gcd.c").diff(("native", "lifted9"))


def test_a_trace_has_its_steps(gcd: LoomDebugger) -> None:
    steps = loom("gcd.loomasm").trace(limit=12)
    assert [s.number for s in steps] == list(range(1, 13))
    assert steps[0].writes == "t = 84" and steps[0].line == "gcd.loomasm:9"
    assert json.loads(json.dumps(steps[0].as_json()))["reads"][1]["position"] == 35
