"""The committed weights: int8 with one scale per row, in two files."""

from importlib.resources import files

import numpy as np
from safetensors.numpy import load

from transputer.errors import UsageError
from transputer.frontends.words.embedded.network import Array, PlannerNetwork, WordRows

FILES = ("model-1.safetensors", "model-2.safetensors")


def committed() -> PlannerNetwork:
    """The network with the weights that come with the package."""
    parts = []
    for name in FILES:
        path = files(__package__).joinpath(name)
        if not path.is_file():
            raise UsageError(f"{name} is missing from the installation; install the package again")
        parts.append(path.read_bytes())
    return network(*parts)


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
