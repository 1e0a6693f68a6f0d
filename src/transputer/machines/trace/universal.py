"""The universal model: the same weights for every program."""

from functools import cache

from transputer.machines.trace.addressing import DIGITS, Addressing
from transputer.model import Model, cached_model


def model(addressing: Addressing = DIGITS) -> Model:
    """The universal model: built once, then from the cache."""
    return _model(addressing)


@cache
def _model(addressing: Addressing) -> Model:
    def build() -> Model:
        from transputer.machines.trace.circuit import built  # slow to import, and rarely needed

        return built(addressing)

    return cached_model(f"trace-{addressing.name}-{addressing.context}", build)
