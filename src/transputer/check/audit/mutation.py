"""Rule 5: mutation honesty, dead weights, and names without meaning."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from math import sqrt

import numpy as np

from transputer.check.audit.breakages import (
    KINDS,
    Breakage,
    BrokenModel,
    broken_model,
    broken_models,
    odds,
    strata,
    tied,
)
from transputer.check.audit.evidence import REFERENCE, Evidence, MakeEngine
from transputer.check.audit.forward import Forward
from transputer.check.audit.play import TokenRecording, play
from transputer.check.audit.survey import predicting
from transputer.check.audit.verdict import Fact, rule, some
from transputer.check.audit.workers import shared
from transputer.engines.reference.decoder import Reference
from transputer.errors import TransputerError
from transputer.model import Model, Token, keep_stages, permute, renumber

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


def felt_breakages(evidence: Evidence) -> list[tuple[Breakage, int, int]]:
    """Return broken weights with the recording and the position where each is felt first."""
    felt = evidence.survey.felt
    return [(b, *felt[b.change]) for b in evidence.breakages if b.change in felt]


def models_of(evidence: Evidence, kind: str) -> Iterator[BrokenModel]:
    """Yield models that break a weight in every part of a kind."""
    evidence.progress(f"breaking weights: {kind}")
    felt = [f for f in felt_breakages(evidence) if f[0].stratum.kind == kind]
    rng = evidence.rng(560 + KINDS.index(kind))
    return broken_models(evidence.model, evidence.recordings, felt, rng)


def _mutants(evidence: Evidence) -> Iterator[Fact]:
    with suppress(TransputerError):  # rule 6 says why
        keep_stages(evidence.model)
    felt = felt_breakages(evidence)
    order = evidence.rng(57).permutation(len(felt))[: evidence.effort.alone]
    engines = {REFERENCE: Reference, **evidence.hard}
    together = [partial(_together, evidence, engines, kind) for kind in KINDS]
    alone = [partial(broken_model, evidence.model, evidence.recordings, [felt[i]]) for i in order]
    single = [partial(tied, evidence.model, evidence.recordings), *alone]
    every = [partial(_everywhere, evidence, engines, make) for make in single]
    done = shared(evidence, [*together, *every])
    runs = {name: BrokenRuns(name) for name in engines}
    for one in done:
        for name, run in one.items():
            runs[name].add(run)
    fast = runs[evidence.fastest]
    kinds = BrokenRuns(fast.name)
    for one in done[: len(together)]:
        kinds.add(one[fast.name])
    yield from _broken(evidence, kinds)
    yield _running([bool(one[fast.name].places) for one in done[len(together) + 1 :]])
    for run in runs.values():
        yield run.fact()


def _together(
    evidence: Evidence, engines: Mapping[str, MakeEngine], kind: str
) -> "dict[str, BrokenRuns]":
    """Run the fastest engine on models with many broken weights of a kind."""
    name = evidence.fastest
    return {name: ran(evidence, name, engines[name], models_of(evidence, kind))}


def _everywhere(
    evidence: Evidence, engines: Mapping[str, MakeEngine], make: Callable[[], BrokenModel]
) -> "dict[str, BrokenRuns]":
    """Run every engine on one broken model."""
    broken = make()
    return {name: ran(evidence, name, engines[name], [broken]) for name in engines}


def _running(alone: Sequence[bool]) -> Fact:
    """Say how many models with one broken weight keep their bounds."""
    running = sum(alone)
    share, error = running / max(1, len(alone)), sampling_error(RUN, len(alone))
    return Fact(
        f"{running} of {len(alone)} models with one broken weight run ({share:.0%} ± {error:.0%}, "
        f"at least {RUN:.0%} wanted); bounds derived again refuse the others",
        bool(alone) and share >= RUN - error,
    )


def _broken(evidence: Evidence, runs: "BrokenRuns") -> Iterator[Fact]:
    """Say what was broken, and what escapes."""
    told = runs.told
    parts = strata(evidence.model)
    kinds = Counter(b.stratum.kind for b in told)
    how = Counter("inserted" if not b.before else "negated" if b.after else "zeroed" for b in told)
    missed = sorted({s.name for s in parts} - {b.stratum.name for b in told})
    counts = ", ".join(f"{count} {what}" for what, count in sorted(how.items()))
    of = Counter(s.kind for s in parts)
    text = (
        f"seed {evidence.seed}: one weight broken in each of {kinds['neurons']} of {of['neurons']} "
        f"groups of neurons, {kinds['heads']} of {of['heads']} matrices of heads and "
        f"{kinds['tables']} of {of['tables']} tables ({counts}), in {runs.models} models"
    )
    yield Fact(f"{text}; without effect elsewhere: {some(missed)}" if missed else text, bool(told))
    neurons = sum(len(layer.gate) for layer in evidence.model.layers)
    missing = (f"{odds(neurons, kinds['neurons'], k):.1%} of {k}" for k in (1, 10, 85, 300))
    yield Fact(
        f"of cheats that restore some of {neurons:,} neurons, chosen at random, it misses "
        f"{', '.join(missing)}; one that restores a whole group with a broken weight is found"
    )


@dataclass(slots=True)
class BrokenRuns:
    """What an engine decodes with broken weights, compared at every place that tells."""

    name: str
    models: int = 0
    places: int = 0
    native: int = 0  # places that the native engine decoded instead
    told: set[Breakage] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)

    def run(self, make: MakeEngine, broken: BrokenModel) -> None:
        """Compare the engine with one broken model."""
        self.models += 1
        for place in broken.places:
            outcome, in_charge = next_token(make, broken.model, place.prompt)
            self.places += 1
            self.native += in_charge not in (None, self.name)
            self.told |= place.telling
            if outcome != place.expected:
                self.wrong += [b.name for b in place.telling]

    def add(self, other: "BrokenRuns") -> None:
        """Add what the same engine decodes with other broken weights."""
        self.models += other.models
        self.places += other.places
        self.native += other.native
        self.told |= other.told
        self.wrong += other.wrong

    def fact(self) -> Fact:
        """Say whether the engine decodes what the broken weights say."""
        text = f"{self.name} decodes what the broken weights say"
        if self.wrong:
            return Fact(f"{text}: {some(self.wrong)}", False)
        handed = f" ({self.native} by the native engine)" if self.native else ""
        of = f"{self.places} places{handed} that tell of {len(self.told)} weights"
        return Fact(f"{text}: {of}", bool(self.told))


def ran(
    evidence: Evidence, name: str, make: MakeEngine, models: Iterable[BrokenModel]
) -> BrokenRuns:
    """Compare an engine with the broken weights at every place."""
    runs = BrokenRuns(name)
    for broken in models:
        evidence.progress(f"{name} with broken weights")
        runs.run(make, broken)
    return runs


def next_token(
    make: MakeEngine, model: Model, prompt: Sequence[Token]
) -> tuple[Token | str, str | None]:
    """Return the token after a prompt, or the error's message, and the engine in charge."""
    try:
        engine = make(model)
        for token in prompt:
            engine.append(token)
        return tuple(engine.step()), getattr(engine, "name", None)
    except TransputerError as error:
        return str(error), None


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
    evidence.progress("renumbering lanes, heads, neurons and opcodes")
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
    wrong += [r.name for r in short if not same(moved, r, r)]
    text = "lanes, heads, their rows and neurons permuted, names and hints deleted"
    yield _same_tokens(text, wrong, sum(r.steps for r in short))
    model, order = _other_opcodes(evidence.model, rng)
    pairs = [(r, _recoded(evidence.model, r, order)) for r in short]
    wrong = [r.name for r, prompt in pairs if not same(model, r, prompt)]
    yield _same_tokens("opcode numbers permuted", wrong, sum(r.steps for r in short))


def _same_tokens(text: str, wrong: list[str], steps: int) -> Fact:
    if wrong:
        return Fact(f"{text}, the tokens stay the same: {some(wrong)}", False)
    return Fact(f"{text}: the same tokens, {steps:,} decoded")


def same(model: Model, recording: TokenRecording, prompt: TokenRecording) -> bool:
    """Return whether a model, given `prompt`, predicts what was decoded in the recording."""
    before_decoded = predicting(recording)[:-1]
    predicted = Forward(model, prompt.tokens).predicted[:-1][before_decoded]
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
