"""The file system of WASI: `files.c` as a library, and files as the initial data of its memory.

The library's memory 0 is the program's and its memory 1 its own (see `link.py`). The layout of the
nodes, entries and folders is that of the structures in `files.c`.
"""

import hashlib
import struct
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from importlib.resources import as_file, files

from transputer import cache
from transputer.frontends.binary import decode
from transputer.frontends.binary.sections import keep_custom
from transputer.frontends.c import compile_c
from transputer.frontends.zig import version
from transputer.ir.environment import STEPS, Environment, Ticks
from transputer.ir.files import FileNode, FileTree, FileType, Mount
from transputer.ir.module import (
    PAGE,
    Body,
    DataSegment,
    Export,
    ExternKind,
    Import,
    Instr,
    Limits,
    MemoryType,
    Mode,
    Module,
)
from transputer.ir.verify import verify
from transputer.isa.wasm import WASM
from transputer.values import dataclass

#: Name under which a linked program exports the memory with its files.
FILES = "wasi:files"
#: Imports of `files.c` that are instructions: those of memory 0 are the program's.
_PROGRAM = "program"
_OWN = 1
_FLAGS = ("-Wl,--export=disk", "-Wl,--export=__heap_base", "-Wl,-z,stack-size=4096")

# struct node, struct entry without its name, struct mount and struct disk
_NODE = struct.Struct("<10I3Q")
_ENTRY = struct.Struct("<4I")
_MOUNT = struct.Struct("<3I")
_DISK = struct.Struct("<QQQIIII")
_WRITABLE, _READABLE, _DATED = 1, 2, 8
#: The serial number of a folder's first entry.
_FIRST = 2


@dataclass(frozen=True, slots=True)
class FileLibrary:
    """`files.c` as compiled, and the addresses in its memory of `disk` and of free memory."""

    module: Module
    disk: int
    heap: int


@lru_cache(maxsize=1)
def file_library() -> FileLibrary:
    """Compile `files.c`; raise `EngineUnavailable` without a compiler."""
    source = files("transputer.lower").joinpath("files.c")
    inputs = [version().encode(), *map(str.encode, _FLAGS), source.read_bytes()]
    key = hashlib.sha256(b"\0".join(inputs)).hexdigest()
    entry = cache.entry("files", "library", key, most=2)
    module = entry.get(decode)
    if module is None:
        with as_file(source) as path:
            binary = keep_custom(compile_c(path, library=False, flags=_FLAGS), {"name"})
        entry.write(binary)
        module = decode(binary)
    places = {
        e.name: module.globals[e.index].init[0].args[0]
        for e in module.exports
        if e.kind is ExternKind.GLOBAL
    }
    return FileLibrary(module, places["disk"], -(-places["__heap_base"] // 8) * 8)


@lru_cache(maxsize=2)
def _library(ticks: Ticks) -> Module:
    """Return `files.c` with calls of `program` replaced by instructions, and memory 0 added.

    A clock that counts readings asks for no steps.
    """
    module = file_library().module
    imports = module.imported(ExternKind.FUNC)
    own = [i for i, item in enumerate(imports) if item.module == _PROGRAM]
    rows = {i: _instruction(imports[i].name) for i in own}
    if ticks is Ticks.READINGS:
        asks = [(item.module, item.name) for item in imports].index(STEPS)
        rows[asks] = Instr(WASM["i64.const"], (0,))
    kept = [i for i in range(len(module.func_types)) if i not in rows]
    places = {old: new for new, old in enumerate(kept)}
    program = Import(_PROGRAM, "memory", ExternKind.MEMORY, type=MemoryType(Limits(0)))
    return verify(
        replace(
            module,
            imports=(program, *(item for i, item in enumerate(imports) if i not in rows)),
            functions=tuple(
                replace(f, body=tuple(_rewritten(i, rows, places) for i in f.body))
                for f in module.functions
            ),
            tables=(),
            elements=(),
            exports=tuple(
                replace(e, index=places[e.index])
                for e in module.exports
                if e.kind is ExternKind.FUNC
            ),
            data=tuple(replace(d, memory=_OWN) for d in module.data),
            names=replace(
                module.names,
                functions={places[i]: n for i, n in module.names.functions.items() if i in places},
                locals={},
            ),
        )
    ).module


def _instruction(text: str) -> Instr:
    """Return the instruction that an import of `program` is named after."""
    name, *memories = text.split()
    op = WASM[name]
    if op.width:
        return Instr(op, ((0, 0, 0),))
    return Instr(op, tuple(map(int, memories)))


def _rewritten(instr: Instr, rows: dict[int, Instr], places: dict[int, int]) -> Instr:
    if instr.name == "call":
        target = instr.args[0]
        return rows[target] if target in rows else replace(instr, args=(places[target],))
    if instr.op.width:
        alignment, offset, _ = instr.args[0]
        return replace(instr, args=((alignment, offset, _OWN),))
    if "memory" in instr.op.imm:
        return replace(instr, args=tuple(_OWN for _ in instr.args))
    return instr


@lru_cache(maxsize=4)
def file_system(environment: Environment) -> Module:
    """Return the library with the files and the clock of an environment in its memory."""
    library, module = file_library(), _library(environment.ticks)
    image = _Image(library.heap, environment.files)
    mounts = image.mounts()
    segments = [(library.heap, bytes(image.data))]
    end = library.heap + len(image.data)
    tree = environment.files
    ticks = environment.ticks
    reading, step = (t.length if t is ticks else 0 for t in (Ticks.READINGS, Ticks.STEPS))
    time = environment.clock & (1 << 64) - 1, reading, step
    disk = _DISK.pack(*time, end, len(tree.mounts), mounts, len(tree.nodes))
    segments.append((library.disk, disk))
    data = tuple(DataSegment(raw, Mode.ACTIVE, _OWN, _constant(at)) for at, raw in segments if raw)
    limits = module.memories[0].limits
    memory = MemoryType(replace(limits, minimum=max(limits.minimum, -(-end // PAGE))))
    export = Export(FILES, ExternKind.MEMORY, _OWN)
    return replace(
        module,
        memories=(memory,),
        data=(*module.data, *data),
        exports=(*module.exports, export),
    )


def _constant(value: int) -> Body:
    return (Instr(WASM["i32.const"], (value,)), Instr(WASM["end"]))


class _Image:
    """The initial contents of free memory: nodes first, then what they refer to."""

    def __init__(self, base: int, tree: FileTree) -> None:
        self.base, self.tree = base, tree
        self.data = bytearray(_NODE.size * len(tree.nodes))
        owners = {m.root: (i, m.root) for i, m in enumerate(tree.mounts)}  # mount and parent
        for i, mount in enumerate(tree.mounts):
            folders: dict[tuple[bytes, ...], int] = {(): mount.root}
            for path, number in tree.paths(mount.root):
                owners[number] = i, folders[path[:-1]]
                folders[path] = number
        names = Counter(child for node in tree.nodes for _, child in node.entries)
        for number, node in enumerate(tree.nodes):
            self._write(number, node, *owners[number], names[number])

    def address(self, number: int) -> int:
        """Return the address of a node."""
        return self.base + _NODE.size * number

    def append(self, raw: bytes) -> int:
        """Append aligned bytes; return their address."""
        at = self.base + len(self.data)
        self.data += raw + bytes(-len(raw) % 8)
        return at

    def _write(self, number: int, node: FileNode, mount: int, parent: int, names: int) -> None:
        folder = node.type is FileType.DIRECTORY
        size = _FIRST + len(node.entries) if folder else len(node.data)
        data = self._entries(node) if folder else self.append(node.data) if node.data else 0
        inner = sum(self.tree.nodes[c].type is FileType.DIRECTORY for _, c in node.entries)
        links = 2 + inner if folder else names
        flags = _WRITABLE * node.writable | _READABLE * node.readable
        room = 0 if folder else -(-size // 8) * 8
        above = self.address(parent) if folder else 0
        times = node.accessed or node.modified, node.modified, node.modified
        head = (node.type, flags, links, size, room, mount, number + 1, 0, data, above)
        _NODE.pack_into(self.data, _NODE.size * number, *head, *times)

    def _entries(self, node: FileNode) -> int:
        """Append the entries of a folder; return the address of the first."""
        following = 0
        for i, (name, child) in reversed(list(enumerate(node.entries))):
            head = _ENTRY.pack(following, self.address(child), _FIRST + i, len(name))
            following = self.append(head + name)
        return following

    def mounts(self) -> int:
        """Append the folders that are open at the start; return the address of the first."""
        raw = b"".join(
            _MOUNT.pack(self.address(m.root), self.append(m.name), len(m.name))
            for m in self.tree.mounts
        )
        return self.append(raw)


#: Returns a number of bytes from an address on.
Read = Callable[[int, int], bytes]


def final_files(read: Read) -> FileTree:
    """Return the files in a memory of the library, as a run has left them."""
    library = file_library()
    _, _, _, _, count, mounts, _ = _DISK.unpack(read(library.disk, _DISK.size))
    return _Reader(read).tree(count, mounts)


class _Reader:
    def __init__(self, read: Read) -> None:
        self.read = read
        self.numbers: dict[int, int] = {}  # of the nodes, by address
        self.order: list[int] = []  # their addresses

    def tree(self, count: int, mounts: int) -> FileTree:
        """Return everything that can be reached from the folders at `mounts`."""
        places = (mounts + _MOUNT.size * i for i in range(count))
        heads = [_MOUNT.unpack(self.read(at, _MOUNT.size)) for at in places]
        folders = tuple(Mount(self.read(name, size), self.number(at)) for at, name, size in heads)
        nodes: list[FileNode] = []
        while len(nodes) < len(self.order):  # a folder adds its entries to them
            nodes.append(self.node(self.order[len(nodes)]))
        return FileTree(tuple(nodes), folders)

    def number(self, at: int) -> int:
        """Return the number of the node at an address."""
        if at not in self.numbers:
            self.numbers[at] = len(self.order)
            self.order.append(at)
        return self.numbers[at]

    def node(self, at: int) -> FileNode:
        """Return the node at an address."""
        head = _NODE.unpack(self.read(at, _NODE.size))
        type_, flags, _, size, _, _, _, _, data, _, accessed, modified, _ = head
        folder = type_ == FileType.DIRECTORY
        entries = self._entries(data) if folder else ()
        return FileNode(
            FileType(type_),
            b"" if folder else self.read(data, size),
            tuple((name, self.number(child)) for name, child in entries),
            modified,
            bool(flags & _WRITABLE),
            bool(flags & _READABLE),
            bool(flags & _DATED),
            accessed,
        )

    def _entries(self, at: int) -> Iterator[tuple[bytes, int]]:
        while at:
            following, child, _, length = _ENTRY.unpack(self.read(at, _ENTRY.size))
            yield self.read(at + _ENTRY.size, length), child
            at = following
