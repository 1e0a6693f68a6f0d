"""Flat core code: absolute targets, values in slots, frame sizes explicit.

Every front end lowers to this; the trace machine executes it. The rows are in `isa/core.py`.
Indices are those of the module; a session relocates them when it loads the code.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from transputer.errors import CapacityError
from transputer.ir.module import ExternKind, FuncType, Module
from transputer.isa.core import CORE, MAX_CODE
from transputer.isa.op import Op


@dataclass(frozen=True, slots=True)
class CoreInstr:
    """One core instruction.

    `origin` is (function, instruction) in the source program; `implied` says that the
    program as written has no such instruction, so that it does not count as one.
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
    """A core instruction by name."""
    return CoreInstr(CORE[name], args, origin, implied)


@dataclass(frozen=True, slots=True)
class CoreFunction:
    """Where a function starts and what its frame needs.

    `locals` counts parameters too; `frame` is the largest number of slots it uses.
    """

    type: FuncType
    entry: int
    locals: int
    frame: int
    name: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class CoreModule:
    """Flat code with its functions and the declarations of the module it comes from.

    `declarations` is a `Module` without functions; its function index space is its
    imported functions followed by `functions`.
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
    """Raise `CapacityError` for more instructions than a program may come to."""
    if count > MAX_CODE:
        raise CapacityError(
            f"the program comes to more than {MAX_CODE:,} core instructions, the most there can "
            f"be; --engine oracle runs it, without weights"
        )


#: What relocation does to an immediate of some kind.
Relocation = Mapping[str, Callable[[int], int]]


def relocate(code: tuple[CoreInstr, ...], moves: Relocation) -> tuple[CoreInstr, ...]:
    """The code with its immediates mapped, each by the function for its kind."""
    return tuple(
        _moved(instr, moves) if any(kind in moves for kind in instr.op.imm) else instr
        for instr in code
    )


def _moved(instr: CoreInstr, moves: Relocation) -> CoreInstr:
    args = tuple(
        moves[kind](arg) if kind in moves else arg
        for kind, arg in zip(instr.op.imm, instr.args, strict=True)
    )
    return CoreInstr(instr.op, args, instr.origin, instr.implied)


def entries(code: tuple[CoreInstr, ...], pc: int) -> range:
    """The places of the entries of the br_table at `pc`."""
    return range(pc + 1, pc + 2 + code[pc].args[0])


_UNTYPED = frozenset({"halt", "gosub", "gosub_return", "var.get", "var.set", "var.tee", "var.zero"})


def is_untyped(module: CoreModule) -> bool:
    """Whether this is code of the assembly, whose stack is checked only at run time."""
    return any(instr.name in _UNTYPED for instr in module.code)
