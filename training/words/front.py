"""Measure the whole front end as `ask` uses it: the rules first, then the embedded model.

`python -m training.words.front --svamp FILE --mawps FILE --gsm8k FILE` prints a table and writes
`results/front.json`: for every set what the rules alone answer, and what the two answer together,
with and without the threshold. The sets are those of `training.words.evaluate`, with GSM8K's held
problems in full: also those that no plan of ours fits.
"""

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from training.words import gsm8k
from training.words.card import spread, table
from training.words.cases import Case, blind_cases, held_cases, mawps_asdiv, svamp
from training.words.evaluate import interval
from transputer import api
from transputer.errors import StepLimitError
from transputer.frontends.words.installed import load_planner
from transputer.frontends.words.planner import Planner
from transputer.frontends.words.rules import Rules

HERE = Path(__file__).parent
#: The most steps a program may take here.
STEPS = 1_000_000
NAMES = {
    "svamp": "SVAMP, development",
    "mawps": "MAWPS",
    "asdiv-a": "ASDiv-A",
    "gsm8k": "GSM8K, held out",
}


@dataclass(frozen=True, slots=True)
class Found:
    """What came of a case: whose answer it was, whether it is given, and whether it is right."""

    planner: str
    given: bool
    right: bool
    confidence: float
    milliseconds: float


def found(case: Case, model: Planner) -> Found:
    """The answer to a case, however sure the model is; its program runs without weights."""
    started = time.process_time()
    try:
        said = api.ask(case.text, planner=model, doubtful=True, engine="oracle", max_steps=STEPS)
    except StepLimitError:
        return Found("", False, False, 0.0, 1000 * (time.process_time() - started))
    spent = 1000 * (time.process_time() - started)
    sure = 1.0 if said.confidence is None else said.confidence
    same = isinstance(said.value, bool) == isinstance(case.answer, bool)
    given = said.answer is not None and said.doubt is None
    return Found(said.planner, given, same and said.value == case.answer, sure, spent)


def summary(all_found: Sequence[Found]) -> dict[str, object]:
    """What is said of one set."""
    count = len(all_found)
    ruled = [one for one in all_found if one.planner == Rules.name and one.given]
    given = [one for one in all_found if one.given]
    right = sum(one.right for one in all_found)
    kept = sum(one.right for one in given)
    spent = sorted(one.milliseconds for one in all_found)
    return {
        "count": count,
        "rules answered": len(ruled),
        "rules right": sum(one.right for one in ruled),
        "right": right,
        "accuracy": round(right / count, 4),
        "interval": interval(right, count),
        "answered": len(given),
        "answered right": kept,
        "answered right interval": interval(kept, count),
        "coverage": round(len(given) / count, 4),
        "precision": round(kept / len(given), 4) if given else None,
        "median ms": round(spent[count // 2], 1),
    }


def page(front: Mapping[str, Any], seeds: Mapping[str, Any], chosen: str) -> str:
    """The two tables of `docs/words.md`: published sets, and held-out paraphrases by construct."""
    published = [name for name in ("svamp", "mawps", "asdiv-a", "gsm8k") if name in front]
    alone = seeds[chosen]
    first = [
        [NAMES[name], *_alone(name, seeds, chosen), *_given(front[name])] for name in published
    ]
    second = []
    for name, of in front.items():
        if name in published:
            continue
        model = f"{alone[name]['accuracy']:.1%}" if name in alone else ""
        ruled = f"{of['rules right']} of {of['rules answered']}"
        low, high = of["interval"]
        share = f"{of['accuracy']:.1%}"
        whole = [share, f"{low:.1%} to {high:.1%}", *_given(of)]
        second.append([name, f"{of['count']:,}", ruled, model, *whole])
    columns = ["model right", "95 % interval", "mean of 3 seeds ± 95 %", "of the surest 40 %"]
    asked = ["answered", "of these right"]
    rules = ["rules alone, right of answered", "model alone", "both", "95 % interval"]
    return "\n\n".join(
        (
            table(["set", "problems", *columns, *asked], first),
            table(["construct", "problems", *rules, *asked], second),
        )
    )


def _alone(name: str, seeds: Mapping[str, Any], chosen: str) -> list[str]:
    """The model without rules and checks on one set."""
    of = seeds[chosen][name]
    mean = spread([seed[name]["accuracy"] for seed in seeds.values()])
    low, high = of["interval"]
    shares = f"{of['accuracy']:.1%}", f"{low:.1%} to {high:.1%}", mean
    return [f"{of['count']:,}", *shares, f"{of['precision at 40 %']:.1%}"]


def _given(of: Mapping[str, Any]) -> list[str]:
    precise = "" if of["precision"] is None else f"{of['precision']:.1%}"
    return [f"{of['coverage']:.1%}", precise]


def committed() -> tuple[dict[str, Any], dict[str, Any], str]:
    """The committed results: of the front end, of every seed, and the seed of the weights."""
    curves = json.loads((HERE / "results" / "curves.json").read_text())
    seeds = {
        seed: json.loads((HERE / "results" / f"seed{seed}.json").read_text())["sets"]
        for seed in curves["seeds"]
    }
    front = json.loads((HERE / "results" / "front.json").read_text())
    return front, seeds, curves.get("chosen", curves["best"])


def _sets(args: argparse.Namespace) -> dict[str, list[Case]]:
    sets = held_cases(args.each) | blind_cases(args.each)
    sets |= {} if args.svamp is None else {"svamp": svamp(args.svamp)}
    sets |= {} if args.mawps is None else mawps_asdiv(args.mawps)
    if args.gsm8k is not None:
        held = [row for index, row in enumerate(gsm8k.rows(args.gsm8k)) if index % 20 == 0]
        sets["gsm8k"] = [Case(question, gsm8k.stated(answer)) for question, answer in held]
    return sets


def main() -> None:
    """Measure every set that is named, and the held-out paraphrases."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--svamp", type=Path)
    parser.add_argument("--mawps", type=Path)
    parser.add_argument("--gsm8k", type=Path)
    parser.add_argument("--each", type=int, default=200, help="held-out paraphrases a construct")
    parser.add_argument("--out", type=Path, default=HERE / "results" / "front.json")
    args = parser.parse_args()
    model = load_planner("embedded")
    report = {}
    print(f"{'set':14} {'count':>5} {'rules':>11} {'right':>6} {'answered':>8} {'precise':>7}")
    for name, cases in _sets(args).items():
        row = report[name] = summary([found(case, model) for case in cases])
        ruled = f"{row['rules right']} of {row['rules answered']}"
        print(
            f"{name:14} {row['count']:5} {ruled:>11} {row['accuracy']:6.1%}"
            f" {row['coverage']:8.1%} {row['precision'] or 0:7.1%}",
            flush=True,
        )
        args.out.write_text(json.dumps(report, indent=1) + "\n")
    print(page(*committed()))


if __name__ == "__main__":
    main()
