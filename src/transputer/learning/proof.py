"""Proofs about learned programs, and the certificates that say what was proved.

A program is run on symbols: registers and memory hold terms of a bit-vector solver, the program
counter is concrete, and a branch on a term splits the run in two. At the end of each path the
solver is asked for an input that takes this path and gives another result than the task wants.
Addresses and loop counts must be concrete, so arrays are proved for each length up to a bound.

Memory outside the array holds anything: every load from there gives a fresh symbol, so a proof
never depends on it, nor on how many words the machine has. A store there refutes the program.
"""

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from transputer.errors import EngineUnavailable, Unsupported
from transputer.ir.soft import Code, Instruction, text
from transputer.isa.op import Registry
from transputer.isa.soft import FLAGS, SOFT, Shape, meaning, operands, shape
from transputer.learning.problem import BOUND, counterexample, explain, for_width, inputs_to_check
from transputer.learning.tasks import Task, Words

try:
    import cvc5
    from cvc5 import Kind
except ImportError as error:
    raise EngineUnavailable(
        "learn: cvc5 is not installed; pip install 'transputer[jax]'"
    ) from error

Term = Any
#: Addresses at which the arrays of a proof begin.
BASES = (0, 3)
#: Paths after which a proof is given up.
PATHS = 4096
#: Milliseconds for one question to the solver.
PATIENCE = 20_000


@dataclass(frozen=True, slots=True)
class Certificate:
    """What is known about a program. `proved` is False where a part was only tried."""

    task: str
    program: tuple[str, ...]
    proved: bool
    facts: tuple[str, ...]
    seconds: float
    sha256: str = ""

    def signed(self) -> "Certificate":
        """The same with the hash of task, program and facts."""
        body = json.dumps([self.task, self.program, self.proved, self.facts])
        return replace(self, sha256=hashlib.sha256(body.encode()).hexdigest())

    def as_json(self) -> dict[str, Any]:
        """The form that is saved."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Refutation:
    """An input on which a program is wrong, and what is wrong with it there."""

    width: int
    registers: Words
    array: Words
    reason: str

    def __str__(self) -> str:
        registers = ", ".join(f"R{k} = {word}" for k, word in enumerate(self.registers))
        array = f" and the array {list(self.array)}" if self.array else ""
        return f"wrong at {self.width} bits for {registers}{array}: {self.reason}"


@dataclass(frozen=True)
class _Path:
    """A run so far: terms, where it is, and what must hold for it to be here.

    `array` holds the words from the address `base` on; `strays` are the addresses outside it
    that were loaded, and `stored` is the one that was stored to, if any.
    """

    registers: tuple[Term, ...]
    array: tuple[Term, ...]
    base: int
    flags: tuple[Term, ...]
    pc: int = 0
    steps: int = 0
    assumed: tuple[Term, ...] = field(default=())
    strays: tuple[int, ...] = ()
    stored: int | None = None


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
    xor = _making(Kind.BITVECTOR_XOR)
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


def _number(term: Term) -> int:
    """A concrete address or count."""
    if not term.isBitVectorValue():
        raise Unsupported("a proof needs concrete addresses and counts")
    return int(term.getBitVectorValue(10))


def _paths(s: Solver, code: Code, start: _Path, limit: int) -> Iterator[_Path]:
    """Every way through the program from a start."""
    waiting, seen = [start], 0
    while waiting:
        path = waiting.pop()
        if path.pc >= len(code) or path.stored is not None:
            seen += 1
            yield path
        elif path.steps >= limit:
            raise Unsupported(f"a path takes more than {limit} steps")
        elif seen + len(waiting) > PATHS:
            raise Unsupported(f"more than {PATHS} paths")
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
    given = {**words, "n": s.word(i.n), "flags": path.flags}
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
    branches = [replace(there, assumed=(*on.assumed, taken)),
                replace(on, assumed=(*on.assumed, s.not_(taken)))]  # fmt: skip
    return [branch for branch in branches if s.possible(*branch.assumed) is not False]


@steps.on("HALT")
def _halt(s: Solver, code: Code, on: _Path, i: Instruction) -> list[_Path]:
    return [replace(on, pc=len(code))]


@steps.on("JMP")
def _jump(s: Solver, code: Code, on: _Path, i: Instruction) -> list[_Path]:
    return [replace(on, pc=min(i.n, len(code)))]


@steps.on("LD")
def _load(s: Solver, code: Code, on: _Path, i: Instruction) -> list[_Path]:
    return [_loaded(s, on, i.d, s.add(on.registers[i.a], s.word(i.n)))]


@steps.on("LDP")
def _load_on(s: Solver, code: Code, on: _Path, i: Instruction) -> list[_Path]:
    address = on.registers[i.a]
    return [_loaded(s, _set(on, i.a, s.add(address, s.word(1))), i.d, address)]


@steps.on("ST")
def _store(s: Solver, code: Code, on: _Path, i: Instruction) -> list[_Path]:
    return [_stored(on, s.add(on.registers[i.a], s.word(i.n)), on.registers[i.b])]


@steps.on("STP")
def _store_on(s: Solver, code: Code, on: _Path, i: Instruction) -> list[_Path]:
    address, word = on.registers[i.a], on.registers[i.b]
    return [_stored(_set(on, i.a, s.add(address, s.word(1))), address, word)]


def _loaded(s: Solver, path: _Path, register: int, address: Term) -> _Path:
    """The path after a load; from outside the array comes anything."""
    place = _number(address)
    at = place - path.base
    if 0 <= at < len(path.array):
        return _set(path, register, path.array[at])
    path = replace(path, strays=(*path.strays, place))
    return _set(path, register, s.symbol(f"memory {place}"))


def _stored(path: _Path, address: Term, word: Term) -> _Path:
    """The path after a store; one outside the array ends it."""
    place = _number(address)
    at = place - path.base
    if not 0 <= at < len(path.array):
        return replace(path, stored=place)
    return replace(path, array=(*path.array[:at], word, *path.array[at + 1 :]))


#: What a task wants, as terms: from the arguments or the array to registers or the array.
Wish = Callable[[Solver, Sequence[Term]], Sequence[Term]]


def _min(s: Solver, a: Term, b: Term) -> Term:
    return s.choose(s.less(a, b), a, b)


def _max(s: Solver, a: Term, b: Term) -> Term:
    return s.choose(s.less(a, b), b, a)


def _abs(s: Solver, x: Sequence[Term]) -> list[Term]:
    negative = s.less(x[0], s.word(0))
    return [s.choose(negative, s.make(Kind.BITVECTOR_NEG, x[0]), x[0])]


def _sign(s: Solver, x: Sequence[Term]) -> list[Term]:
    positive = s.choose(s.less(s.word(0), x[0]), s.word(1), s.word(0))
    return [s.choose(s.less(x[0], s.word(0)), s.word(-1), positive)]


def _average(s: Solver, x: Sequence[Term]) -> list[Term]:
    """In one bit more, where nothing overflows."""
    wide = [s.terms.mkTerm(s.terms.mkOp(Kind.BITVECTOR_SIGN_EXTEND, 1), term) for term in x]
    total = s.terms.mkTerm(Kind.BITVECTOR_ADD, *wide)
    return [s.terms.mkTerm(s.terms.mkOp(Kind.BITVECTOR_EXTRACT, s.width, 1), total)]


def _power(s: Solver, x: Sequence[Term]) -> list[Term]:
    """One of the words with one bit."""
    same = [s.make(Kind.EQUAL, x[0], s.word(1 << k)) for k in range(s.width)]
    return [s.choose(s.make(Kind.OR, *same), s.word(1), s.word(0))]


def _sorted(s: Solver, x: Sequence[Term]) -> list[Term]:
    """Insertion sort."""
    out: list[Term] = []
    for term in x:
        for k, word in enumerate(out):
            out[k], term = _min(s, word, term), _max(s, word, term)
        out.append(term)
    return out


def _sum(s: Solver, x: Sequence[Term]) -> list[Term]:
    total = s.word(0)
    for term in x:
        total = s.make(Kind.BITVECTOR_ADD, total, term)
    return [total]


def _greatest(s: Solver, x: Sequence[Term]) -> list[Term]:
    best = x[0]
    for term in x[1:]:
        best = _max(s, best, term)
    return [best]


def _count(s: Solver, x: Sequence[Term]) -> list[Term]:
    key, *words = x
    ones = [s.choose(s.make(Kind.EQUAL, word, key), s.word(1), s.word(0)) for word in words]
    return _sum(s, ones)


def _search(s: Solver, x: Sequence[Term]) -> list[Term]:
    key, *words = x
    index = s.word(len(words))
    for k in reversed(range(len(words))):
        index = s.choose(s.make(Kind.EQUAL, words[k], key), s.word(k), index)
    return [index]


WISHES: dict[str, Wish] = {
    "add": lambda s, x: [s.make(Kind.BITVECTOR_ADD, *x)],
    "sub": lambda s, x: [s.make(Kind.BITVECTOR_SUB, *x)],
    "max": lambda s, x: [_max(s, *x)],
    "min": lambda s, x: [_min(s, *x)],
    "abs": _abs,
    "sign": _sign,
    "swap": lambda s, x: [x[1], x[0]],
    "clamp": lambda s, x: [_min(s, _max(s, x[0], x[1]), x[2])],
    "average": _average,
    "power_of_two": _power,
    "blsr": lambda s, x: [
        s.make(Kind.BITVECTOR_AND, x[0], s.make(Kind.BITVECTOR_SUB, x[0], s.word(1)))
    ],
    "multiply": lambda s, x: [s.make(Kind.BITVECTOR_MULT, *x)],
    "sort2": _sorted,
    "sort3": _sorted,
    "sort4": _sorted,
    "sum_array": _sum,
    "max_array": _greatest,
    "count": _count,
    "linear_search": _search,
    "reverse": lambda s, x: list(reversed(x)),
}
_KEYED = ("count", "linear_search")
_IN_PLACE = ("reverse",)


def refute(
    task: Task, code: Code, width: int, count: int = 0, base: int = BASES[-1]
) -> Refutation | None:
    """An input on which a program is wrong, or None: it is right on every input at a width.

    An array has `count` words and begins at the address `base`. Raises `Unsupported` where the
    solver gives up or the program leaves what can be proved.
    """
    s = Solver(width)
    inputs = [s.symbol(f"x{k}") for k in range(task.arity - 2 + count if task.size else task.arity)]
    wishes = WISHES[task.name](s, inputs)
    start = _start(s, task, inputs, count, base)
    in_place = task.name in _IN_PLACE
    array = tuple(wishes) if in_place else start.array
    wanted = (*(() if in_place else wishes), *array)
    for path in _paths(s, code, start, task.limit(width, count)):
        got = (*path.registers[: len(wanted) - count], *path.array)
        wrong = [] if path.stored is not None else [_differ(s, got, wanted)]
        answer = s.possible(*path.assumed, *wrong)
        if answer is None:
            raise Unsupported(f"the solver gave up after {PATIENCE // 1000} s")
        if answer:
            registers, words = start.registers[: task.arity], start.array
            return Refutation(
                width,
                tuple(map(s.value, registers)),
                tuple(map(s.value, words)),
                _reason(s, path, got, wanted, len(wanted) - count),
            )
    return None


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
        return f"stores to address {path.stored}{owned}"
    values = [(s.value(g), s.value(w)) for g, w in zip(got, wanted, strict=True)]
    at, (is_, should) = next((k, pair) for k, pair in enumerate(values) if pair[0] != pair[1])
    where = f"R{at}" if at < results else f"the word at address {path.base + at - results}"
    read = f", having read address {path.strays[0]} outside the array" if path.strays else ""
    return f"{where} is {is_} and should be {should}{read}"


def _start(s: Solver, task: Task, inputs: Sequence[Term], count: int, base: int) -> _Path:
    zeros = [s.word(0)] * 16
    no = (s.terms.mkFalse(),) * len(FLAGS)
    if not task.size:
        return _Path((*inputs, *zeros[len(inputs) :]), (), base, no)
    keys, words = (inputs[:1], inputs[1:]) if task.name in _KEYED else ((), inputs)
    registers = (s.word(base), s.word(count), *keys)
    return _Path((*registers, *zeros[len(registers) :]), tuple(words), base, no)


def certify(task: Task, code: Code, learned: int = 8) -> Certificate | Refutation:
    """Everything that can be shown about a program, or an input on which it is wrong."""
    began = time.monotonic()
    facts: list[str] = []
    proved = True
    for width in (8, 32):
        moved = for_width(task, code, learned, width)
        wrong = counterexample(task, moved, width)
        if wrong is not None:
            reason = explain(task, moved, width, wrong)
            return Refutation(width, wrong.registers, task.array(wrong), reason)
        every = width == 8 and task.every is not None
        tried = sum(1 for _ in inputs_to_check(task, width))
        facts.append(f"right on {'all ' if every else ''}{tried:,} inputs at {width} bits")
    if task.name not in WISHES:
        facts.append("not proved at 32 bits: data decide the addresses or the number of rounds")
        return _done(task, for_width(task, code, learned, 32), False, facts, began)
    widths = (32,) if task.every is not None else (8, 32)
    arrays = [(n, base) for n in range(1, BOUND + 1) for base in BASES] if task.size else [(0, 0)]
    for width in widths:
        moved = for_width(task, code, learned, width)
        try:
            for count, base in arrays:
                refutation = refute(task, moved, width, count, base)
                if refutation is not None:
                    return refutation
            facts.append(
                f"proved on every input{_OF_ARRAYS * bool(task.size)} at {width} bits (cvc5)"
            )
        except Unsupported as problem:
            proved = False
            facts.append(f"not proved at {width} bits: {problem}")
    return _done(task, for_width(task, code, learned, 32), proved, facts, began)


#: What a proof about arrays covers, and what it assumes about the rest of memory: nothing.
_OF_ARRAYS = (
    f" of arrays up to {BOUND} words at addresses {' and '.join(map(str, BASES))}, "
    "whatever the rest of memory holds,"
)


def _done(task: Task, code: Code, proved: bool, facts: Sequence[str], began: float) -> Certificate:
    program = tuple(text(code).split("\n"))
    seconds = round(time.monotonic() - began, 3)
    return Certificate(task.name, program, proved, tuple(facts), seconds).signed()
