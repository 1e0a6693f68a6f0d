"""Models broken on purpose: a head, a group of neurons or a single weight zeroed or negated."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Literal, TypeVar, get_args

from transputer.errors import UsageError
from transputer.model import Looped, Model, mutate

Weights = TypeVar("Weights", Model, Looped)
#: What is done to weights: multiply them by 0 or by -1.
Damage = Literal["zero", "negate"]
#: The same in words.
DONE: Mapping[Damage, str] = {"zero": "zeroed", "negate": "negated"}
#: The weights of a part: a tensor's name and an index into it.
_Place = tuple[str, Any]


def damage_of(word: str) -> Damage:
    """Return the damage with a name; raise `UsageError` if there is none."""
    for damage in get_args(Damage):
        if damage == word:
            return damage  # type: ignore[no-any-return]
    raise UsageError(f"a weight is broken by zero or negate, not by {word!r}")


def break_part(model: Weights, part: str, how: Damage) -> Weights:
    """Return the model with everything that a part adds to the residual stream zeroed or negated.

    `part` is the name of a head or of a group of neurons, as the hints give them; `LAYER:GROUP`
    is the group in one layer, `LAYER:N` is one neuron, and a number is one nonzero weight, as
    `mutate` counts them. Raises `UsageError`, with a name that exists, if there is no such part.
    """
    if part.isdecimal():
        return mutate(model, int(part), how)
    places = _head_places(model, part) or _neuron_places(model, part)
    if not places:
        names = part_names(model)
        close = get_close_matches(part, names, 1)
        hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(names)}"
        raise UsageError(f"no head or group of neurons {part!r}; {hint}")
    tensors = model.tensors()
    for name, index in places:
        array = tensors[name].copy()
        array[index] *= 0.0 if how == "zero" else -1.0
        tensors[name] = array + 0.0  # no negative zeros
    return model.with_tensors(tensors)


def part_names(model: Model | Looped) -> list[str]:
    """Return the names of all heads, then of all groups of neurons."""
    heads = [hint["name"] for hint in model.hints.get("heads", ())]
    return list(dict.fromkeys([*heads, *(h["group"] for h in model.hints.get("neurons", ()))]))


def part_title(model: Model | Looped, part: str) -> str:
    """Return what a part is, with its name: `head S`, `neurons add`, `weight 12`."""
    if part.isdecimal():
        return f"weight {part}"
    heads = (hint["name"] for hint in model.hints.get("heads", ()))
    return f"head {part}" if part in heads else f"neurons {part}"


def _head_places(model: Model | Looped, name: str) -> list[_Place]:
    return [
        (f"layer{hint['layer']}.head{hint['head']}.output", ...)
        for hint in model.hints.get("heads", ())
        if hint["name"] == name
    ]


def _neuron_places(model: Model | Looped, part: str) -> Sequence[_Place]:
    layer, _, name = part.partition(":")
    if layer.isdecimal() and name.isdecimal() and int(layer) < len(model.layers):
        known = int(name) < len(model.layers[int(layer)].gate)
        return [(f"layer{layer}.out", (slice(None), int(name)))] if known else []
    return [
        (f"layer{h['layer']}.out", (slice(None), slice(h["first"], h["first"] + h["count"])))
        for h in model.hints.get("neurons", ())
        if part in (h["group"], f"{h['layer']}:{h['group']}")
    ]
