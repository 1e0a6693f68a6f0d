"""Python functions on unknown integers: every path through a function, as terms of a solver.

A specification is ordinary Python. It is called with `UnknownInteger` values; their operators build
bit-vector terms wide enough that nothing wraps, so that a term means what Python means. A branch on
an unknown condition runs the function again for each side. To keep the number of paths small, `if`
statements that only assign, conditional expressions and `and`/`or` are rewritten to merge both
sides where the source of the function is at hand.

An exception raised by the function ends a path: such inputs are outside the function's domain.
"""

import ast
import builtins
import inspect
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import Any

from cvc5 import Kind

from transputer.errors import Unsupported
from transputer.values import dataclass

Term = Any
#: Bits of the widest term.
WIDEST = 1024
#: Paths through a function, and unknown branches on one path, after which translation is given up.
PATHS, BRANCHES = 600, 300
#: Processor seconds for the translation of a function.
PATIENCE = 8.0
#: What a function may raise on inputs outside its domain.
REFUSALS = (ArithmeticError, AssertionError, LookupError, ValueError, RecursionError)


@dataclass(frozen=True, slots=True)
class FunctionTerms:
    """What a function returns on unknown inputs, and the condition that it returns at all."""

    domain: Term
    registers: tuple[Term, ...]
    array: tuple[Term, ...] | None
    paths: tuple[tuple[Term, tuple[Term, ...], tuple[Term, ...] | None], ...] = ()


class SymbolicRun:
    """One run of a function along given decisions; later branches take the first possible side."""

    def __init__(self, solver: Any, decisions: Sequence[bool], until: float) -> None:
        self.solver, self.terms, self.until = solver, solver.terms, until
        self.decisions, self.taken = tuple(decisions), 0
        self.assumed: list[Term] = []
        self.open: list[tuple[bool, ...]] = []
        self.history: list[bool] = []

    def decide(self, condition: Term) -> bool:
        """Which side of a branch this run takes; the other one is left open if it is possible."""
        condition = self.solver.solver.simplify(condition)
        if condition.isBooleanValue():
            return bool(condition.getBooleanValue())
        if time.thread_time() > self.until:
            raise Unsupported(f"translating the function takes more than {PATIENCE:.0f} s")
        if len(self.history) >= BRANCHES:
            raise Unsupported(f"the function branches more than {BRANCHES} times on one path")
        at = len(self.history)
        if at < len(self.decisions):
            side = self.decisions[at]
        else:
            other = self.terms.mkTerm(Kind.NOT, condition)
            side = self.solver.possible(*self.assumed, condition) is not False
            if side and self.solver.possible(*self.assumed, other) is not False:
                self.open.append((*self.history, False))
        self.history.append(side)
        self.assumed.append(condition if side else self.terms.mkTerm(Kind.NOT, condition))
        return side


def _bits(low: int, high: int) -> int:
    """Bits of a signed word that holds a range of integers."""
    return max(low.bit_length() if low >= 0 else (~low).bit_length(), high.bit_length()) + 1


#: Operations whose low bits depend on the low bits of the operands alone.
_ON_WORDS = (
    Kind.BITVECTOR_ADD, Kind.BITVECTOR_SUB, Kind.BITVECTOR_MULT,
    Kind.BITVECTOR_AND, Kind.BITVECTOR_OR, Kind.BITVECTOR_XOR,
)  # fmt: skip


class UnknownInteger:
    """An integer that is not known, between `low` and `high`: a signed bit-vector term.

    `word` is the integer modulo 2^width, built by operations on words where that is possible: it
    looks like what a program computes, which makes proofs short.
    """

    __slots__ = ("_word", "condition", "high", "low", "run", "term")
    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self, run: SymbolicRun, term: Term, low: int, high: int, condition: Term | None = None,
        word: Term | None = None,
    ) -> None:  # fmt: skip
        self.run, self.term, self.low, self.high = run, term, low, high
        self.condition, self._word = condition, word

    @property
    def word(self) -> Term:
        """The low bits, as many as a word has."""
        if self._word is None:
            self._word = self.run.solver.solver.simplify(self.wide(self.run.solver.width))
        return self._word

    @property
    def bits(self) -> int:
        """Bits of the term."""
        return int(self.term.getSort().getBitVectorSize())

    def wide(self, bits: int) -> Term:
        """The term in `bits` bits, sign-extended or cut."""
        terms = self.run.terms
        if bits > WIDEST:
            raise Unsupported(f"the function needs integers of more than {WIDEST} bits")
        if bits > self.bits:
            return terms.mkTerm(terms.mkOp(Kind.BITVECTOR_SIGN_EXTEND, bits - self.bits), self.term)
        if bits < self.bits:
            return terms.mkTerm(terms.mkOp(Kind.BITVECTOR_EXTRACT, bits - 1, 0), self.term)
        return self.term

    def lift(self, other: Any) -> "UnknownInteger":
        """An operand as a symbol."""
        if isinstance(other, UnknownInteger):
            return other
        if not isinstance(other, int):
            raise Unsupported(f"the function mixes integers with {type(other).__name__}")
        number, bits = int(other), _bits(int(other), int(other))
        return UnknownInteger(
            self.run, self.run.terms.mkBitVector(bits, number % (1 << bits)), number, number
        )

    def _fit(self, term: Term, low: int, high: int, word: Term | None = None) -> Any:
        """A result, as narrow as its range allows; a plain integer if only one is possible."""
        if low == high:
            return low
        wide = UnknownInteger(self.run, self.run.solver.solver.simplify(term), low, high)
        narrow = wide.wide(min(wide.bits, _bits(low, high)))
        return UnknownInteger(self.run, narrow, low, high, word=word)

    def _arithmetic(self, other: Any, kind: Any, low: int, high: int) -> Any:
        right = self.lift(other)
        bits = max(_bits(low, high), self.bits, right.bits)
        word = None
        if kind in _ON_WORDS:
            word = self.run.solver.make(kind, self.word, right.word)
        return self._fit(
            self.run.terms.mkTerm(kind, self.wide(bits), right.wide(bits)), low, high, word
        )

    def __add__(self, other: Any) -> Any:
        right = self.lift(other)
        return self._arithmetic(
            right, Kind.BITVECTOR_ADD, self.low + right.low, self.high + right.high
        )

    def __sub__(self, other: Any) -> Any:
        right = self.lift(other)
        return self._arithmetic(
            right, Kind.BITVECTOR_SUB, self.low - right.high, self.high - right.low
        )

    def __mul__(self, other: Any) -> Any:
        right = self.lift(other)
        ends = [x * y for x in (self.low, self.high) for y in (right.low, right.high)]
        return self._arithmetic(right, Kind.BITVECTOR_MULT, min(ends), max(ends))

    def __and__(self, other: Any) -> Any:
        right = self.lift(other)
        limits = [x.high for x in (self, right) if x.low >= 0]
        if limits:
            return self._arithmetic(right, Kind.BITVECTOR_AND, 0, min(limits))
        return self._bitwise(right, Kind.BITVECTOR_AND)

    def __or__(self, other: Any) -> Any:
        return self._bitwise(self.lift(other), Kind.BITVECTOR_OR)

    def __xor__(self, other: Any) -> Any:
        return self._bitwise(self.lift(other), Kind.BITVECTOR_XOR)

    def _bitwise(self, right: "UnknownInteger", kind: Any) -> Any:
        bits = max(_bits(self.low, self.high), _bits(right.low, right.high))
        positive = self.low >= 0 and right.low >= 0
        return self._arithmetic(
            right, kind, 0 if positive else -(1 << bits - 1), (1 << bits - 1) - 1
        )

    def __lshift__(self, other: Any) -> Any:
        right = self._amount(other)
        if right.high > WIDEST:
            raise Unsupported("the function shifts left by an unbounded amount")
        ends = [x << y for x in (self.low, self.high) for y in (right.low, right.high)]
        return self._arithmetic(right, Kind.BITVECTOR_SHL, min(ends), max(ends))

    def __rshift__(self, other: Any) -> Any:
        right = self._amount(other)
        far = min(right.high, WIDEST)
        ends = [x >> y for x in (self.low, self.high) for y in (right.low, far)]
        return self._arithmetic(right, Kind.BITVECTOR_ASHR, min(ends), max(ends))

    def _amount(self, other: Any) -> "UnknownInteger":
        """The amount of a shift; a negative one raises, as in Python."""
        right = self.lift(other)
        if right.low < 0:
            if right < 0:
                raise ValueError("negative shift count")
            right = UnknownInteger(self.run, right.term, 0, max(0, right.high))
        return right

    def __floordiv__(self, other: Any) -> Any:
        right = self._divisor(other)
        low, high = min(self.low, -self.high, -1), max(self.high, -self.low, 0)
        rest = self._remainder(right)
        bits = max(_bits(low, high), self.bits, right.bits) + 1
        terms = self.run.terms
        whole = terms.mkTerm(Kind.BITVECTOR_SUB, self.wide(bits), right.lift(rest).wide(bits))
        quotient = terms.mkTerm(Kind.BITVECTOR_SDIV, whole, right.wide(bits))
        if self.low >= 0 and right.low >= 0:
            low = 0
        return self._fit(quotient, low, high)

    def __mod__(self, other: Any) -> Any:
        return self._remainder(self._divisor(other))

    def _remainder(self, right: "UnknownInteger") -> Any:
        low, high = min(right.low + 1, 0), max(right.high - 1, 0)
        return self._arithmetic(right, Kind.BITVECTOR_SMOD, low, high)

    def _divisor(self, other: Any) -> "UnknownInteger":
        right = self.lift(other)
        if right.low != right.high and self.bits > 16:
            raise Unsupported("the function divides by an unknown integer")
        if right.low <= 0 <= right.high and right == 0:
            raise ZeroDivisionError("integer division or modulo by zero")
        return right

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __pow__(self, other: Any) -> Any:
        if not isinstance(other, int) or not 0 <= other <= 64:
            raise Unsupported("the function raises to an unknown power")
        return reduce(lambda product, _: product * self, range(other), 1)

    def __neg__(self) -> Any:
        return 0 - self

    def __pos__(self) -> Any:
        return self

    def __invert__(self) -> Any:
        return -1 - self

    def __abs__(self) -> Any:
        return merge(self < 0, -self, self)

    def __radd__(self, other: Any) -> Any:
        return self + other

    def __rsub__(self, other: Any) -> Any:
        return self.lift(other) - self

    def __rmul__(self, other: Any) -> Any:
        return self * other

    def __rand__(self, other: Any) -> Any:
        return self & other

    def __ror__(self, other: Any) -> Any:
        return self | other

    def __rxor__(self, other: Any) -> Any:
        return self ^ other

    def __rlshift__(self, other: Any) -> Any:
        return self.lift(other) << self

    def __rrshift__(self, other: Any) -> Any:
        return self.lift(other) >> self

    def __rfloordiv__(self, other: Any) -> Any:
        return self.lift(other) // self

    def __rmod__(self, other: Any) -> Any:
        return self.lift(other) % self

    def _compare(self, kind: Any, other: Any) -> Any:
        if not isinstance(other, (int, UnknownInteger)):
            return NotImplemented
        right = self.lift(other)
        bits = max(self.bits, right.bits)
        condition = self.run.terms.mkTerm(kind, self.wide(bits), right.wide(bits))
        return truth(self.run, condition)

    def __lt__(self, other: Any) -> Any:
        return self._compare(Kind.BITVECTOR_SLT, other)

    def __le__(self, other: Any) -> Any:
        return self._compare(Kind.BITVECTOR_SLE, other)

    def __gt__(self, other: Any) -> Any:
        return self._compare(Kind.BITVECTOR_SGT, other)

    def __ge__(self, other: Any) -> Any:
        return self._compare(Kind.BITVECTOR_SGE, other)

    def __eq__(self, other: Any) -> Any:
        return self._compare(Kind.EQUAL, other)

    def __ne__(self, other: Any) -> Any:
        return self._compare(Kind.DISTINCT, other)

    def __bool__(self) -> bool:
        return self.run.decide(self.holds())

    def holds(self) -> Term:
        """The condition that this is not zero."""
        if self.condition is not None:
            return self.condition
        zero = self.run.terms.mkBitVector(self.bits, 0)
        return self.run.terms.mkTerm(Kind.DISTINCT, self.term, zero)

    def __index__(self) -> int:
        raise Unsupported("the function uses an unknown integer as an index, a count or in C code")

    def bit_count(self) -> Any:
        """Set bits of the absolute value."""
        size, whole = abs(self), 0
        if isinstance(size, int):
            return size.bit_count()
        for k in range(_bits(size.low, size.high) - 1):
            whole = whole + (size >> k & 1)
        return whole

    def bit_length(self) -> Any:
        """Bits of the absolute value."""
        size, length = abs(self), 0
        if isinstance(size, int):
            return size.bit_length()
        for k in range(_bits(size.low, size.high) - 1):
            length = merge(size >> k & 1, k + 1, length)
        return length


def truth(run: SymbolicRun, condition: Term) -> Any:
    """A condition as Python's 0 or 1; a plain bool where it is decided."""
    condition = run.solver.solver.simplify(condition)
    if condition.isBooleanValue():
        return bool(condition.getBooleanValue())
    one, zero = run.terms.mkBitVector(2, 1), run.terms.mkBitVector(2, 0)
    return UnknownInteger(run, run.terms.mkTerm(Kind.ITE, condition, one, zero), 0, 1, condition)


def merge(condition: Any, yes: Any, no: Any) -> Any:
    """`yes` where the condition holds, else `no`; integers and equal structures of them merge."""
    if not isinstance(condition, UnknownInteger):
        return yes if condition else no
    if yes is no:
        return yes
    if isinstance(yes, (int, UnknownInteger)) and isinstance(no, (int, UnknownInteger)):
        left, right = condition.lift(yes), condition.lift(no)
        low, high = min(left.low, right.low), max(left.high, right.high)
        bits = _bits(low, high)
        term = condition.run.terms.mkTerm(
            Kind.ITE, condition.holds(), left.wide(bits), right.wide(bits)
        )
        if low == 0 and high == 1 and isinstance(yes, int) and isinstance(no, int):
            holds = (
                condition.holds()
                if yes
                else condition.run.terms.mkTerm(Kind.NOT, condition.holds())
            )
            return truth(condition.run, holds)
        return condition._fit(term, low, high, _merged_word(condition, left, right))
    return yes if condition else no


def _merged_word(condition: UnknownInteger, yes: UnknownInteger, no: UnknownInteger) -> Term:
    """`yes` or `no` as a word; where they differ by a constant, the condition times it is added.

    So `if x & 1: n += 1` becomes n + (x & 1), which is what programs compute.
    """
    solver = condition.run.solver
    step = solver.sub(yes.word, no.word)
    if not step.isBitVectorValue() or no.low == no.high:
        return solver.choose(condition.holds(), yes.word, no.word)
    if condition.low == 0 and condition.high == 1 and condition.condition is None:
        return solver.add(no.word, solver.mul(condition.word, step))
    return solver.add(no.word, solver.choose(condition.holds(), step, solver.word(0)))


def _choose(condition: Any, yes: Callable[[], Any], no: Callable[[], Any]) -> Any:
    """A conditional expression: both sides merged where both can be evaluated."""
    if not isinstance(condition, UnknownInteger):
        return yes() if condition else no()
    try:
        return merge(condition, yes(), no())
    except REFUSALS:
        return yes() if condition else no()


def _both(*parts: Callable[[], Any]) -> Any:
    """`and`, merged where the parts can be evaluated."""
    return _joined(parts, False)


def _either(*parts: Callable[[], Any]) -> Any:
    """`or`, merged where the parts can be evaluated."""
    return _joined(parts, True)


def _joined(parts: Sequence[Callable[[], Any]], ends: bool) -> Any:
    """The first part whose truth is `ends`, or the last part."""
    value = parts[0]()
    for part in parts[1:]:
        if isinstance(value, UnknownInteger):
            try:
                last = part()
                value = merge(value, *((value, last) if ends else (last, value)))
                continue
            except REFUSALS:
                pass
        if bool(value) is ends:
            return value
        value = part()
    return value


class _Digits:
    """What `bin` returns, as far as a specification needs it."""

    def __init__(self, number: UnknownInteger) -> None:
        self.number = number

    def count(self, digit: str) -> Any:
        """How often a digit occurs; only ones are known."""
        if digit != "1":
            raise Unsupported("the function uses the digits of an unknown integer")
        return self.number.bit_count()


def _extreme(pick: Callable[..., Any], less: bool) -> Callable[..., Any]:
    """`min` or `max` that merges instead of branching."""

    def extreme(*items: Any, **options: Any) -> Any:
        words = list(items[0]) if len(items) == 1 else list(items)
        if options or not any(isinstance(word, UnknownInteger) for word in words):
            return pick(words, **options)

        def better(best: Any, word: Any) -> Any:
            return merge(word < best if less else best < word, word, best)

        return reduce(better, words)

    return extreme


def _sorted(items: Any, **options: Any) -> list[Any]:
    """`sorted` as a network of exchanges."""
    words = list(items)
    if options or not any(isinstance(word, UnknownInteger) for word in words):
        return builtins.sorted(words, **options)
    ordered: list[Any] = []
    for word in words:
        for k, other in enumerate(ordered):
            swap = word < other
            ordered[k], word = merge(swap, word, other), merge(swap, other, word)
        ordered.append(word)
    return ordered


class Words(list[Any]):
    """An array whose `sort` merges, too."""

    def sort(self, **options: Any) -> None:
        """In order, in place."""
        self[:] = _sorted(self, **options)


def _integer(number: Any = 0, *more: Any) -> Any:
    return number if isinstance(number, UnknownInteger) else builtins.int(number, *more)


def _range(*bounds: Any) -> Any:
    """`range` whose bounds may be unknown: a branch in every round."""
    if not any(isinstance(bound, UnknownInteger) for bound in bounds):
        return builtins.range(*bounds)
    start, stop, step = (0, *bounds, 1)[-3:] if len(bounds) == 1 else (*bounds, 1)[:3]
    if not isinstance(step, int) or step == 0:
        raise Unsupported("the function counts by an unknown step")
    return _counted(start, stop, step)


def _counted(start: Any, stop: Any, step: int) -> Iterator[Any]:
    while start < stop if step > 0 else start > stop:
        yield start
        start = start + step


_BUILTINS = {
    "min": _extreme(min, True),
    "max": _extreme(max, False),
    "sorted": _sorted,
    "bin": lambda number: _Digits(number) if isinstance(number, UnknownInteger) else bin(number),
    "int": _integer,
    "range": _range,
}
_HELPERS = {"_choose": _choose, "_both": _both, "_either": _either, "_merge": merge}


class _Merging(ast.NodeTransformer):
    """Rewrites branches that only assign into merges."""

    def __init__(self) -> None:
        self.fresh = 0

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        return _call("_choose", node.test, _thunk(node.body), _thunk(node.orelse))

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        name = "_both" if isinstance(node.op, ast.And) else "_either"
        return _call(name, *map(_thunk, node.values))

    def visit_If(self, node: ast.If) -> Any:
        self.generic_visit(node)
        targets = _assigned([*node.body, *node.orelse])
        if targets is None:
            return node
        self.fresh += 1
        test = f"_test{self.fresh}"
        lines: list[ast.stmt] = [_assign(test, node.test)]
        sides = []
        for side, body in enumerate((node.body, node.orelse)):
            inner = [ast.fix_missing_locations(each) for each in body] or [ast.Pass()]
            names = [f"_side{self.fresh}_{side}_{k}" for k in range(len(targets))]
            lines += [_assign(f"_old{self.fresh}_{k}", ast.Name(t, ast.Load()))
                      for k, t in enumerate(targets)]  # fmt: skip
            lines += inner
            lines += [
                _assign(n, ast.Name(t, ast.Load())) for n, t in zip(names, targets, strict=True)
            ]
            lines += [_assign(t, ast.Name(f"_old{self.fresh}_{k}", ast.Load()))
                      for k, t in enumerate(targets)]  # fmt: skip
            sides.append(names)
        for k, target in enumerate(targets):
            parts = [ast.Name(x, ast.Load()) for x in (test, sides[0][k], sides[1][k])]
            lines.append(_assign(target, _call("_merge", *parts)))
        return lines


#: Calls that raise nothing on integers, and operators that do not either.
_SAFE_CALLS = {"min", "max", "abs", "int", "_choose", "_both", "_either", "_merge"}
_SAFE = (ast.Add, ast.Sub, ast.Mult, ast.BitAnd, ast.BitOr, ast.BitXor)


def _total(node: ast.AST) -> bool:
    """Whether evaluating this raises on no integers, so that it may be done on both sides."""
    for part in ast.walk(node):
        if isinstance(part, ast.Call):
            if not isinstance(part.func, ast.Name) or part.func.id not in _SAFE_CALLS:
                return False
        elif isinstance(part, (ast.Subscript, ast.Attribute, ast.Starred, ast.NamedExpr)):
            return False
        elif isinstance(part, (ast.BinOp, ast.AugAssign)) and not isinstance(part.op, _SAFE):
            right = part.right if isinstance(part, ast.BinOp) else part.value
            if not (isinstance(right, ast.Constant) and isinstance(right.value, int)
                    and right.value > 0):  # fmt: skip
                return False
    return True


def _assigned(body: Sequence[ast.stmt]) -> list[str] | None:
    """The names that statements assign, or None if they do anything else or could raise."""
    names: list[str] = []
    for statement in body:
        if isinstance(statement, ast.Pass):
            continue
        if isinstance(statement, ast.AugAssign):
            targets: list[ast.expr] = [statement.target]
        elif isinstance(statement, ast.Assign):
            targets = statement.targets
        else:
            return None
        for target in targets:
            parts = target.elts if isinstance(target, ast.Tuple) else [target]
            if not all(isinstance(part, ast.Name) for part in parts):
                return None
            names += [part.id for part in parts if isinstance(part, ast.Name)]
        if not _total(statement):
            return None
    return list(dict.fromkeys(names)) or None


def _assign(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value, lineno=1)


def _call(name: str, *parts: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(parts), [])


def _thunk(value: ast.expr) -> ast.Lambda:
    return ast.Lambda(ast.arguments([], [], None, [], [], None, []), value)


def merging(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with merging branches and built-ins; without source only the latter."""
    scope = {**_BUILTINS, **getattr(function, "__globals__", {}), **_HELPERS}
    for name, value in _BUILTINS.items():
        if name not in getattr(function, "__globals__", {}):
            scope[name] = value
    closure = inspect.getclosurevars(function).nonlocals if inspect.isfunction(function) else {}
    scope.update(closure)
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        tree = ast.Module([], [])
    if len(tree.body) == 1 and isinstance(tree.body[0], ast.FunctionDef):
        definition = tree.body[0]
        definition.decorator_list = []
        _annotations_removed(definition)
        changed = ast.fix_missing_locations(_Merging().visit(tree))
        exec(compile(changed, "<specification>", "exec"), scope)  # noqa: S102
        rewritten: Callable[..., Any] = scope[definition.name]
        return rewritten
    if inspect.isfunction(function) and not function.__closure__:
        return type(function)(function.__code__, scope, function.__name__, function.__defaults__)
    return function


def _annotations_removed(definition: ast.FunctionDef) -> None:
    definition.returns = None
    for argument in definition.args.args:
        argument.annotation = None


def translate(
    solver: Any, function: Callable[..., Any], arguments: Sequence[Any], signed: bool,
    read: Callable[[Any, Sequence[Any]], tuple[tuple[Any, ...], tuple[Any, ...] | None]],
) -> FunctionTerms:  # fmt: skip
    """Every path through a function, merged.

    `arguments` are words as terms, or lists of them. `read` turns what the function returned, and
    the arguments after the call, into registers and the array (None: unchanged). Raises
    `Unsupported` with the reason where the function cannot be translated.
    """
    try:
        return _explored(solver, merging(function), arguments, signed, read)
    except (NameError, UnboundLocalError):
        return _explored(solver, function, arguments, signed, read)


def _explored(
    solver: Any, function: Callable[..., Any], arguments: Sequence[Any], signed: bool,
    read: Callable[[Any, Sequence[Any]], tuple[tuple[Any, ...], tuple[Any, ...] | None]],
) -> FunctionTerms:  # fmt: skip
    waiting: list[tuple[bool, ...]] = [()]
    paths: list[tuple[Term, tuple[Term, ...], tuple[Term, ...] | None]] = []
    count, until = 0, time.thread_time() + PATIENCE
    while waiting:
        count += 1
        if count > PATHS:
            raise Unsupported(f"the function has more than {PATHS} paths")
        run = SymbolicRun(solver, waiting.pop(), until)
        words = [_argument(run, argument, signed) for argument in arguments]
        try:
            registers, array = read(function(*words), words)
        except REFUSALS:
            waiting += run.open
            continue
        except (TypeError, AttributeError) as problem:
            raise Unsupported(
                f"the function cannot be run on unknown integers: {problem}"
            ) from None
        waiting += run.open
        condition = _all(solver, run.assumed)
        words_of = tuple(_word(solver, run, each) for each in registers)
        cells = None if array is None else tuple(_word(solver, run, each) for each in array)
        paths.append((condition, words_of, cells))
    if not paths:
        raise Unsupported("the function returns on no input")
    return _merged(solver, paths)


def _argument(run: SymbolicRun, argument: Any, signed: bool) -> Any:
    if isinstance(argument, (list, tuple)):
        return Words(_argument(run, each, signed) for each in argument)
    width = argument.getSort().getBitVectorSize()
    if signed:
        return UnknownInteger(run, argument, -(1 << width - 1), (1 << width - 1) - 1)
    wide = run.terms.mkTerm(run.terms.mkOp(Kind.BITVECTOR_ZERO_EXTEND, 1), argument)
    return UnknownInteger(run, wide, 0, (1 << width) - 1)


def _word(solver: Any, run: SymbolicRun, value: Any) -> Term:
    if isinstance(value, UnknownInteger):
        return value.word
    if isinstance(value, int):
        return solver.word(int(value))
    raise Unsupported(f"the function returns {type(value).__name__}, not integers")


def _all(solver: Any, conditions: Sequence[Term]) -> Term:
    if not conditions:
        return solver.terms.mkTrue()
    return conditions[0] if len(conditions) == 1 else solver.terms.mkTerm(Kind.AND, *conditions)


def _merged(
    solver: Any, paths: Sequence[tuple[Term, tuple[Term, ...], tuple[Term, ...] | None]]
) -> FunctionTerms:
    conditions = [path[0] for path in paths]
    domain = conditions[0]
    if len(conditions) > 1:
        domain = solver.make(Kind.OR, *conditions)
    _, registers, array = paths[-1]
    for condition, words, cells in paths[:-1]:
        if len(words) != len(registers) or (cells is None) != (array is None):
            raise Unsupported("the function does not always return the same number of words")
        registers = tuple(
            solver.choose(condition, new, old) for new, old in zip(words, registers, strict=True)
        )
        if cells is not None and array is not None:
            array = tuple(
                solver.choose(condition, new, old) for new, old in zip(cells, array, strict=True)
            )
    return FunctionTerms(domain, registers, array, tuple(paths))
