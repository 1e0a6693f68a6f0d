"""Random damage to valid modules: bytes, LEB128 numbers, instructions and declarations."""

import dataclasses
from collections.abc import Callable

from transputer.check.fuzz.choose import Choose
from transputer.frontends.binary.decode import MAGIC, VERSION
from transputer.frontends.binary.encode import unsigned
from transputer.frontends.binary.reader import Reader
from transputer.ir.module import Function, Instr, Module
from transputer.isa.op import ValType

#: Bytes with a special meaning: ends, types, prefixes, the largest LEB128 digits.
_TELLING = (0x00, 0x01, 0x0B, 0x40, 0x60, 0x70, 0x7B, 0x7F, 0x80, 0xFC, 0xFD, 0xFF)

HEADER = MAGIC + VERSION
#: The number of the section that holds the functions.
CODE = 10

Mutation = Callable[[Choose, bytes, bytes], bytes]


def _at(choose: Choose, data: bytes) -> int:
    return choose.integer(0, max(0, len(data) - 1))


def flip(choose: Choose, data: bytes, other: bytes) -> bytes:
    """Flip one bit."""
    at, bit = _at(choose, data), 1 << choose.integer(0, 7)
    return data[:at] + bytes(b ^ bit for b in data[at : at + 1]) + data[at + 1 :]


def replace(choose: Choose, data: bytes, other: bytes) -> bytes:
    """Replace one byte, half of the time by one with a special meaning."""
    at = _at(choose, data)
    return data[:at] + bytes([_byte(choose)]) + data[at + 1 :]


def _byte(choose: Choose) -> int:
    return choose.choice(_TELLING) if choose.chance(2) else choose.integer(0, 255)


def insert(choose: Choose, data: bytes, other: bytes) -> bytes:
    """Insert a few bytes."""
    at = choose.integer(0, len(data))
    return data[:at] + bytes(choose.several(1, 4, lambda: _byte(choose))) + data[at:]


def delete(choose: Choose, data: bytes, other: bytes) -> bytes:
    """Delete a few bytes."""
    at = _at(choose, data)
    return data[:at] + data[at + choose.integer(1, 4) :]


def splice(choose: Choose, data: bytes, other: bytes) -> bytes:
    """Replace a piece by a piece of another module of about the same size."""
    start, count = _at(choose, other), choose.integer(1, 24)
    at = _at(choose, data)
    return data[:at] + other[start : start + count] + data[at + choose.integer(0, count) :]


def repeat(choose: Choose, data: bytes, other: bytes) -> bytes:
    """Repeat a piece."""
    at = _at(choose, data)
    end = at + choose.integer(1, 16)
    return data[:end] + data[at:end] + data[end:]


def truncate(choose: Choose, data: bytes, other: bytes) -> bytes:
    """Keep only the beginning."""
    return data[: choose.integer(0, len(data))]


def stretch(choose: Choose, data: bytes, other: bytes) -> bytes:
    """Write a LEB128 number with more digits than it needs, perhaps more than allowed."""
    at = _at(choose, data)
    digit = choose.choice((0, 0, 0x7F, choose.integer(0, 0x7F)))
    tail = bytes([digit | 0x80] * choose.integer(0, 8) + [digit])
    return data[:at] + bytes(b | 0x80 for b in data[at : at + 1]) + tail + data[at + 1 :]


MUTATIONS: tuple[Mutation, ...] = (
    flip,
    replace,
    insert,
    delete,
    splice,
    repeat,
    truncate,
    stretch,
)


def mutate(choose: Choose, data: bytes, other: bytes) -> bytes:
    """Return a valid module with one to three mutations; `other` is a source of pieces."""
    if choose.chance(2):
        return inside(choose, data, other)
    for _ in range(choose.weighted(((6, 1), (2, 2), (1, 3)))):
        data = choose.choice(MUTATIONS)(choose, data, other)
    return data


def inside(choose: Choose, data: bytes, other: bytes) -> bytes:
    """Return a valid module with a mutation in one section or function, with corrected sizes."""
    reader = Reader(data, len(HEADER))
    sections = []
    while not reader.done:
        sections.append((reader.byte(), reader.take(reader.u32())))
    at = choose.integer(0, len(sections) - 1)
    number, content = sections[at]
    change = _in_function if number == CODE else choose.choice(MUTATIONS)
    sections[at] = (number, change(choose, content, other))
    return HEADER + b"".join(bytes([n]) + _sized(content) for n, content in sections)


def _in_function(choose: Choose, code: bytes, other: bytes) -> bytes:
    """The code section with a mutation in one of its functions."""
    reader = Reader(code)
    bodies = list(reader.vector(lambda: reader.take(reader.u32())))
    at = choose.integer(0, len(bodies) - 1)
    bodies[at] = choose.choice(MUTATIONS)(choose, bodies[at], other)
    return unsigned(len(bodies)) + b"".join(map(_sized, bodies))


def _sized(content: bytes) -> bytes:
    return unsigned(len(content)) + content


def edit(choose: Choose, module: Module) -> Module:
    """Return a module with one function changed: usually well-formed, rarely valid."""
    at = choose.integer(0, len(module.functions) - 1)
    changed = choose.choice((_edit_body, _edit_body, _edit_body, _edit_declaration))
    function = changed(choose, module, module.functions[at])
    functions = (*module.functions[:at], function, *module.functions[at + 1 :])
    return dataclasses.replace(module, functions=functions)


def _edit_body(choose: Choose, module: Module, function: Function) -> Function:
    """Delete, repeat, move or replace an instruction, or change its immediate."""
    body = list(function.body)
    at = choose.integer(0, len(body) - 1)
    there = choose.integer(0, len(body) - 1)
    donor = choose.choice(module.functions).body
    action = choose.integer(0, 4)
    if action == 0 and len(body) > 1:
        del body[at]
    elif action == 1:
        body.insert(at, body[there])
    elif action == 2:
        body[at], body[there] = body[there], body[at]
    elif action == 3:
        body[at] = choose.choice(donor)
    else:
        body[at] = _edit_immediate(choose, body[at])
    return dataclasses.replace(function, body=tuple(body))


def _edit_immediate(choose: Choose, instr: Instr) -> Instr:
    """Change the first immediate, if it is a number."""
    if not instr.args or not isinstance(instr.args[0], int):
        return instr
    first = choose.integer(0, 0x7F)
    return dataclasses.replace(instr, args=(first, *instr.args[1:]))


def _edit_declaration(choose: Choose, module: Module, function: Function) -> Function:
    """Change the type of a function, or the type of a run of locals."""
    if not function.locals or choose.chance(2):
        return dataclasses.replace(function, type_index=choose.integer(0, len(module.types)))
    at = choose.integer(0, len(function.locals) - 1)
    run = (choose.choice((0, 1, 50_000, 50_001, 2**32 - 1)), choose.choice(tuple(ValType)))
    runs = (*function.locals[:at], run, *function.locals[at + 1 :])
    return dataclasses.replace(function, locals=runs)
