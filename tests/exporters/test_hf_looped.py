"""Folders of the looped machine for the transformers library: the states of our engines."""

import hashlib
from pathlib import Path

import numpy as np
import pytest

import transputer as tp
from transputer.engines.reference.looped import LoopedReference
from transputer.errors import UsageError
from transputer.exporters.hf_looped import SOURCES
from transputer.machines.loom.circuit import model as loom_model
from transputer.machines.loom.host import initial

pytest.importorskip("transformers")
import torch  # noqa: E402
from transformers import AutoModel  # noqa: E402

from tests.exporters.hf_folders import (  # noqa: E402
    PLACES,
    alone,
    has_our_sources,
    loaded_folder,
)
from tests.exporters.looped_run import Hash  # noqa: E402

ROOT = Path(__file__).parents[2]
#: Writes a letter per round, then returns the greatest common divisor.
SOURCE = """int a = 84, b = 36;
int main(void) {
    while (a != b) {
        putchar('.');
        if (a > b) a -= b; else b -= a;
    }
    return a;
}
"""


@pytest.fixture(scope="module")
def program() -> tp.Program:
    return tp.compile(source=SOURCE, kind="c", machine="loom", bits=16)


@pytest.fixture(scope="module")
def folder(program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hf") / "loom"
    program.export("hf", path)
    return path


@pytest.fixture(scope="module")
def loaded(folder: Path) -> tuple:
    return loaded_folder(folder, AutoModel)


def reference_hash(program) -> tuple[str, int]:
    """The hash and number of the states of the reference engine."""
    engine = LoopedReference(loom_model(program.config), initial(program.code, program.config))
    sha256, steps = hashlib.sha256(), 0
    while not engine.halted:
        engine.step()
        sha256.update(engine.state.astype(np.int32).tobytes())
        steps += 1
    return sha256.hexdigest(), steps


def test_the_code_is_that_of_the_engine(folder: Path) -> None:
    assert has_our_sources(folder, SOURCES)


def test_a_batch_of_runs_is_ours(loaded: tuple, program) -> None:
    model, tokenizer = loaded
    run = model.run(**tokenizer([None, {"a": 7, "b": 1}, {"a": 5, "b": 5}]))
    assert run.halted.all() and [tokenizer.results(one) for one in run.state] == [[12], [1], [5]]
    assert [len(text) for text in run.output] == [4, 6, 0] and set(run.output[1]) == {ord(".")}
    expected = program.run()
    assert (run.steps[0], run.output[0], expected.exit_code) == (
        expected.steps,
        expected.stdout,
        12,
    )
    assert tokenizer.variables(run.state[1])["a"] == [1]
    again = model.half().run(**tokenizer())  # keeps its type
    assert torch.equal(again.state[0], run.state[0])


def test_a_run_that_was_cut_has_not_halted(loaded: tuple) -> None:
    model, tokenizer = loaded
    run = model.run(**tokenizer(), max_steps=5)
    assert run.steps.tolist() == [5] and not run.halted.any()
    step = model(run.state, output_hidden_states=True)
    assert len(step.hidden_states) == model.config.num_hidden_layers + 1
    whole = model.run(**tokenizer(), max_steps=6)
    assert torch.equal(step.state, whole.state)


def test_what_does_not_fit_is_refused(loaded: tuple, program, tmp_path: Path) -> None:
    _, tokenizer = loaded
    with pytest.raises(ValueError, match="no variable 'x'; known: a, b"):
        tokenizer({"x": 1})
    with pytest.raises(ValueError, match="does not fit 16 bits"):
        tokenizer({"a": 1 << 16})
    with pytest.raises(ValueError, match="a has 1 words"):
        tokenizer({"a": [1, 2]})
    with pytest.raises(UsageError, match="omit the number type"):
        program.export("hf", tmp_path / "half", dtype="float16")


def test_a_trap_has_no_results(tmp_path: Path) -> None:
    source = "int a[2]; int i = 9999; int main(void) { return a[i]; }"
    program = tp.compile(source=source, kind="c", machine="loom", bits=16)
    program.export("hf", tmp_path / "trap")
    model, tokenizer = loaded_folder(tmp_path / "trap", AutoModel)
    run = model.run(**tokenizer())
    assert tokenizer.status(run.state[0]).startswith("TRAP") and program.run().trap is not None
    with pytest.raises(ValueError, match="no results: TRAP"):
        tokenizer.results(run.state[0])


@pytest.mark.parametrize("place", PLACES)
def test_accelerate_places_it(folder: Path, program, place: str) -> None:
    """Every state is that of the reference engine."""
    pytest.importorskip("accelerate")
    model, tokenizer = loaded_folder(folder, AutoModel, device_map=place)
    states = Hash()
    run = model.run(**tokenizer(), streamer=states)
    assert (states.sha256.hexdigest(), run.steps.item()) == reference_hash(program)


@pytest.mark.slow
def test_alone_every_state_is_ours(folder: Path, program) -> None:
    row = alone("looped_run.py", folder, 1000, "{}", '{"a": 7, "b": 1}')
    sha256, steps = reference_hash(program)
    # the first run halts before the second: its last state stays
    assert row["steps"][0] == steps and row["states"] == row["steps"][1] > steps
    assert row["results"] == [[12], [1]] and row["output"] == ["....", "......"]
    assert alone("looped_run.py", folder, 1000, "{}")["sha256"] == sha256
