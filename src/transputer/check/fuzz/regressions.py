"""Cases as files: WebAssembly text, with comments like `;; call ["f", [1, 2]]`, in order."""

import json

from transputer.check.fuzz.modules import ModuleCase
from transputer.errors import MalformedError, Place
from transputer.frontends.binary import decode
from transputer.frontends.wat import to_wasm
from transputer.host.observation import Invocation
from transputer.ir.text import print_wat

_CALL = ";; call "


def print_case(case: ModuleCase, note: str = "") -> str:
    """Return the file of a case, with a note at the top."""
    comments = [f";; {line}".rstrip() for line in note.splitlines()]
    calls = [_CALL + json.dumps([export, list(args)]) for export, args in case.calls]
    return "\n".join((*comments, *calls, print_wat(case.module)))


def parse_case(text: str, file: str = "") -> ModuleCase:
    """Return the case in a file; raise `MalformedError` if it is not one."""
    calls = [
        _call(line, Place(file, number, 1, text=line))
        for number, line in enumerate(text.splitlines(), 1)
        if line.startswith(_CALL)
    ]
    return ModuleCase(decode(to_wasm(text, file)), tuple(calls))


def _call(line: str, place: Place) -> Invocation:
    try:
        export, args = json.loads(line.removeprefix(_CALL))
        return str(export), tuple(map(int, args))
    except (ValueError, TypeError):
        raise MalformedError('expected ;; call ["export", [arguments]]', place) from None
