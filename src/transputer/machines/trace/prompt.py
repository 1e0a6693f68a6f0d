"""What the host says, as tokens: instructions, functions, invocations, values it hands over."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from transputer.errors import CapacityError, Unsupported
from transputer.ir.core import CoreFunction, CoreInstr
from transputer.isa.core import CORE
from transputer.isa.op import Registry
from transputer.machines.trace.opcodes import ALIASES, OPCODES, VARIANTS
from transputer.machines.trace.vocabulary import AT, Record, Space, token_rows
from transputer.values import dataclass

_WRAP = 1 << 24  # stack pointer, frame and their changes are three bytes
#: The most values a branch or return can move: phases count them.
MAX_KEPT = 127
#: What to do about a program that the machine cannot run.
HINT = "--engine oracle runs it, without weights"
#: Locals of an assembly program: with this many, 65,535 open calls fit three bytes.
MAX_VARIABLES = 256


@dataclass(frozen=True, slots=True)
class Places:
    """What relocated code refers to: functions by address, spaces of memories and tables."""

    functions: Mapping[int, CoreFunction]
    memories: Mapping[int, int]
    tables: Mapping[int, int]
    maxima: Sequence[int]  # pages that each memory can have
    most: Sequence[int]  # elements that each table can have


@dataclass(frozen=True, slots=True)
class PromptSite:
    """A relocated instruction among the code of its module."""

    code: Sequence[CoreInstr]
    index: int
    base: int
    places: Places

    @property
    def instr(self) -> CoreInstr:
        """The instruction."""
        return self.code[self.index]

    @property
    def args(self) -> tuple[int, ...]:
        """Its immediates."""
        return self.instr.args

    def made(self, op: str = "", /, **parts: int) -> Record:
        """Its token; by default named after the row."""
        name = self.instr.name
        parts |= {"sp": parts.get("sp", 0) % _WRAP, "fp": parts.get("fp", 0) % _WRAP}
        number = OPCODES[op or ALIASES.get(name, name)]
        return Record(space=Space.CODE, at=self.base + self.index, op=number, **parts)


Rule = Callable[[PromptSite], Record]
#: How rows with immediates become tokens.
RULES: Registry[Rule] = Registry(CORE)
#: Rows whose tokens depend on where they stand.
_PLACED = frozenset({"br_table"})


def check_supported(code: Sequence[CoreInstr]) -> None:
    """Raise `Unsupported`, naming all of them, if there are rows the machine lacks."""
    lacking = sorted(name for name in {i.op.name for i in code} if not supported(name))
    if lacking:
        raise Unsupported(f"the trace machine does not have: {', '.join(lacking)}; {HINT}")


def encode(code: Sequence[CoreInstr], base: int, places: Places) -> list[Record]:
    """The tokens of a module's relocated code, which starts at `base`."""
    return [_encoded(PromptSite(code, index, base, places)) for index in range(len(code))]


def encode_rows(code: Sequence[CoreInstr], base: int, places: Places) -> NDArray[np.uint8]:
    """The tokens of code, as rows. Equal instructions differ only in their place."""
    known: dict[tuple[str, tuple[int, ...], int], int] = {}
    records: list[Record] = []
    numbers = []
    for index, instr in enumerate(code):
        name = instr.op.name
        key = (name, instr.args, index if name in _PLACED else 0)
        number = known.get(key)
        if number is None:
            number = known[key] = len(records)
            records.append(_encoded(PromptSite(code, index, base, places)))
        numbers.append(number)
    rows = token_rows(records)[numbers]
    here = np.arange(base, base + len(code), dtype="<u4")
    rows[:, AT] = here.view(np.uint8).reshape(-1, 4)
    return rows


def _encoded(site: PromptSite) -> Record:
    return RULES.rules.get(site.instr.name, PromptSite.made)(site)


def supported(name: str) -> bool:
    """Whether a core row has an opcode."""
    return name in OPCODES or name in ALIASES or name in VARIANTS


@RULES.on("i32.const", "i64.const", "f32.const", "f64.const")
def _const(site: PromptSite) -> Record:
    return site.made(value=site.args[0])


@RULES.on("ref.func")
def _ref_func(site: PromptSite) -> Record:
    return site.made(value=site.args[0] + 1)


@RULES.on("local.get", "local.set", "local.tee", "local.zero", "global.get", "global.set")
def _variable(site: PromptSite) -> Record:
    return site.made(fp=site.args[0])


def _access(site: PromptSite) -> Record:
    offset, memory = site.args
    space = site.places.memories[memory]
    return site.made(value=offset, fp=space, depth=space)


RULES.on(*(op.name for op in CORE if op.width))(_access)


@RULES.on("memory.size")
def _memory_size(site: PromptSite) -> Record:
    return site.made(fp=site.places.memories[site.args[0]])


@RULES.on("memory.grow")
def _memory_grow(site: PromptSite) -> Record:
    memory = site.args[0]
    return site.made(fp=site.places.memories[memory], value=site.places.maxima[memory])


@RULES.on("table.extend")
def _table_extend(site: PromptSite) -> Record:
    table = site.args[0]
    return site.made(fp=site.places.tables[table], value=site.places.most[table])


@RULES.on("table.size", "table.get", "table.set")
def _table(site: PromptSite) -> Record:
    space = site.places.tables[site.args[0]]
    return site.made(fp=space, depth=space)


@RULES.on("jump", "jump_if", "jump_unless")
def _jump(site: PromptSite) -> Record:
    return site.made(pc=site.args[0])


def _kept(site: PromptSite, count: int) -> str:
    if count > MAX_KEPT:
        raise CapacityError(f"{site.instr}: {count} values to keep, at most {MAX_KEPT}")
    return VARIANTS[site.instr.name][min(count, 2)]


@RULES.on("br", "br_if")
def _branch(site: PromptSite) -> Record:
    target, height, keep = site.args
    below = keep + (site.instr.name == "br_if")
    op = _kept(site, keep)
    place = height if keep == 1 else -below
    return site.made(op, pc=target, sp=height + keep, fp=place, value=height | keep << 24)


@RULES.on("return")
def _return(site: PromptSite) -> Record:
    keep = site.args[0]
    place = 0 if keep == 1 else -keep
    return site.made(_kept(site, keep), sp=keep, fp=place, value=keep << 24)


@RULES.on("br_table")
def _br_table(site: PromptSite) -> Record:
    count = site.args[0]
    at = site.index + 1 + count
    default = site.code[at]
    target = default.args[0] if default.name == "jump" else site.base + at
    return site.made(value=count, pc=target)


def descriptor(function: CoreFunction) -> dict[str, int]:
    """What a call has to know, in the parts of a token."""
    params = len(function.type.params)
    return {
        "pc": function.entry,
        "sp": function.locals - params,
        "fp": -params % _WRAP,
        "value": function.frame - params,
    }


def invocation(function: CoreFunction, args: Sequence[int]) -> list[Record]:
    """A call from outside, when no other is open: the arguments, then the state to begin with."""
    slots = [Record(space=Space.SLOT, at=i, value=arg) for i, arg in enumerate(args)]
    return [*slots, Record(pc=function.entry, sp=function.locals, space=Space.FRAME)]


def answer(now: Record, values: Sequence[int]) -> list[Record]:
    """Values for a program that waits for them after `now`, as operands; it then continues."""
    state = Record(pc=now.pc, sp=now.sp, fp=now.fp, depth=now.depth)
    pushed = [
        replace(state, sp=at + 1, space=Space.SLOT, at=at, value=value)
        for at, value in enumerate(values, now.sp)
    ]
    return pushed or [state]


@RULES.on("call")
def _call(site: PromptSite) -> Record:
    return site.made(**descriptor(site.places.functions[site.args[0]]))


@RULES.on("var.get", "var.set", "var.tee", "var.zero")
def _assembly_variable(site: PromptSite) -> Record:
    return site.made(fp=site.args[0])


@RULES.on("gosub")
def _gosub(site: PromptSite) -> Record:
    target, size = site.args
    if size > MAX_VARIABLES:
        raise CapacityError(f"the program has {size} locals, at most {MAX_VARIABLES}")
    return site.made(pc=target, fp=size)


@RULES.on("call_indirect")
def _call_indirect(site: PromptSite) -> Record:
    type_, table = site.args
    space = site.places.tables[table]
    return site.made(value=type_, fp=space, depth=space)
