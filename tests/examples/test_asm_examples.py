"""The assembly examples against what they promise, the generators against plain Python."""

import importlib.util
import math
import re
from pathlib import Path
from types import ModuleType

import pytest

from transputer.frontends.asm import assemble
from transputer.ir.asm import to_text
from transputer.isa.integers import signed
from transputer.oracle.asm import AsmOutcome, run

FOLDER = Path(__file__).parents[2] / "examples" / "asm"
EXAMPLES = sorted(FOLDER.glob("*.asm"))


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"asm_{path.stem}", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


generate = _load(FOLDER / "generate.py")


def results(outcome: AsmOutcome) -> list[int]:
    assert outcome.trap is None
    return [signed(32, value) for value in outcome.stack]


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 15


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_example(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    first, _, _ = text.partition("\n")
    assert first.startswith("; result: ")
    program = assemble(text, str(path))
    assert results(run(program)) == [int(word) for word in first.split()[2:]]
    assert assemble(to_text(program)) == program


DOCS = Path(__file__).parents[2] / "docs" / "assembly.md"
SHOWN = re.findall(r"```asm\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("text", SHOWN)
def test_programs_on_the_reference_page(text: str) -> None:
    promised = text.partition("\n")[0].removeprefix("; result: ")
    assert results(run(assemble(text))) == [int(word) for word in promised.split()]


def result_of(text: str) -> int:
    (value,) = run(assemble(text)).stack
    return value


def fibonacci(n: int) -> int:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def fnv1a(data: bytes) -> int:
    value = 0x811C9DC5
    for byte in data:
        value = (value ^ byte) * 0x01000193 % 2**32
    return value


@pytest.mark.parametrize("n", [0, 1, 2, 10, 34, 100])
def test_counting_generators(n: int) -> None:
    assert result_of(generate.sum_to(n)) == n * (n + 1) // 2
    assert result_of(generate.power_of_two(n)) == 2**n % 2**32
    assert result_of(generate.fibonacci(n)) == fibonacci(n) % 2**32
    assert result_of(generate.factorial(n)) == math.factorial(n) % 2**32


@pytest.mark.parametrize("pair", [(48, 36), (36, 48), (0, 5), (5, 0), (0, 0), (2**32 - 1, 2**31)])
def test_gcd(pair: tuple[int, int]) -> None:
    assert result_of(generate.gcd(*pair)) == math.gcd(*pair)


# The last three are published test vectors of the hash.
@pytest.mark.parametrize(
    ("data", "value"),
    [
        (bytes(range(256)), fnv1a(bytes(range(256)))),
        (b"", 0x811C9DC5),
        (b"a", 0xE40C292C),
        (b"foobar", 0xBF9CF968),
    ],
)
def test_fnv1a(data: bytes, value: int) -> None:
    assert fnv1a(data) == value
    assert result_of(generate.fnv1a(data)) == value


@pytest.mark.parametrize(
    "values", [[], [3], [2, 1], [5, -1, 5, 2**31 - 1, -(2**31), 0], list(range(20, 0, -1))]
)
def test_bubble_sort(values: list[int]) -> None:
    assert results(run(assemble(generate.bubble_sort(values)))) == sorted(values)


@pytest.mark.parametrize("value", [0, 1, 0x80000000, 0xFFFFFFFF, 0xFEEDBEEF, -1])
def test_popcount(value: int) -> None:
    assert result_of(generate.popcount(value)) == (value % 2**32).bit_count()
