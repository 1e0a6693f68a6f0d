"""The image of a model: from the user's cache, or planned anew."""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transputer.model import Model, facts
from transputer.values import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class NativeImage:
    """The words that the engine reads, and what Python has to know about them.

    `dynamic` says whether a head attends to what only a run computes.
    """

    words: NDArray[np.int64]
    part_bytes: int
    heads: int
    tables: int
    dynamic: bool


@lru_cache(maxsize=8)
def plan(model: Model) -> NativeImage:
    """The image of a model, which is verified first; in the user's cache if the model is.

    Raises as `planned` does.
    """

    def derive() -> dict[str, NDArray[Any]]:
        from transputer.engines.native.planner import planned  # slow to import, and rarely needed

        return {**planned(model)}

    arrays = facts(model, "native", "transputer.engines.native.planner", derive)
    part_bytes, heads, tables, dynamic = arrays["sizes"].tolist()
    words = arrays["words"].astype(np.int64)  # a copy: where files are mapped, words may lie askew
    words.setflags(write=False)
    return NativeImage(words, part_bytes, heads, tables, bool(dynamic))
