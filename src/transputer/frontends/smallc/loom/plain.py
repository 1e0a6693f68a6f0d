"""A small C program as plain data, for the page of the loom machine.

Everything that this imports is pure Python, so it runs in a browser, too.
"""

from collections.abc import Sequence
from typing import Any

from transputer.errors import SourceError, TransputerError
from transputer.frontends.smallc.loom.compile import compile
from transputer.frontends.smallc.scope import SmallCError
from transputer.ir.loom import CAUSES, LoomConfig, LoomInstr, LoomProgram, columns, configuration

Plain = dict[str, Any]
#: Words of the stack where the usual one does not fit.
SMALL_STACK = 128


def plain(text: str, bits: int, names: Sequence[str]) -> Plain:
    """Compile a source for the first of these configurations that it fits.

    `code` has the operands by kind and as columns of the state, `memory` the words from slot 0 on,
    `constants` the slots that are only read, `result` the slot of main's value, `causes` what the
    word of the symbol `__trap` means after a trap.
    Errors of the source, or that it fits nowhere, are returned as `problems`.
    """
    try:
        program, name = _compiled(text, bits, names)
    except SmallCError as error:
        return {"problems": [_problem(one) for one in error.problems]}
    except TransputerError as error:
        return {"problems": [{"line": 0, "column": 0, "width": 1, "message": str(error)}]}
    absolute = columns(program, configuration(name))
    return {
        "config": name,
        "code": [_instr(*both) for both in zip(program.code, absolute, strict=False)],
        "memory": list(program.memory),
        "symbols": [{"name": s.name, "slot": s.slot, "count": s.count} for s in program.symbols],
        "constants": _constants(program),
        "result": program.result,
        "causes": {str(number): trap.value for number, trap in CAUSES.items()},
    }


def _compiled(text: str, bits: int, names: Sequence[str]) -> tuple[LoomProgram, str]:
    """A program and the first configuration that it fits, if need be with a small stack."""
    program = compile(text, bits=bits)
    try:
        return program, _fitting(program, names)
    except TransputerError:
        program = compile(text, bits=bits, stack=SMALL_STACK)
        return program, _fitting(program, names)


def _fitting(program: LoomProgram, names: Sequence[str]) -> str:
    """The first configuration that a program fits; raises as the last of them does."""
    known = {name: configuration(name) for name in names}
    able = [(name, one) for name, one in known.items() if one.bits == program.bits]
    for name, config in able:
        if _fits(program, config):
            return name
    name, config = able[-1]
    program.check(config)
    return name


def _fits(program: LoomProgram, config: LoomConfig) -> bool:
    try:
        program.check(config)
    except TransputerError:
        return False
    return True


def _constants(program: LoomProgram) -> list[int]:
    """Slots without a name that no instruction writes."""
    named = {slot for s in program.symbols for slot in range(s.slot, s.slot + s.count)}
    results = {slot for one in program.code for slot in (one.b, one.c)[: one.op.pushes]}
    return [slot for slot in range(1, len(program.memory)) if slot not in named | results]


def _instr(one: LoomInstr, absolute: tuple[int, int, int]) -> Plain:
    operands = {"a": one.a, "b": one.b, "c": one.c, "pc": one.c}
    return {
        "name": one.op.name,
        "operands": [[kind, operands[kind]] for kind in one.op.imm],
        "line": one.line,
        "columns": list(absolute),
    }


def _problem(error: SourceError) -> Plain:
    where = error.place
    location = {"line": where.line, "column": where.column, "width": where.width}
    return {**location, "message": error.message}
