"""Lower stack assembly to flat core code, row by row; NOP becomes nothing."""

from itertools import accumulate

from transputer.ir.asm import AsmInstr, AsmProgram
from transputer.ir.core import CoreFunction, CoreInstr, CoreModule
from transputer.ir.module import MAX_PAGES, Export, ExternKind, FuncType, Limits, MemoryType, Module
from transputer.isa.asm import ASM, ENDS, STACK_LIMIT
from transputer.isa.core import CORE
from transputer.isa.op import ValType

#: The core row of each row that has one; a load or store also gets an offset and a memory.
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
    memories=(MemoryType(Limits(MAX_PAGES, MAX_PAGES)),),
    exports=(Export(MAIN, ExternKind.FUNC, 0),),
)


def lower_asm(program: AsmProgram, args: int = 0) -> CoreModule:
    """Return the core code of a program that takes `args` arguments and has a full memory.

    Its one function, exported as `MAIN`, ends in `halt`. The arguments are its parameters and,
    like everything on the stack, operands. The origin of an instruction is function 0 and its
    address in the program. Locals are renumbered without gaps. If a subroutine (or the program)
    may read locals before it writes them, a prologue after the code zeroes them.
    """
    lowering = _Lowering(program)
    entry = lowering.entry(0)
    main = CoreFunction(FuncType((ValType.I32,) * args), entry, args, STACK_LIMIT, MAIN)
    return CoreModule(tuple(lowering.code), (main,), _DECLARATIONS)


class _Lowering:
    def __init__(self, program: AsmProgram) -> None:
        self.program = program
        used = {i.args[0] for i in program.code if i.op.imm == ("local",)}
        self.variables = {index: number for number, index in enumerate(sorted(used))}
        # places[pc] is the number of instructions before pc that are not dropped: the new address
        # of pc, or of the next instruction if pc is dropped. The last one is never a NOP.
        has_core = [i.name in CORE_NAMES for i in program.code]
        self.places = list(accumulate(has_core, initial=0))
        self.prologues: dict[int, int] = {}
        self.code: list[CoreInstr] = []
        count = self.places[-1]
        calls = {i.args[0] for i in program.code if i.name == "CALL"}
        prologues: list[CoreInstr] = []
        for target in sorted({0} | calls):
            zeroed = [self.variables[i] for i in read_before_written(program, target)]
            if zeroed:
                self.prologues[target] = count + len(prologues)
                prologues += [CoreInstr(CORE["var.zero"], (i,), None, True) for i in zeroed]
                prologues.append(CoreInstr(CORE["jump"], (self.places[target],), None, True))
        self.code = [self.lowered(pc, i) for pc, i in enumerate(program.code) if has_core[pc]]
        self.code += prologues

    def entry(self, pc: int) -> int:
        """Return the entry of the subroutine at `pc`: its prologue, if it has one."""
        return self.prologues.get(pc, self.places[pc])

    def lowered(self, pc: int, instr: AsmInstr) -> CoreInstr:
        """Return the core form of one instruction."""
        name, args = instr.name, instr.args
        if name == "CALL":
            mapped: tuple[int, ...] = (self.entry(args[0]), len(self.variables))
        elif instr.op.imm == ("local",):
            mapped = (self.variables[args[0]],)
        elif instr.op.imm == ("pc",):
            mapped = (self.places[args[0]],)
        else:
            mapped = (0, 0) if instr.op.width else args
        return CoreInstr(CORE[CORE_NAMES[name]], mapped, (0, pc))


def read_before_written(program: AsmProgram, start: int) -> list[int]:
    """Return the locals that code entered at `start` may read before it writes them.

    A forward data-flow analysis of the locals that are definitely written; where paths join,
    the sets intersect.
    """
    written: dict[int, frozenset[int]] = {}
    needed: set[int] = set()
    todo = [(start, frozenset[int]())]
    while todo:
        pc, definite = todo.pop()
        if pc in written:
            definite &= written[pc]
            if definite == written[pc]:
                continue
        written[pc] = definite
        instr = program.code[pc]
        if instr.name == "LOCAL.GET" and instr.args[0] not in definite:
            needed.add(instr.args[0])
        if instr.name in ("LOCAL.SET", "LOCAL.TEE"):
            definite |= {instr.args[0]}
        if instr.name in ("JZ", "JNZ"):
            todo.append((instr.args[0], definite))
        if instr.name not in ENDS:
            todo.append((pc + 1, definite))
    return sorted(needed)
