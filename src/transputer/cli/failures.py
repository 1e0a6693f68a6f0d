"""Failures on the command line: a message on stderr, an exit code, and JSON if it was asked for."""

import errno
import json
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any

import click

from transputer.cli.interrupts import INTERRUPTED
from transputer.errors import SourceError, TransputerError

#: Exit codes of a wrong command, a limit, a closed pipe (128 and the signal's number), and
#: of an error in this package (EX_SOFTWARE of sysexits.h).
USAGE, LIMIT, CLOSED, BUG = 2, 3, 141, 70
#: Exit code of output that cannot be written (EX_IOERR), and the errors that say so.
UNWRITTEN = 74
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


def wants_json(args: Sequence[str]) -> bool:
    """Return whether a command line asks for JSON; what follows `--` is the program's."""
    own = args[: args.index("--")] if "--" in args else args
    return "--json" in own


def report(error: BaseException, as_json: bool) -> int:
    """Print a failure on stderr, and as JSON on stdout if asked for; return its exit code."""
    message, code = _describe(error)
    if code == UNWRITTEN:
        discard_output()
    if as_json:
        so_far = getattr(error, "so_far", None)
        done = {} if so_far is None else so_far.as_json()
        click.echo(json.dumps(done | {"error": _fields(error, message), "exit_code": code}))
    click.echo(f"transputer: {message}", err=True)
    if isinstance(error, click.UsageError) and error.ctx is not None:
        click.echo(f"Try: {error.ctx.command_path} --help", err=True)
    return code


def _describe(error: BaseException) -> tuple[str, int]:
    """Return the message and the exit code of a failure; print the traceback of a bug."""
    if isinstance(error, TransputerError):
        return str(error), error.exit_code
    if isinstance(error, click.ClickException):
        return error.format_message(), USAGE
    if isinstance(error, KeyboardInterrupt | click.Abort):
        return "interrupted", INTERRUPTED
    if isinstance(error, RecursionError):
        return "the input is nested too deeply", USAGE
    if isinstance(error, MemoryError):
        return "out of memory", LIMIT
    if isinstance(error, OSError) and error.errno in _FULL:
        return f"the output cannot be written: {error.strerror}", UNWRITTEN
    traceback.print_exception(error)
    return f"this is a bug in transputer: {type(error).__name__}: {error}", BUG


def _fields(error: BaseException, message: str) -> dict[str, Any]:
    """Return the kind and the message of a failure, and its place if it is in a source."""
    fields: dict[str, Any] = {"kind": type(error).__name__, "message": message}
    if isinstance(error, SourceError):
        place = error.place
        known = {"file": place.file, "line": place.line, "column": place.column}
        fields |= {name: value for name, value in known.items() if value}
    return fields


def discard_output() -> None:
    """Send what is still buffered for stdout nowhere, after its reader has gone."""
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
