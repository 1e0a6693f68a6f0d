"""Shrink a case as long as it shows the problem."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")
#: Pieces of at most this many items are tried at every position, others at every half.
_CLOSE = 6
#: Returns whether a smaller case still shows the problem.
Shows = Callable[[T], bool]


@dataclass(slots=True)
class ShrinkBudget:
    """Budget of shrinking: tries, and CPU seconds of this process."""

    tries: int = 2000
    seconds: float = 120.0
    _started: float = field(default_factory=time.process_time)

    @property
    def spent(self) -> bool:
        """Whether there is no budget for another try."""
        return self.tries <= 0 or time.process_time() - self._started > self.seconds

    def within(self, shows: Shows[T]) -> Shows[T]:
        """Return `shows` limited by the budget: False once it is spent."""

        def limited(thing: T) -> bool:
            if self.spent:
                return False
            self.tries -= 1
            return shows(thing)

        return limited


def fewer(items: Sequence[T], shows: Shows[tuple[T, ...]]) -> tuple[T, ...]:
    """Return as few items as still show the problem; remove halves first, then smaller pieces."""
    remaining = tuple(items)
    if remaining and shows(()):
        return ()
    size = max(1, len(remaining) // 2)
    while size:
        at = 0
        while at < len(remaining):
            without = remaining[:at] + remaining[at + size :]
            if shows(without):
                remaining = without
            else:
                at += size // 2 if size > _CLOSE else 1
        size = max(size // 2, _CLOSE) if size > _CLOSE else size - 1
    return remaining


def simpler(
    items: Sequence[T], others: Callable[[T], Iterable[T]], shows: Shows[tuple[T, ...]]
) -> tuple[T, ...]:
    """Replace each item by its first alternative that still shows the problem."""
    remaining = tuple(items)
    for at in range(len(remaining)):
        for other in others(remaining[at]):
            changed = (*remaining[:at], other, *remaining[at + 1 :])
            if shows(changed):
                remaining = changed
                break
    return remaining


def settle(thing: T, once: Callable[[T], T]) -> T:
    """Apply `once` until it changes nothing; return the result."""
    while (after := once(thing)) != thing:
        thing = after
    return thing
