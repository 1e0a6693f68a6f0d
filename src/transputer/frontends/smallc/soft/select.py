"""Instructions of the soft machine for three-address code, one function at a time."""

from transputer.errors import Trap
from transputer.frontends.smallc.passes.flow import order
from transputer.frontends.smallc.passes.legalise import MachineOperations
from transputer.frontends.smallc.soft.allocate import PASSED, FrameSlot, SoftFrame
from transputer.frontends.smallc.soft.code import (
    FIRST,
    LINK,
    SECOND,
    STACK,
    THIRD,
    EntryPoint,
    MemorySize,
    Number,
    SoftLine,
    shuffled,
)
from transputer.frontends.smallc.tac import (
    Addr,
    MemoryObject,
    Reg,
    TacBlock,
    TacBranch,
    TacExit,
    TacFunction,
    TacInstr,
    TacJump,
    TacReturn,
    TacTrap,
    Value,
    wrap,
)
from transputer.ir.image import FAILURES, RESULT, ZERO

#: Operations without routines; shifts by constants only.
TARGET = MachineOperations(
    frozenset("mov add sub and or xor abs find load store out in".split()), 31
)
#: Trap handlers by their numbers in `FAILURES`.
HANDLERS = {number: EntryPoint(trap.value) for number, trap in FAILURES.items()}
_ENTRIES = {trap: HANDLERS[number] for number, trap in FAILURES.items()}
OVERFLOWN = _ENTRIES[Trap.STACK_EXHAUSTED]

_THREE = {"add": "ADD", "sub": "SUB", "and": "AND", "or": "OR", "xor": "XOR"}
_SHIFT = {"shl": "SHL", "shr": "SRA", "ushr": "SHR"}
#: Comparisons: whether operands are swapped, the jump if true, the jump if false.
_TEST = {
    "eq": (False, "JEQ", "JNE"),
    "lt": (False, "JLT", "JGE"),
    "le": (True, "JGE", "JLT"),
}
_TOP = 1 << 31


def select(
    function: TacFunction, frame: SoftFrame, statics: dict[Reg, MemoryObject], stack: int | None
) -> list[SoftLine | TacBlock]:
    """The code of a function; blocks stand before their first instruction.

    `statics` are the words of global registers. With `stack`, a call that would need more words
    than that ends the program.
    """
    return _Selector(function, frame, statics).function_code(stack)


class _Selector:
    def __init__(
        self, function: TacFunction, frame: SoftFrame, statics: dict[Reg, MemoryObject]
    ) -> None:
        self.function, self.frame, self.statics = function, frame, statics
        self.code: list[SoftLine | TacBlock] = []
        self.line = function.line

    def function_code(self, stack: int | None) -> list[SoftLine | TacBlock]:
        self._enter(stack)
        blocks = order(self.function)
        for block, after in zip(blocks, [*blocks[1:], None], strict=True):
            self.code.append(block)
            for one in block.instrs:
                self.line = one.line or self.line
                self._instr(one)
            self._end(block, after)
        return self.code

    def emit(self, op: str, d: int = 0, a: int = 0, b: int = 0, n: Number = 0) -> None:
        self.code.append(SoftLine(op, d, a, b, n, self.line))

    # ---- the frame

    def _enter(self, stack: int | None) -> None:
        frame = self.frame
        if frame.size:
            self.emit("ADDI", d=STACK, a=STACK, n=-frame.size)
        if stack is not None:
            self.emit("SET", d=FIRST, n=-stack)
            self.emit("CMP", a=STACK, b=FIRST)
            self.emit("JLT", n=OVERFLOWN)
        if frame.link is not None:
            self.emit("ST", a=STACK, b=LINK, n=frame.link)
        moves = {}
        for i, param in enumerate(self.function.params[:PASSED]):
            home = frame.homes[param]
            if isinstance(home, FrameSlot):
                self.emit("ST", a=STACK, b=i, n=home.at)
            else:
                moves[home] = i
        self._copy(moves)

    def _leave(self) -> None:
        if self.frame.link is not None:
            self.emit("LD", d=LINK, a=STACK, n=self.frame.link)
        if self.frame.size:
            self.emit("ADDI", d=STACK, a=STACK, n=self.frame.size)
        self.emit("RET", a=LINK)

    def _copy(self, moves: dict[int, int]) -> None:
        for to, source in shuffled(moves):
            self.emit("MOV", d=to, a=source)

    # ---- operands

    def _place(self, at: Addr) -> tuple[int, Number]:
        """The register and the number whose sum is an address."""
        if at.object in self.frame.objects:
            return STACK, self.frame.objects[at.object] + at.offset
        return ZERO, at

    def _home(self, reg: Reg) -> int | tuple[int, Number]:
        """The register that holds a value, or where in memory it is."""
        if not reg.scope:
            return ZERO, Addr(self.statics[reg])
        home = self.frame.homes[reg]
        return (STACK, home.at) if isinstance(home, FrameSlot) else home

    def read(self, value: Value, spare: int) -> int:
        """The register that holds a value, loaded into `spare` if needed."""
        home = self._home(value) if isinstance(value, Reg) else None
        if isinstance(home, int):
            return home
        if value == 0:
            return ZERO
        self.bring(value, spare)
        return spare

    def bring(self, value: Value, to: int) -> None:
        """Load a value into a register."""
        match value:
            case int():
                self.emit("SET", d=to, n=value)
            case Addr():
                base, n = self._place(value)
                if base == ZERO:
                    self.emit("SET", d=to, n=n)
                else:
                    self.emit("ADDI", d=to, a=base, n=n)
            case Reg():
                home = self._home(value)
                if isinstance(home, tuple):
                    self.emit("LD", d=to, a=home[0], n=home[1])
                elif home != to:
                    self.emit("MOV", d=to, a=home)

    def target(self, dst: Reg) -> int:
        """The register to compute a result in; `keep` moves it home."""
        home = self._home(dst)
        return home if isinstance(home, int) else THIRD

    def keep(self, dst: Reg, register: int) -> None:
        """Move a result from its register to its home."""
        home = self._home(dst)
        if isinstance(home, tuple):
            self.emit("ST", a=home[0], b=register, n=home[1])
        elif home != register:
            self.emit("MOV", d=home, a=register)

    # ---- operations

    def _instr(self, one: TacInstr) -> None:
        match one.op:
            case "call":
                self._call(one)
            case "store":
                self._store(*one.args)
            case "out":
                self.emit("OUT", a=self.read(one.args[0], FIRST))
            case _:
                assert one.dst
                to = self.target(one.dst)
                self._value(one, to)
                self.keep(one.dst, to)

    def _value(self, one: TacInstr, to: int) -> None:
        """Compute the value of an operation in a register."""
        match one.op:
            case "mov":
                self.bring(one.args[0], to)
            case "add" if not isinstance(one.args[1], Reg):
                self._sum(to, *one.args)
            case "add" | "sub" | "and" | "or" | "xor":
                a, b = self.read(one.args[0], FIRST), self.read(one.args[1], SECOND)
                self.emit(_THREE[one.op], d=to, a=a, b=b)
            case "shl" | "shr" | "ushr":
                count = one.args[1]
                assert isinstance(count, int)
                self.emit(_SHIFT[one.op], d=to, a=self.read(one.args[0], FIRST), n=count)
            case "abs":
                a = self.read(one.args[0], FIRST)
                self.emit("SUB", d=SECOND, a=ZERO, b=a)
                self.emit("MAX", d=to, a=a, b=SECOND)
            case "load":
                base, n = self._where(one.args[0], one.args[1] if one.args[1:] else 0)
                self.emit("LD", d=to, a=base, n=n)
            case "find":
                self._find(to, *one.args)
            case "in":
                self.emit("IN", d=to)

    def _sum(self, to: int, a: Value, b: Value) -> None:
        """A value plus a number or an address."""
        if isinstance(b, Addr):
            base, n = self._place(b)
            if base != ZERO:
                self.bring(b, SECOND)
                self.emit("ADD", d=to, a=self.read(a, FIRST), b=SECOND)
                return
            self.emit("ADDI", d=to, a=self.read(a, FIRST), n=n)
        else:
            assert isinstance(b, int)
            self.emit("ADDI", d=to, a=self.read(a, FIRST), n=b)

    def _where(self, address: Value, offset: Value) -> tuple[int, Number]:
        """The register and the number whose sum is an address with an offset."""
        match address, offset:
            case Addr(), 0:
                return self._place(address)
            case int(), 0:
                return ZERO, address
        assert isinstance(offset, int | Addr)
        return self.read(address, FIRST), offset

    def _store(self, address: Value, value: Value, offset: Value = 0) -> None:
        base, n = self._where(address, offset)
        self.emit("ST", a=base, b=self.read(value, SECOND), n=n)

    def _find(self, to: int, start: Value, wanted: Value) -> None:
        """The first address from `start` on whose word is `wanted`; -1 once all were seen.

        The way back is in the frame: its register is one to work with.
        """
        again, hit = TacBlock("again"), TacBlock("found")
        b = self.read(wanted, SECOND)
        self.bring(start, FIRST)
        self.emit("SET", d=THIRD, n=MemorySize())
        self.code.append(again)
        self.emit("LDP", d=LINK, a=FIRST)
        self.emit("CMP", a=LINK, b=b)
        self.emit("JEQ", n=hit)
        self.emit("DJNZ", d=THIRD, n=again)
        self.emit("SET", d=FIRST)
        self.code.append(hit)
        self.emit("ADDI", d=to, a=FIRST, n=-1)

    def _call(self, one: TacInstr) -> None:
        for i, arg in enumerate(one.args[PASSED:]):
            self.emit("ST", a=STACK, b=self.read(arg, FIRST), n=-1 - i)
        passed = {i: arg for i, arg in enumerate(one.args[:PASSED])}
        homes = {i: self._home(arg) for i, arg in passed.items() if isinstance(arg, Reg)}
        self._copy({i: home for i, home in homes.items() if isinstance(home, int)})
        for i, arg in passed.items():
            if not isinstance(homes.get(i), int):
                self.bring(arg, i)
        self.emit("CALL", d=LINK, n=EntryPoint(one.callee))
        if one.dst:
            self.keep(one.dst, RESULT)

    # ---- ends

    def _end(self, block: TacBlock, after: TacBlock | None) -> None:
        term = block.term
        self.line = getattr(term, "line", 0) or self.line
        match term:
            case TacJump(to):
                if to is not after:
                    self.emit("JMP", n=to)
            case TacBranch():
                self._branch(term, after)
            case TacReturn(value):
                if value is not None:
                    self.bring(value, RESULT)
                self._leave()
            case TacTrap(cause=cause):
                self.emit("JMP", n=_ENTRIES[cause])
            case TacExit(value):
                self.bring(value, RESULT)
                self.emit("HALT")

    def _branch(self, term: TacBranch, after: TacBlock | None) -> None:
        turned, holds, fails = _TEST[term.op.removeprefix("u")]
        if term.op.startswith("u"):  # with the top bit flipped, unsigned order is signed order
            a, b = self._raised(term.a, FIRST), self._raised(term.b, SECOND)
        else:
            a, b = self.read(term.a, FIRST), self.read(term.b, SECOND)
        if turned:
            a, b = b, a
        self.emit("CMP", a=a, b=b)
        if term.yes is after:
            self.emit(fails, n=term.no)
        else:
            self.emit(holds, n=term.yes)
            if term.no is not after:
                self.emit("JMP", n=term.no)

    def _raised(self, value: Value, to: int) -> int:
        if isinstance(value, int):
            return self.read(wrap(32, value + _TOP), to)
        self.emit("ADDI", d=to, a=self.read(value, to), n=_TOP)
        return to
