"""The weights of our planners: the distribution `transputer-words`, which has data alone."""

from importlib.resources import files

from transputer.errors import UsageError

#: The import package of the distribution.
PACKAGE = "transputer_words"


class MissingWeights(UsageError):
    """The distribution with a planner's weights is not installed."""


def weights(planner: str, file: str) -> bytes:
    """The bytes of a planner's file; `MissingWeights` says how to get the distribution."""
    try:
        return files(PACKAGE).joinpath(planner, file).read_bytes()
    except (ModuleNotFoundError, FileNotFoundError):
        raise MissingWeights(
            f"{planner}: transputer-words, which has its weights, is not installed; "
            "pip install 'transputer[words]' (in a checkout: pip install ./models)"
        ) from None
