"""Compiled programs kept for next time, found by a hash of all that went into them."""

import json
import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

#: How many compiled programs are kept; the oldest go first.
KEPT = 256


@dataclass(frozen=True, slots=True)
class CompiledModule:
    """A module and what the compiler said when it was made."""

    module: bytes
    said: str = ""


class CompileCache:
    """A folder of compiled programs; without a folder nothing is ever found."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    @property
    def exists(self) -> bool:
        """Whether there is a place to keep anything."""
        return self.folder is not None

    def get(self, key: str) -> CompiledModule | None:
        """What was kept under a key, if it is still whole."""
        if self.folder is None:
            return None
        try:
            head, _, module = (self.folder / f"{key}.wasm").read_bytes().partition(b"\n")
            held = json.loads(head)
            return CompiledModule(module, held["said"]) if held["size"] == len(module) else None
        except (OSError, ValueError, KeyError, TypeError):
            return None  # to be made again

    def put(self, key: str, made: CompiledModule) -> None:
        """Keep something; a full or read-only disk only means that it is not kept."""
        if self.folder is None:
            return
        head = json.dumps({"size": len(made.module), "said": made.said}).encode()
        with suppress(OSError):
            handle, name = tempfile.mkstemp(dir=self.folder)
            with os.fdopen(handle, "wb") as file:
                file.write(head + b"\n" + made.module)
            os.replace(name, self.folder / f"{key}.wasm")
            self._tidy(self.folder)

    def _tidy(self, folder: Path) -> None:
        held = sorted(folder.glob("*.wasm"), key=lambda p: p.stat().st_mtime)
        for path in held[: -KEPT or None] if len(held) > KEPT else []:
            path.unlink(missing_ok=True)
