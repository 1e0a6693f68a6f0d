"""The universal model: the same weights for every program."""

from functools import cache
from pathlib import Path

from transputer.machines.trace.addressing import DIGITS, Addressing
from transputer.model import Model, cached_model

#: The models that come with the package; `python -m tools.weights` writes them.
FOLDER = Path(__file__).parent / "weights"


def model(addressing: Addressing = DIGITS) -> Model:
    """The universal model: from the cache or the package, or else built once."""
    return _model(addressing)


def name(addressing: Addressing) -> str:
    """The name of the model's files."""
    return f"trace-{addressing.name}-{addressing.context}"


@cache
def _model(addressing: Addressing) -> Model:
    def build() -> Model:
        from transputer.machines.trace.circuit import built  # slow to import, and rarely needed

        return built(addressing)

    return cached_model(name(addressing), build, FOLDER)
