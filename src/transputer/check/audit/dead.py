"""All weights outside the tables, zeroed one at a time: which ones change nothing."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from transputer.check.audit.play import Recording
from transputer.check.audit.survey import nonzeros, quiet, survey, weight
from transputer.model import Model

#: A weight: its tensor, and where it is in it.
Place = tuple[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Dead:
    """How many weights there are outside the tables, and those that can be zeroed."""

    tried: int
    decoded: int
    places: tuple[Place, ...]

    @property
    def share(self) -> float:
        """The dead ones among all."""
        return len(self.places) / max(1, self.tried)


def dead(
    model: Model, recordings: Sequence[Recording], progress: Callable[[str], None] = quiet
) -> Dead:
    """Try every nonzero weight of the layers on all recordings."""
    changes = {weight(*place): place for place in nonzeros(model) if place[0].startswith("layer")}
    found = survey(model, recordings, changes, progress)
    left = (place for change, place in changes.items() if change not in found.felt)
    return Dead(len(changes), found.decoded, tuple(left))


def groups(model: Model, places: Iterable[Place]) -> Counter[str]:
    """How many weights belong to each group of neurons and each head."""
    return Counter(group(model, *place) for place in places)


def group(model: Model, name: str, index: tuple[int, ...]) -> str:
    """What the hints call the neuron or head of a weight, and which of its matrices it is in."""
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
