"""Expressions of templates, `a * k - b` or `sum(range(a, b, 1))`, as plans and as answers.

The plan is built from the operations' rows; the answer is what Python's own arithmetic says,
so that the two can be held against each other.
"""

import ast
import math
import statistics
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from transputer.frontends.words.operations import OPERATIONS, PlanType
from transputer.frontends.words.plan import Apply, Node, PlanConstant, apply

_BINARY = {
    ast.Add: "ADD", ast.Sub: "SUB", ast.Mult: "MUL", ast.Div: "DIV", ast.FloorDiv: "IDIV",
    ast.Mod: "MOD", ast.Pow: "POW",
}  # fmt: skip
_COMPARE = {
    ast.Lt: "LT", ast.LtE: "LE", ast.Gt: "GT", ast.GtE: "GE", ast.Eq: "EQ", ast.NotEq: "NE",
}  # fmt: skip
_CALLS = {row.begin.rstrip("("): row for row in OPERATIONS if row.separator == ", "}
_CALLS |= {"idiv": next(r for r in OPERATIONS if r.token == "IDIV")}
_CALLS |= {"mod": next(r for r in OPERATIONS if r.token == "MOD")}
_CALLS |= {"range": next(r for r in OPERATIONS if r.token == "RANGE")}


@cache
def _tree(expression: str) -> ast.expr:
    return ast.parse(expression.strip(), mode="eval").body


@cache
def letters(expression: str) -> tuple[str, ...]:
    """The numbers an expression uses, in the order of their first use."""
    names = [n.id for n in ast.walk(_tree(expression)) if isinstance(n, ast.Name)]
    return tuple(dict.fromkeys(name for name in names if len(name) == 1))


def tree(expression: str, slots: Mapping[str, Node]) -> Node:
    """The expression as a plan's tree, its letters replaced by these nodes."""
    return _node(_tree(expression), slots)


def _node(item: ast.expr, slots: Mapping[str, Node]) -> Node:
    match item:
        case ast.Name(id=name):
            return slots[name]
        case ast.Constant(value=int(value)):
            return PlanConstant(value)
        case ast.BinOp(left=left, op=op, right=right):
            return apply(_BINARY[type(op)], _node(left, slots), _node(right, slots))
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return apply(_COMPARE[type(op)], _node(left, slots), _node(right, slots))
        case ast.BoolOp(op=op, values=[left, right]):
            token = "AND" if isinstance(op, ast.And) else "OR"
            return apply(token, _node(left, slots), _node(right, slots))
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return apply("NEG", _node(inner, slots))
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return apply("NOT", _node(inner, slots))
        case ast.IfExp(test=test, body=body, orelse=other):
            return apply("IF", *(_node(part, slots) for part in (test, body, other)))
        case ast.Call(func=ast.Name(id=name), args=args):
            return _call(name, [_node(arg, slots) for arg in args])
    raise ValueError(f"{ast.unparse(item)} is not an expression of a template")


def _call(name: str, arguments: list[Node]) -> Node:
    if name == "list":
        return apply("LIST", *arguments)
    row = _CALLS[name]
    if row.arguments == (PlanType.LIST,) and not _is_list(arguments[0]):
        arguments = [apply("LIST", *arguments)]
    return Apply(row, tuple(arguments))


def _is_list(node: Node) -> bool:
    return isinstance(node, Apply) and node.operation.result is PlanType.LIST


def _fibonacci(n: Fraction) -> int:
    a, b = 0, 1
    for _ in range(int(n)):
        a, b = b, a + b
    return a


def _range(first: Fraction, last: Fraction, step: Fraction) -> list[Fraction]:
    by = int(step) if first <= last else -int(step)
    return [Fraction(i) for i in range(int(first), int(last) + (1 if by > 0 else -1), by)]


def _prime(n: Fraction) -> bool:
    return n > 1 and all(int(n) % d for d in range(2, math.isqrt(int(n)) + 1))


def _of(function: Callable[[list[Fraction]], Any]) -> Callable[..., Any]:
    return lambda *given: function(given[0] if isinstance(given[0], list) else list(given))


_MEANING: dict[str, Any] = {
    "percent": lambda a, b: a * b / 100,
    "gcd": lambda a, b: Fraction(math.gcd(int(a), int(b))),
    "lcm": lambda a, b: Fraction(math.lcm(int(a), int(b))),
    "mod": lambda a, b: a % b,
    "idiv": lambda a, b: Fraction(a // b),
    "abs": abs,
    "neg": lambda a: -a,
    "floor": lambda a: Fraction(math.floor(a)),
    "ceil": lambda a: Fraction(math.ceil(a)),
    "round": lambda a: Fraction(math.floor(abs(a) + Fraction(1, 2))) * (1 if a >= 0 else -1),
    "sqrt": lambda a: math.sqrt(a),
    "factorial": lambda a: Fraction(math.factorial(int(a))),
    "fibonacci": lambda a: Fraction(_fibonacci(a)),
    "sum": _of(lambda xs: sum(xs, Fraction(0))),
    "product": _of(lambda xs: math.prod(xs, start=Fraction(1))),
    "count": _of(lambda xs: Fraction(len(xs))),
    "min": _of(min),
    "max": _of(max),
    "average": _of(statistics.mean),
    "median": _of(statistics.median),
    "first": _of(lambda xs: xs[0]),
    "last": _of(lambda xs: xs[-1]),
    "number": lambda b: Fraction(int(b)),
    "prime": _prime,
    "range": _range,
    "evens": lambda xs: [x for x in xs if x % 2 == 0],
    "odds": lambda xs: [x for x in xs if x % 2 == 1],
    "primes": lambda xs: [x for x in xs if _prime(x)],
    "multiples": lambda n, xs: [x for x in xs if x % n == 0],
    "above": lambda n, xs: [x for x in xs if x > n],
    "below": lambda n, xs: [x for x in xs if x < n],
    "squares": lambda xs: [x * x for x in xs],
    "list": lambda *xs: list(xs),
    "cubes": lambda xs: [x * x * x for x in xs],
}


@cache
def _code(expression: str) -> Any:
    fractions = _Fractions().visit(ast.parse(expression.strip(), mode="eval"))
    return compile(ast.fix_missing_locations(fractions), expression, "eval")


class _Fractions(ast.NodeTransformer):
    """Whole numbers of an expression become exact fractions."""

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        """`2` is `Fraction(2)`."""
        return ast.Call(ast.Name("Fraction", ast.Load()), [node], [])


def answer(expression: str, numbers: Mapping[str, Fraction]) -> Any:
    """What the expression comes to by Python's arithmetic; ZeroDivisionError where it has none."""
    scope = {"__builtins__": {}, "Fraction": Fraction, **_MEANING, **numbers}
    return eval(_code(expression), scope)  # noqa: S307  our own templates


_SIGNED = {"ADD": 1, "SUB": -1}
_SCALED = {"MUL": 1, "DIV": -1}


def canonical(node: Node) -> Node:
    """The same value with sums and products in one order: `c + a - b` is `((a + c) - b)`.

    What is added comes first, by where its numbers stand in the text, then what is taken away.
    """
    if not isinstance(node, Apply):
        return node
    for group, (join, part) in ((_SIGNED, ("ADD", "SUB")), (_SCALED, ("MUL", "DIV"))):
        if node.token in group:
            return _joined(_terms(node, 1, group), join, part)
    return Apply(node.operation, tuple(canonical(child) for child in node.arguments))


def _terms(node: Node, sign: int, group: Mapping[str, int]) -> list[tuple[int, Node]]:
    if isinstance(node, Apply) and node.token in group:
        left, right = node.arguments
        return _terms(left, sign, group) + _terms(right, sign * group[node.token], group)
    return [(sign, canonical(node))]


def _joined(terms: list[tuple[int, Node]], join: str, part: str) -> Node:
    first = sorted((node for sign, node in terms if sign > 0), key=_order)
    then = sorted((node for sign, node in terms if sign < 0), key=_order)
    result = first[0]
    for node in first[1:]:
        result = apply(join, result, node)
    for node in then:
        result = apply(part, result, node)
    return result


def _order(node: Node) -> tuple[int, ...]:
    """Numbers of the text before constants, earlier ones first."""
    keys = []
    stack = [node]
    while stack:
        top = stack.pop()
        if isinstance(top, Apply):
            stack.extend(top.arguments)
        else:
            keys.append(
                1000 + top.value if isinstance(top, PlanConstant) else getattr(top, "index", 0)
            )
    return tuple(sorted(keys))
