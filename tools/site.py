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


def linked(text: str, path: str) -> set[str]:
    """The files of the repository, by path from the root, that the text of one links to."""
    links = (match[2] for match in _LINK.finditer(text) if ":" not in match[2])
    return {posixpath.normpath(posixpath.join(posixpath.dirname(path), link)) for link in links}


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
    """Add the pages that stand outside `docs`, and the files that pages link to."""
    from mkdocs.structure.files import File  # only there while a site is built

    wanted: set[str] = set()
    for path in OUTSIDE:
        content = (ROOT / path).read_text(encoding="utf-8")
        wanted |= linked(content, path)
        files.append(File.generated(config, place(path), content=content))
    for page in sorted((ROOT / "docs").glob("*.md")):
        wanted |= linked(page.read_text(encoding="utf-8"), f"docs/{page.name}")
    for path in sorted(wanted.difference(OUTSIDE)):
        if not path.startswith("docs/") and (ROOT / path).is_file():
            files.append(File.generated(config, path, abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links as they are on the site."""
    return relinked(markdown, source(page.file.src_uri))
