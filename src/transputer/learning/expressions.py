"""Expressions over the inputs of a task, compiled to straight-line code with a few branches.

A conditional compares two words: equal, less (signed) or below (unsigned). Both of its sides are
computed; less is a conditional move, the others branch over a move. Equal subexpressions are
computed once. Registers that start at zero serve as the constant 0.
"""

from collections.abc import Iterator, Sequence

from transputer.errors import Unsupported
from transputer.ir.soft import NUMBER, Code, Instruction, number_for, word_of
from transputer.isa.integers import mask
from transputer.isa.soft import SOFT
from transputer.values import dataclass

#: Conditions, in the order of `terms.c`, and the operations that the code of each needs.
CONDITION_NEEDS = {
    "equal": {"MOV", "CMP", "JNE"},
    "less": {"MOV", "CMP", "CMOV"},
    "below": {"MOV", "CMP", "CMOV", "SET", "SHL", "XOR"},
}
CONDITIONS = tuple(CONDITION_NEEDS)


@dataclass(frozen=True, slots=True)
class InputTerm:
    """A word that a register holds at the start."""

    register: int


@dataclass(frozen=True, slots=True)
class ConstantTerm:
    """A number."""

    value: int


@dataclass(frozen=True, slots=True)
class AppliedTerm:
    """An operation of the machine on two words; a row with a number takes it as the second."""

    op: str
    left: "Expression"
    right: "Expression"


@dataclass(frozen=True, slots=True)
class ConditionalTerm:
    """`yes` where the condition holds between `left` and `right`, else `no`."""

    condition: str
    left: "Expression"
    right: "Expression"
    yes: "Expression"
    no: "Expression"


Expression = InputTerm | ConstantTerm | AppliedTerm | ConditionalTerm


def parts(node: Expression) -> tuple[Expression, ...]:
    """What must be in registers for a node."""
    if isinstance(node, AppliedTerm):
        return (node.left,) if "n" in SOFT[node.op].imm else (node.left, node.right)
    if isinstance(node, ConditionalTerm):
        return node.left, node.right, node.yes, node.no
    return ()


def ordered(roots: Sequence[Expression]) -> list[Expression]:
    """Every node once, parts before what is made of them."""
    order: dict[Expression, None] = {}

    def visit(node: Expression) -> None:
        if node not in order:
            for part in parts(node):
                visit(part)
            order[node] = None

    for root in roots:
        visit(root)
    return list(order)


class _Allocation:
    """Registers while code is written."""

    def __init__(self, free: Sequence[int], zeros: Sequence[int]) -> None:
        self.free, self.zeros = list(free), set(zeros)
        self.fixed = not self.zeros & set(free)  # zeros that are never handed out
        self.holds: dict[Expression, int] = {}
        self.left: dict[Expression, int] = {}

    def take(self, prefer: int | None = None) -> int:
        """A free register."""
        if not self.free:
            raise Unsupported("the expression needs more registers than there are")
        register = prefer if prefer in self.free else self.free[0]
        self.free.remove(register)
        self.zeros.discard(register)
        return register

    def release(self, node: Expression) -> None:
        """One use of a node's register less."""
        self.left[node] -= 1
        if not self.left[node] and node in self.holds:
            register = self.holds.pop(node)
            if not (self.fixed and register in self.zeros):
                self.free.append(register)
                self.free.sort()


def compile_terms(
    roots: Sequence[Expression], inputs: int | Sequence[int], registers: int,
    into: Sequence[int] | None = None, width: int = 32, zeros: Sequence[int] | None = None,
    scratch: Sequence[int] | None = None,
) -> Code:  # fmt: skip
    """Code that leaves the roots in the registers `into` (R0, R1, … if None).

    The first `inputs` registers (or those listed) hold inputs at the start. They need not survive
    unless `scratch` lists the registers that may be used instead; `zeros` are those that hold 0.
    Raises `Unsupported` if there are too few registers.
    """
    targets = list(range(len(roots))) if into is None else list(into)
    sources = list(range(inputs)) if isinstance(inputs, int) else list(inputs)
    blank = [r for r in range(registers) if r not in sources] if zeros is None else list(zeros)
    order = ordered(roots)
    at = _Allocation(list(blank if scratch is None else scratch), blank)
    for node in order:
        for part in parts(node):
            at.left[part] = at.left.get(part, 0) + 1
    for root in roots:
        at.left[root] = at.left.get(root, 0) + 1
    for k in sources:
        node = InputTerm(k)
        if node in at.left:
            at.holds[node] = k
            at.left[node] += 0 if scratch is None else 1  # a variable stays where it is
        elif scratch is None:
            at.free.append(k)
    at.free.sort()
    code: list[Instruction] = []
    wishes = {root: target for root, target in zip(roots, targets, strict=True)}
    for node in order:
        if isinstance(node, InputTerm):
            at.holds[node] = node.register
            continue
        code += _emit(node, at, wishes.get(node), width)
    moves = [(target, at.holds[root]) for root, target in zip(roots, targets, strict=True)]
    code += _moves(moves)
    return tuple(_direct(code))


def _emit(node: Expression, at: _Allocation, wish: int | None, width: int) -> Iterator[Instruction]:
    if isinstance(node, ConstantTerm):
        zero = max((r for r in at.zeros if r in at.free or at.fixed), default=None)
        if node.value == 0 and zero is not None:
            if zero in at.free:
                at.free.remove(zero)
            at.holds[node] = zero
            return
        at.holds[node] = register = at.take(wish)
        yield from _constant(register, node.value, width)
    elif isinstance(node, AppliedTerm):
        operands = [at.holds[part] for part in parts(node)]
        for part in parts(node):
            at.release(part)
        at.holds[node] = register = at.take(wish)
        if "n" in SOFT[node.op].imm:
            assert isinstance(node.right, ConstantTerm)
            number = number_for(node.right.value, width)
            if number is None:
                raise Unsupported(f"{node.right.value} is no number of an instruction")
            yield Instruction(node.op, register, operands[0], n=number)
        else:
            yield Instruction(node.op, register, *operands)
    elif isinstance(node, ConditionalTerm):
        yield from _conditional(node, at, wish, width)


def _constant(register: int, value: int, width: int) -> Iterator[Instruction]:
    """Set a register. A word that is no number is put together: value = high * 2^32 + low."""
    number = number_for(value, width)
    if number is not None:
        yield Instruction("SET", register, n=number)
        return
    low = value & mask(NUMBER)
    high = (value - word_of(low, width) & mask(width)) >> NUMBER
    yield Instruction("SET", register, n=high)
    yield Instruction("SHL", register, register, n=NUMBER)
    if low:
        yield Instruction("ADDI", register, register, n=low)


def _conditional(
    node: ConditionalTerm, at: _Allocation, wish: int | None, width: int
) -> Iterator[Instruction]:
    left, right = at.holds[node.left], at.holds[node.right]
    yes, no = at.holds[node.yes], at.holds[node.no]
    extra: list[int] = []
    if node.condition == "below":  # flipping both sign bits turns below into less
        flip = at.take()
        yield from _constant(flip, 1 << (width - 1), width)
        for word in (left, right):
            moved = at.take()
            yield Instruction("XOR", moved, word, flip)
            extra.append(moved)
        left, right = extra
        extra.append(flip)
    register = None
    if at.left[node.no] == 1:
        register = no  # nobody else needs it: overwritten in place
    if register is None:
        register = at.take(wish)
        yield Instruction("MOV", register, no)
    yield Instruction("CMP", 0, left, right)
    if node.condition == "equal":
        yield Instruction("JNE", n=-2 & mask(32))  # relative: over the next instruction
        yield Instruction("MOV", register, yes)
    else:
        yield Instruction("CMOV", register, yes)
    for part in (node.left, node.right, node.yes):
        at.release(part)
    if register == no and node.no in at.holds:
        at.left[node.no] -= 1
        del at.holds[node.no]
    else:
        at.release(node.no)
    at.free += extra
    at.free.sort()
    at.holds[node] = register


def _moves(moves: Sequence[tuple[int, int]]) -> Iterator[Instruction]:
    """Parallel moves: a cycle goes through a free register."""
    waiting = {to: source for to, source in moves if to != source}
    while waiting:
        ready = [to for to in waiting if to not in waiting.values()]
        if ready:
            yield Instruction("MOV", ready[0], waiting.pop(ready[0]))
            continue
        taken = {*waiting, *waiting.values(), *(to for to, _ in moves)}
        to = next(iter(waiting))
        spare = next((r for r in range(16) if r not in taken), None)
        if spare is None:
            raise Unsupported("the results need one register more than there are")
        yield Instruction("MOV", spare, to)
        waiting = {t: spare if s == to else s for t, s in waiting.items()}


def _mentions(i: Instruction, register: int) -> bool:
    return any(getattr(i, field) == register for field in ("d", "a", "b") if field in i.uses)


def _direct(code: list[Instruction]) -> list[Instruction]:
    """The code without final moves: what they move is computed in its place at once."""
    end = len(code)
    while end and code[end - 1].op == "MOV":
        end -= 1
    for at in range(len(code) - 1, end - 1, -1):
        to, source = code[at].d, code[at].a
        writers = [k for k in range(end) if "d" in code[k].uses and code[k].d == source]
        others = [i for k, i in enumerate(code) if k != at and k >= end and _mentions(i, source)]
        if not writers or others:
            continue
        first = writers[0]
        before = any(_mentions(i, source) for i in code[:first])
        between = any(_mentions(i, to) for i in code[first + 1 : at])
        reads = _reads(code[first], source) or (code[first].op == "CMOV")
        if before or between or reads:
            continue
        code = [*code[:first], *(_renamed(i, source, to, k > 0) for k, i in
                enumerate(code[first:at])), *code[at + 1 :]]  # fmt: skip
        end = min(end, len(code))
    return code


def _reads(i: Instruction, register: int) -> bool:
    return any(getattr(i, field) == register for field in ("a", "b") if field in i.uses)


def _renamed(i: Instruction, old: int, new: int, operands: bool) -> Instruction:
    fields = {f: getattr(i, f) for f in ("d", "a", "b")}
    for field in ("d", "a", "b") if operands else ("d",):
        if field in i.uses and fields[field] == old:
            fields[field] = new
    return Instruction(i.op, fields["d"], fields["a"], fields["b"], i.n)


def resolved(code: Sequence[Instruction], start: int = 0) -> Code:
    """The code with the branches over one instruction turned into places, from `start` on."""
    return tuple(
        Instruction(i.op, i.d, i.a, i.b, start + k + 2)
        if "pc" in SOFT[i.op].imm and i.n == (-2 & mask(32)) else i
        for k, i in enumerate(code)
    )  # fmt: skip
