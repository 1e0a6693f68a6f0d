"""What there is to learn: each task is a reference function with inputs to try it on.

Arguments come in the registers from R0 on and results are left there; all other registers start
at zero. An array task gets the address and the number of words in R0 and R1; the rest of memory
holds anything, and only a task that works in place may change memory at all. Numbers are signed
unless a task says otherwise. Nothing here says how a task is to be solved, except `sketch`:
instructions that are given, with `?` for each one that is to be found.
"""

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from transputer.errors import UsageError
from transputer.isa.integers import mask, signed

Words = tuple[int, ...]

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
REDUCTION = ("MOV", "ADD", "SUB", "MIN", "MAX")
TESTS = ("MOV", "ADDI", "CMP", "JEQ", "JNE")
PRODUCTS = ("ADD", "SUB", "AND", "OR", "SRA")
SCANS = ("MOV", "ADD", "ADDI", "SUB", "MIN", "MAX", "CMP", "JEQ", "JNE", "DJNZ", "LD", "LDP")
MOVES = ("MOV", "ADD", "SUB", "CMP", "LD", "ST", "LDP", "STP")


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


@dataclass(frozen=True, slots=True)
class Task:
    """One task. `solve` takes a width and an input; `draw` makes a random input.

    `arity` counts argument registers; `size` is the largest array drawn (0: no array); `limit`
    bounds the steps of a run on an array of n at a width. `every` enumerates all inputs at
    8 bits where that can be done.
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

    @property
    def results(self) -> int:
        """How many registers hold results; the array of a task without any is in memory."""
        return len(self.solve(32, self.edges(32)[0]).registers)

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
    **more: object,
) -> Task:
    """A task on registers; `function` takes the width and signed arguments."""

    def solve(width: int, given: Given) -> Expected:
        result = function(width, *(signed(width, x) for x in given.registers))
        words = result if isinstance(result, tuple) else (result,)
        return Expected(tuple(word & mask(width) for word in words))

    def anything(rng: random.Random, width: int) -> Given:
        return Given(tuple(rng.getrandbits(width) for _ in range(arity)))

    def edges(width: int) -> list[Given]:
        return [Given(words) for words in product(_edge_words(width), repeat=arity)]

    def every() -> Iterator[Given]:
        return (Given(words) for words in product(range(256), repeat=arity))

    return Task(
        name, doc, arity, solve, draw or anything, edges, ops, lambda width, n: 64,
        every=every if arity <= 2 else None, **more,  # type: ignore[arg-type]
    )  # fmt: skip


def _average(width: int, x: int, y: int) -> int:
    return (x + y) >> 1


def _power(width: int, x: int) -> int:
    return int((x & mask(width)).bit_count() == 1)


def _maybe_power(rng: random.Random, width: int) -> Given:
    near = (1 << rng.randrange(width)) + rng.choice((0, 0, 0, 1, -1))
    return Given((rng.choice((near & mask(width), _any(rng, width))),))


_PREDICATE = "?\n?\n?\n?\nSET R0, 0\nJNE 7\nSET R0, 1"
_ON_REGISTERS = (
    _straight("add", "x + y, wrapping", 2, lambda w, x, y: x + y, length=2),
    _straight("sub", "x - y, wrapping", 2, lambda w, x, y: x - y, length=2),
    _straight("max", "the greater of x and y, without MIN and MAX", 2, lambda w, x, y: max(x, y)),
    _straight("min", "the lesser of x and y, without MIN and MAX", 2, lambda w, x, y: min(x, y)),
    _straight("abs", "the absolute value of x, without MIN and MAX", 1, lambda w, x: abs(x)),
    _straight(
        "sign",
        "-1, 0 or 1",
        1,
        lambda w, x: (x > 0) - (x < 0),
        EXTREMES,
        draw=lambda rng, width: Given((_any(rng, width),)),
    ),
    _straight("swap", "x and y exchanged", 2, lambda w, x, y: (y, x), registers=3),
    _straight(
        "clamp",
        "x moved into the range from y to z",
        3,
        lambda w, x, y, z: min(max(x, y), z),
        EXTREMES,
        length=3,
    ),  # fmt: skip
    _straight(
        "average", "the mean of x and y rounded down, without overflow", 2, _average, length=5
    ),
    _straight(
        "power_of_two",
        "1 if exactly one bit is set, else 0",
        1,
        _power,
        BITS,
        sketch=_PREDICATE,
        length=7,
        draw=_maybe_power,
    ),  # fmt: skip
    _straight("blsr", "x with its lowest set bit cleared", 1, lambda w, x: x & (x - 1), length=3),
    _straight("sort2", "x and y in order", 2, lambda w, *x: tuple(sorted(x)), EXTREMES, length=3),
    _straight(
        "sort3",
        "three numbers in order",
        3,
        lambda w, *x: tuple(sorted(x)),
        ORDER,
        registers=5,
        length=8,
    ),
    _straight(
        "sort4",
        "four numbers in order",
        4,
        lambda w, *x: tuple(sorted(x)),
        ORDER,
        registers=6,
        length=12,
    ),
)


def _multiply(width: int, given: Given) -> Expected:
    x, y = given.registers
    return Expected((x * y & mask(width),))


def _pairs() -> Iterator[Given]:
    return (Given(words) for words in product(range(256), repeat=2))


_MULTIPLY = Task(
    "multiply", "x * y, wrapping, in at most 8 steps for each bit", 2, _multiply,
    lambda rng, width: Given((_any(rng, width), _any(rng, width))),
    lambda width: [Given(pair) for pair in product(_edge_words(width), repeat=2)],
    PRODUCTS, lambda width, n: 8 * width + 8, _pairs, registers=5, length=8, loops=True,
    sketch="SET R2, WIDTH\nSHL R3, R3, 1\n?\n?\n?\nSHL R1, R1, 1\nDJNZ R2, 1\nMOV R0, R3",
)  # fmt: skip


def _gcd(width: int, given: Given) -> Expected:
    return Expected((math.gcd(*given.registers),))


def _positive(width: int, bound: int) -> list[Given]:
    top = min(bound, (1 << (width - 1)) - 1)
    return [Given(pair) for pair in ((1, 1), (1, top), (top, 1), (12, 18), (17, 5), (top, top))]


_GCD = Task(
    "gcd", "the greatest common divisor of two positive numbers", 2, _gcd,
    lambda rng, width: Given((rng.randint(1, 60), rng.randint(1, 60))),
    lambda width: _positive(width, 1000), REDUCTION,
    lambda width, n: 8 * 128 if width == 8 else 8 * 1024,
    lambda: (Given(pair) for pair in product(range(1, 128), repeat=2)),
    length=6, loops=True, sketch="?\n?\n?\nCMP R0, R3\nJNE 0\nMOV R0, R1",
)  # fmt: skip


def _fibonacci(width: int, given: Given) -> Expected:
    a, b = 0, 1
    for _ in range(given.registers[0]):
        a, b = b, a + b
    return Expected((a & mask(width),))


_FIBONACCI = Task(
    "fibonacci", "the n-th Fibonacci number, wrapping, for n from 1 to 255", 1, _fibonacci,
    lambda rng, width: Given((rng.randint(1, 12),)),
    lambda width: [Given((n,)) for n in (1, 2, 3, 4, 5, 10, 47, 255)],
    NUMBERS, lambda width, n: 8 * 256, lambda: (Given((n,)) for n in range(1, 256)),
    length=6, loops=True,
)  # fmt: skip


def _array(
    name: str,
    doc: str,
    arity: int,
    answer: Callable[[list[int], Words], int | list[int]],
    draw: Callable[[random.Random, int, int], tuple[list[int], Words]],
    length: int,
    ops: tuple[str, ...],
    sketch: str = "",
    registers: int = 5,
    counts: Sequence[int] = (1, 2, 3, 5, 8),
) -> Task:
    """A task on an array of signed words; `answer` gives R0, or the array as it must become."""

    def given(words: list[int], rest: Words, base: int, width: int) -> Given:
        rng = random.Random(f"{base} {words}")
        memory = [rng.getrandbits(width) for _ in range(room(max(counts)))]
        memory[base : base + len(words)] = [word & mask(width) for word in words]
        return Given((base, len(words), *(x & mask(width) for x in rest)), tuple(memory))

    def solve(width: int, x: Given) -> Expected:
        base, count, *rest = x.registers
        words = [signed(width, word) for word in x.memory[base : base + count]]
        result = answer(words, tuple(signed(width, r) for r in rest))
        if isinstance(result, list):
            return Expected((), tuple((base + i, v & mask(width)) for i, v in enumerate(result)))
        return Expected(((result + (base if name == "binary_search" else 0)) & mask(width),))

    def one(rng: random.Random, width: int) -> Given:
        words, rest = draw(rng, rng.choice(counts), width)
        return given(words, rest, rng.randint(0, 3), width)

    def edges(width: int) -> list[Given]:
        rng = random.Random(name)
        return [
            given(*draw(rng, count, width), base, width)
            for count in counts for base in (0, 2) for _ in range(6)
        ]  # fmt: skip

    return Task(
        name, doc, arity, solve, one, edges, ops,
        lambda width, n: 16 * n + 16, None, max(counts), registers, length, sketch, True,
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


def _find(words: list[int], rest: Words) -> int:
    return words.index(rest[0]) if rest[0] in words else len(words)


def _last(words: list[int], rest: Words) -> int:
    return max(i for i, word in enumerate(words) if word <= rest[0])


_EACH = "LDP R3, R0\n?\n?\n?\nDJNZ R1, 0\nMOV R0, R4"
_SEARCH = "SHR R1, R1, 1\n?\n?\n?\nJLT 6\nMOV R0, R3\nCMP R1, R4\nJNE 0"
_REVERSE = "ADD R2, R0, R1\nADDI R2, R2, -1\n?\n?\n?\n?\nCMP R0, R2\nJLT 1"


def sum_of(counts: Sequence[int] = (1, 2, 3, 5, 8), length: int = 4) -> Task:
    """The task `sum_array` with arrays of these sizes."""
    doc = "the sum of an array, wrapping"
    return _array("sum_array", doc, 2, lambda a, r: sum(a), _numbers, length, ARRAYS, counts=counts)


def sort_of(counts: Sequence[int], ops: tuple[str, ...], sketch: str) -> Task:
    """An array in order, in place, of these sizes."""
    doc, length = "an array in order, in place", max(1, len(sketch.split("\n")))
    task = _array("sort", doc, 2, lambda a, r: sorted(a), _numbers, length, ops, sketch, 7, counts)
    return replace(task, limit=lambda width, n: 16 * n * n + 64)


_ON_ARRAYS = (
    sum_of(),
    _array("max_array", "the greatest of an array", 2, lambda a, r: max(a), _numbers, 6,
           SCANS),
    _array("count", "how many words of an array are the key", 3,
           lambda a, r: a.count(r[0]), _few, 6, TESTS, _EACH),
    _array("linear_search", "the index of the first word that is the key, or n", 3, _find, _few, 6,
           TESTS, _EACH),
    _array("binary_search", "the address of the last word not above the key, in a sorted array "
           "of 2, 4, 8 or 16 words of which the first is not above it", 3, _last, _sorted, 8,
           MOVES, _SEARCH, 6, (2, 4, 8, 16)),
    _array("reverse", "an array in reverse, in place", 2, lambda a, r: a[::-1], _numbers, 8,
           MOVES, _REVERSE),
)  # fmt: skip

TASKS = {task.name: task for task in (*_ON_REGISTERS, _MULTIPLY, *_ON_ARRAYS, _GCD, _FIBONACCI)}

#: Episodes that the original machine is reported to have needed.
EPISODES = {"add": 847, "max": 2341, "sum_array": 15_000, "sort4": 50_000}


def find_task(name: str) -> Task:
    """The task of this name, or a `UsageError` that lists them."""
    if name not in TASKS:
        raise UsageError(f"no task {name}; there are {', '.join(TASKS)}")
    return TASKS[name]
