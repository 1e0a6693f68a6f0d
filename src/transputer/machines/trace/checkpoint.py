"""Checkpoints: a run saved in a file, to be resumed later exactly where it stopped.

A run is its tokens, so a checkpoint with a trace is just them. Without a trace it has the tokens
that heads can still attend to, with their positions; what the host appended and where it had to
act; and what the host has noted: the latest writes, the output, the hash so far.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as to_safetensors

from transputer.errors import MalformedError, Place, UsageError
from transputer.values import dataclass

#: Checkpoints of the 32-bit machine were 1.
FORMAT = 3
_KEY = "transputer-checkpoint"
_EMPTY = np.zeros(0, dtype=np.uint8)


@dataclass(frozen=True, slots=True)
class Stop:
    """Where the host had to act, or where the run was checkpointed.

    `token` is the last one, at `position`; steps and instructions are those of the invocation so
    far, bytes of output and of input that the engine took itself those of the session.
    """

    position: int
    token: bytes
    steps: int
    instructions: int
    output: int
    taken: int


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """What a run has come to. `traced`: `tokens` are all; else `snapshot` is the engine's."""

    model: str
    length: int
    traced: bool
    tokens: NDArray[np.uint8] = field(default_factory=lambda: _EMPTY)
    snapshot: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    keys: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    values: NDArray[np.uint64] = field(default_factory=lambda: np.zeros(0, dtype=np.uint64))
    stops: tuple[Stop, ...] = ()
    hash_state: bytes = b""
    output: bytes = b""
    taken: bytes = b""

    @staticmethod
    def of_trace(model: str, tokens: NDArray[np.uint8]) -> "Checkpoint":
        """Of all tokens."""
        return Checkpoint(model, len(tokens), True, tokens)

    @staticmethod
    def of_state(
        model: str,
        snapshot: Mapping[str, NDArray[Any]],
        written: tuple[NDArray[np.int64], NDArray[np.uint64]],
        stops: list[Stop],
        hash_state: bytes,
        output: bytes,
        taken: bytes,
    ) -> "Checkpoint":
        """Of what is left of them; the last stop is where the run is."""
        length = stops[-1].position + 1
        places = tuple(stops)
        return Checkpoint(
            model, length, False, _EMPTY, snapshot, *written, places, hash_state, output, taken
        )

    def host_token(self, position: int) -> bytes:
        """The token of the host's at a position; empty where there is none."""
        if self.traced:
            return bytes(self.tokens[position])
        positions = self.snapshot["host_positions"]
        i = int(np.searchsorted(positions, position))
        if i == len(positions) or positions[i] != position:
            return b""
        return bytes(self.snapshot["host_tokens"][i].astype(np.uint8))

    def stop_after(self, length: int) -> Stop:
        """The next stop of a session with `length` tokens."""
        return next(stop for stop in self.stops if stop.position >= length)

    def save(self, path: str | Path) -> None:
        """Write it whole or not at all; `UsageError` if that cannot be done."""
        arrays = self._arrays()
        seen = hashlib.sha256()
        for name in sorted(arrays):
            seen.update(np.ascontiguousarray(arrays[name]).tobytes())
        about = {
            "format": FORMAT,
            "model": self.model,
            "length": self.length,
            "traced": self.traced,
            "sha256": seen.hexdigest(),
        }
        part = Path(f"{path}.part")
        try:
            part.write_bytes(to_safetensors(arrays, {_KEY: json.dumps(about)}))
            os.replace(part, path)
        except OSError as error:
            raise UsageError(f"{path}: {error.strerror or error}") from None

    def _arrays(self) -> dict[str, NDArray[Any]]:
        if self.traced:
            return {"tokens": self.tokens}
        numbers = [(s.position, s.steps, s.instructions, s.output, s.taken) for s in self.stops]
        arrays = {f"engine.{name}": array for name, array in self.snapshot.items()}
        return arrays | {
            "keys": self.keys,
            "values": self.values,
            "stops": np.array(numbers, dtype=np.int64),
            "stop_tokens": np.array([list(s.token) for s in self.stops], dtype=np.uint8),
            "hash": np.frombuffer(self.hash_state, dtype=np.uint8),
            "output": np.frombuffer(self.output, dtype=np.uint8),
            "taken": np.frombuffer(self.taken, dtype=np.uint8),
        }


def load(path: str | Path, width: int) -> Checkpoint:
    """Load the checkpoint in a file, for a machine whose tokens have that many parts.

    Raises `UsageError` if there is no such file, `MalformedError` if it is damaged or something
    else.
    """
    if not Path(path).is_file():
        raise UsageError(f"{path}: no such file")
    try:
        with safe_open(str(path), framework="numpy") as stored:
            about = json.loads((stored.metadata() or {}).get(_KEY, "null"))
            arrays = {name: stored.get_tensor(name) for name in stored.keys()}  # noqa: SIM118
        return _parsed(about, arrays, width)
    except (SafetensorError, OSError, ValueError, TypeError, KeyError, IndexError) as error:
        line = str(error).strip().splitlines() or [type(error).__name__]
        raise MalformedError(f"not a checkpoint, or damaged: {line[0]}", Place(str(path))) from None


def _parsed(about: Any, arrays: dict[str, NDArray[Any]], width: int) -> Checkpoint:
    """Raises what NumPy and Python raise where something is missing or odd."""
    if not isinstance(about, dict):
        raise ValueError("it has no record")
    if about.get("format") != FORMAT:
        raise ValueError(
            f"its format is {str(about.get('format'))[:40]}, not {FORMAT}; another version made "
            "it: run the program again from the start"
        )
    seen = hashlib.sha256()
    for name in sorted(arrays):
        seen.update(np.ascontiguousarray(arrays[name]).tobytes())
    if seen.hexdigest() != about["sha256"]:
        raise ValueError("its contents changed since it was written")
    if about["traced"]:
        tokens = arrays["tokens"]
        if tokens.shape != (about["length"], width) or tokens.dtype != np.uint8:
            raise ValueError("its tokens do not have the parts of this machine")
        return Checkpoint.of_trace(about["model"], tokens)
    if arrays["engine.tokens"].shape[1:] != (width,):
        raise ValueError("its tokens do not have the parts of this machine")
    stops = [
        Stop(position, bytes(token), *numbers)
        for (position, *numbers), token in zip(
            arrays["stops"].tolist(), arrays["stop_tokens"], strict=True
        )
    ]
    return Checkpoint.of_state(
        about["model"],
        {n.removeprefix("engine."): a for n, a in arrays.items() if n.startswith("engine.")},
        (arrays["keys"], arrays["values"]),
        stops,
        arrays["hash"].tobytes(),
        arrays["output"].tobytes(),
        arrays["taken"].tobytes(),
    )
