"""A file system in memory for the oracle, without WebAssembly's memory: nodes, paths, changes.

It is independent of `lower/files.c`, so that tests can compare the two.
"""

from collections.abc import Callable
from dataclasses import field
from enum import IntEnum

from transputer.ir.files import FileNode, FileTree, FileType, Mount
from transputer.values import dataclass

#: Limits of a path and of a name in bytes, of links in one path, and of a file.
_PATH, _NAME, _LINKS, _FILE = 4096, 255, 40, (1 << 31) - 1
#: The serial number of a folder's first entry; `.` and `..` come before it.
_FIRST = 2


class Errno(IntEnum):
    """Error codes of WASI."""

    SUCCESS = 0
    ACCES = 2
    BADF = 8
    BUSY = 10
    EXIST = 20
    FBIG = 22
    ILSEQ = 25
    INVAL = 28
    ISDIR = 31
    LOOP = 32
    MFILE = 33
    NAMETOOLONG = 37
    NOENT = 44
    NOTDIR = 54
    NOTEMPTY = 55
    NOTSOCK = 57
    NOTSUP = 58
    PERM = 63
    SPIPE = 70
    XDEV = 75


class FileError(Exception):
    """A refusal, with its code."""

    def __init__(self, code: Errno) -> None:
        super().__init__(code.name)
        self.code = code


def check(condition: object, code: Errno) -> None:
    """Raise `FileError` unless the condition holds."""
    if not condition:
        raise FileError(code)


@dataclass(slots=True, eq=False)
class OpenNode:
    """A file, a folder or a link, as it changes; `entries` are serial number and node by name."""

    type: FileType
    number: int
    mount: int
    writable: bool = True
    readable: bool = True
    links: int = 1
    data: bytearray = field(default_factory=bytearray)
    entries: dict[bytes, tuple[int, "OpenNode"]] = field(default_factory=dict)
    serial: int = _FIRST
    parent: "OpenNode | None" = None
    accessed: int = 0
    modified: int = 0
    changed: int = 0
    dated: bool = False

    @property
    def folder(self) -> bool:
        """Whether it is a folder."""
        return self.type is FileType.DIRECTORY

    @property
    def size(self) -> int:
        """Its size in bytes, which no one compares for a folder."""
        return _PATH if self.folder else len(self.data)

    def above(self) -> "OpenNode":
        """Return the folder that holds this one; the outermost holds itself."""
        return self if self.parent is None else self.parent

    def within(self, folder: "OpenNode") -> bool:
        """Whether this folder is `folder` or in it."""
        node = self
        while node is not folder and node.parent is not None:
            node = node.parent
        return node is folder


@dataclass(frozen=True, slots=True)
class ResolvedPath:
    """What a path names: the folder of its last name, that name, and the node if there is one.

    `plain` is false for a path that ends in `.` or `..`; `slash` says that it ends in a slash.
    `late` is an error that a function may report in its own way.
    """

    folder: OpenNode
    name: bytes
    node: OpenNode | None
    plain: bool = True
    slash: bool = False
    late: Errno = Errno.SUCCESS

    def existing(self) -> OpenNode:
        """Return the node; raise `FileError` if there is none."""
        check(not self.late, self.late)
        if self.node is None:
            raise FileError(Errno.NOENT)
        return self.node


class Files:
    """All files of one program; `now` reads its clock."""

    def __init__(self, tree: FileTree, now: Callable[[], int]) -> None:
        self.now = now
        self.mounts = tree.mounts
        nodes = [_opened(node, number) for number, node in enumerate(tree.nodes)]
        for i, node in enumerate(tree.nodes):
            for name, child in node.entries:
                nodes[i].entries[name] = nodes[i].serial, nodes[child]
                nodes[i].serial += 1
                if nodes[child].folder:
                    nodes[child].parent = nodes[i]
                    nodes[i].links += 1
                else:
                    nodes[child].links += 1
        self.roots = [nodes[mount.root] for mount in tree.mounts]
        for i, mount in enumerate(tree.mounts):
            for number in (mount.root, *(number for _, number in tree.paths(mount.root))):
                nodes[number].mount = i
        self.count = len(nodes)

    def final(self) -> FileTree:
        """Return the files as they are now."""
        order: list[OpenNode] = list(dict.fromkeys(self.roots))
        seen = set(map(id, order))
        for node in order:
            for _, child in node.entries.values():
                if id(child) not in seen:
                    seen.add(id(child))
                    order.append(child)
        numbers = {id(node): i for i, node in enumerate(order)}
        nodes = tuple(
            FileNode(
                n.type, bytes(n.data),
                tuple((name, numbers[id(child)]) for name, (_, child) in n.entries.items()),
                n.modified, n.writable, n.readable, n.dated, n.accessed,
            )
            for n in order
        )  # fmt: skip
        pairs = zip(self.mounts, self.roots, strict=True)
        return FileTree(nodes, tuple(Mount(m.name, numbers[id(root)]) for m, root in pairs))

    # Paths

    def walk(
        self, root: OpenNode, path: bytes, *, follow: bool, exact: bool = False
    ) -> ResolvedPath:
        """Follow a path; raise `FileError` if it leaves `root` or leads nowhere."""
        check(path, Errno.NOENT)
        folder, links, rest = root, 0, path
        check(not rest.startswith(b"/"), Errno.PERM)
        while True:
            name, separator, rest = rest.partition(b"/")
            slash, rest = bool(separator), rest.lstrip(b"/")
            check(len(name) <= _NAME, Errno.NAMETOOLONG)
            if name in (b".", b".."):
                if name == b"..":
                    check(folder is not root, Errno.PERM)
                    folder = folder.above()
                if not rest:
                    return ResolvedPath(folder, name, folder, False, slash)
                continue
            node = folder.entries[name][1] if name in folder.entries else None
            ends = not rest
            followed = not ends or follow or (slash and not exact)
            if node is not None and node.type is FileType.LINK and followed:
                links += 1
                check(links <= _LINKS, Errno.LOOP)
                target = bytes(node.data) + b"/" * slash + rest
                check(len(target) < _PATH, Errno.NAMETOOLONG)
                check(node.data, Errno.NOENT)
                check(not target.startswith(b"/"), Errno.PERM)
                rest = target
                continue
            if ends:
                wrong = node is not None and slash and not node.folder
                late = Errno.NOTDIR if wrong else Errno.SUCCESS
                return ResolvedPath(folder, name, node, True, slash, late)
            if node is None:
                raise FileError(Errno.NOENT)
            check(node.folder, Errno.NOTDIR)
            folder = node

    # Changes

    def touch(self, node: OpenNode) -> None:
        """Note a change of a node's contents."""
        node.modified = node.changed = self.now()

    def resize(self, node: OpenNode, size: int) -> None:
        """Cut a file off, or extend it with zeros."""
        check(size <= _FILE, Errno.FBIG)
        del node.data[size:]
        node.data += bytes(size - len(node.data))

    def add(self, place: ResolvedPath, node: OpenNode) -> None:
        """Give a node a name."""
        place.folder.entries[place.name] = place.folder.serial, node
        place.folder.serial += 1
        self.touch(place.folder)

    def create(self, place: ResolvedPath, type_: FileType, data: bytes = b"") -> OpenNode:
        """Make a node at a place."""
        self.count += 1
        node = OpenNode(type_, self.count, place.folder.mount, data=bytearray(data))
        node.accessed = node.modified = node.changed = self.now()
        self.add(place, node)
        if node.folder:
            node.parent = place.folder
            node.links = 2
            place.folder.links += 1
        return node

    def drop(self, place: ResolvedPath) -> None:
        """Take a name away."""
        del place.folder.entries[place.name]
        self.touch(place.folder)

    def remove(self, place: ResolvedPath) -> None:
        """Take a name away from a node that may have others."""
        node = place.existing()
        if node.folder:
            place.folder.links -= 1
            node.links -= 1
        self.drop(place)
        node.links -= 1
        node.changed = self.now()

    def link(self, old: ResolvedPath, new: ResolvedPath) -> None:
        """Give a file a second name."""
        node = old.existing()
        check(new.node is None, Errno.EXIST)
        check(not new.slash, Errno.NOENT)
        check(not node.folder, Errno.PERM)
        check(node.mount == new.folder.mount, Errno.XDEV)
        self.add(new, node)
        node.links += 1
        node.changed = self.now()

    def rename(self, old: ResolvedPath, new: ResolvedPath) -> None:
        """Give a node another name, replacing what has it."""
        check(not new.late, new.late)
        check(not old.late, old.late)
        check(old.folder.mount == new.folder.mount, Errno.XDEV)
        check(old.plain and new.plain, Errno.BUSY)
        node, taken = old.existing(), new.node
        check(node.folder or not (old.slash or new.slash), Errno.NOTDIR)
        check(not node.folder or not new.folder.within(node), Errno.INVAL)
        if taken is not None and taken.folder:
            check(not old.folder.within(taken), Errno.NOTEMPTY)
        if taken is node:
            return
        if taken is None:
            self.add(new, node)
        else:
            check(taken.folder or not node.folder, Errno.NOTDIR)
            check(node.folder or not taken.folder, Errno.ISDIR)
            check(not taken.entries, Errno.NOTEMPTY)
            serial, _ = new.folder.entries[new.name]
            new.folder.entries[new.name] = serial, node
            taken.links -= 2 if node.folder else 1
            new.folder.links -= node.folder
            self.touch(new.folder)
        self.drop(old)
        if node.folder:
            node.parent = new.folder
            old.folder.links -= 1
            new.folder.links += 1
        node.changed = self.now()

    def set_times(self, node: OpenNode, accessed: int, modified: int, which: int) -> None:
        """Set times to values or to now, as bits of `which` say."""
        check(which < 16 and which & 3 != 3 and which & 12 != 12, Errno.INVAL)
        check(node.writable, Errno.PERM)
        time = self.now()
        if which & 3:
            node.accessed = accessed if which & 1 else time
        if which & 12:
            node.modified = modified if which & 4 else time
        node.changed, node.dated = time, True


def _opened(node: FileNode, number: int) -> OpenNode:
    """Return a node that can change; its links are counted later."""
    opened = OpenNode(node.type, number + 1, 0, node.writable, node.readable)
    opened.links = 2 if opened.folder else 0
    opened.data = bytearray(node.data)
    opened.accessed = node.accessed or node.modified
    opened.modified = opened.changed = node.modified
    return opened
