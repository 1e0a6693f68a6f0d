"""Jumps, branches, calls, returns, and what stops a program."""

from transputer.circuit import Form
from transputer.circuit.arithmetic import carry
from transputer.circuit.logic import equal, step
from transputer.circuit.word import weighted
from transputer.errors import Trap
from transputer.machines.trace.machine import TraceCircuit, trace
from transputer.machines.trace.vocabulary import BYTE, SLOTS, Space, Status, trap_status


@trace.on("jump")
def jump(m: TraceCircuit) -> None:
    """Always taken."""
    m.taken = m.taken + m.op("jump")


@trace.on("jump_if", "jump_unless")
def conditional(m: TraceCircuit) -> None:
    """relu(op - sum of bytes) == op and T = 0."""
    total = sum(m.T.bytes, Form())
    m.taken = m.taken + m.op("jump_if") - m.g.neuron(m.op("jump_if") - total)
    m.taken = m.taken + m.g.neuron(m.op("jump_unless") - total)


@trace.on("br", "br_if", "return")
def branches(m: TraceCircuit) -> None:
    """Branches and returns that keep none, one or several values.

    Several move one by one, lowest first; with the last one the branch or return is done.
    """
    g = m.g
    m.taken = m.taken + m.op("br.0", "br.1")
    m.result(m.T.bytes, m.op("br.1", "return.1"))
    several = _conditional(m)
    last = g.signal("last kept", equal(g, m.phase.number() - m.immediate.bytes[3], -1))
    _move(m, g.signal("keeps several", m.op("br.n", "return.n") + several), last)
    m.taken = m.taken + g.neuron(m.op("br.n") + several + last - 1)
    returns = m.op("return.0", "return.1") + g.neuron(m.op("return.n") + last - 1)
    leaves = g.signal("returns", returns)
    _leave(m, leaves)
    m.say("status", [Status.DONE * g.neuron(leaves - weighted(m.depth, BYTE))])


def _conditional(m: TraceCircuit) -> Form:
    """`br_if`: as `br` if T is not zero; else only T goes. 1 if it goes and keeps several."""
    g, op = m.g, m.op("br_if.0", "br_if.1", "br_if.n")
    total = sum(m.T.bytes, Form())
    falls = g.signal("br_if falls through", g.neuron(op - total))
    goes = g.signal("br_if goes", op - g.neuron(op - total))
    left = m.add_small("sp of br_if ", [f + d for f, d in zip(m.fp, m.move, strict=True)], op)
    one = m.also("br_if keeps one", goes, m.op("br_if.1"))
    several = m.also("br_if keeps several", goes, m.op("br_if.n"))
    m.result(m.S.bytes, one)
    m.say("at", m.U, one)
    m.say("space", [Space.SLOT * one])
    m.taken = m.taken + goes - several
    m.say("sp", left, goes)
    m.say("sp", m.top, falls)
    # While values move, `stay` says sp, which is all that is to be said.
    last = equal(g, m.phase.number() - m.immediate.bytes[3], -1)
    waits = g.signal("br_if waits", g.neuron(several - g.signal("last kept", last)))
    m.say("sp", [-digit for digit in left], waits)
    return several


def _move(m: TraceCircuit, op: Form, last: Form) -> None:
    """One of several values goes to its place.

    The immediate has the height to move to, and in its last byte how many there are.
    """
    place = [f + i for f, i in zip(m.fp, m.immediate.bytes, strict=False)]
    place[0] = place[0] + m.phase.number()
    m.result(m.R.bytes, op)
    m.say("at", m.add_small("kept ", place), op)
    m.say("space", [Space.SLOT * op])
    goes_on = m.g.signal("keeps moving", m.g.neuron(op - last))
    m.stay = m.stay + goes_on
    m.say("phase", [m.phase.number() + 1], goes_on)


def _leave(m: TraceCircuit, returns: Form) -> None:
    """Back to where the open call says."""
    back = [m.frame.read(p.number()) for p in m.parts["value"][:3]]
    frame = [m.frame.read(p.number()) for p in m.parts["at"][:3]]
    m.instead("pc", m.next_pc, back, returns)
    m.instead("fp", m.fp, frame, returns)
    m.instead("depth", m.depth, m.add("depth - 1 ", [m.depth[0] - 1, m.depth[1]]), returns)


def _reasons(m: TraceCircuit, name: str, top: Form) -> Form:
    """How many reasons there are (0 to 2) why a frame that ends at slot `top` cannot be opened:

    it is one too many, it is too large.
    """
    g = m.g
    limit = [m.limits.read(p.number()) for p in m.parts["value"][:4]]
    deep = step(g, weighted(m.depth, BYTE) - weighted(limit[:2], BYTE), 0)
    high = step(g, top - SLOTS * weighted(limit[2:], BYTE), 1)
    return g.signal(f"{name}, too many", deep) + g.signal(f"{name}, too large", high)


def _exhausted(m: TraceCircuit, reasons: Form, opens: Form) -> Form:
    """1 if a frame is to be opened (a bit, or less than 0) and there is a reason against it.

    2 opens + reasons - 2 is positive only then.
    """
    return step(m.g, 2 * opens + reasons - 2, 1)


@trace.on("call")
def call(m: TraceCircuit) -> None:
    """Opens a frame on the arguments and remembers where to go on.

    Immediates: the entry, locals - parameters, -parameters, frame - parameters.
    """
    op = m.op("call")
    top = weighted(m.sp, BYTE) + m.immediate.low(4).number()
    exhausted = _exhausted(m, _reasons(m, "call", top), op)
    m.traps(exhausted, trap_status(Trap.STACK_EXHAUSTED))
    m.taken = m.taken + op
    _enter(m, op, m.U)


def _enter(m: TraceCircuit, op: Form, frame: list[Form]) -> None:
    """The token of a call: the new frame and depth; the old frame and the way back."""
    m.instead("fp", m.fp, frame, op)
    m.instead("depth", m.depth, m.add("depth + 1 ", [m.depth[0] + 1, m.depth[1]]), op)
    m.say("at", m.fp, op)
    m.result(m.next_pc, op)


@trace.on("call_indirect")
def call_indirect(m: TraceCircuit) -> None:
    """X reads the reference, F what the function needs; all errors are traps.

    The immediate is the number of the type; a FUNC token has its number in `depth`.
    """
    g, op = m.g, m.op("call_indirect")
    outside = g.signal(
        "undefined element", step(g, m.T.low(4).number() - m.R.low(4).number(), 0, op)
    )
    here = g.signal("element is there", op - outside)
    null = g.signal("null element", g.neuron(here - sum(m.element.bytes, Form())))
    function = m.lookup("F", Space.FUNC, m.element.low(4).bytes)
    entry, moved, params = (
        [function.read(p.number()) for p in m.parts[name]] for name in ("pc", "sp", "fp")
    )
    signature = weighted([function.read(p.number()) for p in m.parts["depth"]], BYTE)
    frame = weighted([function.read(p.number()) for p in m.parts["value"][:4]], BYTE)
    agrees = g.signal("types agree", equal(g, signature - m.immediate.low(4).number(), 0))
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
    sp, fp = ([t + d for t, d in zip(m.top, change, strict=True)] for change in (moved, params))
    m.say("sp", m.add_small("indirect sp ", sp, op))
    _enter(m, op, m.digits("indirect fp ", carry(g, fp, BYTE, op, most=1).digits))


@trace.on("gosub", "gosub_return")
def gosub(m: TraceCircuit) -> None:
    """A call without arguments: the frame, of variables, moves on by the immediate."""
    op, back = m.op("gosub"), m.op("gosub_return")
    m.traps(_exhausted(m, _reasons(m, "gosub", Form()), op), trap_status(Trap.STACK_EXHAUSTED))
    m.taken = m.taken + op
    _enter(m, op, m.U)
    outermost = m.g.neuron(back - weighted(m.depth, BYTE))
    m.late_traps((outermost, trap_status(Trap.STACK_UNDERFLOW)))
    _leave(m, back)


@trace.on("br_table")
def br_table(m: TraceCircuit) -> None:
    """X reads the entry; the immediate is their number, the target the default.

    An entry that is a plain jump is taken at once; another one is where to go on.
    """
    g, op = m.g, m.op("br_table")
    count = weighted(m.immediate.bytes[:3], BYTE)  # a place in the code has three bytes
    default = g.signal("br_table default", step(g, m.T.low(4).number() - count, 0, op))
    m.taken = m.taken + default
    chosen = g.signal("br_table entry", op - default)
    plain = m.also("entry is a jump", chosen, m.entry_jumps)
    m.instead("pc", m.next_pc, m.entry_target, plain)
    m.instead("pc", m.next_pc, m.entry_place, g.signal("entry is another", chosen - plain))


@trace.on("input")
def input_(m: TraceCircuit) -> None:
    """Waits; the host then repeats the token with the byte in `value`, which is pushed."""
    waits = m.also("waits for input", m.op("input"), m.in_phase(0))
    takes = m.also("takes input", m.op("input"), m.in_phase(1))
    m.say("status", [Status.INPUT * waits])
    m.stay = m.stay + waits
    m.say("phase", [waits])
    m.result(m.value.low(4).bytes, takes)
    m.ends(takes, m.sp)


@trace.on("unreachable", "exit", "halt")
def stops(m: TraceCircuit) -> None:
    """The status says why."""
    for name, status in (
        ("unreachable", trap_status(Trap.UNREACHABLE)),
        ("exit", Status.EXIT),
        ("halt", Status.DONE),
        ("host", Status.HOST),
    ):
        m.say("status", [status * m.op(name)])
    m.result(m.T.low(4).bytes, m.op("exit"))
    m.result(m.immediate.bytes, m.op("host"))
