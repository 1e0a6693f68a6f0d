"""Which heads matter to an instruction: for people who watch.

Every head looks something up in every step; what an instruction does not use adds nothing.
"""

from collections.abc import Sequence

from transputer.ir.core import CoreInstr
from transputer.isa.core import CORE
from transputer.machines.trace.opcodes import ALIASES, SHAPES, VARIANTS

_CALLS = {"return": ("open call",), "gosub_return": ("open call",)}
_LIMITED = ("call", "call_indirect", "gosub")


def uses(name: str) -> tuple[str, ...]:
    """The heads whose reading a core instruction uses, by name."""
    if name not in CORE:
        return ("instruction",)
    op = CORE[name]
    variants = VARIANTS.get(name, (ALIASES.get(name, name),))
    shapes = [SHAPES[v] for v in variants if v in SHAPES]
    heads = ["instruction"]
    keeps = name in ("br", "return")
    heads += ["T"] if op.pops or keeps or name == "call_indirect" else []
    heads += ["S"] if op.pops > 1 or name in ("br_if", "over") else []
    heads += ["R"] if any(s.reads for s in shapes) else []
    heads += ["X"] if any(s.looks for s in shapes) else []
    heads += ["P", "Q"] if op.width else []
    heads += ["F"] if name == "call_indirect" else []
    heads += ["stack limits"] if name in _LIMITED else []
    return (*heads, *_CALLS.get(name, ()))


def table_entries(listing: Sequence[CoreInstr]) -> list[int]:
    """Addresses of the entries of jump tables, in code by address."""
    return [
        address + 1 + i
        for address, instr in enumerate(listing)
        if instr.name == "br_table"
        for i in range(instr.args[0] + 1)
    ]


def calls_indirectly(listing: Sequence[CoreInstr]) -> bool:
    """Whether code has indirect calls."""
    return any(instr.name == "call_indirect" for instr in listing)
