"""Cache of compiled programs, keyed by a hash of everything that determines the output."""

import json
import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

#: Number of compiled programs in the cache; the oldest are evicted first.
KEPT = 256


@dataclass(frozen=True, slots=True)
class CompiledModule:
    """A module and the compiler's messages."""

    module: bytes
    messages: str = ""


class CompileCache:
    """A folder of compiled programs; without a folder, every lookup misses."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    @property
    def exists(self) -> bool:
        """Whether there is a folder to cache in."""
        return self.folder is not None

    def get(self, key: str) -> CompiledModule | None:
        """Return the module for a key, or None if it is missing or damaged."""
        if self.folder is None:
            return None
        try:
            head, _, module = (self.folder / f"{key}.wasm").read_bytes().partition(b"\n")
            header = json.loads(head)
            whole = header["size"] == len(module)
            return CompiledModule(module, header["said"]) if whole else None
        except (OSError, ValueError, KeyError, TypeError):
            return None  # to be compiled again

    def put(self, key: str, compiled: CompiledModule) -> None:
        """Store a module; on a full or read-only disk, do nothing."""
        if self.folder is None:
            return
        head = json.dumps({"size": len(compiled.module), "said": compiled.messages}).encode()
        with suppress(OSError):
            handle, name = tempfile.mkstemp(dir=self.folder)
            with os.fdopen(handle, "wb") as file:
                file.write(head + b"\n" + compiled.module)
            os.replace(name, self.folder / f"{key}.wasm")
            self._tidy(self.folder)

    def _tidy(self, folder: Path) -> None:
        files = sorted(folder.glob("*.wasm"), key=lambda p: p.stat().st_mtime)
        for path in files[: -KEPT or None] if len(files) > KEPT else []:
            path.unlink(missing_ok=True)
