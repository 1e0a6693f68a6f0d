"""The loom back end: as few instructions as possible."""

from transputer.frontends.smallc.loom.allocate import coalesce, colour
from transputer.frontends.smallc.loom.emit import emit
from transputer.frontends.smallc.loom.live import sweep
from transputer.frontends.smallc.loom.merge import merge
from transputer.frontends.smallc.loom.select import TARGET, select
from transputer.frontends.smallc.loom.shape import shape
from transputer.frontends.smallc.middle import optimise
from transputer.frontends.smallc.passes.spread import spread
from transputer.frontends.smallc.tac import TacUnit
from transputer.frontends.smallc.translate import parse, translate
from transputer.frontends.smallc.types import CHAR_BITS, INT_BITS
from transputer.ir.loom import LoomProgram

#: Words of the stack of recursive calls, of the heap, and of the input, by default.
SIZES = {"stack": 2048, "heap": 4096, "input": 1024}
#: The same where a word has 8 bits and counts 255 of them.
NARROW = {"stack": 48, "heap": 64, "input": 32}


def compile(
    text: str,
    file: str = "",
    bits: int = INT_BITS,
    stack: int | None = None,
    stores: bool = True,
) -> LoomProgram:
    """Compile a small C source for words, and an `int`, of `bits` bits.

    The symbol `result` holds main's value. `stack` is the number of words for recursive calls; a
    `#pragma transputer stack N` in the source decides otherwise, and `heap` and `input` likewise.
    Without `stores` the program has no STORE: a tree of tests finds the word to write. Raises
    `SmallCError` with every problem of the source.
    """
    prepared, _ = parse(text, file, bits)
    sizes = {**(NARROW if bits <= CHAR_BITS else SIZES), **prepared.sizes}
    for short_pointers in (True, False):
        unit = translate(text, file, bits, short_pointers, sizes["heap"], sizes["input"])
        program = _compiled(optimise(unit, TARGET, stack or sizes["stack"]), stores)
        if len(program.memory) < 1 << (bits - 1):
            break
    return program


def _compiled(unit: TacUnit, stores: bool) -> LoomProgram:
    if not stores:
        spread(unit)
    parts = select(unit)
    sweep(parts, unit.globals)
    shape(parts, unit.globals)
    coalesce(parts, unit.globals)
    merge(parts)
    homes = colour(parts, unit.globals)
    merge(parts)
    return emit(unit, parts, homes)
