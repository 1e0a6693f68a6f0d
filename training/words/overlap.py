"""How much the problems that are trained on share with those that measure.

`python -m training.words.overlap --svamp FILE --mawps FILE --out FILE` makes the training set's
texts again and counts the measuring problems that have seven words in a row in common with any
of them. Numbers and names are masked, so that a template with other fillings is found too.
"""

import argparse
import json
import random
from collections import Counter
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from training.words.cases import measuring
from training.words.dataset import CHUNK, kept_apart, seeds, synthetic
from training.words.grams import LENGTH, Apart, Gram, grams


def _shared(seed: int, all_sets: Apart) -> set[Gram]:
    rng = random.Random(seed)
    return set[Gram]().union(*(all_sets.shared(synthetic(rng).text) for _ in range(CHUNK)))


def overlap(
    sets: dict[str, list[str]], examples: int, workers: int, filtered: bool = True
) -> dict[str, object]:
    """For every set: its problems, those that share seven words, and the words shared most.

    `filtered`: of the problems that training keeps, otherwise of all that are made.
    """
    apart = Apart.of(text for texts in sets.values() for text in texts)
    names, look = apart.names, partial(_shared, all_sets=apart)
    given = (apart if filtered else Apart(),)
    with get_context("spawn").Pool(workers, kept_apart, given) as pool:
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
    sets = measuring(args.svamp, args.mawps)
    report = overlap(sets, args.examples, args.workers)
    report["before filtering"] = overlap(sets, args.examples, args.workers, filtered=False)
    args.out.write_text(json.dumps(report, indent=1) + "\n")
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
