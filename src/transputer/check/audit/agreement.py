"""Rule 4: engines agree to the bit, and a truncated run is an error."""

from collections.abc import Iterator

from transputer.check.audit.corpus import CorpusProgram
from transputer.check.audit.evidence import Evidence, MakeEngine
from transputer.check.audit.play import MirroredSession, Played, Screen, core_code, play
from transputer.check.audit.verdict import Fact, rule, some
from transputer.engines.reference.decoder import Reference
from transputer.errors import StepLimitError

#: Steps of the truncated run.
FEW = 5
#: Longest program that engines with dense weights decode, in tokens.
SHORT = 300


@rule(4, "Engines agree to the bit")
def agreement(evidence: Evidence) -> Iterator[Fact]:
    """SHA-256 of all decoded tokens, engine by engine; and positions all at once."""
    programs, steps = len(evidence.played), sum(p.recording.steps for p in evidence.played)
    calls = sum(len(case.calls) for case in evidence.cases)
    fastest = evidence.fastest
    yield Fact(f"{programs} programs, {calls} calls, {steps:,} decoded tokens on {fastest}")
    for name in evidence.engines:
        if name != fastest:
            yield _compared(evidence, name)
    for name, why in evidence.absent.items():
        yield Fact(f"{name} is not here: {why}")
    survey = evidence.survey
    text = f"all positions of a session in one pass: {survey.decoded:,} decoded tokens"
    if survey.wrong:
        yield Fact(f"{text} are those that were decoded: {some(survey.wrong)}", False)
    else:
        yield Fact(f"{text} are the same, summed in another order")
    yield _truncated(evidence)


def _short(evidence: Evidence) -> list[tuple[CorpusProgram, Played]]:
    pairs = zip(evidence.cases, evidence.played, strict=True)
    return [(case, played) for case, played in pairs if len(played.recording.tokens) <= SHORT]


def different(evidence: Evidence, name: str) -> list[str]:
    """Return the short programs that an engine decodes differently; it decodes them only once."""
    if name not in evidence.different:
        evidence.different[name] = _different(evidence, name, evidence.engines[name])
    return evidence.different[name]


def _different(evidence: Evidence, name: str, make: MakeEngine) -> list[str]:
    wrong = []
    for case, played in _short(evidence):
        evidence.progress(f"{case.name} on {name}")
        try:
            session = MirroredSession(make(evidence.model), Screen(case.stdin), case.frames)
            instance, _ = session.load(core_code(case))
            for export, args in case.calls:
                session.invoke(instance, export, args)
            if session.trace.tape.digest() != played.recording.digest():
                wrong.append(case.name)
        except Exception as error:  # whatever it is, these are not the same tokens
            wrong.append(f"{case.name} ({error})")
    return wrong


def _compared(evidence: Evidence, name: str) -> Fact:
    """Compare the short programs; the survey checks all positions of the long ones."""
    if wrong := different(evidence, name):
        return Fact(f"{name} decodes the same tokens: {some(wrong)}", False)
    steps = [played.recording.steps for _, played in _short(evidence)]
    return Fact(
        f"{name}: the same SHA-256 for {len(steps)} programs of at most {SHORT} tokens, "
        f"{sum(steps):,} decoded",
        bool(steps),
    )


def _truncated(evidence: Evidence) -> Fact:
    """Return the fact that a truncated run raises an error and returns no result."""
    case = evidence.cases[0]
    try:
        play(case, Reference(evidence.model), max_steps=FEW)
    except StepLimitError as error:
        return Fact(f"a run cut off after {FEW} steps is an error, exit code {error.exit_code}")
    return Fact(f"a run cut off after {FEW} steps is an error", False)
