"""Stack assembly to flat core code: row for row, except that NOP costs nothing."""

from itertools import accumulate

from transputer.ir.asm import AsmInstr, AsmProgram
from transputer.ir.core import CoreFunction, CoreInstr, CoreModule
from transputer.ir.module import MAX_PAGES, Export, FuncType, Kind, Limits, MemoryType, Module
from transputer.isa.asm import ASM, STACK_LIMIT
from transputer.isa.core import CORE
from transputer.isa.op import ValType

#: The core row of each row that has one; an access also names its offset and its memory.
CORE_NAMES = {
    **{op.name: f"i32.{op.name.lower()}" for op in ASM if op.fn and not op.width},
    **{op.name: op.name.lower() for op in ASM if op.width},
    "PUSH": "i32.const",
    "POP": "drop",
    "DUP": "dup",
    "SWAP": "swap",
    "OVER": "over",
    "ROT": "rot",
    "SELECT": "select_second",
    "HALT": "halt",
    "JZ": "jump_unless",
    "JNZ": "jump_if",
    "CALL": "gosub",
    "RETURN": "gosub_return",
    "TRAP": "unreachable",
    "LOCAL.GET": "var.get",
    "LOCAL.SET": "var.set",
    "LOCAL.TEE": "var.tee",
}

#: The name under which the program is exported.
MAIN = "main"
_DECLARATIONS = Module(
    memories=(MemoryType(Limits(MAX_PAGES, MAX_PAGES)),), exports=(Export(MAIN, Kind.FUNC, 0),)
)


def lower_asm(program: AsmProgram, args: int = 0) -> CoreModule:
    """The core code of a program to be run on so many arguments, with the whole memory.

    Its one function, exported as `MAIN`, begins at 0 and ends in `halt`; the arguments are
    its parameters, and like everything on the stack, operands. The origin of an instruction
    is function 0 and its place in the program.
    """
    kept = [(pc, instr) for pc, instr in enumerate(program.code) if instr.name in CORE_NAMES]
    # places[pc] is how many instructions before pc are kept: where pc goes, and where a
    # target that is dropped goes on. The last instruction is never a NOP.
    places = list(accumulate((i.name in CORE_NAMES for i in program.code), initial=0))
    code = tuple(_lowered(pc, instr, places) for pc, instr in kept)
    main = CoreFunction(FuncType((ValType.I32,) * args), 0, args, STACK_LIMIT, MAIN)
    return CoreModule(code, (main,), _DECLARATIONS)


def _lowered(pc: int, instr: AsmInstr, places: list[int]) -> CoreInstr:
    pairs = zip(instr.op.imm, instr.args, strict=True)
    args = tuple(places[arg] if kind == "pc" else arg for kind, arg in pairs)
    access = (0, 0) if instr.op.width else ()
    return CoreInstr(CORE[CORE_NAMES[instr.name]], args + access, (0, pc))
