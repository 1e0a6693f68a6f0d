"""What a plan means, on Python's exact numbers: the definition the compiled program is held to.

Training data and tests use it. The answer a user sees is computed by the program, never here.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from transputer.frontends.words.plan import Apply, Name, Node, Plan, PlanConstant, Slot

Value = Fraction | float | bool


class Undefined(Exception):
    """The plan has no value: a division by zero, a factorial of -1, an empty list's maximum."""


class TooLong(Undefined):
    """The plan may have a value, but computing it would take too long here."""


def evaluate(plan: Plan, numbers: Sequence[Fraction], limit: int = 1_000_000) -> Value:
    """The plan's value over these numbers; `Undefined` says why there is none.

    `limit` bounds the members of a range and the bits of a number.
    """
    names: list[Any] = []
    for node in (*plan.lets, plan.result):
        try:
            names.append(_value(node, numbers, names, limit))
        except (ZeroDivisionError, OverflowError, ValueError) as problem:
            raise Undefined(str(problem)) from None
    value: Value = names[-1]
    return value


def _value(node: Node, numbers: Sequence[Fraction], names: list[Any], limit: int) -> Any:
    """Post-order without recursion. IF evaluates the branch that it takes and no other."""
    values: list[Any] = []
    stack: list[Node | Callable[[], Node | None]] = [node]
    while stack:
        top = stack.pop()
        if isinstance(top, Slot):
            values.append(Fraction(numbers[top.index]))
        elif isinstance(top, PlanConstant):
            values.append(Fraction(top.value))
        elif isinstance(top, Name):
            values.append(names[top.index])
        elif isinstance(top, Apply):
            stack.append(_step(top, values, limit))
            count = 1 if top.token == "IF" else len(top.arguments)
            stack.extend(reversed(top.arguments[:count]))
        elif (chosen := top()) is not None:
            stack.append(chosen)
    return values.pop()


def _step(node: Apply, values: list[Any], limit: int) -> Callable[[], Node | None]:
    """What is left to do for an operation once its arguments have values."""

    def branch() -> Node:
        return node.arguments[1 if values.pop() else 2]

    def operate() -> None:
        count = len(node.arguments)
        arguments = values[-count:]
        del values[-count:]
        if node.token == "RANGE":
            values.append(_range(arguments, limit))
        elif node.operation.variadic:
            values.append(arguments)
        else:
            values.append(_bounded(MEANING[node.token](*arguments), limit))

    return branch if node.token == "IF" else operate


def _bounded(value: Any, limit: int) -> Any:
    if isinstance(value, Fraction) and value.numerator.bit_length() > limit:
        raise TooLong(f"more than {limit} bits")
    return value


def _integer(value: Any, least: int | None = None) -> int:
    if value != value // 1 or least is not None and value < least:
        raise Undefined(f"{value} is not {'an' if least is None else 'a suitable'} integer")
    return int(value)


def _range(arguments: list[Any], limit: int) -> list[Any]:
    a, b, s = (_integer(value) for value in arguments)
    if s == 0:
        raise Undefined("a range with step 0")
    members = range(a, b + 1, abs(s)) if a <= b else range(a, b - 1, -abs(s))
    if len(members) > limit:
        raise TooLong(f"a range of {len(members)} members")
    return [Fraction(member) for member in members]


def _power(base: Any, exponent: Any) -> Any:
    count = _integer(exponent)
    if abs(count) > 4096:
        raise TooLong(f"an exponent of {count}")
    return base**count


def _factorial(value: Any) -> Fraction:
    if value > 1000:
        raise TooLong(f"factorial of {value}")
    return Fraction(math.factorial(_integer(value, 0)))


def _fibonacci(value: Any) -> Fraction:
    if value > 10_000:
        raise TooLong(f"Fibonacci number {value}")
    a, b = 0, 1
    for _ in range(_integer(value, 0)):
        a, b = b, a + b
    return Fraction(a)


def _round(value: Any) -> Any:
    away = abs(value) + Fraction(1, 2) if isinstance(value, Fraction) else abs(value) + 0.5
    return Fraction(math.copysign(1, value)) * math.floor(away)


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


def _some(members: list[Any]) -> list[Any]:
    if not members:
        raise Undefined("an empty list")
    return members


def _product(members: list[Any]) -> Any:
    total: Any = Fraction(1)
    for member in members:
        total *= member
    return total


def _median(members: list[Any]) -> Any:
    order = sorted(_some(members))
    middle = len(order) // 2
    return order[middle] if len(order) % 2 else (order[middle - 1] + order[middle]) / 2


def _kept(test: Callable[[Any], bool]) -> Callable[[list[Any]], list[Any]]:
    return lambda members: [member for member in members if test(member)]


def _divides(divisor: Any, members: list[Any]) -> Iterator[Any]:
    return (member for member in members if member % divisor == 0)


MEANING: dict[str, Callable[..., Any]] = {
    "ADD": lambda a, b: a + b,
    "SUB": lambda a, b: a - b,
    "MUL": lambda a, b: a * b,
    "DIV": lambda a, b: a / b,
    "IDIV": lambda a, b: Fraction(a // b),
    "MOD": lambda a, b: a - b * (a // b),
    "POW": _power,
    "PCT": lambda a, b: a * b / 100,
    "GCD": lambda a, b: Fraction(math.gcd(_integer(a), _integer(b))),
    "LCM": lambda a, b: Fraction(math.lcm(_integer(a), _integer(b))),
    "NEG": lambda a: -a,
    "ABS": abs,
    "FLOOR": lambda a: Fraction(math.floor(a)),
    "CEIL": lambda a: Fraction(math.ceil(a)),
    "ROUND": _round,
    "SQRT": lambda a: math.sqrt(float(a)),
    "FACT": _factorial,
    "FIB": _fibonacci,
    "SUM": lambda members: sum(members, Fraction(0)),
    "PROD": _product,
    "COUNT": lambda members: Fraction(len(members)),
    "MIN": lambda members: min(_some(members)),
    "MAX": lambda members: max(_some(members)),
    "MEAN": lambda members: sum(_some(members), Fraction(0)) / len(members),
    "MEDIAN": _median,
    "FIRST": lambda members: _some(members)[0],
    "LAST": lambda members: _some(members)[-1],
    "NUMBER": lambda holds: Fraction(holds),
    "LT": lambda a, b: a < b,
    "LE": lambda a, b: a <= b,
    "GT": lambda a, b: a > b,
    "GE": lambda a, b: a >= b,
    "EQ": lambda a, b: a == b,
    "NE": lambda a, b: a != b,
    "AND": lambda a, b: a and b,
    "OR": lambda a, b: a or b,
    "NOT": lambda a: not a,
    "PRIME": is_prime,
    "EVENS": _kept(lambda member: member % 2 == 0),
    "ODDS": _kept(lambda member: member % 2 == 1),
    "PRIMES": _kept(is_prime),
    "MULTIPLES": lambda divisor, members: list(_divides(divisor, members)),
    "ABOVE": lambda least, members: [member for member in members if member > least],
    "BELOW": lambda most, members: [member for member in members if member < most],
    "SQUARES": lambda members: [member**2 for member in members],
    "CUBES": lambda members: [member**3 for member in members],
}
