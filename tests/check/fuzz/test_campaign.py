"""Kinds of case: each agrees, shows a planted difference, and covers every seed."""

from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from transputer.check.fuzz.campaign import Failure, Tally
from transputer.check.fuzz.choose import Seeded
from transputer.check.fuzz.kinds import (
    KINDS,
    try_lowering,
    try_module,
    try_modules,
    try_mutation,
    try_mutations,
)
from transputer.check.fuzz.modules import case
from transputer.check.fuzz.regressions import parse_case
from transputer.check.fuzz.run import FUZZ_KINDS, batches, fuzz, fuzz_compared, replay
from transputer.check.fuzz.weights import examine_weights
from transputer.engines.native.decoder import Native
from transputer.errors import UsageError
from transputer.host.memory import LinearMemory
from transputer.machines.trace.universal import model
from transputer.model import Model


def test_the_weights_agree_on_random_modules() -> None:
    total = try_modules(range(12), "native")
    assert [failure.problem for failure in total.failures] == []
    assert total.cases == Counter(modules=12)
    assert total.returned > 20
    assert total.traps


@pytest.mark.slow
def test_the_weights_agree_on_more_random_modules() -> None:
    total = try_modules(range(50_000, 50_024), "native")
    assert [failure.problem for failure in total.failures] == []


def test_the_reference_engine_agrees() -> None:
    assert try_modules(range(3, 4), "reference").failures == []


def test_lowering_and_mutations_agree() -> None:
    lowered, damaged = try_lowering(range(4, 9), ""), try_mutations(range(30), "")
    assert (lowered.cases, lowered.failures) == (Counter(lowering=5), [])
    assert (damaged.cases, damaged.failures) == (Counter(mutations=30), [])
    assert damaged.outcomes.total() == 30 and len(damaged.outcomes) > 1


def test_processes_share_the_work() -> None:
    def total(jobs: int) -> Tally:
        tally = Tally()
        for batch in fuzz(kind="mutations", count=20, seed=9, jobs=jobs):
            tally.add(batch)
        return tally

    alone, shared = total(1), total(2)
    assert shared.cases == alone.cases == Counter(mutations=20)
    assert (shared.outcomes, shared.failures) == (alone.outcomes, [])


def without_sums() -> Model:
    """A model whose sums are all 0."""
    tensors = model().tensors()
    for group in (g for g in model().hints["neurons"] if g["group"] == "add"):
        name, first = f"layer{group['layer']}.out", group["first"]
        out = tensors[name].copy()
        out[:, first : first + group["count"]] = 0
        tensors = {**tensors, name: out}
    return model().with_tensors(tensors)


@pytest.mark.slow
def test_wrong_weights_are_noticed() -> None:
    make = partial(Native, without_sums())
    problems = [examine_weights(case(Seeded(seed)), make).problem for seed in range(6)]
    assert any("the weights" in problem for problem in problems)


@pytest.mark.slow
def test_a_difference_is_shrunk_and_replayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = property(lambda self: self.tries < 1960)
    monkeypatch.setattr("transputer.check.fuzz.shrink.ShrinkBudget.spent", few)
    with monkeypatch.context() as fault:
        fault.setattr(LinearMemory, "grow", lambda self, pages: -1)
        failure = next(f for seed in range(1, 40) for f in try_lowering([seed], "").failures)
    file = tmp_path / failure.name
    file.write_bytes(failure.content)
    seed = file.stem.removeprefix("lowering-")
    assert failure.reproduce == f"--kind lowering --count 1 --seed {seed}"
    assert failure.again(str(file)) == f"--replay {file}"
    small = parse_case(file.read_text()).module
    large = case(Seeded(int(seed))).module
    assert sum(len(f.body) for f in small.functions) < sum(len(f.body) for f in large.functions)
    assert replay(file) == ""


def test_an_exception_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(data: bytes) -> None:
        raise RecursionError("too deep")

    with monkeypatch.context() as fault:
        fault.setattr("transputer.check.fuzz.verdicts.decode", broken)
        (failure,) = try_mutation(1).failures
    assert failure.problem == "RecursionError: too deep"
    assert failure.name == "mutation-1.wasm"
    (tmp_path / failure.name).write_bytes(failure.content)
    assert replay(tmp_path / failure.name) == ""


def test_a_hang_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def forever(made: object, steps: int = 0) -> None:
        while True:
            pass

    monkeypatch.setattr("transputer.check.fuzz.campaign.TIME_LIMIT", 1)
    monkeypatch.setattr("transputer.check.fuzz.kinds.smaller_case", lambda made, shows: made)
    (failure,) = try_module("lowering", 1, forever).failures  # type: ignore[arg-type]
    assert failure.problem == "TimeoutError: not finished after 1 s"


def test_what_cannot_be_replayed_is_reproduced_by_its_seed() -> None:
    failure = Failure("loom: 1; C: 2", "--kind smallc --count 1 --seed 3", "smallc-3.txt", b"")
    assert failure.again("here/smallc-3.txt") == "--kind smallc --count 1 --seed 3"


def test_batches_cover_every_seed() -> None:
    work = list(batches("all", 25, 108, "native"))
    for kind in KINDS:
        seeds = [s for b in work if b.kind == kind for s in range(b.first, b.end)]
        assert seeds == list(range(108, 133))
    assert {b.end % 10 for b in work if b.end < 133} == {0}


def test_kinds_that_are_none() -> None:
    with pytest.raises(UsageError, match="no kind 'rust'; available: modules, c, lowering"):
        next(fuzz(kind="rust", count=1))
    assert (*KINDS, "all") == FUZZ_KINDS


def test_all_that_takes_part_is_named() -> None:
    assert fuzz_compared("native", "modules") == ["wasmtime", "oracle", "weights (native)"]
    assert {"wasmtime", "verifier", "core code", "loom", "soft"} <= set(fuzz_compared("native"))
