"""`transputer audit`."""

import json
from pathlib import Path
from typing import Any

import pytest

from transputer.check.audit.dead import DeadWeight, DeadWeights
from transputer.check.audit.run import audit
from transputer.check.audit.verdict import Verdict
from transputer.errors import UsageError

HOLDS = Verdict(3, "No hidden state", True, ["168,440 lookups", "7,185 tokens"], 1.25)
FAILS = Verdict(5, "Mutation honesty", False, ["NOT 300 weights: 19 change nothing"], 2.0)


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the command was told, and the verdicts it gets."""
    told: dict[str, Any] = {"verdicts": [HOLDS]}

    def audit(machine: str, **how: Any) -> list[Verdict]:
        told.update(how, machine=machine)
        how["progress"]("something")
        return told["verdicts"]

    monkeypatch.setattr("transputer.api.audit", audit)
    return told


def test_a_verdict_per_rule(cli: Any, found: dict[str, Any]) -> None:
    ran = cli("audit", "x.safetensors", "--seed", "7", "--rule", "3", "--full", "--machine", "loom")
    assert (found["machine"], found["model"]) == ("loom", Path("x.safetensors"))
    assert (ran.code, found["seed"], found["rules"], found["full"]) == (0, 7, (3,), True)
    assert ran.out.splitlines()[:3] == [
        "holds  rule 3: No hidden state",
        "         168,440 lookups",
        "         7,185 tokens",
    ]
    assert ran.out.splitlines()[-1].startswith("every rule holds (1 checked with seed 7 in ")


def test_a_rule_that_fails(cli: Any, found: dict[str, Any]) -> None:
    found["verdicts"] = [HOLDS, FAILS]
    ran = cli("audit")
    assert ran.code == 1
    assert "FAILS  rule 5: Mutation honesty\n         NOT 300 weights" in ran.out
    assert "rules that fail: 5" in ran.out


def test_json(cli: Any, found: dict[str, Any]) -> None:
    found["verdicts"] = [HOLDS, FAILS]
    ran = cli("audit", "--json")
    told = json.loads(ran.out)
    assert (ran.code, told["passed"], told["seed"]) == (1, False, found["seed"])
    assert json.loads(cli("audit", "--json").out)["seed"] != told["seed"]
    assert told["verdicts"][0] == {
        "rule": 3,
        "title": "No hidden state",
        "passed": True,
        "facts": ["168,440 lookups", "7,185 tokens"],
        "seconds": 1.25,
    }


def test_a_rule_that_does_not_exist(cli: Any) -> None:
    ran = cli("audit", "--rule", "8")
    assert (ran.code, ran.out) == (2, "")
    assert "no rule 8; rules are 1 to 7" in ran.err


def test_a_file_that_is_no_model_of_the_machine(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "x.safetensors"
    file.write_bytes(b"nothing")
    for options in ((), ("--machine", "loom"), ("--dead",)):
        ran = cli("audit", str(file), *options)
        assert ran.code in (2, 4) and ran.err.count("\n") == 1, ran.err


@pytest.mark.parametrize("machine", ["trace", "loom"])
def test_every_machine_has_the_same_rules(machine: str) -> None:
    with pytest.raises(UsageError, match="no rule 8; rules are 1 to 7"):
        audit(machine, seed=0, rules=[8])


def test_a_machine_without_an_audit() -> None:
    with pytest.raises(UsageError, match="the soft machine has no audit; trace, loom have"):
        audit("soft", seed=0)


def test_a_list_of_dead_weights_without_the_search(cli: Any, tmp_path: Path) -> None:
    ran = cli("audit", "--resume", str(tmp_path / "dead.json"))
    assert ran.code == 2 and "goes with --dead" in ran.err


@pytest.mark.parametrize("tried, code", [(10, 1), (100, 0)])
def test_dead_weights(cli: Any, monkeypatch: pytest.MonkeyPatch, tried: int, code: int) -> None:
    weights = DeadWeights(tried, 20, (DeadWeight("layer0.gate", (1, 2), -3.0, "layer 0, wrap"),))
    monkeypatch.setattr("transputer.cli.audit.dead_weights", lambda progress, resume: weights)
    ran = cli("audit", "--dead", "--list")
    assert ran.code == code
    assert ran.out.splitlines() == [
        "     1  layer 0, wrap",
        "layer0.gate[1, 2] = -3  layer 0, wrap",
        f"1 of {tried} weights outside the tables change nothing on 20 decoded tokens: "
        f"{1 / tried:.2%}",
    ]
    assert json.loads(cli("audit", "--dead", "--json").out) == {
        "tried": tried,
        "dead": 1,
        "share": 1 / tried,
        "groups": {"layer 0, wrap": 1},
    }
