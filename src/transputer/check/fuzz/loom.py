"""Programs of the loom machine with every instruction: one of each, and random ones."""

import random

from transputer.ir.loom import LoomConfig, LoomInstr, LoomProgram, instr
from transputer.isa.loom import LOOM

_NAMES = tuple(op.name for op in LOOM if op.name != "HALT")
#: Slots of `every` program: the first word of its own, the second operand, what is skipped.
_OWN, _SECOND, _SKIPPED = 2, 2 + len(_NAMES), 3 + len(_NAMES)
#: Slots that `every` program needs.
NEEDED = _SKIPPED + 1


def every(word: int, config: LoomConfig) -> LoomProgram:
    """Return a program with each instruction once, on its own word.

    Jumps skip an instruction whose execution would be visible. The second operand is a word that is
    also a valid pointer.
    """
    code: list[LoomInstr] = []
    for number, name in enumerate(_NAMES):
        operands = {"a": _SECOND, "b": _OWN + number, "c": _SECOND, "pc": len(code) + 2}
        code.append(instr(name, *(operands[kind] for kind in LOOM[name].imm)))
        if "pc" in LOOM[name].imm:
            code.append(instr("INC", _SKIPPED))
    memory = [0, 0, *[word] * len(_NAMES), 5, 0]
    return LoomProgram((*code, instr("HALT")), tuple(memory), (), config.bits)


def scrambled(rng: random.Random, config: LoomConfig, size: int = 50) -> LoomProgram:
    """Return a program of random instructions, with mostly valid pointers."""
    size = min(config.slots, size)
    code = []
    for name in rng.choices(_NAMES, k=size - 1):
        most = ((size if kind == "pc" else config.memory) for kind in LOOM[name].imm)
        code.append(instr(name, *(rng.randrange(m) for m in most)))
    top = 1 << config.bits
    edges = (0, 1, config.memory - 1, top - 1, top >> 1)
    words = [
        rng.choice((*edges, rng.randrange(top), rng.randrange(config.memory)))
        for _ in range(config.memory)
    ]
    return LoomProgram((*code, instr("HALT")), tuple(words), (), config.bits)
