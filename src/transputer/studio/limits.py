"""Limits of the resources that programs and pages may use."""

from os import cpu_count

from transputer.values import dataclass

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class StudioLimits:
    """Limits per run (steps, seconds, bytes), per request (bytes), and for the whole server."""

    steps: int = 20_000_000
    seconds: float = 120.0
    compile_seconds: float = 30.0
    memory: int = 1024 * MIB  # beyond what a worker has before its run
    output: int = 4 * MIB
    look_seconds: float = 30.0  # for a search, or a query about a step
    source: int = 256 << 10
    stdin: int = 64 << 10
    body: int = 512 << 10
    arguments: int = 64
    edits: int = 1024  # edited cells of initial memory
    runs: int = max(2, cpu_count() or 2)  # concurrent runs; others wait
    finished: int = 24  # finished runs that stay available; the least recently used is dropped
    sessions: int = 64
    streams: int = 4  # event streams per session
    learn_seconds: float = 300.0

    def as_json(self) -> dict[str, float]:
        """Return the limits that the page shows."""
        return {
            "steps": self.steps, "seconds": self.seconds, "memory": self.memory,
            "output": self.output, "source": self.source, "stdin": self.stdin,
        }  # fmt: skip
