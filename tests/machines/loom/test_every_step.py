"""The comparison of every step: that it makes all steps, and that it notices what is wrong."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.machines.loom.every_step import (
    Found,
    follow,
    follow_in_batches,
    interpreter,
    main,
    runner,
)
from tests.machines.loom.interpreted import BY_NAME, Trail
from tests.machines.loom.steps_page import MARKS, PAGE, kept, replaced, table
from transputer.machines.loom.circuit import model
from transputer.model import Looped, mutate

ENGINES = [("reference", "hard"), ("reference", "softmax"), ("onnx", "softmax")]
ENGINES += [("torch", "hard"), ("torch", "softmax")]
#: A weight of the machine of `NAME` without which the program goes another way.
NAME, WEIGHT = "bits", 1585


def compared(engine: str, attention: str, trail: Trail, held: Looped | None = None) -> Found:
    """All of a trail in one stretch."""
    oracle = interpreter(NAME)
    held = held or model(oracle.config)
    if engine == "torch":
        pytest.importorskip("torch").set_num_threads(1)
        from transputer.engines.torch.looped import LoopedModule

        return follow_in_batches(oracle, LoopedModule(held, attention), trail, 4)
    if engine == "onnx":
        pytest.importorskip("onnx")
        pytest.importorskip("onnxruntime")
    return follow(oracle, runner(held, oracle.start, engine, attention), trail)


@pytest.mark.parametrize("engine, attention", ENGINES)
def test_a_changed_weight_is_noticed(engine: str, attention: str) -> None:
    trail, held = Trail.of(BY_NAME[NAME]), model(interpreter(NAME).config)
    right = compared(engine, attention, trail)
    wrong = compared(engine, attention, trail, mutate(held, WEIGHT, "zero"))
    assert (right.compared, right.mismatches, right.first) == (len(trail.steps), 0, None)
    assert wrong.compared == len(trail.steps) and wrong.mismatches > 0 and wrong.first


@pytest.mark.parametrize("engine, attention", ENGINES)
@pytest.mark.parametrize("what", ["words", "places", "flags"])
def test_one_bit_of_one_state_is_noticed(engine: str, attention: str, what: str) -> None:
    """And only after its step: an engine goes on from its own state, which is right."""
    trail = Trail.of(BY_NAME[NAME])
    lie = getattr(trail, what).copy()
    lie.reshape(len(lie), -1)[20, -1] ^= 1
    found = compared(engine, attention, replace(trail, **{what: lie}))
    assert (found.mismatches, found.first) == (1, 20)


@pytest.mark.parametrize("name", ["bits", "snake", "leap_years"])
@pytest.mark.parametrize("longest", [1, 7, 64, 10_000])
def test_stretches_are_all_steps_once(name: str, longest: int) -> None:
    trail = Trail.of(BY_NAME[name])
    pieces = trail.stretches(longest)
    rows = np.concatenate([first + np.arange(steps) for first, steps in pieces])
    assert np.array_equal(np.sort(rows), trail.steps)
    assert max(steps for _, steps in pieces) <= longest
    assert len(trail.places) == len(trail.steps) + len(BY_NAME[name].ticks)


def test_some_steps_are_spread_over_the_run() -> None:
    trail = Trail.of(BY_NAME["leap_years"])
    pieces = trail.stretches(64, 10)
    assert sum(steps for _, steps in pieces) == 10
    assert pieces[0][0] == 0 and pieces[-1][0] == trail.steps[-1]


def test_a_trail_has_the_states_of_the_interpreter() -> None:
    """The quick way to go on makes the steps of the one with records."""
    case = BY_NAME["snake"]
    trail, oracle, row = Trail.of(case), interpreter("snake"), 0
    for tick in case.ticks:
        oracle.begin(tick)
        while True:
            seen = (list(trail.words[row]), trail.places[row], tuple(trail.flags[row]))
            assert seen == (oracle.loom.memory, oracle.place, oracle.flags), row
            row += 1
            if oracle.loom.halted:
                break
            oracle.step()
    assert row == len(trail.places)


def test_the_file_says_what_was_compared(tmp_path: Path) -> None:
    file = tmp_path / "found.json"
    asked = ["reference", "--programs", "bits", "snake", "--at-most", "snake=3"]
    assert main([*asked, "--jobs", "1", "--commit", "abc", "--to", str(file)]) == 0
    said = json.loads(file.read_text())
    assert said["machine"]["commit"] == "abc" and said["attention"] == "softmax"
    assert [(one["program"], one["compared"]) for one in said["programs"]] == [
        *(("bits", 50), ("snake", 3)),
    ]
    assert [one["steps"] for one in said["programs"]] == [50, 1150]
    assert not any(one["mismatches"] for one in said["programs"])


def test_a_run_cut_short_is_no_pass(tmp_path: Path) -> None:
    file = tmp_path / "found.json"
    assert main(["reference", "--programs", "bits", "--seconds", "0", "--to", str(file)]) == 3
    (bits,) = json.loads(file.read_text())["programs"]
    assert bits["compared"] == 0


def test_the_page_has_what_was_measured() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == replaced(page, table(kept()))
    assert not any(one["mismatches"] for run in kept() for one in run["programs"])


def test_a_table_says_what_is_missing() -> None:
    parts = {"steps": 1200, "compared": 1200, "mismatches": 0}, {"steps": 9, "compared": 3}
    programs = [dict(program="a") | parts[0], dict(program="b", mismatches=1) | parts[1]]
    held = {"cpu": "chip", "cores": 2, "commit": "abc"}
    run = {"engine": "onnx", "attention": "softmax", "device": "chip", "jobs": 4, "version": "1"}
    said = table([{**run, "machine": held, "seconds": 7.4, "programs": programs}])
    assert "| `onnx` | softmax | 4 processes | 1 of 2 | 1,203 | 1,209 | 1 | 7 |\n" in said
    assert "(softmax): 3 of 9 in b." in said and "commit abc." in said
    assert said in replaced(f"x\n{''.join(MARKS)}y\n", said)
