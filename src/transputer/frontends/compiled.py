"""Compiled programs as bytes for the user's cache."""

import json
from dataclasses import dataclass

#: Compiled programs in the cache; those not used for longest go first.
MOST = 256


@dataclass(frozen=True, slots=True)
class Compiled:
    """A module, and the compiler's messages."""

    module: bytes
    said: str = ""

    def dump(self) -> bytes:
        """The messages on a line, then the module."""
        return json.dumps(self.said).encode() + b"\n" + self.module

    @classmethod
    def load(cls, contents: bytes) -> "Compiled":
        """What `dump` gave; raises `ValueError` for anything else."""
        said, _, module = contents.partition(b"\n")
        return cls(module, json.loads(said))
