"""A plan as one line, `(50 - 15)`, and back.

With the values of the numbers the line is for people; without them it has `N0`, `N1`, … and
reads back as the same plan. Assignments come first: `v0 = (N0 * N1); (v0 + N2)`.
"""

import re
from collections.abc import Sequence
from fractions import Fraction

from transputer.frontends.words.operations import OPERATIONS, Operation
from transputer.frontends.words.plan import (
    Apply,
    Name,
    Node,
    Plan,
    PlanConstant,
    PlanError,
    Slot,
)


def line(plan: Plan, numbers: Sequence[Fraction] | None = None) -> str:
    """The plan in one line, with the values of its numbers where they are given."""
    lets = [f"v{i} = {_line(value, numbers)}; " for i, value in enumerate(plan.lets)]
    return "".join(lets) + _line(plan.result, numbers)


def _line(node: Node, numbers: Sequence[Fraction] | None) -> str:
    parts: list[str] = []
    stack: list[Node | str] = [node]
    while stack:
        top = stack.pop()
        if isinstance(top, str):
            parts.append(top)
        elif isinstance(top, Apply):
            row = top.operation
            parts.append(row.begin)
            stack.append(row.end)
            for index in range(len(top.arguments) - 1, -1, -1):
                stack.append(top.arguments[index])
                if index:
                    stack.append(row.separator)
        else:
            parts.append(_operand(top, numbers))
    return "".join(parts)


def _operand(node: Slot | PlanConstant | Name, numbers: Sequence[Fraction] | None) -> str:
    if isinstance(node, PlanConstant):
        return str(node.value)
    if isinstance(node, Name):
        return node.token.lower()
    return node.token if numbers is None else number(numbers[node.index])


def number(value: Fraction) -> str:
    """A rational as people write it: `35`, `1.5`, `1/3`, exact in every case."""
    if value.denominator == 1:
        return str(value.numerator)
    twos, rest = 0, value.denominator
    while rest % 2 == 0:
        twos, rest = twos + 1, rest // 2
    fives = 0
    while rest % 5 == 0:
        fives, rest = fives + 1, rest // 5
    places = max(twos, fives)
    if rest != 1 or places > 12:
        return f"{value.numerator}/{value.denominator}"
    digits = str(abs(value.numerator) * 10**places // value.denominator).zfill(places + 1)
    return f"{'-' * (value < 0)}{digits[:-places]}.{digits[-places:]}"


_CALLS = {row.begin[:-1]: row for row in OPERATIONS if row.separator == ", " and row.begin != "["}
_LIST = next(row for row in OPERATIONS if row.begin == "[")
_INFIX = {row.separator.strip(): row for row in OPERATIONS if row.infix}
_SYMBOLS = "|".join(re.escape(s) for s in sorted(_INFIX, key=len, reverse=True))
_TOKEN = re.compile(
    rf"\s*(?:(?P<call>[a-z]+)\(|(?P<slot>N\d+)|(?P<name>v\d+)|(?P<constant>\d+)|(?P<open>[(\[])"
    rf"|(?P<close>[)\]])|(?P<comma>,)|(?P<symbol>{_SYMBOLS})|(?P<end>;|$))"
)
_LET = re.compile(r"\s*v(\d+) = ")


class _Frame:
    """An operation whose end has not come: `symbol` is set for one written between arguments."""

    def __init__(self, row: Operation | None) -> None:
        self.row = row
        self.arguments: list[Node] = []
        self.separators = 0

    def separate(self, row: Operation | None) -> None:
        """A separator came: a comma, or the symbol that says which operation this is."""
        known = self.row is not None
        if len(self.arguments) != self.separators + 1 or known != (row is None):
            raise PlanError("an operator or a comma where none may stand")
        self.separators += 1
        self.row = self.row or row

    def closed(self, bracket: str) -> Node:
        """The operation, now that its bracket has come."""
        row = self.row
        if row is None or row.end != bracket or len(self.arguments) != self.separators + 1:
            raise PlanError(f"{bracket!r} where none may stand")
        return Apply(row, tuple(self.arguments))


def read(text: str) -> Plan:
    """The plan that a line with slots stands for; PlanError says at which column it is not one."""
    lets: list[Node] = []
    at = 0
    while match := _LET.match(text, at):
        if int(match[1]) != len(lets):
            raise PlanError(f"column {match.start() + 1}: v{len(lets)} is the next name")
        node, at = _read(text, match.end())
        lets.append(node)
    node, end = _read(text, at)
    if text[end - 1 : end] == ";" or text[end:].strip():
        raise PlanError(f"column {end + 1}: a result is missing or something follows it")
    return Plan(node, tuple(lets))


def _read(text: str, at: int) -> tuple[Node, int]:
    """One expression from a column on, and the column after its `;` or the end of the text."""
    outer = _Frame(None)
    stack = [outer]
    while True:
        match = _TOKEN.match(text, at)
        at = match.start(match.lastgroup or 0) if match else at
        try:
            if match is None:
                raise PlanError(f"{text[at : at + 12]!r} is nothing a plan has")
            if match["end"] is not None and len(stack) == 1:
                if len(outer.arguments) != 1 or outer.separators:
                    raise PlanError("an expression is missing")
                return outer.arguments[0], match.end()
            _take(stack, match)
        except PlanError as problem:
            raise PlanError(f"column {at + 1}: {problem.message}") from None
        at = match.end()


def _take(stack: list[_Frame], match: re.Match[str]) -> None:
    kind, text = match.lastgroup, match[match.lastgroup or 0]
    top = stack[-1]
    if kind == "call":
        if text not in _CALLS:
            raise PlanError(f"no operation is called {text!r}")
        stack.append(_Frame(_CALLS[text]))
    elif kind == "open":
        stack.append(_Frame(_LIST if text == "[" else None))
    elif kind == "symbol":
        top.separate(_INFIX[text])
    elif kind == "comma":
        top.separate(None)
    elif kind == "close" and len(stack) > 1:
        node = stack.pop().closed(text)
        _give(stack[-1], node)
    elif kind in _OPERANDS:
        _give(top, _OPERANDS[kind](int(text.lstrip("Nv"))))
    else:
        raise PlanError("a bracket is missing")


_OPERANDS: dict[str | None, type[Slot] | type[Name] | type[PlanConstant]] = {
    "slot": Slot,
    "name": Name,
    "constant": PlanConstant,
}


def _give(frame: _Frame, node: Node) -> None:
    if len(frame.arguments) != frame.separators:
        raise PlanError("an operator or a comma is missing")
    frame.arguments.append(node)
