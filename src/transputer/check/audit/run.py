"""The audit: every rule of the design, checked one after another on a machine's model."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic

from transputer.check.audit import loom
from transputer.check.audit.agreement import agreement
from transputer.check.audit.bounds import bounds
from transputer.check.audit.evidence import Effort, Evidence
from transputer.check.audit.installed import decoder_engines, looped_engines
from transputer.check.audit.mutation import mutation
from transputer.check.audit.oracles import oracles
from transputer.check.audit.semantics import semantics
from transputer.check.audit.state import state
from transputer.check.audit.survey import Progress, quiet
from transputer.check.audit.universal import universal
from transputer.check.audit.verdict import Rule, Subject, Verdict
from transputer.errors import UsageError
from transputer.machines.trace.circuit import model

#: The rules as they read for the trace machine's decoder, by number.
RULES: dict[int, Rule[Evidence]] = {
    1: semantics,
    2: universal,
    3: state,
    4: agreement,
    5: mutation,
    6: bounds,
    7: oracles,
}


@dataclass(frozen=True, slots=True)
class MachineAudit(Generic[Subject]):
    """The rules as they read for a machine, and how the evidence for them is gathered."""

    rules: Mapping[int, Rule[Subject]]
    gather: Callable[[float, int, int | None, Progress], Subject]

    def verdicts(
        self,
        seconds: float,
        seed: int,
        rules: Iterable[int],
        mutants: int | None,
        progress: Progress,
    ) -> list[Verdict]:
        """The verdict on each of the rules, or on all."""
        chosen = sorted(set(rules)) or list(self.rules)
        if unknown := [number for number in chosen if number not in self.rules]:
            first, last = min(self.rules), max(self.rules)
            raise UsageError(f"there is no rule {unknown[0]}; there are {first} to {last}")
        progress("building the model")
        evidence = self.gather(seconds, seed, mutants, progress)
        return [self.rules[number](evidence) for number in chosen]


def _trace(seconds: float, seed: int, mutants: int | None, progress: Progress) -> Evidence:
    engines, absent = decoder_engines()
    samples = effort(seconds, mutants)
    return Evidence(model(), engines, absent, effort=samples, seed=seed, progress=progress)


def _loom(seconds: float, seed: int, mutants: int | None, progress: Progress) -> loom.LoomEvidence:
    engines, absent = looped_engines()
    count = _scaled(loom.MUTANTS, seconds) if mutants is None else mutants
    return loom.LoomEvidence(engines, absent, seed, count, progress)


_AUDITS: dict[str, MachineAudit[Any]] = {
    "trace": MachineAudit(RULES, _trace),
    "loom": MachineAudit(loom.RULES, _loom),
}
#: Machines that can be audited.
AUDITED_MACHINES = tuple(_AUDITS)


def audit(
    machine: str = "trace",
    *,
    seconds: float = 60.0,
    seed: int = 0,
    rules: Iterable[int] = (),
    mutants: int | None = None,
    progress: Progress = quiet,
) -> list[Verdict]:
    """The verdict on each rule of the design, or on `rules`, with every installed engine.

    `seconds` is about how long it takes: samples grow with it. `mutants` is the number of broken
    models that run. Raises `UsageError` for a rule that does not exist or a machine without an
    audit.
    """
    if machine not in _AUDITS:
        raise UsageError(f"the {machine} machine has no audit; {', '.join(_AUDITS)} have")
    return _AUDITS[machine].verdicts(seconds, seed, rules, mutants, progress)


def effort(seconds: float, mutants: int | None = None) -> Effort:
    """Samples that take about `seconds`, apart from the corpus itself."""
    usual = Effort()
    return Effort(
        _scaled(usual.mutants, seconds) if mutants is None else mutants,
        _scaled(usual.weights, seconds, 20),
        _scaled(usual.prefixes, seconds, 2),
        usual.steps,
    )


def _scaled(count: int, seconds: float, least: int = 1) -> int:
    return max(least, round(count * seconds / 60))
