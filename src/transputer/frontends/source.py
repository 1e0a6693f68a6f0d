"""Reading the user's files: what can go wrong with one is said in one line."""

import os
import stat

from transputer.errors import MalformedError, Place, UsageError

#: The largest source that is read. Nothing a person writes or a compiler emits comes near.
LIMIT = 512 << 20

PathLike = str | os.PathLike[str]


def require_file(path: PathLike) -> None:
    """Return if there is something to read at `path`; else a `UsageError` says why not."""
    name = os.fspath(path)
    try:
        status = os.stat(name)
    except (OSError, ValueError) as problem:
        raise _unreadable(name, problem) from None
    if stat.S_ISDIR(status.st_mode):
        raise UsageError(f"{name}: is a directory, not a file")
    if not os.access(name, os.R_OK):
        raise UsageError(f"{name}: permission denied")
    if status.st_size > LIMIT:
        raise _too_large(name, f"{status.st_size:,} bytes")


def read_bytes(path: PathLike) -> bytes:
    """The bytes of a file; a `UsageError` if it cannot be read or is larger than `LIMIT`."""
    require_file(path)
    name = os.fspath(path)
    try:
        with open(name, "rb") as file:
            data = file.read(LIMIT + 1)  # a pipe or a device does not tell its size
    except OSError as problem:
        raise _unreadable(name, problem) from None
    if len(data) > LIMIT:
        raise _too_large(name, "endless")
    return data


def read_text(path: PathLike) -> str:
    """The text of a file, as `read_bytes`; a `MalformedError` if it is not UTF-8."""
    data = read_bytes(path)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as problem:
        byte = data[problem.start]
        place = Place(os.fspath(path), offset=problem.start)
        raise MalformedError(f"not UTF-8 text (byte 0x{byte:02x})", place) from None


def _unreadable(name: str, problem: OSError | ValueError) -> UsageError:
    if isinstance(problem, FileNotFoundError):
        return UsageError(f"{name}: no such file")
    if isinstance(problem, PermissionError):
        return UsageError(f"{name}: permission denied")
    reason = problem.strerror if isinstance(problem, OSError) else "not a file name"
    return UsageError(f"{name!r}: {reason}")


def _too_large(name: str, size: str) -> UsageError:
    return UsageError(f"{name}: {size}; at most {LIMIT:,} bytes are read")
