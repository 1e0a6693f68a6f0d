"""The evidence for the rules: a model, engines, programs, scenes and their recordings."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path

import numpy as np

from transputer.check.audit.breakages import Breakage, breakages
from transputer.check.audit.corpus import CORPUS, CorpusProgram
from transputer.check.audit.edges import EDGES
from transputer.check.audit.far import far
from transputer.check.audit.play import Played, TokenRecording, play, play_scene
from transputer.check.audit.stage import Scene
from transputer.check.audit.survey import (
    Change,
    Progress,
    Survey,
    head,
    neurons,
    nonzeros,
    quiet,
    survey,
    weight,
)
from transputer.check.audit.workers import shared
from transputer.engines.protocol import DecoderEngine
from transputer.engines.reference.decoder import Reference
from transputer.model import Model, digest

MakeEngine = Callable[[Model], DecoderEngine]
REFERENCE = "reference"
SOFTMAX = "torch, softmax"
#: Number of random scenes in the corpus.
FAR = 4
#: Number of items after which a scene is split.
LONG_SCENE = 400


@dataclass(frozen=True, slots=True)
class Effort:
    """Sample sizes: weights broken alone for slow engines, weights zeroed, prefixes replayed.

    The fastest engine runs all broken weights, many at once. Without `alone`, slow ones run
    every one of them alone.
    """

    alone: int | None = 16
    weights: int = 300
    prefixes: int = 6


#: The sample sizes of `--full`.
FULL = Effort(None, 6000, 24)


def scenes() -> list[Scene]:
    """Every scene of the corpus."""
    edges = (part for edge in EDGES for part in edge().parts(LONG_SCENE))
    return [*(far(seed) for seed in range(FAR)), *edges]


@dataclass
class Evidence:
    """A model and its engines, with all measurements for the rules.

    `engines` are compared with `reference`; `absent` says why others are not installed.
    """

    model: Model
    engines: Mapping[str, MakeEngine] = field(default_factory=dict)
    absent: Mapping[str, str] = field(default_factory=dict)
    cases: Sequence[CorpusProgram] = CORPUS
    scenes: Sequence[Scene] = field(default_factory=scenes)
    effort: Effort = Effort()
    seed: int = 0
    source: Path = Path(__file__).parents[2]
    progress: Progress = quiet
    #: The short programs that an engine decodes differently, for engines that decoded them.
    different: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.engines = {REFERENCE: Reference, **self.engines}
        self.digest = digest(self.model)  # before anything runs

    def prepare(self) -> None:
        """Derive what several rules need; what fails here fails there, and is said there."""
        with suppress(Exception):
            _ = self.survey

    def rng(self, stream: int) -> np.random.Generator:
        """Return a random generator; each use has its own stream."""
        return np.random.default_rng([self.seed, stream])

    @property
    def fastest(self) -> str:
        """The engine that plays programs and scenes; the survey checks what it decodes."""
        return "native" if "native" in self.engines else REFERENCE

    @property
    def others(self) -> dict[str, MakeEngine]:
        """The engines to compare with reference."""
        return {name: make for name, make in self.engines.items() if name != REFERENCE}

    @property
    def hard(self) -> dict[str, MakeEngine]:
        """Those with hard attention: a softmax refuses the ties that broken models have."""
        return {name: make for name, make in self.others.items() if name != SOFTMAX}

    @cached_property
    def played(self) -> list[Played]:
        """Every program of the corpus, played on the fastest engine."""
        return shared(self, [partial(self._play, case) for case in self.cases])

    def _play(self, case: CorpusProgram) -> Played:
        self.progress(f"{case.name} on {self.fastest}")
        return play(case, self.engines[self.fastest](self.model))

    @cached_property
    def recordings(self) -> list[TokenRecording]:
        """Recordings of the scenes and the programs."""
        scenes = shared(self, [partial(self._record, scene) for scene in self.scenes])
        return [*scenes, *(played.recording for played in self.played)]

    def _record(self, scene: Scene) -> TokenRecording:
        self.progress(scene.name)
        return play_scene(scene, self.engines[self.fastest](self.model))

    @cached_property
    def breakages(self) -> list[Breakage]:
        """Random weights to break, some in each part of the model."""
        return list(breakages(self.model, self.rng(5)))

    @cached_property
    def weights(self) -> list[Change]:
        """Random weights outside the tables to zero."""
        places = [place for place in nonzeros(self.model) if place[0].startswith("layer")]
        count = min(self.effort.weights, len(places))
        indices = self.rng(50).choice(len(places), count, replace=False)
        return [weight(*places[int(i)]) for i in indices]

    @cached_property
    def organs(self) -> list[Change]:
        """Every group of neurons and every head that the hints name, silenced."""
        return list(organs(self.model))

    @cached_property
    def survey(self) -> Survey:
        """The survey of all recordings, with every change that a rule needs."""
        broken = (breakage.change for breakage in self.breakages)
        changes = [*self.organs, *self.weights, *broken]
        share = partial(shared, self)  # which gives other processes a progress of their own
        return survey(self.model, self.recordings, changes, lambda s: self.progress(s), share)


def organs(model: Model) -> Iterator[Change]:
    """Yield a change for each group of neurons and each head in the hints: it is silenced."""
    for group in model.hints.get("neurons", []):
        yield neurons(group["layer"], group["first"], group["count"], group["group"])
    for about in model.hints.get("heads", []):
        yield head(about["layer"], about["head"], about["name"])
