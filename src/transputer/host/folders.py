"""Folders of the host that a program may use: read before the run, written after it.

A run sees only the copy. Nothing outside the named folders is read or written: every name is
opened relative to the folder that holds it, and symbolic links are never followed but copied as
links.
"""

import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field

from transputer.errors import CapacityError, UsageError
from transputer.ir.files import FileNode, FileTree, FileType, Mount
from transputer.values import dataclass

#: Total size of the files of a program, in bytes: every nonzero word is a token of the prompt.
MAX_BYTES = 1 << 25
#: Number of files and folders of a program.
MAX_FILES = 1 << 16
#: Nesting of folders.
MAX_DEPTH = 200
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_TYPES = {
    stat.S_IFDIR: FileType.DIRECTORY,
    stat.S_IFREG: FileType.REGULAR,
    stat.S_IFLNK: FileType.LINK,
}
Path = tuple[bytes, ...]
#: Does one change to the name in an open folder; returns a line with a gap for the whole name.
Action = Callable[[Path, int, bytes], str]


@dataclass(frozen=True, slots=True)
class FolderOption:
    """A folder of the host, its name for the program, and whether the program may change it."""

    host: str
    guest: str
    writable: bool = False

    @classmethod
    def parse(cls, text: str) -> "FolderOption":
        """Read `HOST[::GUEST][:rw]`; raise `UsageError` for an empty name."""
        place = text.removesuffix(":rw")
        host, separator, guest = place.partition("::")
        if not host or (separator and not guest):
            raise UsageError(f"{text!r} is not HOST[::GUEST][:rw]")
        return cls(host, guest or host, place != text)


@dataclass(slots=True)
class HostFolders:
    """The folders of a run: where they are, and their files when the run began."""

    options: tuple[FolderOption, ...]
    tree: FileTree
    roots: tuple[tuple[int, int], ...] = ()  # device and inode of each, so that none is exchanged

    def write(self, after: FileTree) -> tuple[str, ...]:
        """Change the writable folders to what the run left; return a line for each change.

        Raises `UsageError` if the host refuses one; the changes before it remain.
        """
        lines: list[str] = []
        for number, option in enumerate(self.options):
            if option.writable:
                with _opened(option.host) as root:
                    if _identity(os.fstat(root)) != self.roots[number]:
                        raise UsageError(f"{option.host} is another folder now; nothing is written")
                    before = _Side(self.tree, self.tree.mounts[number].root)
                    end = _Side(after, after.mounts[number].root)
                    lines += _Changes(option.host, root, before, end).apply()
        return tuple(lines)

    def changed(self, after: FileTree) -> list[str]:
        """Return the writable folders in which the run changed something."""
        pairs = zip(self.options, self.tree.mounts, after.mounts, strict=False)
        return [
            option.host
            for option, old, new in pairs
            if option.writable and _Side(self.tree, old.root) != _Side(after, new.root)
        ]


def open_folders(folders: Sequence[str], files: Mapping[str, str] | None = None) -> HostFolders:
    """Read folders (`HOST[::GUEST][:rw]`) and single files by their name for the program.

    Raises `UsageError` if one cannot be read or a name is taken, `CapacityError` if they are too
    large for a prompt.
    """
    options = tuple(FolderOption.parse(text) for text in folders)
    _check_overlap(options)
    copier = _Copier()
    mounts, roots = [], []
    for option in options:
        with _opened(option.host) as root:
            roots.append(_identity(os.fstat(root)))
            try:
                node = copier.folder(root, option.host, option.writable)
            except OSError as error:
                name = os.fsdecode(error.filename or b"")
                raise UsageError(f"--dir {option.host}: {name}: {error.strerror}") from None
            mounts.append(Mount(os.fsencode(option.guest), node))
    if files:
        for name in files:
            if any(_covers(option.guest, name) for option in options):
                raise UsageError(f"--file {name}: a folder of --dir has this name already")
        mounts.append(Mount(b"/", copier.virtual(files)))
    return HostFolders(options, FileTree(tuple(copier.nodes), tuple(mounts)), tuple(roots))


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def _parts(name: str) -> list[str]:
    return [part for part in name.split("/") if part not in ("", ".")]


def _covers(guest: str, name: str) -> bool:
    """Whether a name lies in a folder."""
    folder = _parts(guest)
    return _parts(name)[: len(folder)] == folder


def _check_overlap(options: Sequence[FolderOption]) -> None:
    """Refuse a writable folder that another one contains: both would be written."""
    places = [os.path.realpath(option.host) for option in options]
    for i, option in enumerate(options):
        for j, other in enumerate(options):
            inside = os.path.commonpath([places[i], places[j]]) == places[j]
            if i != j and inside and (option.writable or other.writable):
                raise UsageError(f"--dir {option.host} and {other.host} overlap and are writable")


@contextmanager
def _opened(host: str) -> Iterator[int]:
    try:
        number = os.open(host, _FOLDER)
    except OSError as error:
        raise UsageError(f"--dir {host}: {error.strerror}") from None
    try:
        yield number
    finally:
        os.close(number)


@dataclass(slots=True)
class _Copier:
    """Copies folders of the host into nodes."""

    nodes: list[FileNode] = field(default_factory=list)
    linked: dict[tuple[int, int], int] = field(default_factory=dict)  # files with several names
    size: int = 0

    def add(self, node: FileNode, host: str) -> int:
        self.size += len(node.data)
        self.nodes.append(node)
        if self.size > MAX_BYTES or len(self.nodes) > MAX_FILES:
            raise CapacityError(
                f"{host}: the files of a program are part of its prompt, at most "
                f"{MAX_BYTES:,} bytes in {MAX_FILES:,} files"
            )
        return len(self.nodes) - 1

    def folder(self, number: int, host: str, writable: bool, depth: int = 0) -> int:
        """Copy an open folder; return the number of its node."""
        if depth > MAX_DEPTH:
            raise CapacityError(f"{host}: folders nested more than {MAX_DEPTH} deep")
        status = os.fstat(number)
        node = FileNode(FileType.DIRECTORY, modified=_modified(status), writable=writable)
        index = self.add(node, host)
        entries = tuple(
            (os.fsencode(name), self._entry(number, name, f"{host}/{name}", writable, depth))
            for name in sorted(os.listdir(number))
        )
        self.nodes[index] = FileNode(
            FileType.DIRECTORY, entries=entries, modified=node.modified, writable=writable
        )
        return index

    def _entry(self, folder: int, name: str, host: str, writable: bool, depth: int) -> int:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        type_ = _TYPES.get(stat.S_IFMT(status.st_mode), FileType.UNKNOWN)
        plain = FileNode(type_, modified=_modified(status), writable=writable, readable=False)
        try:
            if type_ is FileType.DIRECTORY:
                number = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=folder)
                try:
                    return self.folder(number, host, writable, depth + 1)
                finally:
                    os.close(number)
            if type_ is FileType.LINK:
                target = os.fsencode(os.readlink(name, dir_fd=folder))
                return self.add(FileNode(type_, target, (), plain.modified, writable), host)
            if type_ is FileType.REGULAR:
                return self._file(name, folder, host, writable)
        except PermissionError:
            pass  # it is listed, but cannot be opened
        return self.add(plain, host)

    def _file(self, name: str, folder: int | None, host: str, writable: bool) -> int:
        flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | (os.O_NOFOLLOW if folder else 0)
        with os.fdopen(os.open(name, flags, dir_fd=folder), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise UsageError(f"{host}: not a file")
            known = self.linked.get(_identity(status)) if status.st_nlink > 1 else None
            if known is not None:
                return known
            data = file.read(MAX_BYTES - self.size + 1)
        node = FileNode(FileType.REGULAR, data, (), _modified(status), writable)
        number = self.linked[_identity(status)] = self.add(node, host)
        return number

    def virtual(self, files: Mapping[str, str]) -> int:
        """Add a folder that holds only these files, in the folders that their names ask for."""
        folders: dict[Path, dict[bytes, int]] = {(): {}}
        for name, host in files.items():
            parts = tuple(os.fsencode(part) for part in _parts(name))
            if not parts or b".." in parts:
                raise UsageError(f"--file {name}={host}: not a name of a file")
            for i in range(len(parts)):
                folders.setdefault(parts[:i], {})
            if parts in folders or parts[-1] in folders[parts[:-1]]:
                raise UsageError(f"--file {name}: there are two files of this name")
            try:
                folders[parts[:-1]][parts[-1]] = self._file(host, None, host, False)
            except OSError as error:
                raise UsageError(f"--file {name}={host}: {error.strerror}") from None
        numbers: dict[Path, int] = {}
        for path in sorted(folders, key=len, reverse=True):
            inner = {p[-1]: numbers[p] for p in numbers if p[:-1] == path}
            if taken := inner.keys() & folders[path].keys():
                raise UsageError(f"--file: {os.fsdecode(taken.pop())} is a file and a folder")
            entries = tuple(sorted({**folders[path], **inner}.items()))
            numbers[path] = self.add(FileNode(FileType.DIRECTORY, entries=entries), "--file")
        return numbers[()]


def _modified(status: os.stat_result) -> int:
    return max(status.st_mtime_ns, 0)


def _order(item: tuple[Path, int]) -> tuple[int, Path]:
    return len(item[0]), item[0]


class _Side:
    """The files of one folder, before or after a run, by path."""

    def __init__(self, tree: FileTree, root: int) -> None:
        self.nodes = tree.nodes
        self.numbers = dict(sorted(tree.paths(root), key=_order))
        self.names: dict[int, list[Path]] = {}
        for path, number in self.numbers.items():
            self.names.setdefault(number, []).append(path)

    def shared(self, path: Path) -> list[Path]:
        """Return all names of the file at a path, in order."""
        return self.names[self.numbers[path]]

    def __getitem__(self, path: Path) -> FileNode:
        return self.nodes[self.numbers[path]]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Side) and self._contents() == other._contents()

    __hash__ = None  # type: ignore[assignment]

    def _contents(self) -> dict[Path, tuple[FileType, bytes, bool]]:
        nodes = ((path, self.nodes[number]) for path, number in self.numbers.items())
        return {path: (node.type, node.data, node.dated) for path, node in nodes}


@dataclass(slots=True)
class _Changes:
    """Applies the difference between two states of a folder."""

    host: str
    root: int
    before: _Side
    after: _Side
    names: dict[int, Path] = field(default_factory=dict)  # where the node of a file was written

    def apply(self) -> Iterator[str]:
        """Remove, then add and change; yield a line for each."""
        for path in reversed(self.before.numbers):
            if path not in self.after.numbers or self._replaced(path):
                yield self._do(self._remove, path)
        for path in self.after.numbers:
            yield from self._added(path)
        for path in reversed(self.after.numbers):
            if self.after[path].dated:
                yield self._do(self._date, path)

    def _replaced(self, path: Path) -> bool:
        """Whether the file of a name has to be removed although the name stays."""
        old, new = self.before[path], self.after[path]
        if old.type is not new.type or old.type is FileType.DIRECTORY:
            return old.type is not new.type
        if old.type is FileType.LINK:
            return old.data != new.data
        names, others = self.before.shared(path), self.after.shared(path)
        return names != others and (len(names) > 1 or path != others[0])

    def _added(self, path: Path) -> Iterator[str]:
        node, number = self.after[path], self.after.numbers[path]
        stays = path in self.before.numbers and not self._replaced(path)
        if node.type is FileType.DIRECTORY:
            if not stays:
                yield self._do(self._make, path)
        elif node.type is FileType.LINK:
            if not stays:
                yield self._do(self._link, path)
        elif node.type is FileType.REGULAR:
            other = self.names.get(number)
            if other is not None:
                if not stays:
                    yield self._do(self._name, path)
            elif not stays or self.before[path].data != node.data:
                yield self._do(self._write, path)
            self.names.setdefault(number, path)

    def _do(self, action: Action, path: Path) -> str:
        name = os.fsdecode(b"/".join((os.fsencode(self.host), *path)))
        try:
            folder = self._folder(path[:-1])
            try:
                return action(path, folder, path[-1]).replace("{}", name)
            finally:
                os.close(folder)
        except OSError as error:
            raise UsageError(f"{name} cannot be written: {error.strerror}") from None

    def _folder(self, path: Path) -> int:
        """Open a folder below the root, never through a link."""
        number = os.dup(self.root)
        for name in path:
            inner = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=number)
            os.close(number)
            number = inner
        return number

    def _remove(self, path: Path, folder: int, name: bytes) -> str:
        if self.before[path].type is FileType.DIRECTORY:
            os.rmdir(name, dir_fd=folder)
        else:
            os.unlink(name, dir_fd=folder)
        return "removed {}"

    def _make(self, path: Path, folder: int, name: bytes) -> str:
        os.mkdir(name, dir_fd=folder)
        return "made the folder {}"

    def _link(self, path: Path, folder: int, name: bytes) -> str:
        os.symlink(self.after[path].data, name, dir_fd=folder)
        return "made the link {}"

    def _name(self, path: Path, folder: int, name: bytes) -> str:
        other = self.names[self.after.numbers[path]]
        source = self._folder(other[:-1])
        try:
            os.link(other[-1], name, src_dir_fd=source, dst_dir_fd=folder, follow_symlinks=False)
        finally:
            os.close(source)
        return "linked {}"

    def _write(self, path: Path, folder: int, name: bytes) -> str:
        flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        with os.fdopen(os.open(name, flags, 0o666, dir_fd=folder), "wb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise OSError(0, "not a file any more")
            file.truncate(0)
            file.write(self.after[path].data)
        return f"wrote {{}} ({len(self.after[path].data):,} bytes)"

    def _date(self, path: Path, folder: int, name: bytes) -> str:
        node = self.after[path]
        times = (node.accessed, node.modified)
        os.utime(name, ns=times, dir_fd=folder, follow_symlinks=False)
        return "set the times of {}"
