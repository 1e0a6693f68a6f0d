"""Flat core code: absolute targets, values in slots, explicit frame sizes.

Every front end lowers to this form, which the trace machine executes. The instruction table is
`isa/core.py`. Indices refer to the module; a session relocates them when it loads the code.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from transputer.errors import CapacityError
from transputer.ir.module import ExternKind, FuncType, Module
from transputer.isa.core import CORE, MAX_CODE
from transputer.isa.op import Op
from transputer.values import dataclass


@dataclass(frozen=True, slots=True)
class CoreInstr:
    """One core instruction.

    `origin` is (function, instruction) in the source program. An `implied` instruction was added
    by lowering; it does not count as an instruction of the program.
    """

    op: Op
    args: tuple[int, ...] = ()
    origin: tuple[int, int] | None = field(default=None, compare=False)
    implied: bool = False

    @property
    def name(self) -> str:
        """The instruction's name."""
        return self.op.name

    def __str__(self) -> str:
        return " ".join((self.name, *map(str, self.args)))


def core(
    name: str, *args: int, origin: tuple[int, int] | None = None, implied: bool = False
) -> CoreInstr:
    """Return the core instruction with this name."""
    return CoreInstr(CORE[name], args, origin, implied)


@dataclass(frozen=True, slots=True)
class CoreFunction:
    """Entry address and frame size of a function.

    `locals` includes the parameters; `frame` is the largest number of slots in use.
    """

    type: FuncType
    entry: int
    locals: int
    frame: int
    name: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class CoreModule:
    """Flat code, its functions, and the declarations of the source module.

    `declarations` is a `Module` without functions. The function index space is the imported
    functions followed by `functions`.
    """

    code: tuple[CoreInstr, ...]
    functions: tuple[CoreFunction, ...]
    declarations: Module = field(default=Module())

    @property
    def func_types(self) -> tuple[FuncType, ...]:
        """The type of every function in the index space."""
        types = self.declarations.types
        imported = (types[i.type_index] for i in self.declarations.imported(ExternKind.FUNC))
        return (*imported, *(f.type for f in self.functions))


def check_code(count: int) -> None:
    """Raise `CapacityError` if a program has more than `MAX_CODE` instructions."""
    if count > MAX_CODE:
        raise CapacityError(
            f"the program lowers to more than {MAX_CODE:,} core instructions, which is the limit; "
            f"--engine oracle runs it without weights"
        )


#: The relocation of each kind of immediate.
Relocation = Mapping[str, Callable[[int], int]]


def relocate(code: Sequence[CoreInstr], moves: Relocation) -> tuple[CoreInstr, ...]:
    """Return the code with each immediate mapped by the function for its kind."""
    moved = {op.name for op in CORE if not moves.keys().isdisjoint(op.imm)}
    return tuple([_relocated(i, moves) if i.op.name in moved else i for i in code])


def _relocated(instr: CoreInstr, moves: Relocation) -> CoreInstr:
    args = tuple(
        moves[kind](arg) if kind in moves else arg
        for kind, arg in zip(instr.op.imm, instr.args, strict=True)
    )
    return CoreInstr(instr.op, args, instr.origin, instr.implied)


def entries(code: tuple[CoreInstr, ...], pc: int) -> range:
    """Return the addresses of the entries of the br_table at `pc`."""
    return range(pc + 1, pc + 2 + code[pc].args[0])


_UNTYPED = frozenset({"halt", "gosub", "gosub_return", "var.get", "var.set", "var.tee", "var.zero"})


def is_untyped(module: CoreModule) -> bool:
    """Whether this is lowered assembly, whose stack is checked only at run time."""
    return not _UNTYPED.isdisjoint(instr.op.name for instr in module.code)
