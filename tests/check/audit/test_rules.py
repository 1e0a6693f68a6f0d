"""Every rule holds for the shipped model, and every check can fail."""

import os
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.check.audit import doctored
from tests.check.audit.doctored import facts_against, tiny
from transputer.check.audit.evidence import Effort, Evidence
from transputer.check.audit.installed import decoder_engines
from transputer.check.audit.run import RULES, MachineAudit
from transputer.check.audit.survey import nonzeros, weight
from transputer.check.audit.workers import shared
from transputer.errors import CapacityError, TransputerError
from transputer.machines.trace.universal import model
from transputer.model import Model, mutate


def failing(rule: int, evidence: Evidence) -> str:
    """The facts against a rule, which does not hold."""
    verdict = RULES[rule](evidence)
    assert not verdict.passed
    return "\n".join(fact for fact in verdict.facts if fact.startswith("NOT "))


def passes(rule: int, evidence: Evidence) -> None:
    verdict = RULES[rule](evidence)
    assert verdict.passed, verdict.facts


@pytest.mark.slow
def test_the_rules_hold_for_the_shipped_model() -> None:
    engines, absent = decoder_engines()
    evidence = Evidence(model(), engines, absent, effort=Effort(alone=3, weights=200))
    audit = MachineAudit(RULES, lambda *_: evidence)
    said: list[str] = []
    verdicts = audit.verdicts(None, 0, (), False, said.append)
    assert [v.rule for v in verdicts] == list(range(1, 8))
    assert not [fact for v in verdicts if not v.passed for fact in facts_against(v.facts)]
    assert all(v.passed for v in verdicts)
    assert all(len(v.facts) >= 3 for v in verdicts)


@pytest.mark.parametrize("threaded", [(), ("os",)])
def test_work_is_shared_between_processes(
    threaded: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every result comes back in order, every process reports, and an error is an error."""
    monkeypatch.setattr("transputer.check.audit.workers.THREADED", threaded)
    subject = SimpleNamespace(progress=(said := []).append)

    def job(number: int) -> tuple[int, int]:
        subject.progress(f"job {number}\nof 5")
        return number, os.getpid()

    done = shared(subject, [partial(job, n) for n in range(5)])
    assert [number for number, _ in done] == [0, 1, 2, 3, 4]
    shares = (os.cpu_count() or 1) > 1 and not threaded
    assert sorted(" ".join(text.split()) for text in said) == [f"job {n} of 5" for n in range(5)]
    assert (os.getpid() not in {process for _, process in done}) == shares
    with pytest.raises((TransputerError, ZeroDivisionError), match="division"):
        shared(subject, [lambda: 1 // 0, partial(job, 1)])


# Rule 1


def tree(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_suffix(".py").write_text(text)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, text, why",
    [
        ("engines__fast", "from transputer.isa.core import CORE", "imports transputer.isa.core"),
        ("engines__fast", "import transputer.machines.trace", "imports transputer.machines"),
        ("engines__fast", "# i32.add is done here", "says i32.add"),
        ("circuit__gadget", "KINDS = {'br_table': 3}", "says br_table"),
        ("api__run", "if name == 'i32.add': pass", "compares with 'i32.add'"),
        ("api__run", "if op.name in ('call', 'return'): pass", "compares with 'call'"),
        ("bench", "match name:\n    case 'halt':\n        pass", "compares with 'halt'"),
    ],
)
def test_sources_that_know_instructions(tmp_path: Path, name: str, text: str, why: str) -> None:
    evidence = tiny(source=tree(tmp_path, **{name: text}), model=felt_groups(model()))
    assert why in failing(1, evidence)


def test_sources_that_know_none(tmp_path: Path) -> None:
    files = {
        "engines__fast": "import numpy\nfrom transputer.model import Model\nname = 'output'",
        "machines__trace": "if name == 'i32.add': pass",
        "ir__verify": "if name == 'i32.add': pass",
        "api__run": "text = 'i32.add'\nif name == 'x': pass",
    }
    passes(1, tiny(source=tree(tmp_path, **files), model=felt_groups(model())))


def felt_groups(held: Model) -> Model:
    """The model with hints for only those groups that the small program needs."""
    kept = [g for g in held.hints["neurons"] if g["layer"] < 2 and g["group"] in ("usual", "idle")]
    return replace(held, hints={"neurons": kept, "heads": held.hints["heads"][1:2]})


@pytest.mark.slow
def test_a_group_that_does_nothing(tmp_path: Path) -> None:
    held = felt_groups(doctored.with_idle_neurons(3))
    evidence = tiny(source=tree(tmp_path, api__run=""), model=held)
    assert failing(1, evidence).endswith("silencing changes nothing: layer 1: idle")


def test_a_model_that_names_nothing(tmp_path: Path) -> None:
    evidence = tiny(source=tree(tmp_path, api__run=""), model=model().anonymous())
    assert "hints" in failing(1, evidence)


# Rule 2


@pytest.mark.slow
def test_an_engine_that_writes_into_the_weights() -> None:
    evidence = tiny(model=doctored.copied(), engines={"scribbling": doctored.Scribbling})
    against = failing(2, evidence)
    assert "after runs on scribbling" in against
    assert "after runs on reference" not in against


@pytest.mark.slow
def test_a_model_that_is_not_the_universal_one() -> None:
    tensors = model().tensors()
    table = tensors["embedding.op"].copy()
    table[255, 0] += 1  # an opcode that no program of today has
    special = model().with_tensors({**tensors, "embedding.op": table})
    assert "built again from the circuit" in failing(2, tiny(model=special))


@pytest.mark.slow
def test_a_program_that_is_not_in_the_prompt() -> None:
    """A model that adds whatever the prompt says fails on the instruction it does not read."""
    tensors = model().tensors()
    output = np.zeros_like(tensors["layer0.head1.output"])
    deaf = model().with_tensors({**tensors, "layer0.head1.output": output})
    evidence = tiny(model=deaf)
    evidence.played = tiny().played
    assert "replaced without effect" in failing(2, evidence)


# Rule 3


@pytest.mark.slow
@pytest.mark.parametrize("cheat", [doctored.Peeking, doctored.Shared])
def test_an_engine_with_a_state_of_its_own(cheat: Any) -> None:
    against = failing(3, tiny(engines={"cheat": cheat}))
    assert against.startswith("NOT cheat: 3 prefixes")
    assert len(against.splitlines()) == 1


@pytest.mark.slow
def test_a_model_whose_ties_decide() -> None:
    assert "smallest margin of a winner is 0" in failing(3, tiny(model=doctored.without_recency()))


# Rule 4


@pytest.mark.slow
def test_an_engine_that_is_nearly_right() -> None:
    assert "careless decodes the same" in failing(4, tiny(engines={"careless": doctored.Careless}))


@pytest.mark.slow
def test_an_engine_that_fails() -> None:
    refusing = tiny(engines={"literate": doctored.Literate}, model=model().anonymous())
    assert "which lane is the program counter?" in failing(4, refusing)


@pytest.mark.slow
def test_a_truncated_run_that_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("transputer.check.audit.agreement.play", lambda *args, **how: None)
    assert "cut off after 5 steps" in failing(4, tiny())


# Rule 5


def only_mutants(evidence: Evidence) -> Evidence:
    """Without the question of dead weights, which a small program cannot answer."""
    evidence.weights = []
    return evidence


def few(evidence: Evidence, *kinds: str) -> Evidence:
    """The same with broken weights of some strata only."""
    chosen = [b for b in evidence.breakages if b.stratum.name in kinds]
    evidence.breakages = chosen
    return only_mutants(evidence)


HEAD = ("layer1.head2.key", "layer1.head2.value", "layer1.head2.output")


@pytest.mark.slow
def test_broken_weights_that_break_every_engine_alike() -> None:
    passes(5, few(tiny(engines={"other": doctored.Reference}), *HEAD))


@pytest.mark.slow
@pytest.mark.parametrize("cheat", [doctored.Hiding, doctored.Suspicious])
def test_an_engine_that_knows_its_weights(cheat: Any) -> None:
    evidence = few(tiny(engines={"cheat": cheat}), *HEAD)
    assert "NOT cheat decodes what the broken weights say" in failing(5, evidence)


@pytest.mark.slow
def test_an_engine_with_its_own_rule_for_ties() -> None:
    """No tie decides in the shipped model, so only broken ones tell."""
    engines = {"earliest": doctored.Earliest}
    passes(4, tiny(engines=engines))
    against = failing(5, few(tiny(engines=engines), *HEAD))
    assert "NOT earliest decodes what the broken weights say: position" in against


@pytest.mark.slow
def test_broken_models_that_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(model: Model) -> None:
        raise CapacityError("too large")

    monkeypatch.setattr("transputer.check.audit.breakages.verify", refuse)
    against = failing(5, few(tiny(), *HEAD))
    assert "0 of 3 models with one broken weight run (0%" in against


@pytest.mark.slow
def test_an_engine_that_needs_names() -> None:
    evidence = few(tiny(engines={"literate": doctored.Literate}))
    assert "which lane is the program counter?" in failing(5, evidence)


@pytest.mark.slow
def test_chance_is_repeatable() -> None:
    first, again, other = (tiny(seed=seed).breakages for seed in (1, 1, 2))
    assert first == again != other


@pytest.mark.slow
def test_a_model_with_dead_neurons() -> None:
    """A small program needs few weights; the dead ones are asked about on top of those."""
    held = doctored.with_idle_neurons(2)
    idle = [weight(*place) for place in nonzeros(held) if place[0] == "layer1.gate"][-2:]
    evidence = few(tiny(model=held, effort=Effort(weights=400)), *HEAD)
    del evidence.weights
    alive = [change for change in evidence.weights if change in evidence.survey.felt]
    assert len(alive) > 4
    evidence.weights = alive
    passes(5, evidence)
    evidence.weights = [*alive, *idle * len(alive)]
    assert "change nothing" in failing(5, evidence)


# Rule 6


def test_a_model_beyond_its_bounds() -> None:
    tensors = model().tensors()
    query = tensors["layer1.head0.query"] * 3.0**15
    large = model().with_tensors({**tensors, "layer1.head0.query": query})
    assert "CapacityError: layer1.head0.query" in failing(6, tiny(model=large))


@pytest.mark.slow
def test_an_engine_that_forgets_its_context() -> None:
    against = failing(6, tiny(engines={"endless": doctored.Endless}))
    assert against == "NOT token 17 of a context of 16 on endless is refused"


# Rule 7


def test_weights_that_compute_something_else() -> None:
    places = list(nonzeros(model()))
    which = next(
        i for i, (name, index) in enumerate(places) if name == "output.value0" and index[0] == 7
    )
    special = tiny(model=mutate(model(), which, "negate"))
    against = failing(7, special)
    assert "wasmtime" in against and "our interpreter" in against
