"""WASI for programs as written: host functions over the program's memory.

This implementation is independent of the routines in `lower/wasi.wat` and `lower/files.c`, so that
tests can compare them.
"""

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from transputer.errors import LinkError
from transputer.host.console import Console
from transputer.host.memory import LinearMemory
from transputer.host.outcome import ExitSignal
from transputer.host.store import HostFunction
from transputer.ir.environment import WASI, Environment, Ticks
from transputer.ir.files import FileType
from transputer.ir.module import FuncType, Module
from transputer.isa.op import ValType
from transputer.oracle.files import Errno, FileError, Files, OpenNode, ResolvedPath, check

_CHARACTER_DEVICE = 2
_RIGHT_READ, _RIGHT_WRITE, _RIGHT_LIST = 1 << 1, 1 << 6, 1 << 14
#: Rights of a file, of a folder that a program opens, and of one that is open at the start.
_ALL_RIGHTS, _FOLDER_RIGHTS, _MOUNT_RIGHTS = 0x3FFFFFFF, 0x3FB7FFBB, 0x07B7FE00
_INNER_RIGHTS = 0x0FF7FFFF
_APPEND, _SYNCS = 1, 2 | 8 | 16
_CREATE, _FOLDER, _EXCLUSIVE, _TRUNCATE = 1, 2, 4, 8
_MOST = 1024
_MASK = (1 << 64) - 1
_NEWLINE = 10
_CLOCKS = 4
_TYPES = {"i": ValType.I32, "l": ValType.I64}


@dataclass(slots=True)
class Descriptor:
    """An open stream (by number) or node; `mount` is that of a folder open at the start."""

    stream: int = -1
    node: OpenNode | None = None
    reads: bool = True
    writes: bool = True
    flags: int = 0
    mount: int | None = None
    position: int = 0

    @property
    def kind(self) -> int:
        """The type of file."""
        return _CHARACTER_DEVICE if self.node is None else int(self.node.type)


@dataclass(slots=True)
class Wasi:
    """State of one program's descriptors, clock and random numbers.

    `memory` returns the program's memory; it is called by each function that needs it. `steps`
    returns the steps so far, for a clock that counts them.
    """

    console: Console
    environment: Environment
    memory: Callable[[], LinearMemory]
    steps: Callable[[], int] = lambda: 0
    open: dict[int, Descriptor] = field(init=False)
    files: Files = field(init=False)
    time: int = field(init=False)
    random: int = field(init=False)

    def __post_init__(self) -> None:
        self.random = self.environment.seed & 0xFFFFFFFF
        self.time = self.environment.clock & _MASK
        self.files = Files(self.environment.files, self.now)
        self.open = {i: Descriptor(i, None, i == 0, i > 0) for i in range(3)}
        for i, root in enumerate(self.files.roots):
            self.open[3 + i] = Descriptor(node=root, mount=i)

    def functions(self) -> dict[str, HostFunction]:
        """Return every function by its import name."""
        return {name: self._host(name, sig) for name, sig in SIGNATURES.items()}

    def _host(self, name: str, sig: str) -> HostFunction:
        params, _, results = sig.partition(":")
        type_ = FuncType(tuple(_TYPES[c] for c in params), tuple(_TYPES[c] for c in results))
        method = getattr(self, name)

        @functools.wraps(method)
        def call(*args: int) -> int | None:
            try:
                code: int | None = method(*args)
            except FileError as error:
                return int(error.code)
            return (code or 0) if results else None

        return HostFunction(type_, call, name)

    def now(self) -> int:
        """Read the clock, which may advance by that."""
        time, ticks = self._look(), self.environment.ticks
        if ticks is Ticks.READINGS:
            self.time = (self.time + ticks.length) & _MASK
        return time

    def _look(self) -> int:
        """Return the time without advancing it."""
        ticks = self.environment.ticks
        passed = self.steps() * ticks.length if ticks is Ticks.STEPS else 0
        return (self.time + passed) & _MASK

    # Descriptors

    def _fd(self, number: int) -> Descriptor:
        if number not in self.open:
            raise FileError(Errno.BADF)
        return self.open[number]

    def _node(self, number: int) -> tuple[Descriptor, OpenNode]:
        fd = self._fd(number)
        if fd.node is None:
            raise FileError(Errno.BADF)
        return fd, fd.node

    def _file(self, number: int, stream: Errno = Errno.BADF) -> tuple[Descriptor, OpenNode]:
        """Return an open file; `stream` is the error for a stream."""
        check(self._fd(number).node is not None, stream)
        fd, node = self._node(number)
        check(not node.folder, Errno.BADF)
        return fd, node

    def fd_close(self, fd: int) -> None:
        """Close a descriptor."""
        self._fd(fd)
        del self.open[fd]

    def fd_renumber(self, fd: int, to: int) -> None:
        """Move a descriptor to the number of another one, which is closed."""
        descriptor = self._fd(fd)
        self._fd(to)
        del self.open[fd]
        self.open[to] = descriptor

    def fd_write(self, fd: int, vectors: int, count: int, out: int) -> None:
        """Write the bytes of a list of buffers."""
        descriptor = self._fd(fd)
        if descriptor.node is not None:
            check(not descriptor.node.folder, Errno.BADF)
            if descriptor.flags & _APPEND:
                descriptor.position = len(descriptor.node.data)
            at = descriptor.position
            descriptor.position = self._write(descriptor, at, vectors, count, out)
            return
        check(descriptor.stream, Errno.BADF)
        sink = self.console.error if descriptor.stream == 2 else self.console.write
        total = 0
        for start, size in self._vectors(vectors, count):
            for byte in self.memory().read(start, size):
                sink(byte)
            total += size
        self.memory().store(out, 4, total)

    def _write(self, fd: Descriptor, at: int, vectors: int, count: int, out: int) -> int:
        """Write into a file at a position; return the position after it."""
        check(fd.writes and fd.node is not None, Errno.BADF)
        assert fd.node is not None
        start = at
        for address, size in self._vectors(vectors, count):
            data = self.memory().read(address, size)
            if at + size > len(fd.node.data) and size:
                self.files.resize(fd.node, at + size)
            fd.node.data[at : at + size] = data
            at += size
        if at != start:
            self.files.touch(fd.node)
        self.memory().store(out, 4, at - start)
        return at

    def fd_pwrite(self, fd: int, vectors: int, count: int, offset: int, out: int) -> None:
        """Write at an offset."""
        descriptor, node = self._file(fd, Errno.SPIPE)
        check(offset < 1 << 63, Errno.INVAL)
        end = descriptor.flags & _APPEND
        self._write(descriptor, len(node.data) if end else offset, vectors, count, out)

    def fd_read(self, fd: int, vectors: int, count: int, out: int) -> None:
        """Read into a list of buffers; from standard input, up to the end of a line."""
        descriptor = self._fd(fd)
        if descriptor.node is not None:
            check(not descriptor.node.folder, Errno.BADF)
            at = descriptor.position
            descriptor.position = self._read(descriptor, at, vectors, count, out)
            return
        check(descriptor.stream == 0, Errno.BADF)
        memory = self.memory()
        buffers = self._vectors(vectors, count)
        total = 0
        for address in (start + i for start, size in buffers for i in range(size)):
            byte = self.console.read()
            if byte < 0:
                break
            memory.store(address, 1, byte)
            total += 1
            if byte == _NEWLINE:
                break
        memory.store(out, 4, total)

    def _read(self, fd: Descriptor, at: int, vectors: int, count: int, out: int) -> int:
        """Read from a file at a position; return the position after it."""
        check(fd.reads and fd.node is not None, Errno.BADF)
        assert fd.node is not None
        start = at
        for address, size in self._vectors(vectors, count):
            data = bytes(fd.node.data[at : at + size])
            self.memory().write(address, data)
            at += len(data)
        self.memory().store(out, 4, at - start)
        return at

    def fd_pread(self, fd: int, vectors: int, count: int, offset: int, out: int) -> None:
        """Read at an offset."""
        descriptor, _ = self._file(fd, Errno.SPIPE)
        check(offset < 1 << 63, Errno.INVAL)
        self._read(descriptor, offset, vectors, count, out)

    def _vectors(self, start: int, count: int) -> Iterator[tuple[int, int]]:
        memory = self.memory()
        for at in range(start, start + 8 * count, 8):
            yield memory.load(at, 4), memory.load(at + 4, 4)

    def fd_seek(self, fd: int, offset: int, whence: int, out: int) -> None:
        """Move the position of a file; streams have none."""
        descriptor, node = self._file(fd, Errno.SPIPE)
        check(whence < 3, Errno.INVAL)
        base = (0, descriptor.position, len(node.data))[whence]
        position = (base + offset) & _MASK
        check(position < 1 << 63, Errno.INVAL)
        descriptor.position = position
        self.memory().store(out, 8, position)

    def fd_tell(self, fd: int, out: int) -> None:
        """Store the position of a file."""
        self.fd_seek(fd, 0, 1, out)

    def fd_advise(self, fd: int, offset: int, size: int, advice: int) -> None:
        """Ignore advice about a file."""
        check(advice < 6, Errno.INVAL)
        self._file(fd)

    def fd_allocate(self, fd: int, offset: int, size: int) -> int:
        """Refuse, as wasmtime does."""
        self._file(fd)
        return Errno.NOTSUP

    def fd_sync(self, fd: int) -> None:
        """Do nothing: a file has no copy that could be older."""
        self._file(fd)

    fd_datasync = fd_sync

    def fd_fdstat_get(self, fd: int, out: int) -> None:
        """Store the type, the flags and the rights of a descriptor."""
        descriptor = self._fd(fd)
        base, further = _RIGHT_WRITE if descriptor.stream else _RIGHT_READ, 0
        if descriptor.node is not None:
            base = further = _FOLDER_RIGHTS
            if not descriptor.node.folder:
                missing = 0 if descriptor.reads else _RIGHT_READ | _RIGHT_LIST
                missing |= 0 if descriptor.writes else _RIGHT_WRITE
                base = further = _ALL_RIGHTS & ~missing
        if descriptor.mount is not None:
            base, further = _MOUNT_RIGHTS, _INNER_RIGHTS
        head = descriptor.kind | descriptor.flags << 16
        self.memory().write(out, b"".join(v.to_bytes(8, "little") for v in (head, base, further)))

    def fd_fdstat_set_flags(self, fd: int, flags: int) -> None:
        """Set the flags of a file."""
        check(flags < 32, Errno.INVAL)
        descriptor, _ = self._file(fd)
        check(not flags & _SYNCS, Errno.INVAL)
        descriptor.flags = flags

    def fd_fdstat_set_rights(self, fd: int, base: int, further: int) -> int:
        """Refuse, as wasmtime does."""
        self._fd(fd)
        return Errno.NOTSUP

    def fd_filestat_get(self, fd: int, out: int) -> None:
        """Store what is known of a descriptor."""
        node = self._fd(fd).node
        if node is not None:
            self._describe(node, out)
        else:
            self.memory().write(out, bytes(16) + bytes([_CHARACTER_DEVICE]) + bytes(47))

    def _describe(self, node: OpenNode, out: int) -> None:
        values = (
            1, node.number, int(node.type), node.links, node.size,
            node.accessed, node.modified, node.changed,
        )  # fmt: skip
        self.memory().write(out, b"".join(v.to_bytes(8, "little") for v in values))

    def fd_filestat_set_size(self, fd: int, size: int) -> None:
        """Cut a file off or extend it."""
        descriptor, node = self._file(fd)
        check(descriptor.writes and size < 1 << 63, Errno.INVAL)
        self.files.resize(node, size)
        self.files.touch(node)

    def fd_filestat_set_times(self, fd: int, accessed: int, modified: int, which: int) -> None:
        """Set the times of an open file."""
        _, node = self._node(fd)
        self.files.set_times(node, accessed, modified, which)

    def fd_prestat_get(self, fd: int, out: int) -> None:
        """Store the length of the name of a folder that is open at the start."""
        mount = self._fd(fd).mount
        if mount is None:
            raise FileError(Errno.BADF)
        self.memory().store(out, 4, 0)
        self.memory().store(out + 4, 4, len(self.files.mounts[mount].name))

    def fd_prestat_dir_name(self, fd: int, path: int, size: int) -> None:
        """Store the name of a folder that is open at the start."""
        mount = self._fd(fd).mount
        if mount is None:
            raise FileError(Errno.BADF if self._fd(fd).node is None else Errno.NOTDIR)
        name = self.files.mounts[mount].name
        check(size >= len(name), Errno.NAMETOOLONG)
        self.memory().write(path, name)

    def fd_readdir(self, fd: int, at: int, size: int, cookie: int, out: int) -> None:
        """Store entries of a folder from a serial number on, as many bytes as fit."""
        descriptor, node = self._node(fd)
        check(node.folder, Errno.BADF)
        above = node if descriptor.mount is not None else node.above()
        entries = [(0, b".", node), (1, b"..", above)]
        entries += [(serial, name, child) for name, (serial, child) in node.entries.items()]
        data = b""
        for serial, name, child in sorted(entries, key=lambda entry: entry[0]):
            if serial >= cookie and len(data) < size:
                numbers = (serial + 1, 8), (child.number, 8), (len(name), 4), (int(child.type), 4)
                data += b"".join(v.to_bytes(width, "little") for v, width in numbers) + name
        data = data[:size]
        self.memory().write(at, data)
        self.memory().store(out, 4, len(data))

    # Paths

    def _path(self, at: int, size: int) -> bytes:
        if size >= 4096:
            self.memory().load(at + size - 1, 1)
            raise FileError(Errno.NAMETOOLONG)
        path = self.memory().read(at, size)
        check(b"\0" not in path, Errno.INVAL)
        try:
            path.decode("utf-8")
        except UnicodeDecodeError:
            raise FileError(Errno.ILSEQ) from None
        return path

    def _place(
        self,
        fd: int,
        at: int,
        size: int,
        *,
        follow: int = 0,
        exact: bool = False,
        change: bool = True,
    ) -> ResolvedPath:
        """Follow a path from an open folder, which must be writable for a change."""
        _, node = self._node(fd)
        check(node.folder, Errno.NOTDIR)
        path = self._path(at, size)
        check(node.writable or not change, Errno.PERM)
        return self.files.walk(node, path, follow=bool(follow), exact=exact)

    def path_open(
        self, fd: int, lookup: int, path: int, size: int,
        oflags: int, base: int, further: int, flags: int, out: int,
    ) -> None:  # fmt: skip
        """Open a file or folder, or make a file."""
        check(lookup < 2 and oflags < 16 and flags < 32, Errno.INVAL)
        writes = bool(base & _RIGHT_WRITE or oflags & (_CREATE | _TRUNCATE))
        new = oflags & _CREATE and oflags & _EXCLUSIVE
        place = self._place(fd, path, size, follow=0 if new else lookup, change=writes)
        if place.late:
            raise FileError(Errno.ISDIR if oflags & _CREATE else place.late)
        check(not oflags & _FOLDER or not oflags & ~_FOLDER, Errno.INVAL)
        check(not flags & _SYNCS, Errno.NOTSUP)
        check(not (oflags & _CREATE and place.slash), Errno.ISDIR)
        node = place.node
        if node is not None:
            check(not new, Errno.EXIST)
            check(node.type is not FileType.LINK, Errno.LOOP)
            check(not (node.folder and writes), Errno.ISDIR)
            check(node.folder or not oflags & _FOLDER, Errno.NOTDIR)
            check(node.readable and node.type is not FileType.UNKNOWN, Errno.ACCES)
        else:
            check(oflags & _CREATE, Errno.NOENT)
        number = next((i for i in range(_MOST) if i not in self.open), None)
        if number is None:
            raise FileError(Errno.MFILE)
        if node is None:
            node = self.files.create(place, FileType.REGULAR)
        if oflags & _TRUNCATE:
            self.files.resize(node, 0)
            self.files.touch(node)
        reads = bool(base & _RIGHT_READ or not base & _RIGHT_WRITE)
        self.open[number] = Descriptor(-1, node, reads, writes, flags)
        self.memory().store(out, 4, number)

    def path_create_directory(self, fd: int, path: int, size: int) -> None:
        """Make a folder."""
        place = self._place(fd, path, size, exact=True)
        check(place.node is None, Errno.EXIST)
        self.files.create(place, FileType.DIRECTORY)

    def path_filestat_get(self, fd: int, lookup: int, path: int, size: int, out: int) -> None:
        """Store what is known of a file."""
        check(lookup < 2, Errno.INVAL)
        place = self._place(fd, path, size, follow=lookup, change=False)
        self._describe(place.existing(), out)

    def path_filestat_set_times(
        self, fd: int, lookup: int, path: int, size: int, accessed: int, modified: int, which: int
    ) -> None:
        """Set the times of a file."""
        check(lookup < 2, Errno.INVAL)
        node = self._place(fd, path, size, follow=lookup).existing()
        self.files.set_times(node, accessed, modified, which)

    def path_readlink(self, fd: int, path: int, size: int, at: int, room: int, out: int) -> None:
        """Store the target of a link, as much as fits."""
        node = self._place(fd, path, size, change=False).existing()
        check(node.type is FileType.LINK, Errno.INVAL)
        check(not node.data.startswith(b"/"), Errno.PERM)
        target = bytes(node.data[:room])
        self.memory().write(at, target)
        self.memory().store(out, 4, len(target))

    def path_symlink(self, target: int, length: int, fd: int, path: int, size: int) -> None:
        """Make a symbolic link."""
        data = self._path(target, length)
        check(not data.startswith(b"/"), Errno.PERM)
        place = self._place(fd, path, size)
        check(not place.late, place.late)
        check(data, Errno.NOENT)
        check(place.node is None, Errno.EXIST)
        check(not place.slash, Errno.NOENT)
        self.files.create(place, FileType.LINK, data)

    def path_unlink_file(self, fd: int, path: int, size: int) -> None:
        """Remove a file."""
        place = self._place(fd, path, size)
        check(not place.existing().folder, Errno.ISDIR)
        self.files.remove(place)

    def path_remove_directory(self, fd: int, path: int, size: int) -> None:
        """Remove an empty folder."""
        place = self._place(fd, path, size)
        node = place.existing()
        check(place.plain, Errno.INVAL)
        check(node.folder, Errno.NOTDIR)
        check(not node.entries, Errno.NOTEMPTY)
        self.files.remove(place)

    def path_link(
        self, fd: int, lookup: int, path: int, size: int, to: int, link: int, length: int
    ) -> None:
        """Give a file another name."""
        check(lookup < 2, Errno.INVAL)
        old = self._place(fd, path, size)
        check(not old.late, old.late)
        new = self._place(to, link, length)
        check(not new.late, Errno.EXIST)
        check(not lookup, Errno.INVAL)
        self.files.link(old, new)

    def path_rename(self, fd: int, path: int, size: int, to: int, link: int, length: int) -> None:
        """Rename a file or folder."""
        old = self._place(fd, path, size, exact=True)
        self.files.rename(old, self._place(to, link, length, exact=True))

    # Arguments and environment variables

    def args_sizes_get(self, count: int, size: int) -> int:
        """Store the number of arguments and their total size in bytes."""
        return self._sizes(self.environment.arguments, count, size)

    def args_get(self, pointers: int, at: int) -> int:
        """Store the arguments."""
        return self._strings(self.environment.arguments, pointers, at)

    def environ_sizes_get(self, count: int, size: int) -> int:
        """Store the number of environment variables and their total size in bytes."""
        return self._sizes(self.environment.variables, count, size)

    def environ_get(self, pointers: int, at: int) -> int:
        """Store the environment variables, as NAME=VALUE."""
        return self._strings(self.environment.variables, pointers, at)

    def _sizes(self, strings: Sequence[bytes], count: int, size: int) -> int:
        self.memory().store(count, 4, len(strings))
        self.memory().store(size, 4, sum(len(s) + 1 for s in strings))
        return Errno.SUCCESS

    def _strings(self, strings: Sequence[bytes], pointers: int, at: int) -> int:
        for i, string in enumerate(strings):
            self.memory().store(pointers + 4 * i, 4, at)
            self.memory().write(at, string + b"\0")
            at += len(string) + 1
        return Errno.SUCCESS

    # Exit, clock, waiting and random numbers

    def proc_exit(self, code: int) -> None:
        """End the program."""
        raise ExitSignal(code)

    def proc_raise(self, signal: int) -> int:
        """Refuse: there are no signals."""
        return Errno.NOTSUP

    def sched_yield(self) -> None:
        """Do nothing: there is no one to yield to."""

    def clock_res_get(self, clock: int, out: int) -> None:
        """Store the clock's resolution: what it advances by."""
        check(clock < _CLOCKS, Errno.INVAL)
        self.memory().store(out, 8, self.environment.ticks.length)

    def clock_time_get(self, clock: int, precision: int, out: int) -> None:
        """Store the time; all clocks are the same."""
        check(clock < _CLOCKS, Errno.INVAL)
        self.memory().store(out, 8, self.now())

    def poll_oneoff(self, subscriptions: int, events: int, count: int, out: int) -> None:
        """Store what happens first; waiting sets the clock to the first deadline."""
        memory = self.memory()
        check(count, Errno.INVAL)
        time = self._look()
        happened: list[tuple[int, int]] = []
        deadlines: list[tuple[int, int]] = []
        for at in range(subscriptions, subscriptions + 48 * count, 48):
            kind = memory.load(at + 8, 1)
            check(kind < 3 and (kind or memory.load(at + 16, 4) < 2), Errno.INVAL)
            if kind:
                self._check_ready(memory.load(at + 16, 4), kind)
                happened.append((at, kind))
            else:
                timeout, absolute = memory.load(at + 24, 8), memory.load(at + 40, 2) & 1
                end = timeout if absolute else min(time + timeout, _MASK)
                deadlines.append((end, at))
        slept = 0 if happened else max(0, min(deadlines)[0] - time)
        self.time = (self.time + slept) & _MASK
        happened += [(at, 0) for end, at in deadlines if end <= time + slept]
        for i, (at, kind) in enumerate(happened):
            values = memory.load(at, 8), kind << 16, int(kind > 0), 0
            raw = b"".join(v.to_bytes(8, "little") for v in values)
            memory.write(events + 32 * i, raw)
        memory.store(out, 4, len(happened))

    def _check_ready(self, fd: int, kind: int) -> None:
        """Raise `FileError` unless a descriptor can be read (1) or written (2)."""
        descriptor = self._fd(fd)
        if descriptor.node is None:
            check(descriptor.reads == (kind == 1), Errno.BADF)
        else:
            check(not descriptor.node.folder, Errno.BADF)

    # Sockets, which do not exist

    def sock_accept(self, fd: int, *rest: int) -> int:
        """Refuse: it is no socket."""
        self._fd(fd)
        return Errno.NOTSOCK

    sock_recv = sock_send = sock_shutdown = sock_accept

    def random_get(self, at: int, count: int) -> int:
        """Store random bytes, which depend only on the seed."""
        for address in range(at, at + count):
            self.random = (self.random * 1664525 + 1013904223) & 0xFFFFFFFF
            self.memory().store(address, 1, self.random >> 24)
        return Errno.SUCCESS


#: Parameters and results of each function: `i` is i32, `l` is i64.
SIGNATURES = {
    "fd_write": "iiii:i",
    "fd_read": "iiii:i",
    "fd_close": "i:i",
    "fd_seek": "ilii:i",
    "fd_fdstat_get": "ii:i",
    "fd_prestat_get": "ii:i",
    "fd_prestat_dir_name": "iii:i",
    "args_sizes_get": "ii:i",
    "args_get": "ii:i",
    "environ_sizes_get": "ii:i",
    "environ_get": "ii:i",
    "proc_exit": "i:",
    "clock_res_get": "ii:i",
    "clock_time_get": "ili:i",
    "random_get": "ii:i",
    "sched_yield": ":i",
    "fd_advise": "illi:i",
    "fd_allocate": "ill:i",
    "fd_datasync": "i:i",
    "fd_sync": "i:i",
    "fd_fdstat_set_flags": "ii:i",
    "fd_fdstat_set_rights": "ill:i",
    "fd_filestat_get": "ii:i",
    "fd_filestat_set_size": "il:i",
    "fd_filestat_set_times": "illi:i",
    "fd_pread": "iiili:i",
    "fd_pwrite": "iiili:i",
    "fd_readdir": "iiili:i",
    "fd_renumber": "ii:i",
    "fd_tell": "ii:i",
    "path_create_directory": "iii:i",
    "path_filestat_get": "iiiii:i",
    "path_filestat_set_times": "iiiilli:i",
    "path_link": "iiiiiii:i",
    "path_open": "iiiiillii:i",
    "path_readlink": "iiiiii:i",
    "path_remove_directory": "iii:i",
    "path_rename": "iiiiii:i",
    "path_symlink": "iiiii:i",
    "path_unlink_file": "iii:i",
    "poll_oneoff": "iiii:i",
    "proc_raise": "i:i",
    "sock_accept": "iii:i",
    "sock_recv": "iiiiii:i",
    "sock_send": "iiiii:i",
    "sock_shutdown": "ii:i",
}


def check_wasi(module: Module) -> None:
    """Raise a `LinkError` that names every import that WASI does not have."""
    wanted = [item.name for item in module.imports if item.module == WASI]
    if missing := sorted(name for name in wanted if name not in SIGNATURES):
        raise LinkError(f"WASI has no function {', '.join(missing)}")
    if wanted and not module.memories:
        raise LinkError("a program that imports WASI must define a memory")
