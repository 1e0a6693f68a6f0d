"""MkDocs hooks: pages outside `docs` join the site, and links between all of them keep working.

In the repository, `docs/design.md` links to `../ARCHITECTURE.md`; on the site both stand in one
folder.
"""

import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mkdocs.structure.files import Files

ROOT = Path(__file__).parents[1]
#: Pages of the repository that the site also shows, by path from the root.
OUTSIDE = [
    *("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "MODEL_CARD.md"),
    *sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("examples/*/README.md")),
]
_LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)\s]*)?\))")


def place(path: str) -> str:
    """Where a file of the repository is on the site."""
    return path.removeprefix("docs/")


def source(path: str) -> str:
    """The file of the repository that is at a place of the site."""
    return path if path in OUTSIDE else f"docs/{path}"


def relinked(text: str, path: str) -> str:
    """The text of a repository's file with links as they are on the site."""

    def link(match: re.Match[str]) -> str:
        if ":" in match[2]:
            return match[0]
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), match[2]))
        start = posixpath.dirname(place(path)) or "."
        return f"{match[1]}{posixpath.relpath(place(target), start)}{match[3]}"

    return _LINK.sub(link, text)


def on_files(files: "Files", config: Any, **_: Any) -> "Files":
    """Add the pages that stand outside `docs`."""
    from mkdocs.structure.files import File  # only there while a site is built

    for path in OUTSIDE:
        content = (ROOT / path).read_text(encoding="utf-8")
        files.append(File.generated(config, place(path), content=content))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links as they are on the site."""
    return relinked(markdown, source(page.file.src_uri))
