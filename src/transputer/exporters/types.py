"""Number types of exports: exact, or refused with the bound that the type cannot hold."""

from transputer.errors import CapacityError, Unsupported, UsageError
from transputer.model import Model, verify

#: Every integer below this bound is exact in the type.
EXACT = {"float64": 2**53, "float32": 2**24, "float16": 2**11, "bfloat16": 2**8}
WRITTEN = "float64"


def check_type(model: Model, dtype: str) -> None:
    """Check that a model is exact in a number type that exports support.

    Raises `CapacityError` with the bound if the type would round, `UsageError` for an unknown
    type, and `Unsupported` for a type that would be exact but is not implemented.
    """
    if dtype not in EXACT:
        raise UsageError(f"unknown number type {dtype!r}; use one of {', '.join(EXACT)}")
    largest = verify(model).largest
    kind, (bound, where) = max(largest.items(), key=lambda item: item[1][0])
    if bound >= EXACT[dtype]:
        raise CapacityError(
            f"{dtype} holds integers below {EXACT[dtype]:,} exactly; the {kind} at {where} may "
            f"reach {bound:,}; use --dtype {WRITTEN}"
        )
    if dtype != WRITTEN:
        raise Unsupported(f"{dtype} would be exact, but exports are written in {WRITTEN} only")
