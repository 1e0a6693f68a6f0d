"""Random programs of the assembly."""

from hypothesis import strategies as st

from transputer.ir.asm import AsmInstr, AsmProgram
from transputer.isa.asm import ASM


@st.composite
def programs(draw: st.DrawFn) -> AsmProgram:
    """Up to 15 instructions, the last one HALT."""
    size = draw(st.integers(1, 15))
    limits = {"i32": 2**32, "local": 3, "pc": size}
    code = []
    for op in draw(st.lists(st.sampled_from(ASM.rows), min_size=size - 1, max_size=size - 1)):
        args = tuple(draw(st.integers(0, limits[kind] - 1)) for kind in op.imm)
        code.append(AsmInstr(op, args))
    return AsmProgram((*code, AsmInstr(ASM["HALT"])))
