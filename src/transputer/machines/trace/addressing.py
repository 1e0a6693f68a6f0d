"""How heads find an address, and how far they reach."""

from transputer.values import dataclass


@dataclass(frozen=True, slots=True)
class Addressing:
    """How heads find an address: `reach` addresses per space, in `context` positions.

    Both follow from keeping every score below 2^53: byte digits reach all of 32 bits, while a
    plain parabola over one number a spends a^2 on it.
    """

    name: str
    context: int
    reach: int


DIGITS = Addressing("digits", 1 << 32, 1 << 32)
PARABOLIC = Addressing("parabolic", 1 << 16, 1 << 16)
ADDRESSINGS = {a.name: a for a in (DIGITS, PARABOLIC)}
