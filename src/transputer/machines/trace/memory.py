"""Loads, stores, sizes, locals, globals and tables.

A memory is a space of aligned words of 8 bytes. An access of any width and alignment sees a
window of two words, P and Q; a store that reaches into the second word takes two steps.
"""

from transputer.circuit import Form
from transputer.circuit.arithmetic import carry
from transputer.circuit.logic import equal, step
from transputer.circuit.memory import extract, insert, sign_extend
from transputer.circuit.word import Word, weighted
from transputer.errors import Trap
from transputer.isa.core import CORE
from transputer.machines.trace.machine import TraceCircuit, trace
from transputer.machines.trace.opcodes import ALIASES
from transputer.machines.trace.vocabulary import BYTE, WORD, Space, trap_status

#: What `accesses` knows to extend or to cut; a new row needs a rule of its own.
LOADS = (
    *("i32.load", "i32.load8_s", "i32.load8_u", "i32.load16_s", "i32.load16_u"),
    *("i64.load", "i64.load8_s", "i64.load16_s", "i64.load32_s"),
)
STORES = ("i32.store", "i32.store8", "i32.store16", "i64.store")
#: An address in digits: the byte within the word, then the bytes of the word's address.
_BASES = (WORD, BYTE, BYTE, BYTE, 32)
_PAGE = 65536


def _digits(word: Word) -> list[Form]:
    bits = word.bits
    places = ((0, 3), (3, 11), (11, 19), (19, 27), (27, 32))
    return [weighted(bits[first:end], 2) for first, end in places]


@trace.on(*LOADS, *STORES, *(op.name for op in CORE if op.width and op.name in ALIASES))
def accesses(m: TraceCircuit) -> None:
    """Effective address, bounds, window; what a load extracts, what a store inserts."""
    g = m.g
    load, store = m.op(*LOADS), m.op(*STORES)
    width = m.by_op("width", {name: CORE[name].width for name in (*LOADS, *STORES)})
    with g.group("effective address"):
        here = _address(m, "address", ((m.T, load), (m.S, store)), 0)
        following = _address(m, f"address + {WORD}", ((m.T, load), (m.S, store)), 1)
        pages = weighted(m.R.bytes[:3], BYTE)  # at most 65,536
        end = m.immediate.low(4).number() + width - _PAGE * pages
        out = [step(g, a.low(4).number() + end, 1, op) for a, op in ((m.T, load), (m.S, store))]
        outside = g.signal("out of bounds", out)
        m.traps(outside, trap_status(Trap.MEMORY_OUT_OF_BOUNDS))
    with g.group("memory"):
        p = m.value.map(m.lookup("P", m.other, here[1:], None).read)
        q = m.value.map(m.lookup("Q", m.other, following[1:], None).read)
    at = [g.signal(f"start {s}", equal(g, here[0], s)) for s in range(WORD)]
    with g.group("load"):
        _load(m, p, q, at)
    with g.group("store"):
        first = m.also("store begins", store, m.in_phase(0))
        straddles = g.signal("straddles", step(g, here[0] + width, WORD + 1, first))
        _store(m, (p, q), at, (here[1:], following[1:]))
        m.say("space", [m.other], g.signal("stores", store - outside))
        m.stay = m.stay + straddles
        m.say("phase", [straddles])


def _address(
    m: TraceCircuit, name: str, cases: tuple[tuple[Word, Form], ...], words: int
) -> list[Form]:
    """Digits of base + offset, some words further; one carry per digit.

    Nothing is carried out of the top one: such an address is out of bounds, or that of a word
    behind the last, which nothing writes and no access within bounds needs.
    """
    sums = [Form()] * len(_BASES)
    for word, op in cases:
        total = [a + b for a, b in zip(_digits(word), _digits(m.immediate), strict=True)]
        total[1] = total[1] + words
        digits = carry(m.g, total, _BASES, op, fits=True).digits
        sums = [a + b for a, b in zip(sums, digits, strict=True)]
    bases = (*_BASES[:-1], 2 * _BASES[-1])
    return [m.byte(f"{name} {i}", s, b) for i, (s, b) in enumerate(zip(sums, bases, strict=True))]


def _load(m: TraceCircuit, p: Word, q: Word, at: list[Form]) -> None:
    wide = [m.op(*(n for n in LOADS if CORE[n].width > j)) for j in range(WORD)]
    m.result(extract(m.g, p, q, at, wide))
    for width in (1, 2, 4):
        signed = [n for n in LOADS if CORE[n].width == width and n.endswith("_s")]
        op, whole = m.op(*signed), m.op(*(n for n in signed if n.startswith("i64")))
        m.result(sign_extend(m.g, p, q, at, width, range(width, 4), op))
        m.result(sign_extend(m.g, p, q, at, width, range(4, WORD), whole))


def _store(
    m: TraceCircuit, window: tuple[Word, Word], at: list[Form], addresses: tuple[list[Form], ...]
) -> None:
    """What each step of a store writes: the first word of the window, then the second."""
    for phase, name in enumerate(("first", "second")):
        wanted = [
            m.also(
                f"store, {name} word, byte {k}",
                m.op(*(n for n in STORES if CORE[n].width > k)),
                m.in_phase(phase),
            )
            for k in range(WORD)
        ]
        m.result(insert(m.g, window[phase], m.T, at, wanted, second=bool(phase)))
        m.say("at", addresses[phase], wanted[0])


@trace.on("memory.size", "table.size")
def size(m: TraceCircuit) -> None:
    """R has read it, a number of 32 bits."""
    m.result(m.R.low(4).bytes, m.op("memory.size"))


@trace.on("memory.grow", "table.extend")
def grow(m: TraceCircuit) -> None:
    """Writes the new size, then pushes the old one; -1 at once if it would pass the maximum.

    The immediate is the maximum.
    """
    g, op = m.g, m.op("memory.grow")
    begins = m.also("grow begins", op, m.in_phase(0))
    now, more, most = (word.low(4) for word in (m.R, m.T, m.immediate))
    total = now.number() + more.number() - most.number()
    fails = g.signal("cannot grow", step(g, total, 1, begins))
    grows = g.signal("grows", begins - step(g, total, 1, begins))
    ends = m.also("grow ends", op, m.in_phase(1))
    pairs = list(zip(now.bytes, more.bytes, strict=True))
    m.result(carry(g, [a + b for a, b in pairs], BYTE, grows, fits=True).digits)
    m.result([255 * fails] * 4)
    m.result(carry(g, [a - b for a, b in pairs], BYTE, ends, fits=True).digits)
    m.say("space", [Space.SIZE * grows + Space.SLOT * (fails + ends)])
    m.say("at", m.U[:1], grows)  # the number of the memory or table
    m.say("at", m.top, g.signal("grow's result", fails + ends))
    m.stay = m.stay + grows
    m.say("phase", [grows])


@trace.on("local.get", "global.get", "var.get")
def get(m: TraceCircuit) -> None:
    """R has read it."""
    m.result(m.R.bytes, m.op("local.get", "global.get", "var.get"))


_PUTS = ("local.set", "local.tee", "global.set", "var.set", "var.tee", "output", "dup")


@trace.on(*_PUTS)
def put(m: TraceCircuit) -> None:
    """T goes to where the usual address says."""
    m.result(m.T.bytes, m.op(*_PUTS))


@trace.on("over")
def over(m: TraceCircuit) -> None:
    """S is pushed."""
    m.result(m.S.bytes, m.op("over"))


@trace.on("local.zero", "var.zero", "drop")
def nothing(m: TraceCircuit) -> None:
    """Writes zero, or nothing; the usual does it."""


@trace.on("select", "select_second")
def select(m: TraceCircuit) -> None:
    """R or S, as T says."""
    first, second = m.op("select"), m.op("select_second")
    zero = m.top_zero
    keeps_r = m.g.neuron(first - zero) + m.g.neuron(second + zero - 1)
    keeps_s = m.g.neuron(first + zero - 1) + m.g.neuron(second - zero)
    m.result(m.R.bytes, m.g.signal("select R", keeps_r))
    m.result(m.S.bytes, m.g.signal("select S", keeps_s))


@trace.on("swap", "rot")
def shuffle(m: TraceCircuit) -> None:
    """The deepest value is parked above the top, the others move down, it comes back."""
    op = m.op("swap", "rot")
    last = m.g.signal(
        "shuffle ends",
        m.also("swap ends", m.op("swap"), m.in_phase(2))
        + m.also("rot ends", m.op("rot"), m.in_phase(3)),
    )
    parks = m.also("shuffle parks", op, m.in_phase(0))
    m.result(m.R.bytes, op)
    m.say("at", m.sp, parks)
    moves = m.g.signal("shuffle moves", op - parks)
    m.say("at", m.add_small("U - 1 ", [m.U[0] - 1, *m.U[1:]], moves))
    m.say("space", [Space.SLOT * op])
    m.stay = m.stay + op - last
    m.say("phase", [m.phase.number() + 1], m.g.signal("shuffle goes on", op - last))


@trace.on("table.get", "table.set")
def table(m: TraceCircuit) -> None:
    """An element by index; X reads it. Bounds are those that R has read."""
    g = m.g
    get_, set_ = m.op("table.get"), m.op("table.set")
    out = [
        step(g, index.low(4).number() - m.R.low(4).number(), 0, op)
        for index, op in ((m.T, get_), (m.S, set_))
    ]
    bad = g.signal("no such element", out)
    m.traps(bad, trap_status(Trap.TABLE_OUT_OF_BOUNDS))
    m.result(m.element.bytes, get_)
    m.result(m.T.bytes, set_)
    m.say("at", m.S.low(4).bytes, set_)
    m.say("space", [m.other], g.signal("sets an element", set_ - bad))
