"""Tasks of the user's own: from a Python function, a file of examples, or a SyGuS problem."""

import ast
import csv
import importlib.util
import json
import random
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from transputer.errors import UsageError
from transputer.ir.soft import NUMBER, number_for
from transputer.isa.integers import mask, signed
from transputer.isa.soft import NAMES, SOFT
from transputer.learning.specification import (
    ExampleSpecification,
    Expected,
    FunctionSpecification,
    Given,
    OutsideDomain,
    Specification,
    Words,
    largest,
    specify,
)
from transputer.learning.tasks import Task, place_array
from transputer.machines.soft.config import require_width

#: Operations of tasks without and with an array, unless told otherwise.
PLAIN = tuple(name for name in NAMES if SOFT[name].group not in ("memory", "port")
              and name not in ("CALL", "RET", "HALT"))  # fmt: skip
WITH_ARRAYS = (*PLAIN, "LD", "ST", "LDP", "STP")
#: Lengths of arrays to try.
COUNTS = (1, 2, 3, 5, 8)
#: What an example's result may be called in a file.
_RESULT = re.compile(r"(out|output|result|expected|want|wanted|answer|return)(\d*|[_ ].*)", re.I)


def default_numbers(width: int) -> Words:
    """Constants that searches may use: small ones, the width and what is made of it."""
    top = 1 << (width - 1)
    numbers = (0, 1, -1, 2, width - 1, width, top, top - 1, 3, 4, -2)
    few = (number_for(n, width) if n >= 0 else n & mask(NUMBER) for n in numbers)
    return tuple(dict.fromkeys(n for n in few if n is not None))


def custom_task(
    name: str,
    spec: Specification,
    arity: int,
    draw: Callable[[random.Random, int], Given],
    edges: Callable[[int], Sequence[Given]],
    *,
    width: int,
    size: int = 0,
    doc: str = "",
    every: Callable[[], Iterator[Given]] | None = None,
    is_signed: bool = True,
    certain: bool = True,
    ops: Sequence[str] | None = None,
    numbers: Sequence[int] | None = None,
    registers: int | None = None,
    length: int | None = None,
    sketch: str = "",
    harvest: Sequence[int] = (),
    narrows: bool = True,
) -> Task:
    """A task of the user's own, with what may be searched through."""
    require_width(width)
    unknown = [op for op in ops or () if op not in SOFT]
    if unknown:
        raise UsageError(f"no such operation: {', '.join(unknown)}")
    if registers is not None and not arity < registers <= 16:
        raise UsageError(f"registers must be from {arity + 1} to 16, not {registers}")
    if length is not None and not 1 <= length <= 64:
        raise UsageError(f"length must be from 1 to 64, not {length}")
    allowed = tuple(ops) if ops else WITH_ARRAYS if size else PLAIN
    hints = _as_numbers(harvest, width)
    own = tuple(dict.fromkeys(n for n in hints.values() if n is not None))
    constants = tuple(dict.fromkeys((*own, *default_numbers(width))))
    if numbers:
        forms = _as_numbers(numbers, width)
        large = [str(n) for n, form in forms.items() if form is None]
        if large:
            raise UsageError(f"numbers of instructions have {NUMBER} bits, sign-extended; "
                             f"{', '.join(large)} does not fit")  # fmt: skip
        constants = tuple(dict.fromkeys(n for n in forms.values() if n is not None))
    return Task(
        name, doc, arity, spec.answer, draw, edges, allowed, _limit(size), every, size,
        registers or min(16, arity + 4), length or 8, sketch, True, spec, constants, (width,),
        is_signed, certain, bool(numbers), 0 if numbers else len(own), narrows,
        () if numbers else tuple(n & mask(width) for n, form in hints.items() if form is None),
    )  # fmt: skip


def _as_numbers(words: Sequence[int], width: int) -> dict[int, int | None]:
    """The instruction's number for each word, None for those that have none."""
    return {n: n & mask(NUMBER) if width <= NUMBER else number_for(n, width) for n in words}


def _limit(size: int) -> Callable[[int, int], int]:
    if size:
        return lambda width, n: 16 * n * n + 64 * n + 256
    return lambda width, n: 20_000


def from_function(
    function: Callable[..., Any],
    name: str | None = None,
    *,
    inputs: str | Callable[..., Any] | None = None,
    arrays: Sequence[str] | int | None = None,
    width: int = 32,
    **more: Any,
) -> Task:
    """A task whose specification is a Python function.

    `inputs` is `signed` or `unsigned`, a function of a random generator that returns arguments,
    or None: negative numbers are used unless the function counts bits or does not end on them.
    """
    is_signed = {"signed": True, "unsigned": False}.get(inputs) if isinstance(inputs, str) else None
    if isinstance(inputs, str) and is_signed is None:
        raise UsageError(f"inputs are signed or unsigned, not {inputs}")
    names = _array_names(function, arrays)
    spec = specify(function, names, is_signed)
    source = inputs if callable(inputs) else None
    inputs_of = _Inputs(spec, largest(spec, width), source)
    arity = len(spec.parameters) + (spec.array is not None)
    return custom_task(
        name or getattr(function, "__name__", "task").strip("<>"), spec, arity,
        inputs_of.draw, inputs_of.edges, width=width,
        size=max(COUNTS) if spec.array is not None else 0, doc=_first_line(function),
        every=inputs_of.every if arity <= 2 and spec.array is None and source is None else None,
        is_signed=spec.is_signed, harvest=constants_of(function), **more,
    )  # fmt: skip


def constants_of(function: Callable[..., Any]) -> list[int]:
    """The integers that stand in a function."""
    code = getattr(function, "__code__", None)
    numbers = [] if code is None else [c for c in code.co_consts if type(c) is int]
    return [number for number in numbers if number not in (0, 1, -1)][:8]


def _array_names(
    function: Callable[..., Any], arrays: Sequence[str] | int | None
) -> Sequence[str] | None:
    if isinstance(arrays, int):
        parameters = function.__code__.co_varnames[: function.__code__.co_argcount]
        return parameters[:arrays]
    return (arrays,) if isinstance(arrays, str) else arrays


def _first_line(function: Callable[..., Any]) -> str:
    return (function.__doc__ or "").strip().split("\n")[0]


class _Inputs:
    """Inputs of a function: edge cases and random ones, all in its domain."""

    def __init__(
        self, spec: FunctionSpecification, bound: int, source: Callable[..., Any] | None
    ) -> None:
        self.spec, self.bound, self.source = spec, bound, source
        self.scalars = len(spec.parameters) - (spec.array is not None)

    def _word(self, rng: random.Random, width: int, others: Sequence[int] = ()) -> int:
        kind = rng.random()
        if others and kind < 0.25:
            number = rng.choice(others) + rng.choice((0, 0, 0, 1, -1))
        elif kind < 0.45:
            number = rng.randint(-20, 20)
        elif kind < 0.6:
            number = rng.choice((1, -1)) * ((1 << rng.randrange(width)) + rng.choice((-1, 0, 0, 1)))
        elif kind < 0.75:
            number = rng.getrandbits(rng.randint(1, width))
        else:
            number = rng.getrandbits(width)
        return self._bounded(number, width)

    def _bounded(self, number: int, width: int) -> int:
        """The number as a word; of magnitude up to the bound, where the function is slow above."""
        word = number & mask(width)
        value = signed(width, word) if self.spec.is_signed else word
        if abs(value) > self.bound:
            value = (value % (self.bound + 1)) * (1 if value >= 0 else -1)
        return value & mask(width)

    def once(self, rng: random.Random, width: int) -> Given:
        """An input, in the domain or not."""
        if self.source is not None:
            return self._chosen(rng, width)
        scalars: list[int] = []
        if self.spec.array is None:
            for _ in range(self.scalars):
                scalars.append(self._word(rng, width, scalars))
            return Given(tuple(scalars))
        few = [self._word(rng, width) for _ in range(3)]
        few += [n & mask(width) for n in (0, 1, 2)]
        count, style = rng.choice(COUNTS), rng.random()
        words = [rng.choice(few) if style < 0.4 else self._word(rng, width) for _ in range(count)]
        if style > 0.85:
            words.sort(key=lambda word: signed(width, word))
        for _ in range(self.scalars):
            inside = rng.choice(words)
            scalars.append(inside if rng.random() < 0.5 else self._word(rng, width, words))
        return place_array(words, scalars, rng.randint(0, 3), width, max(COUNTS))

    def _chosen(self, rng: random.Random, width: int) -> Given:
        assert self.source is not None
        values = self.source(rng)
        arguments = list(values) if isinstance(values, tuple) else [values]
        if self.spec.array is None:
            return Given(tuple(int(x) & mask(width) for x in arguments))
        words = arguments.pop(self.spec.array)
        return place_array(words, arguments, rng.randint(0, 3), width, max(COUNTS))

    def _inside(self, width: int, given: Given) -> bool:
        try:
            self.spec.answer(width, given)
        except OutsideDomain:
            return False
        return True

    def draw(self, rng: random.Random, width: int) -> Given:
        """A random input in the domain."""
        for _ in range(2000):
            given = self.once(rng, width)
            if self._inside(width, given):
                return given
        raise UsageError("the function refuses nearly every input; say which ones with inputs=")

    def edges(self, width: int) -> list[Given]:
        """Edge cases in the domain."""
        top = 1 << (width - 1)
        words = (0, 1, 2, 3, -1, -2, top - 1, top, top + 1, 100, -100)
        rng = random.Random("edges")
        if self.spec.array is not None or self.source is not None:
            return [self.draw(rng, width) for _ in range(60)]
        some = list(dict.fromkeys(self._bounded(w, width) for w in words))
        every = list(product(some, repeat=self.scalars))
        sample = rng.sample(every, min(len(every), 400))
        return [given for given in map(Given, sample) if self._inside(width, given)]

    def every(self) -> Iterator[Given]:
        """Every input of 8 bits in the domain."""
        return (
            given for given in map(Given, product(range(256), repeat=self.scalars))
            if self._inside(8, given)
        )  # fmt: skip


def from_examples(
    rows: Iterable[tuple[Sequence[Any], Any]],
    name: str = "examples",
    *,
    width: int = 32,
    **more: Any,
) -> Task:
    """A task given by examples alone: pairs of inputs and result; a list is the array."""
    pairs = [(list(inputs), result) for inputs, result in rows]
    if not pairs:
        raise UsageError(f"{name}: no examples")
    shapes = {tuple(isinstance(x, (list, tuple)) for x in inputs) for inputs, _ in pairs}
    if len(shapes) > 1:
        raise UsageError(f"{name}: the examples have different inputs")
    (shape,) = shapes
    if sum(shape) > 1:
        raise UsageError(f"{name}: one array at most, not {sum(shape)}")
    array = shape.index(True) if any(shape) else None
    size = max((len(inputs[array]) for inputs, _ in pairs), default=0) if array is not None else 0
    table: dict[tuple[Words, Words], Expected] = {}
    for k, (inputs, result) in enumerate(pairs):
        base = 0
        rest = [_integer(x, name) for x in inputs if not isinstance(x, (list, tuple))]
        if array is None:
            given = Given(tuple(x & mask(width) for x in rest))
        else:
            base = k % 4
            words = [_integer(x, name) for x in inputs[array]]
            given = place_array(words, rest, base, width, size)
        expected = _expected(result, base, array, inputs, width, name)
        if table.setdefault((given.registers, given.memory), expected) != expected:
            raise UsageError(f"{name}: two examples with the inputs {inputs} differ")
    givens = [Given(*key) for key in table]
    return custom_task(
        name, ExampleSpecification(table), len(givens[0].registers),
        lambda rng, width: rng.choice(givens), lambda width: givens, width=width, size=size,
        doc=f"{len(givens)} examples", certain=False, narrows=False, **more,
    )  # fmt: skip


def _expected(
    result: Any, base: int, array: int | None, inputs: Sequence[Any], width: int, name: str
) -> Expected:
    if isinstance(result, (list, tuple)) and array is not None:
        if len(result) != len(inputs[array]):
            raise UsageError(f"{name}: the resulting array has another length than the given one")
        words = [_integer(x, name) & mask(width) for x in result]
        return Expected((), tuple((base + k, word) for k, word in enumerate(words)))
    words = list(result) if isinstance(result, (list, tuple)) else [result]
    return Expected(tuple(_integer(x, name) & mask(width) for x in words))


def _integer(value: Any, name: str) -> int:
    try:
        return int(value, 0) if isinstance(value, str) else int(value)
    except (TypeError, ValueError):
        raise UsageError(f"{name}: {value!r} is not an integer") from None


def read_csv(path: Path) -> list[tuple[list[Any], Any]]:
    """Examples from a CSV file: inputs, then results.

    The first line may name the columns; columns called `out`, `result`, `expected`, … are results,
    otherwise the last one is. An array is written in one cell: `3 1 2` or `[3, 1, 2]`.
    """
    with path.open(newline="", encoding="utf-8-sig") as file:
        sample = file.read()
    rows = [row for row in csv.reader(sample.splitlines(), skipinitialspace=True)
            if row and not row[0].startswith("#")]  # fmt: skip
    if not rows:
        raise UsageError(f"{path}: no examples")
    header = [] if all(_is_cell(cell) for cell in rows[0]) else [cell.strip() for cell in rows[0]]
    body = rows[1:] if header else rows
    columns = len(rows[0])
    wrong = [k for k, row in enumerate(body, 2 if header else 1) if len(row) != columns]
    if wrong:
        raise UsageError(f"{path}:{wrong[0]}: not {columns} cells")
    if columns < 2:
        raise UsageError(f"{path}: a line needs inputs and a result")
    results = [k for k, title in enumerate(header) if _RESULT.fullmatch(title)]
    results = results if 0 < len(results) < columns else [columns - 1]
    if results != list(range(columns - len(results), columns)):
        results = [columns - 1]
    pairs: list[tuple[list[Any], Any]] = []
    for number, row in enumerate(body, 2 if header else 1):
        cells = [_cell(cell, f"{path}:{number}") for cell in row]
        outputs = [cells[k] for k in results]
        pairs.append(([c for k, c in enumerate(cells) if k not in results],
                      outputs[0] if len(outputs) == 1 else tuple(outputs)))  # fmt: skip
    return pairs


def _is_cell(cell: str) -> bool:
    try:
        _cell(cell, "")
    except UsageError:
        return False
    return True


def _cell(cell: str, where: str) -> Any:
    """A number, or the words of an array."""
    text = cell.strip()
    words = text.strip("[]").replace(",", " ").replace(";", " ").split()
    try:
        numbers = [int(word, 0) for word in words]
    except ValueError:
        truth = {"true": 1, "false": 0}.get(text.lower())
        if truth is None:
            raise UsageError(f"{where}: {text!r} is neither a number nor an array") from None
        return truth
    if not numbers and not text.startswith("["):
        raise UsageError(f"{where}: an empty cell")
    return numbers if text.startswith("[") or len(numbers) > 1 else numbers[0]


def read_json(path: Path) -> list[tuple[list[Any], Any]]:
    """Examples from JSON: `[[[inputs…], result], …]`, or objects whose last entry is the result."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as problem:
        raise UsageError(f"{path}: not JSON: {problem}") from None
    if isinstance(data, Mapping) and "examples" in data:
        data = data["examples"]
    if not isinstance(data, list):
        raise UsageError(f"{path}: not a list of examples")
    return [_json_example(each, f"{path}: example {k}") for k, each in enumerate(data, 1)]


def _json_example(each: Any, where: str) -> tuple[list[Any], Any]:
    if isinstance(each, Mapping) and len(each) >= 2:
        *inputs, (_, result) = each.items()
        values = [value for _, value in inputs]
        named = [key for key in each if key in ("inputs", "input", "args")]
        if named:
            values = each[named[0]]
            result = next(value for key, value in each.items() if key != named[0])
        return list(values) if isinstance(values, list) else [values], result
    if isinstance(each, list) and len(each) == 2 and isinstance(each[0], list):
        return each[0], each[1]
    if isinstance(each, list) and len(each) >= 2:
        return each[:-1], each[-1]
    raise UsageError(f"{where} is neither [[inputs…], result] nor an object")


def load_function(path: Path, name: str) -> Callable[..., Any]:
    """A function from a Python file."""
    if not path.is_file():
        raise UsageError(f"{path}: no such file")
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    except SyntaxError as problem:
        raise UsageError(f"{path}:{problem.lineno}:{problem.offset}: {problem.msg}") from None
    defined = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    if name not in defined:
        listed = f"; it has {', '.join(defined)}" if defined else ""
        raise UsageError(f"{path}: no function {name}{listed}")
    module_name = f"_specification_{path.stem}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    spec.loader.exec_module(module)
    function: Callable[..., Any] = getattr(module, name)
    return function
