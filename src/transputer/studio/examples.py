"""Collects the repository's examples for the page: `python -m transputer.studio.examples`."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TARGET = Path(__file__).with_name("examples.json")
FOUR = """(module
  (func (export "f") (param i32) (result i32)
    local.get 0
    i32.const 7
    i32.add))
"""


@dataclass(frozen=True, slots=True)
class Example:
    """An example: a file of `examples/`, and how it is run."""

    group: str
    title: str
    path: str
    invoke: str = ""
    args: tuple[str, ...] = ()
    stdin: str = ""


EXAMPLES = (
    Example("C", "Sudoku", "c/sudoku.c"),
    Example("C", "Greatest common divisor", "c/gcd.c", "gcd", ("48", "36")),
    Example("C", "Bubble sort", "c/bubble_sort.c", "bubble_sort", ("3",)),
    Example("C", "Collatz", "c/collatz.c", "collatz", ("27",)),
    Example("C", "Fibonacci", "c/fibonacci.c", "fibonacci", ("20",)),
    Example("C", "Sieve of Eratosthenes", "c/sieve.c", "sieve", ("100",)),
    Example("C", "Queens", "c/queens.c", "queens", ("5",)),
    Example("C with its library", "Hello", "programs/hello.c", args=("you",)),
    Example("C with its library", "Word count", "programs/wc.c", stdin="one two\nthree\n"),
    Example("C with its library", "Life", "programs/life.c"),
    Example("C with its library", "SHA-256", "programs/sha256.c"),
    Example("C with its library", "Brainfuck", "programs/brainfuck.c"),
    Example("Assembly", "Sum", "asm/sum.asm"),
    Example("Assembly", "Fibonacci", "asm/fibonacci.asm"),
    Example("Assembly", "Factorial, recursive", "asm/factorial_recursive.asm"),
    Example("Assembly", "Towers of Hanoi", "asm/hanoi.asm"),
    Example("Assembly", "Popcount", "asm/popcount.asm"),
)


def collected(folder: Path) -> list[dict[str, Any]]:
    """All examples with their texts."""
    four = {"group": "WebAssembly", "title": "Four instructions", "language": "wat",
            "source": FOUR, "invoke": "f", "args": ["35"], "stdin": ""}  # fmt: skip
    return [four, *(_read(example, folder) for example in EXAMPLES)]


def _read(example: Example, folder: Path) -> dict[str, Any]:
    return {
        "group": example.group,
        "title": example.title,
        "language": Path(example.path).suffix.removeprefix("."),
        "source": (folder / example.path).read_text(encoding="utf-8"),
        "invoke": example.invoke,
        "args": list(example.args),
        "stdin": example.stdin,
    }


def main() -> None:
    """Write the file that the page reads."""
    found = collected(Path(__file__).parents[3] / "examples")
    TARGET.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
