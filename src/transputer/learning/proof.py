"""Proofs about learned programs, and the certificates that say what was proved.

A program is run on symbols: registers and memory hold terms of a bit-vector solver, the program
counter is concrete, and a branch on a term splits the run in two. At the end of each path the
solver is asked for an input that takes this path and gives another result than the task wants.
Addresses and loop counts must be concrete, so arrays are proved for each length up to a bound.
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
from transputer.isa.soft import SOFT
from transputer.learning.problem import counterexample, for_width, inputs_to_check
from transputer.learning.tasks import Task

try:
    import cvc5
    from cvc5 import Kind
except ImportError as error:
    raise EngineUnavailable(
        "learn: cvc5 is not installed; pip install 'transputer[jax]'"
    ) from error

Term = Any
#: Array lengths proved one by one.
BOUND = 5
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


@dataclass(frozen=True)
class _Path:
    """A run so far: terms, where it is, and what must hold for it to be here."""

    registers: tuple[Term, ...]
    memory: tuple[Term, ...]
    flags: tuple[Term, Term]  # equal, less
    pc: int = 0
    steps: int = 0
    assumed: tuple[Term, ...] = field(default=())


class Solver:
    """A solver for words of one width."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.terms = cvc5.TermManager()
        self.solver = cvc5.Solver(self.terms)
        self.solver.setLogic("QF_BV")
        self.solver.setOption("tlimit-per", str(PATIENCE))
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

    def either(self, condition: Term, one: Term, other: Term) -> Term:
        """`one` where the condition holds, else `other`."""
        return self.make(Kind.ITE, condition, one, other)

    def possible(self, *conditions: Term) -> bool | None:
        """Whether all can hold at once; None if the solver gave up."""
        result = self.solver.checkSatAssuming(*conditions)
        return None if result.isUnknown() else bool(result.isSat())


Rule = Callable[[Solver, Term, Term, Term], Term]
#: The value of each row as a term, from a, b and the number.
values: Registry[Rule] = Registry(SOFT)


def _on(name: str, kind: Any, numeric: bool = False) -> None:
    values.on(name)(lambda s, a, b, n: s.make(kind, a, n if numeric else b))


for _name, _kind in (
    ("ADD", Kind.BITVECTOR_ADD), ("SUB", Kind.BITVECTOR_SUB), ("AND", Kind.BITVECTOR_AND),
    ("OR", Kind.BITVECTOR_OR), ("XOR", Kind.BITVECTOR_XOR),
):  # fmt: skip
    _on(_name, _kind)
_on("ADDI", Kind.BITVECTOR_ADD, numeric=True)
for _name, _kind in (
    ("SHL", Kind.BITVECTOR_SHL), ("SHR", Kind.BITVECTOR_LSHR), ("SRA", Kind.BITVECTOR_ASHR),
):  # fmt: skip
    _on(_name, _kind, numeric=True)
values.on("MOV")(lambda s, a, b, n: a)
values.on("SET")(lambda s, a, b, n: n)
values.on("MIN")(lambda s, a, b, n: s.either(s.make(Kind.BITVECTOR_SLT, a, b), a, b))
values.on("MAX")(lambda s, a, b, n: s.either(s.make(Kind.BITVECTOR_SLT, a, b), b, a))


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
        if path.pc >= len(code):
            seen += 1
            yield path
        elif path.steps >= limit or seen + len(waiting) > PATHS:
            raise Unsupported(f"more than {limit} steps or {PATHS} paths")
        else:
            waiting.extend(_step(s, code, path))


def _step(s: Solver, code: Code, path: _Path) -> list[_Path]:
    i = code[path.pc]
    on = replace(path, pc=path.pc + 1, steps=path.steps + 1)
    a, b = path.registers[i.a], path.registers[i.b]
    amount = i.n % s.width if i.op in ("SHL", "SHR", "SRA") else i.n
    n = s.word(amount)
    if i.op in values.rules:
        return [_set(on, i.d, values.rules[i.op](s, a, b, n))]
    if i.op == "CMP":
        return [replace(on, flags=(s.make(Kind.EQUAL, a, b), s.make(Kind.BITVECTOR_SLT, a, b)))]
    if i.op == "CMOV":
        return [_set(on, i.d, s.either(path.flags[1], a, path.registers[i.d]))]
    if i.op in ("LD", "LDP", "ST", "STP"):
        return [_access(s, on, i, a, b, n)]
    return _jump(s, code, on, i)


def _set(path: _Path, register: int, term: Term) -> _Path:
    words = list(path.registers)
    words[register] = term
    return replace(path, registers=tuple(words))


def _access(s: Solver, path: _Path, i: Instruction, a: Term, b: Term, n: Term) -> _Path:
    at = _number(a if i.op in ("LDP", "STP") else s.make(Kind.BITVECTOR_ADD, a, n))
    at %= len(path.memory)
    if i.op in ("ST", "STP"):
        cells = list(path.memory)
        cells[at] = b
        path = replace(path, memory=tuple(cells))
    if i.op in ("LDP", "STP"):
        path = _set(path, i.a, s.make(Kind.BITVECTOR_ADD, a, s.word(1)))
    return _set(path, i.d, path.memory[at]) if i.op in ("LD", "LDP") else path


def _jump(s: Solver, code: Code, on: _Path, i: Instruction) -> list[_Path]:
    yes = s.terms.mkTrue()
    equal, less = on.flags
    if i.op == "HALT":
        return [replace(on, pc=len(code))]
    if i.op == "DJNZ":
        left = s.make(Kind.BITVECTOR_SUB, on.registers[i.d], s.word(1))
        on, taken = _set(on, i.d, left), s.make(Kind.DISTINCT, left, s.word(0))
    elif i.op in ("JMP", "JEQ", "JNE", "JLT", "JGE"):
        conditions = {"JMP": yes, "JEQ": equal, "JNE": s.make(Kind.NOT, equal), "JLT": less,
                      "JGE": s.make(Kind.NOT, less)}  # fmt: skip
        taken = conditions[i.op]
    else:
        raise Unsupported(f"{i.op} has no symbolic meaning")
    there = replace(on, pc=min(i.n, len(code)))
    if taken.isBooleanValue():
        return [there if taken == yes else on]
    branches = [replace(there, assumed=(*on.assumed, taken)),
                replace(on, assumed=(*on.assumed, s.make(Kind.NOT, taken)))]  # fmt: skip
    return [branch for branch in branches if s.possible(*branch.assumed) is not False]


#: What a task wants, as terms: from the arguments or the array to registers or the array.
Wish = Callable[[Solver, Sequence[Term]], Sequence[Term]]


def _less(s: Solver, a: Term, b: Term) -> Term:
    return s.make(Kind.BITVECTOR_SLT, a, b)


def _min(s: Solver, a: Term, b: Term) -> Term:
    return s.either(_less(s, a, b), a, b)


def _max(s: Solver, a: Term, b: Term) -> Term:
    return s.either(_less(s, a, b), b, a)


def _abs(s: Solver, x: Sequence[Term]) -> list[Term]:
    negative = _less(s, x[0], s.word(0))
    return [s.either(negative, s.make(Kind.BITVECTOR_NEG, x[0]), x[0])]


def _sign(s: Solver, x: Sequence[Term]) -> list[Term]:
    positive = s.either(_less(s, s.word(0), x[0]), s.word(1), s.word(0))
    return [s.either(_less(s, x[0], s.word(0)), s.word(-1), positive)]


def _average(s: Solver, x: Sequence[Term]) -> list[Term]:
    """In one bit more, where nothing overflows."""
    wide = [s.terms.mkTerm(s.terms.mkOp(Kind.BITVECTOR_SIGN_EXTEND, 1), term) for term in x]
    total = s.terms.mkTerm(Kind.BITVECTOR_ADD, *wide)
    return [s.terms.mkTerm(s.terms.mkOp(Kind.BITVECTOR_EXTRACT, s.width, 1), total)]


def _power(s: Solver, x: Sequence[Term]) -> list[Term]:
    """One of the words with one bit."""
    same = [s.make(Kind.EQUAL, x[0], s.word(1 << k)) for k in range(s.width)]
    return [s.either(s.make(Kind.OR, *same), s.word(1), s.word(0))]


def _sorted(s: Solver, x: Sequence[Term]) -> list[Term]:
    """Insertion sort."""
    out: list[Term] = []
    for term in x:
        for k, held in enumerate(out):
            out[k], term = _min(s, held, term), _max(s, held, term)
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
    ones = [s.either(s.make(Kind.EQUAL, word, key), s.word(1), s.word(0)) for word in words]
    return _sum(s, ones)


def _search(s: Solver, x: Sequence[Term]) -> list[Term]:
    key, *words = x
    found = s.word(len(words))
    for k in reversed(range(len(words))):
        found = s.either(s.make(Kind.EQUAL, words[k], key), s.word(k), found)
    return [found]


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


def prove(task: Task, code: Code, width: int, count: int = 0) -> bool:
    """Whether a program is right on every input at a width; an array has `count` words.

    Raises `Unsupported` where the solver gives up or the program leaves what can be proved.
    """
    s = Solver(width)
    inputs = [s.symbol(f"x{k}") for k in range(task.arity - 2 + count if task.size else task.arity)]
    wanted = WISHES[task.name](s, inputs)
    base = 3
    start = _start(s, task, inputs, count, base)
    for path in _paths(s, code, start, task.limit(width, count)):
        in_place = task.name == "reverse"
        got = path.memory[base : base + count] if in_place else path.registers
        differs = [s.make(Kind.DISTINCT, g, w) for g, w in zip(got, wanted, strict=False)]
        wrong = differs[0] if len(differs) == 1 else s.terms.mkTerm(Kind.OR, *differs)
        answer = s.possible(*path.assumed, wrong)
        if answer is None:
            raise Unsupported(f"the solver gave up after {PATIENCE // 1000} s")
        if answer:
            return False
    return True


def _start(s: Solver, task: Task, inputs: Sequence[Term], count: int, base: int) -> _Path:
    zeros = [s.word(0)] * 16
    no = (s.terms.mkFalse(), s.terms.mkFalse())
    if not task.size:
        return _Path((*inputs, *zeros[len(inputs) :]), (s.word(0),), no)
    keys, words = (inputs[:1], inputs[1:]) if task.name in _KEYED else ((), inputs)
    registers = (s.word(base), s.word(count), *keys)
    cells = (*zeros[:base], *words, *zeros)
    return _Path((*registers, *zeros[len(registers) :]), cells, no)


def certify(task: Task, code: Code, learned: int = 8) -> Certificate | None:
    """Everything that can be shown about a program; None if it is wrong anywhere."""
    began = time.monotonic()
    facts: list[str] = []
    proved = True
    for width in (8, 32):
        moved = for_width(task, code, learned, width)
        if counterexample(task, moved, width) is not None:
            return None
        every = width == 8 and task.every is not None
        tried = sum(1 for _ in inputs_to_check(task, width))
        facts.append(f"right on {'all ' if every else ''}{tried:,} inputs at {width} bits")
    if task.name not in WISHES:
        facts.append("not proved at 32 bits: data decide the addresses or the number of rounds")
        return _done(task, for_width(task, code, learned, 32), False, facts, began)
    widths = (32,) if task.every is not None else (8, 32)
    for width in widths:
        moved = for_width(task, code, learned, width)
        lengths = range(1, BOUND + 1) if task.size else (0,)
        try:
            if not all(prove(task, moved, width, count) for count in lengths):
                return None
            of = f" of arrays up to {BOUND} words" if task.size else ""
            facts.append(f"proved on every input{of} at {width} bits (cvc5)")
        except Unsupported as problem:
            proved = False
            facts.append(f"not proved at {width} bits: {problem}")
    return _done(task, for_width(task, code, learned, 32), proved, facts, began)


def _done(task: Task, code: Code, proved: bool, facts: Sequence[str], began: float) -> Certificate:
    program = tuple(text(code).split("\n"))
    seconds = round(time.monotonic() - began, 3)
    return Certificate(task.name, program, proved, tuple(facts), seconds).signed()
