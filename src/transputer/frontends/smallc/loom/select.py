"""Loom instructions for three-address code: two operands instead of three."""

from transputer.frontends.smallc.loom.code import (
    OUTPUT,
    TRAP_CAUSE,
    Cell,
    CodePart,
    End,
    LoomGoto,
    LoomHalt,
    LoomOp,
    LoomTest,
    LoomTrapped,
    Operand,
)
from transputer.frontends.smallc.passes.legalise import MachineOperations
from transputer.frontends.smallc.passes.live import Liveness
from transputer.frontends.smallc.tac import (
    Addr,
    Reg,
    TacBlock,
    TacBranch,
    TacFunction,
    TacInstr,
    TacJump,
    TacTrap,
    TacUnit,
    Value,
    power_of_two,
    wrap,
)
from transputer.ir.loom import CAUSES

#: Operations without routines; shifts by more than 5 places are shorter as loops.
TARGET = MachineOperations(frozenset("mov add sub and or xor abs find load store out".split()), 5)

#: Numbers of the reasons for which code ends the run with a trap.
_NUMBERS = {trap: number for number, trap in CAUSES.items()}

_TWO = {"add": "ADD", "sub": "SUB", "and": "AND", "or": "OR", "xor": "XOR"}
_COMMUTE = frozenset(("add", "and", "or", "xor"))


def select(unit: TacUnit) -> list[CodePart]:
    """Select instructions for a flat program; the first part is its entry."""
    return _Selector(unit).program()


class _Selector:
    def __init__(self, unit: TacUnit) -> None:
        self.unit, self.bits = unit, unit.bits
        self.least = -(1 << (unit.bits - 1))
        self.most = -self.least - 1
        self.function: TacFunction = unit.functions["main"]
        self.live = Liveness(self.function, unit)
        self.parts = {block: CodePart(block.name) for block in self.function.blocks}
        self.ops: list[LoomOp] = []
        self.line = 0

    def program(self) -> list[CodePart]:
        for block, part in self.parts.items():
            self.ops = part.ops
            wanted = self._wanted(block)
            for one, after in zip(block.instrs, wanted, strict=True):
                self.line = one.line
                self._instr(one, after)
            part.end = self._end(block)
        return list(self.parts.values())

    def _wanted(self, block: TacBlock) -> list[int]:
        """What is live after each operation."""
        live, masks = self.live.at_term(block), []
        for one in reversed(block.instrs):
            masks.append(live)
            live = self.live.before(one, live)
        return masks[::-1]

    def _dies(self, value: Value, after: int) -> bool:
        return isinstance(value, Reg) and not after & self.live.bit(value)

    def emit(self, name: str, b: Operand, c: Operand = 0) -> None:
        """One instruction."""
        self.ops.append(LoomOp(name, b, c, self.line))

    def temporary(self) -> Reg:
        """A new register."""
        return Reg("~", "main")

    def _instr(self, one: TacInstr, after: int) -> None:
        match one.op:
            case "store":
                self._store(*one.args)
            case "out":
                self.emit("MOV", OUTPUT, one.args[0])
            case _:
                assert one.dst
                self._into(one.dst, one, after)

    def _into(self, dst: Reg, one: TacInstr, after: int) -> None:
        args = one.args
        match one.op:
            case "mov":
                self.emit("MOV", dst, args[0])
            case "load":
                self._load(dst, args[0])
            case "shl" | "shr" | "ushr":
                self._shift(one.op, dst, args[0], args[1])
            case "abs":
                self._abs(dst, args[0])
            case "find":
                self._find(dst, *args)
            case _:
                self._two(one.op, dst, args[0], args[1], after)

    def _store(self, address: Value, value: Value) -> None:
        if isinstance(address, Addr):
            self.emit("MOV", Cell(address.object, address.offset), value)
        else:
            self.emit("STORE", value, address)

    def _load(self, dst: Reg, address: Value) -> None:
        if isinstance(address, Addr):
            self.emit("MOV", dst, Cell(address.object, address.offset))
        else:
            self.emit("LOAD", dst, address)

    def _shift(self, op: str, dst: Reg, a: Value, count: Value) -> None:
        assert isinstance(count, int)
        name = "SHL" if op == "shl" else "SHR"
        for i in range(count):
            self.emit(name, dst, dst if i else a)
        if op == "ushr":
            self.emit("AND", dst, (1 << (self.bits - count)) - 1)

    def _abs(self, dst: Reg, a: Value) -> None:
        # -a, and where that is negative a; of the least value both are itself
        to = self.temporary() if dst is a else dst
        self.emit("MOV", to, 0)
        self.emit("SUB", to, a)
        self.emit("CMOV", to, a)
        if to is not dst:
            self.emit("MOV", dst, to)

    def _find(self, dst: Reg, start: Value, wanted: Value) -> None:
        to = self.temporary() if dst is wanted else dst
        self.emit("MOV", to, start)
        self.emit("FIND", to, wanted)
        if to is not dst:
            self.emit("MOV", dst, to)

    def _two(self, op: str, dst: Reg, a: Value, b: Value, after: int) -> None:
        """`dst = a op b` as `dst = a; dst op= b`, with operands swapped if that is shorter."""
        better = b is dst or self._dies(b, after) and not self._dies(a, after)
        if op in _COMMUTE and a is not dst and better:
            a, b = b, a
        if dst is b and dst is not a:
            to = self.temporary()
            self.emit("MOV", to, a)
            self._operate(op, to, b)
            self.emit("MOV", dst, to)
            return
        if dst is not a:
            self.emit("MOV", dst, a)
        self._operate(op, dst, b)

    def _operate(self, op: str, dst: Reg, b: Value) -> None:
        if op == "add" and b in (1, -1):
            self.emit("INC" if b == 1 else "DEC", dst)
        elif op == "add" and isinstance(b, int) and b < 0 and b != self.least:
            self.emit("SUB", dst, -b)
        else:
            self.emit(_TWO[op], dst, b)

    # ---- ends

    def _end(self, block: TacBlock) -> End:
        match block.term:
            case TacJump(to):
                return LoomGoto(self.parts[to])
            case TacBranch():
                self.line = block.term.line
                return self._branch(block, block.term)
            case TacTrap(line, cause):
                self.line = line
                if TRAP_CAUSE.object not in self.unit.objects:
                    self.unit.objects.append(TRAP_CAUSE.object)
                self.emit("MOV", TRAP_CAUSE, _NUMBERS[cause])
                self.emit("LOAD", self.temporary(), -1)  # no memory has so many slots
                return LoomTrapped()
        return LoomHalt(block.term.line)

    def _branch(self, block: TacBlock, term: TacBranch) -> End:
        yes, no = self.parts[term.yes], self.parts[term.no]
        after = self.live.end[block]
        op, a, b = term.op, term.a, term.b
        match op:
            case "eq":
                return self._equal(a, b, after, yes, no)
            case "lt":
                return self._less(a, b, yes, no)
            case "le":
                return self._less_or_equal(block, a, b, yes, no)
        return self._unsigned(op, a, b, yes, no)

    def _zero_test(self, of: Operand, yes: CodePart, no: CodePart) -> LoomTest:
        return LoomTest("JZ", of, yes, no, line=self.line)

    def _equal(self, a: Value, b: Value, after: int, yes: CodePart, no: CodePart) -> LoomTest:
        if isinstance(a, int | Addr):
            a, b = b, a
        if b == 0:
            return self._zero_test(a, yes, no)
        if self._dies(b, after) and not self._dies(a, after):
            a, b = b, a
        t = self.temporary()
        self.emit("MOV", t, a)
        if isinstance(b, int):
            self._operate("add", t, wrap(self.bits, -b))
        else:
            self.emit("SUB", t, b)
        return self._zero_test(t, yes, no)

    def _less(self, a: Value, b: Value, yes: CodePart, no: CodePart) -> End:
        if b == 0:
            return LoomTest("CMP", a, yes, no, line=self.line)
        if isinstance(b, int):
            return self._at_most(a, b - 1, yes, no) if b > self.least else LoomGoto(no)
        if isinstance(a, int):
            return self._at_most(b, a, no, yes)
        return self._leq(b, a, no, yes)

    def _less_or_equal(
        self, block: TacBlock, a: Value, b: Value, yes: CodePart, no: CodePart
    ) -> End:
        if fused := self._fused(block, a, b, yes, no):
            return fused
        if isinstance(b, int):
            return self._at_most(a, b, yes, no)
        if isinstance(a, int):
            return self._at_most(b, a - 1, no, yes) if a > self.least else LoomGoto(yes)
        return self._leq(a, b, yes, no)

    def _fused(
        self, block: TacBlock, t: Value, b: Value, yes: CodePart, no: CodePart
    ) -> LoomTest | None:
        """`t = m; m -= b; if (t <= b)` is one SUBLEQ, if t is dead afterwards."""
        if len(block.instrs) < 2 or not self._dies(t, self.live.end[block]):
            return None
        copy, less = block.instrs[-2:]
        m = less.dst
        if copy.op != "mov" or copy.dst is not t or copy.args[0] is not m or m is None:
            return None
        if less.args[0] is not m:
            return None
        if isinstance(b, int):
            same = less.op == "add" and less.args[1] == wrap(self.bits, -b)
        else:
            same = less.op == "sub" and less.args[1] is b
        if not same:
            return None
        del self.ops[-2:]  # the copy and the difference, one instruction each
        return LoomTest("SUBLEQ", m, yes, no, a=b, line=self.line)

    def _at_most(self, x: Value, limit: int, yes: CodePart, no: CodePart) -> End:
        """Jump to `yes` if x <= limit, a constant."""
        if limit == 0:
            return LoomTest("SUBLEQ", x, yes, no, a=0, line=self.line)
        if limit == -1:
            return LoomTest("CMP", x, yes, no, line=self.line)
        if limit == self.most:
            return LoomGoto(yes)
        t = self.temporary()
        self.emit("MOV", t, x)
        turned = (LoomOp("MOV", t, limit + 1, self.line), x)
        return LoomTest("SUBLEQ", t, yes, no, a=limit, line=self.line, turned=turned)

    def _leq(self, a: Value, b: Value, yes: CodePart, no: CodePart) -> LoomTest:
        """Jump to `yes` if a <= b."""
        t = self.temporary()
        self.emit("MOV", t, a)
        return LoomTest("SUBLEQ", t, yes, no, a=b, line=self.line)

    def _unsigned(self, op: str, a: Value, b: Value, yes: CodePart, no: CodePart) -> End:
        """The signed comparison of both with the top bit flipped."""
        if isinstance(b, int):
            limit = (b & ((1 << self.bits) - 1)) - (op == "ult")
            if limit < 0:
                return LoomGoto(no)
            power = power_of_two(limit + 1)
            if power is not None and power < self.bits:
                t = self.temporary()
                self.emit("MOV", t, a)
                self.emit("AND", t, ~limit)
                return self._zero_test(t, yes, no)
            return self._at_most_biased(a, limit, yes, no)
        if isinstance(a, int):
            limit = (a & ((1 << self.bits) - 1)) - (op == "ule")
            if limit < 0:
                return LoomGoto(yes)
            return self._at_most_biased(b, limit, no, yes)
        low, high = (a, b) if op == "ule" else (b, a)
        t, u = self._biased(low), self._biased(high)
        to = (yes, no) if op == "ule" else (no, yes)
        return LoomTest("SUBLEQ", t, *to, a=u, line=self.line)

    def _at_most_biased(self, x: Value, limit: int, yes: CodePart, no: CodePart) -> End:
        biased = limit + self.least  # as the top bit flipped
        if biased == self.most:
            return LoomGoto(yes)
        return LoomTest("SUBLEQ", self._biased(x), yes, no, a=biased, line=self.line)

    def _biased(self, x: Value) -> Reg:
        t = self.temporary()
        self.emit("MOV", t, x)
        self.emit("XOR", t, self.least)
        return t
