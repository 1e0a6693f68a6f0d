"""Memory, tables, calls and branches at their edges: every start, carry and limit."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product

from transputer.check.audit.far import function, memory
from transputer.check.audit.numbers import NUMBERS, PC
from transputer.check.audit.stage import MOST_SLOTS, Scene, SceneBuilder, StageState
from transputer.check.audit.tails import TAILS
from transputer.ir.core import CoreFunction, CoreInstr, core
from transputer.ir.module import MAX_PAGES, FuncType
from transputer.isa.core import CORE
from transputer.isa.op import ValType
from transputer.machines.trace.opcodes import OPCODES
from transputer.machines.trace.prompt import Places, descriptor
from transputer.machines.trace.vocabulary import WORD, Record, Space

ONES, LOW = 0xFFFFFFFF, 0x80000000
#: Numbers with one nonzero byte, and the same with the sign bit.
BYTES = tuple(b << 8 * d for d, b in product(range(4), (1, 0x7F)))
SIGNED = tuple(LOW | b for b in BYTES)
TABLE = 77


def _placed(s: SceneBuilder, *code: CoreInstr) -> list[StageState]:
    """Place instructions; return the state before each."""
    s.code(PC, *code)
    return [StageState(pc=PC + i) for i in range(len(code))]


def conditions() -> Scene:
    """Instructions that test their top operand for zero, on single bits."""
    s = SceneBuilder()
    plain = ("select", "select_second")
    jumps = [core(name, 0x112233) for name in ("jump_if", "jump_unless")]
    branches = [core("br_if", 0x112233, 7, keep) for keep in (0, 1, 2)]
    states = _placed(s, *map(core, plain), *jumps, *branches)
    for bit, at in product(range(0, 32, 8), states):
        s.go(at, [*s.numbers(2), 1 << bit])
    for at in states:
        s.go(at, [*s.numbers(2), 0])
    return s.scene("conditions")


def loads() -> Scene:
    """Every load at every start, signs of all bytes."""
    s = SceneBuilder()
    rows = [row for row in CORE if row.width and row.pushes and row.name in OPCODES]
    for word in (0x8123A567C981EB8D, 0x01A325E7490B6B0D):
        space, places = memory(s, MAX_PAGES)
        for i in range(2):
            s.write(space, i, word ^ i * 0x80F080F080F080F0)
        s.code(PC, *(core(row.name, 0, 0) for row in rows), places=places)
        for start, pc in product(range(WORD), range(PC, PC + len(rows))):
            s.go(StageState(pc=pc), [start])
    return s.scene("loads")


def stores() -> Scene:
    """Every store at every start: each word in a place of its own."""
    s = SceneBuilder()
    rows = [row for row in CORE if row.width and row.pops == 2 and row.name in OPCODES]
    space, places = memory(s, MAX_PAGES)
    s.code(PC, *(core(row.name, 0, 0) for row in rows), places=places)
    scenes = product(range(WORD), range(PC, PC + len(rows)), (0, 0x8123A567C981EB8D))
    for number, (start, pc, word) in enumerate(scenes):
        for i in (0, 1):
            s.write(space, 2 * number + i, word ^ i * 0x5A5A5A5A5A5A5A5A)
        s.go(StageState(pc=pc), [2 * number * WORD + start, 0x92B4D6F80A1C3E5F])
    return s.scene("stores")


def addresses() -> Scene:
    """Carries into every digit of an address, exact fits, the first byte outside."""
    s = SceneBuilder()
    wide, narrow = ("i64.load", "i64.store"), ("i32.load8_u", "i32.store8")
    for name, size in product(wide, (1, 2, 3, 11, 19, 27, 32)):
        _access(s, name, (1 << size) - 1, (1 << size) - 1)
    for name, bit in product(wide, range(32)):
        _access(s, name, 1 << bit, 0)
        _access(s, name, 0, 1 << bit)
    for name, pages in product((*wide, *narrow), (1, 0x101, 0xFFFF, MAX_PAGES)):
        for beyond in (0, 1):
            _access(s, name, (pages << 16) - CORE[name].width - 1, beyond + 1, pages)
    return s.scene("addresses")


def _access(s: SceneBuilder, name: str, base: int, offset: int, pages: int = MAX_PAGES) -> None:
    space, places = memory(s, pages)
    for i in (0, 1):
        word = ((base + offset) // WORD + i) % ((1 << 32) // WORD)
        s.write(space, word, 0x81A3C5E7092B4D6F ^ i * 0xF0F0F0F0F0F0F0F0)
    s.code(PC, core(name, offset, 0), places=places)
    s.go(StageState(pc=PC), [base, 0x92B4D6F81A3C5E70][: CORE[name].pops])


def inputs() -> Scene:
    """Input that the host has appended."""
    s = SceneBuilder()
    (at,) = _placed(s, core("input"))
    for value in (0, 0xFF, 0xFFFFFFFF, 0x01020304, 0x80808080):
        s.go(replace(at, phase=1), value=value)
    return s.scene("input")


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
    """Instructions of every effect on the stack with too few operands, and just enough."""
    s = SceneBuilder()
    plain = (row for row in CORE if row.name in OPCODES and row.pops and not row.imm)
    rows = list({(row.pops, row.pushes): row for row in plain}.values())
    states = _placed(s, *(CoreInstr(r) for r in rows))
    for row, at in zip(rows, states, strict=True):
        for operands in range(row.pops + 1):
            s.go(StageState(at.pc, operands, 0, 0), steps=1)
    return s.scene("too few operands")


def misses() -> Scene:
    """Reads next to written words at far addresses, which must give zero."""
    s = SceneBuilder()
    places = Places({}, {0: TABLE}, {0: TABLE}, [MAX_PAGES], [])
    load, get, call = core("i64.load", 0, 0), core("table.get", 0), core("call_indirect", 0, 0)
    for digit, base in product(range(4), (0, 0xC0FFEE, 0xFFFFFF)):
        index = base | 0xFF << 8 * digit
        size, word = min(ONES, index + 1), index & ONES // WORD
        for written in (index, word):
            s.write(TABLE, written ^ 1 << 8 * digit, 0x99)
        for instr, operand, bound in (
            (load, word * WORD, MAX_PAGES),
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
        s.write(TABLE, index, 0x1122334455667788)
        for instr, operands in (
            (core("table.get", 0), []),
            (core("table.set", 0), [0x99AABBCCDDEEFF01]),
        ):
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
            parts = {"value": count, "pc": 0x778899, "op": OPCODES["br_table"]}
            s.items.append(Record(space=Space.CODE, at=pc, **parts))
            s.go(StageState(pc=pc), [index])
    return s.scene("jump tables")


def indirect() -> Scene:
    """Indirect calls: every digit of reference, type, entry and frame; all traps."""
    s = SceneBuilder()
    places = Places({}, {}, {0: TABLE}, [], [])
    references = (0, *BYTES, *(byte << 32 for byte in BYTES))
    for reference, wrong in product(references, (0, 1, 0x100, 0x10000, 0x1000000)):
        called, type_ = function(s), s.number(2)
        s.write(Space.SIZE, TABLE, 1)
        s.write(TABLE, 0, reference)
        parts = {"at": reference % (1 << 32), "depth": type_, **descriptor(called)}
        s.items.append(Record(space=Space.FUNC, **parts))
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
    parts = {"op": OPCODES["host"], "value": 0x0123456789ABCDEF}
    s.items.append(Record(space=Space.CODE, at=PC, **parts))
    s.go(StageState(pc=PC))
    return s.scene("host")


#: All scenes of this module.
EDGES: tuple[Callable[[], Scene], ...] = (
    conditions,
    loads,
    stores,
    addresses,
    inputs,
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
    *NUMBERS,
    *TAILS,
)
