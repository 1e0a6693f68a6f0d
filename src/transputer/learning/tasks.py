"""What there is to learn: each task is a specification with inputs to try programs on.

Arguments come in the registers from R0 on and results are left there; all other registers start
at zero. An array task gets the address and the number of words in R0 and R1; the rest of memory
holds anything, and only a task that works in place may change memory at all. Numbers are signed
unless a task says otherwise. Nothing here says how a task is to be solved.
"""

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import product

from transputer.errors import UsageError
from transputer.isa.integers import mask, signed
from transputer.learning.specification import (
    Expected,
    FunctionSpecification,
    Given,
    Specification,
    Words,
)
from transputer.values import dataclass

__all__ = ["TASKS", "Expected", "Given", "Task", "Words", "find_task", "room"]

_STRAIGHT = "HALT MOV SET ADD ADDI SUB AND OR XOR SHL SHR SRA CMP CMOV".split()
_EXTREMES = ("MIN", "MAX")
_BRANCHES = ("JMP", "JEQ", "JNE", "JLT", "JGE", "DJNZ")
_ARRAYS = ("LD", "ST", "LDP", "STP")
#: Sets of operations that tasks allow: masks. Those of `max` and `min` lack the answer.
STRAIGHT = tuple(_STRAIGHT)
EXTREMES = (*STRAIGHT, *_EXTREMES)
ARRAYS = (*EXTREMES, *_BRANCHES, *_ARRAYS)
ORDER = ("MOV", "MIN", "MAX")
NUMBERS = ("MOV", "SET", "ADD", "ADDI", "SUB", "MIN", "MAX", "CMP", *_BRANCHES)
BITS = ("MOV", "ADD", "ADDI", "SUB", "AND", "OR", "XOR", "SHL", "SHR", "SRA", "CMP")
REDUCTION = ("MOV", "ADD", "SUB", "MIN", "MAX", "CMP", "JMP", "JEQ", "JNE")
TESTS = ("MOV", "ADDI", "CMP", "JEQ", "JNE")
PRODUCTS = ("MOV", "SET", "ADD", "ADDI", "SUB", "AND", "OR", "SHL", "SHR", "SRA", "CMP", *_BRANCHES)
SCANS = ("MOV", "ADD", "ADDI", "SUB", "MIN", "MAX", "CMP", "JEQ", "JNE", "DJNZ", "LD", "LDP")
MOVES = ("MOV", "ADD", "SUB", "CMP", "LD", "ST", "LDP", "STP")


@dataclass(frozen=True, slots=True)
class Task:
    """One task. `solve` takes a width and an input; `draw` makes a random input.

    `arity` counts argument registers; `size` is the largest array drawn (0: no array); `limit`
    bounds the steps of a run on an array of n at a width. `every` enumerates all inputs at
    8 bits where that can be done. `ops` are the operations allowed, `numbers` the constants that
    searches may use, and `sketch` instructions that are given, with `?` for each one that is to be
    found: all three are help, and reported as such. The first `harvested` numbers come from the
    specification; `large` are those of them that no instruction holds. `widths` are those at which
    a program must be right; `certain` is False where examples are all there is, `narrows` where the
    task makes sense at 8 bits, too.
    """

    name: str
    doc: str
    arity: int
    solve: Callable[[int, Given], Expected]
    draw: Callable[[random.Random, int], Given]
    edges: Callable[[int], Sequence[Given]]
    ops: tuple[str, ...]
    limit: Callable[[int, int], int]
    every: Callable[[], Iterator[Given]] | None = None
    size: int = 0
    registers: int = 4
    length: int = 4
    sketch: str = ""
    loops: bool = False
    spec: Specification | None = None
    numbers: Words = (0, 1, 0xFFFFFFFF, 2)
    widths: tuple[int, ...] = (8, 32)
    is_signed: bool = True
    certain: bool = True
    given_numbers: bool = False
    harvested: int = 0
    narrows: bool = True
    large: Words = ()

    @property
    def target(self) -> int:
        """The width that a program is learned for."""
        return self.widths[-1]

    @property
    def results(self) -> int:
        """How many registers hold results; the array of a task without any is in memory."""
        return len(self.solve(self.target, self.edges(self.target)[0]).registers)

    @property
    def width(self) -> int:
        """The width at which every input is tried."""
        return 8

    def array(self, given: Given) -> Words:
        """The array of an input; empty where the task has none."""
        if not self.size:
            return ()
        base, count = given.registers[:2]
        return given.memory[base : base + count]


def room(size: int) -> int:
    """Words of memory for an array of this size at a small address: a power of two."""
    memory = 1
    while size and memory < size + 8:
        memory *= 2
    return memory


def _edge_words(width: int) -> Words:
    top = 1 << (width - 1)
    return tuple(w & mask(width) for w in (0, 1, 2, 3, -1, -2, top - 1, top, top + 1, 100))


def _any(rng: random.Random, width: int) -> int:
    """A word: half of the time near zero or an edge."""
    if rng.random() < 0.3:
        return rng.choice(_edge_words(width))
    if rng.random() < 0.4:
        return rng.randint(-20, 20) & mask(width)
    return rng.getrandbits(width)


def _straight(
    name: str,
    doc: str,
    arity: int,
    function: Callable[..., int | Words],
    ops: tuple[str, ...] = STRAIGHT,
    draw: Callable[[random.Random, int], Given] | None = None,
    is_signed: bool = True,
    **more: object,
) -> Task:
    """A task on registers."""
    spec = FunctionSpecification(function, tuple("xyzw"[:arity]), None, is_signed)

    def anything(rng: random.Random, width: int) -> Given:
        return Given(tuple(rng.getrandbits(width) for _ in range(arity)))

    def edges(width: int) -> list[Given]:
        return [Given(words) for words in product(_edge_words(width), repeat=arity)]

    def every() -> Iterator[Given]:
        return (Given(words) for words in product(range(256), repeat=arity))

    return Task(
        name, doc, arity, spec.answer, draw or anything, edges, ops, lambda width, n: 64,
        every=every if arity <= 2 else None, spec=spec, is_signed=is_signed,
        **more,  # type: ignore[arg-type]
    )  # fmt: skip


def _sign(x: int) -> int:
    return (x > 0) - (x < 0)


def _power(x: int) -> int:
    return int(x.bit_count() == 1)


def _in_order(*words: int) -> Words:
    return tuple(sorted(words))


def _maybe_power(rng: random.Random, width: int) -> Given:
    near = (1 << rng.randrange(width)) + rng.choice((0, 0, 0, 1, -1))
    return Given((rng.choice((near & mask(width), _any(rng, width))),))


_ON_REGISTERS = (
    _straight("add", "x + y, wrapping", 2, lambda x, y: x + y, length=2),
    _straight("sub", "x - y, wrapping", 2, lambda x, y: x - y, length=2),
    _straight("max", "the greater of x and y, without MIN and MAX", 2, lambda x, y: max(x, y)),
    _straight("min", "the lesser of x and y, without MIN and MAX", 2, lambda x, y: min(x, y)),
    _straight("abs", "the absolute value of x, without MIN and MAX", 1, lambda x: abs(x)),
    _straight(
        "sign",
        "-1, 0 or 1",
        1,
        _sign,
        EXTREMES,
        draw=lambda rng, width: Given((_any(rng, width),)),
    ),
    _straight("swap", "x and y exchanged", 2, lambda x, y: (y, x), registers=3),
    _straight(
        "clamp",
        "x moved into the range from y to z",
        3,
        lambda x, y, z: min(max(x, y), z),
        EXTREMES,
        length=3,
    ),
    _straight(
        "average",
        "the mean of x and y rounded down, without overflow",
        2,
        lambda x, y: (x + y) >> 1,
        length=5,
    ),
    _straight(
        "power_of_two",
        "1 if exactly one bit is set, else 0",
        1,
        _power,
        (*BITS, "SET", "JEQ", "JNE"),
        length=7,
        draw=_maybe_power,
        is_signed=False,
    ),
    _straight("blsr", "x with its lowest set bit cleared", 1, lambda x: x & (x - 1), length=3),
    _straight("sort2", "x and y in order", 2, _in_order, EXTREMES, length=3),
    _straight("sort3", "three numbers in order", 3, _in_order, ORDER, registers=5, length=8),
    _straight("sort4", "four numbers in order", 4, _in_order, ORDER, registers=6, length=12),
)


def _pairs() -> Iterator[Given]:
    return (Given(words) for words in product(range(256), repeat=2))


def _multiply(x: int, y: int) -> int:
    return x * y


_PRODUCT = FunctionSpecification(_multiply, ("x", "y"))
_MULTIPLY = Task(
    "multiply", "x * y, wrapping, without MUL, in at most 8 steps for each bit", 2,
    _PRODUCT.answer,
    lambda rng, width: Given((_any(rng, width), _any(rng, width))),
    lambda width: [Given(pair) for pair in product(_edge_words(width), repeat=2)],
    PRODUCTS, lambda width, n: 8 * width + 8, _pairs, registers=5, length=8, loops=True,
    spec=_PRODUCT,
)  # fmt: skip


def _positive(width: int, bound: int) -> list[Given]:
    top = min(bound, (1 << (width - 1)) - 1)
    return [Given(pair) for pair in ((1, 1), (1, top), (top, 1), (12, 18), (17, 5), (top, top))]


_DIVISOR = FunctionSpecification(math.gcd, ("x", "y"))
_GCD = Task(
    "gcd", "the greatest common divisor of two positive numbers", 2, _DIVISOR.answer,
    lambda rng, width: Given((rng.randint(1, 60), rng.randint(1, 60))),
    lambda width: _positive(width, 1000), REDUCTION,
    lambda width, n: 8 * 128 if width == 8 else 8 * 1024,
    lambda: (Given(pair) for pair in product(range(1, 128), repeat=2)),
    length=6, loops=True, spec=_DIVISOR,
)  # fmt: skip


def _fibonacci(n: int) -> int:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


_SEQUENCE = FunctionSpecification(_fibonacci, ("n",), None, False)
_FIBONACCI = Task(
    "fibonacci", "the n-th Fibonacci number, wrapping, for n from 1 to 255", 1, _SEQUENCE.answer,
    lambda rng, width: Given((rng.randint(1, 12),)),
    lambda width: [Given((n,)) for n in (1, 2, 3, 4, 5, 10, 47, 255)],
    NUMBERS, lambda width, n: 8 * 256, lambda: (Given((n,)) for n in range(1, 256)),
    length=6, loops=True, spec=_SEQUENCE, is_signed=False,
)  # fmt: skip


def place_array(
    words: Sequence[int], rest: Sequence[int], base: int, width: int, size: int
) -> Given:
    """An input with this array at an address, in memory for `size` words; random words around."""
    rng = random.Random(f"{base} {list(words)}")
    memory = [rng.getrandbits(width) for _ in range(room(size))]
    memory[base : base + len(words)] = [word & mask(width) for word in words]
    return Given((base, len(words), *(x & mask(width) for x in rest)), tuple(memory))


def _array(
    name: str,
    doc: str,
    arity: int,
    function: Callable[..., int | list[int]],
    draw: Callable[[random.Random, int, int], tuple[list[int], Words]],
    length: int,
    ops: tuple[str, ...],
    sketch: str = "",
    registers: int = 5,
    counts: Sequence[int] = (1, 2, 3, 5, 8),
    addressed: bool = False,
) -> Task:
    """A task on an array of signed words, and on further words."""
    spec = FunctionSpecification(function, ("a", "key")[: arity - 1], 0, True, addressed)

    def one(rng: random.Random, width: int) -> Given:
        words, rest = draw(rng, rng.choice(counts), width)
        return place_array(words, rest, rng.randint(0, 3), width, max(counts))

    def edges(width: int) -> list[Given]:
        rng = random.Random(name)
        return [
            place_array(*draw(rng, count, width), base, width, max(counts))
            for count in counts for base in (0, 2) for _ in range(6)
        ]  # fmt: skip

    return Task(
        name, doc, arity, spec.answer, one, edges, ops,
        lambda width, n: 16 * n + 16, None, max(counts), registers, length, sketch, True, spec,
    )  # fmt: skip


def _numbers(rng: random.Random, count: int, width: int) -> tuple[list[int], Words]:
    return [signed(width, _any(rng, width)) for _ in range(count)], ()


def _few(rng: random.Random, count: int, width: int) -> tuple[list[int], Words]:
    """An array of few different values, and one of them or another as the key."""
    return [rng.randint(-2, 2) for _ in range(count)], (rng.randint(-2, 2),)


def _sorted(rng: random.Random, count: int, width: int) -> tuple[list[int], Words]:
    """A sorted array, and a key that is not below all of it."""
    words = sorted(rng.sample(range(-100, 100), count))
    return words, (rng.randint(words[0], 110),)


def _find(a: list[int], key: int) -> int:
    for k, word in enumerate(a):
        if word == key:
            return k
    return len(a)


def _last(a: list[int], key: int) -> int:
    return max(i for i, word in enumerate(a) if word <= key)


def _greatest(a: list[int]) -> int:
    return max(a)


def sum_of(counts: Sequence[int] = (1, 2, 3, 5, 8), length: int = 4) -> Task:
    """The task `sum_array` with arrays of these sizes."""
    doc = "the sum of an array, wrapping"
    return _array("sum_array", doc, 2, lambda a: sum(a), _numbers, length, ARRAYS, counts=counts)


def sort_of(counts: Sequence[int], ops: tuple[str, ...], sketch: str) -> Task:
    """An array in order, in place, of these sizes."""
    doc, length = "an array in order, in place", max(1, len(sketch.split("\n")))
    task = _array("sort", doc, 2, lambda a: sorted(a), _numbers, length, ops, sketch, 7, counts)
    return replace(task, limit=lambda width, n: 16 * n * n + 64)


_ON_ARRAYS = (
    sum_of(),
    _array("max_array", "the greatest of an array", 2, _greatest, _numbers, 6, SCANS),
    _array("count", "how many words of an array are the key", 3,
           lambda a, key: a.count(key), _few, 6, (*TESTS, "LDP", "DJNZ")),
    _array("linear_search", "the index of the first word that is the key, or n", 3, _find, _few, 6,
           (*TESTS, "LDP", "DJNZ")),
    _array("binary_search", "the address of the last word not above the key, in a sorted array "
           "of 2, 4, 8 or 16 words of which the first is not above it", 3, _last, _sorted, 8,
           (*MOVES, "SHR", "JLT", "JNE"), registers=6, counts=(2, 4, 8, 16), addressed=True),
    _array("reverse", "an array in reverse, in place", 2, lambda a: a[::-1], _numbers, 8,
           (*MOVES, "ADDI", "JLT", "JGE", "JMP")),
)  # fmt: skip

TASKS = {task.name: task for task in (*_ON_REGISTERS, _MULTIPLY, *_ON_ARRAYS, _GCD, _FIBONACCI)}

#: Episodes that the original machine is reported to have needed.
EPISODES = {"add": 847, "max": 2341, "sum_array": 15_000, "sort4": 50_000}


def find_task(name: str) -> Task:
    """The task of this name, or a `UsageError` that lists them."""
    if name not in TASKS:
        raise UsageError(f"no task {name}; there are {', '.join(TASKS)}")
    return TASKS[name]
