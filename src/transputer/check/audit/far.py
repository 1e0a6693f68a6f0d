"""Every instruction at far addresses, with random states, operands, immediates and contents."""

from collections.abc import Callable

from transputer.check.audit.stage import MOST_SLOTS, NOWHERE, Scene, SceneBuilder
from transputer.ir.core import CoreFunction, CoreInstr, core
from transputer.ir.module import MAX_PAGES, FuncType
from transputer.isa.core import CORE
from transputer.isa.op import ValType
from transputer.machines.trace.opcodes import OPCODES
from transputer.machines.trace.prompt import Places, descriptor
from transputer.machines.trace.vocabulary import WORD, Record, Space

Act = Callable[[SceneBuilder], None]
_ADDRESSES = 1 << 32
_USES = ("get", "set", "tee", "zero")


def far(seed: int) -> Scene:
    """Return a scene in which every row of core code that the machine has runs once."""
    builder = SceneBuilder(seed)
    setups = acts()
    for name in builder.rng.permutation(sorted(setups)):
        setups[name](builder)
    return builder.scene(f"far {seed}")


def acts() -> dict[str, Act]:
    """Return a function that sets up each row of core code, by name."""
    rows = [row for row in CORE if row.name in OPCODES]
    return {
        **{row.name: _plain(row.name) for row in rows},
        **{row.name: _access(row.name) for row in rows if row.width},
        **{f"local.{how}": _variable(f"local.{how}", Space.SLOT) for how in _USES},
        **{f"var.{how}": _variable(f"var.{how}", Space.VARIABLE) for how in _USES},
        **{f"global.{how}": _variable(f"global.{how}", Space.GLOBAL, 0) for how in _USES[:2]},
        **{n: _jump(n) for n in ("jump", "jump_if", "jump_unless")},
        **{n: _branch(n) for n in ("br", "br_if")},
        **{n: _table(n) for n in ("table.get", "table.set")},
        "return": _return,
        "call": _call,
        "gosub": _gosub,
        "gosub_return": _gosub_return,
        "call_indirect": _call_indirect,
        "br_table": _br_table,
        "memory.size": _size,
        "memory.grow": _grow,
    }


def _run(s: SceneBuilder, instr: CoreInstr, operands: list[int], places: Places = NOWHERE) -> None:
    """Run an instruction at a random address on these operands."""
    at = s.state(len(operands))
    s.code(at.pc, instr, places=places)
    s.go(at, operands)


def _plain(name: str) -> Act:
    """Only operands and results."""
    row = CORE[name]
    return lambda s: _run(s, CoreInstr(row, tuple(s.numbers(len(row.imm)))), s.operands(row))


def _variable(name: str, space: int, framed: int = 1) -> Act:
    """A local, variable or global, which holds something."""

    def act(s: SceneBuilder) -> None:
        operands, index = s.numbers(CORE[name].pops), s.number(3, MOST_SLOTS // 4)
        at = s.state(len(operands))
        s.write(space, index + at.fp * framed, s.number(8))
        s.code(at.pc, core(name, index))
        s.go(at, operands)

    return act


def _condition(s: SceneBuilder) -> int:
    """Zero, or one bit."""
    return s.below(2) << s.below(32)


def _jump(name: str) -> Act:
    pops = CORE[name].pops
    return lambda s: _run(s, core(name, s.number(3)), [_condition(s)][:pops])


def _branch(name: str) -> Act:
    def act(s: SceneBuilder) -> None:
        keep, height = s.below(5), s.number(3, MOST_SLOTS // 4)
        operands = [*s.numbers(keep), _condition(s)][: keep + CORE[name].pops]
        _run(s, core(name, s.number(3), height, keep), operands)

    return act


def _frame(s: SceneBuilder, depth: int) -> None:
    """The open call at a depth: where to go back to, and the frame there."""
    s.write(Space.FRAME, s.number(3), s.number(3), depth=depth)


def _return(s: SceneBuilder) -> None:
    keep = s.below(4)
    at = s.state(keep)
    _frame(s, at.depth)
    s.code(at.pc, core("return", keep))
    s.go(at, s.numbers(keep))


def _gosub_return(s: SceneBuilder) -> None:
    at = s.state(0)
    _frame(s, at.depth)
    s.code(at.pc, core("gosub_return"))
    s.go(at)


def function(s: SceneBuilder) -> CoreFunction:
    """Some function with up to three parameters."""
    params, entry, locals_ = s.below(4), s.number(3), s.number(3, MOST_SLOTS // 4)
    frame = params + locals_ + s.number(3, MOST_SLOTS // 2)
    return CoreFunction(FuncType((ValType.I32,) * params), entry, params + locals_, frame)


def _call(s: SceneBuilder) -> None:
    called = function(s)
    places = Places({0: called}, {}, {}, [], [])
    _run(s, core("call", 0), s.numbers(len(called.type.params)), places)


def _gosub(s: SceneBuilder) -> None:
    _run(s, core("gosub", s.number(3), s.number(1)), [])


def _space(s: SceneBuilder) -> int:
    """The number of some memory or table."""
    return Space.FIRST + s.below(256 - Space.FIRST)


def _call_indirect(s: SceneBuilder) -> None:
    called, index, reference = function(s), s.number(4), s.number(4)
    space, type_ = _space(s), s.number(2)
    other = type_ ^ (s.below(3) == 0) << s.below(16)
    s.write(Space.SIZE, space, min(_ADDRESSES - 1, index + s.below(3)))
    s.write(space, index, reference)
    s.items.append(Record(space=Space.FUNC, at=reference, depth=other, **descriptor(called)))
    operands = [*s.numbers(len(called.type.params)), index]
    _run(s, core("call_indirect", type_, 0), operands, Places({}, {}, {0: space}, [], []))


def _br_table(s: SceneBuilder) -> None:
    at, index = s.state(1), s.number(3, 1 << 22)
    count = max(0, index + s.below(4) - 1)
    entries = (core("jump", s.number(3)), core("br", s.number(3), 5, 1), core("return", 1))
    s.code((at.pc + 1 + index) % (1 << 24), entries[s.below(3)])
    parts = {"value": count, "pc": s.number(3), "op": OPCODES["br_table"]}
    s.items.append(Record(space=Space.CODE, at=at.pc, **parts))
    s.go(at, [index])


def memory(s: SceneBuilder, pages: int, most: int = MAX_PAGES) -> tuple[int, Places]:
    """A memory of `pages` pages: its space, and code that refers to it."""
    space = _space(s)
    s.write(Space.SIZE, space, pages)
    return space, Places({}, {0: space}, {}, [most], [])


def _access(name: str) -> Act:
    """Access a random address in 4 GiB, not always inside the memory."""
    row = CORE[name]

    def act(s: SceneBuilder) -> None:
        base, offset = s.number(4), s.number(4)
        address = base + offset
        pages = min(MAX_PAGES, (address + row.width - 1 >> 16) + s.below(4))
        space, places = memory(s, pages)
        for word in (address // WORD, address // WORD + 1):
            s.write(space, word % (_ADDRESSES // WORD), s.number(WORD))
        _run(s, core(name, offset, 0), [base, s.number(WORD)][: row.pops], places)

    return act


def _size(s: SceneBuilder) -> None:
    _run(s, core("memory.size", 0), [], memory(s, s.number(4))[1])


def _grow(s: SceneBuilder) -> None:
    most = s.number(4)
    now = s.number(4, most + 1)
    more = (most - now + s.below(4) - 2, s.number(4))[s.below(2)] % _ADDRESSES
    _run(s, core("memory.grow", 0), [more], memory(s, now, most)[1])


def _table(name: str) -> Act:
    def act(s: SceneBuilder) -> None:
        index, space = s.number(4), _space(s)
        s.write(Space.SIZE, space, min(_ADDRESSES - 1, index + s.below(3)))
        s.write(space, index, s.number(8))
        operands = [index, s.number(8)][: CORE[name].pops]
        _run(s, core(name, 0), operands, Places({}, {}, {0: space}, [], []))

    return act
