"""Write the words of the calculations that the model was trained on.

`python -m training.words.taught` writes them into the package. `ask` refuses a calculation with
words that are not among them.
"""

import re
from pathlib import Path

HERE = Path(__file__).parent
LIST = HERE.parents[1] / "src" / "transputer" / "frontends" / "words" / "taught.txt"
#: A place to be filled (`{P}`, `<GOT>`), or a word.
_PART = re.compile(r"\{[^{}]*\}|<[A-Z]+>|[a-z]+")


def taught() -> list[str]:
    """The words of every calculation that is trained on, sorted."""
    lines = (HERE / "constructs.txt").read_text().splitlines()
    texts = [line[1:].rpartition(" = ")[0].lower() for line in lines if line.startswith("?")]
    return sorted({part for text in texts for part in _PART.findall(text) if part.isalpha()})


def main() -> None:
    """Write the list into the package."""
    LIST.write_text("\n".join(taught()) + "\n")


if __name__ == "__main__":
    main()
