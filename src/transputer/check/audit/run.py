"""The audit: every rule of the design, checked one after another."""

from collections.abc import Callable, Iterable, Mapping

from transputer.check.audit.agreement import agreement
from transputer.check.audit.bounds import bounds
from transputer.check.audit.evidence import Effort, Evidence, MakeEngine
from transputer.check.audit.mutation import mutation
from transputer.check.audit.oracles import oracles
from transputer.check.audit.semantics import semantics
from transputer.check.audit.state import state
from transputer.check.audit.survey import quiet
from transputer.check.audit.universal import universal
from transputer.check.audit.verdict import Rule, Verdict
from transputer.errors import UsageError
from transputer.machines.trace.circuit import model

#: Every rule by its number.
RULES: dict[int, Rule[Evidence]] = {
    1: semantics,
    2: universal,
    3: state,
    4: agreement,
    5: mutation,
    6: bounds,
    7: oracles,
}


def audit(
    seconds: float = 60.0,
    seed: int = 0,
    engines: Mapping[str, MakeEngine] | None = None,
    absent: Mapping[str, str] | None = None,
    rules: Iterable[int] = (),
    mutants: int | None = None,
    progress: Callable[[str], None] = quiet,
) -> list[Verdict]:
    """The verdict on each rule, or on these, for the shipped model.

    `seconds` is about how long it may take: samples grow with it; `mutants` sets how many
    broken models run. `engines` are compared with reference, `absent` says why others are not.
    Raises `UsageError` for a rule that does not exist.
    """
    chosen = numbers(rules)
    progress("building the model")
    evidence = Evidence(
        model(),
        engines or {},
        absent or {},
        effort=effort(seconds, mutants),
        seed=seed,
        progress=progress,
    )
    return [RULES[number](evidence) for number in chosen]


def numbers(rules: Iterable[int]) -> list[int]:
    """These rules, or all; raises `UsageError` for one that does not exist."""
    chosen = sorted(set(rules)) or list(RULES)
    if unknown := [number for number in chosen if number not in RULES]:
        raise UsageError(f"there is no rule {unknown[0]}; there are {min(RULES)} to {max(RULES)}")
    return chosen


def effort(seconds: float, mutants: int | None = None) -> Effort:
    """Samples that take about so long, apart from the corpus itself."""
    share = seconds / 60
    usual = Effort()
    return Effort(
        max(1, round(usual.mutants * share)) if mutants is None else mutants,
        max(20, round(usual.weights * share)),
        max(2, round(usual.prefixes * share)),
        usual.steps,
    )
