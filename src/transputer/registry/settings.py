"""Settings of a run: input, output, limits and options."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from os import PathLike
from typing import Any

from transputer.host.outcome import Pulse, Sink, quiet
from transputer.values import dataclass

FilePath = str | PathLike[str]


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The settings of a run; `Program.run` and `Program.debug` document them.

    `edits` replace words or bytes of initial memory; `options` are those that only one machine has.
    """

    engine: str = "auto"
    invoke: str | None = None
    args: Sequence[Any] = ()
    stdin: bytes | Callable[[], int] = b""
    stdout: Sink | None = None
    stderr: Sink | None = None
    max_steps: int | None = None
    pulse: Pulse = quiet
    env: Mapping[str, str] = field(default_factory=dict)
    dirs: Sequence[str] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    write_anyway: bool = False
    clock: int = 0
    ticks: str = "steps"
    seed: int = 0
    keep: bool = True
    digest: bool = False
    checkpoint: FilePath | None = None
    resume: FilePath | None = None
    weights: Any = None
    edits: Mapping[int, int] = field(default_factory=dict)
    started: Callable[[Any], None] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def optional(self) -> dict[str, Any]:
        """Return the settings that not every machine takes, by name."""
        return {
            "invoke": self.invoke,
            "args": tuple(self.args),
            "stdin": self.stdin if isinstance(self.stdin, bytes) else None,
            "env": tuple(self.env),
            "dirs": tuple(self.dirs),
            "files": tuple(self.files),
            "checkpoint": self.checkpoint,
            "resume": self.resume,
            "weights": self.weights,
            "edits": tuple(self.edits),
            **self.options,
        }
