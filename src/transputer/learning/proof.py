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
from transputer.isa.soft import SOFT
from transputer.learning.problem import counterexample, explain, for_width, inputs_to_check
from transputer.learning.tasks import Task, Words

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
    flags: tuple[Term, Term]  # equal, less
    pc: int = 0
    steps: int = 0
    assumed: tuple[Term, ...] = field(default=())
    strays: tuple[int, ...] = ()
    stored: int | None = None


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

    def either(self, condition: Term, one: Term, other: Term) -> Term:
        """`one` where the condition holds, else `other`."""
        return self.make(Kind.ITE, condition, one, other)

    def possible(self, *conditions: Term) -> bool | None:
        """Whether all can hold at once; None if the solver gave up."""
        result = self.solver.checkSatAssuming(*conditions)
        return None if result.isUnknown() else bool(result.isSat())

    def value(self, term: Term) -> int:
        """What a term is in the input that the last question found."""
        return int(self.solver.getValue(term).getBitVectorValue(10))


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
        if path.pc >= len(code) or path.stored is not None:
            seen += 1
            yield path
        elif path.steps >= limit:
            raise Unsupported(f"a path takes more than {limit} steps")
        elif seen + len(waiting) > PATHS:
            raise Unsupported(f"more than {PATHS} paths")
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
    address = _number(a if i.op in ("LDP", "STP") else s.make(Kind.BITVECTOR_ADD, a, n))
    at = address - path.base
    inside = 0 <= at < len(path.array)
    if i.op in ("LDP", "STP"):
        path = _set(path, i.a, s.make(Kind.BITVECTOR_ADD, a, s.word(1)))
    if i.op in ("LD", "LDP"):
        if not inside:
            path = replace(path, strays=(*path.strays, address))
        return _set(path, i.d, path.array[at] if inside else s.symbol(f"memory {address}"))
    if not inside:
        return replace(path, stored=address)
    return replace(path, array=(*path.array[:at], b, *path.array[at + 1 :]))


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
    no = (s.terms.mkFalse(), s.terms.mkFalse())
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
