"""A plan becomes WebAssembly: one exported function `answer`, and what it calls.

Integers are i64 and trap where a result does not fit; a quotient makes a reduced rational of
two i64; a square root makes an f64. Nothing is computed here: the program does all of it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from importlib.resources import files

from transputer.frontends.binary import decode
from transputer.frontends.wat import to_wasm
from transputer.frontends.words.kinds import Kinds, NumberKind, literal, wider
from transputer.frontends.words.loops import (
    ARITHMETIC,
    CONSTANT,
    NARROW,
    WIDEN,
    LoopShape,
    compare,
    declared,
    function,
    get,
    take,
)
from transputer.frontends.words.operations import PlanType
from transputer.frontends.words.plan import Apply, Name, Node, Plan, PlanConstant, PlanError, Slot
from transputer.ir.module import PAGE
from transputer.ir.values import Value
from transputer.ir.verify import Verified, verify

#: The function of a compiled plan that gives the answer.
ENTRY = "answer"
_CALL = re.compile(r"call \$(\w+)")


@dataclass(frozen=True, slots=True)
class CompiledPlan:
    """A plan's program: as text, as bytes, as a verified module; `kind` is how it answers."""

    kind: NumberKind
    wat: str
    wasm: bytes = field(repr=False)
    module: Verified = field(repr=False)

    def value(self, results: Sequence[Value]) -> Fraction | float | bool:
        """The answer that the results of `answer` stand for."""
        numbers = [result for result in results if result is not None]
        if self.kind is NumberKind.REAL:
            return float(numbers[0])
        whole = [int(number) for number in numbers]
        return bool(whole[0]) if self.kind is NumberKind.BOOLEAN else Fraction(*whole)


def compile_plan(plan: Plan, numbers: Sequence[Fraction]) -> CompiledPlan:
    """The program of a plan over these numbers.

    PlanError where the plan uses a number that is not there or does not fit in 64 bits.
    """
    if missing := [slot for slot in plan.slots if slot >= len(numbers)]:
        raise PlanError(f"N{min(missing)} is used, but the text has {len(numbers)} numbers")
    compiler = _Compiler(numbers)
    kind, wat = compiler.program(plan)
    wasm = to_wasm(wat)
    return CompiledPlan(kind, wat, wasm, verify(decode(wasm)))


#: A part of a program yet to be written: text, or a node whose value is wanted as a kind.
_Part = str | tuple[Node, NumberKind]

_UNARY = {
    ("NEG", NumberKind.INTEGER): "call $neg",
    ("NEG", NumberKind.RATIONAL): "call $rneg",
    ("NEG", NumberKind.REAL): "f64.neg",
    ("ABS", NumberKind.INTEGER): "call $abs",
    ("ABS", NumberKind.RATIONAL): "call $rabs",
    ("ABS", NumberKind.REAL): "f64.abs",
    ("FLOOR", NumberKind.INTEGER): "",
    ("FLOOR", NumberKind.RATIONAL): "call $idiv",
    ("FLOOR", NumberKind.REAL): "f64.floor",
    ("CEIL", NumberKind.INTEGER): "",
    ("CEIL", NumberKind.RATIONAL): "call $rceil",
    ("CEIL", NumberKind.REAL): "f64.ceil",
    ("ROUND", NumberKind.INTEGER): "",
    ("ROUND", NumberKind.RATIONAL): "call $rround",
    ("ROUND", NumberKind.REAL): "call $fround",
    **{("PRIME", kind): code for kind, code in ARITHMETIC["PRIME"].items()},
}
_IDIV = {
    NumberKind.INTEGER: "call $idiv",
    NumberKind.RATIONAL: "call $ridiv",
    NumberKind.REAL: "call $fidiv",
}
_POW = {
    NumberKind.INTEGER: "call $pow",
    NumberKind.RATIONAL: "call $rpow",
    NumberKind.REAL: "call $fpow",
}
_COMPARISONS = {"LT", "LE", "GT", "GE", "EQ", "NE"}
_OF_INTEGERS = {
    "GCD": "call $gcd",
    "LCM": "call $lcm",
    "FACT": "call $fact",
    "FIB": "call $fib",
}
_OF_BOOLEANS = {
    "AND": "i32.and",
    "OR": "i32.or",
    "NOT": "i32.eqz",
    "NUMBER": "i64.extend_i32_u",
}
#: Filters that a range of known bounds can do by a longer step, and their divisor.
_STRIDES = {"EVENS": (2, 0), "ODDS": (2, 1)}


class _Compiler:
    """Writes one program; nested parts wait on a stack, so that depth is no matter."""

    def __init__(self, numbers: Sequence[Fraction]) -> None:
        self.numbers = numbers
        self.kinds = Kinds(numbers)
        self.shapes: dict[str, LoopShape] = {}
        self.memory = 0

    def program(self, plan: Plan) -> tuple[NumberKind, str]:
        """The kind of the answer, and the text of the module."""
        body: list[str] = []
        locals_: list[str] = []
        for index, value in enumerate(plan.lets):
            kind = self.kinds.of(value)
            body += [*self._written((value, kind)), take(f"v{index}_", kind)]
            locals_ += declared("local", f"v{index}_", kind)
            self.kinds.names.append(kind)
        kind = self.kinds.of(plan.result)
        body += self._written((plan.result, kind))
        head = [f'(func (export "{ENTRY}") {kind.result}', *locals_]
        text = "\n  ".join([" ".join(head), *filter(None, body)]) + ")"
        return kind, self._module([*(function(s) for s in self.shapes.values()), text])

    def _module(self, functions: list[str]) -> str:
        """The module of these functions, with those of the runtime that they call."""
        needed: list[str] = []
        waiting = [name for text in functions for name in _CALL.findall(text)]
        while waiting:
            name = waiting.pop()
            if name in runtime() and name not in needed:
                needed.append(name)
                waiting += _CALL.findall(runtime()[name])
        parts = [runtime()[name] for name in runtime() if name in needed] + functions
        if any("$heap" in text or ".load" in text for text in parts) or self.memory:
            pages = self.memory // PAGE + 1
            heap = f"(global $heap i32 (i32.const {self.memory}))"
            parts = [f"(memory {pages})", heap, *parts]
        lines = "\n".join(parts).replace("\n", "\n  ")
        return f"(module\n  {lines})\n"

    def _written(self, part: _Part) -> list[str]:
        lines: list[str] = []
        stack = [part]
        while stack:
            top = stack.pop()
            if isinstance(top, str):
                lines.append(top)
            else:
                stack.extend(reversed(self._parts(*top)))
        return lines

    def _parts(self, node: Node, wanted: NumberKind) -> list[_Part]:
        kind = self.kinds.of(node)
        if isinstance(node, Name):
            parts: list[_Part] = [get(f"v{node.index}_", kind)]
        elif isinstance(node, Slot | PlanConstant):
            value = literal(node, self.numbers) or Fraction(0)
            parts = [f"i64.const {value.numerator}"]
            if kind is NumberKind.RATIONAL:
                parts.append(f"i64.const {value.denominator}")
        else:
            parts = self._applied(node, kind)
        return parts if kind is wanted else [*parts, WIDEN[kind, wanted]]

    def _applied(self, node: Apply, kind: NumberKind) -> list[_Part]:
        token, arguments = node.token, node.arguments
        if token == "IF":
            test, then, other = arguments
            return [
                *((test, NumberKind.BOOLEAN), f"if {kind.result}"),
                *((then, kind), "else", (other, kind), "end"),
            ]
        if token in _OF_BOOLEANS:
            return [*((a, NumberKind.BOOLEAN) for a in arguments), _OF_BOOLEANS[token]]
        if token in _OF_INTEGERS:
            return [*((a, NumberKind.INTEGER) for a in arguments), _OF_INTEGERS[token]]
        if token == "SQRT":
            return [(arguments[0], NumberKind.REAL), "call $sqrt"]
        if token == "POW":
            return [(arguments[0], kind), (arguments[1], NumberKind.INTEGER), _POW[kind]]
        if node.operation.arguments == (PlanType.LIST,):
            return self._aggregate(token, arguments[0])
        wide = wider([self.kinds.of(a) for a in arguments])
        return [*((a, wide) for a in arguments), self._simple(token, wide)]

    @staticmethod
    def _simple(token: str, wide: NumberKind) -> str:
        """Code for an operation on numbers of one kind."""
        if token in _COMPARISONS:
            return compare(token.lower(), wide)
        if token == "IDIV":
            return _IDIV[wide]
        if token == "PCT":
            times, divided = ARITHMETIC["MUL"][wide], ARITHMETIC["DIV"][wide]
            return f"{times} {CONSTANT[wide].format(100)} {divided}"
        return _UNARY[token, wide] if (token, wide) in _UNARY else ARITHMETIC[token][wide]

    def _aggregate(self, token: str, members: Node) -> list[_Part]:
        """The arguments of a loop's function, and its call."""
        kind = self.kinds.of(members)
        if token == "MEDIAN" and kind is NumberKind.REAL:
            raise PlanError("a median of square roots is not supported")
        steps: list[tuple[str, Node | None]] = []
        while isinstance(members, Apply) and members.token not in ("LIST", "RANGE"):
            number = members.arguments[0] if len(members.arguments) == 2 else None
            steps.append((members.token, number))
            members = members.arguments[-1]
        steps.reverse()
        assert isinstance(members, Apply)
        source, step, steps, arguments = self._source(members, kind, steps)
        typed = tuple((t, None if n is None else self.kinds.of(n)) for t, n in steps)
        shape = LoopShape(token, source, kind, typed, step)
        self.shapes[shape.name] = shape
        given = [(n, self.kinds.of(n)) for _, n in steps if n is not None]
        return [*given, *arguments, f"call ${shape.name}"]

    def _source(
        self, members: Apply, kind: NumberKind, steps: list[tuple[str, Node | None]]
    ) -> tuple[str, int, list[tuple[str, Node | None]], list[_Part]]:
        """Where members come from: the loop's source, its step, what is left to do, arguments."""
        if members.token == "LIST":
            return "array", 0, steps, self._array(members, kind)
        bounds = [literal(a, self.numbers) for a in members.arguments]
        whole = [b for b in bounds if b is not None and b.denominator == 1]
        known = [int(b) for b in whole if abs(b) <= NARROW]
        if len(known) < 3 or known[2] == 0:
            return "range", 0, steps, [(a, NumberKind.INTEGER) for a in members.arguments]
        first, last, step = known
        step = abs(step) if first <= last else -abs(step)
        first, step, steps = self._strided(first, last, step, steps)
        stop = first + ((last - first) // step + 1) * step
        return "narrow", step, steps, [f"i32.const {first}", f"i32.const {stop}"]

    def _strided(
        self, first: int, last: int, step: int, steps: list[tuple[str, Node | None]]
    ) -> tuple[int, int, list[tuple[str, Node | None]]]:
        """A range of all integers under a filter by divisor is a range with that step.

        Only where it has members at all: a loop has at least one.
        """
        if abs(step) == 1 and steps:
            token, number = steps[0]
            divisor, rest = _STRIDES.get(token, (0, 0))
            if token == "MULTIPLES" and number is not None:
                value = literal(number, self.numbers)
                whole = value is not None and value.denominator == 1 and 0 < value <= NARROW
                divisor = int(value) if value is not None and whole else 0
            if divisor:
                moved = first + step * ((rest - first) * step % divisor)
                if (last - moved) * step >= 0:
                    return moved, step * divisor, steps[1:]
        return first, step, steps

    def _array(self, members: Apply, kind: NumberKind) -> list[_Part]:
        """Code that fills an array in memory, then its address and length."""
        size = 8 * len(kind.types)
        start, self.memory = self.memory, self.memory + size * len(members.arguments)
        store = "call $put" if kind is NumberKind.RATIONAL else f"{kind.types[0]}.store"
        parts: list[_Part] = []
        for index, member in enumerate(members.arguments):
            parts += [f"i32.const {start + size * index}", (member, kind), store]
        return [*parts, f"i32.const {start}", f"i32.const {len(members.arguments)}"]


@cache
def runtime() -> dict[str, str]:
    """The functions that programs may call, by name, without their comments."""
    text = files("transputer.frontends.words").joinpath("runtime.wat").read_text("utf-8")
    code = "\n".join(line for line in text.splitlines() if not line.startswith(";;"))
    return {
        part.split()[1].lstrip("$"): part.strip()
        for part in re.split(r"\n(?=\(func)", code)
        if part.startswith("(func")
    }
