"""Kinds of tokens of the joint sequence: 0 is any text, the others are new rows of the vocabulary.

`code` begins a program, routines and digits are its instructions, `run` ends it and starts the
machine. `step` is a token of the machine alone, `out` + b an output byte, `done` and `trap` are its
ends.
"""

from dataclasses import dataclass, field
from typing import Any

DIGITS = tuple(f"d{digit}" for digit in range(10))
#: Routines of `library.wat` that a program may call.
ROUTINES = (
    "push", *DIGITS, "add", "sub", "mul", "div", "rem", "max", "min", "gcd", "powmod", "sum",
    "less", "greater", "prime", "item", "list", "show", "divrem",
)  # fmt: skip


@dataclass(frozen=True)
class Kinds:
    """The numbers of the kinds. Kinds up to `written` are written by the language model."""

    text: int = 0
    code: int = 1
    routines: dict[str, int] = field(
        default_factory=lambda: {name: 2 + i for i, name in enumerate(ROUTINES)}
    )

    @property
    def run(self) -> int:
        """The kind that starts the machine."""
        return 2 + len(self.routines)

    @property
    def step(self) -> int:
        """The kind of a step of the machine."""
        return self.run + 1

    @property
    def done(self) -> int:
        """The kind of the end of a run."""
        return self.run + 2

    @property
    def trap(self) -> int:
        """The kind of a run that failed."""
        return self.run + 3

    @property
    def out(self) -> int:
        """The kind of output byte 0."""
        return self.run + 4

    @property
    def count(self) -> int:
        """The number of kinds."""
        return self.out + 256

    def table(self) -> dict[str, Any]:
        """Return the numbers by name, as exported folders have them."""
        names = ("code", "routines", "run", "step", "done", "trap", "out", "count")
        return {name: getattr(self, name) for name in names}

    def program(self, words: list[str]) -> list[int]:
        """Return the kinds of a program: numbers (spelled in digits) and routines, as text."""
        kinds = [self.code]
        for word in words:
            if word.isdigit():
                kinds += [self.routines["push"], *(self.routines[f"d{c}"] for c in word)]
            else:
                kinds.append(self.routines[word])
        return [*kinds, self.run]


KINDS = Kinds()
