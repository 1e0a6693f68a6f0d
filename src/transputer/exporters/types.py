"""Number types of exports: exact, or refused with the number that would not be."""

from transputer.errors import CapacityError, Unsupported, UsageError
from transputer.model import Model, verify

#: Below this every integer of the type is exact.
EXACT = {"float64": 2**53, "float32": 2**24, "float16": 2**11, "bfloat16": 2**8}
WRITTEN = "float64"


def check_type(model: Model, dtype: str) -> None:
    """Raises `CapacityError` with the bound where a type would round, `UsageError` for an unknown
    one, and `Unsupported` for one that would do, but that exports are not written in.
    """
    if dtype not in EXACT:
        raise UsageError(f"no number type {dtype!r}; there is: {', '.join(EXACT)}")
    largest = verify(model).largest
    kind, (most, where) = max(largest.items(), key=lambda item: item[1][0])
    if most >= EXACT[dtype]:
        raise CapacityError(
            f"{dtype} holds integers below {EXACT[dtype]:,} exactly; the {kind} at {where} may "
            f"reach {most:,}; use --dtype {WRITTEN}"
        )
    if dtype != WRITTEN:
        raise Unsupported(f"{dtype} would be exact, but exports are {WRITTEN}")
