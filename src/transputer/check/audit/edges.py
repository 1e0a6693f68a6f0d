"""Instructions at their edges: single bits, every amount, every carry, every limit."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product

from transputer.check.audit.far import function, memory
from transputer.check.audit.stage import MOST_SLOTS, Scene, SceneBuilder, StageState
from transputer.ir.core import CoreFunction, CoreInstr, core
from transputer.ir.module import MAX_PAGES, FuncType
from transputer.isa.core import CORE
from transputer.isa.op import ValType
from transputer.machines.trace.opcodes import OPCODES
from transputer.machines.trace.prompt import Places, descriptor
from transputer.machines.trace.vocabulary import Record, Space

ONES, LOW = 0xFFFFFFFF, 0x80000000
#: Numbers with one nonzero byte, and the same with the sign bit.
BYTES = tuple(b << 8 * d for d, b in product(range(4), (1, 0x7F)))
SIGNED = tuple(LOW | b for b in BYTES)
PC, TABLE = 0x00FE00, 77


def _placed(s: SceneBuilder, *code: CoreInstr) -> list[StageState]:
    """Place instructions; return the state before each."""
    s.code(PC, *code)
    return [StageState(pc=PC + i) for i in range(len(code))]


def bits() -> Scene:
    """Instructions that test their top operand for zero or count its bits, on single bits."""
    s = SceneBuilder()
    plain = ("i32.clz", "i32.ctz", "i32.eqz", "select", "select_second")
    jumps = [core(name, 0x112233) for name in ("jump_if", "jump_unless")]
    branch = core("br_if", 0x112233, 7, 0)
    states = _placed(s, *map(core, plain), *jumps, branch, core("i32.div_u"))
    for bit, at in product(range(32), states):
        s.go(at, [1 << bit], steps=1)
    return s.scene("single bits")


def shifts() -> Scene:
    """Every amount on all ones."""
    s = SceneBuilder()
    names = ("i32.shl", "i32.shr_u", "i32.shr_s", "i32.rotl", "i32.rotr")
    for amount, at in product(range(32), _placed(s, *map(core, names))):
        s.go(at, [ONES, amount])
    return s.scene("shifts by every amount")


def signs() -> Scene:
    """Negation and absolute values: borrows begin at every byte."""
    s = SceneBuilder()
    neg, abs_ = _placed(s, core("i32.neg"), core("i32.abs"))
    for number in BYTES:
        s.go(neg, [number])
    for number in SIGNED:
        s.go(abs_, [number])
    return s.scene("signs")


def products() -> Scene:
    """Columns of byte products, large ones and random ones."""
    s = SceneBuilder()
    (at,) = _placed(s, core("i32.mul"))
    s.go(at, [ONES, 0xFEFEFEFE])
    for low in (0, 0, 0, 0, 0xFFFF, 0xFFFFFF) * 15:
        s.go(at, [s.below(1 << 32) | low, s.below(1 << 32) | low])
    return s.scene("products")


def quotients() -> Scene:
    """Divisions from the start and from intermediate states, which are in the token."""
    s = SceneBuilder()
    div_s, rem_s, div_u, rem_u = _placed(
        s, *map(core, ("i32.div_s", "i32.rem_s", "i32.div_u", "i32.rem_u"))
    )
    for low in (0, *(1 << bit for bit in range(31))):
        s.go(div_s, [LOW | low, ONES], steps=1)
    for number in SIGNED:
        s.go(div_s, [1, number], steps=2)
        s.go(rem_s, [number, 1], steps=2)
    for at, number, sign in product((div_s, rem_s), (*BYTES, *SIGNED), (0, 1)):
        _continued(s, at, 33 + 64 * sign, [LOW * (number & 1), 5], (number, number ^ ONES))
    for at in (div_s, div_u, rem_u) * 30:
        divisor = s.number(4) or 1
        rest = (divisor - 1, s.number(4, divisor))[s.below(2)]
        _continued(s, at, 1 + s.below(32), [ONES, divisor], (rest, s.number(4)))
    return s.scene("quotients")


def _continued(
    s: SceneBuilder, at: StageState, phase: int, operands: list[int], work: tuple[int, int]
) -> None:
    """Add one step of a division from an intermediate state."""
    for i, value in enumerate(operands, at.sp - len(operands)):
        s.write(Space.SLOT, i, value)
    state = {"pc": at.pc, "sp": at.sp, "fp": at.fp, "depth": at.depth, "phase": phase}
    s.items += [Record(space=Space.WORK, at=work[0], value=work[1], **state), 1]


def accesses() -> Scene:
    """Every width at every alignment, carries into every digit of the address, exact fits."""
    s = SceneBuilder()
    names = [row.name for row in CORE if row.width and row.name in OPCODES]
    for name, start, signs in product(names, range(4), (0x81238567, 0x01A305E7)):
        _access(s, name, start, 0, word=signs)
    wide = ("i32.load", "i32.store")
    for name, size in product(wide, (1, 2, 10, 18, 26, 32)):
        _access(s, name, (1 << size) - 1, (1 << size) - 1)
    for name, pages in product(wide, (1, 0x101, 0xFFFF, MAX_PAGES)):
        for beyond in (0, 1):
            _access(s, name, (pages << 16) - 5, beyond + 1, pages)
    return s.scene("accesses")


def _access(
    s: SceneBuilder,
    name: str,
    base: int,
    offset: int,
    pages: int = MAX_PAGES,
    word: int = 0x81A3C5E7,
) -> None:
    space, places = memory(s, pages)
    for i in (0, 1):
        s.write(space, ((base + offset >> 2) + i) % (1 << 30), word ^ i * 0xF0)
    s.code(PC, core(name, offset, 0), places=places)
    s.go(StageState(pc=PC), [base, 0x92B4D6F8][: CORE[name].pops])


def carries() -> Scene:
    """Program counter, stack pointer, frame and depth across the ends of their bytes."""
    s = SceneBuilder()
    names = ("i32.add", "i32.const", "swap", "rot", "return", "gosub", "gosub_return")
    for end, name in product((0x100, 0x10000), names):
        args = (2,) * len(CORE[name].imm)
        before, behind = (
            StageState(end - 1, end, end, end % 0xFFFF),
            StageState(end, end + 1, end - 1, end - 1),
        )
        for at in (before, behind):
            s.write(Space.FRAME, end, end, depth=at.depth)
            s.code(at.pc, core(name, *args))
            s.go(at, s.numbers(3))
    return s.scene("carries")


def kept_values() -> Scene:
    """Branches and returns that move values across the ends of bytes."""
    s = SceneBuilder()
    for fp, height, keep in product((0xFF, 0xFFFF, 0x10203), (0xFF, 0xFFFF), (0, 1, 6)):
        for name, condition in (("br", []), ("br_if", [0]), ("br_if", [1])):
            s.code(PC, core(name, 0x112233, height, keep))
            s.go(StageState(PC, 0x3FF02, fp, 3), [*s.numbers(keep), *condition])
    return s.scene("values kept")


def limits() -> Scene:
    """Calls and pushes just within the stack limits and just beyond."""
    s = SceneBuilder()
    places = _callable(s, 7)
    # the instruction, and the number of slots that it needs above the stack pointer
    needs = (
        (core("call", 0), 6),
        (core("call_indirect", 9, 0), 7),
        (core("gosub", 5, 5), 0),
        (core("i32.const", 5), 1),
        (core("input"), 1),
    )
    s.code(PC, *(instr for instr, _ in needs), places=places)
    for slots, frames in ((64, 2), (0xFF * 64, 0x100), (0x1234 * 64, 0x1FF)):
        s.limits(frames, slots)
        for (pc, (_, need)), over in product(enumerate(needs, PC), (0, 1)):
            sp, depth = slots - need + over, frames - 2 + over
            s.go(StageState(pc, sp, 0x10203, min(frames - 2, 7)), [5, 0])
            s.go(StageState(pc, 20, 1, depth), [5, 0])
            s.go(StageState(pc, sp + 5, 1, depth), [5, 0])
    return s.scene("limits")


def _callable(s: SceneBuilder, frame: int) -> Places:
    """Add a table with one function, of type 9, with a frame of this size."""
    called = CoreFunction(FuncType((ValType.I32,)), 0x112233, 2, frame)
    s.write(Space.SIZE, TABLE, 1)
    s.write(TABLE, 0, 0x01020304)
    s.items.append(Record(space=Space.FUNC, at=0x01020304, depth=9, **descriptor(called)))
    return Places({0: called}, {}, {0: TABLE}, [], [])


def frames() -> Scene:
    """Calls of functions with large frames, which just fit or just do not; the last never fits."""
    s = SceneBuilder()
    for frame in (0x1FF, 0x12345, 0x1000000):
        places = _callable(s, frame)
        s.code(PC, core("call", 0), core("call_indirect", 9, 0), places=places)
        for at, need in enumerate((frame - 1, frame)):
            for over in (0, 1):
                sp = max(0x100, MOST_SLOTS - need) + over
                s.go(StageState(PC + at, sp, 0x10203, 7), [5, 0])
    return s.scene("large frames")


def few() -> Scene:
    """Every instruction with too few operands, and with just enough."""
    s = SceneBuilder()
    rows = [r for r in CORE if r.name in OPCODES and r.pops and not r.imm]
    states = _placed(s, *(CoreInstr(r) for r in rows))
    for row, at in zip(rows, states, strict=True):
        for operands in range(row.pops + 1):
            s.go(StageState(at.pc, operands, 0, 0), steps=1)
    return s.scene("too few operands")


def misses() -> Scene:
    """Reads next to written words at far addresses, which must give zero."""
    s = SceneBuilder()
    places = Places({}, {0: TABLE}, {0: TABLE}, [MAX_PAGES], [])
    load, get, call = core("i32.load", 0, 0), core("table.get", 0), core("call_indirect", 0, 0)
    for digit, base in product(range(4), (0, 0xC0FFEE, 0xFFFFFF)):
        index = base | 0xFF << 8 * digit
        size, word = min(ONES, index + 1), index & ONES >> 2
        for written in (index, word):
            s.write(TABLE, written ^ 1 << 8 * digit, 0x99)
        for instr, operand, bound in (
            (load, word << 2, MAX_PAGES),
            (get, index, size),
            (call, index, size),
        ):
            s.write(Space.SIZE, TABLE, bound)
            s.code(PC, instr, places=places)
            s.go(StageState(pc=PC), [operand])
    return s.scene("misses")


def indices() -> Scene:
    """Table elements inside, at the end and beyond."""
    s = SceneBuilder()
    places = Places({}, {}, {0: TABLE}, [], [])
    for index, more in product((*BYTES, *SIGNED[::4]), (0, -1, 1)):
        s.write(Space.SIZE, TABLE, index + more)
        s.write(TABLE, index, 0x11223344)
        for instr, operands in ((core("table.get", 0), []), (core("table.set", 0), [0x55667788])):
            s.code(PC, instr, places=places)
            s.go(StageState(pc=PC), [index, *operands])
    return s.scene("indices")


def jumps() -> Scene:
    """Jump tables: entries inside, the last one, the default; plain jumps and others."""
    s = SceneBuilder()
    entries = core("jump", 0x112233), core("return", 1)
    for pc, index in product((0xFF, 0xFFFF, 0x10203), (0, 0xFF, 0xFFFF, 0x7F0000)):
        for count, entry in product((index, index + 1), entries):
            s.code(pc + 1 + index, entry)
            parts = {"value": count, "pc": 0x778899, "sp": (1 << 24) - 1}
            s.items.append(Record(space=Space.CODE, at=pc, op=OPCODES["br_table"], **parts))
            s.go(StageState(pc=pc), [index])
    return s.scene("jump tables")


def indirect() -> Scene:
    """Indirect calls: every digit of reference, type, entry and frame; all traps."""
    s = SceneBuilder()
    places = Places({}, {}, {0: TABLE}, [], [])
    for reference, wrong in product((0, *BYTES), (0, 1, 0x100, 0x10000, 0x1000000)):
        called, type_ = function(s), s.number(2)
        s.write(Space.SIZE, TABLE, 1)
        s.write(TABLE, 0, reference)
        s.items.append(Record(space=Space.FUNC, at=reference, depth=type_, **descriptor(called)))
        s.code(PC, core("call_indirect", type_ ^ wrong, 0), places=places)
        s.go(replace(s.state(4), pc=PC), [*s.numbers(len(called.type.params)), 0])
    return s.scene("indirect calls")


def grows() -> Scene:
    """Memories that grow: carries of the new size, the old size, the maximum."""
    s = SceneBuilder()
    for now, more in product((0, *BYTES, 0xFFFFFF), (1, 0xFF00, 0x1000000)):
        for room in (-1, 0):
            _, places = memory(s, now, now + more + room)
            s.code(PC, core("memory.grow", 0), places=places)
            s.go(StageState(pc=PC), [more])
    return s.scene("growth")


def host() -> Scene:
    """A call of a host function with a large number."""
    s = SceneBuilder()
    parts = {"op": OPCODES["host"], "value": 0x89ABCDEF}
    s.items.append(Record(space=Space.CODE, at=PC, **parts))
    s.go(StageState(pc=PC))
    return s.scene("host")


#: All scenes of this module.
EDGES: tuple[Callable[[], Scene], ...] = (
    bits,
    shifts,
    signs,
    products,
    quotients,
    accesses,
    carries,
    kept_values,
    limits,
    frames,
    few,
    misses,
    indices,
    jumps,
    indirect,
    grows,
    host,
)
