"""Compiled programs as bytes for the user's cache."""

import json

from transputer.values import dataclass

#: Compiled programs in the cache; those not used for longest go first.
MOST = 256


@dataclass(frozen=True, slots=True)
class CompiledModule:
    """A module, and the compiler's messages."""

    module: bytes
    messages: str = ""

    def dump(self) -> bytes:
        """The messages on a line, then the module."""
        return json.dumps(self.messages).encode() + b"\n" + self.module

    @classmethod
    def load(cls, contents: bytes) -> "CompiledModule":
        """What `dump` gave; raises `ValueError` for anything else."""
        messages, _, module = contents.partition(b"\n")
        return cls(module, json.loads(messages))
