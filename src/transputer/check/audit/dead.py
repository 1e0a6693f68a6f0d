"""Dead weights: those outside the tables that can be zeroed without changing any token.

A weight that one recording feels is not dead, whatever is recorded later. So a list of dead weights
can be kept in a file, and only those be tried again on a larger corpus.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transputer.check.audit.evidence import FAR, Evidence, MakeEngine
from transputer.check.audit.evidence import scenes as corpus_scenes
from transputer.check.audit.far import far
from transputer.check.audit.mutation import DEAD
from transputer.check.audit.play import TokenRecording
from transputer.check.audit.survey import Progress, nonzeros, quiet, survey, weight
from transputer.engines.protocol import DECODERS
from transputer.errors import EngineUnavailable, UsageError
from transputer.machines.trace.universal import model as trace_model
from transputer.model import Model, digest

#: A weight: its tensor and its index there.
Place = tuple[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class DeadWeight:
    """A weight that can be zeroed without effect: its tensor, its index and its group."""

    tensor: str
    index: tuple[int, ...]
    value: float
    group: str


@dataclass(frozen=True, slots=True)
class DeadWeights:
    """The dead weights among the `tried` nonzero ones of the layers, over `decoded` tokens."""

    tried: int
    decoded: int
    weights: tuple[DeadWeight, ...]

    @property
    def share(self) -> float:
        """The share of dead weights."""
        return len(self.weights) / max(1, self.tried)

    @property
    def passed(self) -> bool:
        """Whether they are few enough."""
        return self.share < DEAD

    @property
    def groups(self) -> dict[str, int]:
        """The number of dead weights of each group of neurons and each head, by name."""
        return dict(sorted(Counter(weight.group for weight in self.weights).items()))

    def as_json(self) -> dict[str, Any]:
        """Return the form that `audit --dead --json` prints."""
        counts = {"tried": self.tried, "dead": len(self.weights), "share": self.share}
        return {**counts, "groups": self.groups}


def dead_weights(
    scenes: int = 8, progress: Progress = quiet, resume: Path | None = None
) -> DeadWeights:
    """Zero every weight of the trace machine's layers, one at a time; takes many minutes.

    `scenes` is the number of random scenes that are added to the corpus. `resume` is a file of
    dead weights: those in it are tried, and those still dead are written to it. Without the file,
    all weights are tried.
    """
    model = trace_model()
    places = None if resume is None or not resume.exists() else _read(resume, model)
    played = [*corpus_scenes(), *(far(seed) for seed in range(FAR, FAR + scenes))]
    evidence = Evidence(model, engines=_native(model), scenes=played, progress=progress)
    result = dead(model, evidence.recordings, progress, places)
    if resume is not None:
        _write(resume, model, result)
    return result


def dead(
    model: Model,
    recordings: Sequence[TokenRecording],
    progress: Progress = quiet,
    places: Iterable[Place] | None = None,
) -> DeadWeights:
    """Zero nonzero weights of the layers, one at a time, on all recordings: all, or those given.

    Those that are not given count as tried.
    """
    every = [place for place in nonzeros(model) if place[0].startswith("layer")]
    changes = {weight(*place): place for place in (every if places is None else places)}
    result = survey(model, recordings, changes, progress)
    if result.wrong:
        raise RuntimeError(f"recordings that the weights do not predict: {result.wrong}")
    tensors = model.tensors()
    without_effect = (place for change, place in changes.items() if change not in result.felt)
    weights = (
        DeadWeight(name, index, float(tensors[name][index]), group(model, name, index))
        for name, index in without_effect
    )
    return DeadWeights(len(every), result.decoded, tuple(weights))


def _native(model: Model) -> dict[str, MakeEngine]:
    """The native engine, if it is installed; the survey checks what it decodes."""
    try:
        DECODERS["native"](model)
    except EngineUnavailable:
        return {}
    return {"native": DECODERS["native"]}


def _read(file: Path, model: Model) -> list[Place]:
    try:
        content = json.loads(file.read_text())
        of, dead = content["model"], content["dead"]
        places = [(name, tuple(index)) for name, indices in dead.items() for index in indices]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise UsageError(f"{file} is no list of dead weights; name another file") from None
    if of != digest(model):
        raise UsageError(f"{file} is about other weights; delete it to try all weights again")
    return places


def _write(file: Path, model: Model, result: DeadWeights) -> None:
    indices: dict[str, list[tuple[int, ...]]] = {}
    for each in result.weights:
        indices.setdefault(each.tensor, []).append(each.index)
    lines = (f"  {json.dumps(name)}: {json.dumps(some)}" for name, some in indices.items())
    body = ",\n".join(lines)
    file.write_text(f'{{"model": "{digest(model)}", "dead": {{\n{body}\n}}}}\n')


def group(model: Model, name: str, index: tuple[int, ...]) -> str:
    """The name that the hints give to a weight's neuron or head, and its matrix there."""
    where, *rest = name.split(".")
    layer = int(where.removeprefix("layer"))
    if len(rest) > 1:
        number = int(rest[0].removeprefix("head"))
        for about in model.hints.get("heads", []):
            if (about["layer"], about["head"]) == (layer, number):
                return f"layer {layer}, head {about['name']}: {rest[1]}"
        return f"layer {layer}, head {number}: {rest[1]}"
    neuron = index[1] if rest[0] == "out" else index[0]
    for about in model.hints.get("neurons", []):
        if about["layer"] == layer and 0 <= neuron - about["first"] < about["count"]:
            return f"layer {layer}, {about['group']}: {rest[0]}"
    return f"layer {layer}, neurons: {rest[0]}"
