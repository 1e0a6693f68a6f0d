"""Files that a program finds when it starts, and those that it leaves: a value."""

from collections.abc import Iterator
from enum import IntEnum

from transputer.values import dataclass


class FileType(IntEnum):
    """Types of files, with WASI's numbers."""

    UNKNOWN = 0
    DIRECTORY = 3
    REGULAR = 4
    LINK = 7


@dataclass(frozen=True, slots=True)
class FileNode:
    """A file, a folder or a symbolic link.

    `data` is the contents of a file or the target of a link; `entries` are the names in a folder
    and the numbers of their nodes. `modified` is a time in nanoseconds. A file that is not
    `readable` is listed but cannot be opened. `dated` says that the program set its times.
    """

    type: FileType
    data: bytes = b""
    entries: tuple[tuple[bytes, int], ...] = ()
    modified: int = 0
    writable: bool = False
    readable: bool = True
    dated: bool = False
    accessed: int = 0


@dataclass(frozen=True, slots=True)
class Mount:
    """A folder that a program has open when it starts: its name there, and its node."""

    name: bytes
    root: int


@dataclass(frozen=True, slots=True)
class FileTree:
    """All files of a program. A node may have several names, except that folders form a tree."""

    nodes: tuple[FileNode, ...] = ()
    mounts: tuple[Mount, ...] = ()

    def paths(self, root: int) -> Iterator[tuple[tuple[bytes, ...], int]]:
        """Yield the path of every file below a folder and the number of its node, parents first."""
        todo: list[tuple[tuple[bytes, ...], int]] = [((), root)]
        while todo:
            path, number = todo.pop()
            for name, child in self.nodes[number].entries:
                yield (*path, name), child
                if self.nodes[child].type is FileType.DIRECTORY:
                    todo.append(((*path, name), child))


#: No files at all.
NO_FILES = FileTree()
