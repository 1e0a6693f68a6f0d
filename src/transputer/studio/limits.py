"""What the programs of strangers may use, and how much a page may ask for."""

from dataclasses import dataclass
from os import cpu_count

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """Per run: steps, seconds, bytes of memory and output. Per request: bytes. In all: sessions."""

    steps: int = 20_000_000
    seconds: float = 120.0
    compile_seconds: float = 30.0
    memory: int = 1024 * MIB  # beyond what a worker has before its run
    output: int = 4 * MIB
    look_seconds: float = 30.0  # a search, or an answer about a step
    source: int = 256 << 10
    stdin: int = 64 << 10
    body: int = 512 << 10
    arguments: int = 64
    edits: int = 1024  # cells of memory that a run begins with otherwise
    runs: int = max(2, cpu_count() or 2)  # going on at the same time; more wait
    kept: int = 24  # runs that can be looked at; the one longest not looked at goes first
    sessions: int = 64
    streams: int = 4  # of events, per session
    learn_seconds: float = 300.0

    def as_json(self) -> dict[str, float]:
        """What the page tells people."""
        return {
            "steps": self.steps, "seconds": self.seconds, "memory": self.memory,
            "output": self.output, "source": self.source, "stdin": self.stdin,
        }  # fmt: skip
