"""Write `MODEL_CARD.md`: `python -m training.words.card`.

The figures come from `results`: `curves.json` of the training, `seedN.json` of the measuring of
every seed, `overlap.json`, `front.json` of the whole front end. The committed weights must be
those that were measured.
"""

import json
import math
import statistics
from hashlib import sha256
from pathlib import Path
from typing import Any

from transputer.frontends.words.embedded.weights import FILES

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
EMBEDDED = ROOT / "src" / "transputer" / "frontends" / "words" / "embedded"
#: The weights, a distribution of their own.
MODELS = ROOT / "models" / "transputer_words" / "embedded"
#: Student's t for 95 %, by the number of seeds.
STUDENT = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776}


def table(head: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown, its first column to the left."""
    lines = [head, [":--", *["--:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def fill(page: Path, marks: tuple[str, str], text: str) -> None:
    """Put a text between two marks of a page."""
    head, _, rest = page.read_text().partition(marks[0])
    page.write_text(f"{head}{marks[0]}\n{text}\n{marks[1]}{rest.partition(marks[1])[2]}")


def spread(values: list[float]) -> str:
    """The mean and, where there are several seeds, half of its 95 % interval."""
    mean = statistics.mean(values)
    if len(values) not in STUDENT:
        return f"{mean:.1%}"
    half = STUDENT[len(values)] * statistics.stdev(values) / math.sqrt(len(values))
    return f"{mean:.1%} ± {100 * half:.1f}"


def card(results: Path, weights: list[Path]) -> str:
    """The card's text; SystemExit where the weights are not those that were measured."""
    curves = _read(results / "curves.json")
    seeds = {seed: _read(results / f"seed{seed}.json") for seed in curves["seeds"]}
    chosen = curves.get("chosen", curves["best"])
    best = seeds[chosen]
    hashes = [sha256(path.read_bytes()).hexdigest() for path in weights]
    if hashes != best["sha256"]:
        raise SystemExit(f"the weights are not those of seed {chosen} in {results}")
    shared = _read(results / "overlap.json")
    return (
        (HERE / "card.txt")
        .read_text()
        .format(
            bytes=f"{sum(path.stat().st_size for path in weights):,}",
            ms=best["sets"]["svamp"]["median ms"],
            problems=f"{curves['problems']:,}",
            examples=f"{curves['options']['examples']:,}",
            gsm8k=f"{curves['gsm8k']['fit']:,}",
            repeat=curves["options"]["repeat"],
            overlap_examples=f"{shared['examples']:,}",
            overlap=_overlap(shared),
            seeds=", ".join(seeds),
            best=chosen,
            accuracy=_accuracy(seeds),
            temperature=best["calibration"]["temperature"],
            threshold=best["calibration"]["threshold"],
            asked=_read(EMBEDDED / "calibration.json")["threshold"],
            answers=_answers(best["sets"]),
            front=_front(_read(results / "front.json")),
            options=", ".join(f"{name} {value}" for name, value in curves["options"].items()),
            curves=_curves(curves["seeds"]),
            hashes=table(
                ["file", "SHA-256"],
                [[f"`{p.name}`", f"`{h}`"] for p, h in zip(weights, hashes, strict=True)],
            ),
        )
    )


def _read(path: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(path.read_text())
    return read


def _overlap(shared: dict[str, Any]) -> str:
    before = shared["before filtering"]
    rows = [
        [name, f"{of['problems']:,}", f"{before[name]['sharing']:,}", f"{of['sharing']:,}"]
        for name, of in shared.items()
        if isinstance(of, dict) and "problems" in of
    ]
    return table(["set", "problems", "shared with all that were made", "with those kept"], rows)


def _accuracy(seeds: dict[str, dict[str, Any]]) -> str:
    rows = []
    for name, first in next(iter(seeds.values()))["sets"].items():
        values = [seed["sets"][name]["accuracy"] for seed in seeds.values()]
        rows.append([name, f"{first['count']:,}", *(f"{v:.1%}" for v in values), spread(values)])
    return table(["set", "problems", *(f"seed {seed}" for seed in seeds), "mean"], rows)


def _answers(sets: dict[str, Any]) -> str:
    rows = [
        [
            name,
            f"{of['accuracy']:.1%}",
            "{:.1%} to {:.1%}".format(*of["interval"]),
            f"{of['answered']:.1%}",
            "" if of["precision"] is None else f"{of['precision']:.1%}",
            f"{of['precision at 40 %']:.1%}",
        ]
        for name, of in sets.items()
    ]
    head = ["set", "right", "95 % interval", "answered", "of these right", "of the surest 40 %"]
    return table(head, rows)


def _front(sets: dict[str, Any]) -> str:
    rows = [
        [
            name,
            f"{of['count']:,}",
            f"{of['rules right']} of {of['rules answered']}",
            f"{of['accuracy']:.1%}",
            "{:.1%} to {:.1%}".format(*of["interval"]),
            f"{of['coverage']:.1%}",
            "" if of["precision"] is None else f"{of['precision']:.1%}",
        ]
        for name, of in sets.items()
    ]
    head = ["set", "problems", "rules alone, right of answered", "right", "95 % interval"]
    return table([*head, "answered", "of these right"], rows)


def _curves(seeds: dict[str, list[dict[str, float]]]) -> str:
    shown = ("step", "seconds", "loss", "gsm8k", "svamp")
    rows = [
        [seed, *(f"{point[name]:.4g}" for name in shown)]
        for seed, curve in seeds.items()
        for point in curve
    ]
    return table(["seed", *shown], rows)


def main() -> None:
    """Write the card of the committed weights."""
    text = card(HERE / "results", [MODELS / name for name in FILES])
    (ROOT / "MODEL_CARD.md").write_text(text)


if __name__ == "__main__":
    main()
