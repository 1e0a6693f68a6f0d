"""Tasks that no search was tuned on: `python -m tools.learning.unseen` writes their result file.

Python functions with the default settings; ten of them also as SyGuS problems and as CSV files.
"""

import argparse
import json
import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tools.learning.sections import DOCS
from transputer.learning.learner import learn


def median(a: int, b: int, c: int) -> int:
    """The median of three."""
    return sorted((a, b, c))[1]


def is_zero(x: int) -> bool:
    """1 if x is 0."""
    return x == 0


def equality(x: int, y: int) -> bool:
    """1 if x and y are equal."""
    return x == y


def popcount(x: int) -> int:
    """Set bits."""
    return bin(x).count("1")


def square_plus_one(x: int) -> int:
    """x² + 1."""
    return x * x + 1


def gcd(a: int, b: int) -> int:
    """The greatest common divisor of two positive numbers."""
    assert a > 0 and b > 0
    while b:
        a, b = b, a % b
    return a


def reverse(a: list[int]) -> list[int]:
    """The array in reverse."""
    return a[::-1]


def count_key(a: list[int], key: int) -> int:
    """How often the key occurs."""
    return a.count(key)


def prefix_sums(a: list[int]) -> None:
    """Each word becomes the sum up to it."""
    for k in range(1, len(a)):
        a[k] += a[k - 1]


def argmax(a: list[int]) -> int:
    """The index of the greatest word, the first of several."""
    return a.index(max(a))


def distance(x: int, y: int) -> int:
    """|x - y|."""
    return abs(x - y)


def parity(x: int) -> int:
    """1 if an odd number of bits is set."""
    return bin(x).count("1") & 1


def is_sorted(a: list[int]) -> bool:
    """1 if no word is less than the one before."""
    return all(a[k] <= a[k + 1] for k in range(len(a) - 1))


def span(a: list[int]) -> int:
    """The greatest word minus the least."""
    return max(a) - min(a)


def sum_of_squares(a: list[int]) -> int:
    """The sum of the squares."""
    return sum(x * x for x in a)


def differences(a: list[int]) -> list[int]:
    """Each word minus the one before."""
    return [a[0]] + [a[k] - a[k - 1] for k in range(1, len(a))]


def factorial(n: int) -> int:
    """n!, for n up to 20."""
    assert 0 <= n <= 20
    product = 1
    for k in range(2, n + 1):
        product *= k
    return product


def polynomial(x: int, y: int) -> int:
    """3x² - xy + 7."""
    return 3 * x * x - x * y + 7


def select(c: int, x: int, y: int) -> int:
    """x if c is positive, else y."""
    return x if c > 0 else y


def positives(a: list[int]) -> int:
    """How many words are greater than 0."""
    return sum(1 for x in a if x > 0)


def clamp_low(x: int, y: int) -> int:
    """The greater of x and y, 0 if they are equal."""
    return y if x < y else 0 if x == y else x


def same_sign(x: int, y: int) -> bool:
    """1 if both are negative or neither is."""
    return (x < 0) == (y < 0)


TASKS: tuple[Callable[..., Any], ...] = (
    median, is_zero, equality, popcount, square_plus_one, gcd, reverse, count_key, prefix_sums,
    argmax, distance, parity, is_sorted, span, sum_of_squares, differences, factorial, polynomial,
    select, positives, clamp_low, same_sign,
)  # fmt: skip
_ONE, _ZERO = "#x00000001", "#x00000000"
_FLAG = f"(ite {{}} {_ONE} {_ZERO})"
_BIT = "(bvand (bvlshr x (_ bv{} 32)) #x00000001)"
_LESS = "(ite (bvslt {0} {1}) {0} {1})"
_MORE = "(ite (bvslt {0} {1}) {1} {0})"
_LOW, _HIGH = _LESS.format("a", "b"), _MORE.format("a", "b")
#: Ten of them as SyGuS definitions: parameters and body.
DEFINITIONS = {
    "median": ("a b c", _MORE.format(_LOW, _LESS.format(_HIGH, "c"))),
    "is_zero": ("x", _FLAG.format(f"(= x {_ZERO})")),
    "equality": ("x y", _FLAG.format("(= x y)")),
    "popcount": ("x", f"(bvadd {' '.join(_BIT.format(k) for k in range(32))})"),
    "square_plus_one": ("x", f"(bvadd (bvmul x x) {_ONE})"),
    "parity": ("x", f"(bvxor {' '.join(_BIT.format(k) for k in range(32))})"),
    "polynomial": (
        "x y", "(bvadd (bvsub (bvmul #x00000003 (bvmul x x)) (bvmul x y)) #x00000007)"),
    "select": ("c x y", f"(ite (bvsgt c {_ZERO}) x y)"),
    "distance": ("x y", "(ite (bvslt x y) (bvsub y x) (bvsub x y))"),
    "same_sign": ("x y", _FLAG.format(f"(= (bvslt x {_ZERO}) (bvslt y {_ZERO}))")),
    "clamp_low": ("x y", f"(ite (bvslt x y) y (ite (= x y) {_ZERO} x))"),
}  # fmt: skip


def sygus(name: str) -> str:
    """A definition as a SyGuS file."""
    names, body = DEFINITIONS[name]
    sort = "(_ BitVec 32)"
    parameters = " ".join(f"({each} {sort})" for each in names.split())
    variables = "\n".join(f"(declare-var {each} {sort})" for each in names.split())
    return (f"(set-logic BV)\n(synth-fun f ({parameters}) {sort})\n{variables}\n"
            f"(constraint (= (f {names}) {body}))\n(check-synth)\n")  # fmt: skip


def table(function: Callable[..., Any], count: int = 24) -> str:
    """Random examples of a function as CSV; later numbers often are earlier ones, or near them."""
    rng = random.Random(function.__name__)
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    lists = [name for name in names if "list" in str(function.__annotations__[name])]
    unsigned = function in (popcount, parity)

    def number(seen: list[int]) -> int:
        if seen and rng.random() < 0.4:
            return rng.choice(seen) + rng.choice((0, 0, 0, 1, -1)) * (not unsigned)
        wide = rng.choice((rng.randint(0, 2), rng.randint(0, 99), rng.getrandbits(31)))
        return wide if unsigned or rng.random() < 0.6 else -wide

    lines: dict[str, None] = {}
    while len(lines) < count:
        arguments: list[Any] = []
        for name in names:
            seen = [x for each in arguments for x in (each if isinstance(each, list) else [each])]
            array = [rng.randint(-9, 9) for _ in range(rng.randint(1, 6))]
            arguments.append(array if name in lists else number(seen))
        cells = [_cell(x) for x in arguments]
        lines[",".join((*cells, _cell(function(*arguments))))] = None
    return "\n".join((",".join((*names, "result")), *lines)) + "\n"


def _cell(value: Any) -> str:
    return f"[{' '.join(map(str, value))}]" if isinstance(value, list) else str(int(value))


#: Those that are also given as CSV files: the ten of the SyGuS problems, and three on arrays.
TABLES = (median, is_zero, equality, popcount, square_plus_one, parity, select, distance,
          clamp_low, same_sign, polynomial, argmax, count_key, span)  # fmt: skip


def measured(name: str, kind: str, source: Any, seconds: float) -> dict[str, Any]:
    """What `learn` with its default settings makes of a task."""
    learned = learn(source, seconds=seconds)
    print(kind, name, learned.solved, round(learned.cpu_seconds, 1), learned.method, flush=True)
    return {"name": name, "kind": kind, **learned.as_json()}


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kinds", nargs="*", default=["function", "sygus", "csv"])
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--names", nargs="*", help="measure these alone, keep the others")
    parser.add_argument("--out", type=Path, default=DOCS / "learning" / "unseen.json")
    options = parser.parse_args()
    results: dict[tuple[str, str], dict[str, Any]] = {}
    if options.out.exists():
        saved = json.loads(options.out.read_text(encoding="utf-8"))
        results = {(each["kind"], each["name"]): each for each in saved}
    jobs: list[tuple[str, str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        jobs += [(f.__name__, "function", f) for f in TASKS]
        for name in DEFINITIONS:
            path = Path(folder) / f"{name}.sl"
            path.write_text(sygus(name), encoding="utf-8")
            jobs.append((name, "sygus", path))
        for function in TABLES:
            path = Path(folder) / f"{function.__name__}.csv"
            path.write_text(table(function), encoding="utf-8")
            jobs.append((function.__name__, "csv", path))
        for name, kind, source in jobs:
            if kind in options.kinds and name in (options.names or [name]):
                results[kind, name] = measured(name, kind, source, options.seconds)
            body = [results[k, n] for n, k, _ in jobs if (k, n) in results]
            options.out.write_text(json.dumps(body, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
