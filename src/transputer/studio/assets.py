"""The page's files and its example programs; all come with the package."""

import json
import mimetypes
from functools import cache
from importlib.resources import files
from typing import Any

from transputer.values import dataclass


@dataclass(frozen=True, slots=True)
class Asset:
    """A file of the page."""

    content: bytes
    kind: str


def assets() -> dict[str, Asset]:
    """Return the files of the page by name."""
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
    """Return the example programs: group, name, language, source, function and arguments."""
    text = (files("transputer.studio") / "examples.json").read_text(encoding="utf-8")
    programs: list[dict[str, Any]] = json.loads(text)
    return programs
