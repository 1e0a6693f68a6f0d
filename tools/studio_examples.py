"""Collects the repository's examples for the page: `python -m tools.studio_examples`."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parents[1] / "src/transputer/studio/examples.json"
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
    machine: str = "trace"


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
    Example("Small C", "Greatest common divisor", "loom/gcd.c", machine="loom"),
    Example("Small C", "Bubble sort", "loom/bubble.c", machine="loom"),
    Example("Small C", "Fibonacci", "loom/fibonacci.c", machine="loom"),
    Example("Small C", "Sieve of Eratosthenes", "loom/sieve.c", machine="loom"),
    Example("Small C", "Towers of Hanoi", "loom/hanoi.c", machine="loom"),
    Example("Small C", "Queens", "loom/queens.c", machine="loom"),
    Example("Small C", "Hello", "loom/hello.c", machine="loom"),
    Example("Loom assembly", "Greatest common divisor", "loom/gcd.loomasm", machine="loom"),
    Example("Soft assembly", "Greatest common divisor", "soft/gcd.soft", machine="soft"),
    Example("Soft assembly", "Fibonacci", "soft/fibonacci.soft", machine="soft"),
    Example("Small C", "Divisors", "everywhere/gcd.c", machine="soft"),
)
#: Questions of `words/questions.txt` that are offered, by what people call them.
QUESTIONS = {
    "Apples": "Janet has 50 apples. She gives away 15.",
    "Squares": "sum of the squares from 1 to 100",
    "Prime": "Is 91 a prime number?",
    "Divisor": "the greatest common divisor of 1071 and 462",
    "Discount": "What is 80 after a 25% discount?",
}


def collected(folder: Path) -> list[dict[str, Any]]:
    """All examples with their texts."""
    four = _made("WebAssembly", "Four instructions", "wat", FOUR) | {"invoke": "f", "args": ["35"]}
    words = [_made("Words", title, "words", text) for title, text in QUESTIONS.items()]
    return [four, *words, *(_read(example, folder) for example in EXAMPLES)]


def _made(group: str, title: str, language: str, source: str) -> dict[str, Any]:
    return {"group": group, "title": title, "language": language, "machine": "trace",
            "source": source, "invoke": "", "args": [], "stdin": ""}  # fmt: skip


def _read(example: Example, folder: Path) -> dict[str, Any]:
    language = Path(example.path).suffix.removeprefix(".")
    source = (folder / example.path).read_text(encoding="utf-8")
    return _made(example.group, example.title, language, source) | {
        "machine": example.machine,
        "invoke": example.invoke,
        "args": list(example.args),
        "stdin": example.stdin,
    }


def main() -> None:
    """Write the file that the page reads."""
    examples = collected(Path(__file__).parents[1] / "examples")
    TARGET.write_text(json.dumps(examples, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
