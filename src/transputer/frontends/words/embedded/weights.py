"""The committed weights: int8 with one scale per row, in two files."""

import numpy as np
from safetensors.numpy import load

from transputer.frontends.words.embedded.network import Array, PlannerNetwork, WordRows
from transputer.frontends.words.weights import weights

FILES = ("model-1.safetensors", "model-2.safetensors")


def committed() -> PlannerNetwork:
    """The network with the weights of `transputer-words`; `UsageError` if it is not installed."""
    return network(*(weights("embedded", name) for name in FILES))


def network(*parts: bytes) -> PlannerNetwork:
    """The network of some safetensors files; matrices but the words' become float32."""
    stored = {name: value for part in parts for name, value in load(part).items()}
    words = WordRows(stored.pop("words.weight"), stored.pop("words.weight.scale"))
    return PlannerNetwork(
        words, {name: _plain(name, stored) for name in stored if "scale" not in name}
    )


def _plain(name: str, stored: dict[str, np.ndarray]) -> Array:
    value = stored[name]
    if value.dtype != np.int8:
        return np.asarray(value, np.float32)
    return np.asarray(value * stored[f"{name}.scale"][:, None], np.float32)
