"""Limits of what one call of a tool, and all of them together, may use."""

from os import cpu_count

from transputer.values import dataclass

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class ServeLimits:
    """Limits per call (steps, seconds, bytes), per request (bytes), and for the whole server."""

    steps: int = 20_000_000
    seconds: float = 60.0  # for a whole call, compilation included
    memory: int = 1024 * MIB  # beyond what a worker has before its call
    output: int = 1 * MIB
    source: int = 256 << 10
    stdin: int = 64 << 10
    question: int = 8 << 10
    arguments: int = 64
    body: int = 512 << 10
    calls: int = max(2, cpu_count() or 2)  # at the same time; others wait
    waiting: int = 32  # more are refused
    links: int = 256  # runs that the studio can still open; the oldest is dropped
