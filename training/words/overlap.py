"""How much the problems that are trained on share with those that measure.

`python -m training.words.overlap --svamp FILE --mawps FILE --out FILE` makes the training set's
texts again and counts the measuring problems that have seven words in a row in common with any
of them. Numbers and names are masked, so that a template with other fillings is found too.
"""

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from training.words import vocabulary
from training.words.cases import mawps_asdiv, svamp
from training.words.dataset import CHUNK, seeds, synthetic
from transputer.frontends.words.numbers import find

LENGTH = 7
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?|#|@")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+")
Gram = tuple[str, ...]


def names_in(texts: Iterable[str]) -> frozenset[str]:
    """Our own names and those of these texts: capitals in a sentence, and never small letters.

    Texts without any capital say nothing about that.
    """
    told = [text for text in texts if not text.islower()]
    small = {word for text in told for word in re.findall(r"\b[a-z]+\b", text)}
    found = {name.lower() for text in told for name in _NAME.findall(text)}
    return frozenset((found - small) | {p.name.lower() for p in vocabulary.PEOPLE})


def masked(text: str, names: frozenset[str]) -> list[str]:
    """The words of a text, `#` for every number and `@` for every name."""
    for number in reversed(find(text)):
        text = f"{text[: number.start]} # {text[number.end :]}"
    words = _WORD.findall(text.lower())
    return ["@" if word.removesuffix("'s") in names else word for word in words]


def grams(text: str, names: frozenset[str]) -> Iterator[Gram]:
    """Every seven words in a row."""
    words = masked(text, names)
    return (tuple(words[at : at + LENGTH]) for at in range(len(words) - LENGTH + 1))


def _shared(seed: int, known: frozenset[Gram], names: frozenset[str]) -> set[Gram]:
    rng = random.Random(seed)
    return {
        gram for _ in range(CHUNK) for gram in grams(synthetic(rng).text, names) if gram in known
    }


def overlap(sets: dict[str, list[str]], examples: int, workers: int) -> dict[str, object]:
    """For every set: its problems, those that share seven words, and the words shared most."""
    names = names_in(text for texts in sets.values() for text in texts)
    known = frozenset(g for texts in sets.values() for text in texts for g in grams(text, names))
    look = partial(_shared, known=known, names=names)
    with get_context("spawn").Pool(workers) as pool:
        found = set[Gram]().union(*pool.imap(look, seeds(examples, 1)))
    report: dict[str, object] = {"examples": examples, "words": LENGTH}
    for name, texts in sets.items():
        shared = [[g for g in grams(text, names) if g in found] for text in texts]
        most = Counter(" ".join(gram) for each in shared for gram in set(each)).most_common(5)
        whole = sum(
            len(each) == len(list(grams(text, names))) > 0
            for text, each in zip(texts, shared, strict=True)
        )
        report[name] = {
            "problems": len(texts),
            "sharing": sum(map(bool, shared)),
            "wholly shared": whole,
            "most shared": dict(most),
        }
    return report


def main() -> None:
    """Count, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--svamp", type=Path, required=True)
    parser.add_argument("--mawps", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--examples", type=int, default=700_000)
    parser.add_argument("--workers", type=int, default=1)
    args = parser.parse_args()
    sets = {"svamp": [case.text for case in svamp(args.svamp)]}
    sets |= {n: [case.text for case in cases] for n, cases in mawps_asdiv(args.mawps).items()}
    report = overlap(sets, args.examples, args.workers)
    args.out.write_text(json.dumps(report, indent=1) + "\n")
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
