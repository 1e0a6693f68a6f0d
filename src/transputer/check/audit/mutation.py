"""Rule 5: mutation honesty, dead weights, and names without meaning."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from transputer.check.audit.evidence import Evidence, MakeEngine, Mutant
from transputer.check.audit.forward import Forward, SparseModel
from transputer.check.audit.play import TokenRecording, play
from transputer.check.audit.survey import predicting
from transputer.check.audit.verdict import Fact, rule, some
from transputer.engines.reference.decoder import Reference
from transputer.errors import CapacityError, TransputerError
from transputer.model import Model, Token, mutate, permute, renumber, verify

#: The least share of mutants that must run, and the share of dead weights that is a defect.
RUN, DEAD = 0.8, 0.02
#: 95 % of normal deviates are below this.
SURE = 1.645


@rule(5, "Mutation honesty")
def mutation(evidence: Evidence) -> Iterator[Fact]:
    """Broken weights break every engine alike; few weights can go; numbering means nothing."""
    yield from _mutants(evidence)
    yield _dead(evidence)
    yield from _renumbered(evidence)


@dataclass(frozen=True, slots=True)
class Trial:
    """One broken model: why it was refused, or which engines differed from reference."""

    mutant: Mutant
    refused: str = ""
    wrong: tuple[str, ...] = ()


def trial(evidence: Evidence, mutant: Mutant) -> Trial:
    """Break a weight and let every engine continue from the first token that it changes."""
    broken = mutate(evidence.model, mutant.which, mutant.how)
    try:
        verify(broken)
    except CapacityError as error:
        return Trial(mutant, refused=str(error))
    number, position = evidence.survey.felt.get(mutant.change, (0, 0))
    prompt = evidence.recordings[number].tokens[: position + 1]
    steps = evidence.effort.steps
    expected = decoded(Reference, broken, prompt, steps)
    outcomes = {name: decoded(make, broken, prompt, steps) for name, make in evidence.hard.items()}
    wrong = tuple(name for name, tokens in outcomes.items() if tokens != expected)
    return Trial(mutant, wrong=wrong)


def decoded(
    make: MakeEngine, model: Model, prompt: Sequence[Token], steps: int
) -> list[Token] | str:
    """Return the `steps` tokens that follow a prompt, or the message of the error."""
    try:
        engine = make(model)
        for token in prompt:
            engine.append(token)
        return [tuple(engine.step()) for _ in range(steps)]
    except TransputerError as error:
        return str(error)


def _mutants(evidence: Evidence) -> Iterator[Fact]:
    trials = []
    for i, mutant in enumerate(evidence.mutants, 1):
        evidence.progress(f"broken model {i} of {len(evidence.mutants)}")
        trials.append(trial(evidence, mutant))
    running = [t for t in trials if not t.refused]
    share = len(running) / max(1, len(trials))
    error = sampling_error(RUN, len(trials))
    yield Fact(
        f"{len(trials)} random weights zeroed or negated (seed {evidence.seed}): "
        f"{len(running)} broken models run ({share:.0%} ± {error:.0%}, at least {RUN:.0%} wanted), "
        f"{len(trials) - len(running)} refused by bounds",
        share >= RUN - error,
    )
    felt = sum(t.mutant.change in evidence.survey.felt for t in running)
    yield Fact(f"of those that run, {felt} decode other tokens than the shipped model")
    for name in evidence.hard:
        wrong = [t.mutant.change.name for t in running if name in t.wrong]
        text = f"{name} does what reference does with the same broken weights"
        if wrong:
            yield Fact(f"{text}: {some(wrong)}", False)
        else:
            yield Fact(
                f"{text}: {len(running)} of {len(running)}, {evidence.effort.steps} steps each"
            )


def _dead(evidence: Evidence) -> Fact:
    tried = evidence.weights
    dead = [change.name for change in tried if change not in evidence.survey.felt]
    share = len(dead) / max(1, len(tried))
    error = sampling_error(share, len(tried))
    return Fact(
        f"{len(tried)} weights outside the tables zeroed one at a time: {len(dead)} change nothing "
        f"on {evidence.survey.decoded:,} decoded tokens "
        f"({share:.1%} ± {error:.1%}, less than {DEAD:.0%} wanted)",
        share - error < DEAD,
    )


def sampling_error(share: float, count: int) -> float:
    """The sampling error of a share among `count`, with 95 % confidence."""
    return SURE * sqrt(share * (1 - share) / max(1, count))


def _renumbered(evidence: Evidence) -> Iterator[Fact]:
    rng = evidence.rng(55)
    moved = permute(evidence.model, rng)
    case, shortest = min(
        zip(evidence.cases, evidence.played, strict=True), key=lambda pair: pair[1].recording.steps
    )
    wrong = []
    for name, make in evidence.engines.items():
        if play(case, make(moved)).recording != shortest.recording:
            wrong.append(name)
    short = [r for r in evidence.recordings if len(r.tokens) < 700][:8]
    sparse = SparseModel(moved)
    wrong += [r.name for r in short if not same(moved, sparse, r, r)]
    text = "lanes, heads, their rows and neurons permuted, names and hints deleted"
    yield _same_tokens(text, wrong, sum(r.steps for r in short))
    model, order = _other_opcodes(evidence.model, rng)
    sparse = SparseModel(model)
    pairs = [(r, _recoded(evidence.model, r, order)) for r in short]
    wrong = [r.name for r, prompt in pairs if not same(model, sparse, r, prompt)]
    yield _same_tokens("opcode numbers permuted", wrong, sum(r.steps for r in short))


def _same_tokens(text: str, wrong: list[str], steps: int) -> Fact:
    if wrong:
        return Fact(f"{text}, the tokens stay the same: {some(wrong)}", False)
    return Fact(f"{text}: the same tokens, {steps:,} decoded")


def same(
    model: Model, sparse: SparseModel, recording: TokenRecording, prompt: TokenRecording
) -> bool:
    """Return whether a model, given `prompt`, predicts what was decoded in the recording."""
    before_decoded = predicting(recording)[:-1]
    predicted = Forward(model, prompt.tokens, sparse).predicted[:-1][before_decoded]
    return bool((predicted == np.array(recording.tokens)[1:][before_decoded]).all())


def _other_opcodes(model: Model, rng: np.random.Generator) -> tuple[Model, list[int]]:
    """Renumber the opcodes: n becomes `order[n]`; 0, no instruction, stays."""
    part = [p.name for p in model.parts].index("op")
    size = model.parts[part].size
    order = [0, *(int(n) + 1 for n in rng.permutation(size - 1))]
    return renumber(model, "op", order), order


def _recoded(model: Model, recording: TokenRecording, order: list[int]) -> TokenRecording:
    part = [p.name for p in model.parts].index("op")
    tokens = ((*t[:part], order[t[part]], *t[part + 1 :]) for t in recording.tokens)
    return TokenRecording(recording.name, tuple(tokens), recording.decoded)
