"""A plan as text, `(50 - 15)`, and back: a line or a program in a subset of Python.

With the values of the numbers the text is for people; without them it has `N0`, `N1`, … and
reads back as the same plan. Assignments come first: `v0 = (N0 * N1); (v0 + N2)`.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from transputer.frontends.words import language
from transputer.frontends.words.digits import digits
from transputer.frontends.words.language import read_program
from transputer.frontends.words.operations import PlanType
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
        elif isinstance(top, Comprehension):
            stack.append("]")
            if top.test is not None:
                stack += [top.test, " if "]
            stack += [top.items, f" for {top.name} in ", top.value, "["]
        elif isinstance(top, Apply) and top.token == "IF":
            test, then, other = top.arguments
            stack += [")", other, " else ", test, " if ", then, "("]
        elif isinstance(top, Apply) and top.token == "NEG":
            stack.extend([")", top.arguments[0], "(-"])
        elif isinstance(top, Apply) and top.token == "EMPTY":
            parts.append("[]")
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


def _operand(
    node: Slot | PlanConstant | Literal | Name | Variable, numbers: Sequence[Fraction] | None
) -> str:
    if isinstance(node, PlanConstant | Literal | Variable):
        return node.token.lstrip("C") if isinstance(node, PlanConstant) else node.token
    if isinstance(node, Name):
        return node.token.lower()
    return node.token if numbers is None else number(numbers[node.index])


def number(value: Fraction) -> str:
    """A rational as people write it: `35`, `1.5`, `1/3`, exact in every case."""
    if value.denominator == 1:
        return digits(value.numerator)
    twos, rest = 0, value.denominator
    while rest % 2 == 0:
        twos, rest = twos + 1, rest // 2
    fives = 0
    while rest % 5 == 0:
        fives, rest = fives + 1, rest // 5
    places = max(twos, fives)
    if rest != 1 or places > 12:
        return f"{digits(value.numerator)}/{digits(value.denominator)}"
    shown = digits(abs(value.numerator) * 10**places // value.denominator).zfill(places + 1)
    return f"{'-' * (value < 0)}{shown[:-places]}.{shown[-places:]}"


def read(text: str) -> Plan:
    """The plan that a line or a program with slots stands for; PlanError says why it is none."""
    return read_program(text)


def program(plan: Plan, numbers: Sequence[Fraction] | None = None) -> str:
    """The whole plan as text: its own functions, its assignments and its result, on lines."""
    parts = [_function(one, numbers) for one in plan.functions]
    main = next((one for one in plan.functions if one.operation.token == "main"), None)
    if main is not None:
        return "\n".join([*parts[:-1], *_statements(main.body, numbers, 0)])
    return "\n".join([*parts, line(plan, numbers).replace("; ", "\n")])


def _function(function: PlanFunction, numbers: Sequence[Fraction] | None) -> str:
    row = function.operation
    names = {PlanType.NUMBER: "number", PlanType.BOOLEAN: "boolean", PlanType.LIST: "list"}
    parameters = ", ".join(f"{one.name}: {names[one.type]}" for one in function.parameters)
    head = f"def {row.name}({parameters}) -> {names[row.result]}:"
    return "\n".join([head, *_statements(function.body, numbers, 1)])


def _statements(
    body: Sequence[language.Statement], numbers: Sequence[Fraction] | None, depth: int
) -> Iterator[str]:
    indent = "    " * depth

    def shown(node: Node) -> str:
        return _bare(_line(node, numbers))

    for one in body:
        match one:
            case language.Assign(variable, value):
                yield f"{indent}{variable.name} = {shown(value)}"
            case language.StoreItem(variable, index, value):
                yield f"{indent}{variable.name}[{shown(index)}] = {shown(value)}"
            case language.Append(variable, value):
                yield f"{indent}{variable.name}.append({shown(value)})"
            case language.Check(test, message):
                yield f"{indent}assert {shown(test)}, {message!r}"
            case language.IfElse(test, then, other):
                yield f"{indent}if {shown(test)}:"
                yield from _statements(then, numbers, depth + 1)
                if other:
                    yield f"{indent}else:"
                    yield from _statements(other, numbers, depth + 1)
            case language.While(test, inner):
                yield f"{indent}while {shown(test)}:"
                yield from _statements(inner, numbers, depth + 1)
            case language.For(variable, items, inner):
                yield f"{indent}for {variable.name} in {shown(items)}:"
                yield from _statements(inner, numbers, depth + 1)
            case language.Return(value):
                yield f"{indent}return {shown(value)}"
            case language.Yield(value):
                yield f"{indent}yield {shown(value)}"


def _bare(shown: str) -> str:
    """An expression without the brackets around all of it."""
    if not (shown.startswith("(") and shown.endswith(")")):
        return shown
    depth = 0
    for place, letter in enumerate(shown):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return shown[1:-1] if place == len(shown) - 1 else shown
    return shown
