"""Rule 2: one universal model; the program is in the prompt."""

from collections.abc import Iterator

from transputer.check.audit.agreement import different
from transputer.check.audit.effects import Effects
from transputer.check.audit.evidence import Evidence
from transputer.check.audit.forward import Forward
from transputer.check.audit.play import TokenRecording
from transputer.check.audit.survey import predicting
from transputer.check.audit.verdict import Fact, rule, some
from transputer.circuit import build
from transputer.machines.trace.circuit import circuit
from transputer.machines.trace.opcodes import OPCODES
from transputer.machines.trace.vocabulary import Space, record
from transputer.model import digest

#: Longest recording for which every instruction is replaced, in tokens.
LONG = 600


@rule(2, "One universal model; the program is in the prompt")
def universal(evidence: Evidence) -> Iterator[Fact]:
    """The same weights before and after, for all programs, and built without any."""
    count = len(evidence.recordings)
    steps = sum(recording.steps for recording in evidence.recordings)
    yield Fact(f"{count} programs and scenes ran on one model object, {steps:,} steps")
    yield from _prompted(evidence)
    evidence.progress("building the model again")
    rebuilt = digest(build(circuit()))
    same = rebuilt == evidence.digest
    yield Fact(f"built again from the circuit, without a program: {rebuilt[:16]}", same)
    yield from _unchanged(evidence)


def _unchanged(evidence: Evidence) -> Iterator[Fact]:
    for name in evidence.engines:
        different(evidence, name)  # which decodes all short programs
        now = digest(evidence.model)
        same = now == evidence.digest
        yield Fact(f"SHA-256 of the weights after runs on {name}: {now[:16]}", same)
    frozen = not any(a.flags.writeable for a in evidence.model.tensors().values())
    yield Fact("its tensors cannot be written to", frozen)


def _prompted(evidence: Evidence) -> Iterator[Fact]:
    """Replace every executed instruction in the prompt; each must change what is decoded."""
    recording = next(
        (p.recording for p in evidence.played if p.recording.steps and _length(p.recording) < LONG),
        None,
    )
    if recording is None:
        yield Fact(f"some program of the corpus has fewer than {LONG} tokens", False)
        return
    effects = Effects(Forward(evidence.model, recording.tokens))
    part = [p.name for p in evidence.model.parts].index("op")
    before_decoded = predicting(recording)
    idle, tried = [], sorted(executed(recording))
    for position in tried:
        op = recording.tokens[position][part]
        other = OPCODES["halt" if op == OPCODES["exit"] else "exit"]
        if not before_decoded[effects.token(position, part, other)].any():
            idle.append(f"token {position}")
    text = f"{len(tried)} executed instructions of {recording.name!r}: each is one token"
    if idle:
        yield Fact(f"{text} that matters; replaced without effect: {some(idle)}", False)
    else:
        yield Fact(f"{text}; replacing it changes what is decoded")


def _length(recording: TokenRecording) -> int:
    return len(recording.tokens)


def executed(recording: TokenRecording) -> set[int]:
    """The positions of all instruction tokens that a step fetched."""
    code: dict[int, int] = {}
    positions = set()
    for position, token in enumerate(recording.tokens):
        if recording.decoded[position]:
            positions.add(code[record(recording.tokens[position - 1]).pc])
        now = record(token)
        if now.space == Space.CODE:
            code[now.at] = position
    return positions
