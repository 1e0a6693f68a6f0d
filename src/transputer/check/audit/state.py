"""Rule 3: no hidden state, and no tie decides."""

from collections.abc import Iterator

from transputer.check.audit.evidence import Evidence, MakeEngine
from transputer.check.audit.play import TokenRecording
from transputer.check.audit.verdict import Fact, rule, some

#: Longest prefix that is replayed, in tokens.
LONG = 200
Prefix = tuple[TokenRecording, int]


@rule(3, "No hidden state; no tie decides")
def state(evidence: Evidence) -> Iterator[Fact]:
    """The tokens so far decide the next one, whoever appended them; by a clear margin."""
    prefixes = _prefixes(evidence)
    for name, make in evidence.engines.items():
        evidence.progress(f"replay on {name}")
        yield _replayed(evidence, name, make, prefixes)
    survey = evidence.survey
    yield Fact(
        f"{survey.lookups:,} lookups of heads: the smallest margin of a winner is "
        f"{survey.head_margin:g}",
        survey.head_margin > 0,
    )
    yield Fact(
        f"{survey.decoded:,} decoded tokens: the smallest margin of a part is "
        f"{survey.output_margin:g}",
        survey.output_margin > 0,
    )


def _prefixes(evidence: Evidence) -> list[Prefix]:
    """Random prefixes of recordings that end before a decoded token."""
    rng = evidence.rng(3)
    places = [
        (recording, at)
        for recording in evidence.recordings
        for at, decoded in enumerate(recording.decoded[:LONG])
        if decoded
    ]
    count = min(evidence.effort.prefixes, len(places))
    return [places[int(i)] for i in rng.choice(len(places), count, replace=False)]


def _replayed(evidence: Evidence, name: str, make: MakeEngine, prefixes: list[Prefix]) -> Fact:
    """Replay prefixes in fresh, interleaved sessions, by appending alone."""
    sessions = [make(evidence.model) for _ in prefixes]
    for at in range(max(at for _, at in prefixes)):
        for session, (recording, end) in zip(sessions, prefixes, strict=True):
            if at < end:
                session.append(recording.tokens[at])
    wrong = [
        f"{recording.name} at {at}"
        for session, (recording, at) in zip(sessions, prefixes, strict=True)
        if session.step() != recording.tokens[at]
    ]
    text = f"{name}: {len(prefixes)} prefixes replayed token by token in interleaved sessions"
    if wrong:
        return Fact(f"{text} predict what was decoded: {some(wrong)}", False)
    return Fact(f"{text}: the same next token")
