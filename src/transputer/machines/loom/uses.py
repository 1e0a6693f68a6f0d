"""Which heads an instruction of the loom machine uses, for the debugger and the studio.

Every head attends in every step; a head that the instruction does not use adds nothing.
"""

from transputer.ir.loom import LoomInstr
from transputer.machines.loom.operations import branch, indirect


def uses(instr: LoomInstr) -> frozenset[str]:
    """The names of the heads that an instruction uses."""
    name = instr.op.name
    heads = {"pc", *(kind for kind in instr.op.imm if kind != "pc")}
    if name in indirect.rules:
        heads.add("pointer")
    if name == "FIND":
        heads |= {"start", "search"}
    if name not in branch.rules:
        heads.add("write b")
    if name == "SWAP":
        heads.add("write c")
    return frozenset(heads)
