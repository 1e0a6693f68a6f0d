"""What a program must do, as a Python function or as examples.

A function takes integers, and at most one list: the array. What it returns is left in R0 (a tuple:
in R0, R1 and so on); a list that it returns, or the list that it changed if it returns nothing, is
the array as it must become. Arguments come in the order of the parameters in R0, R1, …; the array
comes first, as its address and its number of words. Results are taken modulo 2^width.

Inputs on which the function raises, or takes more than `LINES` lines or too long, are outside its
domain: nothing is said about them.
"""

import dis
import inspect
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from types import FrameType
from typing import Any, Protocol

from transputer.errors import Unsupported, UsageError
from transputer.isa.integers import mask, signed
from transputer.values import dataclass

Words = tuple[int, ...]
#: Lines of a function after which an input counts as outside its domain.
LINES = 20_000
#: Seconds that one call may take before larger inputs are left out.
PATIENCE = 0.02
#: What a function may raise on inputs outside its domain.
REFUSALS = (ArithmeticError, AssertionError, LookupError, ValueError, RecursionError)
#: Names in a function that make sense for words without sign only.
_UNSIGNED = {"bin", "bit_count", "bit_length", "isqrt", "hex", "format", "oct", "to_bytes"}


@dataclass(frozen=True, slots=True)
class Given:
    """One input: registers from R0 on, and memory from 0 on."""

    registers: Words
    memory: Words = ()


@dataclass(frozen=True, slots=True)
class Expected:
    """What must be found: registers from R0 on, and the words of memory that change, by address."""

    registers: Words = ()
    memory: tuple[tuple[int, int], ...] = ()


class OutsideDomain(Exception):
    """The specification says nothing about an input."""


class EndlessCall(OutsideDomain):
    """A call of the specification takes too long."""


class Specification(Protocol):
    """What a program must do."""

    def answer(self, width: int, given: Given) -> Expected:
        """What must come of an input; raises `OutsideDomain` where nothing is said about it."""

    def terms(self, solver: Any, words: Sequence[Any], array: Sequence[Any]) -> Any:
        """The same on unknown words, as `symbolic.FunctionTerms`.

        `words` are the registers without address and count; raises `Unsupported` with the reason
        where this specification cannot be proved against.
        """


def read_result(result: Any, arguments: Sequence[Any], array: int | None) -> Any:
    """Registers, and the array as it became or None, from what a function returned."""
    if result is None:
        if array is None:
            raise Unsupported("the function returns nothing")
        return (), tuple(arguments[array])
    if isinstance(result, list):
        if array is None:
            return tuple(result), None
        if len(result) != len(arguments[array]):
            raise Unsupported("the function returns a list of another length than the array")
        return (), tuple(result)
    return (result if isinstance(result, tuple) else (result,)), None


@dataclass(frozen=True, eq=False)
class FunctionSpecification:
    """A Python function as the specification.

    `array` is the parameter that is a list, if any; integers are signed words or not. With
    `addressed` the result is an address: the function's index plus the array's address.
    """

    function: Callable[..., Any]
    parameters: tuple[str, ...]
    array: int | None = None
    is_signed: bool = True
    addressed: bool = False

    @cached_property
    def spins(self) -> bool:
        """Whether the function might not end, as far as its code shows."""
        code = getattr(self.function, "__code__", None)
        return code is not None and _may_spin(code, getattr(self.function, "__globals__", {}))

    def numbers(self, width: int, words: Sequence[int]) -> list[int]:
        """Words as the integers that the function sees."""
        return [signed(width, word) if self.is_signed else word for word in words]

    def arguments(self, width: int, given: Given) -> list[Any]:
        """The arguments of a call."""
        if self.array is None:
            return list(self.numbers(width, given.registers))
        base, count, *rest = given.registers
        arguments: list[Any] = list(self.numbers(width, rest))
        arguments.insert(self.array, self.numbers(width, given.memory[base : base + count]))
        return arguments

    def answer(self, width: int, given: Given) -> Expected:
        """What the function returns."""
        arguments = self.arguments(width, given)
        try:
            result = _limited(self.function, arguments) if self.spins else self.function(*arguments)
        except REFUSALS as refusal:
            raise OutsideDomain(str(refusal)) from None
        registers, array = read_result(result, arguments, self.array)
        base = given.registers[0] if self.array is not None else 0
        if not all(isinstance(word, int) for word in (*registers, *(array or ()))):
            raise Unsupported("the function returns something other than integers")
        offset = base if self.addressed else 0
        return Expected(
            tuple(int(word) + offset & mask(width) for word in registers),
            tuple((base + k, int(word) & mask(width)) for k, word in enumerate(array or ())),
        )

    def terms(self, solver: Any, words: Sequence[Any], array: Sequence[Any]) -> Any:
        """The function on unknown words."""
        from transputer.learning.symbolic import translate

        if self.addressed:
            raise Unsupported("the result is an address that depends on the data")
        arguments: list[Any] = list(words)
        if self.array is not None:
            arguments.insert(self.array, list(array))

        def read(result: Any, after: Sequence[Any]) -> Any:
            return read_result(result, after, self.array)

        return translate(solver, self.function, arguments, self.is_signed, read)


def _may_spin(code: Any, scope: Mapping[str, Any]) -> bool:
    instructions = list(dis.get_instructions(code))
    steps = {i.offset for i in instructions if i.opname == "FOR_ITER"}
    for i in instructions:
        back = "JUMP" in i.opname and isinstance(i.argval, int) and i.argval < i.offset
        if back and i.argval not in steps:
            return True
    return any(inspect.isfunction(scope.get(name)) for name in code.co_names)


def _limited(function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """The result of a call of at most `LINES` lines; `OutsideDomain` beyond."""
    left = LINES

    def local(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise EndlessCall(f"the function takes more than {LINES} lines")
        return local

    before = sys.gettrace()
    sys.settrace(local)
    try:
        return function(*arguments)
    finally:
        sys.settrace(before)


def specify(
    function: Callable[..., Any], arrays: Sequence[str] | None = None, is_signed: bool | None = None
) -> FunctionSpecification:
    """A function as a specification, with what is not said found out by calling it."""
    parameters = tuple(_parameters(function))
    listed = _listed(function, parameters) if arrays is None else tuple(arrays)
    unknown = [name for name in listed if name not in parameters]
    if unknown:
        raise UsageError(f"the function has no parameter {unknown[0]}")
    if len(listed) > 1:
        raise UsageError(f"one array at most, not {len(listed)}")
    choices: list[int | None] = [parameters.index(listed[0])] if listed else [None]
    if arrays is None and not listed:
        choices += list(range(len(parameters)))
    for array in choices:
        unsigned = FunctionSpecification(function, parameters, array, False)
        if _works(unsigned):
            sees_signs = (
                is_signed if is_signed is not None else not _wants_unsigned(function, unsigned)
            )
            return FunctionSpecification(function, parameters, array, sees_signs)
    raise UsageError(
        f"{getattr(function, '__name__', 'the function')} takes neither integers alone nor one list"
    )


def _parameters(function: Callable[..., Any]) -> list[str]:
    try:
        declared = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        raise UsageError("the function has no signature; wrap it in a def") from None
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = [p.name for p in declared if p.kind in kinds and p.default is p.empty]
    if not names:
        raise UsageError("the function takes no arguments")
    if len(names) > 6:
        raise UsageError(f"at most 6 arguments, not {len(names)}")
    return names


def _listed(function: Callable[..., Any], parameters: Sequence[str]) -> tuple[str, ...]:
    """Parameters annotated as a list."""
    notes = getattr(function, "__annotations__", {})
    return tuple(
        name for name in parameters
        if str(getattr(notes.get(name), "__name__", notes.get(name))).lower().startswith(
            ("list", "sequence", "words"))
    )  # fmt: skip


_SMALL = ((2, 3, 5, 1, 4, 6), (1, 1, 1, 1, 1, 1), (12, 18, 7, 3, 9, 30), (0, 0, 0, 0, 0, 0))


def _works(spec: FunctionSpecification) -> bool:
    """Whether the function takes arguments of this kind on some small input."""
    for numbers in _SMALL:
        words = list(numbers[: len(spec.parameters) - (spec.array is not None)])
        given = Given(tuple(words))
        if spec.array is not None:
            given = Given((1, 3, *words), (9, 3, 1, 2, 9))
        try:
            spec.answer(32, given)
            return True
        except OutsideDomain:
            continue
        except (TypeError, AttributeError, Unsupported):
            return False
    return False


def _wants_unsigned(function: Callable[..., Any], spec: FunctionSpecification) -> bool:
    """Whether negative numbers make no sense: the function counts bits, or does not end on them.

    One that raises on them says so itself; its domain is the other numbers.
    """
    code = getattr(function, "__code__", None)
    if code is not None and _UNSIGNED & set(code.co_names):
        return True
    if spec.array is not None:
        return False
    negative = FunctionSpecification(spec.function, spec.parameters, None, True)
    endless = 0
    for numbers in _SMALL[:3]:
        words = tuple(-n & mask(32) for n in numbers[: len(spec.parameters)])
        try:
            negative.answer(32, Given(words))
        except EndlessCall:
            endless += 1
        except OutsideDomain:
            continue
    return endless == 3


def largest(spec: FunctionSpecification, width: int) -> int:
    """The largest magnitude of an argument at which the function still answers quickly."""
    bound = 15
    for bits in range(8, width + 1, 4):
        number = (1 << min(bits, width - spec.is_signed)) - 1
        count = len(spec.parameters)
        for at in range(count):
            if at == spec.array:
                continue
            arguments: list[Any] = [3] * count
            if spec.array is not None:
                arguments[spec.array] = [1, 2, 3]
            arguments[at] = number
            began = time.thread_time()
            try:
                _limited(spec.function, arguments) if spec.spins else spec.function(*arguments)
            except (*REFUSALS, OutsideDomain, MemoryError):
                pass
            if time.thread_time() - began > PATIENCE:
                return bound
        bound = number
    return bound


@dataclass(frozen=True, eq=False)
class ExampleSpecification:
    """Examples alone: what must come of these inputs, and nothing else."""

    table: Mapping[tuple[Words, Words], Expected]

    def answer(self, width: int, given: Given) -> Expected:
        """The example's answer."""
        try:
            return self.table[given.registers, given.memory]
        except KeyError:
            raise OutsideDomain("no example") from None

    def terms(self, solver: Any, words: Sequence[Any], array: Sequence[Any]) -> Any:
        """Examples prove nothing about other inputs."""
        raise Unsupported("examples say nothing about other inputs")
