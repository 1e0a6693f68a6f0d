"""GSM8K's marked steps, `<<48/2=24>>`, as plans over the numbers of the question.

Every operand must be the result of an earlier step, a number of the question or a declared
constant; a problem with any other operand, or whose plan does not come to the stated answer,
is left out and counted.
"""

import ast
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from training.words.expressions import canonical
from training.words.problems import LONGEST_PLAN, Problem
from transputer.frontends.words.evaluate import Undefined, evaluate
from transputer.frontends.words.grammar import SLOTS
from transputer.frontends.words.numbers import Number, find
from transputer.frontends.words.operations import CONSTANTS
from transputer.frontends.words.plan import Apply, Node, Plan, PlanConstant, Slot, apply

_STEP = re.compile(r"<<([^<>=]+)=([^<>]+)>>")
_OPERATIONS = {ast.Add: "ADD", ast.Sub: "SUB", ast.Mult: "MUL", ast.Div: "DIV"}


class Unfit(Exception):
    """Why a problem cannot be a plan, in a word that is counted."""


@dataclass(slots=True)
class _Result:
    value: Fraction
    node: Node
    used: bool = False


class _Reader:
    """Reads the steps of one problem."""

    def __init__(self, numbers: tuple[Number, ...]) -> None:
        self.numbers = numbers
        self.results: list[_Result] = []

    def step(self, expression: str) -> None:
        """One more result."""
        cleaned = re.sub(r"(?<=\d),(?=\d{3})", "", expression).replace("$", "").replace("x", "*")
        cleaned = re.sub(r"(\d+(?:\.\d+)?|\.\d+)%", r"(\1/100)", cleaned)
        cleaned = re.sub(r"(?<![\d.])0+(?=\d)", "", cleaned)
        try:
            item = ast.parse(cleaned.strip(), mode="eval").body
        except SyntaxError:
            raise Unfit("syntax") from None
        node, value = self._node(item, cleaned.strip())
        self.results.append(_Result(value, node))

    def _node(self, item: ast.expr, source: str) -> tuple[Node, Fraction]:
        match item:
            case ast.Constant(value=int() | float()):
                value = Fraction(ast.get_source_segment(source, item) or "")
                return self._operand(value), value
            case ast.UnaryOp(op=ast.UAdd(), operand=inner):
                return self._node(inner, source)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
                return self._binary(_OPERATIONS[type(op)], left, right, source)
        raise Unfit("operation")

    def _binary(
        self, token: str, left: ast.expr, right: ast.expr, source: str
    ) -> tuple[Node, Fraction]:
        first, one = self._node(left, source)
        if token == "DIV" and isinstance(right, ast.Constant):
            divisor = Fraction(ast.get_source_segment(source, right) or "")
            part = self._slot(1 / divisor) if divisor else None
            if part is not None and self._slot(divisor) is None and not self._earlier(divisor):
                return apply("MUL", first, part), one / divisor
        second, two = self._node(right, source)
        if token == "DIV" and two == 0:
            raise Unfit("zero")
        value = {"ADD": one + two, "SUB": one - two, "MUL": one * two}.get(token)
        for share, whole in ((first, second), (second, first)):
            if token == "MUL" and self._is_percent(share):
                assert isinstance(share, Apply)
                return apply("PCT", share.arguments[0], whole), one * two
        return apply(token, first, second), one / two if value is None else value

    def _is_percent(self, node: Node) -> bool:
        match node:
            case Apply(arguments=(Slot(index=index), PlanConstant(value=100))):
                return node.token == "DIV" and self.numbers[index].percent
        return False

    def _operand(self, value: Fraction) -> Node:
        for result in reversed(self.results):
            if result.value == value and not result.used:
                result.used = True
                return result.node
        slot = self._slot(value)
        if slot is not None:
            return slot
        if self._earlier(value):
            return next(r.node for r in reversed(self.results) if r.value == value)
        for index, number in enumerate(self.numbers):
            if number.percent and number.value == value * 100:
                return apply("DIV", Slot(index), PlanConstant(100))
        if value.denominator == 1 and value.numerator in CONSTANTS:
            return PlanConstant(value.numerator)
        raise Unfit("operand")

    def _earlier(self, value: Fraction) -> bool:
        return any(result.value == value for result in self.results)

    def _slot(self, value: Fraction) -> Slot | None:
        """The number of the question with this value, one not used before if there are several."""
        found = [i for i, number in enumerate(self.numbers) if number.value == value]
        spent = {
            token
            for result in self.results
            for token in Plan(result.node).tokens
            if token.startswith("N")
        }
        fresh = [index for index in found if f"N{index}" not in spent]
        return Slot((fresh or found)[0]) if found else None


def converted(question: str, solution: str) -> Problem:
    """The problem with its plan; Unfit says why there is none."""
    numbers = find(question)
    if len(numbers) > SLOTS:
        raise Unfit("numbers")
    reader = _Reader(numbers)
    steps = _STEP.findall(solution)
    if not steps:
        raise Unfit("steps")
    for expression, _ in steps:
        reader.step(expression)
    plan = Plan(canonical(reader.results[-1].node))
    if len(plan.tokens) > LONGEST_PLAN:
        raise Unfit("length")
    try:
        value = evaluate(plan, [number.value for number in numbers])
    except Undefined:
        raise Unfit("undefined") from None
    if value != stated(solution):
        raise Unfit("answer")
    return Problem(question, plan.tokens, "gsm8k")


def stated(solution: str) -> Fraction:
    """The answer that a solution ends with."""
    text = solution.rpartition("####")[2].strip().replace(",", "").lstrip("$")
    return Fraction(text)


def rows(path: Path) -> Iterator[tuple[str, str]]:
    """Questions and solutions of a file."""
    for line in path.read_text().splitlines():
        row = json.loads(line)
        yield row["question"], row["answer"]


def convert(path: Path, counts: Counter[str]) -> Iterator[Problem]:
    """All that fit; `counts` says how many fit and why the others did not.

    Every twentieth is held for measuring.
    """
    for index, (question, solution) in enumerate(rows(path)):
        try:
            problem = converted(question, solution)
        except Unfit as reason:
            counts[str(reason)] += 1
            continue
        counts["fit"] += 1
        held = index % 20 == 0
        yield Problem(problem.text, problem.tokens, problem.kind, held)
