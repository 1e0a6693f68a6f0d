"""The audit: checks every rule of the design on a machine's model."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic

from transputer.check.audit import loom
from transputer.check.audit.agreement import agreement
from transputer.check.audit.bounds import bounds
from transputer.check.audit.evidence import FULL, Effort, Evidence
from transputer.check.audit.installed import decoder_engines, looped_engines
from transputer.check.audit.mutation import mutation
from transputer.check.audit.oracles import oracles
from transputer.check.audit.semantics import semantics
from transputer.check.audit.state import state
from transputer.check.audit.survey import Progress, quiet
from transputer.check.audit.universal import universal
from transputer.check.audit.verdict import Rule, Subject, Verdict
from transputer.check.audit.workers import shared
from transputer.errors import UsageError
from transputer.machines.trace.universal import model
from transputer.model import load

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


#: Rules that start first: the one that takes longest, and two that share what engines decode.
FIRST = (5, 4, 2)


@dataclass(frozen=True, slots=True)
class MachineAudit(Generic[Subject]):
    """The rules for a machine, and the function that gathers the evidence."""

    rules: Mapping[int, Rule[Subject]]
    gather: Callable[[Path | None, int, bool, Progress], Subject]

    def verdicts(
        self,
        file: Path | None,
        seed: int,
        rules: Iterable[int],
        full: bool,
        progress: Progress,
    ) -> list[Verdict]:
        """Return the verdict on each of `rules`, or on all rules."""
        numbers = sorted(set(rules)) or list(self.rules)
        if unknown := [number for number in numbers if number not in self.rules]:
            first, last = min(self.rules), max(self.rules)
            raise UsageError(f"no rule {unknown[0]}; rules are {first} to {last}")
        progress("building the model")
        evidence = self.gather(file, seed, full, progress)
        if len(numbers) > 1:
            evidence.prepare()
        order = sorted(numbers, key=lambda n: FIRST.index(n) if n in FIRST else len(FIRST))
        verdicts = shared(evidence, [partial(self.rules[number], evidence) for number in order])
        return sorted(verdicts, key=lambda verdict: verdict.rule)


def _trace(file: Path | None, seed: int, full: bool, progress: Progress) -> Evidence:
    engines, absent = decoder_engines()
    audited = model()
    if file is not None:
        audited = load(file)
        if [part.name for part in audited.parts] != [part.name for part in model().parts]:
            raise UsageError(f"{file}: not a model of the trace machine, which the audit is for")
    samples = FULL if full else Effort()
    return Evidence(audited, engines, absent, effort=samples, seed=seed, progress=progress)


def _loom(file: Path | None, seed: int, full: bool, progress: Progress) -> loom.LoomEvidence:
    if file is not None:
        raise UsageError("the audit of the loom machine builds its own model; it takes no file")
    engines, absent = looped_engines()
    return loom.LoomEvidence(engines, absent, seed, loom.MUTANTS * (8 if full else 1), progress)


_AUDITS: dict[str, MachineAudit[Any]] = {
    "trace": MachineAudit(RULES, _trace),
    "loom": MachineAudit(loom.RULES, _loom),
}
#: Machines that can be audited.
AUDITED_MACHINES = tuple(_AUDITS)


def audit(
    machine: str = "trace",
    *,
    model: Path | None = None,
    seed: int,
    rules: Iterable[int] = (),
    full: bool = False,
    progress: Progress = quiet,
) -> list[Verdict]:
    """Return the verdict on each rule of the design, or on `rules`, with every installed engine.

    `model` is a file, instead of the model that is built; `full` takes larger samples, and
    many times as long. Raises `UsageError` for a rule that does not exist or a machine without an
    audit.
    """
    if machine not in _AUDITS:
        raise UsageError(f"the {machine} machine has no audit; {', '.join(_AUDITS)} have")
    return _AUDITS[machine].verdicts(model, seed, rules, full, progress)
