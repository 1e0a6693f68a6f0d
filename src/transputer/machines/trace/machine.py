"""The frame of the trace machine's circuit: state, heads, and what a step says by default.

A step reads its own token (the state), fetches the instruction at `pc`, reads the top two
operands T and S and one more value R, and adds up the parts of the next token. Rules, one per
instruction, add their part (`arithmetic.py`, `memory.py`, `control.py`); nothing else here
knows an instruction.
"""

from collections.abc import Callable, Iterable, Sequence

from transputer.circuit import Form, Graph, GraphHead, GraphPart
from transputer.circuit.arithmetic import carry
from transputer.circuit.logic import select, step
from transputer.circuit.lookup import KeySpace, digit_parabolic
from transputer.circuit.word import Word, weighted
from transputer.errors import Trap
from transputer.isa.core import CORE
from transputer.isa.op import Registry
from transputer.machines.trace.addressing import DIGITS, PARABOLIC, Addressing
from transputer.machines.trace.opcodes import OPCODES, SHAPES, shaped
from transputer.machines.trace.vocabulary import BYTE, LAYOUT, SIZES, SLOTS, Space, trap_status

Digits = Sequence[Form]


Rule = Callable[["TraceCircuit"], None]

#: What every row adds to the circuit.
trace: Registry[Rule] = Registry(CORE)


class TraceCircuit:
    """A circuit under construction.

    `code` reads immediates of the current instruction; `T`, `S` are the top two operands, `R`
    is what the address `U` holds. Outputs are lists of forms, one per byte, that rules add to.
    """

    def __init__(self, addressing: Addressing = DIGITS) -> None:
        self.g = Graph(addressing.context)
        self.addressing = addressing
        self.parts = {name: self._parts(name, count) for name, count in LAYOUT}
        self.pc, self.sp, self.fp, self.depth = map(self._numbers, ("pc", "sp", "fp", "depth"))
        self.phase = self.parts["phase"][0]
        self.at, self.value, self.work = map(self._word, ("at", "value", "work"))
        self.digit = self.parts["digit"][0].number()
        self.output = {name: [Form()] * count for name, count in LAYOUT if name != "digit"}
        self.dividend, self.divisor, self.square = Form(), Form.of(1), Form()  # of the digit
        self.trap = Form()  # 1 if the step traps
        self.stay = Form()  # 1 if the instruction continues in the next step
        self.taken = Form()  # 1 if control goes to the target
        self._fetch()
        self._address()
        self._operands()
        self._second_level()

    # Building blocks

    def _parts(self, name: str, count: int) -> list[GraphPart]:
        size = SIZES.get(name, BYTE)
        names = [name] if count == 1 else [f"{name}{i}" for i in range(count)]
        return [self.g.part(n, size) for n in names]

    def _numbers(self, name: str) -> list[Form]:
        return [part.number() for part in self.parts[name]]

    def _word(self, name: str) -> Word:
        return Word.of_parts(self.parts[name])

    def _keys(self, digits: int) -> KeySpace:
        """Space and the low digits of the address, as every token that writes has them."""
        (space,), at = self.parts["space"], self.parts["at"][:digits]
        numbers = [0 if v == Space.SENTINEL else v for v in range(space.size)]
        tag, sentinel = space.lane("space", numbers), space.one_hot(Space.SENTINEL)
        squares = {space: [v * v for v in numbers], **{p: _SQUARES for p in at}}
        total = self.g.lane(f"|space, at|^2 of {digits}", squares)
        return KeySpace((tag, *(p.number() for p in at)), total, 1 - sentinel, sentinel)

    def _numbered(self, at: Digits, keys: KeySpace) -> tuple[list[Form], KeySpace]:
        """Query and keys of the plain parabola: the address is one number of two bytes.

        Its square is no sum over parts, so a neuron of the token's own computes it.
        """
        low = self.parts["at"][:2]
        number = self.g.lane(
            "address", {p: [v << 8 * i for v in range(BYTE)] for i, p in enumerate(low)}
        )
        space = self.parts["space"][0]
        tagged = space.lane(
            "space^2", [0 if v == Space.SENTINEL else v * v for v in range(space.size)]
        )
        squares = tagged + self.g.signal("address^2", self.g.neuron(number, number))
        key_space = KeySpace((keys.digits[0], number), squares, keys.member, keys.sentinel)
        return [weighted(at[:2], BYTE)], key_space

    def lookup(
        self, name: str, space: Form | int, at: Digits, squares: Form | int | None = 0
    ) -> GraphHead:
        """The head that reads the latest write at an address.

        `squares` is that of the query: None lets neurons compute it, 0 means that the address
        is known to have been written, so that no sentinel is needed.
        """
        keys, query = self._keys(len(at)), list(at)
        known = None if squares is None else Form.of(squares)
        if self.addressing.name == PARABOLIC.name:
            query, keys = self._numbered(at, keys)
            known = None if squares != 0 else known
        if squares == 0:
            keys = KeySpace(keys.digits, keys.squares)
        return digit_parabolic(self.g, name, [Form.of(space), *query], keys, known)

    # The instruction

    def _fetch(self) -> None:
        with self.g.group("fetch"):
            self.code = self.lookup("instruction", Space.CODE, self.pc)
            frames = KeySpace(
                (self._frame_key(), *self.depth),
                self.g.lane("|frame, depth|^2", self._frame_squares()),
            )
            query = [Form.of(1), *self.depth]
            self.frame = digit_parabolic(self.g, "open call", query, frames)
            self.limits = self.lookup("stack limits", Space.SIZE, [Form(), Form(), Form()])
        read = self.code.read
        self.target, self.move, self.place = (
            [read(f) for f in self._numbers(name)] for name in ("pc", "sp", "fp")
        )
        self.effect = self._fixed("effect", EFFECTS)
        self.other = read(self.parts["depth"][0].number())  # the memory or table of an access
        self.immediate = self.value.map(read)

    def _fixed(self, name: str, changes: dict[str, int]) -> list[Form]:
        """The three digits of a change that the opcode fixes."""
        low = self.by_op(f"{name} low", {op: change % BYTE for op, change in changes.items()})
        high = self.by_op(f"{name} high", {op: 255 * (c < 0) for op, c in changes.items()})
        return [low, high, high]

    def _frame_key(self) -> Form:
        """1 for tokens that open a call, far from 1 for others."""
        space = self.parts["space"][0]
        return space.lane("frame", [1 if v == Space.FRAME else -1 for v in range(space.size)])

    def _frame_squares(self) -> dict[GraphPart, list[int]]:
        space = self.parts["space"][0]
        return {space: [1] * space.size, **{p: _SQUARES for p in self.parts["depth"]}}

    def op(self, *names: str) -> Form:
        """1 if the instruction is one of these."""
        numbers = {OPCODES[name] for name in names}
        text = names[0] if len(names) == 1 else "/".join(names)
        return self.code.read(self.parts["op"][0].indicator(numbers, text))

    def by_op(self, name: str, table: dict[str, int]) -> Form:
        """A number that depends on the instruction; 0 for those not in the table."""
        entries = [0] * BYTE
        for key, value in table.items():
            entries[OPCODES[key]] = value
        return self.code.read(self.parts["op"][0].lane(name, entries))

    def in_phase(self, *phases: int) -> Form:
        """1 in one of these phases."""
        return self.phase.indicator(phases)

    def also(self, name: str, *conditions: Form) -> Form:
        """A lane that is 1 where all these bits are."""
        return self.g.signal(name, select(self.g, conditions))

    # Addresses and operands

    def add(self, name: str, digits: Iterable[Form], when: Form | int = 1) -> list[Form]:
        """Proper digits of a sum given digit by digit, modulo what fits."""
        sums = carry(self.g, list(digits), BYTE, when).digits
        return [self.byte(f"{name}{i}", digit) for i, digit in enumerate(sums)]

    def add_small(self, name: str, digits: Iterable[Form], when: Form | int = 1) -> list[Form]:
        """The same for a sum that fits where it is used; elsewhere its top digit is any number."""
        return self.digits(name, carry(self.g, list(digits), BYTE, when, fits=True).digits)

    def digits(self, name: str, forms: Digits) -> list[Form]:
        """Lanes for digits of which the top one is proper only where it is used."""
        *low, top = forms
        proper = [self.byte(f"{name}{i}", digit) for i, digit in enumerate(low)]
        return [*proper, self.g.signal(f"{name}{len(low)}", top)]

    def byte(self, name: str, form: Form, base: int = BYTE) -> Form:
        """A lane for what is a digit, though its range does not show it."""
        return self.g.signal(name, self.g.assume(form, 0, base - 1, "a proper digit"))

    def _address(self) -> None:
        """`top` and `second` are where T and S are; U is base + immediate, or what opcodes fix.

        Opcodes of several steps that count U from the stack advance it with the phase, which
        never passes what is subtracted, so that no digit carries more than 1. Nothing is
        subtracted from a frame.
        """
        with self.g.group("addresses"):
            less = (-1, 0, 0), (-2, 0, 0)
            self.top, self.second = (
                self.add_small(name, [s + k for s, k in zip(self.sp, change, strict=True)])
                for name, change in zip(("top", "second"), less, strict=True)
            )
            self.next_pc = self.add("next pc", [self.pc[0] + 1, *self.pc[1:]])
            stack = [self.sp[0] + self.phase.number(), *self.sp[1:]]
            fixed = self._fixed("place", PLACES)
            on_frame, on_stack, below = (
                [b + p for b, p in zip(base, place, strict=True)]
                for base, place in ((self.fp, self.place), (stack, self.place), (stack, fixed))
            )
            says = [name for name in shaped(base="stack") if name not in PLACES]
            moved = (
                carry(self.g, on_frame, BYTE, self.op(*shaped(base="frame")), fits=True),
                carry(self.g, on_stack, BYTE, self.op(*says), most=1),
                carry(self.g, below, BYTE, self.op(*PLACES), most=1),
            )
            plain = self.op(*shaped(base="zero"))
            self.U = [
                self.byte(
                    f"U{i}", self.g.neuron(plain, p) + sum((m.digits[i] for m in moved), Form())
                )
                for i, p in enumerate(self.place)
            ]

    def _operands(self) -> None:
        with self.g.group("operands"):
            value = self.value
            self.T = value.map(self.lookup("T", Space.SLOT, self.top).read)
            self.S = value.map(self.lookup("S", Space.SLOT, self.second).read)
            kind = self.by_op("R space", {name: shape.reads for name, shape in SHAPES.items()})
            self.R = value.map(self.lookup("R", kind, self.U).read)

    def _second_level(self) -> None:
        """X: a table element by index (T), or an entry of a jump table by place (pc + 1 + T).

        Elements may never have been written, so their squares are counted; entries always are.
        """
        g = self.g
        value = self.value
        entry, element = (self.op(*shaped(looks=kind)) for kind in ("entry", "element"))
        with g.group("second level"):
            index = self.T.low(4).bytes
            steps = [p + t for p, t in zip(self.pc, index, strict=False)]
            places = carry(g, [steps[0] + 1, *steps[1:]], BYTE, entry, fits=True).digits
            bases = (BYTE, BYTE, 2 * BYTE, BYTE)  # the place of an entry that is none may not fit
            self.entry_place = [
                self.byte(f"entry {i}", digit, base)
                for i, (digit, base) in enumerate(zip(places, bases, strict=False))
            ]
            query = [
                self.byte(f"X {i}", g.neuron(element, t) + place, base)
                for i, (t, place, base) in enumerate(
                    zip(index, (*places, Form()), bases, strict=True)
                )
            ]
            space = g.signal("X space", [g.neuron(element, self.other), Space.CODE * entry])
            digits = [self.other, *index]
            squares = g.signal("X squares", [g.neuron(d + 255 * element - 255, d) for d in digits])
            x = self.lookup("X", space, query, squares)
        self.element = value.map(x.read)
        self.entry_target = [x.read(f) for f in self._numbers("pc")]
        self.entry_jumps = x.read(self.parts["op"][0].one_hot(OPCODES["jump"]))

    @property
    def top_zero(self) -> Form:
        """1 if T is zero."""
        return self.g.signal("T = 0", self.g.neuron(1 - sum(self.T.bytes, Form())))

    # What the next token says

    def usual(self) -> None:
        """What most instructions say: continue after this one, move the stack pointer, write."""
        g = self.g
        with g.group("usual"):
            push = self.op(*shaped(to="push"))
            below = (a + b + 255 for a, b in zip(self.sp, self.effect, strict=True))
            self.say("at", carry(g, list(below), BYTE, push).digits)
            self.say("at", self.U, self.op(*shaped(to="U")))
            leaves, call = self.op(*shaped(leaves=True)), self.op("call")
            others = (*shaped(leaves=True), *OWN_SP, "call")
            stays = self.op(*(name for name in SHAPES if name not in others))
            on_stack, opened, on_frame = (
                [b + m for b, m in zip(base, move, strict=True)]
                for base, move in (
                    (self.sp, self.effect),
                    (self.sp, self.move),
                    (self.fp, self.move),
                )
            )
            moved = (
                carry(g, on_stack, BYTE, stays).digits,
                carry(g, opened, BYTE, call, fits=True).digits,
                carry(g, on_frame, BYTE, leaves, fits=True).digits,
            )
            self.new_sp = [
                self.byte(f"new sp {i}", sum(digits, Form()))
                for i, digits in enumerate(zip(*moved, strict=True))
            ]
            self.say("pc", self.next_pc)
            self.say("sp", self.new_sp)
            self.say("fp", self.fp)
            self.say("depth", self.depth)

    def _check_stack(self) -> None:
        """Code of the assembly may find too few operands, or leave too many.

        Then nothing else that the step says counts: status and space are said anew.
        """
        g = self.g
        rows = {name: CORE[name] for name in OPCODES if name in CORE and ":" in CORE[name].sig}
        pops = self.by_op("pops", {name: row.pops for name, row in rows.items()})
        grows = self.by_op("grows", {n: r.pushes - r.pops for n, r in rows.items()})
        sp = weighted(self.sp, BYTE)
        limit = weighted([self.limits.read(p.number()) for p in self.parts["value"][2:4]], BYTE)
        with g.group("stack"):
            few = g.signal("too few operands", step(g, pops - sp, 1))
            many = g.signal("too many operands", step(g, sp + grows - SLOTS * limit, 1))
            fine = 1 - few - many
            for name in ("status", "space"):
                said = g.signal(f"{name} if the stack is fine", self.output[name][0])
                self.output[name] = [g.neuron(fine, said)]
            self.say("status", [trap_status(Trap.STACK_UNDERFLOW) * few])
            self.say("status", [trap_status(Trap.STACK_EXHAUSTED) * many])

    def finish(self) -> Graph:
        """Close the sums: jumps, stays and traps override; every part gets its output."""
        g = self.g
        with g.group("next state"):
            trap, taken = g.signal("trap", self.trap), g.signal("taken", self.taken)
            writes = self.by_op("writes", {name: shape.writes for name, shape in SHAPES.items()})
            self.say("space", [writes], 1 - trap)
        self._check_stack()
        with g.group("next state"):
            stay = g.signal("stay", self.stay)
            self.instead("pc", self.next_pc, self.target, taken)
            self.instead("pc", self.next_pc, self.pc, stay)
            self.instead("sp", self.new_sp, self.sp, stay)
        quotient = (("dividend", self.dividend), ("divisor", self.divisor), ("square", self.square))
        # relu proves that they are not negative, which makes the logits concave
        lanes = (g.signal(name, g.neuron(g.signal(f"{name} sum", f))) for name, f in quotient)
        g.output_quotient(self.parts["digit"][0], *lanes)
        for name, forms in self.output.items():
            for part, form in zip(self.parts[name], forms, strict=True):
                g.output(part, g.signal(f"next {part.name}", form))
        return g

    def say(self, name: str, digits: Iterable[Form], when: Form | int | None = None) -> None:
        """Add to a field of the next token; `when` makes it conditional."""
        sums = self.output[name]
        for i, digit in enumerate(digits):
            sums[i] = sums[i] + (digit if when is None else self.g.neuron(when, digit))

    def result(self, digits: Iterable[Form], when: Form | int | None = None) -> None:
        """The value that the step writes."""
        self.say("value", digits, when)

    def goes_on(self, when: Form, phase: int) -> None:
        """The instruction continues in that phase where a bit is 1; this step only remembers."""
        self.stay = self.stay + when
        self.say("phase", [phase * when])
        self.say("space", [Space.WORK * when])

    def ends(self, when: Form, at: Digits) -> None:
        """The last step of several, where a bit is 1: what it says goes to a slot."""
        self.say("space", [Space.SLOT * when])
        self.say("at", at, when)

    def divides(
        self, when: Form, dividend: Form, divisor: Form, square: Form | None = None
    ) -> None:
        """The digit of this step, where a bit is 1; see `Graph.output_quotient`.

        Elsewhere the digit is 0: 0 divided by 1.
        """
        self.dividend = self.dividend + self.g.neuron(when, dividend)
        self.divisor = self.divisor + self.g.neuron(when, divisor - 1)
        if square is not None:
            self.square = self.square + self.g.neuron(when, square)

    def instead(self, name: str, usual: Digits, digits: Digits, when: Form) -> None:
        """Say something else than usual where a bit is 1."""
        self.say(name, [d - u for d, u in zip(digits, usual, strict=True)], when)

    def late_traps(self, *cases: tuple[Form, int]) -> None:
        """Traps that do not keep the usual write from happening.

        The instruction has no such write, or suppresses it itself: the trap is known too late.
        """
        for bit, status in cases:
            self.output["status"][0] = self.output["status"][0] + status * bit

    def traps(self, bit: Form, status: int) -> None:
        """The step traps where the bit is 1; the bits of a step exclude each other."""
        self.trap = self.trap + bit
        self.output["status"][0] = self.output["status"][0] + status * bit


#: Opcodes that say themselves where the stack pointer goes.
OWN_SP = ("br_if.0", "br_if.1", "br_if.n", "call_indirect")
_SQUARES = [v * v for v in range(BYTE)]
#: How far opcodes move the stack pointer; branches, returns and calls say it themselves.
EFFECTS = {name: CORE[name].pushes - CORE[name].pops for name in OPCODES if name in CORE}
#: Where R reads, counted from the stack pointer, if the opcode fixes it.
PLACES = {"select": -3, "select_second": -3, "rot": -3, "swap": -2}
