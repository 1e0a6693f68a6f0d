"""Tasks from SyGuS files: bit-vector functions to synthesise, with constraints.

A constraint `(= (f x y) term)` for declared variables is a specification; constraints on constants
are examples. Other constraints are solved for the value of the function on each example; there must
be exactly one. The grammar of the file is not used: programs are made of the machine's
instructions, and its constants are taken as hints.
"""

import random
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from transputer.errors import Unsupported, UsageError
from transputer.isa.integers import mask, signed
from transputer.learning.custom import custom_task, from_examples
from transputer.learning.specification import Expected, Given, OutsideDomain
from transputer.learning.sygus_text import Sexp, SygusProblem, literal, read_problem, written
from transputer.learning.tasks import Task
from transputer.machines.soft.config import WIDTHS


class Evaluation:
    """Terms on integers: a word is (value, width), a condition is a bool."""

    def __init__(self, problem: SygusProblem) -> None:
        self.problem = problem

    def evaluate(self, sexp: Sexp, scope: Mapping[str, Any]) -> Any:
        """The value of a term."""
        number = literal(sexp)
        if number is not None:
            return number
        if isinstance(sexp, str):
            if sexp in scope:
                return scope[sexp]
            if sexp in ("true", "false"):
                return sexp == "true"
            if sexp in self.problem.functions:
                return self.evaluate(self.problem.functions[sexp][1], {})
            raise UsageError(f"{self.problem.path}: {sexp} is not defined")
        head, *parts = sexp
        if head == "let":
            return self.evaluate(
                parts[1], {**scope, **{name: self.evaluate(term, scope) for name, term in parts[0]}}
            )
        if head == "ite":
            return self.evaluate(parts[1] if self.evaluate(parts[0], scope) else parts[2], scope)
        values = [self.evaluate(part, scope) for part in parts]
        if isinstance(head, str) and callable(scope.get(head)):
            return scope[head](*values)
        if isinstance(head, str) and head in self.problem.functions:
            names, body = self.problem.functions[head]
            inner = {k: v for k, v in scope.items() if callable(v)}
            return self.evaluate(body, {**inner, **dict(zip(names, values, strict=True))})
        return self.apply(head, values)

    def apply(self, head: Sexp, values: Sequence[Any]) -> Any:
        """An operator on values."""
        name, *numbers = head[1:] if isinstance(head, list) else [head]
        if name in _LOGIC:
            return _LOGIC[name](*values)
        if name == "=":
            return values[0] == values[1]
        if name == "distinct":
            return values[0] != values[1]
        if name == "concat":
            (a, n), (b, m) = values
            return a << m | b, n + m
        if name == "extract":
            high, low = map(int, numbers)
            return values[0][0] >> low & mask(high - low + 1), high - low + 1
        if name in ("zero_extend", "sign_extend"):
            value, width = values[0]
            wide = width + int(numbers[0])
            return (signed(width, value) if name[0] == "s" else value) & mask(wide), wide
        words, width = [value for value, _ in values], values[0][1]
        if name in _COMPARISONS:
            return _COMPARISONS[name](width, *words)
        if name not in _WORDS:
            raise UsageError(f"{self.problem.path}: {name} is not supported")
        result = words[0]
        if len(words) == 1:
            result = _WORDS[name](width, result)
        for word in words[1:]:
            result = _WORDS[name](width, result, word) & mask(width)
        return result & mask(width), width


def _shift(width: int, a: int, b: int, left: bool) -> int:
    return 0 if b >= width else a << b if left else a >> b


def _divide(width: int, a: int, b: int) -> int:
    return a // b if b else mask(width)


def _signed_divide(width: int, a: int, b: int) -> int:
    x, y = signed(width, a), signed(width, b)
    if not y:
        return 1 if x < 0 else mask(width)
    whole = abs(x) // abs(y)
    return whole if (x < 0) == (y < 0) else -whole


def _signed_rest(width: int, a: int, b: int) -> int:
    x, y = signed(width, a), signed(width, b)
    return x if not y else x - y * signed(width, _signed_divide(width, a, b) & mask(width))


_LOGIC: dict[str, Any] = {
    "not": lambda a: not a,
    "and": lambda *a: all(a),
    "or": lambda *a: any(a),
    "xor": lambda a, b: a != b,
    "=>": lambda a, b: not a or b,
}
_COMPARISONS: dict[str, Any] = {
    "bvult": lambda n, a, b: a < b,
    "bvule": lambda n, a, b: a <= b,
    "bvugt": lambda n, a, b: a > b,
    "bvuge": lambda n, a, b: a >= b,
    "bvslt": lambda n, a, b: signed(n, a) < signed(n, b),
    "bvsle": lambda n, a, b: signed(n, a) <= signed(n, b),
    "bvsgt": lambda n, a, b: signed(n, a) > signed(n, b),
    "bvsge": lambda n, a, b: signed(n, a) >= signed(n, b),
}
_WORDS: dict[str, Any] = {
    "bvadd": lambda n, a, b: a + b,
    "bvsub": lambda n, a, b: a - b,
    "bvmul": lambda n, a, b: a * b,
    "bvand": lambda n, a, b: a & b,
    "bvor": lambda n, a, b: a | b,
    "bvxor": lambda n, a, b: a ^ b,
    "bvxnor": lambda n, a, b: ~(a ^ b),
    "bvnand": lambda n, a, b: ~(a & b),
    "bvnor": lambda n, a, b: ~(a | b),
    "bvnot": lambda n, a: ~a,
    "bvneg": lambda n, a: -a,
    "bvshl": lambda n, a, b: _shift(n, a, b, True),
    "bvlshr": lambda n, a, b: _shift(n, a, b, False),
    "bvashr": lambda n, a, b: signed(n, a) >> min(b, n),
    "bvudiv": _divide,
    "bvurem": lambda n, a, b: a % b if b else a,
    "bvsdiv": _signed_divide,
    "bvsrem": _signed_rest,
}


class SygusSpecification:
    """A SyGuS problem as the specification of a program."""

    def __init__(self, problem: SygusProblem) -> None:
        self.problem, self.evaluation = problem, Evaluation(problem)
        self.definition = _definition(problem)

    def answer(self, width: int, given: Given) -> Expected:
        """The value that the constraints give the function."""
        if width != self.problem.width:
            raise Unsupported(f"the problem is about words of {self.problem.width} bits")
        if self.definition is None:
            return Expected((self._solved(given),))
        names, body = self.definition
        scope = {name: (word, width) for name, word in zip(names, given.registers, strict=True)}
        value = self.evaluation.evaluate(body, scope)
        return Expected((int(value) if isinstance(value, bool) else value[0],))

    def _solved(self, given: Given) -> int:
        """The only value that meets the constraints on an input, by a solver."""
        from transputer.learning.proof import Solver

        solver = Solver(self.problem.width)
        words = [solver.word(word) for word in given.registers]
        unknown = solver.symbol("f")
        condition = self._conditions(solver, words, unknown)
        if not solver.possible(condition):
            raise OutsideDomain("no value meets the constraints")
        value = solver.value(unknown)
        if solver.possible(condition, solver.not_(solver.equal(unknown, solver.word(value)))):
            raise UsageError(
                f"{self.problem.path}: the constraints allow several values of "
                f"{self.problem.name}; only functions with one value on each input can be learned"
            )
        return value

    def _conditions(self, solver: Any, words: Sequence[Any], result: Any) -> Any:
        from transputer.learning.sygus_terms import SygusTerms

        scope: dict[str, Any] = dict(zip(self.problem.variables, words, strict=True))

        def function(*arguments: Any) -> Any:
            if any(str(a) != str(w) for a, w in zip(arguments, words, strict=True)):
                raise Unsupported(
                    "a constraint applies the function to something else than variables"
                )
            return result

        scope[self.problem.name] = function
        terms = SygusTerms(self.problem, solver)
        return terms.every(terms.evaluate(c, scope) for c in self.problem.constraints)

    def terms(self, solver: Any, words: Sequence[Any], array: Sequence[Any]) -> Any:
        """The specification on unknown words."""
        from transputer.learning.sygus_terms import SygusTerms
        from transputer.learning.symbolic import FunctionTerms

        if solver.width != self.problem.width:
            raise Unsupported(f"the problem is about words of {self.problem.width} bits")
        if self.definition is None:
            unknown = solver.symbol("f")
            # The value is a function of the inputs: the only one that meets the constraints.
            condition = self._conditions(solver, words, unknown)
            return FunctionTerms(condition, (unknown,), None)
        names, body = self.definition
        terms = SygusTerms(self.problem, solver)
        value = terms.evaluate(body, dict(zip(names, words, strict=True)))
        return FunctionTerms(solver.terms.mkTrue(), (terms.as_word(value),), None)


def _definition(problem: SygusProblem) -> tuple[list[str], Sexp] | None:
    """The function's variables and its value, if the only constraint gives it."""
    if len(problem.constraints) != 1:
        return None
    (constraint,) = problem.constraints
    if not isinstance(constraint, list) or constraint[0] != "=" or len(constraint) != 3:
        return None
    for call, body in (constraint[1:], constraint[:0:-1]):
        if not isinstance(call, list) or call[0] != problem.name:
            continue
        variables = call[1:]
        plain = all(isinstance(x, str) and x in problem.variables for x in variables)
        words = written(body).replace("(", " ").replace(")", " ").split()
        if plain and len(set(variables)) == len(variables) and problem.name not in words:
            return list(variables), body
    return None


def _examples(problem: SygusProblem) -> list[tuple[list[int], int]] | None:
    """Examples, if all constraints are `(= (f constants…) constant)`."""
    pairs = []
    for constraint in problem.constraints:
        if not isinstance(constraint, list) or len(constraint) != 3 or constraint[0] != "=":
            return None
        call, value = constraint[1:]
        if literal(call) is not None:
            call, value = value, call
        if not isinstance(call, list) or call[0] != problem.name or literal(value) is None:
            return None
        words = [literal(word) for word in call[1:]]
        if any(word is None for word in words):
            return None
        pairs.append(([word[0] for word in words if word], literal(value)[0]))  # type: ignore[index]
    return pairs


def from_sygus(path: Path, width: int | None = None, **more: Any) -> Task:
    """The task of a SyGuS file; its words have the width that the file says."""
    problem = read_problem(path)
    widths = {*problem.widths, *([problem.width] if problem.width else [])}
    boolean = problem.width == 0
    widths.discard(0)
    if len(widths) != 1 or not widths <= set(WIDTHS):
        raise UsageError(f"{path}: words of {', '.join(map(str, sorted(widths)))} bits; "
                         f"they must all have {', '.join(map(str, WIDTHS[:-1]))} "
                         f"or {WIDTHS[-1]}")  # fmt: skip
    (bits,) = widths
    problem.width = bits
    if 0 in problem.widths:
        raise UsageError(f"{path}: arguments must be bit vectors")
    pairs = _examples(problem) if not boolean else None
    if pairs is not None:
        return from_examples(pairs, path.stem, width=bits, harvest=problem.constants[:8], **more)
    spec = SygusSpecification(problem)
    arity = len(problem.parameters)

    def draw(rng: random.Random, width: int) -> Given:
        words: list[int] = []
        for _ in range(arity):
            kind = rng.random()
            number = rng.getrandbits(width)
            if kind < 0.25 and words:
                number = rng.choice(words) + rng.choice((0, 0, 1, -1))
            elif kind < 0.45:
                number = rng.randint(-20, 20)
            elif kind < 0.65:
                number = (1 << rng.randrange(width)) + rng.choice((-1, 0, 1))
            elif kind < 0.8:
                number >>= rng.randrange(width)
            words.append(number & mask(width))
        return Given(tuple(words))

    def edges(width: int) -> list[Given]:
        top = 1 << (width - 1)
        words = (0, 1, 2, 3, mask(width), mask(width) - 1, top - 1, top, top + 1, 100)
        every = list(product(words, repeat=arity))
        return [Given(w) for w in random.Random(0).sample(every, min(len(every), 300))]

    return custom_task(
        path.stem, spec, arity, draw, edges, width=bits, is_signed=False, narrows=bits == 8,
        harvest=problem.constants[:8], doc=f"{problem.name} of {path.name}", **more,
    )  # fmt: skip
