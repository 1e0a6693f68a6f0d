"""The tables that an exported page compiles with, so that it has no copy of an instruction set."""

import base64
from typing import Any

import numpy as np

from transputer.frontends.asm import SYNONYMS
from transputer.isa.asm import ASM, ENDS, LOCALS, STACK_LIMIT
from transputer.isa.core import CORE, MAX_CODE, MAX_SLOTS
from transputer.isa.wasm import RELEASE_3, WASM
from transputer.lower.asm import CORE_NAMES, MAIN
from transputer.lower.flatten import DEVICES
from transputer.machines.trace.opcodes import ALIASES, LOWERED, OPCODES, VARIANTS
from transputer.machines.trace.prompt import MAX_KEPT, MAX_VARIABLES
from transputer.machines.trace.uses import uses
from transputer.runtime.trace.sessions import MachineSession, new_session
from transputer.runtime.trace.text import LANGUAGES, LOOKS

Json = dict[str, Any]


def compiler_tables() -> Json:
    """Return instructions, opcodes, limits and the prologue of a prompt."""
    return {
        "wasm": [[op.code, op.name, op.imm, op.sig] for op in WASM if op.name not in RELEASE_3],
        "lowered": sorted(LOWERED),
        "devices": [[name, str(type_), core] for (name, type_), core in DEVICES.items()],
        "asm": {op.name: [op.imm, CORE_NAMES.get(op.name), op.width] for op in ASM},
        "ends": sorted(ENDS),
        "synonyms": SYNONYMS,
        "main": MAIN,
        "languages": LANGUAGES,
        "looks": {name: _in_javascript(pattern.pattern) for name, pattern in LOOKS.items()},
        "kinds": {op.name: op.imm for op in CORE},
        "opcodes": OPCODES,
        "aliases": ALIASES,
        "variants": VARIANTS,
        "uses": {op.name: uses(op.name) for op in CORE},
        "limits": {
            "code": MAX_CODE,
            "slots": MAX_SLOTS,
            "kept": MAX_KEPT,
            "locals": LOCALS,
            "variables": MAX_VARIABLES,
            "stack": STACK_LIMIT,
        },
        "prologue": _prologue(),
    }


def _prologue() -> Json:
    """Return what every prompt begins with: the tokens of a session without a program."""
    session = new_session("native", max_steps=1, keep=False)
    assert isinstance(session, MachineSession)
    trace, store = session.trace, session.store
    rows = np.asarray(trace.tape.engine.appended.tokens, dtype=np.uint8)  # type: ignore[attr-defined]
    exports = session.registered["transputer"]
    functions = {name: trace.functions[address] for name, (_, address) in exports.items()}
    return {
        "prompt": base64.b64encode(rows.tobytes()).decode(),
        "listing": [str(instr) for instr in trace.listing],
        "names": [instr.name for instr in trace.listing],
        "types": [str(type_) for type_ in trace.types],
        "first": {
            "func": len(store.functions),
            "global": len(store.globals),
            "memory": len(store.memories),
            "table": len(store.tables),
        },
        "functions": {
            name: {
                "address": exports[name][1],
                "type": str(f.type),
                "params": len(f.type.params),
                "results": len(f.type.results),
                "entry": f.entry,
                "locals": f.locals,
                "frame": f.frame,
            }
            for name, f in functions.items()
        },
    }


def _in_javascript(pattern: str) -> str:
    """Return a pattern for JavaScript, which has no sign for the start of a text."""
    return pattern.replace(r"\A", r"(?<![\s\S])")
