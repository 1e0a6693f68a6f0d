"""Which heads matter to an instruction of the loom machine: for people who watch.

Every head matches columns in every step; what an instruction does not use adds nothing.
"""

from transputer.ir.loom import LoomInstr
from transputer.machines.loom.operations import branch, indirect


def uses(instr: LoomInstr) -> frozenset[str]:
    """The heads whose meeting an instruction uses, by name."""
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
