"""Validity of a module: our verdict, wasmtime's, and where they may differ."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from transputer.errors import InvalidError, MalformedError, SourceError
from transputer.frontends.binary import decode
from transputer.ir.verify import verify
from transputer.oracle.independent import complaint


@dataclass(frozen=True, slots=True)
class Validity:
    """The verdicts on the same bytes: no error, or the reason of the refusal."""

    data: bytes
    ours: SourceError | None
    theirs: str

    @property
    def kind(self) -> str:
        """Our verdict in a word."""
        if self.ours is None:
            return "valid"
        return "invalid" if isinstance(self.ours, InvalidError) else "malformed"

    @property
    def difference(self) -> str:
        """The documented difference that explains a disagreement; "" if the two agree."""
        if (self.ours is None) == (self.theirs == ""):
            return ""
        return next((d.name for d in DIFFERENCES if d.explains(self)), UNEXPLAINED)

    def refused(self, message: str) -> int | None:
        """Return the offset at which only we refuse, with this message; None otherwise."""
        if self.theirs or self.ours is None or not re.fullmatch(message, self.ours.message):
            return None
        return self.ours.place.offset

    def __str__(self) -> str:
        return f"ours: {self.ours or 'valid'}; wasmtime: {self.theirs or 'valid'}"


#: Name of a disagreement without a documented difference; there must be none.
UNEXPLAINED = "unexplained"


@dataclass(frozen=True, slots=True)
class KnownDifference:
    """A documented way in which wasmtime departs from what this package supports."""

    name: str
    explains: Callable[[Validity], bool]


def _refused_proposal(v: Validity) -> bool:
    """What wasmtime has only together with exceptions, and this package refuses by name."""
    return v.refused("garbage collection is not supported.*|recursive types are not.*") is not None


_LIMIT = re.compile(
    r"too many locals: locals exceed maximum|string size out of bounds"
    r"|count exceeds limit of \d+|specifies too many data segments"
)


def _their_limit(v: Validity) -> bool:
    """wasmtime's own limits: 50,000 locals with parameters, 100 tables, names of 100,000 bytes…"""
    return v.ours is None and _LIMIT.search(v.theirs) is not None


DIFFERENCES = (
    KnownDifference("a proposal that is refused by name", _refused_proposal),
    KnownDifference("a limit of wasmtime", _their_limit),
)


def judge(data: bytes) -> Validity:
    """Return both verdicts; other exceptions of our verifier pass through."""
    ours: SourceError | None = None
    try:
        verify(decode(data))
    except (MalformedError, InvalidError) as error:
        ours = error
    return Validity(data, ours, complaint(data))
