"""The audit: checks every rule of the design on a machine's model."""

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

#: The rules for the trace machine's decoder, by number.
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
    """The rules for a machine, and the function that gathers the evidence."""

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
        """Return the verdict on each of `rules`, or on all rules."""
        numbers = sorted(set(rules)) or list(self.rules)
        if unknown := [number for number in numbers if number not in self.rules]:
            first, last = min(self.rules), max(self.rules)
            raise UsageError(f"no rule {unknown[0]}; rules are {first} to {last}")
        progress("building the model")
        evidence = self.gather(seconds, seed, mutants, progress)
        return [self.rules[number](evidence) for number in numbers]


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
    """Return the verdict on each rule of the design, or on `rules`, with every installed engine.

    `seconds` is the approximate duration; samples grow with it. `mutants` is the number of broken
    models to run. Raises `UsageError` for a rule that does not exist or a machine without an audit.
    """
    if machine not in _AUDITS:
        raise UsageError(f"the {machine} machine has no audit; {', '.join(_AUDITS)} have")
    return _AUDITS[machine].verdicts(seconds, seed, rules, mutants, progress)


def effort(seconds: float, mutants: int | None = None) -> Effort:
    """Return sample sizes that take about `seconds`, besides the corpus."""
    default = Effort()
    return Effort(
        _scaled(default.mutants, seconds) if mutants is None else mutants,
        _scaled(default.weights, seconds, 20),
        _scaled(default.prefixes, seconds, 2),
        default.steps,
    )


def _scaled(count: int, seconds: float, least: int = 1) -> int:
    return max(least, round(count * seconds / 60))
