"""Random modules through the weights, against wasmtime and the oracle."""

import numpy as np
from click.testing import CliRunner

from transputer.check.audit.fuzz import TYPES, campaign, main, weighed
from transputer.check.fuzz.choose import Seeded
from transputer.check.fuzz.modules import case
from transputer.engines.native.decoder import Native
from transputer.machines.trace.circuit import model
from transputer.model import Model


def test_the_weights_agree_on_random_modules() -> None:
    total = campaign(range(12), "native")
    assert [failure.problem for failure in total.failures] == []
    assert total.modules == 12
    assert total.returned > 20
    assert total.traps


def test_the_reference_engine_agrees() -> None:
    ran = CliRunner().invoke(main, ["--modules", "1", "--seed", "3", "--engine", "reference"])
    assert ran.exit_code == 0, ran.output
    assert "mismatches    0" in ran.output


def without_carries() -> Model:
    """A model that adds bytes and forgets what is carried from the first to the second."""
    tensors = model().tensors()
    (group,) = [g for g in model().hints["neurons"] if g["group"] == "add"]
    name = f"layer{group['layer']}.out"
    out = tensors[name].copy()
    out[:, group["first"] : group["first"] + group["count"]] = np.maximum(
        out[:, group["first"] : group["first"] + group["count"]], 0
    )
    return model().with_tensors({**tensors, name: out})


def test_wrong_weights_are_noticed() -> None:
    broken = without_carries()
    cases = [case(Seeded(seed), TYPES) for seed in range(6)]
    problems = [weighed(made, lambda: Native(broken)).problem for made in cases]
    assert any("the weights" in problem for problem in problems)
