"""What comes from a page, checked before anything is done with it."""

import re
from collections.abc import Collection
from typing import Any

from transputer.errors import TransputerError
from transputer.studio.limits import Limits
from transputer.studio.machines import languages, takes, watchable

Json = dict[str, Any]
_SESSION = re.compile(r"[A-Za-z0-9_-]{16,64}")
_LONGEST = 1024
_LARGEST = 1 << 53
#: The words that memory can be edited to hold, and digits of an address.
_WORD, _DIGITS = 1 << 32, 10
_MACHINES = {machine.name: machine for machine in watchable()}


class Refused(TransputerError):
    """A request that is not as it should be; `status` is what HTTP says."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


def session_name(name: object) -> str:
    """The name that a page gave itself: long enough not to be guessed."""
    if not isinstance(name, str) or not _SESSION.fullmatch(name):
        raise Refused("`session` is 16 to 64 letters and digits")
    return name


def number(body: Json, name: str, default: int) -> int:
    """A whole number that is not negative."""
    found = body.get(name, default)
    if isinstance(found, bool) or not isinstance(found, int) or not 0 <= found < _LARGEST:
        raise Refused(f"`{name}` is a number from 0 on")
    return found


def text(body: Json, name: str, most: int) -> str:
    """A text, empty where there is none."""
    found = body.get(name, "")
    if not isinstance(found, str):
        raise Refused(f"`{name}` is a text")
    if len(found.encode("utf-8", "replace")) > most:
        raise Refused(f"`{name}` has at most {most:,} bytes", 413)
    return found


def job_of(body: Json, limits: Limits) -> Json:
    """What to run, and how."""
    machine = _MACHINES[_one_of(body, "machine", _MACHINES)]
    language = _one_of(body, "language", languages(machine))
    args = body.get("args", [])
    if not isinstance(args, list) or len(args) > limits.arguments:
        raise Refused(f"`args` is a list of at most {limits.arguments} texts")
    if not all(isinstance(a, str) and len(a) <= _LONGEST for a in args):
        raise Refused(f"`args` are texts of at most {_LONGEST} characters")
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
    }
    # a page keeps what was typed for another machine
    unused = {"invoke": "", "args": [], "stdin": "", "temperature": 0.0}
    return job | {name: value for name, value in unused.items() if name not in takes(machine)}


def _edits(body: Json, limits: Limits) -> Json:
    """Addresses, as texts, with what memory is to begin with there."""
    found = body.get("edits", {})
    if not isinstance(found, dict) or len(found) > limits.edits:
        raise Refused(f"`edits` has at most {limits.edits} addresses")
    for address, value in found.items():
        good = isinstance(value, int) and not isinstance(value, bool) and abs(value) < _WORD
        if not (address.isascii() and address.isdigit() and len(address) <= _DIGITS and good):
            raise Refused("`edits` has addresses with whole numbers of 32 bits")
    return found


def _temperature(body: Json) -> float:
    found = body.get("temperature", 0)
    if isinstance(found, bool) or not isinstance(found, int | float) or not 0 <= found <= 10:
        raise Refused("`temperature` is a number from 0 to 10")
    return float(found)


def learn_job(body: Json, tasks: Collection[str]) -> Json:
    """What to learn."""
    return {
        "kind": "learn",
        "task": _one_of(body, "task", tasks),
        "seed": number(body, "seed", 0),
    }


def _one_of(body: Json, name: str, choices: Collection[str]) -> str:
    found = body.get(name, next(iter(choices)))
    if not isinstance(found, str) or found not in choices:
        raise Refused(f"`{name}` is one of {', '.join(choices)}")
    return found


def spots(body: Json) -> list[Json]:
    """Breakpoints."""
    found = body.get("breaks", [])
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise Refused("`breaks` is a list of objects")
    return found
