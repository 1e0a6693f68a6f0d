"""The page's files, and the examples that it offers; all come with the package."""

import json
import mimetypes
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class Asset:
    """A file of the page."""

    content: bytes
    kind: str


def assets() -> dict[str, Asset]:
    """Every file of the page by its name."""
    folder = files("transputer.studio") / "static"
    return {
        item.name: Asset(item.read_bytes(), _kind(item.name))
        for item in folder.iterdir()
        if item.is_file()
    }


def _kind(name: str) -> str:
    return mimetypes.guess_type(name)[0] or "application/octet-stream"


@cache
def examples() -> list[dict[str, Any]]:
    """Programs to begin with: group, name, language, text, what to invoke with which arguments."""
    found: list[dict[str, Any]] = json.loads(
        (files("transputer.studio") / "examples.json").read_text(encoding="utf-8")
    )
    return found
