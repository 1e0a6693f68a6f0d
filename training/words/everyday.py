"""Set the threshold of `ask` on everyday questions, and check it on the other half of them.

`python -m training.words.everyday --svamp FILE` prints a table and writes
`docs/words/everyday.json`. The questions stand in `everyday.txt`. Half of them set the threshold,
the other half checks it; a hash of the question's text decides which half it belongs to.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Question:
    """A question, its kind, and its right answer; None where it has none."""

    kind: str
    text: str
    answer: Fraction | bool | None

    @property
    def sets(self) -> bool:
        """Whether the question belongs to the half that sets the threshold."""
        return sha256(self.text.encode()).digest()[0] % 2 == 0


def questions() -> Iterator[Question]:
    """Every question of `everyday.txt`, in its order."""
    kind = ""
    for line in (HERE / "everyday.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            kind = line.removeprefix("## ")
        elif line and not line.startswith("#"):
            answer, text = line.split("\t")
            yield Question(kind, text, _answer(answer))


def _answer(text: str) -> Fraction | bool | None:
    words = {"none": None, "yes": True, "no": False}
    return words[text] if text in words else Fraction(text)
