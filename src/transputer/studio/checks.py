"""Validation of the requests of a page."""

import re
from collections.abc import Collection
from typing import Any

from transputer.debugger.damage import DONE
from transputer.errors import TransputerError
from transputer.registry import Machine
from transputer.studio.limits import StudioLimits
from transputer.studio.machines import languages, takes, watchable

Json = dict[str, Any]
_SESSION = re.compile(r"[A-Za-z0-9_-]{16,64}")
_LONGEST = 1024
_LARGEST = 1 << 53
#: The bound of words in memory edits, and the most digits of an address.
_WORD, _DIGITS = 1 << 32, 10
_MACHINES = {machine.name: machine for machine in watchable()}


class RequestError(TransputerError):
    """An invalid request; `status` is the HTTP status."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


def session_name(name: object) -> str:
    """Return the name that a page gave its session; it is long enough not to be guessed."""
    if not isinstance(name, str) or not _SESSION.fullmatch(name):
        raise RequestError("`session` must be 16 to 64 letters and digits")
    return name


def number(body: Json, name: str, default: int) -> int:
    """Return a nonnegative integer of a request."""
    value = body.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _LARGEST:
        raise RequestError(f"`{name}` must be a nonnegative integer")
    return value


def text(body: Json, name: str, most: int) -> str:
    """Return a string of a request; "" if it is missing."""
    value = body.get(name, "")
    if not isinstance(value, str):
        raise RequestError(f"`{name}` must be a string")
    if len(value.encode("utf-8", "replace")) > most:
        raise RequestError(f"`{name}` has at most {most:,} bytes", 413)
    return value


def job_of(body: Json, limits: StudioLimits) -> Json:
    """Return the job of a run request: the program and the options."""
    machine = _MACHINES[_one_of(body, "machine", _MACHINES)]
    language = _one_of(body, "language", languages(machine))
    args = body.get("args", [])
    if not isinstance(args, list) or len(args) > limits.arguments:
        raise RequestError(f"`args` must be a list of at most {limits.arguments} strings")
    if not all(isinstance(a, str) and len(a) <= _LONGEST for a in args):
        raise RequestError(f"`args` must be strings of at most {_LONGEST} characters")
    job = {
        "kind": "run",
        "machine": machine.name,
        "language": language,
        "source": text(body, "source", limits.source),
        "invoke": text(body, "invoke", _LONGEST),
        "args": args,
        "stdin": text(body, "stdin", limits.stdin),
        "edits": _edits(body, limits),
        "keep": body.get("keep") is True,
        "temperature": _temperature(body),
        "engine": _one_of(body, "engine", machine.abilities["debug"].engines),
        "broken": _broken(body, machine),
    }
    # a page keeps the fields that were typed for another machine
    unused = {"invoke": "", "args": [], "stdin": "", "temperature": 0.0}
    return job | {name: value for name, value in unused.items() if name not in takes(machine)}


def _edits(body: Json, limits: StudioLimits) -> Json:
    """Return the initial values of memory by address, as a string of digits."""
    edits = body.get("edits", {})
    if not isinstance(edits, dict) or len(edits) > limits.edits:
        raise RequestError(f"`edits` has at most {limits.edits} addresses")
    for address, value in edits.items():
        good = isinstance(value, int) and not isinstance(value, bool) and abs(value) < _WORD
        if not (address.isascii() and address.isdigit() and len(address) <= _DIGITS and good):
            raise RequestError("`edits` must map addresses to 32-bit integers")
    return edits


def _broken(body: Json, machine: Machine) -> Json | None:
    """Return the part of the weights to break, and how; None for a healthy run."""
    value = body.get("broken")
    if value is None:
        return None
    if "damage" not in machine.abilities:
        raise RequestError(f"weights of the {machine.name} machine cannot be broken here")
    if not isinstance(value, dict):
        raise RequestError("`broken` must be an object")
    return {"part": text(value, "part", _LONGEST), "how": _one_of(value, "how", DONE)}


def _temperature(body: Json) -> float:
    value = body.get("temperature", 0)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 10:
        raise RequestError("`temperature` must be a number from 0 to 10")
    return float(value)


def learn_job(body: Json, tasks: Collection[str]) -> Json:
    """Return the job of a learning request."""
    return {
        "kind": "learn",
        "task": _one_of(body, "task", tasks),
        "seed": number(body, "seed", 0),
    }


def _one_of(body: Json, name: str, choices: Collection[str]) -> str:
    value = body.get(name, next(iter(choices)))
    if not isinstance(value, str) or value not in choices:
        raise RequestError(f"`{name}` must be one of {', '.join(choices)}")
    return value


def spots(body: Json) -> list[Json]:
    """Return the breakpoints of a request, as JSON."""
    breaks = body.get("breaks", [])
    if not isinstance(breaks, list) or not all(isinstance(spot, dict) for spot in breaks):
        raise RequestError("`breaks` must be a list of objects")
    return breaks
