"""Jumps, branches, calls, returns, and what stops a program."""

from transputer.circuit import Form
from transputer.circuit.arithmetic import carry
from transputer.circuit.logic import equal, step
from transputer.circuit.word import Word, weighted
from transputer.errors import Trap
from transputer.machines.trace.machine import Machine, trace
from transputer.machines.trace.vocabulary import BYTE, SLOTS, Space, Status, trap_status

_KEEPING = ("br.n", "br_if.n", "return.n")
_RETURNS = ("return.0", "return.1", "return.n")


@trace.on("jump", "br")
def jumps(m: Machine) -> None:
    """Always taken; a branch that keeps several values goes when the last one has moved."""
    m.taken = m.taken + m.op("jump", "br.0", "br.1")
    m.result(m.T.bytes, m.op("br.1"))


@trace.on("jump_if", "jump_unless")
def conditional(m: Machine) -> None:
    """relu(op - sum of bits) == op and T = 0."""
    bits = sum(m.T.bits, Form())
    m.taken = m.taken + m.op("jump_if") - m.g.neuron(m.op("jump_if") - bits)
    m.taken = m.taken + m.g.neuron(m.op("jump_unless") - bits)


@trace.on("br_if")
def conditional_branch(m: Machine) -> None:
    """As `br` if T is not zero; else only T goes."""
    g, op = m.g, m.op("br_if.0", "br_if.1", "br_if.n")
    bits = sum(m.T.bits, Form())
    falls = g.signal("br_if falls through", g.neuron(op - bits))
    goes = g.signal("br_if goes", op - g.neuron(op - bits))
    m.branches = goes
    base = [f + d for f, d in zip(m.fp, m.move, strict=True)]
    left = m.add("sp of br_if", base, op)
    m.say("sp", left, goes)
    m.say("sp", m.top, falls)
    one = m.also("br_if keeps one", goes, m.op("br_if.1"))
    m.result(m.S.bytes, one)
    m.say("at", m.U, one)
    m.say("space", [Space.SLOT * one])
    several = m.also("br_if keeps several", goes, m.op("br_if.n"))
    m.taken = m.taken + goes - several
    m.several = several
    m.left = left


@trace.on("return")
def keeping(m: Machine) -> None:
    """Several values move one by one, lowest first; then the branch or return is done.

    The immediate has the height to move to, and in its last byte how many.
    """
    g = m.g
    conditional = m.several
    op = g.signal("keeps several", m.op("br.n", "return.n") + conditional)
    place = [*(f + i for f, i in zip(m.fp, m.immediate.bytes[:3], strict=True))]
    place[0] = place[0] + m.phase.number()
    to = m.add("kept ", place)
    m.result(m.R.bytes, op)
    m.say("at", to, op)
    m.say("space", [Space.SLOT * op])
    last = g.signal("last kept", equal(g, m.phase.number() - m.immediate.bytes[3], -1))
    goes_on = g.signal("keeps moving", g.neuron(op - last))
    m.stay = m.stay + goes_on
    m.say("phase", [m.phase.number() + 1], goes_on)
    # a conditional branch has said its own stack pointer, so staying must undo that
    waits = g.signal("br_if waits", g.neuron(conditional - last))
    m.say("sp", [n - s for n, s in zip(m.new_sp, m.left, strict=True)], waits)
    branches = m.op("br.n") + conditional
    m.taken = m.taken + g.neuron(branches + last - 1)
    returns = m.op("return.0", "return.1") + g.neuron(m.op("return.n") + last - 1)
    m.result(m.T.bytes, m.op("return.1"))
    _leave(m, g.signal("returns", returns))
    outermost = g.neuron(g.signal("returns", returns) - weighted(m.depth, BYTE))
    m.say("status", [Status.DONE * outermost])


def _leave(m: Machine, returns: Form) -> None:
    """Back to where the open call says."""
    back = [m.frame.read(p.number()) for p in m.parts["value"][:3]]
    frame = [m.frame.read(p.number()) for p in m.parts["at"][:3]]
    m.instead("pc", m.next_pc, back, returns)
    m.instead("fp", m.fp, frame, returns)
    m.instead("depth", m.depth, m.add("depth - 1 ", [m.depth[0] - 1, m.depth[1]]), returns)


def _reasons(m: Machine, name: str, top: Form) -> Form:
    """How many reasons there are (0 to 2) why a frame that ends at slot `top` cannot be opened:

    it is one too many, it is too large.
    """
    g = m.g
    limit = [m.limits.read(p.number()) for p in m.parts["value"]]
    deep = step(g, weighted(m.depth, BYTE) - weighted(limit[:2], BYTE), 0)
    high = step(g, top - SLOTS * weighted(limit[2:], BYTE), 1)
    return g.signal(f"{name}, too many", deep) + g.signal(f"{name}, too large", high)


def _exhausted(m: Machine, reasons: Form, opens: Form) -> Form:
    """1 if a frame is to be opened (a bit, or less than 0) and there is a reason against it.

    2 opens + reasons - 2 is positive only then.
    """
    return step(m.g, 2 * opens + reasons - 2, 1)


@trace.on("call")
def call(m: Machine) -> None:
    """Opens a frame on the arguments and remembers where to go on.

    Immediates: the entry, locals - parameters, -parameters, frame - parameters.
    """
    op = m.op("call")
    top = weighted(m.sp, BYTE) + m.immediate.number()
    exhausted = _exhausted(m, _reasons(m, "call", top), op)
    m.traps(exhausted, trap_status(Trap.STACK_EXHAUSTED))
    m.taken = m.taken + op
    _enter(m, op, m.U)


def _enter(m: Machine, op: Form, frame: list[Form]) -> None:
    """The token of a call: the new frame and depth; the old frame and the way back."""
    m.instead("fp", m.fp, frame, op)
    m.instead("depth", m.depth, m.add("depth + 1 ", [m.depth[0] + 1, m.depth[1]]), op)
    m.say("at", m.fp, op)
    m.result(m.next_pc, op)


@trace.on("call_indirect")
def call_indirect(m: Machine) -> None:
    """X reads the reference, F what the function needs; all errors are traps.

    The immediate is the number of the type; a FUNC token has its number in `depth`.
    """
    g, op = m.g, m.op("call_indirect")
    outside = g.signal("undefined element", step(g, m.T.number() - m.R.number(), 0, op))
    here = g.signal("element is there", op - outside)
    null = g.signal("null element", g.neuron(here - m.element.number()))
    function = m.lookup("F", Space.FUNC, m.element.bytes)
    entry, moved, params = (
        [function.read(p.number()) for p in m.parts[name]] for name in ("pc", "sp", "fp")
    )
    signature = weighted([function.read(p.number()) for p in m.parts["depth"]], BYTE)
    frame = weighted([function.read(p.number()) for p in m.parts["value"]], BYTE)
    agrees = g.signal("types agree", equal(g, signature - m.immediate.number(), 0))
    known = here - null
    right = known + agrees - 1  # 1 if the call can be made, else 0 or less
    reasons = _reasons(m, "indirect call", weighted(m.top, BYTE) + frame)
    exhausted = _exhausted(m, reasons, right)
    m.late_traps(
        (outside, trap_status(Trap.UNDEFINED_ELEMENT)),
        (null, trap_status(Trap.UNINITIALIZED_ELEMENT)),
        (g.neuron(known - agrees), trap_status(Trap.INDIRECT_CALL_MISMATCH)),
        (exhausted, trap_status(Trap.STACK_EXHAUSTED)),
    )
    m.say("space", [Form.of(Space.FRAME)], right - reasons)
    m.instead("pc", m.next_pc, entry, op)
    m.say("sp", m.add("indirect sp ", [t + d for t, d in zip(m.top, moved, strict=True)], op))
    base = m.add("indirect fp ", [t + p for t, p in zip(m.top, params, strict=True)], op)
    _enter(m, op, base)


@trace.on("gosub", "gosub_return")
def gosub(m: Machine) -> None:
    """A call without arguments: the frame, of variables, moves on by the immediate."""
    op, back = m.op("gosub"), m.op("gosub_return")
    m.traps(_exhausted(m, _reasons(m, "gosub", Form()), op), trap_status(Trap.STACK_EXHAUSTED))
    m.taken = m.taken + op
    _enter(m, op, m.U)
    outermost = m.g.neuron(back - weighted(m.depth, BYTE))
    m.traps(outermost, trap_status(Trap.STACK_UNDERFLOW))
    _leave(m, back)


@trace.on("br_table")
def br_table(m: Machine) -> None:
    """X reads the entry; the immediate is their number, the target the default.

    An entry that is a plain jump is taken at once; another one is where to go on.
    """
    g, op = m.g, m.op("br_table")
    default = g.signal("br_table default", step(g, m.T.number() - m.immediate.number(), 0, op))
    m.taken = m.taken + default
    chosen = g.signal("br_table entry", op - default)
    plain = m.also("entry is a jump", chosen, m.entry_jumps)
    m.instead("pc", m.next_pc, m.entry_target, plain)
    m.instead("pc", m.next_pc, m.entry_place, g.signal("entry is another", chosen - plain))


@trace.on("unreachable", "input", "exit", "halt")
def stops(m: Machine) -> None:
    """The status says why."""
    m.traps(m.op("unreachable"), trap_status(Trap.UNREACHABLE))
    for name, status in (
        ("input", Status.INPUT),
        ("exit", Status.EXIT),
        ("halt", Status.DONE),
        ("host", Status.HOST),
    ):
        m.say("status", [status * m.op(name)])
    m.result(m.T.bytes, m.op("exit"))
    m.result(m.immediate.bytes, m.op("host"))


def second_level(m: Machine) -> None:
    """The head X: a table element by index, or an entry of a br_table by place.

    Elements may never have been written, so their squares are counted; entries always are.
    """
    g = m.g
    value = Word.of_bits([p.bit(i) for p in m.parts["value"] for i in range(8)])
    with g.group("second level"):
        entry, element = m.op("br_table"), m.op("call_indirect", "table.get")
        steps = [p + t for p, t in zip(m.pc, m.T.bytes, strict=False)]
        places = carry(g, [steps[0] + 1, *steps[1:]], BYTE, entry).digits
        m.entry_place = [m.byte(f"entry {i}", digit) for i, digit in enumerate(places)]
        query = [
            m.byte(f"X {i}", g.neuron(element, t) + place)
            for i, (t, place) in enumerate(zip(m.T.bytes, (*places, Form()), strict=True))
        ]
        space = g.signal("X space", [g.neuron(element, m.other), Space.CODE * entry])
        digits = [m.other, *m.T.bytes]
        squares = g.signal("X squares", [g.neuron(d + 255 * element - 255, d) for d in digits])
        x = m.lookup("X", space, query, squares)
        m.element = value.map(x.read)
        m.entry_target = [x.read(p.number()) for p in m.parts["pc"]]
        m.entry_jumps = x.read(m.parts["op"][0].one_hot(m.opcode("jump")))

