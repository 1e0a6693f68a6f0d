"""What the caller of lifted code wants to know, and how it learns that there is none."""

from collections.abc import Mapping
from dataclasses import dataclass

from transputer.engines.protocol import Counted, Feed


class LiftedCodeStopped(Exception):
    """Lifted code does not cover the next step."""


@dataclass(frozen=True)
class Want:
    """What the caller wants to know: parts that stop, tokens to see, and which steps count.

    `watch` pairs a part with values; `kept` are parts of the words that are looked up later, but
    not in tokens with the parts and values of `unread`.
    """

    stops: tuple[int, ...] = ()
    watch: tuple[tuple[int, tuple[int, ...]], ...] = ()
    counted: Counted | None = None
    kept: tuple[int, ...] = ()
    unread: tuple[tuple[int, tuple[int, ...]], ...] = ()
    feed: Feed | None = None

    def weigh(self, parts: Mapping[int, int]) -> int:
        """1 for a step that counts, else 0."""
        return 0 if self.counted is None else self.counted.of(parts)
