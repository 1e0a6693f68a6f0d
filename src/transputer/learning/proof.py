"""Proofs about programs, on symbols.

A program is run on symbols: registers and memory hold terms of a bit-vector solver, the program
counter is concrete, and a branch on a term splits the run in two. At the end of each path the
solver is asked for an input that takes this path and gives another result than the specification.
Loop counts must be concrete, so arrays are proved for each length up to a bound.

The address of the array is a symbol. First it may be any word: an array may lie across the end of
memory and across the largest signed word. If a program is not right there, it is proved for arrays
that do not cross the largest signed word, and the fact says so. Memory outside the array holds
anything: every load from there gives a fresh symbol, so a proof never depends on it, nor on how
many words the machine has. A store there refutes the program.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from transputer.errors import EngineUnavailable, Unsupported
from transputer.ir.soft import Code, Instruction, word_of
from transputer.isa.op import Registry
from transputer.isa.soft import FLAGS, SOFT, Shape, meaning, operands, shape
from transputer.learning.problem import BOUND
from transputer.learning.refutation import Refutation
from transputer.learning.tasks import Task

try:
    import cvc5
    from cvc5 import Kind
except ImportError as error:
    raise EngineUnavailable(
        "learn: cvc5 is not installed; pip install 'transputer[jax]'"
    ) from error

Term = Any
#: Paths after which a proof is given up.
PATHS = 600
#: Processor seconds for a proof of one length.
LONGEST = 60.0
#: Milliseconds for one question to the solver.
PATIENCE = 20_000


class ManyPaths(Unsupported):
    """A program has more paths than are followed one by one."""


@dataclass(frozen=True)
class _Path:
    """A run so far: terms, where it is, and what must hold for it to be here.

    `array` holds the words from the address `base` on; `strays` are the addresses outside it that
    were loaded, and `stored` is the one that was stored to, if any.
    """

    registers: tuple[Term, ...]
    array: tuple[Term, ...]
    base: Term
    flags: tuple[Term, ...]
    pc: int = 0
    steps: int = 0
    assumed: tuple[Term, ...] = field(default=())
    strays: tuple[Term, ...] = ()
    stored: Term | None = None


def _making(kind: Any) -> Any:
    """A method that makes a term of one kind."""
    return lambda solver, *parts: solver.make(kind, *parts)


class Solver:
    """A solver for words of one width."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.terms = cvc5.TermManager()
        self.solver = cvc5.Solver(self.terms)
        self.solver.setLogic("QF_BV")
        self.solver.setOption("tlimit-per", str(PATIENCE))
        self.solver.setOption("produce-models", "true")
        self.sort = self.terms.mkBitVectorSort(width)
        #: Whether a branch over a few values merges both sides instead of splitting the run.
        self.merging = False

    def word(self, number: int) -> Term:
        """A constant."""
        return self.terms.mkBitVector(self.width, number % (1 << self.width))

    def symbol(self, name: str) -> Term:
        """An unknown word."""
        return self.terms.mkConst(self.sort, name)

    def make(self, kind: Any, *parts: Term) -> Term:
        """A simplified term."""
        return self.solver.simplify(self.terms.mkTerm(kind, *parts))

    def possible(self, *conditions: Term) -> bool | None:
        """Whether all can hold at once; None if the solver gave up."""
        result = self.solver.checkSatAssuming(*conditions)
        return None if result.isUnknown() else bool(result.isSat())

    def value(self, term: Term) -> int:
        """What a term is in the input that the last question found."""
        return int(self.solver.getValue(term).getBitVectorValue(10))

    # The algebra of words that hard meanings are written over.
    number = word
    add, sub = _making(Kind.BITVECTOR_ADD), _making(Kind.BITVECTOR_SUB)
    and_, or_ = _making(Kind.BITVECTOR_AND), _making(Kind.BITVECTOR_OR)
    xor, mul = _making(Kind.BITVECTOR_XOR), _making(Kind.BITVECTOR_MULT)
    equal = _making(Kind.EQUAL)
    less, below = _making(Kind.BITVECTOR_SLT), _making(Kind.BITVECTOR_ULT)
    not_, differ = _making(Kind.NOT), _making(Kind.XOR)
    choose = _making(Kind.ITE)

    def shl(self, a: Term, b: Term) -> Term:
        """Shift left."""
        return self.make(Kind.BITVECTOR_SHL, a, self._amount(b))

    def shr(self, a: Term, b: Term) -> Term:
        """Logical shift right."""
        return self.make(Kind.BITVECTOR_LSHR, a, self._amount(b))

    def sra(self, a: Term, b: Term) -> Term:
        """Arithmetic shift right."""
        return self.make(Kind.BITVECTOR_ASHR, a, self._amount(b))

    def merge(self, condition: Term, yes: Term, no: Term) -> Term:
        """Return `yes` if the condition holds, else `no`.

        Words that differ by a constant become a sum with it, as specifications have it; if the
        condition tests one bit, the sum is with the constant times that bit.
        """
        if yes == no:
            return yes
        step = self.sub(no, yes)
        if not step.isBitVectorValue() or yes.isBitVectorValue():
            return self.choose(condition, yes, no)
        clear = self._bit(condition)
        if clear is not None:  # yes where the bit is 0: yes + step * bit
            return self.add(yes, self.mul(step, clear))
        set_ = self._bit(self.not_(condition))
        if set_ is not None:
            return self.sub(no, self.mul(step, set_))
        return self.add(yes, self.choose(condition, self.word(0), step))

    def _bit(self, condition: Term) -> Term | None:
        """Return the bit, as a word, that is 0 exactly if the condition holds; None: not a bit."""
        if condition.getKind() == Kind.NOT and condition[0].getKind() == Kind.BITVECTOR_SLT:
            word, zero = condition[0]
            return self.shr(word, self.word(-1)) if zero == self.word(0) else None
        if condition.getKind() == Kind.EQUAL and self.word(0) in tuple(condition):
            word = condition[1] if condition[0] == self.word(0) else condition[0]
            parts = tuple(word) if word.getKind() == Kind.BITVECTOR_CONCAT else ()
            bits = [part for part in parts if not part.isBitVectorValue()]
            if len(bits) == 1 and bits[0].getSort().getBitVectorSize() == 1:
                extend = self.terms.mkOp(Kind.BITVECTOR_ZERO_EXTEND, self.width - 1)
                return self.solver.simplify(self.terms.mkTerm(extend, bits[0]))
        return None

    def _amount(self, b: Term) -> Term:
        """A number modulo the width, which is a power of two."""
        return self.and_(b, self.word(self.width - 1))

    def negative(self, a: Term) -> Term:
        """The highest bit."""
        return self.less(a, self.word(0))

    def flag(self, flags: tuple[Term, ...], index: int) -> Term:
        """One of the flags."""
        return flags[index]

    def flags(self, *conditions: Term) -> tuple[Term, ...]:
        """All flags."""
        return conditions


def _places(s: Solver, path: "_Path", address: Term) -> list[tuple["_Path", int | None]]:
    """The words of the array that an address may be, and None for outside, each with its path."""
    offset = s.sub(address, path.base)
    count = len(path.array)
    if offset.isBitVectorValue():
        at = int(offset.getBitVectorValue(10))
        return [(path, at if at < count else None)]
    cases: list[tuple[Term, int | None]] = [(s.equal(offset, s.word(k)), k) for k in range(count)]
    cases.append((s.not_(s.below(offset, s.word(count))), None))
    split = [(replace(path, assumed=(*path.assumed, case)), at) for case, at in cases]
    return [(each, at) for each, at in split if s.possible(*each.assumed) is not False]


def _paths(s: Solver, code: Code, start: _Path, limit: int) -> Iterator[_Path]:
    """Every way through the program from a start."""
    waiting, seen, until = [start], 0, time.thread_time() + LONGEST
    while waiting:
        if time.thread_time() > until:
            raise Unsupported(f"the proof takes more than {LONGEST:.0f} s")
        path = waiting.pop()
        if path.pc >= len(code) or path.stored is not None:
            seen += 1
            yield path
        elif path.steps >= limit:
            raise Unsupported(
                f"a run takes more than {limit} steps: the data decide how often it loops"
            )
        elif seen + len(waiting) > PATHS:
            raise ManyPaths(f"more than {PATHS} paths")
        else:
            waiting.extend(_step(s, code, path))


#: A step of a row without a function: the path already stands at the next instruction.
Step = Callable[[Solver, Code, _Path, Instruction], list[_Path]]
steps: Registry[Step] = Registry(SOFT)


def _step(s: Solver, code: Code, path: _Path) -> list[_Path]:
    i = code[path.pc]
    on = replace(path, pc=path.pc + 1, steps=path.steps + 1)
    kind = shape(i.op)
    if kind is Shape.OTHER:
        if i.op not in steps.rules:
            raise Unsupported(f"{i.op} has no symbolic meaning")
        return steps.rules[i.op](s, code, on, i)
    words = {field: path.registers[getattr(i, field)] for field in ("d", "a", "b")}
    given = {**words, "n": s.word(word_of(i.n, s.width)), "flags": path.flags}
    result = meaning(i.op)(s, *(given[take] for take in operands(i.op)))
    if kind is Shape.FLAGS:
        return [replace(on, flags=result)]
    if kind is Shape.BRANCH:
        return _branch(s, code, on, i.n, result)
    on = _set(on, i.d, result)
    if kind is Shape.VALUE:
        return [on]
    return _branch(s, code, on, i.n, s.not_(s.equal(result, s.word(0))))


def _set(path: _Path, register: int, term: Term) -> _Path:
    words = list(path.registers)
    words[register] = term
    return replace(path, registers=tuple(words))


def _branch(s: Solver, code: Code, on: _Path, place: int, taken: Term) -> list[_Path]:
    there = replace(on, pc=min(place, len(code)))
    if taken.isBooleanValue():
        return [there if taken.getBooleanValue() else on]
    if s.merging and (merged := _converted(s, code, on, there, taken)) is not None:
        return [merged]
    branches = [replace(there, assumed=(*on.assumed, taken)),
                replace(on, assumed=(*on.assumed, s.not_(taken)))]  # fmt: skip
    return [branch for branch in branches if s.possible(*branch.assumed) is not False]


def _converted(s: Solver, code: Code, on: _Path, there: _Path, taken: Term) -> _Path | None:
    """Return the run after a branch over a few values, both sides merged; None for other code."""
    block = code[on.pc : there.pc]
    if not block or any(shape(i.op) not in (Shape.VALUE, Shape.FLAGS) for i in block):
        return None
    through = on
    while through.pc < there.pc:
        (through,) = _step(s, code, through)
    words = tuple(
        s.merge(taken, x, y) for x, y in zip(on.registers, through.registers, strict=True)
    )
    flags = tuple(s.choose(taken, x, y) for x, y in zip(on.flags, through.flags, strict=True))
    return replace(through, registers=words, flags=flags)


@steps.on("HALT")
def _halt(s: Solver, code: Code, on: _Path, i: Instruction) -> list[_Path]:
    return [replace(on, pc=len(code))]


@steps.on("JMP")
def _jump(s: Solver, code: Code, on: _Path, i: Instruction) -> list[_Path]:
    return [replace(on, pc=min(i.n, len(code)))]


@steps.on("LD")
def _load(s: Solver, code: Code, on: _Path, i: Instruction) -> list[_Path]:
    return _loaded(s, on, i.d, s.add(on.registers[i.a], s.word(word_of(i.n, s.width))))


@steps.on("LDP")
def _load_on(s: Solver, code: Code, on: _Path, i: Instruction) -> list[_Path]:
    address = on.registers[i.a]
    return _loaded(s, _set(on, i.a, s.add(address, s.word(1))), i.d, address)


@steps.on("ST")
def _store(s: Solver, code: Code, on: _Path, i: Instruction) -> list[_Path]:
    return _stored(
        s, on, s.add(on.registers[i.a], s.word(word_of(i.n, s.width))), on.registers[i.b]
    )


@steps.on("STP")
def _store_on(s: Solver, code: Code, on: _Path, i: Instruction) -> list[_Path]:
    address, word = on.registers[i.a], on.registers[i.b]
    return _stored(s, _set(on, i.a, s.add(address, s.word(1))), address, word)


def _loaded(s: Solver, path: _Path, register: int, address: Term) -> list[_Path]:
    """The paths after a load; from outside the array comes anything."""
    paths = []
    for each, at in _places(s, path, address):
        if at is not None:
            paths.append(_set(each, register, each.array[at]))
            continue
        each = replace(each, strays=(*each.strays, address))
        paths.append(_set(each, register, s.symbol(f"memory {len(each.strays)}")))
    return paths


def _stored(s: Solver, path: _Path, address: Term, word: Term) -> list[_Path]:
    """The paths after a store; one outside the array ends its path."""
    return [
        replace(each, stored=address) if at is None
        else replace(each, array=(*each.array[:at], word, *each.array[at + 1 :]))
        for each, at in _places(s, path, address)
    ]  # fmt: skip


def refute(
    task: Task, code: Code, width: int, count: int = 0, anywhere: bool = True
) -> Refutation | None:
    """An input on which a program is wrong, or None: it is right on every input at a width.

    An array has `count` words and begins at any address; unless `anywhere`, it does not cross the
    largest signed word. Raises `Unsupported` where the solver gives up or the program or its
    specification leaves what can be proved.
    """
    return _refute(task, code, width, count, anywhere)[0]


def _refute(
    task: Task, code: Code, width: int, count: int, anywhere: bool
) -> tuple[Refutation | None, bool]:
    """The refutation, and whether the specification is about every input."""
    try:
        return _decided(Solver(width), task, code, count, anywhere)
    except ManyPaths:
        merging = Solver(width)
        merging.merging = True
        return _decided(merging, task, code, count, anywhere)


def _decided(
    s: Solver, task: Task, code: Code, count: int, anywhere: bool
) -> tuple[Refutation | None, bool]:
    if task.spec is None:
        raise Unsupported("the task has no specification to prove against")
    width = s.width
    words = [s.symbol(f"x{k}") for k in range(task.arity - 2 if task.size else task.arity)]
    array = [s.symbol(f"a{k}") for k in range(count)]
    wanted = task.spec.terms(s, words, array)
    start = _start(s, task, words, array)
    whole = s.possible(s.not_(wanted.domain)) is False
    assumed = () if whole else (wanted.domain,)
    if task.size and not anywhere:
        top = s.word((1 << (width - 1)) - count)
        assumed += (s.not_(s.less(start.base, s.word(0))), s.less(start.base, top))
    goals = [
        (condition, (*registers, *(start.array if array is None else array)))
        for condition, registers, array in _cases(s, wanted)
    ]
    for path in _paths(s, code, replace(start, assumed=assumed), _limit(task, width, count)):
        got = (*path.registers[: len(wanted.registers)], *path.array)
        for condition, goal in goals:
            wrong = [] if path.stored is not None else [_differ(s, got, goal)]
            answer = s.possible(*path.assumed, *condition, *wrong)
            if answer is None:
                raise Unsupported(f"the solver gave up after {PATIENCE // 1000} s")
            if answer:
                registers = start.registers[: task.arity]
                return Refutation(
                    width,
                    tuple(map(s.value, registers)),
                    tuple(map(s.value, start.array)),
                    _reason(s, path, got, goal, len(wanted.registers)),
                ), whole
    return None, whole


#: Paths of a specification from which on each is a question of its own: as a loop has them.
_MANY = 12


def _cases(s: Solver, wanted: Any) -> list[tuple[tuple[Term, ...], Any, Any]]:
    """Conditions on the input with the results that are wanted under them."""
    if len(wanted.paths) < _MANY:
        return [((), wanted.registers, wanted.array)]
    return [((condition,), registers, array) for condition, registers, array in wanted.paths]


def _limit(task: Task, width: int, count: int) -> int:
    """Steps of one symbolic run."""
    return min(task.limit(width, count), 2048)


def _differ(s: Solver, got: Sequence[Term], wanted: Sequence[Term]) -> Term:
    """Whether any of two lists of words differ."""
    differs = [s.make(Kind.DISTINCT, g, w) for g, w in zip(got, wanted, strict=True)]
    return differs[0] if len(differs) == 1 else s.terms.mkTerm(Kind.OR, *differs)


def _reason(
    s: Solver, path: _Path, got: Sequence[Term], wanted: Sequence[Term], results: int
) -> str:
    """What is wrong at the end of a path, in the input that the solver found."""
    if path.stored is not None:
        owned = ", outside the array" if path.array else "; the task has no array"
        return f"stores to address {s.value(path.stored)}{owned}"
    values = [(s.value(g), s.value(w)) for g, w in zip(got, wanted, strict=True)]
    at, (is_, should) = next((k, pair) for k, pair in enumerate(values) if pair[0] != pair[1])
    where = f"R{at}" if at < results else f"the word at {_place(s, path, at - results)}"
    read = ""
    if path.strays:
        read = f", having read address {s.value(path.strays[0])} outside the array"
    return f"{where} is {is_} and should be {should}{read}"


def _place(s: Solver, path: _Path, offset: int) -> str:
    """An address in the input that the solver found."""
    return f"address {(s.value(path.base) + offset) % (1 << s.width)}"


def _start(s: Solver, task: Task, words: Sequence[Term], array: Sequence[Term]) -> _Path:
    zeros = [s.word(0)] * 16
    no = (s.terms.mkFalse(),) * len(FLAGS)
    if not task.size:
        return _Path((*words, *zeros[len(words) :]), (), s.word(0), no)
    base = s.symbol("base")
    registers = (base, s.word(len(array)), *words)
    return _Path((*registers, *zeros[len(registers) :]), tuple(array), base, no)


def prove(task: Task, code: Code, width: int) -> str | Refutation:
    """The fact that a program is right on every input at a width, or an input where it is not.

    Raises `Unsupported` with the reason where neither can be shown.
    """
    if not task.size:
        refutation, whole = _refute(task, code, width, 0, True)
        inputs = "every input" if whole else "every input on which the function returns"
        return refutation or f"proved on {inputs} at {width} bits (cvc5)"
    refutation, places = None, "any address"
    whole = True
    for anywhere in (True, False):
        try:
            for count in range(1, BOUND + 1):
                refutation, part = _refute(task, code, width, count, anywhere)
                whole = whole and part
                if refutation is not None:
                    break
        except Unsupported:
            if not anywhere:
                raise
            continue
        if refutation is None:
            break
        places = f"addresses from 0 to 2^{width - 1} - n"
    if refutation is not None:
        return refutation
    if not anywhere:
        places = f"addresses from 0 to 2^{width - 1} - n"
    inputs = "every input" if whole else "every input on which the function returns"
    return (
        f"proved on {inputs} of arrays of 1 to {BOUND} words at {places}, "
        f"whatever the rest of memory holds, at {width} bits (cvc5)"
    )
