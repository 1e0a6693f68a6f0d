"""What a plan means, on Python's exact numbers: the definition the compiled program is held to.

Training data, checks of a model's plans and tests use it. The answer a user sees is computed by the
program on the weights, never here.
"""

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from transputer.frontends.words.language import (
    Append,
    Assign,
    Check,
    For,
    IfElse,
    Return,
    Statement,
    StoreItem,
    While,
    Yield,
    library,
)
from transputer.frontends.words.plan import (
    Apply,
    Comprehension,
    Literal,
    Name,
    Node,
    Plan,
    PlanConstant,
    PlanFunction,
    Slot,
    Variable,
)

Value = Fraction | bool | list[Fraction]
_Local = dict[str, Any]
#: Bits of a number, at most.
BITS = 1_000_000


class Undefined(Exception):
    """The plan has no value: a division by zero, a factorial of -1, an empty list's maximum."""


class TooLong(Undefined):
    """The plan may have a value, but computing it would take too long here."""


def evaluate(plan: Plan, numbers: Sequence[Fraction], limit: int = 100_000) -> Value:
    """The plan's value over these numbers; `Undefined` says why there is none.

    `limit` bounds the rounds of all loops together; `BITS` those of a number.
    """
    run = _Run(plan, numbers, limit)
    value: Value = False
    for node in (*plan.lets, plan.result):
        try:
            value = run.value(node, {})
        except (ZeroDivisionError, OverflowError, ValueError, RecursionError) as problem:
            raise Undefined(str(problem)) from None
        run.names.append(value)
    return list(value) if isinstance(value, Iterable) else value


class _Returned(Exception):
    """Ends a function with a value."""

    def __init__(self, value: Any) -> None:
        self.value = value


class _Run:
    """One evaluation: the plan's numbers and functions, and how much it may still do."""

    def __init__(self, plan: Plan, numbers: Sequence[Fraction], limit: int) -> None:
        self.numbers = numbers
        self.names: list[Any] = []
        self.limit = self.left = limit
        self.functions: Mapping[str, PlanFunction] = library()
        if plan.functions:
            own = {function.operation.token: function for function in plan.functions}
            self.functions = {**self.functions, **own}

    def value(self, node: Node, local: _Local) -> Any:
        """Post-order without recursion. IF, AND and OR evaluate only what they need."""
        values: list[Any] = []
        stack: list[Node | Callable[[], Node | None]] = [node]
        while stack:
            top = stack.pop()
            if isinstance(top, Slot):
                values.append(Fraction(self.numbers[top.index]))
            elif isinstance(top, PlanConstant | Literal):
                values.append(Fraction(top.value))
            elif isinstance(top, Name):
                values.append(self.names[top.index])
            elif isinstance(top, Variable):
                values.append(local[top.name])
            elif isinstance(top, Comprehension):
                values.append(self._comprehended(top, local))
            elif isinstance(top, Apply):
                stack.append(self._step(top, values))
                count = 1 if top.token in ("IF", "AND", "OR") else len(top.arguments)
                stack.extend(reversed(top.arguments[:count]))
            elif (chosen := top()) is not None:
                stack.append(chosen)
        return values.pop()

    def _step(self, node: Apply, values: list[Any]) -> Callable[[], Node | None]:
        """What is left to do for an operation once its arguments have values."""

        def branch() -> Node | None:
            test = values.pop()
            if node.token == "IF":
                return node.arguments[1 if test else 2]
            if test is (node.token == "OR"):
                values.append(test)
                return None
            return node.arguments[1]

        def operate() -> None:
            count = len(node.arguments)
            arguments = values[len(values) - count :]
            del values[len(values) - count :]
            values.append(self._applied(node, arguments))

        return branch if node.token in ("IF", "AND", "OR") else operate

    def _applied(self, node: Apply, arguments: list[Any]) -> Any:
        token = node.token
        if token == "RANGE":
            return self._range(arguments)
        if token == "LIST":
            return arguments
        if token in PRIMITIVE:
            value = PRIMITIVE[token](*arguments)
            if isinstance(value, Fraction) and value.numerator.bit_length() > BITS:
                raise TooLong(f"more than {BITS} bits")
            return value
        return self._called(self.functions[token], arguments)

    def _called(self, function: PlanFunction, arguments: list[Any]) -> Any:
        local = {p.name: a for p, a in zip(function.parameters, arguments, strict=True)}
        for name in function.integers:
            _integer(local[name])
        self._spend()
        if function.generator:
            return _Members(lambda: self._run(function.body, dict(local)))
        try:
            for _ in self._run(function.body, local):
                raise AssertionError("only generators yield")
        except _Returned as returned:
            return returned.value
        raise AssertionError("a function ends with return")

    def _run(self, body: Sequence[Statement], local: _Local) -> Iterator[Any]:
        """Execute statements; yields what they yield."""
        for one in body:
            match one:
                case Assign(variable, value):
                    assigned = self.value(value, local)
                    local[variable.name] = (
                        list(assigned) if isinstance(assigned, _Members) else assigned
                    )
                case StoreItem(variable, index, value):
                    place = _integer(self.value(index, local), 0)
                    members = local[variable.name]
                    if place >= len(members):
                        raise Undefined("the list has no such member")
                    members[place] = self.value(value, local)
                case Append(variable, value):
                    local[variable.name].append(self.value(value, local))
                case Check(test, message):
                    if not self.value(test, local):
                        raise Undefined(message)
                case IfElse(test, then, other):
                    yield from self._run(then if self.value(test, local) else other, local)
                case While(test, inner):
                    while self.value(test, local):
                        self._spend()
                        yield from self._run(inner, local)
                case For(variable, items, inner):
                    for member in self.value(items, local):
                        local[variable.name] = member
                        self._spend()
                        yield from self._run(inner, local)
                case Return(value):
                    returned = self.value(value, local)
                    raise _Returned(list(returned) if isinstance(returned, _Members) else returned)
                case Yield(value):
                    yield self.value(value, local)

    def _comprehended(self, node: Comprehension, local: _Local) -> Any:
        def members() -> Iterator[Any]:
            inner = dict(local)
            for member in self.value(node.items, local):
                inner[node.name] = member
                self._spend()
                if node.test is None or self.value(node.test, inner):
                    yield self.value(node.value, inner)

        return _Members(members)

    def _range(self, arguments: list[Any]) -> Any:
        a, b, s = (_integer(value) for value in arguments)
        if s == 0:
            raise Undefined("a range with step 0")
        members = range(a, b + 1, abs(s)) if a <= b else range(a, b - 1, -abs(s))
        return _Members(lambda: map(Fraction, members))

    def _spend(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise TooLong(f"more than {self.limit:,} rounds")


class _Members:
    """A list that is made one member at a time, as often as it is gone through."""

    def __init__(self, start: Callable[[], Iterator[Any]]) -> None:
        self.start = start

    def __iter__(self) -> Iterator[Any]:
        return self.start()

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __getitem__(self, index: int) -> Any:
        return list(self)[index]


def _integer(value: Any, least: int | None = None) -> int:
    if value != value // 1 or least is not None and value < least:
        raise Undefined(f"{value} is not {'an' if least is None else 'a suitable'} integer")
    return int(value)


def _power(base: Any, exponent: Any) -> Any:
    count = _integer(exponent)
    if abs(count) > 10_000:
        raise TooLong(f"an exponent of {count}")
    return base**count


def _member(members: Any, index: Any) -> Any:
    place = _integer(index, 0)
    if place >= len(members):
        raise Undefined("the list has no such member")
    return members[place]


#: A number below the second that is a strong probable prime to all of the first is prime
#: (Sorenson and Webster).
_BASES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)
_DECIDED = 3_317_044_064_679_887_385_961_981


def is_prime(value: Any) -> bool:
    """Whether a number is an integer and prime; `TooLong` above a bound."""
    if value != value // 1 or value < 2:
        return False
    n = int(value)
    if n >= _DECIDED:
        raise TooLong(f"whether {n} is prime")
    for base in _BASES:
        if n % base == 0:
            return n == base
    twos = (n - 1 & 1 - n).bit_length() - 1
    return all(_probable(n, base, twos) for base in _BASES)


def _probable(n: int, base: int, twos: int) -> bool:
    """Whether n, where 2**twos divides n - 1, is a strong probable prime to a base."""
    power = pow(base, n - 1 >> twos, n)
    return power in (1, n - 1) or any(
        (power := power * power % n) == n - 1 for _ in range(twos - 1)
    )


PRIMITIVE: dict[str, Callable[..., Any]] = {
    "ADD": operator.add,
    "SUB": operator.sub,
    "MUL": operator.mul,
    "DIV": operator.truediv,
    "IDIV": lambda a, b: Fraction(a // b),
    "MOD": lambda a, b: a - b * (a // b),
    "POW": _power,
    "NEG": operator.neg,
    "GCD": lambda a, b: Fraction(math.gcd(_integer(a), _integer(b))),
    "NUMERATOR": lambda a: Fraction(a.numerator),
    "DENOMINATOR": lambda a: Fraction(a.denominator),
    "LT": operator.lt,
    "LE": operator.le,
    "GT": operator.gt,
    "GE": operator.ge,
    "EQ": operator.eq,
    "NE": operator.ne,
    "NOT": operator.not_,
    "PRIME": is_prime,
    "EMPTY": list,
    "LEN": lambda members: Fraction(len(members)),
    "AT": _member,
}
