"""Read the user's files, with one-line errors."""

import os
import stat

from transputer.errors import MalformedError, Place, UsageError

#: Largest source file, in bytes; far larger than anything a person or a compiler writes.
LIMIT = 512 << 20

PathLike = str | os.PathLike[str]


def require_file(path: PathLike) -> None:
    """Raise `UsageError` if `path` is not a readable file of at most `LIMIT` bytes."""
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
    """Return the bytes of a file; raise `UsageError` if it is unreadable or exceeds `LIMIT`."""
    require_file(path)
    name = os.fspath(path)
    try:
        with open(name, "rb") as file:
            data = file.read(LIMIT + 1)  # the size of a pipe or device is unknown
    except OSError as problem:
        raise _unreadable(name, problem) from None
    if len(data) > LIMIT:
        raise _too_large(name, "endless")
    return data


def read_text(path: PathLike) -> str:
    """Return the text of a file; raise as `read_bytes`, and `MalformedError` if not UTF-8."""
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
    return UsageError(f"{name}: {size}; the limit is {LIMIT:,} bytes")
