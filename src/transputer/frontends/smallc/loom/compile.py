"""The loom back end: a program for the looped machine, as short as it can be made."""

from transputer.errors import CapacityError
from transputer.frontends.smallc.loom.allocate import coalesce, colour
from transputer.frontends.smallc.loom.emit import emit
from transputer.frontends.smallc.loom.live import sweep
from transputer.frontends.smallc.loom.merge import merge
from transputer.frontends.smallc.loom.select import TARGET, select
from transputer.frontends.smallc.loom.shape import shape
from transputer.frontends.smallc.middle import optimise
from transputer.frontends.smallc.translate import translate
from transputer.ir.loom import PUBLISHED, Config, Program

#: Words kept for the frames of recursive calls, unless told otherwise.
STACK_WORDS = 48


def compile(text: str, file: str = "", bits: int = 8, stack: int = STACK_WORDS) -> Program:
    """The loom program of a small C source.

    main's result is in the symbol `result`. Raises `SmallCError` with every problem of the source.
    """
    program = _compiled(text, file, bits, stack, True)
    if len(program.memory) >= 1 << (bits - 1):
        program = _compiled(text, file, bits, stack, False)
    return program


def _compiled(text: str, file: str, bits: int, stack: int, short_pointers: bool) -> Program:
    unit = optimise(translate(text, file, bits, short_pointers), TARGET, stack)
    parts = select(unit)
    sweep(parts, unit.globals)
    shape(parts, unit.globals)
    coalesce(parts, unit.globals)
    merge(parts)
    homes = colour(parts, unit.globals)
    merge(parts)
    return emit(unit, parts, homes)


def smallest(program: Program) -> Config:
    """The smallest configuration that a program fits: published ones first, then powers of two.

    Raises `CapacityError` where a word cannot count the slots that the program needs.
    """
    code, memory = len(program.code), max(2, len(program.memory))
    if program.bits == 8:
        for config in PUBLISHED.values():
            if code <= config.slots and memory <= config.memory:
                return config
    if memory >= 1 << program.bits:
        limit = (1 << program.bits) - 1
        raise CapacityError(
            f"needs {memory:,} memory slots, words of {program.bits} bits count {limit:,}"
        )
    columns = 128
    while columns < 32 + memory + code:
        columns *= 2
    return Config(columns, program.bits, 32, memory)
