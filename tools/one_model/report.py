"""Judge what training measured: `python -m tools.one_model.report RESULTS --out FILE`.

Every written program is run by the weights of the extended machine (native engine) and evaluated by
Python. A question is answered right, by a wrong program, without a program, or by wrong execution
(the machine and Python disagree), which must never happen. Intervals are Wilson's, 95 %.
"""

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.one_model.data import Nonsense, evaluate
from transputer.embed.one_model.machine import extended, library
from transputer.embed.one_model.vocabulary import KINDS
from transputer.runtime.trace.sessions import new_engine

STEPS = 200_000
#: Programs in one sequence, before a new one.
SEQUENCE = 50


def executed(programs: list[str]) -> Iterator[str | None]:
    """Yield what the machine prints for each program; None where it traps."""
    routines = library()
    model = extended(routines=routines)
    for number, program in enumerate(programs):
        if number % SEQUENCE == 0:
            engine = new_engine("native", model)
            for token in routines.tokens:
                engine.append((KINDS.step, *token))
        parts: list[int] = [0] * (len(model.parts) - 1)
        for kind in KINDS.program(program.split()):
            engine.append((kind, *parts))
            parts = list(engine.next()[1:])  # type: ignore[attr-defined]
        output = b""
        for _ in range(STEPS):
            kind = engine.step()[0]
            if kind in (KINDS.done, KINDS.trap):
                break
            output += bytes([kind - KINDS.out]) if kind >= KINDS.out else b""
        yield output.decode() if kind == KINDS.done else None


def judge(rows: list[dict[str, Any]]) -> None:
    """Add to each row what happened: right, wrong program, no program or wrong execution."""
    with_program = [row for row in rows if row["program"] is not None]
    for row, output in zip(
        with_program, executed([row["program"] for row in with_program]), strict=True
    ):
        row["output"] = output
        try:
            expected: str | None = evaluate(row["program"])
        except Nonsense:
            expected = None
        if output != expected:
            row["verdict"] = "wrong execution"
        else:
            row["verdict"] = "right" if output == row["result"] else "wrong program"
    for row in rows:
        row.setdefault("verdict", "no program")


def interval(hits: int, count: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a proportion."""
    z, p = 1.96, hits / count
    centre = (p + z * z / (2 * count)) / (1 + z * z / count)
    half = z * (p * (1 - p) / count + z * z / (4 * count * count)) ** 0.5 / (1 + z * z / count)
    return max(0.0, centre - half), min(1.0, centre + half)


def table(rows: list[dict[str, Any]]) -> str:
    """Return exact matches by operation, and by digits, in Markdown."""
    lines = ["| operation | questions | right | 95 % | bare model | wrong program | no program | "
             "wrong execution | by digits |", "|---|--:|--:|---|--:|--:|--:|--:|---|"]  # fmt: skip
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[row["operation"]].append(row)
    for name, group in groups.items():
        verdicts = Counter(row["verdict"] for row in group)
        low, high = interval(verdicts["right"], len(group))
        digits: dict[int, list[bool]] = defaultdict(list)
        for row in group:
            digits[row["digits"]].append(row["verdict"] == "right")
        shares = ", ".join(f"{d}: {100 * sum(v) / len(v):.0f}" for d, v in sorted(digits.items()))
        bare = sum(row["bare_right"] for row in group)
        lines.append(
            f"| {name} | {len(group)} | {100 * verdicts['right'] / len(group):.1f} % | "
            f"{100 * low:.1f} to {100 * high:.1f} | {100 * bare / len(group):.1f} % | "
            f"{verdicts['wrong program']} | {verdicts['no program']} | "
            f"{verdicts['wrong execution']} | {shares} |"
        )
    return "\n".join(lines)


def problem_table(rows: list[dict[str, Any]]) -> str:
    """Return the table of word problems, by the operation they need, and of all of them."""
    return table([*rows, *(row | {"operation": "all"} for row in rows)])


def wrong_programs(rows: list[dict[str, Any]], count: int) -> str:
    """Return the first questions with a wrong program, and what it prints, in Markdown."""
    wrong = [row for row in rows if row["verdict"] == "wrong program"][:count]
    return "\n".join(
        f"* `{row['question']}` → `{row['program']}`: {row['output']}, not {row['result']}"
        for row in wrong
    )


def main() -> None:
    """Write the judged rows, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    data = json.loads(args.results.read_text())
    judge(data["questions"])
    data["command"] = "python -m tools.one_model.report"
    args.out.write_text(json.dumps(data) + "\n")
    problems = data["settings"]["problems"] != "None"
    print((problem_table if problems else table)(data["questions"]))
    print(wrong_programs(data["questions"], 8))
    print({name: data[name] for name in ("plain", "perplexity") if name in data})


if __name__ == "__main__":
    main()
